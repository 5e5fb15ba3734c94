import { existsSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Figure, Plan } from './measure.ts'
import { engines, operations } from './operations.ts'

/*
 * `npm run bench` measures every operation and prints a table. With an argument it runs another measurement:
 *   - `quiet`: a business next to a busy one
 *   - `mails`: bookings with different mail servers
 *   - `webhooks`: deliveries
 *   - `search`: a search among a million bookings
 *
 * The code of each measurement loads once it is chosen.
 */

const usage = `npm run bench [-- [against PATH] OPTIONS]
  against PATH       in turns with another checkout, which has its packages installed
  --engine NAME      one of ${engines.join(', ')}; repeat it for more
  --operation NAME   one of ${operations.map(({ name }) => name).join(', ')}; repeat it for more
  --at-once N        requests at once, 32; repeat it for more
  --rounds N         turns of each, 3
  --seconds N        of each turn, 2
  --stored N         past bookings of the business, 0; repeat it to measure with each
  --peer PATH        on PostgreSQL in turns with a checkout of Floyd Engine, after \`pnpm install\`
npm run bench -- page       what docs/benchmark.md shows first: three loads, growth, a slot that all want; takes
  --engine, --peer, --rounds, --seconds
npm run bench -- hot-slot   1,000 clients want one slot at once; takes --engine, --peer, --rounds
npm run bench -- quiet      a quiet business beside a busy one; takes against PATH, --engine, --rounds, --seconds, and
  --per-second N     holds that the busy one wants, 2000
npm run bench -- mails      bookings beside mail servers, quick and slow; takes --engine, --rounds, --seconds
npm run bench -- neighbours a quiet business beside one that asks for all it has; takes against PATH, --engine, --seconds
npm run bench -- busy-calendars  holds beside hostile calendars; takes --engine, --rounds, --seconds
npm run bench -- calendar-accounts  a change between 100 calendar accounts and Holdfast, with Radicale; takes --engine
npm run bench -- log-ins    log-ins and forgotten passwords of people, known and unknown; takes the same
npm run bench -- calendar   a full day in the console, in Chromium; takes the same
npm run bench -- widget     the first times of a widget in a website, in Chromium; takes --engine, --rounds
npm run bench -- replica    processor time of PostgreSQL with and without DATABASE_READ_URL
npm run bench -- start      a start, and the memory of an idle server; takes against PATH, --engine, --rounds
npm run bench -- webhooks [ENGINE [N]]  deliveries, to so many webhooks
npm run bench -- search [ENGINE [N]]    a search among so many bookings, a million
npm run bench -- stored     what a booking leaves in PostgreSQL, and what all of it costs
npm run bench -- growth     reckons a million businesses over several databases
npm run bench -- help       prints this`

/** Returns the plan of the arguments. Throws a sentence about an invalid one. */
export function planOf(args: string[]): Plan {
  const several = { type: 'string', multiple: true } as const
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      engine: several,
      operation: several,
      'at-once': several,
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      'per-second': { type: 'string', default: '2000' },
      stored: several,
      peer: { type: 'string' },
    },
  })
  const [word, against, ...rest] = positionals
  if (word === 'against' && against === undefined)
    throw new Error('against takes the path of another checkout')
  if (word !== undefined && (word !== 'against' || against === undefined || rest.length > 0)) {
    throw new Error(`"${positionals.join(' ')}" is not understood`)
  }
  const names = operations.map(({ name }) => name)
  return {
    engines: chosen('--engine', values.engine, engines),
    operations: chosen('--operation', values.operation, names),
    atOnce: (values['at-once'] ?? ['32']).map((text) => positive('--at-once', text)),
    rounds: positive('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    perSecond: positive('--per-second', values['per-second']),
    against,
    stored: (values.stored ?? ['0'])
      .map((text) => whole('--stored', text))
      .toSorted((one, other) => one - other),
    peer: values.peer,
  }
}

function whole(option: string, text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new Error(`${option} takes a number from 0; not ${text}`)
  return Number(text)
}

function chosen<T extends string>(
  option: string,
  wanted: string[] | undefined,
  all: readonly T[],
): readonly T[] {
  const wrong = wanted?.find((one) => !all.some((name) => name === one))
  if (wrong !== undefined) throw new Error(`${option} takes ${all.join(', ')}; not ${wrong}`)
  return wanted ? all.filter((name) => wanted.includes(name)) : all
}

function positive(option: string, text: string): number {
  if (!(Number(text) > 0)) throw new Error(`${option} takes a number above 0; not ${text}`)
  return Number(text)
}

const columns: [heading: string, width: number][] = [
  ['operation', -13],
  ['key', -4],
  ['at once', 7],
  ['stored', 8],
  ['a second', 9],
  ['p50 ms', 8],
  ['p99 ms', 8],
  ['of bare', 8],
  ['of insert', 9],
  ['CPU s per 1,000: service, database', 36],
  ['MB', 5],
  ['', -12],
]

function lineOf(cells: string[]): string {
  const padded = columns.map(([, width], index) => {
    const cell = cells[index] ?? ''
    return width < 0 ? cell.padEnd(-width) : cell.padStart(width)
  })
  return padded.join(' ').trimEnd()
}

function cellsOf(figure: Figure, first: Figure | undefined): string[] {
  const number = (value: number, digits: number) => (Number.isNaN(value) ? '–' : value.toFixed(digits))
  const {
    operation,
    keyed,
    atOnce,
    stored,
    perSecond,
    p50Ms,
    p99Ms,
    barePerSecond,
    insertsPerSecond,
    serviceSeconds,
    databaseSeconds,
  } = figure
  return [
    ...[
      operation,
      keyed ? 'yes' : '',
      String(atOnce),
      String(stored),
      number(perSecond, 0),
      number(p50Ms, 1),
      number(p99Ms, 1),
    ],
    number(perSecond / barePerSecond, 2),
    number(perSecond / insertsPerSecond, 2),
    `${number(serviceSeconds, 2)}, ${number(databaseSeconds, 2)}`,
    number(figure.megabytes, 0),
    first ? `${figure.checkout}; this × ${number(first.perSecond / perSecond, 2)}` : '',
  ]
}

async function main(plan: Plan): Promise<void> {
  const [cpu] = cpus()
  const busy = loadavg()[0] ?? NaN
  console.log(
    `${cpus().length} × ${cpu?.model ?? 'unknown'}, Node ${process.version}; load before: ${busy.toFixed(1)}`,
  )
  console.log(
    `Medians of ${plan.rounds} turns of ${plan.seconds} s; service, database and load share the machine.`,
  )
  const { pgbenchVersion } = await import('./inserts.ts')
  const { measure } = await import('./measure.ts')
  if (plan.engines.some((engine) => engine !== 'sqlite'))
    console.log(`Inserts beside holds: ${(await pgbenchVersion()) ?? 'none, as pgbench is not installed'}`)
  let engine = ''
  let first: Figure | undefined
  await measure(plan, (figure) => {
    if (figure.engine !== engine)
      console.log(`\n${figure.engine}\n${lineOf(columns.map(([heading]) => heading))}`)
    engine = figure.engine
    console.log(lineOf(cellsOf(figure, figure.checkout === 'this' ? undefined : first)))
    if (figure.checkout === 'this') first = figure
    for (const [text, count] of Object.entries(figure.errors)) {
      console.log(`  FAILED ${count} times: ${text}`)
      process.exitCode = 1
    }
  })
}

/** Parses an engine and an optional count up to `most`. Throws a sentence about an invalid one. */
function engineAndCount(args: string[], most: number): string[] {
  if (args.length > most) throw new Error(`"${args.slice(most).join(' ')}" is not understood`)
  const [engine, count] = args
  if (engine !== undefined) chosen('the first argument', [engine], ['sqlite', 'postgres'])
  if (count !== undefined) positive('the second argument', count)
  return args
}

/** Returns the parsed arguments, or undefined after printing their fault. */
function understood<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    console.error('npm run bench -- help   lists what there is')
    process.exitCode = 2
    return undefined
  }
}

/** Returns the plan of the arguments. The other checkout must exist. */
function possiblePlan(args: string[]): Plan {
  const plan = planOf(args)
  if (plan.peer !== undefined && !existsSync(join(plan.peer, 'apps/server/src/index.ts')))
    throw new Error(`${plan.peer} is no checkout of Floyd Engine: it has no apps/server/src/index.ts`)
  if (plan.against !== undefined && !existsSync(join(plan.against, 'bin/holdfast.js')))
    throw new Error(`${plan.against} is no checkout of Holdfast: it has no bin/holdfast.js`)
  return plan
}

/** Measurements without options: their number of arguments, and their work. */
const alone = new Map<string, { most: number; work: () => Promise<unknown> }>([
  ['webhooks', { most: 2, work: () => import('./webhooks.ts') }],
  ['search', { most: 2, work: () => import('./search.ts') }],
  ['replica', { most: 0, work: async () => (await import('./replica.ts')).measureReplica() }],
  ['growth', { most: 0, work: async () => (await import('./growth.ts')).simulateGrowth() }],
])

/** Measures what docs/benchmark.md shows first. */
async function measurePage(plan: Plan): Promise<void> {
  const engineNames = plan.engines.filter((engine) => engine !== 'two-servers')
  const page = { ...plan, engines: engineNames }
  const atOnce = [1, 32, 256]
  const rates = ['session', 'hold', 'flow', 'show', 'reschedule', 'cancel', 'day']
  await main({ ...page, operations: rates, atOnce, peer: undefined })
  const growing = ['hold', 'flow', 'show', 'list', 'month']
  await main({ ...page, operations: growing, stored: [1_000, 10_000, 100_000, 1_000_000], peer: undefined })
  if (plan.peer !== undefined) {
    const shared = ['hold', 'flow', 'show', 'cancel', 'day']
    await main({ ...page, engines: ['postgres'], operations: shared, atOnce })
  }
  await (await import('./hot-slot.ts')).measureHotSlot(page)
}

/** Measurements with a plan. */
const planned = new Map<string, () => Promise<(plan: Plan) => Promise<void>>>([
  ['page', () => Promise.resolve(measurePage)],
  ['hot-slot', async () => (await import('./hot-slot.ts')).measureHotSlot],
  ['calendar', async () => (await import('./calendar.ts')).measureCalendar],
  ['widget', async () => (await import('./widget.ts')).measureWidget],
  ['busy-calendars', async () => (await import('./busy-calendars.ts')).measureBesideCalendars],
  ['calendar-accounts', async () => (await import('./calendar-accounts.ts')).measureCalendarAccounts],
  ['quiet', async () => (await import('./quiet.ts')).measureQuiet],
  ['neighbours', async () => (await import('./neighbours.ts')).measureNeighbours],
  ['mails', async () => (await import('./mails.ts')).measureBesideMails],
  ['log-ins', async () => (await import('./log-ins.ts')).measureLogIns],
  ['start', async () => (await import('./start.ts')).measureStart],
  ['stored', async () => (await import('./stored.ts')).measureStored],
])

if (import.meta.main) {
  const args = process.argv.slice(2)
  const [word = '', ...rest] = args
  const single = alone.get(word)
  if (['help', '--help', '-h'].includes(word)) console.log(usage)
  else if (single) {
    if (understood(() => engineAndCount(rest, single.most))) await single.work()
  } else {
    const special = planned.get(word)
    const plan = understood(() => possiblePlan(special ? rest : args))
    if (plan) await ((await special?.()) ?? main)(plan)
  }
}
