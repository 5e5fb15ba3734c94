import type { OwnServer } from '../support/processes.ts'
import type { LoadResult } from './load-messages.ts'
import type { Setting } from './nodes.ts'
import type { Operation } from './plan.ts'
import { residentMegabytes } from './processor.ts'

/** One line of the table: an operation at a concurrency, with its ceilings from the same minutes. */
export interface Figure {
  setting: string
  limiter: string
  operation: Operation
  concurrency: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  errors: Record<string, number>
  /** The same statements through the driver, and the service's share of that rate. */
  statementsPerSecond: number
  ofStatements: number
  /** The same bytes from bare Fastify routes, and the service's share of that rate. */
  barePerSecond: number
  ofBare: number
  /** Inserts of a claim by pgbench, and the service's share of that rate: for holds on one node with PostgreSQL. */
  pgbenchPerSecond?: number
  ofPgbench?: number
  /** The same service that commits each hold by itself, and how many times its rate this is: for holds on SQLite. */
  oneCommitEachPerSecond?: number
  ofOneCommitEach?: number
  /** Seconds of the processor for 1,000 operations; absent where they cannot be read. */
  serviceCpuPerThousand?: number
  databaseCpuPerThousand?: number
  bareCpuPerThousand?: number
  /** How much of one processor the load generator took. */
  loadCpuShare: number
  residentMegabytes?: number
}

/** Seconds of the processor that were used while the load ran; undefined where nothing tells. */
export interface Costs {
  serverCpu: number | undefined
  databaseCpu: number | undefined
}

/** How much was done in what time. */
export interface Round {
  done: number
  seconds: number
}

/** What was seen of one operation at one concurrency. */
export interface Seen {
  setting: Setting
  operation: Operation
  concurrency: number
  own: (LoadResult & Costs)[]
  statements: Round[]
  bare: (Round & Costs)[]
  pgbench: Round[]
  oneCommitEach: Round[]
  nodes: OwnServer[]
}

/** Makes one line of the table of what was seen. */
export function figureOf(seen: Seen): Figure {
  const { setting, own, nodes } = seen
  const perSecond = rateOf(own)
  const statementsPerSecond = rateOf(seen.statements)
  const barePerSecond = rateOf(seen.bare)
  const pgbenchPerSecond = rateOf(seen.pgbench)
  const oneCommitEachPerSecond = rateOf(seen.oneCommitEach)
  return {
    setting: setting.name,
    limiter: setting.limiter,
    operation: seen.operation,
    concurrency: seen.concurrency,
    perSecond,
    ...latencies(own),
    errors: tally(own),
    statementsPerSecond,
    ofStatements: perSecond / statementsPerSecond,
    barePerSecond,
    ofBare: perSecond / barePerSecond,
    ...(seen.pgbench.length > 0 && { pgbenchPerSecond, ofPgbench: perSecond / pgbenchPerSecond }),
    ...(seen.oneCommitEach.length > 0 && {
      oneCommitEachPerSecond,
      ofOneCommitEach: perSecond / oneCommitEachPerSecond,
    }),
    ...costs(seen),
    loadCpuShare: sum(own, ({ cpuSeconds }) => cpuSeconds) / sum(own, ({ seconds }) => seconds),
    ...resident(nodes),
  }
}

function sum<T>(all: T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0)
}

function rateOf(rounds: Round[]): number {
  return sum(rounds, ({ done }) => done) / sum(rounds, ({ seconds }) => seconds)
}

function latencies(rounds: LoadResult[]): { p50Ms: number; p99Ms: number } {
  const all = rounds.flatMap(({ latenciesMs }) => latenciesMs).toSorted((one, other) => one - other)
  const quantile = (part: number) => all[Math.min(Math.floor(all.length * part), all.length - 1)] ?? NaN
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

function tally(rounds: LoadResult[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const { errors } of rounds) {
    for (const [message, count] of Object.entries(errors)) all[message] = (all[message] ?? 0) + count
  }
  return all
}

function costs({ own, bare }: Seen) {
  const service = perThousand(own, ({ serverCpu }) => serverCpu)
  const database = perThousand(own, ({ databaseCpu }) => databaseCpu)
  const ofBare = perThousand(bare, ({ serverCpu }) => serverCpu)
  return {
    ...(service !== undefined && { serviceCpuPerThousand: service }),
    ...(database !== undefined && { databaseCpuPerThousand: database }),
    ...(ofBare !== undefined && { bareCpuPerThousand: ofBare }),
  }
}

function perThousand<T extends Round>(
  rounds: T[],
  value: (one: T) => number | undefined,
): number | undefined {
  const values = rounds.map(value).filter((one) => one !== undefined)
  if (values.length < rounds.length) return undefined
  return (sum(values, (one) => one) / sum(rounds, ({ done }) => done)) * 1_000
}

function resident(nodes: OwnServer[]) {
  const each = nodes.map(({ pid }) => residentMegabytes(pid)).filter((one) => one !== undefined)
  return each.length > 0 && { residentMegabytes: Math.max(...each) }
}
