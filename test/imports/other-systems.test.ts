import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { instantFromMs } from '../../src/base/instants.ts'
import { readCalendly } from '../../src/imports/calendly.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { calcomTables } from '../support/calcom.ts'
import { changeDirectly } from '../support/change-directly.ts'
import { findMiscounted, readRows } from '../support/checker.ts'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { onOneEngine } from '../support/long.ts'
import { engines } from '../support/test-service.ts'

/* Sources of cal.com and Calendly, written from their documentation. */

const instant = (value: unknown) => new Date(String(value)).toISOString().slice(0, 16)

async function bookingsIn(database: TestDatabase): Promise<unknown[][]> {
  const rows = await readRows(
    database.url,
    `select b.starts_at, b.ends_at, b.status, s.name as service, p.name as person, c.first_name, c.last_name
       from bookings as b join services as s on s.id = b.service_id join clients as c on c.id = b.client_id
            left join staff as p on p.id = b.staff_id
      order by b.starts_at, c.first_name`,
  )
  return rows.map(({ starts_at, ends_at, status, service, person, first_name, last_name }) => [
    `${instant(starts_at)}–${instant(ends_at).slice(11)}`,
    ...[status, service, person, `${String(first_name)} ${String(last_name)}`.trim()],
  ])
}

/** Runs the command of the guide with another source and business. */
function commandOf(system: string, names: Record<string, string>): string[] {
  const [text = ''] = blocksOf(documentAt('docs/guides/moving.md'))
    .map((block) => block.text)
    .filter((one) => one.includes(`--from ${system}`))
  const words = text.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
  expect(words.slice(0, 3)).toEqual(['npx', 'holdfast', 'import'])
  return words.slice(2).map((word) => names[word] ?? word)
}

const calcomRows = [
  `insert into users values (1, 'Anna Weber', 'anna', 'anna@example.org', 'Europe/Berlin', 10, 'de', 'a hash'),
     (2, null, 'ben', 'ben@example.org', 'America/New_York', null, 'en', 'a hash')`,
  `insert into "EventType" values
     (1, '30 Min', 'A talk', 30, false, 1, 15, 120, 5, 10, null, 2500, 'eur', 'ROLLING', 60, null, null, false),
     (2, '30 Min', null, 30, false, 2, null, 0, 0, 0, null, 0, 'usd', 'UNLIMITED', null, null, null, true),
     (3, 'Course', null, 60, true, 1, null, 0, 0, 0, 2, 0, 'usd', 'UNLIMITED', null, 11, 'collective', false)`,
  `insert into "Schedule" values (10, 1, 'Work', 'Europe/Berlin'), (11, 1, 'Other', 'Europe/Berlin'), (12, 2, 'Work', 'America/New_York')`,
  `insert into "Availability" values (1, null, '{1,2}', '09:00', '12:00', null, 10), (2, null, '{1}', '11:30', '17:00', null, 10),
     (3, null, '{0}', '10:00', '23:59', null, 10), (4, null, '{}', '00:00', '00:00', '2031-12-24', 10), (5, null, '{}', '08:00', '10:00', '2031-12-31', 10),
     (6, null, '{5}', '09:00', '17:00', null, 12)`,
  `insert into "Booking" values
     (1, 'spring', 1, 1, 't', 'Hello', '2031-03-30 00:30', '2031-03-30 01:00', 'accepted', '2031-01-01', 'https://meet.example.org/1', '{"name":"Ada Lovelace","topic":"Engines"}'),
     (2, 'double', 1, 1, 't', null, '2031-03-30 01:00', '2031-03-30 01:30', 'accepted', '2031-01-01', 'integrations:daily', null),
     (3, 'past', 1, 1, 't', null, '2024-03-30 01:00', '2024-03-30 01:30', 'accepted', '2024-01-01', null, null),
     (4, 'gone', 1, 1, 't', null, '2031-03-30 00:30', '2031-03-30 01:00', 'cancelled', '2031-01-01', null, null),
     (5, 'open', 2, 2, 't', null, '2031-03-28 14:00', '2031-03-28 14:30', 'pending', '2031-01-01', null, null),
     (6, 'class', 1, 3, 't', null, '2031-04-01 08:00', '2031-04-01 09:00', 'accepted', '2031-01-01', null, null),
     (7, 'ownerless', 1, null, 't', null, '2031-04-01 08:00', '2031-04-01 09:00', 'accepted', '2031-01-01', null, null)`,
  `insert into "Attendee" values (1, 'ada@example.org', 'Ada Lovelace', 'Europe/London', 1, 'en', false, '+44 20 7946 0000'),
     (2, 'guest@example.org', 'A Guest', 'Europe/London', 1, 'en', false, null), (3, 'eve@example.org', 'Eve', 'Mars', 2, 'xx-invalid-', null, null),
     (4, 'ada@example.org', 'Ada Lovelace', 'Europe/London', 3, 'en', true, null), (5, 'eve@example.org', 'Eve', 'UTC', 4, 'en', null, null),
     (6, 'eve@example.org', 'Eve', 'UTC', 5, 'en', null, null), (7, 'ada@example.org', 'Ada Lovelace', 'Europe/London', 6, 'en', null, null),
     (8, 'eve@example.org', 'Eve', 'UTC', 6, 'en', null, null), (9, 'eve@example.org', 'Eve', 'UTC', 7, 'en', null, null)`,
  `insert into "OutOfOfficeEntry" values (1, 'u1', '2031-05-01 00:00', '2031-05-03 00:00', 1, 'Holiday'), (2, 'u2', '2021-05-01', '2021-05-03', 1, null)`,
]

const hasPostgres = engines.includes('postgres')

onOneEngine('sqlite', 'a move from cal.com', (engine) => {
  let database: TestDatabase
  let source: TestDatabase | undefined
  let holdfast: CommandLine
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    if (!hasPostgres) return
    source = await createTestDatabase('postgres')
    for (const statement of [...calcomTables, ...calcomRows]) await changeDirectly(source.url, statement)
  })
  afterAll(async () => {
    await source?.drop()
    await database.drop()
  })

  test.runIf(hasPostgres)('gives people, event types and bookings; twice is once', async () => {
    const args = commandOf('calcom', { 'postgres://reader:secret@db.example.com/calcom': source?.url ?? '' })
    const expected = {
      ...{
        locations: { created: 2 },
        staff: { created: 2 },
        services: { created: 3 },
        clients: { created: 2 },
      },
      ...{ blocks: { created: 1 }, bookings: { coming: 3, past: 2, present: 0, conflicts: 1, left_out: 2 } },
    }
    expect(await holdfast.json(...args)).toMatchObject({ ...expected, dry_run: true })
    expect(await bookingsIn(database)).toEqual([])
    const report = await holdfast.json(...args, '--apply')
    expect(report).toMatchObject({ ...expected, dry_run: false })
    expect(report.conflicts).toMatchObject([{ what: 'booking double', overlaps: 'booking spring' }])
    const told = JSON.stringify(report.remarks)
    for (const part of [
      'waits for a confirmation',
      'has no event type',
      'is hidden there',
      'takes all its hosts together',
    ])
      expect(told).toContain(part)
    expect(await bookingsIn(database)).toEqual([
      ['2024-03-30T01:00–01:30', 'completed', '30 Min (Anna Weber)', 'Anna Weber', 'Ada Lovelace'],
      ['2031-03-30T00:30–01:00', 'confirmed', '30 Min (Anna Weber)', 'Anna Weber', 'Ada Lovelace'],
      ['2031-03-30T00:30–01:00', 'cancelled', '30 Min (Anna Weber)', 'Anna Weber', 'Eve'],
      ['2031-04-01T08:00–09:00', 'confirmed', 'Course', 'Anna Weber', 'Ada Lovelace'],
      ['2031-04-01T08:00–09:00', 'confirmed', 'Course', 'Anna Weber', 'Eve'],
    ])
    const [first] = await readRows(
      database.url,
      `select notes, client_phone from bookings where notes like 'Hello%'`,
    )
    expect(first).toEqual({
      notes: 'Hello\ntopic: Engines\nhttps://meet.example.org/1\n+ A Guest guest@example.org',
      client_phone: '+44 20 7946 0000',
    })
    const file = JSON.parse(await holdfast.text('export', 'Corner Salon')) as unknown
    expect(file).toMatchObject({
      staff: [
        {
          name: 'Anna Weber',
          weekly_hours: [
            { weekday: 'monday', opens: '09:00', closes: '17:00' },
            { weekday: 'tuesday', opens: '09:00', closes: '12:00' },
            { weekday: 'sunday', opens: '10:00', closes: '24:00' },
          ],
          date_overrides: [
            { date: '2031-12-24', hours: [] },
            { date: '2031-12-31', hours: [{ opens: '08:00', closes: '10:00' }] },
          ],
        },
        { name: 'ben', locations: ['Corner Salon (America/New_York)'] },
      ],
    })
    expect(file).toMatchObject({
      services: expect.arrayContaining([
        expect.objectContaining({
          ...{
            name: '30 Min (Anna Weber)',
            duration_minutes: 30,
            slot_interval_minutes: 15,
            max_advance_days: 60,
          },
          ...{ buffer_before_minutes: 5, buffer_after_minutes: 10, min_notice_minutes: 120 },
          price: { amount: 2500, currency: 'EUR' },
        }),
        expect.objectContaining({ name: '30 Min (ben)', confirmation: 'request' }),
        expect.objectContaining({ name: 'Course', capacity: 2, active: false }),
      ]) as unknown,
    })
    expect(await holdfast.json(...args, '--apply')).toMatchObject({
      ...{ staff: { created: 0, present: 2 }, services: { created: 0, present: 3 }, clients: { created: 0 } },
      ...{ blocks: { created: 0, present: 1 }, bookings: { coming: 0, past: 0, present: 5, conflicts: 1 } },
    })
    expect(await findMiscounted(database.url)).toEqual([])
  })

  test('an address that cannot be read is refused without its password', async () => {
    const at = ['import', '--from', 'calcom']
    await holdfast.refuses([...at, 'calcom.sql', '--business', 'Corner Salon'], 2, /must look like postgres:/)
    const refused = await holdfast.run(
      ...at,
      'postgres://reader:very-secret@127.0.0.1:1/calcom',
      '--business',
      'Corner Salon',
    )
    expect([refused.code, refused.stderr.includes('very-secret')]).toEqual([2, false])
    expect(refused.stderr).toContain('The database cannot be read')
  })
})

const api = 'https://api.calendly.com'
const anna = `${api}/users/ANNA`
const talk = `${api}/event_types/TALK`
const calendly = [
  { resource: { uri: anna, name: 'Anna Weber', email: 'anna@example.org', timezone: 'Europe/Berlin' } },
  {
    collection: [
      {
        ...{
          uri: `${api}/user_availability_schedules/S`,
          default: true,
          user: anna,
          timezone: 'Europe/Berlin',
        },
        rules: [
          {
            type: 'wday',
            wday: 'monday',
            intervals: [
              { from: '09:00', to: '12:00' },
              { from: '13:00', to: '17:00' },
            ],
          },
          { type: 'wday', wday: 'tuesday', intervals: [] },
          { type: 'date', date: '2031-12-24', intervals: [] },
        ],
      },
    ],
  },
  {
    collection: [
      {
        uri: talk,
        name: 'Talk',
        duration: 30,
        active: true,
        profile: { owner: anna, type: 'User' },
        description_plain: 'A talk',
      },
    ],
  },
  {
    collection: [
      '2031-10-26T00:30:00.000000Z',
      '2024-06-03T08:00:00.000000Z',
      '2031-11-03T08:00:00.000000Z',
    ].map((start_time, index) => ({
      ...{ uri: `${api}/scheduled_events/E${index}`, event_type: talk, start_time },
      end_time: new Date(Date.parse(start_time) + 1_800_000).toISOString(),
      status: index === 2 ? 'canceled' : 'active',
      location: { type: 'zoom', join_url: 'https://zoom.example.org/1' },
      event_memberships: [{ user: anna, user_name: 'Anna Weber', user_email: 'anna@example.org' }],
    })),
  },
  ...[0, 1, 2].map((index) => ({
    collection: [
      {
        ...{
          uri: `${api}/scheduled_events/E${index}/invitees/I`,
          name: 'Ada Lovelace',
          email: 'ada@example.org',
        },
        ...{
          status: 'active',
          timezone: 'Europe/London',
          created_at: '2024-01-01T00:00:00Z',
          no_show: index === 1 ? {} : null,
        },
        questions_and_answers: [{ question: 'Topic', answer: 'Engines' }],
      },
    ],
  })),
  {
    collection: [
      {
        uri: `${api}/scheduled_events/LONELY`,
        event_type: talk,
        start_time: 'soon',
        end_time: 3,
        event_memberships: 'none',
      },
    ],
  },
]

/** Answers like the API, two entries on a page, once with 429. */
async function startCalendly(): Promise<{ url: string; stop(): void }> {
  const [user, schedules, types, events, ...invitees] = calendly
  const entriesOf = (page: object | undefined) => (page as { collection: object[] }).collection
  let isBusy = true
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'http://localhost')
    const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    const organization = `${api}/organizations/ORG`
    const isWhole = query.get('organization') === organization || query.get('user') === anna
    const lists: Record<string, () => object[]> = {
      '/organization_memberships': () => [{ uri: `${api}/organization_memberships/M`, ...memberOf(user) }],
      '/user_availability_schedules': () => entriesOf(schedules),
      '/event_types': () => entriesOf(types),
      '/scheduled_events': () => entriesOf(events),
    }
    const number = /^\/scheduled_events\/E(\d)\/invitees$/.exec(pathname)?.[1]
    const list = number === undefined ? lists[pathname] : () => entriesOf(invitees[Number(number)])
    if (headers.authorization !== 'Bearer my-token') send(401, { title: 'Unauthenticated' })
    else if (pathname === '/users/me')
      send(200, { resource: { ...memberOf(user).user, current_organization: organization } })
    else if (!list || (number === undefined && !isWhole)) send(404, { title: 'Resource Not Found' })
    else if (pathname === '/event_types' && isBusy) {
      isBusy = false
      response.setHeader('x-ratelimit-reset', '0')
      send(429, { title: 'Too Many Requests' })
    } else {
      const from = Number(query.get('page_token') ?? '0')
      query.set('page_token', String(from + 2))
      const next_page = from + 2 < list().length ? `${at()}${pathname}?${query.toString()}` : null
      send(200, { collection: list().slice(from, from + 2), pagination: { next_page } })
    }
  })
  const memberOf = (one: unknown) => ({ user: (one as { resource: object }).resource })
  const at = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: at(), stop: () => server.close().closeAllConnections() }
}

test('the program of the guide saves everything that a move from Calendly reads', async () => {
  const server = await startCalendly()
  const blocks = blocksOf(documentAt('docs/guides/moving.md')).map(({ text }) => text)
  const program = join(mkdtempSync(join(inject('filesDirectory'), 'calendly-')), 'calendly.mjs')
  writeFileSync(program, blocks.find((text) => text.includes('/scheduled_events')) ?? '')
  expect(blocks).toContain('TOKEN=… node calendly.mjs > calendly.json')
  const env = { ...process.env, API: server.url, TOKEN: 'my-token' }
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  server.stop()
  const options = { name: 'Corner Salon', timezone: 'Europe/Berlin', now: instantFromMs(Date.now()) }
  const whole = calendly.slice(0, -1).map((one) => JSON.stringify(one))
  expect(readCalendly(stdout, options)).toEqual(readCalendly(whole.join('\n'), options))
})

onOneEngine('sqlite', 'a move from Calendly', (engine) => {
  test('gives people, event types and events; twice is once', async () => {
    const database = await createMigratedDatabase(engine)
    const holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    const path = join(mkdtempSync(join(inject('filesDirectory'), 'calendly-')), 'calendly.json')
    const args = commandOf('calendly', { 'calendly.json': path })
    writeFileSync(path, calendly.map((one) => JSON.stringify(one)).join('\n'))
    const expected = {
      ...{
        locations: { created: 1 },
        staff: { created: 1 },
        services: { created: 1 },
        clients: { created: 1 },
      },
      bookings: { coming: 1, past: 2, present: 0, conflicts: 0, left_out: 1 },
    }
    expect(await holdfast.json(...args)).toMatchObject({ ...expected, dry_run: true })
    expect(await holdfast.json(...args, '--apply')).toMatchObject({ ...expected, dry_run: false })
    expect(await bookingsIn(database)).toEqual([
      ['2024-06-03T08:00–08:30', 'completed', 'Talk', 'Anna Weber', 'Ada Lovelace'],
      ['2031-10-26T00:30–01:00', 'confirmed', 'Talk', 'Anna Weber', 'Ada Lovelace'],
      ['2031-11-03T08:00–08:30', 'cancelled', 'Talk', 'Anna Weber', 'Ada Lovelace'],
    ])
    const notes = await readRows(
      database.url,
      'select notes, no_show_at is not null as is_missed from bookings order by starts_at',
    )
    expect(notes.map((row) => [row['notes'], Boolean(row['is_missed'])])).toEqual(
      [true, false, false].map((isMissed) => ['Topic: Engines\nhttps://zoom.example.org/1', isMissed]),
    )
    expect(JSON.parse(await holdfast.text('export', 'Corner Salon'))).toMatchObject({
      staff: [
        {
          weekly_hours: [
            { weekday: 'monday', opens: '09:00', closes: '12:00' },
            { weekday: 'monday', opens: '13:00', closes: '17:00' },
          ],
          date_overrides: [{ date: '2031-12-24', hours: [] }],
        },
      ],
    })
    expect(await holdfast.json(...args, '--apply')).toMatchObject({
      ...{ staff: { created: 0 }, services: { created: 0 }, clients: { created: 0 } },
      bookings: { coming: 0, past: 0, present: 3, left_out: 1 },
    })
    expect(await findMiscounted(database.url)).toEqual([])
    for (const [text, reason] of [
      ['{"collection": [', /is not valid JSON/],
      ['{"uri": "x"}', /has no event types/],
      ['['.repeat(5_000) + ']'.repeat(5_000), /has no event types/],
    ] as const) {
      writeFileSync(path, text)
      await holdfast.refuses(args, 2, reason)
    }
    await database.drop()
  })

  test('recognises what was renamed on either side, also if the first move found it by its name', async () => {
    const database = await createMigratedDatabase(engine)
    const holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    const path = join(mkdtempSync(join(inject('filesDirectory'), 'calendly-')), 'calendly.json')
    const catalogue = JSON.stringify(calendly.slice(0, 3))
    const args = [...commandOf('calendly', { 'calendly.json': path }), '--apply']
    const created = async (text: string) => {
      writeFileSync(path, text)
      const counts: unknown[] = []
      for (const instance of [['--instance', 'first'], []]) {
        const { locations, staff, services } = await holdfast.json(...args, ...instance)
        counts.push([locations, staff, services].map((count) => (count as { created: number }).created))
      }
      return counts
    }
    const none = [0, 0, 0]
    // the second one finds the items of the first by their names
    expect(await created(catalogue)).toEqual([[1, 1, 1], none])
    const renamed = catalogue.replaceAll('Anna Weber', 'Anna Berg').replaceAll('"Talk"', '"Consultation"')
    expect(await created(renamed)).toEqual([none, none])
    for (const table of ['locations', 'staff', 'services'])
      await changeDirectly(database.url, `update ${table} set name = 'Renamed here'`)
    expect(await created(renamed)).toEqual([none, none])
    await database.drop()
  })
})
