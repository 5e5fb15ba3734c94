import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as eventLoop, setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, inject } from 'vitest'
import { type Clock, clockFrom } from '../../src/base/clock.ts'
import { readConfig } from '../../src/base/config.ts'
import type { Ids } from '../../src/base/ids.ts'
import type { Context } from '../../src/bookings/context.ts'
import { type DemoWorld, seedDemoData } from '../../src/catalogue/demo-world.ts'
import type { Engine } from '../../src/database/database.ts'
import { createContext } from '../../src/operate/open.ts'
import { type App, type AppReplacements, createApp } from '../../src/server.ts'
import { usualEventTypes } from '../../src/webhooks/event-payload.ts'
import { expectDescribed } from './described-answers.ts'
import { countRepeat } from './repeats.ts'
import { createMigratedDatabase } from './test-database.ts'

/** The engines on this machine: SQLite always, PostgreSQL if the global setup found one. */
export const engines: Engine[] = inject('postgresUrl') === null ? ['sqlite'] : ['sqlite', 'postgres']

/** Runs a suite once on each engine. */
export function onEachEngine(name: string, suite: (engine: Engine) => void): void {
  describe.each(engines)(`${name} (%s)`, suite)
}

/** A clock that stands still until a test moves it. */
interface TestClock extends Clock {
  advance(seconds: number): void
}

/** A Friday morning: 10:00 in Berlin, 04:00 in New York. */
export const startOfTime = Date.UTC(2026, 10, 20, 9, 0, 0)

export function testClock(): TestClock {
  let nowMs = startOfTime
  const clock = clockFrom(() => nowMs)
  return {
    ...clock,
    advance: (seconds) => {
      nowMs += Math.round(seconds * 1000) // a fraction of a second is not exact as a number
    },
  }
}

export interface Reply {
  status: number
  /** The parsed body. Undefined if it is empty. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the wire gives
  body: any
  headers: Record<string, string | undefined>
}

export interface CallOptions {
  token?: string
  /** JSON, or a picture as a buffer. */
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  remoteAddress?: string
}

/** A service over a separate, empty database with the demo world. */
export interface TestService {
  databaseUrl: string
  app: App
  context: Context
  clock: TestClock
  world: DemoWorld
  /** Every statement since it was last cleared. */
  statements: string[]
  /** Returns only the statements of some work, without those of workers or other requests. */
  statementsOf(work: () => Promise<unknown>): Promise<string[]>
  /** Every line of the log. */
  logLines: string[]
  /**
   * Sends one request to the service, without a socket. Paths are relative to /api/v1 unless they begin with `//`.
   * Throws if the reply differs from /openapi.json.
   */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  /** Returns a new session token of a business of the demo world (the first by default). */
  session(business?: DemoWorld['businesses'][number], headers?: Record<string, string>): Promise<string>
  /** Returns the usual events, oldest first, with parsed payloads. `rows('events')` has those for who names them, too. */
  events(): Promise<{ type: string; booking_id: string; payload: Record<string, unknown> }[]>
  /** Returns the rows of a table. */
  rows(table: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

/** Replacements for parts of the service. */
interface TestReplacements extends AppReplacements {
  clock?: TestClock
  ids?: Ids
  /** Leaves the database without hub and business. */
  empty?: boolean
  /** Starts another server over the database of this one, with its clock. Neither knows the other's memory. */
  beside?: TestService
}

const noWorld: DemoWorld = { hub: { id: '', name: '', plan: 'enterprise', key: '' }, businesses: [] }

/** Starts a service on an engine. Variables override the configuration, as the environment would. */
export async function startTestService(
  engine: Engine,
  variables: Record<string, string> = {},
  { beside, empty = false, clock = beside?.clock ?? testClock(), ids, ...replaced }: TestReplacements = {},
): Promise<TestService> {
  const database = beside
    ? { url: beside.databaseUrl, drop: () => Promise.resolve() }
    : await createMigratedDatabase(engine)
  const statements: string[] = []
  const logLines: string[] = []
  const config = readConfig({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    LOG_LEVEL: 'trace',
    DRAIN_SECONDS: '0',
    RATE_LIMIT_FACTOR: '1000', // most tests are about other subjects, and all their requests come from one address
    ...variables,
  })
  const ofWork = new AsyncLocalStorage<string[]>()
  const onStatement = (statement: string) => {
    statements.push(statement)
    ofWork.getStore()?.push(statement)
  }
  const context = await createContext(config, {
    clock,
    ...(ids && { ids }),
    onStatement,
    logStream: { write: (line) => logLines.push(line) },
  })
  await context.db.migrate()
  const world = beside?.world ?? (empty ? noWorld : await seedDemoData(context))
  // tests fetch busy calendars themselves
  const calendarPollMs = 3_600_000
  const app = await createApp(context, {
    ...{ onStatement, limiterPatienceMs: 60_000, calendarPollMs },
    ...replaced,
  })
  await app.server.ready()
  statements.length = 0

  const send = async (method: string, url: string, options: CallOptions) => {
    const isFile = Buffer.isBuffer(options.body)
    const body = isFile || options.body === undefined ? options.body : JSON.stringify(options.body)
    const payload = options.rawBody ?? (body as string | Buffer | undefined)
    return app.server.inject({
      method: method as 'GET',
      url,
      remoteAddress: options.remoteAddress ?? '127.0.0.1',
      headers: {
        ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
        ...(options.body !== undefined && { 'content-type': isFile ? 'image/png' : 'application/json' }),
        ...options.headers,
      },
      ...(payload !== undefined && { payload }),
    })
  }
  const call: TestService['call'] = async (method, path, options = {}) => {
    const url = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`
    await eventLoop() // on SQLite nothing else lets it turn
    let response = await send(method, url, options)
    // a busy machine is not the subject, and nothing has happened yet: the next sample follows soon
    for (let tries = 0; tries < 20 && response.body.includes('The server is overloaded.'); tries += 1) {
      countRepeat()
      await pause(500)
      response = await send(method, url, options)
    }
    const isJson = /json/.test(String(response.headers['content-type']))
    const reply: Reply = {
      status: response.statusCode,
      body: response.body === '' ? undefined : isJson ? response.json() : response.body,
      headers: headersOf(response.headers),
    }
    await expectDescribed(app.server, { ...reply, method, url })
    return reply
  }
  const rows: TestService['rows'] = async (table) => {
    const found = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
      context.db.reads,
    )
    if (table !== 'api_keys') return found.rows
    // requests note the use of their key afterwards
    const noted = found.rows.map(({ last_used_at: _, ...row }) => row)
    return noted.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
  }

  return {
    databaseUrl: database.url,
    app,
    context,
    clock,
    world,
    statements,
    statementsOf: async (work) => {
      const own: string[] = []
      await ofWork.run(own, work)
      return [...own] // without the statements of work still running
    },
    logLines,
    call,
    rows,
    session: async (business = businessOf(world, 'Salon Spree'), headers = {}) => {
      const reply = await call('POST', '/session', { token: business.publishable_key, headers })
      if (reply.status !== 201) throw new Error(`no session: ${JSON.stringify(reply.body)}`)
      return reply.body.session_token as string
    },
    events: async () => {
      const usual: ReadonlySet<string> = new Set(usualEventTypes)
      const events = await rows('events')
      return events
        .filter((event) => usual.has(String(event.type)))
        .toSorted((one, other) => Number(one.position) - Number(other.position))
        .map((event) => ({
          type: String(event.type),
          booking_id: String(event.booking_id),
          payload: JSON.parse(String(event.payload)) as Record<string, unknown>,
        }))
    },
    stop: async () => {
      await app.stop()
      await database.drop()
    },
  }
}

/**
 * Runs a function before each transaction of this server from now on. It simulates another server, or throws a failure.
 * The function gets the number of earlier transactions. The returned function stops this.
 */
export function beforeTransactions(
  { context: { db } }: TestService,
  happens: () => Promise<void>,
): () => void {
  const { transaction } = db
  db.transaction = async (work) => {
    await happens()
    return transaction.call(db, work) as ReturnType<typeof work>
  }
  return () => {
    db.transaction = transaction
  }
}

/**
 * Returns only the statements of operations. Excludes the count against the rate limits, and polls for due deliveries
 * and payments.
 */
export function withoutLimiter(statements: string[]): string[] {
  return statements.filter(
    (text) =>
      !/\b(rate_limits|waiting_webhooks|next_check_at|request_check_at|waitlist\w*|pushe?s|push_devices|standing_clocks|key_requests)\b/.test(
        text,
      ),
  )
}

/** Returns a business of the demo world by name. */
export function businessOf(world: DemoWorld, name: string): DemoWorld['businesses'][number] {
  const business = world.businesses.find((candidate) => candidate.name === name)
  if (!business) throw new Error(`the demo world has no business ${name}`)
  return business
}

/** Returns the IDs of a hold: a service at a location (by default the one that is always open). */
export function offer(
  business: DemoWorld['businesses'][number],
  serviceName: string,
  locationName = 'Online',
): { service_id: string; location_id: string } {
  const service = business.services.find(({ name }) => name === serviceName)
  const location = business.locations.find(({ name }) => name === locationName)
  if (!service || !location) throw new Error(`the demo world has no ${serviceName} at ${locationName}`)
  return { service_id: service.id, location_id: location.id }
}

/** A client's data, for conversions. */
export const ada = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }

/** Returns each header as one text, and the first of several cookies. */
function headersOf(headers: Record<string, unknown>): Record<string, string | undefined> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? String(value[0]) : (value as string | undefined),
  ])
  return Object.fromEntries(entries) as Record<string, string | undefined>
}
