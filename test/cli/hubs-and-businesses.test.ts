import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { type AheadServer, startAheadServer } from '../support/ahead-server.ts'
import { readRows } from '../support/checker.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { onOneEngine } from '../support/long.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'

const call = httpClients()

onOneEngine('sqlite', 'hubs and businesses beside a running server', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let server: AheadServer
  let holdfast: CommandLine
  let salon: DemoWorld['businesses'][number]
  let barbers: DemoWorld['businesses'][number]
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    server = await startAheadServer(database.url)
    holdfast = commandLine(database.url)
    salon = businessOf(world, 'Salon Spree')
    barbers = businessOf(world, 'Thames Barbers')
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  const codeOf = async (token: string) =>
    String((await call(server.address, 'GET', '/bookings', { token })).body.code ?? 'works')

  /** Expects this answer of the server after the promised five seconds. */
  const comesAbout = async (token: string, code: string) => {
    server.advance(5)
    expect(await codeOf(token)).toBe(code)
  }

  test('hub list shows every hub, as a table and as data', async () => {
    expect(cellsOf(await holdfast.text('hub', 'list'))).toEqual([
      ['ID', 'NAME', 'PLAN'],
      [world.hub.id, 'Demo hub', 'enterprise'],
    ])
    const created_at = expect.stringMatching(/^[\d-]{10}T[\d:]{8}\+00:00$/) as string
    expect(await holdfast.json('hub', 'list')).toEqual({
      data: [{ id: world.hub.id, name: 'Demo hub', plan: 'enterprise', created_at }],
      next_cursor: null,
    })
  })

  test('business list shows every business with the plan in effect, by name', async () => {
    expect(cellsOf(await holdfast.text('business', 'list'))).toEqual([
      ['ID', 'NAME', 'PLAN', 'TIME ZONE', 'HUB'],
      [businessOf(world, 'Hudson Studio').id, 'Hudson Studio', 'enterprise', 'America/New_York', 'Demo hub'],
      [businessOf(world, 'Lotus Clinic').id, 'Lotus Clinic', 'pro', 'Asia/Kolkata'],
      [salon.id, 'Salon Spree', 'enterprise', 'Europe/Berlin', 'Demo hub'],
      [barbers.id, 'Thames Barbers', 'growth', 'Europe/London'],
    ])
    const { data } = await holdfast.json('business', 'list', '--hub', world.hub.id)
    expect(data[0]).toMatchObject({
      name: 'Hudson Studio',
      hub_id: world.hub.id,
      hub_name: 'Demo hub',
      plan_in_effect: 'enterprise',
      limit_per_minute: null,
      limit_per_hour: null,
    })
  })

  test('business list of a hub leaves the others out', async () => {
    const own = cellsOf(await holdfast.text('business', 'list', '--hub', world.hub.id.toUpperCase()))
    expect(own.slice(1).map(([, name]) => name)).toEqual(['Hudson Studio', 'Salon Spree'])
    const { id } = await holdfast.json('hub', 'create', 'Nobody is in it')
    expect(await holdfast.text('business', 'list', '--hub', id as string)).toMatch(
      /^Businesses of the hub .*:\n\(none\)\n$/,
    )
  })

  test('business show tells everything that can be changed', async () => {
    const shown = await holdfast.text('business', 'show', salon.id)
    expect(cellsOf(shown)).toEqual([
      ['BUSINESS', salon.id],
      ['name', 'Salon Spree'],
      ['plan', 'enterprise'],
      ['time zone', 'Europe/Berlin'],
      ['hub', `Demo hub (${world.hub.id})`],
      ['brand name', 'Salon Spree'],
      ['brand colour', '#1f6f5c'],
      ['brand logo', 'http://127.0.0.1:3000/docs/salon-spree.png'],
      ['requests per minute', 'limit of its plan'],
      ['requests per hour', 'limit of its plan'],
      ['maximum services', '3000'],
      ['maximum locations', '300'],
      ['maximum staff', '1000'],
      ['maximum resources', '1000'],
      ['longest pause in a visit', '0 minutes'],
      ['time to answer an offer', '60 minutes'],
      ['bookings per client', '5'],
      ['trusted networks'],
      ['clients are erased', 'never'],
      ['phone'],
      ['name in links', 'salon-spree'],
      ['language of emails', 'en'],
      ['replies to', 'hello@salon-spree.example'],
      ['notified of bookings'],
      ['reminders', '24 h before'],
      ['quiet hours'],
      ['also as text messages'],
    ])
    expect(await holdfast.json('business', 'show', salon.id)).toMatchObject({
      id: salon.id,
      plan: 'enterprise',
      plan_in_effect: 'enterprise',
      brand_color: '#1f6f5c',
    })
  })

  test('a changed plan of a business takes effect on the server within five seconds, both ways', async () => {
    expect(await codeOf(barbers.business_key)).toBe('plan_required')
    await holdfast.text('business', 'update', barbers.id, '--plan', 'enterprise')
    await comesAbout(barbers.business_key, 'works')
    await holdfast.text('business', 'update', barbers.id, '--plan', 'pro')
    await comesAbout(barbers.business_key, 'plan_required')
  })

  test('a changed plan of a hub counts for its businesses within five seconds, and is shown as what is in effect', async () => {
    const hub = await holdfast.json('hub', 'create', 'Rising', '--plan', 'growth')
    const business = await holdfast.json(
      ...['business', 'create', 'Small', '--timezone', 'UTC', '--plan', 'growth', '--hub', hub.id as string],
    )
    const { stdout } = await holdfast.run('key', 'create', '--business', business.id as string, '--json')
    const { key } = JSON.parse(stdout) as { key: string }
    expect(await codeOf(key)).toBe('plan_required')
    const renamed = await holdfast.text(
      'hub',
      'update',
      hub.id as string,
      '--plan',
      'enterprise',
      '--name',
      'Risen',
    )
    expect(renamed).toBe(`hub ${String(hub.id)}  Risen  (enterprise)\n`)
    await comesAbout(key, 'works')
    const shown = await holdfast.text('business', 'show', business.id as string)
    expect(shown).toContain('growth; enterprise in effect through its hub')
    expect(shown).toContain('Risen')
  })

  test('a time zone is spelled as the tz database spells it', async () => {
    const made = await holdfast.json('business', 'create', 'Zoned', '--timezone', 'europe/berlin')
    expect(made).toMatchObject({ timezone: 'Europe/Berlin' })
    const changed = await holdfast.json('business', 'update', String(made.id), '--timezone', 'ASIA/TOKYO')
    expect(changed).toMatchObject({ timezone: 'Asia/Tokyo' })
  })

  test('name, time zone and brand are changed; what is not named stays', async () => {
    const business = await holdfast.json('business', 'create', 'Before', '--timezone', 'UTC')
    const update = (...args: string[]) => holdfast.json('business', 'update', business.id as string, ...args)
    expect(
      await update(
        '--name',
        ' After ',
        '--timezone',
        'Asia/Tokyo',
        '--brand-name',
        'Brand',
        '--brand-color',
        '#010203',
      ),
    ).toMatchObject({ name: 'After', timezone: 'Asia/Tokyo', brand_name: 'Brand', brand_color: '#010203' })
    expect(await update('--brand-logo-url', 'https://example.com/l.png')).toMatchObject({
      name: 'After',
      brand_name: 'Brand',
      brand_logo_url: 'https://example.com/l.png',
    })
    expect(await update('--no-brand')).toMatchObject({
      name: 'After',
      brand_name: null,
      brand_color: null,
      brand_logo_url: null,
    })
    const [stored] = await readRows(
      database.url,
      `select name, timezone, plan, brand_name from businesses where id = '${String(business.id)}'`,
    )
    expect(stored).toEqual({ name: 'After', timezone: 'Asia/Tokyo', plan: 'enterprise', brand_name: null })
  })

  test('limits of an Enterprise business are set, shown and taken away', async () => {
    const { id } = await holdfast.json('business', 'create', 'Busy', '--timezone', 'UTC')
    const set = await holdfast.text(
      ...['business', 'update', id as string, '--limit-per-minute', '1200', '--limit-per-hour', '40000'],
    )
    expect(set).toMatch(/^requests per minute +1200 for each key$/m)
    expect(set).toMatch(/^requests per hour +40000 for each key$/m)
    expect(await holdfast.json('business', 'update', id as string, '--limit-per-minute', '5')).toMatchObject({
      limit_per_minute: 5,
      limit_per_hour: 40000,
    })
    const stored = () =>
      readRows(database.url, `select limit_per_minute, limit_per_hour from businesses where name = 'Busy'`)
    expect(await stored()).toEqual([{ limit_per_minute: 5, limit_per_hour: 40000 }])
    expect(await holdfast.json('business', 'update', id as string, '--no-limits')).toMatchObject({
      limit_per_minute: null,
      limit_per_hour: null,
    })
    expect(await stored()).toEqual([{ limit_per_minute: null, limit_per_hour: null }])
  })

  test('limits of the catalogue are set, shown and taken away', async () => {
    const { id } = await holdfast.json('business', 'create', 'Large', '--timezone', 'UTC', '--plan', 'growth')
    const update = (...options: string[]) => holdfast.json('business', 'update', id as string, ...options)
    expect(await update('--max-services', '5000', '--max-locations', '31')).toMatchObject({
      ...{ max_services: 5000, max_locations: 31, max_staff: null },
    })
    const shown = await holdfast.text('business', 'show', id as string)
    expect(shown).toMatch(/^maximum services +5000$/m)
    expect(shown).toMatch(/^maximum staff +100$/m)
    expect(await update('--max-services', 'none', '--max-staff', '200')).toMatchObject({
      ...{ max_services: null, max_locations: 31, max_staff: 200 },
    })
  })

  test('business update sets what strangers may do, and "none" takes it away', async () => {
    const { id } = await holdfast.json('business', 'create', 'Careful', '--timezone', 'UTC')
    const update = (...options: string[]) => holdfast.json('business', 'update', id as string, ...options)
    const networks = ['203.0.113.7/32', '2001:db8::/48']
    expect(
      await update('--trusted-networks', networks.join(', '), '--max-bookings-per-client', '9'),
    ).toMatchObject({ trusted_networks: networks, max_bookings_per_client: 9 })
    expect(await update('--max-bookings-per-client', 'none')).toMatchObject({
      trusted_networks: networks,
      max_bookings_per_client: null,
    })
    expect(await update('--trusted-networks', 'none')).toMatchObject({ trusted_networks: [] })
    const refused = ['business', 'update', id as string]
    await holdfast.refuses([...refused, '--trusted-networks', '10.0.0.1'], 2, '10.0.0.1/32')
    await holdfast.refuses([...refused, '--trusted-networks', 'a,b'], 2, 'such as 203.0.113.0/24')
    const eleven = Array.from({ length: 11 }, (_, n) => `10.${n}.0.0/16`).join(',')
    await holdfast.refuses([...refused, '--trusted-networks', eleven], 2, 'at most 10')
    await holdfast.refuses([...refused, '--max-bookings-per-client', '101'], 2, 'from 1 to 100')
    await holdfast.refuses(
      [...refused, '--timezone', 'Mars', '--max-bookings-per-client', '0', '--trusted-networks', 'a'],
      2,
      /There is no time zone "Mars".* from 1 to 100.* such as 203/,
    )
    await holdfast.refuses(
      ['business', 'create', ' ', '--timezone', 'Mars', '--brand-color', 'red'],
      2,
      /A name is one line.*no time zone "Mars".*#1a2b3c/,
    )
    expect(await holdfast.json('business', 'show', id as string)).toMatchObject({
      trusted_networks: [],
      max_bookings_per_client: null,
    })
  })

  test('trusting a whole part of the internet is refused', async () => {
    const { id } = await holdfast.json('business', 'create', 'Trusting', '--timezone', 'UTC')
    const update = (ranges: string) => ['business', 'update', id as string, '--trusted-networks', ranges]
    for (const wide of ['0.0.0.0/0', '10.0.0.0/7', '::/0', '2001:db8::/31'])
      await holdfast.refuses(update(`192.0.2.0/24,${wide}`), 2, /must not be wider than \/(8|32)/)
    await holdfast.refuses(update('::ffff:0:0/96'), 2, /must name IPv4 addresses as such/)
    expect(await holdfast.json(...update('10.0.0.0/8,2001:db8::/32'))).toMatchObject({
      trusted_networks: ['10.0.0.0/8', '2001:db8::/32'],
    })
  })

  test('limits are refused where no plan would heed them, unless the plan comes along', async () => {
    const { id } = await holdfast.json('business', 'create', 'Slow', '--timezone', 'UTC', '--plan', 'growth')
    const update = ['business', 'update', id as string, '--limit-per-minute', '100']
    await holdfast.refuses(update, 2, /on growth. Add --plan enterprise/)
    expect(await holdfast.json(...update, '--plan', 'enterprise')).toMatchObject({ limit_per_minute: 100 })
  })

  test('an unknown id is refused with the one that was probably meant', async () => {
    await holdfast.refuses(
      ['business', 'show', salon.id.slice(0, 6)],
      2,
      `Did you mean ${salon.id} (Salon Spree)?`,
    )
    await holdfast.refuses(['business', 'show', 'salon spree'], 2, `Did you mean ${salon.id} (Salon Spree)?`)
    await holdfast.refuses(['business', 'show', 'Salon Sprie'], 2, `Did you mean ${salon.id} (Salon Spree)?`)
    await holdfast.refuses(
      ['key', 'create', '--hub', 'Demohub'],
      2,
      `Did you mean ${world.hub.id} (Demo hub)?`,
    )
    await holdfast.refuses(
      ['business', 'show', 'Nail bar'],
      2,
      /^holdfast: There is no business Nail bar\. "holdfast/,
    )
    const slip = salon.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    await holdfast.refuses(
      ['business', 'update', slip, '--name', 'X'],
      2,
      `Did you mean ${salon.id} (Salon Spree)?`,
    )
    await holdfast.refuses(
      ['hub', 'update', 'demo hub', '--name', 'X'],
      2,
      `Did you mean ${world.hub.id} (Demo hub)?`,
    )
  })
})
