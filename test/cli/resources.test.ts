import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { onOneEngine } from '../support/long.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'

onOneEngine('sqlite', 'rooms and equipment from the command line', (engine) => {
  let database: TestDatabase
  let holdfast: CommandLine
  let business: string
  let place: string
  let anna: string
  let room: string
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    holdfast = commandLine(database.url)
    business = (await holdfast.json('business', 'create', 'Spa', '--timezone', 'Europe/Vienna')).id as string
    place = (await holdfast.json('location', 'create', 'Main', '--business', business)).id as string
    anna = (await holdfast.json('staff', 'create', 'Anna', '--business', business)).id as string
    const quantity = ['--location', 'Main', '--quantity', '2', '--hours', 'mon-fri 09:00-12:00']
    room = (await holdfast.json('resource', 'create', 'Room', '--business', business, ...quantity))
      .id as string
  })
  afterAll(() => database.drop())

  test('a resource is listed with its quantity and hours, changed and deactivated', async () => {
    expect(cellsOf(await holdfast.text('resource', 'list', '--business', business))).toEqual([
      ['ID', 'NAME', 'QUANTITY', 'LOCATION ID', 'HOURS', 'STATE'],
      [room, 'Room', '2', place, 'mon-fri 09:00-12:00', 'active'],
    ])
    expect(
      await holdfast.json('resource', 'update', 'Room', '--quantity', '3', '--hours', 'always'),
    ).toMatchObject({
      quantity: 3,
      weekly_hours: null,
    })
    expect(await holdfast.text('resource', 'update', room, '--no-active')).toContain('inactive')
    expect(await holdfast.json('resource', 'update', room, '--active')).toMatchObject({ active: true })
    await holdfast.refuses(['resource', 'update', 'Room', '--quantity', '501'], 2, /--quantity/)
    await holdfast.refuses(['resource', 'update', 'Rum', '--quantity', '5'], 2, /There is no resource Rum/)
    const nowhere = ['resource', 'create', 'X', '--business', business, '--location', 'Nowhere']
    await holdfast.refuses(nowhere, 2, /--location.*Nowhere/)
  })

  test('a service has steps, needs and terms as they are written, and loses them', async () => {
    const made = await holdfast.json(
      ...['service', 'create', 'Colour', '--business', business, '--location', 'Main', '--staff', 'Anna'],
      ...['--steps', '30, 35 without, 25', '--price', '90 EUR'],
      ...['--need', 'Room', '--need', `${room} x2 staffed`, '--terms', 'Anna: 95.50 EUR in 80'],
    )
    expect(made).toMatchObject({
      duration_minutes: 90,
      steps: [
        { minutes: 30, staffed: true },
        { minutes: 35, staffed: false },
        { minutes: 25, staffed: true },
      ],
      needs: [
        { resource_ids: [room], quantity: 1, during: 'all' },
        { resource_ids: [room], quantity: 2, during: 'staffed' },
      ],
      terms: [{ staff_id: anna, price: { amount: 9550, currency: 'EUR' }, duration_minutes: 80 }],
    })
    const update = (...options: string[]) => holdfast.json('service', 'update', 'Colour', ...options)
    expect((await update('--terms', 'Anna: in 20, 10 without, 5')).terms).toEqual([
      { staff_id: anna, steps: [20, 10, 5].map((minutes) => ({ minutes, staffed: minutes !== 10 })) },
    ])
    expect((await update('--terms', `${anna}: 80 EUR`)).terms).toEqual([
      { staff_id: anna, price: { amount: 8000, currency: 'EUR' } },
    ])
    expect(await update('--steps', 'none', '--no-need', '--no-terms')).toMatchObject({
      ...{ duration_minutes: 90, steps: null, needs: [], terms: [] },
    })
  })

  test.each([
    [['--steps', '30, 20 off'], /20 off/],
    [['--steps', '30, 20 without'], /--steps/],
    [['--duration', '20', '--steps', '30'], /--duration/],
    [['--steps', '30', '--need', 'Rom'], /--need.*Rom/],
    [['--steps', '30', '--need', 'Room x501'], /--need/],
    [['--steps', '30', '--terms', 'Anna 95 EUR'], /Anna 95 EUR/],
    [['--steps', '30', '--terms', 'Bob: 95 EUR'], /--terms.*Bob/],
    [['--steps', '30', '--terms', 'Anna: 95 EUR in ten'], /ten/],
    [[], /--duration/],
  ])('a service with %j is refused with the option', async (options, reason) => {
    const named = [
      'service',
      'create',
      'Wrong',
      '--business',
      business,
      '--location',
      'Main',
      '--staff',
      'Anna',
    ]
    await holdfast.refuses([...named, ...options], 2, reason)
  })

  test('a block of a resource is listed as such', async () => {
    const times = ['--from', '2026-12-01 09:00', '--to', '2026-12-01 12:00']
    const made = await holdfast.json('block', 'create', '--resource', 'Room', ...times)
    expect(made).toMatchObject({
      resource_id: room,
      location_id: null,
      starts_at: '2026-12-01T09:00:00+01:00',
    })
    const [, row] = cellsOf(
      await holdfast.text('block', 'list', '--resource', 'Room', '--business', business),
    )
    expect(row).toContain('resource Room')
    await holdfast.refuses(
      ['block', 'create', '--resource', 'Room', '--staff', 'Anna', ...times],
      2,
      /--resource/,
    )
  })

  test('a business has a longest pause and a limit of resources', async () => {
    const changed = await holdfast.json(
      'business',
      'update',
      business,
      '--max-gap',
      '15',
      '--max-resources',
      '7',
    )
    expect(changed).toMatchObject({ max_gap_minutes: 15, max_resources: 7 })
    await holdfast.refuses(['business', 'update', business, '--max-gap', '121'], 2, /--max-gap/)
  })
})
