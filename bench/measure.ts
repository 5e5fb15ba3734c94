import { insertsPerSecond, pgbenchVersion } from './inserts.ts'
import { Load, type Outcome, type Sample } from './load.ts'
import { operations, type World, type Engine } from './operations.ts'
import { postgresFor, startBare, startTargets, type Target } from './targets.ts'

/** The measured operations, and the duration. */
export interface Plan {
  engines: readonly Engine[]
  /** Names of operations. */
  operations: readonly string[]
  atOnce: readonly number[]
  rounds: number
  /** Seconds of the service in each round. The bare route gets a third. */
  seconds: number
  /** Rate of the busy business in `quiet`. */
  perSecond: number
  /** Another checkout, measured in turns with this one. */
  against: string | undefined
  /** Numbers of past bookings in the business. The operations are measured with each, in rising order. */
  stored: readonly number[]
  /** A checkout of Floyd Engine, measured in turns with this one on PostgreSQL. */
  peer: string | undefined
}

/** One line of the table: medians of all rounds. */
export interface Figure {
  engine: Engine
  checkout: 'this' | 'other' | 'Floyd'
  stored: number
  operation: string
  keyed: boolean
  atOnce: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Rate of a bare Fastify route with the same requests and bytes, in the same turns. */
  barePerSecond: number
  /**
   * Rate of pgbench for inserts of a row like that of a hold, in the same turns. NaN for other operations, or without
   * pgbench.
   */
  insertsPerSecond: number
  /** CPU seconds for 1,000 of them. NaN if unknown. */
  serviceSeconds: number
  databaseSeconds: number
  megabytes: number
  errors: Record<string, number>
}

interface Case {
  engine: Engine
  stored: number
  operation: string
  keyed: boolean
  atOnce: number
}

/** A round before the first, because code that has run often is faster. */
const warmSeconds = 1

/** Runs the measurements of the plan and reports each figure as soon as it is known. */
export async function measure(plan: Plan, told: (figure: Figure) => void): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(plan.engines, undo)
  for (const engine of plan.engines) {
    await using ofEngine = new AsyncDisposableStack()
    const { against, peer } = plan
    const targets = await startTargets(engine, { postgresUrl, against, peer }, ofEngine)
    const load = new Load()
    ofEngine.defer(() => load.stop())
    let before = 0
    for (const stored of plan.stored) {
      if (stored > before)
        for (const target of targets.filter(({ does }) => !does)) await fill(target, before, stored)
      before = stored
      for (const one of casesOf(engine, plan, stored))
        for (const figure of await compare(one, { plan, load, targets })) told(figure)
    }
  }
}

async function fill(target: Target, before: number, stored: number): Promise<void> {
  const { fillWorld } = await import('./support/many-bookings.ts')
  await fillWorld(target.storeUrl, target.worlds[0] as World, { from: before, until: stored })
}

function casesOf(engine: Engine, { operations: names, atOnce }: Plan, stored: number): Case[] {
  return operations
    .filter(({ name }) => names.includes(name))
    .flatMap(({ name, keyed }) =>
      (keyed ? [false, true] : [false]).map((with_) => ({ operation: name, keyed: with_ })),
    )
    .flatMap((one) => atOnce.map((count) => ({ engine, stored, ...one, atOnce: count })))
}

/** The results of one round of a target. */
interface Seen extends Outcome {
  serviceSeconds: number
  databaseSeconds: number
}

/**
 * Measures one case. In each round the checkouts and the bare route take turns, so that other work of the machine
 * affects all.
 */
async function compare(
  one: Case,
  { plan, load, targets: all }: { plan: Plan; load: Load; targets: Target[] },
): Promise<Figure[]> {
  const targets = all.filter(({ does }) => !does || (one.stored === 0 && does.includes(one.operation)))
  const seen = targets.map((): Seen[] => [])
  const bareSeen: Outcome[] = []
  const inserts: number[] = []
  const isInsert = operations.find(({ name }) => name === one.operation)?.isInsert === true
  const hasPgbench = isInsert && (await pgbenchVersion()) !== undefined
  const order = (target: Target, seconds: number) => ({
    ...{ ...one, seconds, bare: false },
    ...{ target: target.name, world: target.worlds[0] as World, addresses: target.addresses },
  })
  let samples: Sample[] = []
  for (const target of targets) {
    const warm = await load.run(order(target, Math.min(plan.seconds, warmSeconds)))
    if (target === targets[0]) samples = warm.samples
  }
  const bare = await startBare(samples)
  try {
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const [index, target] of targets.entries()) {
        const before = await target.processorSeconds()
        const outcome = await load.run(order(target, plan.seconds))
        const after = await target.processorSeconds()
        seen[index]?.push({
          ...outcome,
          serviceSeconds: after.service - before.service,
          databaseSeconds: after.database - before.database,
        })
      }
      const [first] = targets
      if (!first) continue
      const bareOrder = { ...order(first, plan.seconds / 3), addresses: [bare.address], bare: true }
      bareSeen.push(await load.run(bareOrder))
      const { databaseUrl, addresses } = first
      if (hasPgbench && databaseUrl !== undefined) {
        const options = { servers: addresses.length, seconds: plan.seconds / 3 }
        inserts.push(await insertsPerSecond(databaseUrl, options))
      }
    }
  } finally {
    await bare.stop()
  }
  return targets.map((target, index) =>
    figureOf(one, { target, index, seen: seen[index] ?? [], bareSeen, inserts }),
  )
}

/** The results of all rounds of a target, and of its comparisons. */
interface Rounds {
  target: Target
  index: number
  seen: Seen[]
  bareSeen: Outcome[]
  inserts: number[]
}

function figureOf(one: Case, { target, index, seen, bareSeen, inserts }: Rounds): Figure {
  const errors: Record<string, number> = {}
  for (const round of [...seen, ...bareSeen]) {
    for (const [text, count] of Object.entries(round.errors)) errors[text] = (errors[text] ?? 0) + count
  }
  return {
    ...one,
    checkout: target.does ? 'Floyd' : index === 0 ? 'this' : 'other',
    perSecond: median(seen.map(({ done, seconds }) => done / seconds)),
    p50Ms: median(seen.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(seen.map(({ p99Ms }) => p99Ms)),
    barePerSecond: median(bareSeen.map(({ done, seconds }) => done / seconds)),
    insertsPerSecond: median(inserts),
    serviceSeconds: median(seen.map(({ serviceSeconds, done }) => (1000 * serviceSeconds) / done)),
    databaseSeconds: median(seen.map(({ databaseSeconds, done }) => (1000 * databaseSeconds) / done)),
    megabytes: target.megabytes(),
    errors,
  }
}

export function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN
}
