import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRows } from '../support/checker.ts'
import { commandLine, onTerminal } from '../support/command-line.ts'
import {
  builtServer,
  emptyDirectory,
  project,
  runHoldfast,
  startHoldfast,
} from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { isWhole, longTest, onOneEngine } from '../support/long.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, startTestService } from '../support/test-service.ts'

const call = httpClients()
const salon = ['--yes', '--name', 'Salon Spree', '--timezone', 'Europe/Berlin', '--service', 'Haircut']
const counts = `select (select cast(count(*) as integer) from businesses) as businesses, (select cast(count(*) as integer) from api_keys) as keys,
  (select cast(count(*) as integer) from services) as services`

onOneEngine('sqlite', 'holdfast setup', (engine) => {
  let database: TestDatabase
  let server: ServerProcess
  let made: Record<string, string> & { business: { id: string } }
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    server = await startServer(database.url)
    made = await commandLine(database.url, { PUBLIC_URL: server.address }).json(
      'setup',
      ...salon,
      ...[
        '--hours',
        'daily 00:00-24:00',
        '--minutes',
        '45',
        '--price',
        '35.50 EUR',
        '--person',
        'Anna Weber',
      ],
      ...['--website', 'https://www.example.com', '--email', 'hello@salon.example'],
    )
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  test('makes a business that can be booked at once, beside a running server', async () => {
    expect(made.business).toMatchObject({ name: 'Salon Spree', timezone: 'Europe/Berlin' })
    const businesses = await readRows(database.url, 'select reply_to_email from businesses')
    expect(businesses).toMatchObject([{ reply_to_email: 'hello@salon.example' }])
    expect(made['booking_page']).toMatch(new RegExp(`^${server.address}/book/cal_pub_\\w{38}$`))
    expect((await fetch(made['booking_page'] ?? '')).status).toBe(200)
    const session = await call(server.address, 'POST', '/session', { token: made['publishable_key'] ?? '' })
    const token = String(session.body.session_token)
    const offered = await call(server.address, 'GET', '/services', { token })
    const [service] = offered.body.data as Record<string, unknown>[]
    expect(service).toMatchObject({
      ...{ name: 'Haircut', duration_minutes: 45, price: { amount: 3550, currency: 'EUR' } },
      staff_ids: [expect.any(String) as string],
    })
    const [service_id, location_id] = [service?.['id'], (service?.['location_ids'] as string[])[0]]
    const query = `service_id=${String(service_id)}&location_id=${location_id ?? ''}`
    const soonest = await call(server.address, 'GET', `/availability/soonest?${query}`, { token })
    const { starts_at } = soonest.body as { starts_at: string }
    const body = { service_id, location_id, starts_at }
    const hold = await call(server.address, 'POST', '/bookings/hold', { token, body })
    expect(hold.status).toBe(201)
    const conversion = { hold_id: hold.body.hold_id, client: ada }
    const booked = await call(server.address, 'POST', '/bookings', { token, body: conversion })
    expect(booked.status).toBe(201)
    const seen = await call(server.address, 'GET', '/bookings', { token: made['business_key'] ?? '' })
    expect(seen.body).toMatchObject({ data: [{ id: booked.body.id, client: ada }] })
  })

  test('gives a key for the website that no other website may use', async () => {
    const ask = async (origin: string) =>
      (
        await call(server.address, 'POST', '/session', {
          token: made['publishable_key'] ?? '',
          headers: { origin },
        })
      ).status
    expect(await ask('https://www.example.com')).toBe(201)
    expect(await ask('https://evil.example')).toBe(403)
    expect(await ask(server.address)).toBe(403) // it listens on a different port from PORT; browsers send more headers
    expect(made['embed']).toBe(
      `<script type="module" src="${server.address}/widget/v1.js"></script>\n` +
        `<holdfast-booking publishable-key="${made['publishable_key'] ?? ''}" style="display: block; min-height: 800px"></holdfast-booking>`,
    )
  })

  test('the first page of a server in production leads to its booking page, and names nothing else', async () => {
    const page = await (await fetch(server.address, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain('<h1>Salon Spree</h1>')
    expect([...page.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path)).toEqual(
      expect.arrayContaining([new URL(made['booking_page'] ?? '').pathname]),
    )
    for (const word of ['Holdfast', 'SQLite', 'PostgreSQL', '/openapi.json', '/problems'])
      expect(page).not.toContain(word)
  })

  test('run again, it changes nothing and says what to do', async () => {
    const before = await readRows(database.url, counts)
    await commandLine(database.url).refuses(
      ['setup', ...salon],
      2,
      new RegExp(`Salon Spree \\(${made.business.id}\\).*key create --business ${made.business.id}`),
    )
    expect(await readRows(database.url, counts)).toEqual(before)
  })

  test('two at once make one business', async () => {
    const shared = await createMigratedDatabase(engine)
    const ran = await Promise.all(
      [1, 2, 3].map(() => runHoldfast(['setup', ...salon], { variables: { DATABASE_URL: shared.url } })),
    )
    expect(ran.map(({ code }) => code).toSorted()).toEqual([0, 2, 2])
    expect((await readRows(shared.url, counts)).map((row) => ({ ...row }))).toEqual([
      { businesses: 1, keys: 3, services: 1 },
    ])
    await shared.drop()
  })

  longTest('killed at any statement, it leaves a whole business or none, and can be run again', async () => {
    let ended = false
    const apart = isWhole ? 7 : 37
    for (let dieAt = 12; !ended && dieAt < 200; dieAt += apart) {
      const killed = await createMigratedDatabase(engine)
      const variables = { DATABASE_URL: killed.url, DIE_AT: String(dieAt) }
      const preloads = [`${project}/test/support/die-at-statement.ts`]
      const { code } = await runHoldfast(['setup', ...salon], { variables, preloads, program: builtServer })
      ended = code === 0
      const [row] = await readRows(killed.url, counts)
      const again = await commandLine(killed.url).run('setup', ...salon)
      if (Number(row?.['businesses']) === 0) {
        expect({ ...row }).toEqual({ businesses: 0, keys: 0, services: 0 })
        expect(again).toMatchObject({ code: 0 })
      } else {
        expect(Number(row?.['keys'])).toBeGreaterThanOrEqual(2)
        expect(Number(row?.['services'])).toBe(1)
        expect(again).toMatchObject({ code: 2 })
      }
      await killed.drop()
    }
    expect(ended).toBe(true)
  })
})

test('the first page of several businesses in production says nothing of them', async () => {
  const service = await startTestService('sqlite', { NODE_ENV: 'production' }, { empty: true })
  for (const name of ['Salon Spree', 'Other'])
    await commandLine(service.databaseUrl).text('business', 'create', name, '--timezone', 'Europe/Paris')
  const page = await service.call('GET', '//', { headers: { accept: 'text/html' } })
  expect(page.body).toContain('Nothing here')
  for (const name of ['Salon Spree', 'Other']) expect(page.body).not.toContain(name)
  await service.stop()
})

describe('the questions of holdfast setup', () => {
  test('are asked on a terminal, and again where an answer is not valid', async () => {
    const database = await createTestDatabase('sqlite')
    const { code, stdout, stderr } = await onTerminal(
      ['setup'],
      { DATABASE_URL: database.url },
      {
        'Name of your business': ['', 'Salon Spree'],
        'Time zone': ['Europe/Berlim', 'Europe/Berlin'],
        'Opening hours': ['nine to five', 'mon-fri 09:00-25:00', 'tue-sat 10:00-18:00'],
        'Your first service': ['Haircut'],
        'Its duration in minutes': ['long', '0', '45'],
        'Its price': ['35', '35 EUR'],
        'Who provides it': [''],
        'Your email address': [''],
        'Your phone number': ['call me', '+49 30 1234'],
        'Your website': ['www.example.com', 'https://www.example.com'],
      },
    )
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('did you mean Europe/Berlin')
    expect(stderr.match(/Invalid: /g)).toHaveLength(9)
    expect(stdout).toContain('Salon Spree is ready for bookings (Europe/Berlin).')
    const rows = await readRows(
      database.url,
      'select s.duration_minutes, s.price_amount, l.weekly_hours_json from services s, locations l',
    )
    expect(rows).toMatchObject([{ duration_minutes: 45, price_amount: 3500 }])
    expect(JSON.parse(String(rows[0]?.['weekly_hours_json']))).toHaveLength(5)
    await database.drop()
  })

  test('that options answer are not asked, and --json is data and nothing else', async () => {
    const database = await createTestDatabase('sqlite')
    const given = ['--json', ...salon.slice(1), '--hours', 'always', '--minutes', '20', '--price', '']
    const { code, stdout, stderr } = await onTerminal(
      ['setup', ...given],
      { DATABASE_URL: database.url },
      {
        'Who provides it': ['Ada'],
        'Your email address': ['ada', 'ada@example.com'],
        'Your phone number': [''],
        'Your website': [''],
      },
    )
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ business: { name: 'Salon Spree' } })
    await database.drop()
  })

  test('ended by the terminal, nothing was made', async () => {
    const database = await createTestDatabase('sqlite')
    const { code, stderr } = await onTerminal(
      ['setup'],
      { DATABASE_URL: database.url },
      { 'Name of your business': ['Salon'] },
    )
    expect(code).toBe(1)
    expect(stderr).toContain('Nothing was created')
    expect(await readRows(database.url, 'select id from businesses')).toEqual([])
    await database.drop()
  })
})

test('it says what to type next as it was called itself', async () => {
  const database = await createTestDatabase('sqlite')
  const byNpx = commandLine(database.url, { npm_command: 'exec' })
  expect(await byNpx.text('setup', ...salon)).toMatch(/: npx holdfast service create --business /)
  await database.drop()
})

test('without a terminal it wants --yes, and names every option that is missing or not valid', async () => {
  const database = await createTestDatabase('sqlite')
  const holdfast = commandLine(database.url)
  await holdfast.refuses(['setup'], 2, /add --yes/)
  await holdfast.refuses(['setup', '--yes'], 2, /--name must not be empty; --service must not be empty/)
  await holdfast.refuses(
    [
      'setup',
      ...salon,
      '--hours',
      'mon 9-5',
      '--minutes',
      'x',
      '--price',
      '5',
      '--website',
      'here',
      '--email',
      'x',
    ],
    2,
    /--hours "9-5" is not valid.*--price "5".*--website "here".*--minutes must be whole minutes.*--email must be/,
  )
  expect(await readRows(database.url, 'select id from businesses')).toEqual([])
  await database.drop()
})

// `script` of util-linux gives a command a separate terminal
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout.includes('util-linux')

test.runIf(hasScript)('on a real terminal, in production, it asks and warns without PUBLIC_URL', () => {
  const ran = spawnSync('script', ['-qec', `${process.execPath} ${builtServer} setup`, '/dev/null'], {
    encoding: 'utf8',
    cwd: emptyDirectory(),
    input: 'Salon Spree\n\n\nHaircut\n\n\n\n\n\n\n',
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', NODE_ENV: 'production' },
  })
  expect(ran.status, ran.stdout).toBe(0)
  expect(ran.stdout).toContain('Opening hours [mon-fri 09:00-17:00]: ')
  expect(ran.stdout).toContain('warning: PUBLIC_URL is not set')
  expect(ran.stdout).toContain('Salon Spree is ready for bookings')
})

longTest('holdfast serve leads to it in production, and tells after a restart how to get keys', async () => {
  const database = await createTestDatabase('sqlite')
  const serve = async (NODE_ENV: string) => {
    const server = startHoldfast(['serve'], {
      variables: { NODE_ENV, PORT: '0', DATABASE_URL: database.url },
    })
    await server.says(/^Holdfast serves .*\n\n/ms)
    server.signal('SIGTERM')
    await server.ended
    return server.stdout()
  }
  expect(await serve('production')).toContain('npx holdfast setup')
  await commandLine(database.url).text('setup', ...salon)
  const said = await serve('development')
  expect(said).toMatch(/^Booking page +http:\/\/127\.0\.0\.1:\d+\/book\/cal_pub_\w{38}$/m)
  expect(said).toMatch(
    /^ {15}\(of .+\)\nKeys are shown only once\. To create one for .+: npx holdfast key create --business [0-9a-f-]{36}$/m,
  )
  expect(said).not.toMatch(/cal_biz/)
  expect(await serve('production')).not.toMatch(/cal_/)
  await database.drop()
})
