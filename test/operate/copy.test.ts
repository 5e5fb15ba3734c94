import { changeDirectly } from '../support/change-directly.ts'
import { PassThrough } from 'node:stream'
import { runWithin } from '../../src/cli/command-line.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { commandLine } from '../support/command-line.ts'
import { builtServer, demoWorld, project, runHoldfast } from '../support/holdfast-process.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { startServer } from '../support/server-process.ts'
import { isWhole, longTest } from '../support/long.ts'
import { execute } from '../support/statements.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, engines, offer } from '../support/test-service.ts'

const call = httpClients()
const development = { NODE_ENV: 'development' } // deposits in the sandbox, webhooks to this machine
const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
const at = (hour: number) => `${day}T${String(hour).padStart(2, '0')}:00:00Z`
const tables = [
  ...['hubs', 'businesses', 'api_keys', 'sessions', 'locations', 'staff', 'services', 'service_locations'],
  ...[
    'service_staff',
    'blocks',
    'claims',
    'bookings',
    'events',
    'webhooks',
    'feeds',
    'busy_calendars',
    'calendar_accounts',
    'calendar_writes',
    'deliveries',
    'payments',
  ],
  ...['sandbox_checkouts', 'idempotency_records', 'server_secrets', 'booking_attempts', 'blocked_clients'],
]

/** The state before the copy, to be found after it. */
interface Before {
  world: DemoWorld
  key: string
  session: string
  holdId: string
  bookingId: string
  bookings: unknown
  events: unknown
  /** The stored answer for the idempotency key of the hold. */
  held: unknown
}

describe.runIf(engines.includes('postgres'))('holdfast copy', () => {
  let source: TestDatabase
  let before: Before
  const holdfast = () => commandLine(source.url)
  const online = () => {
    const salon = businessOf(before.world, 'Salon Spree')
    return { ...offer(salon, 'Meeting room'), location_id: salon.locations[1]?.id ?? '' }
  }
  /** Returns the URL without its password, which PGPASSWORD contains. */
  const shown = (address: string) => {
    const url = new URL(address)
    if (url.password !== '') vi.stubEnv('PGPASSWORD', decodeURIComponent(url.password))
    url.password = ''
    return url.href
  }
  const targets: TestDatabase[] = []
  const newTarget = async () => {
    const target = await createTestDatabase('postgres')
    targets.push(target)
    return target
  }

  beforeAll(async () => {
    source = await createTestDatabase('sqlite')
    before = await filled(source.url)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    for (const target of targets) await target.drop()
    await source.drop()
  })

  test('takes the address from standard input, and warns of a password that others can read', async () => {
    const io = (line: string) => {
      const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
      stdin.end(line)
      let code = 0
      const variables = () => ({ DATABASE_URL: source.url, NODE_ENV: 'test' })
      const given = {
        variables,
        stdin: () => stdin,
        stdout,
        stderr,
        endWith: (ended: number) => (code = ended),
      }
      return { given, said: () => ({ code, stderr: String(stderr.read() ?? '') }) }
    }
    const target = await newTarget()
    const asked = io(`${target.url}\n`)
    await runWithin(asked.given, () => runCommandLine(['copy', '--to', '-']))
    expect(asked.said()).toEqual({ code: 0, stderr: '' })
    expect((await readRows(target.url, 'select 1 from bookings limit 1')).length).toBe(1)
    const warned = io('')
    await runWithin(warned.given, () => runCommandLine(['copy', '--to', 'mysql://me:secret@127.0.0.1/db']))
    const { code, stderr } = warned.said()
    expect([code, stderr]).toEqual([2, expect.stringContaining('can read the password in --to')])
    expect(stderr).not.toContain('secret')
  })

  test('there is something to copy in every table that matters', async () => {
    for (const table of tables)
      expect(await readRows(source.url, `select 1 from ${table} limit 1`), table).toHaveLength(1)
  })

  longTest(
    'a server on PostgreSQL goes on where that on SQLite stopped, and no slot can be sold twice',
    async () => {
      const target = await newTarget()
      const bytes = digestOf(source.url)
      const report = (await holdfast().json('copy', '--to', shown(target.url))) as {
        tables: { table: string; rows: number }[]
      }
      expect(digestOf(source.url)).toBe(bytes)
      for (const { table, rows } of report.tables) {
        const [row] = await readRows(target.url, `select cast(count(*) as integer) as rows from ${table}`)
        expect({ table, rows }).toEqual({ table, rows: row?.['rows'] })
      }
      expect(report.tables.map(({ table }) => table)).toEqual(expect.arrayContaining(tables))
      expect(await findErrors(target.url)).toEqual([])

      const server = await startServer(target.url, development)
      const ask = (method: string, path: string, token: string, body?: unknown, headers = {}) =>
        call(server.address, method, path, { token, headers, ...(body !== undefined && { body }) })
      expect((await ask('GET', '/bookings?limit=100', before.key)).body).toEqual(before.bookings)
      expect((await ask('GET', '/events?limit=100', before.key)).body).toEqual(before.events)
      const other = await ask('POST', '/session', businessOf(before.world, 'Salon Spree').publishable_key)
      const rival = String(other.body.session_token)
      expect(await ask('POST', '/bookings/hold', rival, { ...online(), starts_at: at(9) })).toMatchObject({
        ...{ status: 409, body: { code: 'slot_held' } },
      })
      expect(await ask('POST', '/bookings/hold', rival, { ...online(), starts_at: at(11) })).toMatchObject({
        ...{ status: 409, body: { code: 'slot_booked' } },
      })
      const replayed = await ask(
        'POST',
        '/bookings/hold',
        before.session,
        { ...online(), starts_at: at(9) },
        {
          'idempotency-key': 'kept',
        },
      )
      expect(replayed).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } })
      expect(replayed.body).toEqual(before.held)
      const booked = await ask('POST', '/bookings', before.session, { hold_id: before.holdId, client: ada })
      expect(booked.status).toBe(201)
      const { body } = await ask('GET', '/events?limit=100', before.key)
      const [known, later] = [
        before.events as { data: unknown[] },
        body as { data: { booking_id: string }[] },
      ]
      expect(later.data.slice(0, known.data.length)).toEqual(known.data)
      expect(later.data.slice(known.data.length)).toMatchObject([{ booking_id: before.holdId }])
      const moved = await ask('PATCH', `/bookings/${before.bookingId}`, before.key, { starts_at: at(9) })
      expect(moved.status).toBe(409)
      await server.stop()
      expect(await findErrors(target.url)).toEqual([])
    },
  )

  test('only an empty database is filled, and only with tables of Holdfast', async () => {
    const target = await newTarget()
    await demoWorld(target.url)
    const count = 'select cast(count(*) as integer) as count from api_keys'
    const keys = await readRows(target.url, count)
    await holdfast().refuses(['copy', '--to', shown(target.url)], 2, /--to is not empty: \w+ has rows/)
    expect(await readRows(target.url, count)).toEqual(keys)
    const foreign = await newTarget()
    await execute(foreign.url, 'create table other (id integer)')
    await holdfast().refuses(['copy', '--to', shown(foreign.url)], 2, /tables of another program \(other\)/)
    expect(
      await readRows(foreign.url, `select tablename from pg_tables where schemaname = 'public'`),
    ).toEqual([{ tablename: 'other' }])
  })

  longTest('it refuses a running server, a missing file, another engine and an invalid address', async () => {
    const target = await newTarget()
    const server = await startServer(source.url, development)
    await holdfast().refuses(
      ['copy', '--to', shown(target.url)],
      1,
      /A Holdfast server uses .*: stop it first/,
    )
    await server.stop()
    await holdfast().refuses(['copy', '--to', 'sqlite:other.db'], 2, /--to must be a PostgreSQL database/)
    await commandLine(target.url).refuses(
      ['copy', '--to', shown(target.url)],
      2,
      /is already a PostgreSQL database/,
    )
    await commandLine(`${source.url}.none`).refuses(
      ['copy', '--to', shown(target.url)],
      1,
      /There is no database at/,
    )
    await holdfast().refuses(
      ['copy', '--to', shown(target.url).replace(/\/[^/]*$/, '/none_such')],
      1,
      /no PostgreSQL answers/,
    )
    expect(await readRows(target.url, `select 1 from pg_tables where schemaname = 'public'`)).toEqual([])
  })

  test('a copy that differs from its source is noticed, and nothing is copied', async () => {
    const target = await newTarget()
    await commandLine(target.url).text('migrate')
    await execute(
      target.url,
      `create function spoil() returns trigger language plpgsql as $$ begin new.notes := 'spoilt'; return new; end $$;
       create trigger spoil before insert on bookings for each row execute function spoil()`,
    )
    await holdfast().refuses(['copy', '--to', shown(target.url)], 1, /The copy of bookings differs/)
    expect(await readRows(target.url, 'select id from hubs')).toEqual([])
  })

  longTest(
    'killed at any statement, it leaves all or nothing, and can be run again',
    async () => {
      const preloads = [`${project}/test/support/die-at-statement.ts`]
      let ended = false
      const step = isWhole ? 1 : 9
      for (let dieAt = 5; !ended && dieAt < 2_000; dieAt += step * (dieAt < 100 ? 13 : 40)) {
        const target = await newTarget()
        const to = shown(target.url)
        const { PGPASSWORD = '' } = process.env
        const variables = { DATABASE_URL: source.url, DIE_AT: String(dieAt), PGPASSWORD }
        const { code } = await runHoldfast(['copy', '--to', to], {
          ...{ variables, preloads, program: builtServer },
        })
        ended = code === 0
        const isMigrated = await readRows(target.url, `select to_regclass('hubs') is not null as migrated`)
        const counts = isMigrated[0]?.['migrated']
          ? await readRows(
              target.url,
              'select (select count(*) from hubs)::int + (select count(*) from bookings)::int as rows',
            )
          : []
        const again = await holdfast().run('copy', '--to', shown(target.url))
        expect(again.code, again.stderr).toBe(Number(counts[0]?.['rows'] ?? 0) > 0 ? 2 : 0)
      }
      expect(ended).toBe(true)
    },
    180_000,
  )
})

/**
 * Creates a business with data: holds, bookings in several states, a deposit, a webhook, and more rows than a batch
 * has.
 */
async function filled(url: string): Promise<Before> {
  const world = await demoWorld(url)
  const salon = businessOf(world, 'Salon Spree')
  const key = salon.business_key
  const server = await startServer(url, development)
  const ask = async (method: string, path: string, token: string, body?: unknown, headers = {}) => {
    const reply = await call(server.address, method, path, {
      token,
      headers,
      ...(body !== undefined && { body }),
    })
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const session = String((await ask('POST', '/session', salon.publishable_key)).session_token)
  const place = (name: string) => ({ ...offer(salon, name), location_id: salon.locations[1]?.id })
  const hold = async (name: string, starts_at: string, headers = {}) =>
    ask('POST', '/bookings/hold', session, { ...place(name), starts_at }, headers)
  const book = async (name: string, starts_at: string, client: object = ada) =>
    ask('POST', '/bookings', session, {
      ...{ hold_id: (await hold(name, starts_at)).hold_id, client, metadata: { order: starts_at } },
    })
  await ask('POST', '/feeds', key, {})
  await ask('POST', '/busy-calendars', key, {
    ...{ staff_id: salon.staff[0]?.id, url: 'https://calendar.example.com/a.ics' },
  })
  await ask('POST', '/webhooks', key, { url: 'http://127.0.0.1:9/', events: ['booking.created'] })
  const { id: bookingId } = await book('Meeting room', at(11))
  await book('Meeting room', at(13), { ...ada, last_name: 'Łukaszewicz “日本” \\ "quoted"' })
  const cancelled = await book('Meeting room', at(15))
  await ask('DELETE', `/bookings/${String(cancelled.id)}`, key)
  await book('Treatment', at(10)) // waits for its deposit
  await ask('PATCH', `/bookings/${String(bookingId)}`, key, { notes: 'line one\nline two' })
  await ask('POST', '/blocks', key, {
    ...{ location_id: salon.locations[0]?.id, starts_at: at(9), ends_at: at(10), reason: 'cleaning' },
  })
  await ask('POST', '/clients/block', key, { email: 'nobody@example.com' })
  const held = await hold('Meeting room', at(9), { 'idempotency-key': 'kept' })
  await server.stop()
  manySessions(url)
  // an account with a booking that waits, as if it had been connected
  const instants = `'2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'`
  await changeDirectly(
    url,
    `insert into calendar_accounts (id, business_id, staff_id, kind, address, user_name, credential_sealed,
                                    calendars_json, writes_to, next_write_at, connected_at, created_at)
     select '01a1fa68-2f93-7d12-8e01-6f9b7c4d5a31', business_id, staff_id, 'caldav', 'https://caldav.example.com/',
            'anna', '', '[]', 'https://caldav.example.com/main/', ${instants}
       from bookings where staff_id is not null limit 1`,
  )
  await changeDirectly(url, 'update bookings set version = version')
  const again = await startServer(url, { ...development })
  const read = (path: string) =>
    eventually(path, async () => {
      const { status, body } = await call(again.address, 'GET', path, { token: key })
      return status === 200 ? (body as unknown) : undefined // a busy server answers 503 at first
    })
  const [bookings, events] = [await read('/bookings?limit=100'), await read('/events?limit=100')]
  await again.stop()
  const holdId = String(held.hold_id)
  return { world, key, session, holdId, bookingId: String(bookingId), bookings, events, held }
}

/** Bypasses the program, because nobody requests so many. */
function manySessions(url: string): void {
  using file = new DatabaseSync(url.slice('sqlite:'.length))
  file.exec(`
    insert into sessions
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 1300)
    select printf('00000000-0000-7000-8000-%012d', i), business_id, api_key_id, owner_id, digest || i, last_four,
           created_at, expires_at, ended_at
      from n, (select * from sessions limit 1)`)
}

function digestOf(url: string): string {
  using file = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true })
  const rows = file.prepare('select * from bookings order by id').all()
  const all = [rows, file.prepare('select * from claims order by id').all()]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}
