import { Load, type Order, type Outcome, type Sample } from './load.ts'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { postgresFor, startBare, startTargets, type Target } from './targets.ts'

/*
 * The effect of a busy business on its neighbours. A quiet business sends requests, first alone. Then another business
 * of the same service makes 2,000 holds a second, or another given number. Each business has a separate load process.
 * In parallel, a bare Fastify route in another process gets the same requests. It shows the effect of the busy CPU
 * alone.
 */

const stormAtOnce = 256
const calm = { perSecond: 50, atOnce: 8 }
const calmOperations = ['show', 'hold']
/** The storm begins before the measurement of the quiet business, and ends after it. */
const marginSeconds = 0.5

type Round = Record<'idle' | 'beside' | 'bareIdle' | 'bareBeside' | 'storm', Outcome>

/** Prints for each engine the p95 of the quiet business, alone and during the storm, and their ratio. */
export async function measureQuiet(plan: Plan): Promise<void> {
  const { engines, rounds, seconds, perSecond } = plan
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  console.log(
    `A business that asks ${calm.perSecond} times a second: alone, and while another wants ${perSecond} holds. ` +
      `Medians of ${rounds} turns of ${seconds} s.`,
  )
  const rows: object[] = []
  for (const [engine, operation] of engines.flatMap((one) =>
    calmOperations.map((name) => [one, name] as const),
  )) {
    for (const [index, seen] of (await roundsOf(plan, { engine, operation }, postgresUrl)).entries()) {
      rows.push({ engine, checkout: index === 0 ? 'this' : 'other', asks: operation, ...rowOf(seen) })
      tellErrors(seen)
    }
  }
  console.table(rows)
}

function rowOf(seen: Round[]): object {
  const [idle, beside] = [p95Of(seen, 'idle'), p95Of(seen, 'beside')]
  const [bareIdle, bareBeside] = [p95Of(seen, 'bareIdle'), p95Of(seen, 'bareBeside')]
  return {
    'idle p95 ms': idle.toFixed(1),
    'beside p95 ms': beside.toFixed(1),
    ratio: (beside / idle).toFixed(1),
    bare: `${bareIdle.toFixed(1)}, ${bareBeside.toFixed(1)}`,
    'its ratio': (bareBeside / bareIdle).toFixed(1),
    'beside p50 ms': median(seen.map((round) => round.beside.p50Ms)).toFixed(1),
    'storm p50 ms': median(seen.map((round) => round.storm.p50Ms)).toFixed(1),
    'storm a second': median(seen.map((round) => round.storm.done / round.storm.seconds)).toFixed(0),
  }
}

/** Returns the rounds of this checkout and of the other, which take turns. */
async function roundsOf(
  { rounds, seconds, perSecond, against }: Plan,
  { engine, operation }: { engine: Engine; operation: string },
  postgresUrl: string | undefined,
): Promise<Round[][]> {
  await using undo = new AsyncDisposableStack()
  const targets = await startTargets(engine, { postgresUrl, against, businesses: 2 }, undo)
  const [quietLoad, stormLoad] = [new Load(), new Load()]
  undo.defer(() => [quietLoad, stormLoad].forEach((load) => load.stop()))
  const quiet = (target: Target, forSeconds: number) =>
    quietLoad.run(orderOf(target, 0, { ...calm, operation, seconds: forSeconds }))
  const quietBare = (target: Target, address: string) =>
    quietLoad.run({
      ...orderOf(target, 0, { ...calm, operation, seconds }),
      addresses: [address],
      bare: true,
    })
  const stormOf = (target: Target, forSeconds: number) =>
    orderOf(target, 1, { perSecond, atOnce: stormAtOnce, operation: 'hold', seconds: forSeconds })
  const blow = (target: Target, forSeconds: number) => stormLoad.run(stormOf(target, forSeconds))
  // creates the sessions; besides, code that has run often is faster
  let samples: Sample[] = []
  for (const target of targets) [{ samples }] = await Promise.all([quiet(target, 2), blow(target, 2)])
  const bare = await startBare(samples)
  undo.defer(() => bare.stop())
  const seen = targets.map((): Round[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, target] of targets.entries()) {
      await stormLoad.prepare(stormOf(target, 2 * seconds))
      const idle = await quiet(target, seconds)
      const bareIdle = await quietBare(target, bare.address)
      const blowing = blow(target, 2 * seconds + 2 * marginSeconds)
      await new Promise((begin) => setTimeout(begin, marginSeconds * 1000))
      const beside = await quiet(target, seconds)
      const bareBeside = await quietBare(target, bare.address)
      seen[index]?.push({ idle, beside, bareIdle, bareBeside, storm: await blowing })
    }
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

function p95Of(seen: Round[], name: keyof Round): number {
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
