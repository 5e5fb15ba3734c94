import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

interface Coupon {
  id: string
  code: string
}

onOneEngine('sqlite', 'coupons in the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  beforeAll(async () => {
    service = await startTestService(engine)
    owner = await logInNewPerson(service, {
      ...{ email: 'owner@example.com', role: 'owner' },
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
  })
  afterAll(() => service.stop())

  const send = (path: string, fields: Record<string, string>) =>
    sendForm(service, `/console/${path}`, { 'price.currency': 'EUR', ...fields }, owner)
  const page = async (path: string) => textOf(await readConsole(service, `/console/${path}`, owner))
  const coupons = async () => (await owner.call('GET', '/coupons')).body.data as Coupon[]
  const empty = { percent: '', 'amount.amount': '', valid_from: '', valid_until: '', max_uses: '' }
  const form = { ...empty, max_uses_per_client: '', 'active.shown': '1', active: 'on' }

  test('are added with whole days of the business, changed and deleted', async () => {
    expect(await page('coupons')).toContain('No coupons yet.')
    const { service_id } = offer(businessOf(service.world, 'Salon Spree'), 'Haircut', 'Mitte')
    const days = { valid_from: '2026-11-20', valid_until: '2026-12-31' }
    const added = await send('coupons/new', {
      ...{ ...form, ...days, code: 'winter', percent: '10', max_uses: '20' },
      [`service_ids.${service_id}`]: 'on',
    })
    expect(added.status).toBe(303)
    const [coupon] = await coupons()
    expect(coupon).toMatchObject({
      ...{ code: 'WINTER', percent: 10, amount: null, max_uses: 20, service_ids: [service_id], active: true },
      valid_from: '2026-11-20T00:00:00+01:00',
      valid_until: '2027-01-01T00:00:00+01:00', // the last day counts
    })
    const path = `coupons/${String(coupon?.id)}`
    expect(await page('coupons')).toContain('used 0 of 20 times · until Thu, 31 Dec 2026')
    expect((await readConsole(service, `/console/${path}`, owner)).body).toContain('value="2026-12-31"')
    // an amount in place of the percentage, for all services
    const changed = await send(path, { ...form, code: 'WINTER', 'amount.amount': '7.50' })
    expect(changed.status).toBe(303)
    expect((await coupons())[0]).toMatchObject({
      ...{
        percent: null,
        amount: 750,
        currency: 'EUR',
        service_ids: null,
        valid_until: null,
        max_uses: null,
      },
    })
    expect((await send(`${path}/remove`, {})).status).toBe(303)
    expect(await coupons()).toEqual([])
  })

  test('show how often they were used, and what they took off', async () => {
    const business = businessOf(service.world, 'Salon Spree')
    const { body: coupon } = await owner.call('POST', '/coupons', { code: 'FIFTH', percent: 20 })
    const path = `coupons/${String(coupon.id)}`
    expect(await page(path)).toContain('not used yet')
    expect(await page(path)).not.toContain('off in total')
    const place = offer(business, 'Haircut', 'Mitte')
    const starts = { ...place, starts_at: '2026-12-01T10:00:00+01:00' }
    const held = await owner.call('POST', '/bookings/hold', starts)
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
    const booked = await owner.call('POST', '/bookings', {
      ...{ hold_id: held.body.hold_id, client, coupon: 'FIFTH' },
    })
    expect(booked.status, JSON.stringify(booked.body)).toBe(201)
    expect(booked.body).toMatchObject({ discount: { amount: 700, currency: 'EUR' } })
    expect(await page(path)).toContain('used once · €7 off in total')
    const list = `bookings?when=all&coupon=${String(coupon.id)}`
    const { body: shown } = await readConsole(service, `/console/${path}`, owner)
    expect(shown).toContain(`<a href="/console/${list.replace('&', '&amp;')}">used once</a>`)
    const id = String(booked.body.id)
    const listed = String((await readConsole(service, `/console/${list}`, owner)).body)
    expect(listed.match(/class="row" href="[^"]*bookings\/[^"]*"/g)).toHaveLength(1)
    expect(listed).toContain(id)
    expect(listed).toMatch(/<option value="[^"]*" selected[^>]*>FIFTH</)
    const found = await owner.call('GET', `/bookings?coupon_id=${String(coupon.id)}`)
    expect(found.body.data).toMatchObject([{ id, discount: { code: 'FIFTH' } }])
    expect((await owner.call('GET', `/bookings?coupon_id=${id}`)).body.data).toEqual([])
    expect((await send(`${path}/remove`, {})).status).toBe(303)
  })

  test('keep what was typed beside a fault that names its field', async () => {
    const none = await send('coupons/new', { ...form, code: 'FAULTY' })
    expect(none.status).toBe(422)
    expect(textOf(none)).toContain('Enter a percentage or an amount.')
    expect(none.body).toContain('value="FAULTY"')
    const both = await send('coupons/new', { ...form, code: 'FAULTY', percent: '5', 'amount.amount': '5' })
    expect(textOf(both)).toContain('Enter only one of the two.')
    expect(textOf(await send('coupons/new', { ...form, code: 'no spaces', percent: '5' }))).toContain(
      'Use only letters from A to Z, digits, - and _.',
    )
    expect(await coupons()).toEqual([])
  })
})
