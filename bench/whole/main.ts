import { monotonicMs } from '../../src/clock.ts'
import { findPostgres } from '../../test/support/postgres-server.ts'
import { deleteKeys, findRedis } from '../../test/support/redis-server.ts'
import { makeTemplate, type MadeWorld } from './make-world.ts'
import { measureMemory } from './memory.ts'
import { measureSetting } from './measure.ts'
import { settingsOf, type Setting } from './nodes.ts'
import { findPgbench, runPgbench } from './pgbench.ts'
import { planOf, type Plan } from './plan.ts'
import { record } from './record.ts'
import { lineOf, machine, publish, type Report } from './report.ts'
import { measureStarts } from './starts.ts'
import { postgresStores, sqliteStores, type Stores } from './stores.ts'

/*
 * The whole service as users run it, loaded from another process over real HTTP, beside what bounds it: the same
 * statements through the driver alone and the same bytes from a bare Fastify route. They take turns, so that
 * whatever else the machine does meets all of them; the ratios are what counts.
 */

const pgbenchClients = 8

async function measureAll(settings: Setting[], plan: Plan, report: Report): Promise<void> {
  const made = new Map<Stores, MadeWorld>()
  for (const setting of settings) {
    const { stores } = setting
    let own = made.get(stores)
    if (!own) {
      own = await makeTemplate(stores, plan.scripts)
      report.bytesPerBooking[setting.name] = own.bytesPerBooking
      made.set(stores, own)
    }
    console.log(`${setting.name}, requests counted in ${setting.limiter}`)
    const told = (figure: Parameters<typeof lineOf>[0]) => {
      console.log(`  ${lineOf(figure)}`)
    }
    report.figures.push(...(await measureSetting(setting, plan, { ...own, told })))
    if (setting.nodes > 1) continue
    report.starts[setting.name] = await measureStarts(stores, own.template, plan.starts)
    const memory = await measureMemory(setting, own, plan.memorySeconds)
    if (memory) report.memory[setting.name] = memory
    if (stores.engine === 'postgres') report.pgbench = await compareWithPgbench(stores, own, plan)
  }
}

async function compareWithPgbench(
  stores: Stores,
  { template, world }: MadeWorld,
  plan: Plan,
): Promise<Report['pgbench']> {
  const program = findPgbench()
  if (program === undefined) return 'There is no pgbench here: it is left out.'
  const url = await stores.make(template)
  const recording = await record(url, world, { operations: ['hold'], scripts: 10 })
  const perSecond = await runPgbench(url, recording, {
    program,
    clients: pgbenchClients,
    seconds: plan.pgbenchSeconds,
  })
  await stores.drop(url)
  return { clients: pgbenchClients, perSecond }
}

/** Runs the benchmark of the whole service. */
export async function measureWhole(args: string[]): Promise<void> {
  const plan = planOf(args)
  const startedMs = monotonicMs()
  const server = await findPostgres(process.env)
  if (!server) console.warn('There is no PostgreSQL here: it is left out.')
  const redis = await findRedis(process.env)
  if (!redis) console.warn('There is no Redis here: two servers count in PostgreSQL.')
  const sqlite = sqliteStores()
  const postgres = server && (await postgresStores(server.url))
  const report: Report = {
    at: new Date().toISOString(),
    machine: machine(),
    node: process.version,
    postgres: postgres?.version ?? 'no PostgreSQL',
    figures: [],
    starts: {},
    memory: {},
    bytesPerBooking: {},
    pgbench: 'There is no PostgreSQL here.',
    seconds: 0,
  }
  try {
    await measureAll(settingsOf(sqlite, postgres, redis?.url), plan, report)
    report.seconds = (monotonicMs() - startedMs) / 1000
    publish(report)
  } finally {
    if (redis) await deleteKeys(redis.url, `holdfast-bench-${process.pid}:`)
    await redis?.stop()
    await sqlite.close()
    await postgres?.close()
    await server?.stop()
  }
}
