import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { makeLocation } from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import type { CardBehaviour } from '../support/stripe-server.ts'
import { onOneEngine } from '../support/long.ts'
import { beforeTransactions } from '../support/test-service.ts'

const price = { amount: 6_000, currency: 'EUR' }
const visa = { brand: 'Visa', last_four: '4242' }

onOneEngine('sqlite', 'the saved card of a booking', (engine) => {
  let world: DepositWorld
  let location: string
  beforeAll(async () => {
    world = await depositWorld(engine)
    location = await makeLocation(world.service, world.business.id)
  })
  beforeEach(async () => {
    world.stripe.card = 'works'
    world.stripe.failure = undefined
    world.stripe.ledger.length = 0
    await world.settled()
  })
  afterAll(() => world.stop())

  const call = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    world.service.call(method, path, { token: world.business.key, ...(body && { body }) })

  /** Books ten days ahead, and saves a card or pays at the checkout. */
  const booked = async (parts: object = {}, card: CardBehaviour = 'works') => {
    const { body: service } = await call('POST', '/services', {
      ...{ name: 'Massage', duration_minutes: 30, location_ids: [location], price, payment: 'card' },
      ...{ fees: [{ within_minutes: 1_440, percent: 50 }], no_show_percent: 100, cancel_until_minutes: 0 },
      ...parts,
    })
    await world.newSession()
    const at = new Date(world.service.clock.nowMs() + 10 * 86_400_000).toISOString()
    const held = await world.session.hold(
      { service_id: String(service.id), location_id: location },
      at.replace(/T.*/, 'T09:00:00Z'),
    )
    const { body } = await world.session.book(String(held.body.hold_id), { fee_consent: 'Fees' })
    const session = [...world.stripe.sessions.values()].find(({ url }) => url === body.redirect_url)
    world.stripe.card = card
    await world.paid(session?.id ?? '')
    return String(body.id)
  }
  const cardOf = async (id: string) =>
    ((await world.shown(id)).payments as { card: object | null }[])[0]?.card
  const feesOf = async (id: string) =>
    ((await world.shown(id)).payments as Record<'id' | 'kind' | 'status', string>[]).filter(
      ({ kind }) => kind === 'fee',
    )
  const remove = (id: string) => call('DELETE', `/bookings/${id}/card`)
  const method = () => [...world.stripe.methods.values()].at(-1)
  const manage = async (id: string) => {
    const { manage_url } = await world.shown(id)
    const token = new URL(String(manage_url)).hash.slice(1)
    return {
      show: async () => (await world.service.call('GET', '/manage', { token })).body,
      remove: () => world.service.call('DELETE', '/manage/card', { token }),
      cancel: () => world.service.call('POST', '/manage/cancel', { token, body: {} }),
    }
  }
  const detached = () => [...world.stripe.methods.values()].filter(({ customer }) => customer === null).length

  test('is shown by its brand and last four digits, after a card alone and after a payment', async () => {
    for (const parts of [{}, { payment: 'full' }]) {
      const id = await booked(parts)
      await world.settled()
      expect(await cardOf(id)).toEqual({ ...visa, removing: false })
      expect((await (await manage(id)).show()).card).toEqual({ ...visa, removing: false, can_remove: false })
      const [stored] = (await world.service.rows('payments')).filter(({ booking_id }) => booking_id === id)
      expect(stored).toMatchObject({ card_brand: 'Visa', card_last_four: '4242', next_check_at: null })
    }
  })

  test('is read later if the processor was away, and not asked for again if it refuses', async () => {
    world.stripe.failure = { how: 'away', on: /payment_methods/ }
    const id = await booked()
    await world.settled()
    expect(await cardOf(id)).toEqual({ brand: null, last_four: null, removing: false })
    world.stripe.failure = undefined
    world.service.clock.advance(7_200)
    await world.settled()
    expect(await cardOf(id)).toMatchObject(visa)
    const refused = await booked()
    world.stripe.methods.delete(method()?.id ?? '')
    await world.settled()
    expect(await cardOf(refused)).toEqual({ brand: null, last_four: null, removing: false })
  })

  test('with more or fewer than four digits is not stored', async () => {
    const id = await booked()
    const saved = method()
    if (saved) saved.card.last4 = '4242424242424242'
    await world.settled()
    expect(await cardOf(id)).toMatchObject({ brand: null, last_four: null })
  })

  test('is detached at the processor once it is removed, and charges nothing more', async () => {
    const id = await booked()
    await world.settled()
    const before = detached()
    world.stripe.failure = { how: 'away', on: /detach/ }
    expect((await remove(id)).status).toBe(204)
    expect((await remove(id)).status).toBe(204)
    await call('POST', `/bookings/${id}/charge`, { amount: 900, reason: 'Coffee' })
    await world.settled()
    expect(await feesOf(id)).toMatchObject([{ status: 'due', failure: 'no_card' }])
    world.stripe.failure = undefined
    world.service.clock.advance(7_200)
    await world.settled()
    expect(await cardOf(id)).toBeNull()
    expect(method()?.customer).toBeNull()
    expect(detached()).toBe(before + 1)
    const { body } = await world.service.call('GET', `/bookings/${id}/history`, { token: world.business.key })
    const actions = (body.data as { action: string }[]).map(({ action }) => action)
    expect(actions.filter((action) => action === 'booking.card_removed')).toHaveLength(1)
    await call('POST', `/bookings/${id}/charge`, { amount: 700, reason: 'Tea' })
    await world.settled()
    const due = { status: 'due', failure: 'no_card' }
    expect(await feesOf(id)).toMatchObject([due, due])
    expect(world.stripe.ledger).toEqual([])
  })

  test('is removed after outages and lost answers, and only once', async () => {
    for (const how of ['away', 'error', 'answer lost'] as const) {
      const id = await booked()
      await world.settled()
      world.stripe.failure = { how, on: /detach/ }
      await remove(id)
      await world.settled()
      expect(await cardOf(id)).toMatchObject({ removing: true })
      world.stripe.failure = undefined
      world.service.clock.advance(25 * 3_600) // Stripe repeats its own error for a day
      await world.settled()
      expect(await cardOf(id)).toBeNull()
      expect(method()?.customer).toBeNull()
    }
  })

  test('is removed wherever the server is killed', async () => {
    for (let at = 1; at <= 8; at += 1) {
      const id = await booked(at % 2 === 0 ? {} : { payment: 'full' })
      await world.settled()
      await remove(id)
      let left = at
      const stop = beforeTransactions(world.service, () => {
        left -= 1
        return left === 0 ? Promise.reject(new Error('killed')) : Promise.resolve()
      })
      await world.settled().catch(() => undefined)
      stop()
      world.service.clock.advance(300)
      await world.settled()
      expect(await cardOf(id), `killed at ${at}`).toBeNull()
      expect(method()?.customer).toBeNull()
    }
  })

  test('waits for a charge that has begun, which is never taken twice', async () => {
    const id = await booked({}, 'takes time')
    await world.settled()
    await call('POST', `/bookings/${id}/charge`, { amount: 700, reason: 'Tea' })
    await world.settled()
    await remove(id)
    await world.settled()
    expect(method()?.customer).not.toBeNull()
    const intent = [...world.stripe.intents.values()].findLast(({ object }) => object === 'payment_intent')
    world.stripe.bankDecides(intent?.id ?? '', true)
    for (let hour = 0; hour < 4; hour += 1) {
      world.service.clock.advance(3_600)
      await world.settled()
    }
    expect(await feesOf(id)).toMatchObject([{ status: 'paid' }])
    expect(world.stripe.ledger).toHaveLength(1)
    expect(method()?.customer).toBeNull()
  })

  test('is removed by the client only after a cancellation, or once all is over and paid', async () => {
    const id = await booked({}, 'card_declined')
    const link = await manage(id)
    expect(await link.remove()).toMatchObject({ status: 409, body: { reason: 'not_allowed' } })
    const startsAt = Date.parse(String((await world.shown(id)).starts_at))
    world.service.clock.advance(Math.round((startsAt - world.service.clock.nowMs()) / 1_000) - 7_200)
    await link.cancel()
    await world.settled()
    expect(await feesOf(id)).toMatchObject([{ status: 'due' }])
    expect((await link.show()).card).toMatchObject({ can_remove: false })
    expect((await link.remove()).status).toBe(409)
    const [fee] = await feesOf(id)
    await call('POST', `/bookings/${id}/payments/${fee?.id ?? ''}/waive`, {})
    await world.settled()
    expect((await link.show()).card).toMatchObject({ can_remove: true })
    expect((await link.remove()).status).toBe(204)
    await world.settled()
    expect((await link.show()).card).toBeNull()
    expect((await link.remove()).status).toBe(204)
  })

  test('of another business is not found, nor is that of a booking without one', async () => {
    const offer = { service_id: '', location_id: location }
    const { body: service } = await call('POST', '/services', {
      ...{ name: 'Talk', duration_minutes: 30, location_ids: [location] },
    })
    const at = new Date(world.service.clock.nowMs() + 86_400_000).toISOString().replace(/T.*/, 'T09:00:00Z')
    const held = await world.key.hold({ ...offer, service_id: String(service.id) }, at)
    const { body } = await world.key.book(String(held.body.hold_id))
    expect((await remove(String(body.id))).status).toBe(404)
    expect((await remove('00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })

  test('is removed with its client', async () => {
    const id = await booked()
    await world.settled()
    const { email } = (await world.shown(id)).client as { email: string }
    expect((await call('POST', '/clients/erase', { email })).status).toBe(200)
    await world.settled()
    expect(method()?.customer).toBeNull()
    expect(await cardOf(id)).toBeNull()
  })

  test('is shown and removed in the console', async () => {
    const id = await booked()
    await world.settled()
    const owner = await logInNewPerson(world.service, {
      ...{ email: `cards-${engine}@example.com`, role: 'manager', place: { businessId: world.business.id } },
    })
    const path = `/console/bookings/${id}`
    expect(textOf(await readConsole(world.service, path, owner))).toMatch(/Card saved.*Visa •••• 4242/)
    expect(textOf(await readConsole(world.service, `${path}/card`, owner))).toContain(
      'Remove the saved card?',
    )
    const clientPage = async () => {
      const { client } = await world.shown(id)
      const { id: clientId } = client as { id: string }
      return readConsole(world.service, `/console/clients/${clientId}`, owner)
    }
    expect(textOf(await clientPage())).toMatch(/Saved cards.* Visa •••• 4242 .*Remove card/)
    expect((await clientPage()).body).toContain(`href="${path}/card"`)
    expect(textOf(await clientPage())).not.toContain('Still to pay')
    await remove(id)
    await world.settled()
    expect(textOf(await readConsole(world.service, path, owner))).toContain('Saved card removed')
    const charge = { token: world.business.key, body: { amount: 700, reason: 'Tea' } }
    expect(await world.service.call('POST', `/bookings/${id}/charge`, charge)).toMatchObject({ status: 201 })
    await world.settled()
    const page = await clientPage()
    expect(textOf(page)).toMatch(/Still to pay.* Fee due · Tea: €7/)
    expect(page.body).toContain(`href="${path}"`)
  })
})
