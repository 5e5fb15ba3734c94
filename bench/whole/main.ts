import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { findPostgres } from '../../test/support/postgres-server.ts'
import { deleteKeys, findRedis } from '../../test/support/redis-server.ts'
import { headingLine, linesOf } from './figure-lines.ts'
import type { Figure } from './figures.ts'
import { makeTemplate, type MadeWorld } from './make-world.ts'
import { measureSetting, settingSeconds } from './measure.ts'
import { measureMemory } from './memory.ts'
import { redisPrefix, settingsOf, type Setting } from './nodes.ts'
import { planOf, usage, type Plan } from './plan.ts'
import { publish, writeIntoDocuments } from './publish.ts'
import { errorsOf, machine, type Report } from './report.ts'
import { measureStarts } from './starts.ts'
import { postgresStores, sqliteStores, type Stores } from './stores.ts'
import { durationText, Timetable } from './timetable.ts'

/*
 * The whole service as users run it, loaded from another process over real HTTP, beside what bounds it: the same
 * statements through the driver alone and the same bytes from a bare Fastify route. They take turns, so that
 * whatever else the machine does meets all of them; the ratios are what counts.
 */

const templateSeconds = 15
const secondsOfStart = 3
const secondsAroundMemory = 8

/** Runs the benchmark of the whole service. */
export async function measureWhole(args: string[]): Promise<void> {
  const plan = understood(args)
  if (!plan) return
  if (plan.writesFrom !== undefined) {
    await writeIntoDocuments(JSON.parse(readFileSync(plan.writesFrom, 'utf8')) as Report)
    return
  }
  await using undo = new AsyncDisposableStack()
  const interrupted = interruption()
  const server = plan.engines.includes('postgres') ? await findPostgres(process.env) : null
  if (server) undo.defer(() => server.stop())
  else console.warn('Without PostgreSQL.')
  const redis = server && (await findRedis(process.env))
  if (redis) undo.defer(() => redis.stop())
  if (redis) undo.defer(() => deleteKeys(redis.url, redisPrefix))
  if (server && !redis) console.warn('There is no Redis here: two servers count in PostgreSQL.')
  const sqlite = plan.engines.includes('sqlite') ? sqliteStores() : null
  if (sqlite) undo.defer(() => sqlite.close())
  const postgres = server && (await postgresStores(server.url))
  if (postgres) undo.defer(() => postgres.close())
  const report: Report = {
    at: new Date().toISOString(),
    machine: machine(),
    ...(process.platform === 'linux' && { loadBefore: loadavg()[0] ?? NaN }),
    node: process.version,
    postgres: postgres?.version ?? 'no PostgreSQL',
    figures: [],
    starts: {},
    memory: {},
    bytesPerBooking: {},
    failures: [],
    seconds: 0,
  }
  const settings = settingsOf(sqlite, postgres, redis?.url)
  const timetable = new Timetable(plannedSeconds(settings, plan), plan.limitSeconds)
  console.log(`${report.machine}, Node ${report.node}, ${report.postgres}: ${timetable.text}`)
  await measureAll(settings, { plan, report, timetable, interrupted })
  report.seconds = timetable.elapsedSeconds
  publish(report)
  if (plan.writes && !interrupted.aborted) await writeIntoDocuments(report)
  if (report.failures.length > 0 || errorsOf(report.figures).size > 0) process.exitCode = 1
}

function understood(args: string[]): ReturnType<typeof planOf> | undefined {
  try {
    return planOf(args)
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`)
    process.exitCode = 2
    return undefined
  }
}

/** Ctrl-C ends the run after the figure at hand, with what is known by then; once more, and it ends at once. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130)
    console.error('Interrupted: it cleans up and tells what it knows. Once more, and it ends at once.')
    controller.abort(new Error('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  return controller.signal
}

/** One run of the benchmark. */
interface Run {
  plan: Plan
  report: Report
  timetable: Timetable
  interrupted: AbortSignal
}

function plannedSeconds(settings: Setting[], plan: Plan): number {
  const alone = settings.filter(({ nodes }) => nodes === 1).length
  const of = (part: Plan['parts'][number], seconds: number) => (plan.parts.includes(part) ? seconds : 0)
  return (
    alone * templateSeconds +
    settings.length * of('figures', settingSeconds(plan)) +
    alone * of('starts', 2 * plan.starts * secondsOfStart) +
    alone * of('memory', plan.memorySeconds + secondsAroundMemory)
  )
}

async function measureAll(settings: Setting[], run: Run): Promise<void> {
  const made = new Map<Stores, MadeWorld>()
  for (const setting of settings) {
    const { stores, name } = setting
    await attempt(`the world of ${name}`, run, async () => {
      if (made.has(stores)) return
      const own = await makeTemplate(stores, run.plan.scripts)
      run.report.bytesPerBooking[name] = own.bytesPerBooking
      made.set(stores, own)
      run.timetable.finish(templateSeconds)
    })
    const own = made.get(stores)
    if (own) await measureParts(setting, own, run)
  }
}

async function measureParts(setting: Setting, own: MadeWorld, run: Run): Promise<void> {
  const { plan, report, timetable, interrupted } = run
  const { name, stores } = setting
  const parts: Record<Plan['parts'][number], () => Promise<void>> = {
    figures: async () => {
      console.log(`\n${name}; requests are counted in ${setting.limiter}\n${headingLine()}`)
      const told = (figure: Figure) => {
        report.figures.push(figure)
        console.log(linesOf(figure).join('\n'))
        if (figure.concurrency === plan.concurrencies.at(-1)) console.log(`(${timetable.text})`)
        assertGoing(run)
      }
      const leftOut: string[] = []
      await measureSetting(setting, plan, {
        ...{ ...own, timetable, told },
        leftOut: (operation, concurrency) => leftOut.push(`${operation} ${concurrency}`),
        failed: (operation, { message }) => {
          assertGoing(run)
          report.failures.push(`${operation} of ${name}: ${message}`)
          console.error(`!! ${operation} of ${name} failed: ${message}`)
        },
      }).finally(() => {
        if (leftOut.length > 0) report.failures.push(`${name}: ${leftOut.join(', ')} at once: ${noTime}`)
      })
    },
    starts: async () => {
      const starts = await measureStarts(stores, own.template, timetable.isLate ? 1 : plan.starts)
      report.starts[name] = starts
      timetable.finish(2 * plan.starts * secondsOfStart)
      const { existingMs, emptyMs } = starts
      console.log(
        `${name} starts in ${existingMs.toFixed(0)} ms, on an empty database in ${emptyMs.toFixed(0)} ms`,
      )
    },
    memory: async () => {
      console.log(`Memory of ${name} is watched for ${durationText(plan.memorySeconds)}`)
      const memory = await measureMemory(setting, own, { seconds: plan.memorySeconds, interrupted })
      if (memory) report.memory[name] = memory
      timetable.finish(plan.memorySeconds + secondsAroundMemory)
      if (memory)
        console.log(`idle ${memory.idle.toFixed(0)} MB, under load ${memory.under128.toFixed(0)} MB`)
    },
  }
  for (const part of plan.parts) {
    if (part === 'figures' || setting.nodes === 1) await attempt(`${part} of ${name}`, run, parts[part])
  }
}

const noTime = 'there was no time left on this machine'

function assertGoing({ interrupted, timetable }: Run): void {
  interrupted.throwIfAborted()
  if (timetable.isOver) throw new Error(noTime)
}

/** One part that fails does not take the others with it; the report says so. */
async function attempt(what: string, run: Run, work: () => Promise<void>): Promise<void> {
  const { interrupted, report } = run
  try {
    assertGoing(run)
    await work()
  } catch (error) {
    const { message, stack } = error as Error
    report.failures.push(`${what}: ${message}`)
    if (interrupted.aborted || message === noTime) console.error(`${what}: ${message}`)
    else console.error(`!! ${what} failed: ${stack ?? message}`)
  }
}
