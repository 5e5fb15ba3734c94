import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { asKeysSee } from '../support/event-body.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { onOneEngine } from '../support/long.ts'
import { type ServerProcess, startServer, withoutLimits } from '../support/server-process.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

const call = httpClients()
const unknown = '01990000-0000-7000-8000-000000000000'
/** A winter and a year in the future, whenever the tests run. */
const year = new Date().getUTCFullYear() + 1

onOneEngine('sqlite', 'bookings beside a running server', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let server: ServerProcess
  let holdfast: CommandLine
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    server = await startServer(database.url, withoutLimits)
    holdfast = commandLine(database.url)
  })
  afterAll(async () => {
    expect(await findErrors(database.url)).toEqual([])
    await server.stop()
    await database.drop()
  })

  /** Makes a booking as a client's widget does. */
  async function book(businessName: string, startsAt: string, client = ada) {
    const business = businessOf(world, businessName)
    const session = await call(server.address, 'POST', '/session', { token: business.publishable_key })
    const token = session.body.session_token as string
    const body = { ...offer(business, 'Meeting room'), starts_at: startsAt }
    const hold = await call(server.address, 'POST', '/bookings/hold', { token, body })
    const booked = await call(server.address, 'POST', '/bookings', {
      token,
      body: { hold_id: hold.body.hold_id, client, notes: 'by the window' },
    })
    if (booked.status !== 201) throw new Error(`no booking: ${JSON.stringify([hold.body, booked.body])}`)
    // the command line returns a different URL
    const { manage_url, ...booking } = booked.body as Record<string, unknown>
    return { id: booked.body.id as string, token, booking, link: String(manage_url).replace(/^.*#/, '') }
  }

  const eventsOf = async (id: string) =>
    (
      await readRows(database.url, `select type from events where booking_id = '${id}' order by position`)
    ).map(({ type }) => type)

  describe.each([
    ['growth', 'Thames Barbers', 'Europe/London', '+00:00'],
    ['pro', 'Lotus Clinic', 'Asia/Kolkata', '+05:30'],
    ['enterprise', 'Salon Spree', 'Europe/Berlin', '+01:00'],
  ])('of a business on the plan %s', (_plan, name, zone, offset) => {
    test('are listed, shown, moved, completed and cancelled, each with its event', async () => {
      const business = businessOf(world, name)
      const { id, token, booking, link } = await book(name, `${year}-01-12T10:00:00${offset}`)
      const list = cellsOf(await holdfast.text('booking', 'list', '--business', business.id))
      expect(list).toEqual([
        ['ID', 'STARTS', 'STATUS', 'SERVICE', 'LOCATION', 'STAFF', 'CLIENT'],
        [
          ...[id, `${year}-01-12 10:00 ${offset}`, 'confirmed', 'Meeting room', 'Online'],
          'Ada Lovelace <ada@example.com>',
        ],
      ])
      expect(await holdfast.json('booking', 'show', id)).toEqual({
        ...asKeysSee(booking),
        manage_url: expect.stringMatching(new RegExp(`/manage#${link}$`)),
      })

      const moved = await holdfast.text('booking', 'reschedule', id, '--to', `${year}-01-13 11:30`)
      expect(moved).toMatch(new RegExp(`^starts +${year}-01-13 11:30 \\${offset}$`, 'm'))
      expect(moved).toMatch(new RegExp(`^ends +${year}-01-13 12:30 \\${offset}$`, 'm'))
      expect(moved).toMatch(new RegExp(`^location +Online \\(${zone}\\)$`, 'm'))
      expect(await holdfast.text('booking', 'complete', id)).toMatch(/^status +completed$/m)
      expect(await holdfast.text('booking', 'cancel', id)).toMatch(
        /^status +cancelled$[^]*^cancelled +2\d{3}-/m,
      )
      expect(await eventsOf(id)).toEqual([
        ...[
          'booking.created',
          'booking.updated',
          'booking.rescheduled',
          'booking.completed',
          'booking.cancelled',
        ],
      ])
      const seen = await call(server.address, 'GET', `/bookings/${id}`, { token })
      const { manage_url: _link, ...whole } = seen.body as Record<string, unknown>
      expect(await holdfast.json('booking', 'show', id)).toMatchObject({ ...whole, no_show: false })
      expect(seen.body).toMatchObject({ status: 'cancelled', starts_at: `${year}-01-13T11:30:00${offset}` })
    })
  })

  test('booking show tells everything of a booking', async () => {
    const { id, link } = await book('Salon Spree', `${year}-02-01T10:00:00+01:00`)
    expect(cellsOf(await holdfast.text('booking', 'show', id.toUpperCase()))).toEqual([
      ['BOOKING', id],
      ['status', 'confirmed'],
      ['starts', `${year}-02-01 10:00 +01:00`],
      ['ends', `${year}-02-01 11:00 +01:00`],
      ['service', 'Meeting room'],
      ['location', 'Online (Europe/Berlin)'],
      ['staff'],
      ['client', 'Ada Lovelace <ada@example.com>'],
      ['notes', 'by the window'],
      ['cancelled'],
      ['business', businessOf(world, 'Salon Spree').id],
      ['manage link', `http://127.0.0.1:3000/manage#${link}`],
    ])
  })

  test('a slot that another has is refused with exit code 1 and the reason, and nothing is changed', async () => {
    const first = await book('Salon Spree', `${year}-02-02T10:00:00+01:00`)
    const second = await book('Salon Spree', `${year}-02-02T12:00:00+01:00`)
    const move = ['booking', 'reschedule', second.id, '--to', `${year}-02-02 10:30`]
    await holdfast.refuses(move, 1, /slot is booked/)
    expect(await holdfast.json('booking', 'show', second.id)).toMatchObject(second.booking)
    expect(await eventsOf(second.id)).toEqual(['booking.created'])
    await holdfast.text('booking', 'cancel', first.id)
    await holdfast.refuses(
      ['booking', 'reschedule', first.id, '--to', `${year}-02-03 10:00`],
      1,
      /is cancelled/,
    )
    expect(await holdfast.json(...move)).toMatchObject({ starts_at: `${year}-02-02T10:30:00+01:00` })
  })

  test('a move to a time that the rules do not offer is made, with the reason as a warning', async () => {
    const spree = businessOf(world, 'Salon Spree').id
    const named = (...args: string[]) => holdfast.json(...args, '--business', spree, '--json')
    const hours = ['--hours', 'daily 09:00-17:00']
    const { id: place } = await named('location', 'create', 'Yard', ...hours)
    const { id: mia } = await named(
      'staff',
      'create',
      'Mia Wolf',
      '--location',
      'Yard',
      '--hours',
      'daily 10:00-17:00',
    )
    const { id: massage } = await named(
      ...['service', 'create', 'Rub', '--duration', '60', '--location', 'Yard', '--staff', 'Mia Wolf'],
    )
    const session = await holdfast.json('session', 'create', '--business', spree)
    const token = session.session_token as string
    const day = `${year}-03-10`
    const hold = await call(server.address, 'POST', '/bookings/hold', {
      token,
      body: { service_id: massage, location_id: place, starts_at: `${day}T10:00:00+01:00` },
    })
    const booked = await call(server.address, 'POST', '/bookings', {
      token,
      body: { hold_id: hold.body.hold_id, client: ada },
    })
    const block = (what: string[], from: string, to: string) =>
      holdfast.text('block', 'create', ...what, '--from', `${day} ${from}`, '--to', `${day} ${to}`)
    await block(['--staff', String(mia)], '12:00', '13:00')
    await block(['--location', String(place)], '15:00', '16:00')
    const warningAt = async (to: string) => {
      const ran = await holdfast.run(
        'booking',
        'reschedule',
        booked.body.id as string,
        '--to',
        `${day} ${to}`,
      )
      expect(ran, ran.stderr).toMatchObject({ code: 0 })
      expect(ran.stdout).toContain(`${day} ${to}`)
      return ran.stderr
    }
    expect(await warningAt('11:00')).toBe('')
    expect(await warningAt('11:30')).toBe('warning: no slot of Rub starts at that time\n')
    expect(await warningAt('12:00')).toBe('warning: Mia Wolf is blocked at that time\n')
    expect(await warningAt('15:00')).toBe('warning: Yard is blocked at that time\n')
    expect(await warningAt('09:00')).toBe('warning: Mia Wolf does not work at that time\n')
    expect(await warningAt('20:00')).toBe('warning: Yard is not open at that time\n')
    await holdfast.text('service', 'update', String(massage), '--no-active')
    expect(await warningAt('10:00')).toBe('warning: Rub is not offered there any more\n')
  })

  test('an end of its own changes the duration', async () => {
    const { id } = await book('Salon Spree', `${year}-02-03T10:00:00+01:00`)
    const move = [
      'booking',
      'reschedule',
      id,
      '--to',
      `${year}-02-03T09:00:00Z`,
      '--until',
      `${year}-02-03 12:15`,
    ]
    expect(await holdfast.json(...move)).toMatchObject({
      starts_at: `${year}-02-03T10:00:00+01:00`,
      ends_at: `${year}-02-03T12:15:00+01:00`,
    })
  })

  test('what cannot be is refused with exit code 2 and records nothing', async () => {
    const { id, booking } = await book('Salon Spree', `${year}-02-04T10:00:00+01:00`)
    const move = (...args: string[]) => ['booking', 'reschedule', id, ...args]
    await holdfast.refuses(move('--to', '2027-03-28 02:30'), 2, /because the clocks go forward/)
    await holdfast.refuses(move('--to', '2027-10-31 02:30'), 2, /occurs twice in Europe\/Berlin/)
    await holdfast.refuses(move('--to', `${year}-02-05`), 2, /is not a valid time; write "2026-12-01 10:00"/)
    await holdfast.refuses(move('--to', '2020-01-01 10:00'), 2, /must be in the future/)
    await holdfast.refuses(
      move('--to', `${year}-02-05 10:00`, '--until', `${year}-02-05 09:00`),
      2,
      /later than/,
    )
    expect(await holdfast.json('booking', 'show', id)).toMatchObject(booking)
    expect(await eventsOf(id)).toEqual(['booking.created'])
  })

  test('cancelling and completing again change nothing and record nothing', async () => {
    const { id } = await book('Salon Spree', `${year}-02-06T10:00:00+01:00`)
    const cancelled = await holdfast.json('booking', 'cancel', id)
    expect(await holdfast.json('booking', 'cancel', id)).toEqual(cancelled)
    expect(await eventsOf(id)).toEqual(['booking.created', 'booking.cancelled'])
  })

  test('a cancelled booking is completed only with --revive, and then takes its slot again', async () => {
    const startsAt = `${year}-02-07T10:00:00+01:00`
    const { id } = await book('Salon Spree', startsAt)
    const cancelled = await holdfast.json('booking', 'cancel', id)
    await holdfast.refuses(['booking', 'complete', id], 2, /is cancelled\. .* add --revive/)
    expect(await holdfast.json('booking', 'show', id)).toMatchObject(cancelled)
    expect(await eventsOf(id)).toEqual(['booking.created', 'booking.cancelled'])
    const other = await book('Salon Spree', startsAt)
    await holdfast.refuses(['booking', 'complete', id, '--revive'], 1, /slot is booked/)
    await holdfast.text('booking', 'cancel', other.id)
    expect(await holdfast.json('booking', 'complete', id, '--revive')).toMatchObject({
      status: 'completed',
      cancelled_at: null,
    })
    expect((await eventsOf(id)).at(-1)).toBe('booking.completed')
    await book('Salon Spree', `${year}-02-07T12:00:00+01:00`)
  })

  test('booking list is narrowed by each of its options', async () => {
    const spree = businessOf(world, 'Salon Spree')
    const grace = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' }
    const { id } = await book('Salon Spree', `${year}-05-01T10:00:00+02:00`, grace)
    const only = async (...args: string[]) => {
      const { data } = await holdfast.json('booking', 'list', '--limit', '100', ...args)
      return (data as { id: string }[]).map((booking) => booking.id)
    }
    expect(await only('--email', 'GRACE@example.com')).toEqual([id])
    expect(await only('--search', 'hopp')).toEqual([id])
    expect((await only('--sort', 'starts_at')).at(-1)).toBe(id)
    expect(
      await only('--from', `${year}-05-01T10:00:00+02:00`, '--to', `${year}-05-01T10:01:00+02:00`),
    ).toEqual([id])
    expect(await only('--from', `${year}-05-01T10:00:01+02:00`)).toEqual([])
    const { service_id, location_id } = offer(spree, 'Meeting room')
    for (const scope of [
      ['--business', spree.id],
      ['--location', location_id],
      ['--service', service_id],
    ]) {
      expect(await only(...scope, '--from', `${year}-05-01`, '--to', `${year}-05-02`)).toEqual([id])
      expect(await only(...scope, '--from', `${year}-05-01 10:00`, '--to', `${year}-05-01 10:01`)).toEqual([
        id,
      ])
      expect(await only(...scope, '--from', `${year}-05-01 10:01`)).toEqual([])
    }
    expect(await only('--from', `${year}-05-01 10:00 +02:00`, '--to', `${year}-05-01 10:01 +02:00`)).toEqual([
      id,
    ])
    expect(await only('--service', service_id, '--location', location_id, '--status', 'confirmed')).toContain(
      id,
    )
    expect(await only('--status', 'cancelled')).not.toContain(id)
    expect(await only('--staff', spree.staff[0]?.id ?? '')).toEqual([])
    expect(await only('--business', businessOf(world, 'Hudson Studio').id)).toEqual([])
  })

  test('booking list goes on with the cursor that it prints, without repeating any', async () => {
    const all = await holdfast.json('booking', 'list', '--limit', '100')
    const seen: string[] = []
    let more: string[] = []
    do {
      const page = await holdfast.text('booking', 'list', '--limit', '4', ...more)
      seen.push(...[...page.matchAll(/^[0-9a-f]{8}-\S+/gm)].map(([id]) => id))
      more = /^There are more: add (--cursor \S+)$/m.exec(page)?.[1]?.split(' ') ?? []
    } while (more.length > 0 && seen.length < 100)
    expect(seen).toEqual((all.data as { id: string }[]).map(({ id }) => id))
    expect(seen.length).toBeGreaterThan(4)
  })

  test('an unknown id is refused with exit code 2, and with the booking that was probably meant', async () => {
    const { id } = await book('Salon Spree', `${year}-03-01T10:00:00+01:00`)
    const slip = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const meant = `Did you mean ${id} (Meeting room for Ada Lovelace, ${year}-03-01 10:00 +01:00)?`
    for (const command of ['show', 'cancel', 'complete']) {
      await holdfast.refuses(['booking', command, slip], 2, meant)
    }
    await holdfast.refuses(['booking', 'reschedule', slip, '--to', `${year}-03-02 10:00`], 2, meant)
    await holdfast.refuses(
      ['booking', 'show', unknown],
      2,
      /no booking .* "holdfast booking list" shows them/,
    )
    expect(await holdfast.json('booking', 'show', id)).toMatchObject({ status: 'confirmed' })
  })

  test('a list is not narrowed by what is not there', async () => {
    const list = (...args: string[]) => ['booking', 'list', ...args]
    await holdfast.refuses(list('--business', 'salon spree'), 2, /Did you mean \S+ \(Salon Spree\)/)
    await holdfast.refuses(list('--service', unknown), 2, /no service /)
    await holdfast.refuses(list('--location', 'online'), 2, /no location .* Did you mean \S+ \(Online\)/)
    await holdfast.refuses(list('--staff', unknown), 2, /no staff member/)
    await holdfast.refuses(list('--from', `${year}-05-01`), 2, /--from "\d{4}-05-01" needs an offset/)
    await holdfast.refuses(
      list('--staff', unknown, '--service', unknown, '--email', 'ada'),
      2,
      /no service .*no staff member .*--email must be an email/,
    )
    await holdfast.refuses(
      list('--business', businessOf(world, 'Salon Spree').id, '--from', 'now', '--to', `${year}-02-30`),
      2,
      /--from: "now" is not a valid time.* --to: "\d{4}-02-30" is not a valid time/,
    )
    await holdfast.refuses(list('--email', 'ada'), 2, /--email must be an email address/)
    await holdfast.refuses(list('--search', 'ad'), 2, /--search must have at least 3 characters/)
    await holdfast.refuses(list('--limit', '0'), 2, /--limit must be a whole number from 1 to 100/)
    await holdfast.refuses(list('--cursor', 'nonsense'), 2, /next_cursor of the previous page/)
  })
})
