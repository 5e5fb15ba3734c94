import { resolve } from 'node:path'
import { findPostgres } from '../test/support/postgres-server.ts'
import { Load, type Order, type Outcome } from './load.ts'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { startTarget, type Target } from './targets.ts'

/*
 * What a busy business costs its neighbours: what a quiet business asks, first alone, then while another business of the
 * same service asks for 2,000 holds a second, or as many as are named. Each business has a load process of its own.
 */

const stormAtOnce = 256
const calm = { perSecond: 50, atOnce: 8 }
const calmOperations = ['show', 'hold']
/** The storm blows before the quiet business is measured, and after. */
const marginSeconds = 0.5

type Round = Record<'idle' | 'beside' | 'storm', Outcome>

/** Prints for each engine the p95 of the quiet business, alone and beside the storm, and their ratio. */
export async function measureQuiet({ engines, rounds, seconds, perSecond }: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgres = engines.some((engine) => engine !== 'sqlite') ? await findPostgres(process.env) : null
  if (postgres) undo.defer(() => postgres.stop())
  console.log(
    `A business that asks ${calm.perSecond} times a second: alone, and while another wants ${perSecond} holds. ` +
      `Medians of ${rounds} turns of ${seconds} s.`,
  )
  const rows: object[] = []
  for (const [engine, operation] of engines.flatMap((one) =>
    calmOperations.map((name) => [one, name] as const),
  )) {
    const seen = await roundsOf(engine, { postgresUrl: postgres?.url, rounds, seconds, perSecond, operation })
    const [idle, beside] = [p95Of(seen, 'idle'), p95Of(seen, 'beside')]
    rows.push({
      engine,
      asks: operation,
      'idle p95 ms': idle.toFixed(1),
      'beside p95 ms': beside.toFixed(1),
      ratio: (beside / idle).toFixed(1),
      'beside p50 ms': median(seen.map((round) => round.beside.p50Ms)).toFixed(1),
      'storm p50 ms': median(seen.map((round) => round.storm.p50Ms)).toFixed(1),
      'storm a second': median(seen.map((round) => round.storm.done / round.storm.seconds)).toFixed(0),
    })
    tellErrors(seen)
  }
  console.table(rows)
}

async function roundsOf(
  engine: Engine,
  {
    postgresUrl,
    rounds,
    seconds,
    perSecond,
    operation,
  }: {
    postgresUrl: string | undefined
    rounds: number
    seconds: number
    perSecond: number
    operation: string
  },
): Promise<Round[]> {
  await using undo = new AsyncDisposableStack()
  const checkout = resolve(import.meta.dirname, '..')
  const target = await startTarget(checkout, engine, { postgresUrl, number: 0, businesses: 2 })
  undo.defer(() => target.stop())
  const [quietLoad, stormLoad] = [new Load(), new Load()]
  undo.defer(() => [quietLoad, stormLoad].forEach((load) => load.stop()))
  const quiet = (forSeconds: number) =>
    quietLoad.run(orderOf(target, 0, { ...calm, operation, seconds: forSeconds }))
  const stormOf = (forSeconds: number) =>
    orderOf(target, 1, { perSecond, atOnce: stormAtOnce, operation: 'hold', seconds: forSeconds })
  const blow = (forSeconds: number) => stormLoad.run(stormOf(forSeconds))
  await Promise.all([quiet(1), blow(1)]) // makes the sessions; and code that has run often is faster
  const seen: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    await stormLoad.prepare(stormOf(seconds))
    const idle = await quiet(seconds)
    const blowing = blow(seconds + 2 * marginSeconds)
    const beside = new Promise((begin) => setTimeout(begin, marginSeconds * 1000)).then(() => quiet(seconds))
    seen.push({ idle, beside: await beside, storm: await blowing })
  }
  return seen
}

function orderOf(
  { name, addresses, worlds }: Target,
  business: number,
  pace: Pick<Order, 'operation' | 'perSecond' | 'atOnce' | 'seconds'>,
): Order {
  const world = worlds[business]
  if (!world) throw new Error(`the target has no business ${business}`)
  return { target: name, world, addresses, keyed: true, bare: false, ...pace }
}

function p95Of(seen: Round[], name: 'idle' | 'beside'): number {
  return median(seen.map((round) => round[name].p95Ms))
}

function tellErrors(seen: Round[]): void {
  for (const { errors } of seen.flatMap((round) => Object.values(round))) {
    for (const [text, count] of Object.entries(errors)) {
      console.log(`  FAILED ${count} times: ${text}`)
      process.exitCode = 1
    }
  }
}
