import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCsv } from '../../src/base/csv-reader.ts'
import { readTexts } from '../../src/base/languages.ts'
import { likelyColumns } from '../../src/bookings/client-columns.ts'
import { findMiscounted } from '../support/checker.ts'
import { readConsole } from '../support/console.ts'
import { multipart, planFields } from '../support/import-form.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

/* Clients from CSV: read, planned, imported, and exported again. */

type Row = Record<string, unknown>

onOneEngine('sqlite', 'clients as CSV', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(async () => {
    expect(await findMiscounted(service.databaseUrl)).toEqual([])
    await service.stop()
  })

  async function makeSalon(): Promise<{ business: OwnBusiness; owner: LoggedIn }> {
    const business = await makeBusiness(service)
    return { business, owner: await logIn('owner', business) }
  }

  let people = 0
  function logIn(role: 'owner' | 'manager' | 'front_desk', { id }: OwnBusiness): Promise<LoggedIn> {
    const email = `${role}-${(people += 1)}@example.com`
    return logInNewPerson(service, { email, role, place: { businessId: id } })
  }

  function post(
    { cookie }: Pick<LoggedIn, 'cookie'>,
    parts: Record<string, string | Buffer>,
    server = service,
  ): Promise<Reply> {
    const { body, type } = multipart(parts)
    return server.call('POST', '//console/clients/import', {
      rawBody: body,
      headers: { host: 'localhost', cookie, 'sec-fetch-site': 'same-origin', 'content-type': type },
    })
  }

  const counts = ({ body }: Reply) =>
    [
      ...(/<ul class="import-counts">([^]*?)<\/ul>/.exec(String(body))?.[1] ?? '').matchAll(
        /<li>([^<]*)<\/li>/g,
      ),
    ].map(([, text]) => text)

  async function planned(owner: LoggedIn, file: string | Buffer, changes: Record<string, string> = {}) {
    const plan = await post(owner, { file: Buffer.from(file) })
    expect(plan.status).toBe(200)
    const fields = { ...planFields(plan), ...changes }
    const shown = Object.keys(changes).length === 0 ? plan : await post(owner, { ...fields, do: 'plan' })
    return { shown, counts: counts(shown), fields: { ...planFields(shown), ...changes } }
  }

  async function imported(owner: LoggedIn, file: string | Buffer, changes: Record<string, string> = {}) {
    const { fields } = await planned(owner, file, changes)
    const done = await post(owner, { ...fields, do: 'import' })
    expect(done.status).toBe(200)
    return { counts: counts(done), text: String(done.body) }
  }

  async function clientsOf({ key }: OwnBusiness): Promise<Row[]> {
    const all: Row[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await service.call(
        'GET',
        `/clients?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
        {
          token: key,
        },
      )
      all.push(...(body.data as Row[]))
      cursor = body.next_cursor as string | null
    }
    return all.map(({ first_name, last_name, email, phone, notes, tags, locale, time_zone }) => {
      return { first_name, last_name, email, phone, notes, tags, locale, time_zone }
    })
  }

  const add = (business: OwnBusiness, client: object) =>
    service.call('POST', '/clients', { token: business.key, body: client })

  test('are planned, imported and the same again', async () => {
    const { business, owner } = await makeSalon()
    await add(business, {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      notes: 'Old note',
    })
    await add(business, { first_name: 'Grace', last_name: 'Hopper', phone: '030 1234567' })
    const file = [
      'First Name;Last Name;Email;Mobile;Notes;Labels;Birthday',
      'ADA;Lovelace;ADA@example.com;030 99;"New ""note""\r\nin two lines";vip, colour;1815-12-10',
      'Grace;Hopper;grace@example.com;+49 30 1234567;;;',
      'Alan;Turing;;;;;',
      'Alan;Turing;;;Another Alan;;',
      'Alan;Turing;;;;;',
      'Alan;Turing;;;;;',
      'Bob;;no address;;;;',
      ';;only@example.com;;;;',
    ].join('\r\n')
    const before = await clientsOf(business)
    const plan = await planned(owner, file)
    expect(plan.counts).toEqual(['4 new clients', '2 clients change', '2 rows cannot be imported'])
    expect(plan.fields['column.6']).toBe('ignore')
    expect(String(plan.shown.body)).toContain('Row 8 · Email')
    expect(String(plan.shown.body)).toContain('Row 9 · First name')
    expect(await clientsOf(business)).toEqual(before)

    const done = await imported(owner, file, { 'column.6': 'note' })
    expect(done.counts).toEqual(plan.counts)
    const after = await clientsOf(business)
    expect(after).toMatchObject([
      {
        first_name: 'Ada',
        email: 'ada@example.com',
        phone: '030 99',
        notes: 'Old note',
        tags: ['vip', 'colour'],
      },
      ...Array.from({ length: 4 }, () => ({})), // they share a name, so their order is any
      { first_name: 'Grace', email: 'grace@example.com', phone: '030 1234567' },
    ])
    expect(after.filter(({ notes }) => notes === 'Another Alan')).toHaveLength(1)

    const again = await imported(owner, file, { 'column.6': 'note' })
    expect(again.counts).toEqual(['6 clients stay the same', '2 rows cannot be imported'])
    expect(await clientsOf(business)).toEqual(after)

    const replaced = await imported(owner, file, { 'column.6': 'note', replaces: 'on' })
    expect(replaced.counts).toEqual([
      '1 client changes',
      '5 clients stay the same',
      '2 rows cannot be imported',
    ])
    expect(await clientsOf(business)).toMatchObject([
      {
        first_name: 'ADA',
        email: 'ada@example.com',
        notes: 'New "note"\nin two lines\nBirthday: 1815-12-10',
      },
      ...[{}, {}, {}, {}, { email: 'grace@example.com' }],
    ])
    const { body } = await service.call('GET', '/audit?limit=100', { token: business.key })
    const imports = (body.data as Row[]).filter(({ action }) => action === 'business.clients_imported')
    expect(imports).toHaveLength(2)
  })

  test('are read in the encodings of Excel and with any separator', async () => {
    const { business, owner } = await makeSalon()
    await imported(owner, Buffer.from('Vorname;Nachname;E-Mail\nJürgen;Groß;j@example.com', 'latin1'))
    await imported(owner, Buffer.from('\ufeffName\tE-mail\nZoë Łuka\tz@example.com', 'utf16le'))
    await imported(owner, '\ufeffsep=,\r\nName,Telefon\r\n"Lovelace, Ada",\'+49 30 5')
    expect(await clientsOf(business)).toMatchObject([
      { first_name: 'Ada', last_name: 'Lovelace', phone: '+49 30 5' },
      { first_name: 'Jürgen', last_name: 'Groß' },
      { first_name: 'Zoë', last_name: 'Łuka' },
    ])
  })

  test('an unreadable file is refused with its reason, and nothing changes', async () => {
    const { business, owner } = await makeSalon()
    for (const [file, why] of [
      ['', 'no rows'],
      ['Name,Email', 'no rows'],
      ['Name\n"Ada', 'in row 2'],
      [`Name\n${'Ada\n'.repeat(20_001)}`, 'too many rows'],
      [`${'a,'.repeat(101)}\nb`, 'too many rows'],
    ] as const) {
      const reply = await post(owner, { file: Buffer.from(file) })
      expect(reply.status, why).toBe(422)
      expect(String(reply.body)).toContain(why)
    }
    expect(await clientsOf(business)).toEqual([])
  })

  test('two servers that import one file at the same time make each client once', async () => {
    const { business, owner } = await makeSalon()
    const beside = engine === 'postgres' ? await startTestService(engine, {}, { beside: service }) : service
    const people = Array.from({ length: 180 }, (_each, n) => `Ada,Of ${n},ada-${n}@example.com,vip`)
    const file = ['First name,Last name,Email,Tags', ...people].join('\n')
    const { fields } = await planned(owner, file)
    const replies = await Promise.all(
      [service, beside, service, beside].map((server) => post(owner, { ...fields, do: 'import' }, server)),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const created = replies.map((reply) => Number(/(\d+) new client/.exec(counts(reply).join())?.[1] ?? 0))
    expect(created.reduce((sum, one) => sum + one)).toBe(180)
    for (const reply of replies) expect(counts(reply).join()).not.toMatch(/cannot be imported/)
    const emails = (await clientsOf(business)).map(({ email }) => email)
    expect([emails.length, new Set(emails).size]).toEqual([180, 180])
    if (beside !== service) await beside.stop()
  })

  test('a hostile form is refused or read as garbage, and no client comes of it', async () => {
    const { business, owner } = await makeSalon()
    const send = (rawBody: Buffer, type: string) =>
      service.call('POST', '//console/clients/import', {
        rawBody,
        headers: {
          host: 'localhost',
          cookie: owner.cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': type,
        },
      })
    const whole = multipart({ file: Buffer.from('Name,Email\nAda,ada@example.com'), do: 'import' })
    const boundary = '----holdfast-test-0123456789'
    const part = (head: string, value = 'x') => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`
    const named = (name: string) => `content-disposition: form-data; name="${name}"`
    const bodies: (string | Buffer)[] = [
      ...['', '--', `--${boundary}`, `--${boundary}--`, 'Name,Email\nAda,a@example.com', part('')],
      ...[1, 40, whole.body.length - 3].map((length) => whole.body.subarray(0, length)),
      ...[part(named('__proto__')), part(named('constructor')), part(named('a'.repeat(100_000)))],
      ...[
        part(named('column.0')).repeat(5_000),
        part('x'.repeat(1_000_000)),
        part(`${named('text')}; name="do"`),
      ],
      `--${boundary}\r\n`.repeat(50_000),
      Buffer.concat([Buffer.from(part(named('text'), '\0'.repeat(1_000))), Buffer.alloc(100_000, 0xed)]),
    ]
    for (const body of bodies) {
      const reply = await send(Buffer.from(body), whole.type)
      expect([200, 400, 415, 422], String(body).slice(0, 100)).toContain(reply.status)
    }
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'text/csv',
      'application/json',
    ])
      expect([400, 413, 415, 422], type).toContain((await send(whole.body, type)).status)
    const garbage = [
      ...[Buffer.alloc(200_000, 0), Buffer.alloc(200_000, 0xff), Buffer.from('PK\u0003\u0004'.repeat(1_000))],
      ...[
        Buffer.from('"'.repeat(200_001)),
        Buffer.from(','.repeat(200_000)),
        Buffer.from('\ud800\udfff\0\n'.repeat(999)),
      ],
      Buffer.from(`Name\n${'x'.repeat(3_000_000)}`),
    ]
    for (const file of garbage) {
      const { status } = await post(owner, { file, do: 'import' })
      expect([200, 422]).toContain(status)
    }
    const { status } = await post(owner, { file: Buffer.alloc(40 * 1024 * 1024, 'a') })
    expect(status).toBe(413)
    expect(await clientsOf(business)).toEqual([])
  })

  test('an import that was not planned with these columns shows the plan first', async () => {
    const { business, owner } = await makeSalon()
    const { fields } = await planned(owner, 'Name,Tags\nAda,vip')
    const reply = await post(owner, { ...fields, 'column.1': 'ignore', do: 'import' })
    expect(String(reply.body)).toContain('Import 1 client')
    expect(await clientsOf(business)).toEqual([])
  })

  test('are imported by managers and exported by owners only', async () => {
    const { business, owner } = await makeSalon()
    await add(business, { first_name: 'Ada', phone: '+49 30 5', notes: '=1+1', tags: ['a, b'] })
    const file = { file: Buffer.from('Name\nGrace') }
    for (const [role, status] of [
      ['front_desk', 404],
      ['manager', 200],
    ] as const) {
      const person = await logIn(role, business)
      expect((await post(person, file)).status, role).toBe(status)
      expect((await readConsole(service, '/console/clients/import', person)).status).toBe(status)
      expect((await readConsole(service, '/console/clients.csv', person)).status).toBe(303)
    }
    const list = await readConsole(service, '/console/clients.csv', owner)
    expect(list.headers['content-type']).toContain('text/csv')
    expect(String(list.body)).toContain(`Ada,,,'+49 30 5,'=1+1,"""a, b""",,,0,0,,no,2026-11-20 10:00`)
    const other = await post({ cookie: '' }, file)
    expect(String(other.body)).toContain('name="password"')
  })

  test.each(seeds(3))('an export makes the same clients in an empty business (seed %i)', async (seed) => {
    const random = randomFrom(seed)
    const [one, other] = [await makeSalon(), await makeSalon()]
    for (let count = 0; count < 60; count += 1) await add(one.business, randomClient(random))
    const all = await clientsOf(one.business)
    expect(all.length).toBeGreaterThan(20)
    const list = await readConsole(service, '/console/clients.csv', one.owner, {
      'accept-language': random.of(['en', 'de', 'fr']),
    })
    await imported(other.owner, String(list.body))
    // clients of one name are sorted by their IDs
    const inOrder = (clients: Row[]) => clients.map((client) => JSON.stringify(client)).toSorted()
    expect(inOrder(await clientsOf(other.business))).toEqual(inOrder(all))
    expect((await imported(other.owner, String(list.body))).counts).toEqual([
      `${all.length} clients stay the same`,
    ])
  })
})

function randomClient(random: Random): object {
  const pieces = ['Ada', 'Müller', "'=x", '=1', 'Łuka', '-', '"', ';', ',', '|', ' +4', '日本', ':::', "'"]
  const text = (most: number) =>
    Array.from({ length: 1 + random.below(most) }, () => random.of(pieces))
      .join(random.of(['', ' ']))
      .trim()
  const tag = () => `${random.of(['', '* '])}${text(3)}`.slice(0, 40)
  return {
    first_name: text(2),
    ...(random.chance(0.7) && { last_name: text(2) }),
    ...(random.chance(0.5) && { email: `${random.of(['a', 'B', 'é'])}${random.below(9)}@example.com` }),
    ...(random.chance(0.5) && { phone: random.of(['+49 30 1', '030 22', '(030) 3-3', '0049 30 44']) }),
    ...(random.chance(0.5) && { notes: `${text(3)}\n${random.of(['\t', ''])}${text(4)}` }),
    ...(random.chance(0.4) && { tags: [...new Set([tag(), tag()])] }),
    ...(random.chance(0.3) && { locale: random.of(['de', 'en-GB', 'pt']) }),
    ...(random.chance(0.3) && { time_zone: random.of(['Europe/Berlin', 'Asia/Tokyo']) }),
  }
}

test('the headings of an export are recognised in every language', () => {
  for (const [language, texts] of readTexts<string>('console')) {
    const keys = [
      'book.firstName',
      'book.lastName',
      'book.email',
      'book.phone',
      'clients.notes',
      'clients.tags',
    ]
    const more = [
      'clients.language',
      'clients.timeZone',
      'clients.visitCount',
      'clients.missed',
      'clients.lastVisit',
    ]
    const head = [...keys, ...more, 'booking.blocked', 'clients.created'].map((key) => texts[key] ?? '')
    expect(likelyColumns(head), language).toEqual([
      ...['first_name', 'last_name', 'email', 'phone', 'notes', 'tags', 'locale', 'time_zone'],
      ...['ignore', 'ignore', 'ignore', 'ignore', 'ignore'],
    ])
  }
})

test('the headings of other programs are recognised', () => {
  const google =
    'First Name,Middle Name,Last Name,Notes,Labels,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value'
  expect(likelyColumns(google.split(','))).toEqual([
    ...['first_name', 'ignore', 'last_name', 'notes', 'tags', 'email', 'ignore', 'phone'],
  ])
  expect(likelyColumns(['Client', 'Full Name', 'Mobile Number', 'Telephone', 'Marketing consent'])).toEqual([
    ...['full_name', 'ignore', 'phone', 'phone', 'ignore'],
  ])
  const salon = 'Kundennr.;Anrede;Name;Vorname;Tel. mobil;Tel.-Nr.;E-Mail-Adresse;Hinweise'
  expect(likelyColumns(salon.split(';'))).toEqual([
    ...['ignore', 'ignore', 'last_name', 'first_name', 'phone', 'phone', 'email', 'notes'],
  ])
})

test('a large quoted cell is read in linear time', () => {
  const cell = `${'""'.repeat(500_000)};`
  expect([...readCsv(`a\n"${cell}"`)]).toEqual([
    { row: 1, cells: ['a'] },
    { row: 2, cells: [`${'"'.repeat(500_000)};`] },
  ])
})
