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

/** How long and how much is measured. */
export interface Plan {
  operations: readonly Operation[]
  concurrencies: number[]
  /** How often the service and its ceilings take turns in one figure. */
  rounds: number
  /** How long the service is loaded in one round, in milliseconds. */
  roundMs: number
  /** How many requests' statements are recorded for each operation. */
  scripts: number
  /** How often the service is started for the median of its start. */
  starts: number
  /** How long it is watched for growing memory, in seconds. */
  memorySeconds: number
  /** How long pgbench runs, in seconds. */
  pgbenchSeconds: number
}

const whole: Plan = {
  operations,
  concurrencies: [1, 8, 32, 128],
  rounds: 2,
  roundMs: 700,
  scripts: 1_000,
  starts: 5,
  memorySeconds: 60,
  pgbenchSeconds: 4,
}

const quick: Plan = {
  ...whole,
  concurrencies: [1, 32],
  rounds: 1,
  roundMs: 350,
  scripts: 300,
  starts: 3,
  memorySeconds: 10,
  pgbenchSeconds: 2,
}

/** The plan that the arguments ask for: `--quick` for less of everything, `--memory-seconds N` watches memory longer. */
export function planOf(args: string[]): Plan {
  const plan = args.includes('--quick') ? quick : whole
  const given = args[args.indexOf('--memory-seconds') + 1]
  const memorySeconds = args.includes('--memory-seconds') ? Number(given) : plan.memorySeconds
  if (!(memorySeconds > 0)) throw new Error('--memory-seconds takes a number of seconds')
  return { ...plan, memorySeconds }
}
