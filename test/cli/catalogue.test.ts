import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { onOneEngine } from '../support/long.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'

onOneEngine('sqlite', 'services, locations, staff and blocks from the command line', (engine) => {
  let database: TestDatabase
  let holdfast: CommandLine
  let business: string
  let place: string
  let anna: string
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    holdfast = commandLine(database.url)
    business = (await holdfast.json('business', 'create', 'Spa', '--timezone', 'Europe/Vienna')).id as string
    const hours = ['--hours', 'mon-fri 09:00-12:00 13:00-18:00, sat 10:00-14:00']
    const dates = ['--override', '2026-12-24 09:00-12:00', '--override', '2026-12-25 closed']
    const made = await holdfast.json('location', 'create', 'Main', '--business', business, ...hours, ...dates)
    place = made.id as string
    anna = (await holdfast.json('staff', 'create', 'Anna', '--business', business, '--location', 'Main'))
      .id as string
  })
  afterAll(() => database.drop())

  test('a location has the hours that were written, and is listed with them', async () => {
    const { data } = await holdfast.json('location', 'list', '--business', business)
    expect(data).toMatchObject([
      {
        id: place,
        timezone: 'Europe/Vienna',
        date_overrides: [
          { date: '2026-12-24', hours: [{ opens: '09:00', closes: '12:00' }] },
          { date: '2026-12-25', hours: [] },
        ],
      },
    ])
    expect(data[0].weekly_hours).toHaveLength(11)
    expect(cellsOf(await holdfast.text('location', 'list', '--business', business))).toEqual([
      ['ID', 'NAME', 'TIME ZONE', 'HOURS', 'STATE'],
      [place, 'Main', 'Europe/Vienna', 'mon-fri 09:00-12:00 13:00-18:00, sat 10:00-14:00', 'active'],
    ])
  })

  test('a service names its places and people by name or id, and its price in money', async () => {
    const made = await holdfast.json(
      ...['service', 'create', 'Massage', '--business', business, '--duration', '45', '--buffer-after', '15'],
      ...['--location', place, '--staff', 'Anna', '--price', '60.50 EUR', '--deposit', '10 EUR'],
    )
    expect(made).toMatchObject({
      duration_minutes: 45,
      buffer_after_minutes: 15,
      location_ids: [place],
      staff_ids: [anna],
      price: { amount: 6050, currency: 'EUR' },
      deposit: { amount: 1000, currency: 'EUR' },
    })
    const changed = await holdfast.json(
      ...[
        'service',
        'update',
        made.id as string,
        '--duration',
        '60',
        '--deposit',
        'none',
        '--no-staff',
        '--no-active',
      ],
    )
    expect(changed).toEqual({
      ...made,
      duration_minutes: 60,
      deposit: null,
      payment: 'none',
      staff_ids: [],
      active: false,
    })
    const timed = await holdfast.json(
      ...['service', 'update', made.id as string, '--timetable', 'mon-tue 09:00 18:30, sat 10:00'],
    )
    expect(timed.timetable).toEqual([
      { weekday: 'monday', starts: ['09:00', '18:30'] },
      { weekday: 'tuesday', starts: ['09:00', '18:30'] },
      { weekday: 'saturday', starts: ['10:00'] },
    ])
    expect(await holdfast.json('service', 'update', made.id as string, '--timetable', 'none')).toEqual({
      ...timed,
      timetable: null,
    })
    expect(cellsOf(await holdfast.text('service', 'list', '--business', business))).toEqual([
      ['ID', 'NAME', 'MINUTES', 'CAPACITY', 'PRICE', 'DEPOSIT', 'STATE'],
      [made.id, 'Massage', '60', '1', '60.50 EUR', 'inactive'],
    ])
    expect(await holdfast.text('service', 'update', made.id as string, '--active')).toMatch(/Massage\n$/)
  })

  test('a location and a staff member change, go and come back', async () => {
    const { id } = await holdfast.json(
      'location',
      'create',
      'Second',
      '--business',
      business,
      '--timezone',
      'Asia/Tokyo',
    )
    const moved = ['location', 'update', id as string]
    expect(
      await holdfast.json(...moved, '--hours', 'never', '--no-active', '--address', 'Here'),
    ).toMatchObject({
      timezone: 'Asia/Tokyo',
      weekly_hours: [],
      active: false,
      address: 'Here',
    })
    expect(await holdfast.json(...moved, '--hours', 'always', '--active', '--address', 'none')).toMatchObject(
      {
        weekly_hours: null,
        active: true,
        address: null,
      },
    )
    const member = ['staff', 'update', anna]
    const email = 'anna@example.com'
    expect(
      await holdfast.json(...member, '--email', email, '--no-location', '--hours', 'daily 10:00-12:00'),
    ).toMatchObject({
      email,
      location_ids: [],
    })
    expect(await holdfast.text('staff', 'list')).toMatch(/mon-sun 10:00-12:00/)
    expect(await holdfast.json(...member, '--email', 'none', '--location', 'Second')).toMatchObject({
      email: null,
      location_ids: [id],
    })
  })

  test('a person sees the time zone of a created or changed location', async () => {
    const created = await holdfast.text('location', 'create', 'Harbour', '--business', business)
    const id = /^location (\S+) {2}Harbour {2}\(Europe\/Vienna\)\n$/.exec(created)?.[1] ?? ''
    const moved = ['location', 'update', id, '--timezone', 'Asia/Tokyo', '--no-active']
    expect(await holdfast.text(...moved)).toBe(`location ${id}  Harbour  (Asia/Tokyo, inactive)\n`)
    const hired = await holdfast.text('staff', 'create', 'Ben', '--business', business)
    expect(hired).toMatch(/^staff member \S+ {2}Ben\n$/)
  })

  test('a block is made in the time of its place, listed and deleted', async () => {
    const made = await holdfast.json(
      ...['block', 'create', '--location', place, '--from', '2027-03-01 09:00', '--to', '2027-03-01 12:00'],
    )
    expect(made).toMatchObject({ starts_at: '2027-03-01T09:00:00+01:00', conflicting_booking_ids: [] })
    expect(await holdfast.text('block', 'list', '--business', business)).toContain('2027-03-01 09:00 +01:00')
    expect(await holdfast.text('block', 'list', '--staff', anna)).toBe('Blocks of all businesses:\n(none)\n')
    expect(await holdfast.text('block', 'delete', made.id as string)).toContain('is deleted')
    expect(await holdfast.text('block', 'list')).toBe('Blocks of all businesses:\n(none)\n')
    await holdfast.refuses(['block', 'delete', made.id as string], 2, 'There is no block with this id')
  })

  test('a block and an export name what is meant by a unique name', async () => {
    const to = ['--to', '2027-03-02 12:00']
    const block = (...args: string[]) => ['block', 'create', ...args, '--from', '2027-03-02 09:00', ...to]
    const [ofPlace, ofAnna] = [
      await holdfast.json(...block('--location', 'Main')),
      await holdfast.json(...block('--staff', 'Anna')),
    ]
    expect(ofPlace).toMatchObject({ location_id: place, staff_id: null })
    expect(ofAnna).toMatchObject({ location_id: null, staff_id: anna })
    const list = async (...args: string[]) =>
      ((await holdfast.json('block', 'list', ...args)).data as { id: string }[]).map(({ id }) => id)
    expect(await list('--from', '2027-03-02 11:59')).toHaveLength(2) // the zone of the only business
    expect(await list('--location', place, '--from', '2027-03-02 12:00')).toEqual([])
    expect(await list('--staff', anna, '--from', '2027-03-02', '--to', '2027-03-03')).toEqual([ofAnna.id])
    for (const { id } of [ofPlace, ofAnna]) await holdfast.text('block', 'delete', id as string)

    expect(await holdfast.text('export', 'Spa')).toBe(await holdfast.text('export', business))
    const other = (await holdfast.json('business', 'create', 'Spa', '--timezone', 'UTC')).id as string
    await holdfast.json('location', 'create', 'Main', '--business', other)
    await holdfast.refuses(['export', 'Spa'], 2, /"Spa" can be 2 of them\. Use the id: \S{36}, \S{36}\./)
    await holdfast.refuses(block('--location', 'Main'), 2, /"Main" can be 2 of them\. Use the id: /)
    await holdfast.refuses(['block', 'list', '--from', '2027-03-02'], 2, /needs an offset/)
    await holdfast.text('location', 'update', place, '--name', 'Main hall')
    expect(await holdfast.json(...block('--location', 'Main hall'))).toMatchObject({ location_id: place })
    await holdfast.text('location', 'update', place, '--name', 'Main')
  })

  const service = (...args: string[]) => [
    'service',
    'create',
    'X',
    '--business',
    business,
    '--location',
    'Main',
    ...args,
  ]
  const refused: [what: string, args: () => string[], reason: RegExp][] = [
    [
      'every wrong option',
      () => service('--duration', '30m', '--capacity', '0'),
      /: --duration must be whole minutes, such as 30\. --capacity must be at least 1\.$/m,
    ],
    [
      'every option that cannot be read, with every one that does not fit',
      () =>
        service(
          ...['--duration', '30m', '--price', 'much', '--staff', 'Ana', '--location', 'Man'],
          ...['--location', 'Mein', '--buffer-after', '-1'],
        ),
      /--duration must be whole minutes, such as 30\. "much" is not a valid amount.*--location: "Man" is not.*"Mein" is not.*--staff: "Ana" is not.*--buffer-after must be at least 0\.$/m,
    ],
    [
      'every wrong option of a change',
      () => ['location', 'update', place, '--hours', 'all day', '--override', 'soon', '--timezone', 'Mars'],
      /"all" is not a valid day range.*"soon" is not a valid override.*--timezone/,
    ],
    [
      'both wrong times of a block',
      () => ['block', 'create', '--location', place, '--from', 'now', '--to', 'later'],
      /"now" is not a valid time.*"later" is not a valid time/,
    ],
    [
      'a name that nobody has',
      () => ['block', 'create', '--staff', 'anna', '--from', 'now', '--to', 'later'],
      /There is no staff member .* Did you mean \S+ \(Anna\)\?/,
    ],
    [
      'a deposit above the price',
      () => service('--duration', '5', '--price', '5 EUR', '--deposit', '6 EUR'),
      /--deposit must be at most/,
    ],
    [
      'money that is none',
      () => service('--duration', '5', '--price', '5.123 EUR'),
      /"5\.123 EUR" is not a valid amount/,
    ],
    [
      'a place that is none',
      () => ['service', 'create', 'X', '--business', business, '--duration', '5', '--location', 'Man'],
      /"Man" is not a location; known: Harbour, Main/,
    ],
    [
      'a zone with a slip',
      () => ['location', 'create', 'X', '--business', business, '--timezone', 'Europe/Wien'],
      /did you mean/,
    ],
    [
      'hours that overlap',
      () => ['location', 'update', place, '--hours', 'mon 09:00-12:00 11:00-13:00'],
      /--hours \(number 2\) overlaps/,
    ],
    [
      'hours in words',
      () => ['location', 'update', place, '--hours', 'all day'],
      /"all" is not a valid day range; use mon, mon-fri or daily/,
    ],
    [
      'a date that is none',
      () => ['location', 'update', place, '--override', '2026-02-30 closed'],
      /--override \(number 1\) must be a date/,
    ],
    [
      'an id with a slip',
      () => ['service', 'update', place, '--duration', '5'],
      /There is no service \S+\. /,
    ],
    [
      'a name in other letters',
      () => ['location', 'update', 'MAIN', '--active'],
      /Did you mean .* \(Main\)\?/,
    ],
    ['nothing to change', () => ['staff', 'update', anna], /Nothing to change/],
    [
      'a block of nothing',
      () => ['block', 'create', '--from', '2027-03-01 09:00', '--to', '2027-03-01 10:00'],
      /one of --location, --staff and --resource/,
    ],
    [
      'a block that ends before it begins',
      () => ['block', 'create', '--staff', anna, '--from', '2027-03-01 09:00', '--to', '2027-03-01 08:00'],
      /--to must be after/,
    ],
  ]

  test.each(refused)('%s: exit code 2 and the reason', async (_what, args, reason) => {
    await holdfast.refuses(args(), 2, reason)
  })
})
