import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressKey, asciiEmail, clientEmailOf, unicodeEmail } from '../../src/base/contact-formats.ts'
import { searchTerm } from '../../src/base/search-text.ts'
import { unicodeDomains } from '../../src/database/migrations/0058-unicode-domains.ts'
import { changeDirectly } from '../support/change-directly.ts'
import { findMiscounted } from '../support/checker.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* Browsers send `anna@bücher.de` as `anna@xn--bcher-kva.de`. Both are one mailbox, and so one client. */

test('a domain has one spelling, and a coded one that means nothing stays', () => {
  expect(unicodeEmail('Anna@XN--BCHER-KVA.de')).toBe('Anna@bücher.de')
  expect(unicodeEmail('Anna@BÜCHER.de')).toBe('Anna@bücher.de')
  expect(unicodeEmail('xn--bcher-kva@Example.com')).toBe('xn--bcher-kva@Example.com')
  for (const kept of [
    'a@xn--zzzzzz-9.de',
    'Anna@Example.com',
    'ÄNNE@example.com',
    'xn--',
    `a@xn--${'a'.repeat(300)}.de`,
  ])
    expect(unicodeEmail(kept)).toBe(kept)
  expect(asciiEmail('Änne@bücher.de')).toBe('Änne@xn--bcher-kva.de')
  expect(addressKey('ANNA@xn--bcher-kva.DE')).toBe(addressKey('anna@Bücher.de'.normalize('NFD')))
  expect(clientEmailOf('Anna+salon@xn--bcher-kva.de')).toBe('anna@bücher.de')
  expect(searchTerm('anna@xn--bcher-kva.de')).toBe('anna@bucher.de')
  expect(searchTerm('XN--bcher-kva')).toBe('bucher')
})

const coded = 'xn--bcher-kva.example'

onOneEngine('sqlite', 'an address with a domain beyond ASCII', (engine) => {
  let service: TestService
  let server: MailServer
  let business: OwnBusiness
  let offer: Offer
  beforeAll(async () => {
    server = await startMailServer()
    service = await startTestService(engine, mailVariables(server.url))
    business = await makeBusiness(service)
    offer = await makeOffer(service, business.id, { name: 'Cut', capacity: 500 })
  })
  afterAll(async () => {
    expect(await findMiscounted(service.databaseUrl)).toEqual([])
    await service.stop()
    await server.close()
  })

  const call = async (method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: business.key, ...(body && { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body as Record<string, unknown> & { data: { id: string }[] }
  }
  const book = async (client: object) => {
    const hold = await call('POST', '/bookings/hold', { ...offer, starts_at: '2026-12-01T09:00:00Z' })
    const booking = await call('POST', '/bookings', { hold_id: hold['hold_id'], client })
    return booking as unknown as { id: string; client: { id: string; email: string } }
  }
  const clientOf = async (id: string) => (await service.rows('clients')).find((row) => row['id'] === id)

  test('is one client in either spelling, shown in Unicode and found by both', async () => {
    const anna = { first_name: 'Anna', last_name: 'Berg' }
    const first = await book({ ...anna, email: `Anna@${coded}` })
    const again = await book({ ...anna, email: 'anna@BÜCHER.example' })
    expect(again.client.id).toBe(first.client.id)
    expect([first.client.email, again.client.email]).toEqual(['Anna@bücher.example', 'anna@bücher.example'])
    expect(await call('GET', `/clients/${first.client.id}`)).toMatchObject({
      ...{ email: 'Anna@bücher.example', booking_count: 2 },
    })
    for (const spelling of [`anna@${coded}`, 'anna@bücher.example']) {
      const named = encodeURIComponent(spelling)
      for (const path of [`/clients?email=${named}`, `/clients?q=${named}`])
        expect((await call('GET', path)).data.map(({ id }) => id)).toEqual([first.client.id])
      expect((await call('GET', `/bookings?email=${named}`)).data).toHaveLength(2)
      expect(await call('POST', '/clients/export', { email: spelling })).toMatchObject({
        ...{ email: 'anna@bücher.example', bookings: [{}, {}] },
      })
    }
    const refused = await service.call('POST', '/clients', {
      ...{ token: business.key, body: { ...anna, email: `anna@${coded}` } },
    })
    expect(refused.body).toMatchObject({ code: 'client_exists', client_id: first.client.id })
    await call('POST', '/clients/block', { email: `Anna@${coded}` })
    expect(await call('GET', `/clients/${first.client.id}`)).toMatchObject({ blocked: true })
  })

  test('is emailed in ASCII', async () => {
    await book({ first_name: 'Ida', last_name: 'Roth', email: 'ida@bücher.example' })
    await service.app.mails.settled()
    const [mail] = server.to('ida@bücher.example') // the test's server decodes the envelope
    expect(mail?.headers['to']).toBe(`ida@${coded}`)
    expect(mail?.calendar?.replaceAll('\r\n ', '')).toContain(`mailto:ida@${coded}`)
    expect((await call('GET', '/mails')).data).toContainEqual(
      expect.objectContaining({ to: 'ida@bücher.example' }),
    )
  })

  test('is erased in every spelling, also of a server of the previous release', async () => {
    const ole = { first_name: 'Ole', last_name: 'Lund', email: 'ole@bücher.example' }
    const { id, client } = await book(ole)
    await book(ole)
    await changeDirectly(
      service.databaseUrl,
      `update bookings set client_email = 'Ole@${coded}',
              client_search = replace(client_search, 'bucher.example', '${coded}') where id = '${id}'`,
    )
    expect(await call('POST', '/clients/erase', { email: `ole@${coded}` })).toMatchObject({
      bookings: 2,
      clients: 1,
    })
    expect(await clientOf(client.id)).toBeUndefined()
    const texts = (await service.rows('client_texts')).map((row) => String(row['email']))
    expect(texts.filter((text) => text.startsWith('ole@'))).toEqual([])
  })

  /** Writes addresses as the previous release stored them. */
  const storeCoded = async (clientId: string) => {
    const statements = [
      `update bookings set client_email = replace(client_email, 'bücher.example', '${coded}'),
              client_search = replace(client_search, 'bucher.example', '${coded}') where client_id = '${clientId}'`,
      `update clients set address = replace(address, 'bücher.example', '${coded}'),
              email = replace(email, 'bücher.example', '${coded}'),
              search = replace(search, 'bucher.example', '${coded}') where id = '${clientId}'`,
    ]
    for (const statement of statements) await changeDirectly(service.databaseUrl, statement)
  }
  const migrateAgain = () =>
    service.context.db.transaction((tx) => unicodeDomains(tx.db as unknown as Kysely<unknown>, engine))

  test('that an earlier release stored is rewritten, with the opt-out and the block', async () => {
    const { client } = await book({ first_name: 'Uwe', last_name: 'Kern', email: 'Uwe@bücher.example' })
    await storeCoded(client.id)
    for (const email of [`uwe@${coded}`, 'uwe@bücher.example', `eva@${coded}`]) {
      await changeDirectly(
        service.databaseUrl,
        `insert into mail_opt_outs values ('${business.id}', '${email}', '2026-11-20T09:00:00.000Z')`,
      )
    }
    await migrateAgain()
    await migrateAgain() // changes nothing more
    expect(await clientOf(client.id)).toMatchObject({
      ...{ address: 'uwe@bücher.example', email: 'Uwe@bücher.example' },
      search: expect.stringContaining('uwe@bucher.example') as string,
    })
    expect(await call('GET', '/bookings?email=uwe%40b%C3%BCcher.example')).toMatchObject({
      data: [{ client: { id: client.id, email: 'Uwe@bücher.example' } }],
    })
    const optedOut = (await service.rows('mail_opt_outs')).map((row) => row['email'])
    expect(optedOut.toSorted()).toEqual(['eva@bücher.example', 'uwe@bücher.example'])
    const texts = (await service.rows('client_texts')).map((row) => String(row['email']))
    expect(texts.filter((text) => text.includes('xn--'))).toEqual([])
  })

  test('of two clients makes them one, with the data of both', async () => {
    const mia = { first_name: 'Mia', last_name: 'Wolf' }
    const coded = await book({ ...mia, email: 'mia@bücher.example', phone: '+4930111' })
    await call('PATCH', `/clients/${coded.client.id}`, {
      notes: 'allergic',
      tags: ['VIP'],
      metadata: { shop: '7' },
    })
    await storeCoded(coded.client.id)
    const plain = await book({ ...mia, email: 'mia@bücher.example', phone: '+4930222' })
    expect(plain.client.id).not.toBe(coded.client.id)
    await call('PATCH', `/clients/${plain.client.id}`, { tags: ['Friday'], email: 'mia@bücher.example' })
    await migrateAgain()
    expect(await clientOf(coded.client.id)).toBeUndefined()
    expect(await call('GET', `/clients/${plain.client.id}`)).toMatchObject({
      ...{ notes: 'allergic\n+4930111', phone: '+4930222', tags: ['Friday', 'VIP'], metadata: { shop: '7' } },
      booking_count: 2,
    })
    expect((await book({ ...mia, email: 'mia@bücher.example' })).client.id).toBe(plain.client.id)
  })

  test('of two clients whose notes do not fit into one row leaves both', async () => {
    const max = { first_name: 'Max', last_name: 'Frey', email: 'max@bücher.example' }
    const [long, longer] = ['a'.repeat(1200), 'b'.repeat(1200)]
    const coded = await book(max)
    await call('PATCH', `/clients/${coded.client.id}`, { notes: long })
    await storeCoded(coded.client.id)
    const plain = await book(max)
    await call('PATCH', `/clients/${plain.client.id}`, { notes: longer })
    await migrateAgain()
    expect(await call('GET', `/clients/${coded.client.id}`)).toMatchObject({ notes: long, email: max.email })
    expect(await call('GET', `/clients/${plain.client.id}`)).toMatchObject({
      notes: longer,
      email: max.email,
    })
    const { data } = await call('GET', '/clients?q=max%40b%C3%BCcher')
    expect(data).toHaveLength(2)
  })

  test('that led to a merged client leads there in Unicode', async () => {
    const [eva, target] = [
      await book({ first_name: 'Eva', last_name: 'Stein', email: 'eva@bücher.example' }),
      await book({ first_name: 'Eva', last_name: 'Stein', email: 'eva@example.com' }),
    ]
    await call('POST', `/clients/${eva.client.id}/merge`, { into: target.client.id })
    await storeCoded(eva.client.id)
    await migrateAgain()
    const again = await book({ first_name: 'Eva', last_name: 'Stein', email: `eva@${coded}` })
    expect(again.client.id).toBe(target.client.id)
    const { rows } = await sql`select 1 from clients where address like 'eva@xn--%'`.execute(
      service.context.db.reads,
    )
    expect(rows).toEqual([])
  })
})
