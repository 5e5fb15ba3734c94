import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import pg from 'pg'
import { monotonicMs } from '../../src/clock.ts'
import { resultTypes } from '../../src/database/postgres-driver.ts'
import type { Step } from './record.ts'

/** As many as the service has by default. */
const poolSize = 10
/** The first ones connect and prepare statements, as the service has long done. */
const warmShare = 0.1

/** How fast the scripts run through the driver alone, each of them once, so many at a time. */
export interface Replayed {
  perSecond: number
  processorSeconds: number
  done: number
}

/** Runs scripts against a database through its driver and nothing else, and tells how many a second it were. */
export function replay(url: string, scripts: Step[][], concurrency: number): Promise<Replayed> {
  return url.startsWith('sqlite:')
    ? replayOnSqlite(url.slice('sqlite:'.length), scripts)
    : replayOnPostgres(url, scripts, concurrency)
}

async function timed(scripts: Step[][], run: (part: Step[][]) => Promise<void>): Promise<Replayed> {
  const warm = Math.ceil(scripts.length * warmShare)
  await run(scripts.slice(0, warm))
  const cpuBefore = process.cpuUsage()
  const startedMs = monotonicMs()
  await run(scripts.slice(warm))
  const seconds = (monotonicMs() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const done = scripts.length - warm
  return { perSecond: done / seconds, processorSeconds: (user + system) / 1e6, done }
}

/** Steps that follow each other within one transaction, or one step alone. */
function parts(script: Step[]): Step[][] {
  const all: Step[][] = []
  for (const step of script) {
    const last = all.at(-1)
    if (step.isWithin && last?.[0]?.isWithin) last.push(step)
    else all.push([step])
  }
  return all
}

/** One commit for each transaction: one connection, as node:sqlite is one at a time anyway. */
async function replayOnSqlite(file: string, scripts: Step[][]): Promise<Replayed> {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  const known = new Map<string, StatementSync>()
  const run = ({ sql, values }: Step) => {
    let statement = known.get(sql)
    if (!statement) {
      statement = db.prepare(sql)
      known.set(sql, statement)
    }
    statement.all(...(values as SQLInputValue[]))
  }
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  try {
    return await timed(scripts, async (some) => {
      for (const part of some.flatMap(parts)) {
        if (part[0]?.isWithin) begin.run()
        for (const step of part) run(step)
        if (part[0]?.isWithin) commit.run()
      }
    })
  } finally {
    db.close()
  }
}

async function replayOnPostgres(url: string, scripts: Step[][], concurrency: number): Promise<Replayed> {
  const options = '-c timezone=UTC'
  const pool = new pg.Pool({ connectionString: url, max: poolSize, options, types: resultTypes })
  const names = new Map<string, string>()
  const query = (client: pg.Pool | pg.PoolClient, { sql, values }: Step) => {
    let name = names.get(sql)
    if (name === undefined) {
      name = `s${names.size}`
      names.set(sql, name)
    }
    return client.query({ text: sql, values: [...values], name })
  }
  const runPart = async (part: Step[]) => {
    const [first] = part
    if (first && !first.isWithin) {
      await query(pool, first)
      return
    }
    const client = await pool.connect()
    await client.query('begin')
    for (const step of part) await query(client, step)
    await client.query('commit')
    client.release()
  }
  try {
    return await timed(scripts, async (some) => {
      let begun = 0
      const work = async () => {
        for (let script = some[begun++]; script; script = some[begun++]) {
          for (const part of parts(script)) await runPart(part)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, work))
    })
  } finally {
    await pool.end()
  }
}
