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
  /** Seconds of the processor for 1,000 operations; absent where they cannot be read. */
  serviceCpuPerThousand?: number
  databaseCpuPerThousand?: number
  /** How much of one processor the load generator took. */
  loadCpuShare: number
  residentMegabytes?: number
}

/** Seconds of the processor that were used while the load ran; undefined where nothing tells. */
export interface Costs {
  serviceCpu: number | undefined
  databaseCpu: number | undefined
}

/** What was seen of one operation at one concurrency. */
export interface Seen {
  setting: Setting
  operation: Operation
  concurrency: number
  own: (LoadResult & Costs)[]
  /** Rates of the bare statements. */
  statements: number[]
  bareRounds: LoadResult[]
  nodes: OwnServer[]
}

/** Makes one line of the table of what was seen. */
export function figureOf(seen: Seen): Figure {
  const { setting, own, nodes } = seen
  const perSecond = rate(own)
  const statementsPerSecond = harmonicMean(seen.statements)
  const barePerSecond = rate(seen.bareRounds)
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
    ...costs(own),
    loadCpuShare: sum(own, ({ cpuSeconds }) => cpuSeconds) / sum(own, ({ seconds }) => seconds),
    ...resident(nodes),
  }
}

function sum<T>(all: T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0)
}

/** Of rates over equal amounts of work. */
function harmonicMean(values: number[]): number {
  return values.length / sum(values, (value) => 1 / value)
}

function rate(rounds: LoadResult[]): number {
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

function costs(rounds: (LoadResult & Costs)[]) {
  const done = sum(rounds, (round) => round.done)
  const perThousand = (value: (one: Costs) => number | undefined) => {
    const values = rounds.map(value).filter((one) => one !== undefined)
    return values.length === rounds.length ? (sum(values, (one) => one) / done) * 1_000 : undefined
  }
  const service = perThousand(({ serviceCpu }) => serviceCpu)
  const database = perThousand(({ databaseCpu }) => databaseCpu)
  return {
    ...(service !== undefined && { serviceCpuPerThousand: service }),
    ...(database !== undefined && { databaseCpuPerThousand: database }),
  }
}

function resident(nodes: OwnServer[]) {
  const each = nodes.map(({ pid }) => residentMegabytes(pid)).filter((one) => one !== undefined)
  return each.length > 0 && { residentMegabytes: Math.max(...each) }
}
