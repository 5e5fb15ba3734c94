import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { readConsole, textOf } from '../support/console.ts'
import { type DepositWorld, depositWorld } from '../support/deposits.ts'
import { makeOffer } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'

/** Services with a price in minor units. As numbers alone, those in yen and dinars would lead. */
const prices = [
  ['Cut', 3_500, 'EUR'],
  ['Colour', 9_000, 'EUR'],
  ['Shiatsu', 12_000, 'JPY'],
  ['Hammam', 12_500, 'KWD'],
  ['Hammam deluxe', 1_234_500, 'KWD'],
] as const

onOneEngine('sqlite', 'amounts in several currencies', (engine) => {
  let world: DepositWorld
  let manager: LoggedIn
  const booked: { id: string; currency: string }[] = []
  beforeAll(async () => {
    world = await depositWorld(engine)
    const { business, service } = world
    for (const [name, amount, currency] of prices) {
      const offer = await makeOffer(service, business.id, { name, deposit: { amount, currency } })
      const body = { price: { amount, currency } }
      await service.call('PATCH', `/services/${offer.service_id}`, { token: business.key, body })
      await world.newSession()
      const { sessionId, id } = await world.due({ offer })
      booked.push({ id, currency })
      await world.paid(sessionId)
      await world.settled()
      if (name !== 'Shiatsu') continue
      const refund = { token: business.key, body: { amount: 2_000 } }
      expect((await service.call('POST', `/bookings/${id}/refund`, refund)).status).toBe(201)
      await world.settled()
    }
    const place = { businessId: business.id }
    manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
  })
  afterAll(() => world.stop())

  const read = (path: string, language = 'en') =>
    readConsole(world.service, path, manager, { 'accept-language': language })
  const days = '?range=own&from=2026-11-30&to=2026-12-06'

  test('are ranked and summed for each currency in the reports', async () => {
    const page = await read(`/console/numbers${days}`)
    expect(textOf(page)).toMatch(
      / Services EUR Colour brings the most: 72% of the total\. Colour €90 Cut €35 KWD Hammam deluxe brings the most: 99% of the total\. Hammam deluxe KWD 1,234\.500 Hammam KWD 12\.500 JPY Shiatsu brings the most: 100% of the total\. Shiatsu ¥12,000 /,
    )
    expect(textOf(page)).toContain('€125 booked. Best period: ')
    expect(textOf(page)).toContain('KWD 1,247 booked. Best period: ')
    const plot = /aria-label="Revenue booked \(KWD\)">([^]*?)<\/svg>/.exec(String(page.body))?.[1] ?? ''
    const labels = [...plot.matchAll(/<text\s+x="([\d.]+)"[^>]*text-anchor="end"[^>]*>([^<]*)</g)]
    expect(labels.map(([, , text]) => text?.replace('\u00a0', ' '))).toContain('KWD 2K')
    // the axis leaves room for the currency
    for (const [, x, text = ''] of labels) expect(Number(x)).toBeGreaterThanOrEqual(text.length * 5)
  })

  test('are summed for each currency by day and by service', async () => {
    const text = textOf(await read('/console/payments'))
    expect(text).toMatch(
      /By service EUR Service Received Colour €90 Cut €35 JPY Service Received Refunded Net Shiatsu ¥12,000 ¥2,000 ¥10,000 KWD Service Received Hammam deluxe KWD 1,234\.500 Hammam KWD 12\.500/,
    )
    expect(text).toMatch(
      /By day EUR Date Received \S+ 20 Nov €125 JPY .* KWD Date Received \S+ 20 Nov KWD 1,247/,
    )
    expect(text).toContain('−¥2,000')
  })

  test('have the decimals of their currency and a plain minus in the file', async () => {
    const { body } = await world.service.call('GET', '//console/payments.csv', {
      headers: { cookie: manager.cookie, 'accept-language': 'en' },
    })
    expect(body).toContain(',1234.500,0.000,KWD,Stripe,')
    expect(body).toContain(',12000,2000,JPY,Stripe,')
    expect(body).toContain(',-2000,,JPY,Stripe,')
    expect(body).not.toContain('\u2212')
  })

  test('have no heading in the ranking of services once all bookings in them are missed', async () => {
    const { service, business } = world
    service.clock.advance(20 * 86_400) // all have begun, and the log-in has ended
    const place = { businessId: business.id }
    manager = await logInNewPerson(service, { email: 'later@example.com', role: 'manager', place })
    const miss = async (isMissed: (currency: string) => boolean) => {
      for (const { id } of booked.filter(({ currency }) => isMissed(currency))) {
        const change = { token: business.key, body: { no_show: true } }
        expect((await service.call('PATCH', `/bookings/${id}`, change)).status).toBe(200)
      }
    }
    await miss((currency) => currency === 'KWD')
    expect(textOf(await read(`/console/numbers${days}`))).toMatch(
      / Services EUR Colour brings .* Cut €35 JPY Shiatsu brings /,
    )
    await miss((currency) => currency !== 'KWD')
    const text = textOf(await read(`/console/numbers${days}`))
    expect(text).toContain('5 no-shows (100% of the bookings) cost you ')
    expect(text).not.toContain('The booked services have no prices.')
  })
})
