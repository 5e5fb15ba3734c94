import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import pg from 'pg'
import { monotonicMs } from '../../src/clock.ts'
import { resultTypes } from '../../src/database/postgres-driver.ts'
import type { Step } from './record.ts'

/** As many as the service has by default. */
const poolSize = 10

/** Sends the steps that follow each other within one transaction, or one step alone. */
interface Driver {
  run(part: Step[]): Promise<void>
  close(): Promise<void>
}

/** How many scripts ran to their end, and in what time. */
export interface Replayed {
  done: number
  seconds: number
}

/** Runs recorded statements against a database through its driver and nothing else. */
export class Replay {
  private readonly driver: Driver

  constructor(url: string) {
    this.driver = url.startsWith('sqlite:') ? sqliteDriver(url.slice('sqlite:'.length)) : postgresDriver(url)
  }

  /** Runs one script after the other, so many at a time, until there is none left or the time is over. */
  async run(
    next: () => Step[] | undefined,
    { concurrency, ms }: { concurrency: number; ms: number },
  ): Promise<Replayed> {
    const startedMs = monotonicMs()
    let done = 0
    const work = async () => {
      while (monotonicMs() - startedMs < ms) {
        const script = next()
        if (!script) return
        for (const part of partsOf(script)) await this.driver.run(part)
        done += 1
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    return { done, seconds: (monotonicMs() - startedMs) / 1000 }
  }

  close(): Promise<void> {
    return this.driver.close()
  }
}

function partsOf(script: Step[]): Step[][] {
  const all: Step[][] = []
  for (const step of script) {
    const last = all.at(-1)
    if (step.isWithin && last?.[0]?.isWithin) last.push(step)
    else all.push([step])
  }
  return all
}

/** One commit for each transaction: one connection, as node:sqlite is one at a time anyway. */
function sqliteDriver(file: string): Driver {
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
  return {
    run: async (part) => {
      if (part[0]?.isWithin) begin.run()
      for (const step of part) run(step)
      if (part[0]?.isWithin) commit.run()
    },
    close: async () => {
      db.close()
    },
  }
}

function postgresDriver(url: string): Driver {
  const options = '-c timezone=UTC'
  const pool = new pg.Pool({ connectionString: url, max: poolSize, options, types: resultTypes })
  pool.on('error', () => undefined) // its database is dropped while the last farewells are under way
  const names = new Map<string, string>()
  const query = (client: pg.Pool | pg.PoolClient, { sql, values }: Step) => {
    let name = names.get(sql)
    if (name === undefined) {
      name = `s${names.size}`
      names.set(sql, name)
    }
    return client.query({ text: sql, values: [...values], name })
  }
  return {
    run: async (part) => {
      const [first] = part
      if (first && !first.isWithin) {
        await query(pool, first)
        return
      }
      const client = await pool.connect()
      try {
        await client.query('begin')
        for (const step of part) await query(client, step)
        await client.query('commit')
        client.release()
      } catch (error) {
        client.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}
