import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookingPageKey } from '../../src/access/page-key.ts'
import { revokeKey } from '../../src/access/key.ts'
import { createKey } from '../../src/catalogue/business-keys.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'links to booking pages', (engine) => {
  let service: TestService
  let salon: Tenant
  let haircut: string | undefined
  let anna: string | undefined
  let mitte: string | undefined
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    haircut = salon.services.find(({ name }) => name === 'Haircut')?.id
    anna = salon.staff.find(({ name }) => name === 'Anna Weber')?.id
    mitte = salon.locations.find(({ name }) => name === 'Mitte')?.id
  })
  afterAll(() => service.stop())

  const open = async (path: string, language = 'en') => {
    const reply = await service.call('GET', `//book/${path}`, { headers: { 'accept-language': language } })
    return { ...reply, page: String(reply.body).replace(/<style>[^]*?<\/style>/, '') } // selectors name attributes
  }
  const change = (path: string, body: object) =>
    service.call('PATCH', path, { token: salon.business_key, body })

  test('who reads no language of the page reads that of the business', async () => {
    await change(`/businesses/${salon.id}`, { locale: 'pl-PL' })
    const path = salon.publishable_key
    expect((await open(path, 'ko,fi;q=0.5')).page).toContain('<html lang="pl" dir="ltr">')
    expect((await open(path, 'ko,pt-BR;q=0.5')).page).toContain('<html lang="pt" dir="ltr">')
    const session = await service.call('POST', '/session', { token: salon.publishable_key })
    expect(session.body.business).not.toHaveProperty('locale')
    await change(`/businesses/${salon.id}`, { locale: 'en' })
    service.clock.advance(6) // after the cache of a business has expired
  })

  test('the name of the business leads to its page, with the key of its page', async () => {
    const { status, page } = await open('salon-spree')
    expect(status).toBe(200)
    expect(page).toContain(`publishable-key="${await bookingPageKey(service.context, salon.id)}"`)
    expect(page).toContain('property="og:url" content="http://127.0.0.1:3000/book/salon-spree"')
    expect(page).not.toContain('service-id')
  })

  test('service, person, place and date can be chosen already, by key and by name', async () => {
    for (const path of [
      `salon-spree/haircut?staff=anna&location=${mitte}&date=2026-12-01`,
      `salon-spree/${haircut}?staff=${anna}&location=${mitte}&date=2026-12-01`,
      `${salon.publishable_key}?service=haircut&staff=anna&location=${mitte}&date=2026-12-01`,
      `${salon.publishable_key}/haircut?staff=anna&location=${mitte}&date=2026-12-01`,
    ]) {
      const { status, page } = await open(path)
      expect(status).toBe(200)
      for (const attribute of [`service-id="${haircut}"`, `staff-id="${anna}"`, `location-id="${mitte}"`])
        expect(page).toContain(attribute)
      expect(page).toContain('date="2026-12-01"')
    }
  })

  test('several services can be chosen already, and the page carries their times', async () => {
    const consultation = salon.services.find(({ name }) => name === 'Consultation')?.id
    for (const path of [
      `salon-spree/haircut+consultation?staff=anna&location=${mitte}`,
      `salon-spree?service=haircut,consultation&staff=anna&location=${mitte}`,
      `salon-spree?service=haircut+consultation&staff=anna&location=${mitte}`,
    ]) {
      const { status, page } = await open(path)
      expect(status).toBe(200)
      expect(page).toContain(`services="${haircut},${consultation}"`)
      expect(page).not.toContain('service-id')
      expect(page).toContain('<title>Haircut + Consultation · Anna Weber – Salon Spree</title>')
      expect(page).toContain(`"items":"${haircut}:${anna},${consultation}`)
    }
    expect((await open('salon-spree/haircut+gone')).status).toBe(404)
  })

  test('what a link carries beside that, or what is not there, is left out', async () => {
    const { status, page } = await open(
      'salon-spree?service=gone&staff=%22%3E&date=2026-02-30&x=y&staff=anna',
    )
    expect(status).toBe(200)
    for (const left of ['service-id', 'staff-id', ' date=']) expect(page).not.toContain(left)
  })

  test('programs that show links get texts and picture of the service, escaped, in the language of the page', async () => {
    const image_url = 'https://pictures.example/cut.jpg?a=1&b=2'
    await change(`/services/${haircut}`, {
      name: 'Cut & "colour" <b>',
      description: 'Wash <i>&</i> cut.',
      image_url,
    })
    service.clock.advance(5)
    const { page, headers } = await open('salon-spree/haircut?staff=anna', 'de')
    expect(page).toContain('<html lang="de"')
    const title = 'Cut &amp; &quot;colour&quot; &lt;b&gt; · Anna Weber – Salon Spree'
    expect(page).toContain(`<meta property="og:title" content="${title}" />`)
    expect(page).toContain('property="og:description" content="Wash &lt;i&gt;&amp;&lt;/i&gt; cut."')
    expect(page).toContain('property="og:image" content="https://pictures.example/cut.jpg?a=1&amp;b=2"')
    expect(page).toContain('property="og:url" content="http://127.0.0.1:3000/book/salon-spree/haircut"')
    expect(headers['content-security-policy']).toContain("img-src 'self' https: data:")
    await change(`/services/${haircut}`, { name: 'Haircut', description: null, image_url: null })
    service.clock.advance(5)
    const plain = await open('salon-spree/haircut', 'de')
    expect(plain.page).toContain('og:title" content="Haircut – Salon Spree"')
    expect(plain.page).toContain('og:description" content="Suchen Sie sich eine Zeit aus')
    expect(plain.headers['content-security-policy']).not.toContain(' https: ')
  })

  test.each(['nobody-here', 'Salon_Spree', 'cal_pub_x', '..%2f', 'a', '%00'])(
    '%s, which leads nowhere, says what to do',
    async (path) => {
      const { status, page } = await open(path)
      expect(status).toBe(404)
      expect(page).toContain('Please ask the business')
    },
  )

  test('are found as people type them: in capitals, and with a slash at the end', async () => {
    for (const path of ['Salon-Spree', 'salon-spree/', 'salon-spree/Haircut?staff=ANNA'])
      expect([path, (await open(path)).status]).toEqual([path, 200])
  })

  test('a service that is not offered leads to the page of the business', async () => {
    for (const path of ['salon-spree/gone', `salon-spree/${anna}`]) {
      const { status, page } = await open(path, 'de-AT,de')
      expect(status).toBe(404)
      expect(page).toContain('Das kann nicht mehr gebucht werden')
      expect(page).toContain('href="/book/salon-spree"')
    }
  })

  test('a revoked key says what to do, in the language of the page; so does the name of a business whose page is closed', async () => {
    const { id, key } = await createKey(service.context, { type: 'publishable', businessId: salon.id })
    expect((await open(key)).status).toBe(200)
    await revokeKey(service.context, id)
    service.clock.advance(5)
    expect(await open(key, 'de')).toMatchObject({
      status: 404,
      page: expect.stringContaining('fragen Sie den Betrieb'),
    })
    const studio = businessOf(service.world, 'Hudson Studio')
    expect((await open('hudson-studio')).status).toBe(200)
    const ownKey = await bookingPageKey(service.context, studio.id)
    const keys = await service.rows('api_keys')
    const own = keys.find((row) => row['business_id'] === studio.id && row['last_four'] === ownKey?.slice(-4))
    await revokeKey(service.context, String(own?.['id']))
    service.clock.advance(5)
    expect((await open('hudson-studio')).status).toBe(404)
  })

  test('a new name leads there, and the old one nowhere', async () => {
    await change(`/businesses/${salon.id}`, { slug: 'spree' })
    service.clock.advance(5)
    expect((await open('spree/haircut')).status).toBe(200)
    expect((await open('salon-spree')).status).toBe(404)
  })
})
