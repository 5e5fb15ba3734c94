import { parseArgs } from 'node:util'
import type { Engine } from '../../src/database/database.ts'

/** What is measured, as the load generator asks for it. */
export const operations = [
  'session',
  'hold',
  'convert',
  'flow',
  'show',
  'list',
  'reschedule',
  'availability',
] as const

export type Operation = (typeof operations)[number]

/** What an operation is, for those who read the table. */
export const meanings: Record<Operation, string> = {
  session: 'POST /session: a session token for a visitor',
  hold: 'POST /bookings/hold: a slot of a service with two people',
  convert: 'POST /bookings: a hold becomes a booking',
  flow: 'session, hold, booking: three requests of one visitor',
  show: 'GET /bookings/{id}, with a key',
  list: 'GET /bookings?limit=25, with a key',
  reschedule: 'PATCH /bookings/{id}: to another time',
  availability: 'GET /availability: one day of a service with two people',
}

/** Those that change nothing: their statements can be repeated. */
export const reads: readonly Operation[] = ['show', 'list', 'availability']

const allParts = ['figures', 'starts', 'memory'] as const
type Part = (typeof allParts)[number]

/** How long and how much is measured. */
export interface Plan {
  engines: readonly Engine[]
  parts: readonly Part[]
  operations: readonly Operation[]
  concurrencies: number[]
  /** On a machine that is too slow for all of them, this one is measured. */
  leastConcurrency: number
  /** How long each is loaded before the first figure of an operation, in milliseconds: code that has run often is faster. */
  warmMs: number
  /** How often the service and its ceilings take turns in one figure. */
  rounds: number
  /** How long the service, its statements and the bare routes each run in one round, in milliseconds. */
  roundMs: number
  statementsMs: number
  bareMs: number
  /** How many requests' statements are recorded for each operation that writes, at most. */
  scripts: number
  /** How often the service is started for the median of its start. */
  starts: number
  /** How long it is watched for growing memory, in seconds. */
  memorySeconds: number
  /** When all of it has to have ended, in seconds: on a slow machine, rounds become shorter. */
  limitSeconds: number
}

const whole: Plan = {
  engines: ['sqlite', 'postgres'],
  parts: allParts,
  operations,
  concurrencies: [1, 8, 32, 128],
  leastConcurrency: 32,
  warmMs: 2_500,
  rounds: 3,
  roundMs: 600,
  statementsMs: 400,
  bareMs: 250,
  scripts: 600,
  starts: 5,
  memorySeconds: 60,
  limitSeconds: 14 * 60,
}

const quick: Plan = {
  ...whole,
  concurrencies: [1, 32],
  warmMs: 300,
  rounds: 1,
  roundMs: 350,
  scripts: 300,
  starts: 3,
  memorySeconds: 10,
}

/** What the command line of the benchmark may say. */
export const usage = `npm run bench [-- OPTIONS]
  --quick               less of everything
  --engine NAME         sqlite or postgres alone
  --only PART           figures, starts or memory alone
  --operation NAME      figures of one operation alone, such as show
  --memory-seconds N    watches memory for so long; from 300 on it is judged whether it is flat
  --write               puts the tables into README.md, docs/benchmark.md and docs/scaling.md
  --write-from FILE     does that from the JSON file of a run before, and measures nothing`

/** A plan, and what becomes of the figures. */
interface Asked extends Plan {
  writes: boolean
  /** The report of an earlier run that is written instead. */
  writesFrom: string | undefined
}

/** The plan that the arguments ask for. Throws a sentence about what it does not understand. */
export function planOf(args: string[]): Asked {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      engine: { type: 'string' },
      only: { type: 'string' },
      operation: { type: 'string' },
      'memory-seconds': { type: 'string' },
      write: { type: 'boolean', default: false },
      'write-from': { type: 'string' },
    },
  })
  const plan = values.quick ? quick : whole
  const memorySeconds = Number(values['memory-seconds'] ?? plan.memorySeconds)
  if (!(memorySeconds > 0)) throw new Error('--memory-seconds takes a number of seconds')
  return {
    ...plan,
    engines: chosen('--engine', values.engine, plan.engines),
    parts: chosen('--only', values.only, plan.parts),
    operations: chosen('--operation', values.operation, plan.operations),
    memorySeconds,
    limitSeconds: Math.max(plan.limitSeconds, 3 * memorySeconds),
    writes: values.write,
    writesFrom: values['write-from'],
  }
}

function chosen<T extends string>(option: string, name: string | undefined, all: readonly T[]): readonly T[] {
  if (name === undefined) return all
  const found = all.filter((one) => one === name)
  if (found.length === 0) throw new Error(`${option} takes ${all.join(', ')}`)
  return found
}

/** What one at a time or few at once shows needs less time than what many at once do. */
const shareOfFew = 0.6

/** How long the three of a round run at a concurrency, in milliseconds. */
export function lengthsOf(plan: Plan, concurrency: number, share = 1) {
  const all = share * (concurrency < 32 ? shareOfFew : 1)
  return { roundMs: plan.roundMs * all, statementsMs: plan.statementsMs * all, bareMs: plan.bareMs * all }
}
