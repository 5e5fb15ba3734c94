import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the booking page as that of a salon', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  const change = (path: string, body: object) =>
    service.call('PATCH', path, { token: salon.business_key, body })
  const page = async (language = 'en') => {
    service.clock.advance(6) // cached for five seconds
    const { body, headers } = await service.call('GET', '//book/salon-spree', {
      headers: { 'accept-language': language },
    })
    return { text: String(body).replaceAll(/\s+/g, ' '), policy: headers['content-security-policy'] }
  }

  test('has the address with a link to the map, and the hours of the coming week with exceptions', async () => {
    // a Friday
    const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
    await change(`/locations/${salon.locations[0]?.id}`, {
      address: 'Rosenthaler Str. 12\n10119 Berlin',
      weekly_hours: weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' })),
      date_overrides: [
        { date: '2026-11-20', hours: [{ opens: '10:00', closes: '12:00' }] },
        { date: '2026-11-23', hours: [] },
      ],
    })
    const { text } = await page()
    expect(text).toContain('query=Rosenthaler%20Str.%2012%0A10119%20Berlin"')
    expect(text).toContain('Today: 10:00 – 12:00')
    expect(text).toMatch(/<dt>Monday<\/dt> <dd>closed<\/dd>\s?<dt>Tuesday<\/dt> <dd>0?9:00 – 18:00<\/dd>/)
    expect((await page('de')).text).toContain('Heute: 10:00 – 12:00')
  })

  test('has cover, phone, team and legal texts, and lets only pictures of other hosts in that it names', async () => {
    const legal = { imprint_url: 'https://example.com/imprint', privacy_url: 'https://example.com/privacy' }
    await change(`/businesses/${salon.id}`, { phone: '+49 30 1234', terms: 'a < b', ...legal })
    const { text, policy } = await page()
    expect(text).toContain('href="tel:+49301234"')
    expect(text).toContain('href="https://example.com/imprint"')
    expect(text).toContain('Legal notice')
    expect(text).toContain('a &lt; b')
    expect(text).toContain('<bdi>Anna Weber</bdi>')
    expect(policy).not.toContain(' https: ')
    await change(`/businesses/${salon.id}`, { cover_url: 'https://pictures.example/cover.jpg' })
    const later = await page()
    expect(later.text).toContain('<img class="cover" src="https://pictures.example/cover.jpg"')
    expect(later.policy).toContain("img-src 'self' https: data:")
  })
})
