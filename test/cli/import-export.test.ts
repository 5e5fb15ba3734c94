import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CatalogueFile } from '../../src/catalogue/catalogue-file-schemas.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { readRows } from '../support/checker.ts'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld, emptyDirectory } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'

/** As a person would write it: entries refer to each other by key or name. */
const salon = {
  business: { name: 'Corner Salon', timezone: 'Europe/Vienna', brand_color: '#1a2b3c' },
  locations: [
    {
      key: 'main',
      name: 'Main street',
      weekly_hours: [{ weekday: 'monday', opens: '09:00', closes: '18:00' }],
    },
    { name: 'Online', timezone: 'Europe/Berlin' },
  ],
  staff: [
    { name: 'Anna', email: 'anna@example.com', locations: ['main'] },
    { name: 'Ben', date_overrides: [{ date: '2026-12-24', hours: [] }] },
  ],
  services: [
    {
      name: 'Haircut',
      duration_minutes: 30,
      buffer_after_minutes: 10,
      price: { amount: 3500, currency: 'EUR' },
      locations: ['main', 'Online'],
      staff: ['Anna', 'Ben'],
      custom_fields: [{ key: 'length', label: 'Length?', type: 'select', options: ['short', 'long'] }],
    },
    {
      name: 'Room',
      duration_minutes: 60,
      capacity: 3,
      timetable: [{ weekday: 'monday', starts: ['09:00', '18:30'] }],
      locations: ['Online'],
      active: false,
    },
  ],
}

const tables = [
  ...['businesses', 'locations', 'staff', 'services', 'service_staff', 'service_locations'],
  ...['resources', 'service_resources', 'service_terms'],
]

onOneEngine('sqlite', 'holdfast import and export', (engine) => {
  let database: TestDatabase
  let fresh: TestDatabase
  let holdfast: CommandLine
  let directory: string
  let first: string
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    fresh = await createTestDatabase(engine)
    holdfast = commandLine(database.url)
    directory = emptyDirectory()
    first = file('salon.json', salon)
  })
  afterAll(async () => {
    await database.drop()
    await fresh.drop()
  })

  const file = (name: string, content: unknown) => {
    const path = join(directory, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const everything = async () =>
    Promise.all(tables.map((table) => readRows(database.url, `select * from ${table} order by 1, 2, 3`)))
  const idOf = async (name: string) => {
    const [row] = await readRows(database.url, `select id from businesses where name = '${name}'`)
    return String(row?.['id'])
  }

  test('a file makes a whole business, and exporting it names what the file named', async () => {
    const report = await holdfast.json('import', first)
    const made = (kind: string, name: string) => ({
      ...{ kind, id: expect.any(String) as string, name, action: 'created', fields: {} },
    })
    expect(report).toEqual({
      dry_run: false,
      business: { id: expect.any(String), name: 'Corner Salon', created: true, changed: {}, left: {} },
      locations: { created: 2, changed: 0, unchanged: 0 },
      staff: { created: 2, changed: 0, unchanged: 0 },
      resources: { created: 0, changed: 0, unchanged: 0 },
      services: { created: 2, changed: 0, unchanged: 0 },
      changes: [
        ...[made('locations', 'Main street'), made('locations', 'Online')],
        ...[made('staff', 'Anna'), made('staff', 'Ben')],
        ...[made('services', 'Haircut'), made('services', 'Room')],
      ],
    })
    const exported = JSON.parse(await holdfast.text('export', report.business.id as string)) as CatalogueFile
    const withoutIds = JSON.parse(
      JSON.stringify(exported, (key, value: unknown) => (key === 'id' ? undefined : value)),
    ) as typeof salon
    const [anna, ben] = salon.staff
    const [haircut, room] = salon.services
    expect(withoutIds).toEqual({
      business: { ...salon.business, plan: 'enterprise' },
      locations: [
        { name: 'Main street', timezone: 'Europe/Vienna', weekly_hours: salon.locations[0]?.weekly_hours },
        { name: 'Online', timezone: 'Europe/Berlin' },
      ],
      staff: [{ ...anna, locations: ['Main street'] }, ben],
      services: [
        {
          ...haircut,
          max_advance_days: 365,
          locations: expect.arrayContaining(['Main street', 'Online']),
          staff: expect.arrayContaining(['Anna', 'Ben']),
          custom_fields: [{ ...haircut?.custom_fields?.[0], required: false }],
        },
        { ...room, max_advance_days: 365 },
      ],
    })
  })

  test('a file carries resources, steps, needs and terms, and exports them as they were', async () => {
    const steps = [
      { minutes: 30, staffed: true },
      { minutes: 35, staffed: false },
      { minutes: 25, staffed: true },
    ]
    const price = { amount: 6000, currency: 'EUR' }
    const visits = {
      business: { name: 'Visited Salon', timezone: 'Europe/Vienna', max_gap_minutes: 15 },
      locations: [{ key: 'here', name: 'Here' }, { name: 'There' }],
      staff: [{ name: 'Ada' }, { name: 'Bo' }],
      resources: [
        { name: 'Basin', location: 'here', quantity: 2 },
        { name: 'Basin', location: 'There', key: 'far' },
        { name: 'Chair', location: 'Here', weekly_hours: [], active: false },
      ],
      services: [
        {
          ...{ name: 'Colour', steps, locations: ['Here', 'There'], staff: ['Ada', 'Bo'] },
          needs: [{ resources: ['Chair', 'far'] }, { resources: ['far'], quantity: 2, during: 'staffed' }],
          terms: [
            { staff: 'Bo', price },
            { staff: 'Ada', price, duration_minutes: 80 },
          ],
        },
      ],
    }
    const path = file('visits.json', visits)
    expect(await holdfast.json('import', path)).toMatchObject({ resources: { created: 3 } })
    expect(await holdfast.json('import', path, '--dry-run')).toMatchObject({ changes: [] })
    const text = await holdfast.text('export', 'Visited Salon')
    const exported = JSON.parse(text) as CatalogueFile & { resources: { id: string; location: string }[] }
    const { id: far } = exported.resources.find(({ location }) => location === 'There') ?? { id: '' }
    expect(exported).toMatchObject({
      business: { max_gap_minutes: 15 },
      resources: [
        { name: 'Basin', location: expect.any(String) },
        { name: 'Basin', location: expect.any(String) },
        { name: 'Chair', location: 'Here', weekly_hours: [], active: false },
      ],
      services: [
        {
          ...{ duration_minutes: 90, steps },
          needs: [
            { resources: ['Chair', far], quantity: 1, during: 'all' },
            { resources: [far], quantity: 2, during: 'staffed' },
          ],
          terms: visits.services[0]?.terms,
        },
      ],
    })
    const other = commandLine(fresh.url)
    await other.json('import', file('visits-again.json', text))
    expect(await other.text('export', 'Visited Salon')).toBe(text)
  })

  test('a file with faulty resources, needs and terms is refused with each place', async () => {
    const faulty = {
      business: { name: 'Faulty Salon', timezone: 'Europe/Vienna' },
      locations: [{ name: 'Here' }, { name: 'There' }],
      staff: [{ name: 'Ada' }, { name: 'Bo' }],
      resources: [
        { name: 'Basin', location: 'Nowhere' },
        { name: 'Sink', location: 'There' },
        { name: 'Sink', location: 'There' },
      ],
      services: [
        { name: 'A', duration_minutes: 5, locations: ['Here'], needs: [{ resources: ['Tub'] }] },
        {
          ...{ name: 'B', duration_minutes: 5, steps: [{ minutes: 6, staffed: true }], locations: ['Here'] },
          ...{ staff: ['Ada'], terms: [{ staff: 'Bo', duration_minutes: 5 }] },
        },
        { name: 'C', locations: ['Here'] },
      ],
    }
    const { code, stderr } = await holdfast.run('import', file('faulty-visits.json', faulty))
    expect(code).toBe(2)
    expect(stderr).toContain('/services/2/duration_minutes')
    faulty.services.pop()
    const { stderr: told } = await holdfast.run('import', file('faulty-visits.json', faulty))
    for (const pointer of [
      ...['/resources/0/location', '/resources/2/name', '/services/0/needs/0/resources/0'],
      ...['/services/1/duration_minutes', '/services/1/terms/0/staff'],
    ])
      expect(told).toContain(pointer)
    faulty.resources.splice(0, 1)
    faulty.resources.pop()
    faulty.services = [
      { name: 'A', duration_minutes: 5, locations: ['Here'], needs: [{ resources: ['Sink'] }] },
    ]
    const { stderr: last } = await holdfast.run('import', file('faulty-visits.json', faulty))
    expect(last).toContain(
      "/services/0/needs/0/resources/0 is Sink, which is at none of the service's locations",
    )
  })

  test('a file carries links, order and pictures, and two services exchange their slugs', async () => {
    const look = { position: 2, category: 'Hair', image_url: 'https://example.com/x.jpg' }
    const services = [
      { name: 'Cut', slug: 'cut', ...look, duration_minutes: 30, locations: ['Here'] },
      { name: 'Wash', slug: 'wash', position: 1, duration_minutes: 30, locations: ['Here'] },
    ]
    const staff = [{ name: 'Ada', slug: 'ada', description: 'Cuts.', position: 1 }]
    const links = { phone: '+43 1 234', slug: 'linked-salon' }
    const business = { name: 'Linked Salon', timezone: 'Europe/Vienna', ...links }
    const whole = { business, locations: [{ name: 'Here' }], staff, services }
    await holdfast.json('import', file('linked.json', whole))
    const exported = JSON.parse(await holdfast.text('export', 'Linked Salon')) as CatalogueFile
    expect(exported).toMatchObject({ business: links, staff, services: services.toReversed() })
    const exchanged = services.map((service, index) => ({ ...service, slug: ['wash', 'cut'][index] }))
    const report = await holdfast.json('import', file('exchanged.json', { ...whole, services: exchanged }))
    expect(report.services).toEqual({ created: 0, changed: 2, unchanged: 0 })
    const taken = { ...whole, business: { ...business, name: 'Copy' } }
    expect((await holdfast.run('import', file('taken.json', taken))).stderr).toContain('/business/slug')
    const third = [{ name: 'Dye', slug: 'cut', duration_minutes: 30, locations: ['Here'] }]
    const other = { business, locations: whole.locations, services: third }
    expect((await holdfast.run('import', file('third.json', other))).stderr).toContain('/services/0/slug')
  })

  test('a file carries what strangers may do, and a service without a limit of days stays one', async () => {
    const services = [
      { name: 'Usual', duration_minutes: 30, locations: ['Here'] },
      { name: 'Any time', duration_minutes: 30, max_advance_days: null, locations: ['Here'] },
      { name: 'Soon', duration_minutes: 30, max_advance_days: 7, locations: ['Here'] },
    ]
    const strangers = { max_bookings_per_client: null, trusted_networks: ['203.0.113.7/32'] }
    const business = { name: 'Careful Salon', timezone: 'Europe/Vienna', ...strangers }
    const whole = { business, locations: [{ name: 'Here' }], services }
    await holdfast.json('import', file('careful.json', whole))
    const id = await idOf('Careful Salon')
    const days = async () =>
      (
        await readRows(
          database.url,
          `select max_advance_days as days from services where business_id = '${id}' order by name`,
        )
      ).map((row) => row['days'])
    expect(await days()).toEqual([null, 7, 365])
    const exported = await holdfast.text('export', id)
    expect(JSON.parse(exported)).toMatchObject({ business: strangers, services: expect.any(Array) })
    expect(exported.match(/"max_advance_days": (null|7|365)/g)).toHaveLength(3)
    const again = await holdfast.json('import', file('again.json', exported))
    expect(again).toMatchObject({ services: { created: 0, changed: 0, unchanged: 3 } })
    // a file of an earlier release omits absent limits
    const earlier = services.map(({ max_advance_days: _, ...service }) => service)
    const { services: tally } = await holdfast.json(
      ...['import', '--business', id, file('earlier.json', { services: earlier })],
    )
    expect(tally).toEqual({ created: 0, changed: 1, unchanged: 2 })
    expect(await days()).toEqual([null, 365, 365])
    const faulty = file('faulty.json', { business: { ...business, trusted_networks: ['x'] } })
    const refused = await holdfast.run('import', faulty)
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/business/trusted_networks/0'),
    })
  })

  test('the file that the guide shows can be imported', async () => {
    const block = blocksOf(documentAt('docs/guides/import.md')).find(({ text }) =>
      text.includes('Corner Salon'),
    )
    const empty = await createTestDatabase(engine)
    try {
      const report = await commandLine(empty.url).json('import', file('guide.json', block?.text ?? ''))
      expect(report).toMatchObject({ services: { created: 1 }, staff: { created: 1 } })
    } finally {
      await empty.drop()
    }
  })

  test('the same file again, with --business and without, doubles nothing and changes nothing', async () => {
    const before = await everything()
    for (const more of [[], ['--business', await idOf('Corner Salon')]]) {
      const again = await holdfast.json('import', first, ...more)
      expect(again).toMatchObject({
        business: { id: await idOf('Corner Salon'), created: false, changed: {}, left: {} },
        locations: { created: 0, changed: 0, unchanged: 2 },
        staff: { created: 0, changed: 0, unchanged: 2 },
        services: { created: 0, changed: 0, unchanged: 2 },
        changes: [],
      })
      const [businesses, ...others] = await everything()
      expect(others).toEqual(before.slice(1))
      expect(businesses?.map(({ catalogue_version: _, ...row }) => row)).toEqual(
        before[0]?.map(({ catalogue_version: _, ...row }) => row),
      )
    }
  })

  test('a name that several businesses have says nothing', async () => {
    const ids = []
    while (ids.length < 2)
      ids.push((await holdfast.json('business', 'create', 'Twin', '--timezone', 'UTC')).id as string)
    const path = file('twin.json', { business: { name: 'Twin', timezone: 'UTC' } })
    await holdfast.refuses(['import', path], 2, /Several businesses have the name Twin \(.*by --business/)
    expect(await holdfast.json('import', path, '--business', ids[0] ?? '')).toMatchObject({
      business: { id: ids[0], created: false },
    })
  })

  test('a trial says field by field what would change, and changes nothing', async () => {
    const [haircut, room] = salon.services
    const path = file('trial.json', {
      ...salon,
      staff: [...salon.staff, { name: 'Cleo' }],
      services: [{ ...haircut, duration_minutes: 45, buffer_after_minutes: 0, staff: ['Cleo'] }, room],
    })
    const before = await everything()
    const report = await holdfast.json('import', path, '--dry-run')
    expect(await everything()).toEqual(before)
    expect(report).toMatchObject({
      ...{ dry_run: true, staff: { created: 1, changed: 0, unchanged: 2 } },
      changes: [
        { kind: 'staff', id: null, name: 'Cleo', action: 'created' },
        {
          ...{ kind: 'services', id: expect.any(String) as string, name: 'Haircut', action: 'changed' },
          fields: {
            duration_minutes: { from: 30, to: 45 },
            buffer_after_minutes: { from: 10, to: null },
            staff: { from: expect.arrayContaining(['Anna', 'Ben']) as string[], to: ['Cleo'] },
          },
        },
      ],
    })
    const said = await holdfast.text('import', path, '--dry-run')
    expect(said).toMatch(
      /^Nothing was changed \(--dry-run\)\. The import would report:\nbusiness .*\ncreated staff member Cleo\nchanged service Haircut\n {2}duration_minutes: 30 → 45\n {2}buffer_after_minutes: 10 → \(default\)\n/,
    )
    const whole = file('new.json', { ...salon, business: { name: 'New Salon', timezone: 'UTC' } })
    expect(await holdfast.json('import', whole, '--dry-run')).toMatchObject({
      business: { id: null, name: 'New Salon', created: true },
    })
    expect(await everything()).toEqual(before)
    const faulty = file('faulty-trial.json', { ...salon, staff: [{ name: 'P', locations: ['nowhere'] }] })
    expect((await holdfast.run('import', faulty, '--dry-run')).stderr).toContain('/staff/0/locations/0')
  })

  test('an entry changes what has its name, makes what is not there, and leaves what it does not name', async () => {
    const business = await idOf('Corner Salon')
    const path = file('more.json', {
      locations: [{ name: 'Online', timezone: 'Europe/Berlin', address: 'https://example.com' }],
      services: [
        { name: 'Talk', duration_minutes: 15, locations: ['Main street'], staff: ['Ben'] },
        {
          ...salon.services[0],
          custom_fields: [{ key: 'length', label: 'How long?', type: 'text' }],
          locations: ['Online'],
        },
      ],
    })
    const fieldsOf = () =>
      readRows(database.url, `select custom_fields_json from services where name = 'Haircut'`)
    const idIn = (rows: Record<string, unknown>[]) =>
      /"id": ?"([^"]+)"/.exec(JSON.stringify(rows).replaceAll('\\', ''))?.[1]
    const before = idIn(await fieldsOf())
    expect(await holdfast.text('import', path, '--business', business)).toMatch(
      /Corner Salon\nchanged location Online\n {2}address: \(default\) → "https:\/\/example\.com"\n(?:.*\n)*created service Talk\nchanged service Haircut\n(?:.*\n)*locations +0 +1 +0\nstaff +0 +0 +0\nresources +0 +0 +0\nservices +1 +1 +0\n$/,
    )
    expect(idIn(await fieldsOf())).toBe(before) // past answers keep their question
    const shown = JSON.parse(await holdfast.text('export', business)) as typeof salon
    expect(shown.services.map(({ name }) => name)).toEqual(['Haircut', 'Room', 'Talk'])
    expect(shown.business).toMatchObject({ name: 'Corner Salon', brand_color: '#1a2b3c' })
  })

  test('an export loaded into an empty database exports the same file, to the byte', async () => {
    const other = commandLine(fresh.url)
    const world = await demoWorld(database.url)
    for (const id of [await idOf('Corner Salon'), businessOf(world, 'Salon Spree').id]) {
      const path = join(directory, `${id}.json`)
      expect(await holdfast.text('export', id, '--output', path)).toBe('')
      expect(await other.json('import', path)).toMatchObject({ business: { id, created: true } })
      expect(await other.text('export', id)).toBe(readFileSync(path, 'utf8'))
      expect(await other.json('import', path)).toMatchObject({
        business: { id, created: false },
        locations: { created: 0, changed: 0 },
        services: { created: 0, changed: 0 },
      })
    }
  })

  const faulty: [what: string, content: unknown, ...lines: string[]][] = [
    [
      'fields that are wrong, wherever they are',
      {
        business: { name: '', timezone: 'Europe/Berlim', more: 1 },
        locations: [{ name: 'A', weekly_hours: [{ weekday: 'monday', opens: '9', closes: '10:00' }] }],
        services: [
          { name: 'S', duration_minutes: 0, capacity: 0, locations: [], price: { amount: 1, currency: 'X' } },
        ],
      },
      '/business/name must not be empty',
      '/business/timezone must be a time zone in the form Region/City; did you mean Europe/Berlin?',
      '/business/more is not known here; leave it out',
      '/locations/0/weekly_hours/0/opens must be a time from 00:00 to 23:59, such as 09:00',
      '/services/0/duration_minutes must be at least 1',
      '/services/0/capacity must be at least 1',
      '/services/0/locations must have at least 1 entry',
      '/services/0/price/currency must be the code of a currency (ISO 4217), such as EUR',
    ],
    [
      'what names nothing, or two things, and what comes twice',
      {
        business: { name: 'B', timezone: 'UTC' },
        locations: [{ name: 'A' }, { name: 'A' }, { key: 'k', name: 'C' }, { key: 'k', name: 'D' }],
        staff: [{ name: 'P', locations: ['nowhere'] }],
        services: [{ name: 'S', duration_minutes: 5, locations: ['C', 'A'], staff: ['Q'] }],
      },
      '/locations/1/name is given twice; use ids to distinguish items with one name',
      '/locations/3/key is given twice',
      '/staff/0/locations/0 "nowhere" is not a location; known: A, A, C, D',
      '/services/0/locations/1 "A" can be 2 of them; name the location by a key or its id',
      '/services/0/staff/0 "Q" is not a staff member; known: P',
    ],
    [
      '10,000 overrides',
      {
        business: { name: 'B', timezone: 'UTC' },
        locations: [{ name: 'A', date_overrides: Array(10_000).fill({ date: '2026-12-24', hours: [] }) }],
      },
      '/locations/0/date_overrides must have at most 1000 entries',
    ],
    ['a list in place of a file', [], 'the file must be of type object'],
  ]

  test.each(faulty)('%s: every fault is named and nothing is imported', async (_what, content, ...lines) => {
    const before = await everything()
    const path = file('faulty.json', content)
    const ran = await holdfast.run('import', path)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    const [head, ...told] = ran.stderr.trimEnd().split('\n')
    expect(head).toMatch(/^holdfast: .*faulty\.json has .*errors?; nothing was imported\.$/)
    expect(told.map((line) => line.trim()).toSorted()).toEqual(lines.toSorted())
    expect(await everything()).toEqual(before)
  })

  test('things and the business of somebody else are not taken by their ids', async () => {
    const [place] = await readRows(database.url, `select id from locations where name = 'Main street'`)
    const business = await holdfast.json('business', 'create', 'Other', '--timezone', 'UTC')
    const path = file('stolen.json', { locations: [{ id: place?.['id'], name: 'Mine' }] })
    const before = await everything()
    const ran = await holdfast.run('import', path, '--business', business.id as string)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('/locations/0/id belongs to another business; leave the id out for a copy')
    const whole = file('whole.json', {
      business: { id: await idOf('Corner Salon'), name: 'Mine', timezone: 'UTC' },
    })
    const refused = await holdfast.run('import', whole, '--business', business.id as string)
    expect(refused.stderr).toContain('/business/id is not the business that --business names')
    expect(await everything()).toEqual(before)
  })

  test('what is no file, no JSON, or names no business is refused', async () => {
    await holdfast.refuses(['import', join(directory, 'none.json')], 2, /none\.json cannot be read/)
    await holdfast.refuses(
      ['import', file('broken.json', '{"business":')],
      2,
      /broken\.json is not valid JSON/,
    )
    await holdfast.refuses(['import', file('empty.json', {})], 2, /add --business/)
    await holdfast.refuses(
      ['import', first, '--business', 'corner Salon'],
      2,
      /Did you mean .* \(Corner Salon\)\?/,
    )
    await holdfast.refuses(['export', 'corner salon'], 2, /Did you mean .* \(Corner Salon\)\?/)
  })

  test('a business that the file does not name by its id keeps its own name and zone, unless told', async () => {
    const { id } = await holdfast.json('business', 'create', 'Dog Salon', '--timezone', 'Europe/Lisbon')
    const left = {
      name: { from: 'Dog Salon', to: 'Corner Salon' },
      timezone: { from: 'Europe/Lisbon', to: 'Europe/Vienna' },
      brand_color: { from: null, to: '#1a2b3c' },
    }
    const ownOf = async () => {
      const { name, timezone } = await holdfast.json('business', 'show', id as string)
      return { name: name as string, timezone: timezone as string }
    }
    expect(await holdfast.json('import', first, '--business', id as string)).toMatchObject({
      business: { id, name: 'Dog Salon', changed: {}, left },
      locations: { created: 2 },
    })
    expect(await ownOf()).toEqual({ name: 'Dog Salon', timezone: 'Europe/Lisbon' })
    const said = await holdfast.text('import', first, '--business', id as string)
    expect(said).toContain('left unchanged (--overwrite-business changes them):\n  name: "Dog Salon" → ')
    const exported = JSON.parse(await holdfast.text('export', id as string)) as CatalogueFile
    const renamed = { ...exported, business: { ...exported.business, name: 'Cat Salon' } }
    expect(await holdfast.json('import', file('renamed.json', renamed))).toMatchObject({
      business: { id, changed: { name: { from: 'Dog Salon', to: 'Cat Salon' } }, left: {} },
    })
    const overwritten = ['import', first, '--business', id as string, '--overwrite-business']
    expect(await holdfast.json(...overwritten)).toMatchObject({
      business: { id, changed: { name: { from: 'Cat Salon', to: 'Corner Salon' } }, left: {} },
    })
    expect(await ownOf()).toEqual({ name: 'Corner Salon', timezone: 'Europe/Vienna' })
    await holdfast.text('business', 'update', id as string, '--name', 'Dog Salon')
    await holdfast.refuses(
      ['import', file('nothing.json', {}), '--business', id as string, '--overwrite-business'],
      2,
      /has no business section/,
    )
  })
})
