import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readTexts } from '../../src/base/languages.ts'
import { likelyAppointmentColumns } from '../../src/imports/appointment-columns.ts'
import { likelyOrder, readMinutes, readTime } from '../../src/imports/appointment-times.ts'
import { stateOf } from '../../src/imports/status-words.ts'
import { findMiscounted, readRows } from '../support/checker.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { commandLine } from '../support/command-line.ts'
import { multipart, planFields } from '../support/import-form.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, type Reply, startTestService, type TestService } from '../support/test-service.ts'

const texts = [...readTexts<string>('console')]

describe('a file of appointments', () => {
  test.each(texts)('has the headings of our own export in %s', (_language, all) => {
    const names = ['id', 'status', 'starts', 'ends', 'service', 'location', 'person', 'party']
    const ofClient = ['firstName', 'lastName', 'email', 'phone', 'notes']
    const head = [...names, ...ofClient].map((name) => all[`bookings.columns.${name}`] ?? '')
    expect(likelyAppointmentColumns(head)).toEqual([
      ...['reference', 'status', 'start', 'end', 'service', 'location', 'staff', 'party_size'],
      ...['first_name', 'last_name', 'email', 'phone', 'notes'],
    ])
  })

  test.each(texts)('has the words for cancelled and missed in %s', (_language, all) => {
    const state = (key: string) => stateOf(all[key] ?? '')
    expect(state('booking.status.cancelled')).toBe('cancelled')
    expect(state('booking.status.confirmed')).toBe('booked')
    expect(state('booking.status.completed')).toBe('booked')
  })

  test('has dates as spreadsheets write them', () => {
    const read = (text: string, order: 'dmy' | 'mdy' = 'dmy', date = '') =>
      String(readTime(text, order, date))
    expect(read('2031-03-04 09:30')).toBe('2031-03-04T09:30:00')
    expect(read('2031-03-04T09:30:00Z')).toBe('2031-03-04T09:30:00Z')
    expect(read('2031-03-04 09:30:00 +02:00')).toBe('2031-03-04T07:30:00Z')
    expect(read('4.3.2031 9:30')).toBe('2031-03-04T09:30:00')
    expect(read('04/03/31, 9.30 Uhr')).toBe('2031-03-04T09:30:00')
    expect(read('3/4/2031 9:30 PM', 'mdy')).toBe('2031-03-04T21:30:00')
    expect(read('12:15 a.m.', 'mdy', '3/4/2031')).toBe('2031-03-04T00:15:00')
    expect(read('14h30', 'dmy', '04-03-2031')).toBe('2031-03-04T14:30:00')
    expect(read('2031年3月4日 午後3時30分')).toBe('2031-03-04T15:30:00')
    expect(read('2031/3/4 09:05')).toBe('2031-03-04T09:05:00')
    for (const wrong of [
      '',
      'tomorrow',
      '2031-02-30 09:00',
      '31/31/2031 09:00',
      '2031-03-04',
      '2031-03-04 25:00',
      '4.3.2031 13:00 pm',
    ])
      expect(readTime(wrong, 'dmy'), wrong).toBeUndefined()
    expect([
      likelyOrder(['01/02/2031', '13/02/2031']),
      likelyOrder(['01/13/2031']),
      likelyOrder(['01/02/2031']),
    ]).toEqual(['dmy', 'mdy', undefined])
    expect(['45', '45 min', '1:30', '1h 30', '2 h', 'long'].map(readMinutes)).toEqual([
      45,
      45,
      90,
      90,
      120,
      undefined,
    ])
  })
})

onOneEngine('sqlite', 'appointments from CSV in the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let businessId: string
  beforeAll(async () => {
    service = await startTestService(engine)
    const { id, business_key: token } = businessOf(service.world, 'Salon Spree')
    businessId = id
    const made = async (path: string, body: object) =>
      (await service.call('POST', path, { token, body })).body
    const place = await made('/locations', { name: 'Rome', timezone: 'Europe/Rome' })
    const person = await made('/staff', { name: 'Mara Rossi', location_ids: [place.id], weekly_hours: [] })
    const room = await made('/resources', { name: 'Cabin', location_id: place.id })
    const parts = { location_ids: [place.id], staff_ids: [person.id], duration_minutes: 60 }
    await made('/services', { ...parts, name: 'Taglio' })
    await made('/services', { ...parts, name: 'Sauna', needs: [{ resource_ids: [room.id] }] })
    owner = await logInNewPerson(service, {
      email: 'o@example.com',
      role: 'owner',
      place: { businessId: id },
    })
  })
  afterAll(async () => {
    expect(await findMiscounted(service.databaseUrl)).toEqual([])
    await service.stop()
  })

  function post(
    { cookie }: Pick<LoggedIn, 'cookie'>,
    parts: Record<string, string | Buffer>,
  ): Promise<Reply> {
    const { body, type } = multipart(parts)
    return service.call('POST', '//console/bookings/import', {
      rawBody: body,
      headers: { host: 'localhost', cookie, 'sec-fetch-site': 'same-origin', 'content-type': type },
    })
  }

  const plain = ({ body }: Reply) =>
    (/<main[^]*<\/main>/.exec(String(body))?.[0] ?? String(body))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(' · ', ' ')
  const file = Buffer.from(
    [
      'Data;Ora;Servizio;Operatore;Cliente;Email;Stato',
      '30/03/2031;01:30;taglio;Mara Rossi;Ada Lovelace;ada@example.com;',
      '31/03/2031;09:00;Taglio;Mara Rossi;Ada Lovelace;;',
      '31/03/2031;09:30;Taglio;;Eve Adams;eve@example.com;',
      '31/03/2020;09:00;Taglio;;Eve Adams;eve@example.com;',
      '01/04/2031;09:00;Taglio;;Eve Adams;eve@example.com;annullato',
      '02/04/2031;09:00;Barba;;Eve Adams;eve@example.com;',
      '02/04/2031;nove;Taglio;;Eve Adams;eve@example.com;',
      '02/04/2031;09:00;Taglio;;<b>Eve</b>;no@address@;',
      '03/04/2031;09:00;Sauna;;Eve Adams;eve@example.com;',
      '31/03/2031;09:00;Taglio;Mara Rossi;Ada Lovelace;;',
    ].join('\r\n'),
  )
  const rows = () =>
    readRows(
      service.databaseUrl,
      `select starts_at, status, client_email from bookings where business_id = '${businessId}' and caused_by = 'business' order by starts_at`,
    )

  test('are planned, imported once, and named by row and column if they cannot be', async () => {
    const before = await rows()
    const plan = await post(owner, { file })
    expect(plan.status).toBe(200)
    const shown = plain(plan)
    for (const part of [
      '2 coming appointments',
      '2 past or cancelled appointments',
      '1 appointment overlaps another one',
      'Row 4: Mon, 31 Mar 2031, 9:30 Taglio, Mara Rossi, Eve Adams (overlaps row 3)',
      'Row 7 Service: Barba Nothing has this name.',
      'Row 8 Time: Not a date with a time.',
      'Row 9 Email:',
      'Row 10: The service needs rooms or several steps.',
      'Row 11: An earlier row is the same appointment.',
      '2 new clients',
      'Import 4 appointments',
    ])
      expect(shown).toContain(part)
    expect(await rows()).toEqual(before)
    const done = await post(owner, { ...planFields(plan), do: 'import' })
    expect([done.status, plain(done).includes('Import finished')]).toEqual([200, true])
    const after = (await rows())
      .slice(before.length ? 0 : 0)
      .filter(({ client_email }) => /^(ada|eve)@example.com$/.test(String(client_email)))
    expect(after.map(({ starts_at, status }) => [new Date(String(starts_at)).toISOString(), status])).toEqual(
      [
        ['2020-03-31T07:00:00.000Z', 'completed'],
        ['2031-03-30T00:30:00.000Z', 'confirmed'],
        ['2031-03-31T07:00:00.000Z', 'confirmed'],
        ['2031-04-01T07:00:00.000Z', 'cancelled'],
      ],
    )
    const again = await post(owner, { file })
    expect(plain(again)).toContain('4 appointments are already there')
    expect(plain(again)).toContain('There is nothing to import.')
  })

  test('an import whose columns differ from its plan only plans', async () => {
    const text = 'Start,Service,Client\n2032-01-05 10:00,Taglio,Zoe Zett\n'
    const plan = await post(owner, { file: Buffer.from(text) })
    const changed = await post(owner, { ...planFields(plan), 'column.2': 'ignore', do: 'import' })
    expect(plain(changed)).not.toContain('Import finished')
    expect(plain(changed)).toContain('The name is missing.')
    for (const [given, why] of [
      ['Start,Service', 'The file has no rows'],
      ['Start,Service\n"2032', 'A quotation mark in row 2 is never closed.'],
    ] as const) {
      const refused = await post(owner, { file: Buffer.from(given) })
      expect([refused.status, plain(refused).includes(why)]).toEqual([422, true])
    }
  })

  test('the command of docs/guides/moving.md runs', async () => {
    const [text = ''] = blocksOf(documentAt('docs/guides/moving.md'))
      .map((block) => block.text)
      .filter((one) => one.includes('--from csv'))
    const words = text.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
    const path = join(mkdtempSync(join(inject('filesDirectory'), 'csv-')), 'appointments.csv')
    writeFileSync(path, file)
    const names: Record<string, string> = { 'appointments.csv': path, 'Corner Salon': 'Salon Spree' }
    const args = words.slice(2).map((word) => names[word] ?? word)
    const holdfast = commandLine(service.databaseUrl)
    const plan = await holdfast.text(...args)
    expect(plan).toMatch(/^Nothing was changed; --apply imports/)
    expect(plan).toContain('bookings: 0 coming, 0 past, 4 there')
    expect(plan).toContain('row 7: service "Barba" is not in the catalogue')
    expect(await holdfast.json(...args, '--column', 'Ora=ignore')).toMatchObject({ failed: 10 })
    await holdfast.refuses([...args, '--column', 'Hora=time'], 2, /no heading of "Hora/)
    await holdfast.refuses([...args, '--date-order', 'ymd'], 2, /must be one of dmy, mdy/)
  })

  test('are for managers and owners', async () => {
    const place = { businessId }
    const desk = await logInNewPerson(service, { email: 'desk@example.com', role: 'front_desk', place })
    expect((await post(desk, { file })).status).toBe(404)
    expect((await post({ cookie: '' }, { file })).body).not.toContain('coming')
  })
})
