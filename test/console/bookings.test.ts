import { afterAll, beforeAll, expect, test } from 'vitest'
import { csvDate, csvFormOf, csvNumber, csvRow } from '../../src/base/csv.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeLocation, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

test.each([
  ['en', ',', '1.50', '2026-11-27 09:05'],
  ['de', ';', '1,50', '27.11.2026 09:05'],
  ['de-CH', ';', '1.50', '27.11.2026 09:05'],
  ['fr', ';', '1,50', '27/11/2026 09:05'],
  ['nl', ';', '1,50', '27-11-2026 09:05'],
  ['pl', ';', '1,50', '27.11.2026 09:05'],
  ['tr', ';', '1,50', '27.11.2026 09:05'],
  ['es', ';', '1,50', '27/11/2026 09:05'],
  ['es-MX', ',', '1.50', '2026-11-27 09:05'],
  ['it', ';', '1,50', '27/11/2026 09:05'],
  ['pt', ';', '1,50', '27/11/2026 09:05'],
  ['ja', ',', '1.50', '2026-11-27 09:05'],
  ['ar', ',', '1.50', '2026-11-27 09:05'],
])('spreadsheets in %s separate by %s and read %s and %s', (locale, separator, number, time) => {
  const form = csvFormOf(locale)
  expect(form.separator).toBe(separator)
  expect(csvNumber(1.5, 2, form)).toEqual({ number })
  expect(csvDate('2026-11-27T09:05:00+01:00', form)).toBe(time)
  expect(csvRow(['a;b', '1,50', '=1'], form)).toBe(
    separator === ';' ? '"a;b";1,50;\'=1\r\n' : 'a;b,"1,50",\'=1\r\n',
  )
})

test.each([
  [['plain', 5, null], 'plain,5,\r\n'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
  [['=1+1', '+49 30', '-5', '@SUM(A1)', ' =2', '\tx'], "'=1+1,'+49 30,'-5,'@SUM(A1),' =2,'\tx\r\n"],
  [
    ['a;=1+1', 'a\t@b', 'a; -2', 'a\n+3', 'x;"=4"', 'a;b', '2-3'],
    'a;\'=1+1,a\t\'@b,a;\' -2,"a\n\'+3","x;\'""=4""",a;b,2-3\r\n',
  ],
  [['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"\r\n'],
])('%j is written as one row of CSV', (values, expected) => {
  expect(csvRow(values, { separator: ',' })).toBe(expected)
})

onOneEngine('sqlite', 'the list of bookings', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let staffIds: string[]
  let locationId: string
  const people: Record<string, LoggedIn> = {}
  const names = ['Abel', 'Berta', 'Cäsar', 'Dora']
  let ids: string[]
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    locationId = await makeLocation(service, business.id)
    staffIds = await makeStaff(service, business.id, ['Anna', 'Ben'], [locationId])
    const offer = {
      service_id: await makeService(service, business.id, { locationIds: [locationId], staffIds }),
      location_id: locationId,
    }
    const key = clientOf(service, business.key)
    for (const [index, first_name] of names.entries()) {
      const client = { first_name, last_name: '=1+1', email: `${index}@example.com`, phone: '+49 30 1' }
      const more = { hold: { staff_id: staffIds[index % 2] }, book: { client, notes: 'a "b",\nc' } }
      await bookSlot(key, offer, `2026-12-0${index + 1}T10:00:00+01:00`, more)
    }
    const { data } = (await key.list({ sort: 'starts_at' })).body as { data: { id: string }[] }
    ids = data.map(({ id }) => id)
    await key.change(data[0]?.id ?? '', { starts_at: '2026-11-20T10:30:00+01:00' })
    await key.change(data[3]?.id ?? '', { status: 'cancelled' })
    const place = { businessId: business.id }
    people['owner'] = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    people['manager'] = await logInNewPerson(service, {
      email: 'manager@example.com',
      role: 'manager',
      place,
    })
    people['staff'] = await logInNewPerson(service, {
      ...{ email: 'staff@example.com', role: 'staff' as const, place, staffId: staffIds[0] },
    })
    people['stranger'] = await logInNewPerson(service, {
      ...{ email: 'stranger@example.com', role: 'owner' as const },
      place: { businessId: (await makeBusiness(service)).id },
    })
    service.clock.advance(3_600)
  })
  afterAll(() => service.stop())

  const read = (path: string, who = 'owner', language = 'en') =>
    readConsole(service, path, people[who] ?? { cookie: '' }, { 'accept-language': language })
  const shown = async (query: string, who = 'owner') => {
    const page = await read(`/console/bookings${query}`, who)
    expect(page.status).toBe(200)
    const rows = /<turbo-frame\s+id="list".*<\/turbo-frame\s*>/s.exec(String(page.body))?.[0] ?? ''
    const text = textOf({ body: rows })
    return names.filter((name) => text.includes(name))
  }

  test('shows what is ahead, what was, and all, by person, place, status and search', async () => {
    expect(await shown('')).toEqual(['Berta', 'Cäsar', 'Dora'])
    expect(await shown('?when=past')).toEqual(['Abel'])
    service.clock.advance(-60) // his appointment still runs
    expect(await shown('')).toEqual(['Abel', 'Berta', 'Cäsar', 'Dora'])
    service.clock.advance(60)
    expect(await shown('?when=all')).toEqual(names)
    expect(await shown('?when=all&status=cancelled')).toEqual(['Dora'])
    expect(await shown(`?when=all&person=${staffIds[0] ?? ''}`)).toEqual(['Abel', 'Cäsar'])
    expect(await shown(`?when=all&location=${locationId}`)).toEqual(names)
    expect(await shown('?when=all&q=berta')).toEqual(['Berta'])
    expect(await shown(`?client=${ids[2] ?? ''}`)).toEqual(['Cäsar'])
    expect(await read(`/console/bookings?client=${ids[2] ?? ''}`, 'stranger')).toMatchObject({ status: 404 })
    expect(await shown('?when=nonsense&status=none&person=x&cursor=x')).toEqual(['Berta', 'Cäsar', 'Dora'])
  })

  test('shows who did not come, also where what is ahead is asked for', async () => {
    expect(await shown('?status=no_show')).toEqual([])
    const call = (no_show: boolean) =>
      service.call('PATCH', `/bookings/${ids[0] ?? ''}`, { token: business.key, body: { no_show } })
    expect(await call(true)).toMatchObject({ status: 200 })
    for (const query of [
      '?status=no_show',
      '?when=upcoming&status=no_show',
      '?when=all&status=no_show&q=abel',
    ])
      expect(await shown(query), query).toEqual(['Abel'])
    expect(await shown('?status=no_show&q=berta')).toEqual([])
    expect(await call(false)).toMatchObject({ status: 200 })
  })

  test('says what to do where nothing is to be seen', async () => {
    expect(textOf(await read('/console/bookings?q=ab'))).toContain('at least three characters')
    expect(textOf(await read('/console/bookings?q=nobody'))).toContain('No booking found.')
    expect(textOf(await read('/console/bookings', 'stranger'))).toContain('No upcoming bookings.')
    expect(textOf(await read('/console/bookings?when=all', 'stranger'))).toContain('No bookings yet.')
    expect(textOf(await read('/console/bookings', 'nobody'))).toContain('Log in')
  })

  test('shows nobody the bookings of another business, and staff the clients of others masked', async () => {
    expect(await shown('?when=all', 'stranger')).toEqual([])
    expect(await shown('?when=all', 'staff')).toEqual(names)
    const text = textOf(await read('/console/bookings?when=all', 'staff'))
    expect(text).toContain('Abel =1+1')
    expect(text).toContain('Berta =.')
    expect(await shown('?when=all&q=1%2B1', 'staff')).toEqual(['Abel', 'Cäsar'])
  })

  test('is a file for owners: quoted, and without formulas', async () => {
    const file = await read('/console/bookings.csv?when=all')
    expect(file).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="bookings.csv"',
        'cache-control': 'no-store',
      },
    })
    const body = String(file.body)
    expect(body.startsWith('\uFEFFID,Status,No-show,Start,End,Services,Location,With,People,Price,')).toBe(
      true,
    )
    expect(body.split('\r\n')).toHaveLength(names.length + 2)
    expect(body).toContain(`Berta,'=1+1,1@example.com,'+49 30 1,"a ""b"",\nc",`)
    expect(body).toContain(',2026-12-02 10:00,')
    const german = String((await read('/console/bookings.csv?when=all', 'owner', 'de')).body)
    expect(german.startsWith('\uFEFFID;Status;Nicht erschienen;Beginn;Ende;Leistungen;')).toBe(true)
    expect(german).toContain(';02.12.2026 10:00;')
    expect(String((await read('/console/bookings.csv')).body)).not.toContain('Abel')
    expect(textOf(await read('/console/bookings.csv', 'nobody'))).toContain('Log in')
    for (const who of ['manager', 'staff'])
      expect(await read('/console/bookings.csv', who), who).toMatchObject({ status: 303, body: undefined })
    expect(String((await read('/console/bookings.csv?when=all', 'stranger')).body)).not.toContain('Berta')
    const whole = await read('/console/bookings.csv?when=all&cursor=nonsense')
    expect(whole).toMatchObject({ status: 200, body: file.body })
  })
})
