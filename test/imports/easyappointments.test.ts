import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { onOneEngine } from '../support/long.ts'
import { readRows } from '../support/checker.ts'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { easyAppointmentsDump, type EasyRecord, writtenDump } from '../support/easyappointments.ts'
import { easySalon } from '../support/easyappointments-salon.ts'
import { mariaDbProgram, startMariaDb } from '../support/mariadb.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'

function fileOf(dump: string | Uint8Array): string {
  const path = join(mkdtempSync(join(inject('filesDirectory'), 'dump-')), 'easyappointments.sql')
  writeFileSync(path, dump)
  return path
}

/** An instant as the two engines store it. */
const instant = (value: unknown) => new Date(String(value)).toISOString()

onOneEngine('sqlite', 'a move from Easy!Appointments', (engine) => {
  let database: TestDatabase
  let holdfast: CommandLine
  let ids: Record<string, number>
  let path: string
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    const made = await easyAppointmentsDump(easySalon)
    ids = made.ids
    path = fileOf(made.dump)
  }, 120_000)
  afterAll(() => database.drop())

  const move = (...options: string[]) => [
    'import',
    '--from',
    'easyappointments',
    path,
    '--business',
    'Corner Salon',
    ...options,
  ]
  const count = async (table: string) =>
    (await readRows(database.url, `select count(*) as n from ${table}`))[0]?.['n']
  const found = { dry_run: true, locations: { created: 2, present: 0 }, staff: { created: 2, present: 0 } }
  const counted = { coming: 6, past: 3, present: 0, differing: 0, conflicts: 1, left_out: 0 }

  test('is planned without a change', async () => {
    const plan = await holdfast.json(...move())
    expect(plan).toMatchObject({
      ...found,
      clients: { created: 2, failed: 0 },
      blocks: { created: 3, present: 0 },
      bookings: counted,
    })
    expect(
      [await count('bookings'), await count('staff'), await count('clients'), await count('blocks')].map(
        Number,
      ),
    ).toEqual([0, 0, 0, 0])
    const text = await holdfast.text(...move())
    expect(text).toMatch(/^Nothing was changed; --apply imports/)
    expect(text).toContain(
      `appointment ${ids['double']}: 2031-03-03T09:30:00+01:00, Haircut, Anna Weber, Eve`,
    )
    expect(text).toContain(`overlaps appointment ${ids['first']}`)
    expect(text).toMatch(
      /has the price 12(\.00)? Taler, which is left out: name its currency with --currency/,
    )
  })

  test('gives people, hours, services and clients', async () => {
    expect(await holdfast.json(...move('--apply'))).toMatchObject({
      ...found,
      dry_run: false,
      bookings: counted,
    })
    const file = JSON.parse(await holdfast.text('export', 'Corner Salon')) as unknown
    const hours = (weekday: string, opens: string, closes: string) => ({ weekday, opens, closes })
    expect(file).toMatchObject({
      locations: [
        { name: 'Corner Salon', timezone: 'Europe/Berlin' },
        { name: 'Corner Salon (America/New_York)', timezone: 'America/New_York' },
      ],
      staff: [
        {
          ...{ name: 'Anna Weber', email: 'weber@example.org', locations: ['Corner Salon'] },
          weekly_hours: [
            hours('monday', '09:00', '12:00'),
            hours('monday', '13:00', '15:30'),
            hours('monday', '15:45', '18:00'),
            hours('friday', '10:00', '20:00'),
          ],
          date_overrides: [
            { date: '2031-12-24', hours: [] },
            { date: '2031-12-25', hours: [] },
            { date: '2031-12-26', hours: [] },
            {
              date: '2031-12-31',
              hours: [
                { opens: '08:00', closes: '10:00' },
                { opens: '10:15', closes: '12:00' },
              ],
            },
          ],
        },
        {
          name: "Ben O'Neil",
          locations: ['Corner Salon (America/New_York)'],
          weekly_hours: [hours('monday', '08:00', '16:00')],
        },
      ],
      services: [
        {
          ...{ name: 'Haircut', category: 'Hair', description: 'Wash & cut', duration_minutes: 45 },
          ...{ slot_interval_minutes: 15, min_notice_minutes: 60, max_advance_days: 120 },
          price: { amount: 3550, currency: 'EUR' },
          staff: expect.arrayContaining(['Anna Weber', "Ben O'Neil"]) as unknown,
        },
        { name: 'Yoga', duration_minutes: 60, capacity: 2, staff: ["Ben O'Neil"] },
      ],
    })
    const clients = await readRows(
      database.url,
      'select first_name, last_name, email, phone, notes, locale, time_zone, booking_count from clients order by first_name',
    )
    expect(clients).toEqual([
      {
        ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.org', phone: '+49 30 1234' },
        ...{ notes: 'Likes tea\nAddress: Street 1, 10115, Berlin\nAllergies: Ammonia', locale: 'de' },
        ...{ time_zone: 'Europe/Berlin', booking_count: 6 },
      },
      expect.objectContaining({
        first_name: 'Eve',
        last_name: `"Quote" D'Arc \\ Line Two`,
        booking_count: 2,
      }),
    ])
  })

  test('gives every appointment at its instant, also around clock changes, and absences', async () => {
    const bookings = await readRows(
      database.url,
      'select b.starts_at, b.ends_at, b.status, b.notes, s.name as service, c.first_name as client from bookings as b join services as s on s.id = b.service_id join clients as c on c.id = b.client_id order by b.starts_at, c.first_name',
    )
    const shown = bookings.map(({ starts_at, ends_at, status, service, client }) => [
      instant(starts_at).slice(0, 16),
      instant(ends_at).slice(11, 16),
      ...[status, service, client],
    ])
    expect(shown).toEqual([
      ['2024-06-03T08:00', '08:45', 'completed', 'Haircut', 'Ada'],
      ['2024-06-03T08:00', '08:45', 'completed', 'Haircut', 'Eve'],
      ['2031-03-03T08:00', '08:45', 'confirmed', 'Haircut', 'Ada'],
      ['2031-03-03T10:00', '10:45', 'cancelled', 'Haircut', 'Eve'],
      ['2031-03-10T13:00', '14:00', 'confirmed', 'Yoga', 'Ada'],
      ['2031-03-10T13:00', '14:00', 'confirmed', 'Yoga', 'Eve'],
      ['2031-03-30T00:30', '01:15', 'confirmed', 'Haircut', 'Ada'],
      ['2031-03-31T07:00', '07:45', 'confirmed', 'Haircut', 'Ada'],
      ['2031-10-26T00:30', '01:15', 'confirmed', 'Haircut', 'Ada'],
    ])
    expect(bookings[2]?.['notes']).toBe("First; 'quoted'")
    const blocks = await readRows(
      database.url,
      'select starts_at, ends_at, reason from blocks order by starts_at, ends_at',
    )
    expect(
      blocks.map((row) => [
        instant(row['starts_at']).slice(0, 16),
        instant(row['ends_at']).slice(0, 16),
        row['reason'],
      ]),
    ).toEqual([
      ['2031-01-05T23:00', '2031-01-07T22:59', 'Inventory'],
      ['2031-01-06T05:00', '2031-01-08T04:59', 'Inventory'],
      ['2031-03-04T11:00', '2031-03-04T13:00', 'Dentist'],
    ])
    const claims = await readRows(
      database.url,
      'select seat from claims where ended_at is null order by starts_at, seat',
    )
    expect(claims.map(({ seat }) => seat)).toEqual([0, 0, 1, 0, 0, 0])
  })

  test('sends no email and no delivery, and writes an event for each booking', async () => {
    expect([await count('mails'), await count('deliveries'), await count('events')].map(Number)).toEqual([
      0, 0, 9,
    ])
    const audit = await readRows(
      database.url,
      "select action from audit_entries where action = 'business.bookings_imported'",
    )
    expect(audit).toHaveLength(1)
  })

  test('the commands of docs/guides/moving.md run', async () => {
    const commands = blocksOf(documentAt('docs/guides/moving.md'))
      .map(({ text }) => text)
      .filter((text) => text.includes('easyappointments'))
    expect(commands).toHaveLength(3)
    const [dump, plan, apply] = commands.map((text) =>
      text.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')),
    )
    expect(dump).toEqual([
      'mysqldump',
      '--single-transaction',
      'easyappointments',
      '>',
      'easyappointments.sql',
    ])
    const args = (words: string[] = []) =>
      words.slice(2).map((word) => (/^easyappointments.sql$|^mysql:/.test(word) ? path : word))
    expect(await holdfast.text(...args(plan))).toMatch(/^Nothing was changed/)
    expect(await holdfast.text(...args(apply))).toContain('bookings: 0 coming, 0 past, 9 there')
  })

  test('twice is once, and a change in the source since is listed', async () => {
    const again = await holdfast.json(...move('--apply'))
    expect(again).toMatchObject({
      ...{
        locations: { created: 0, present: 2 },
        staff: { created: 0 },
        services: { created: 0, present: 2 },
      },
      ...{ clients: { created: 0, changed: 0, unchanged: 2 }, blocks: { created: 0, present: 3 } },
      bookings: { coming: 0, past: 0, present: 9, differing: 0, conflicts: 1 },
    })
    expect(
      [await count('bookings'), await count('claims'), await count('events'), await count('blocks')].map(
        Number,
      ),
    ).toEqual([9, 6, 9, 3])
    const changed = easySalon.map((record): EasyRecord =>
      record[0] === 'first'
        ? [record[0], record[1], { ...record[2], start_datetime: '2031-03-03 08:00:00' }]
        : record,
    )
    path = fileOf(gzipSync((await easyAppointmentsDump(changed)).dump))
    const differing = await holdfast.json(...move('--apply'))
    expect(differing.bookings).toMatchObject({ present: 8, differing: 1 })
    expect(JSON.stringify(differing.remarks)).toContain(
      'here 2031-03-03T09:00:00+01:00, in the source 2031-03-03T08:00:00+01:00',
    )
  })
})

onOneEngine('sqlite', 'hostile values of Easy!Appointments', (engine) => {
  test('are named and harm nothing else', async () => {
    const database = await createMigratedDatabase(engine)
    const holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    const parts = {
      id_users_provider: '@anna',
      id_users_customer: '@ada',
      id_services: '@cut',
      status: 'Booked',
    }
    const times = (from: string, to: string) => ({ start_datetime: from, end_datetime: to })
    const hostile: EasyRecord[] = [
      ...easySalon.filter(([name]) => ['settings', 'cut', 'hair', 'anna', 'ada'].includes(name)),
      [
        'long',
        'services',
        { name: 'x'.repeat(1_000), duration: '45', attendants_number: '1', description: 'y'.repeat(100_000) },
      ],
      ['endless', 'services', { name: 'Endless', duration: '99999999', attendants_number: '1' }],
      [
        'broken',
        'providers',
        {
          first_name: 'Bro',
          last_name: 'Ken',
          email: 'no address',
          timezone: 'Mars/Base',
          services: ['@cut'],
          settings: { working_plan: '{"monday":', working_plan_exceptions: '{"tomorrow": 3}' },
        },
      ],
      [
        'nobody',
        'customers',
        {
          first_name: '',
          last_name: '',
          email: 'not@valid',
          phone_number: 'call me',
          notes: 'n'.repeat(5_000),
        },
      ],
      ['zero', 'appointments', { ...times('0000-00-00 00:00:00', '0000-00-00 00:00:00'), ...parts }],
      ['backwards', 'appointments', { ...times('2031-03-03 10:00:00', '2031-03-03 09:00:00'), ...parts }],
      ['week', 'appointments', { ...times('2031-03-03 10:00:00', '2031-03-09 09:00:00'), ...parts }],
      [
        'orphan',
        'appointments',
        { ...times('2031-03-03 10:00:00', '2031-03-03 10:45:00'), ...parts, id_users_customer: '99' },
      ],
      [
        'fine',
        'appointments',
        {
          ...times('2031-03-03 10:00:00', '2031-03-03 10:45:00'),
          ...parts,
          id_users_customer: '@nobody',
          notes: 'z'.repeat(70_000),
        },
      ],
    ]
    const path = fileOf(writtenDump(hostile).dump)
    const report = await holdfast.json(
      'import',
      '--from',
      'easyappointments',
      path,
      '--business',
      'Corner Salon',
      '--apply',
    )
    expect(report).toMatchObject({
      bookings: { coming: 1, left_out: 4, conflicts: 0 },
      clients: { created: 2, failed: 0 },
    })
    const remarks = (report.remarks as { what: string; detail: string }[]).map(
      ({ what, detail }) => `${what}: ${detail}`,
    )
    for (const part of [
      'appointment 1: has no valid times (0000-00-00',
      'appointment 2: has no valid times',
      'appointment 3: lasts more than 24 hours',
      'appointment 4: has no customer',
      'service Endless: duration_minutes',
      'working plan that cannot be read',
      'unknown time zone Mars/Base',
      'has an invalid email address, which moves to the notes',
      'has an invalid phone number, which moves to the notes',
      'notes of more than 2000 characters',
      'notes of more than 1000 characters',
    ])
      expect(remarks.join('\n')).toContain(part)
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThan(20_000)
    const [client] = await readRows(
      database.url,
      "select first_name, email, phone, notes from clients where first_name <> 'Ada'",
    )
    expect(client).toMatchObject({ first_name: 'not', email: null, phone: null })
    expect(client?.['notes']).toMatch(/^email: not@valid\nphone: call me\nn+$/)
    await database.drop()
  })

  test('a file that is no dump is refused', async () => {
    const database = await createMigratedDatabase(engine)
    const holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    const at = ['--business', 'Corner Salon']
    const refused = async (dump: string, reason: RegExp) =>
      holdfast.refuses(['import', '--from', 'easyappointments', fileOf(dump), ...at], 2, reason)
    await refused('{"a": 1}', /is not a dump of its database/)
    await refused(
      "CREATE TABLE `ea_users` (\n `id` int);\nINSERT INTO `ea_users` VALUES (1, 'never closed",
      /a text of ea_users is incomplete/,
    )
    await refused(
      'CREATE TABLE `ea_users` (\n `id` int);\nINSERT INTO `ea_users` VALUES (sleep(9));',
      /a value of ea_users/,
    )
    await refused('CREATE TABLE `ea_users` (\n `id` int);', /has no table ea_settings/)
    await holdfast.refuses(['import', '--from', 'salonized', 'x', ...at], 2, /--from must be one of/)
    await holdfast.refuses(
      ['import', '--from', 'easyappointments', 'mysql://host', ...at],
      2,
      /must look like mysql:/,
    )
    await holdfast.refuses(['import', 'salon.json', '--apply'], 2, /--apply needs --from/)
    await database.drop()
  })
})

const program = mariaDbProgram()

test.runIf(program !== undefined)(
  'a database of MariaDB is read like its dump, without its password in any message',
  async () => {
    const database = await createMigratedDatabase('sqlite')
    const holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'Corner Salon', '--timezone', 'Europe/Berlin')
    const mariadb = await startMariaDb(program ?? '')
    try {
      const { dump } = writtenDump(easySalon)
      mariadb.run(dump, mariadb.name)
      const from = (address: string) => [
        'import',
        '--from',
        'easyappointments',
        address,
        '--business',
        'Corner Salon',
      ]
      const address = (password: string) =>
        `mysql://${mariadb.user}:${encodeURIComponent(password)}@localhost/${mariadb.name}?socket=${encodeURIComponent(mariadb.socket)}`
      expect(await holdfast.json(...from(address(mariadb.password)))).toEqual(
        await holdfast.json(...from(fileOf(dump))),
      )
      const refused = await holdfast.run(...from(address('wrong-secret')))
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain('Access denied')
      expect(refused.stderr).not.toContain('wrong-secret')
    } finally {
      await mariadb.stop()
      await database.drop()
    }
  },
)
