import { afterAll, beforeAll, expect, test } from 'vitest'
import { unsortedClients } from '../../src/bookings/client-order.ts'
import { namesByLanguage } from '../support/names.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* The order of lists of clients, which is that of the language of their business. */

onOneEngine('sqlite', 'the order of clients', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  async function call(business: OwnBusiness, method: string, path: string, body?: object) {
    const reply = await service.call(method, path, { token: business.key, ...(body && { body }) })
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    return reply.body as Record<string, unknown>
  }
  const speak = (business: OwnBusiness, locale: string) =>
    call(business, 'PATCH', `/businesses/${business.id}`, { locale })
  /** Adds every second name by a booking, and the others as a card. */
  async function add(business: OwnBusiness, names: readonly string[]) {
    const staffIds = await makeStaff(service, business.id, ['Kim'])
    const offer = await makeOffer(service, business.id, { name: 'Cut', staffIds })
    for (const [index, first_name] of names.entries()) {
      const client = { first_name, last_name: 'Xu' }
      if (index % 2 === 0) {
        await call(business, 'POST', '/clients', client)
        continue
      }
      const starts_at = new Date(Date.parse('2026-12-01T09:00:00Z') + index * 3_600_000).toISOString()
      const { hold_id } = await call(business, 'POST', '/bookings/hold', { ...offer, starts_at })
      await call(business, 'POST', '/bookings', { hold_id, client })
    }
  }
  async function listed(business: OwnBusiness, more = '') {
    const names: string[] = []
    for (let cursor = ''; ;) {
      const page = await call(business, 'GET', `/clients?limit=2${more}${cursor}`)
      names.push(...(page['data'] as { first_name: string }[]).map(({ first_name }) => first_name))
      const next = page['next_cursor'] as string | null
      if (next === null) return names
      cursor = `&cursor=${next}`
    }
  }
  const inOrder = (names: readonly string[], language: string) =>
    names.toSorted((one, other) =>
      new Intl.Collator(language, { sensitivity: 'base' }).compare(`${one} Xu`, `${other} Xu`),
    )
  async function housekeep() {
    while ((await unsortedClients.deleteBatch(service.context, 3)) > 0);
  }

  for (const [language, names] of Object.entries(namesByLanguage)) {
    test(`is that of ${language}, page by page, for added clients and for bookings`, async () => {
      const business = await makeBusiness(service)
      await speak(business, language)
      await add(business, names)
      expect(await listed(business)).toEqual(inOrder(names, language))
    })
  }

  test('changes with the language of the business, in batches, and keeps namesakes apart', async () => {
    const names = ['Åsa', 'Åsa', 'Zara', 'Ärla', 'Östen', 'Ola', 'Ola', 'Ola']
    const business = await makeBusiness(service)
    await add(business, names)
    expect(await listed(business)).toEqual(inOrder(names, 'de'))
    for (const language of ['sv', 'de', 'da', 'es', 'sv-FI']) {
      await speak(business, language)
      await housekeep()
      expect(await listed(business)).toEqual(inOrder(names, language))
      expect(await service.rows('client_sorts')).toEqual([])
    }
  })

  test('follows a corrected name and a merged client', async () => {
    const business = await makeBusiness(service)
    await speak(business, 'sv')
    await add(business, ['Asa', 'Zara', 'Bo'])
    const { data } = await call(business, 'GET', '/clients')
    const [asa, bo] = data as { id: string }[]
    await call(business, 'PATCH', `/clients/${asa?.id ?? ''}`, { first_name: 'Åsa' })
    expect(await listed(business)).toEqual(['Bo', 'Zara', 'Åsa'])
    await call(business, 'POST', `/clients/${bo?.id ?? ''}/merge`, { into: asa?.id })
    expect(await listed(business)).toEqual(['Zara', 'Åsa'])
  })
})
