import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import {
  deposit,
  depositWorld,
  sessionOf,
  startsAt,
  stripeVariables,
  type DepositWorld,
} from '../support/deposits.ts'
import { makeOffer, type Offer, type ServiceParts } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

/* Two servers over one database: the first has just read and cached the catalogue, and the second changes it. */
onOneEngine('sqlite', 'what another server has just changed about a service', (engine) => {
  let world: DepositWorld
  let other: TestService
  let session: Client
  let key: Client
  beforeAll(async () => {
    world = await depositWorld(engine)
    other = await startTestService(engine, stripeVariables(world.stripe.url), { beside: world.service })
    key = world.key
  })
  beforeEach(async () => {
    session = await sessionClient(world.service, world.business)
  })
  afterAll(async () => {
    await other.stop()
    await world.stop()
  })

  const offerOf = (parts: Partial<ServiceParts> = {}) => makeOffer(world.service, world.business.id, parts)

  async function change(
    { service_id }: Offer,
    body: Record<string, unknown>,
    server: TestService = other,
  ): Promise<void> {
    const token = world.business.key
    const reply = await server.call('PATCH', `/services/${service_id}`, { token, body })
    if (reply.status !== 200) throw new Error(`no change: ${JSON.stringify(reply.body)}`)
  }

  async function holdOf(offer: Offer): Promise<string> {
    const held = await session.hold(offer, startsAt) // read now, and cached
    expect(held.status).toBe(201)
    return String(held.body.hold_id)
  }

  const paymentsOf = async (id: string) =>
    (await world.service.rows('payments')).filter(({ booking_id }) => booking_id === id)

  test.each(['another server', 'the same server'])(
    'a deposit asked for on %s since the hold was placed is due, and not another one',
    async (where) => {
      const server = where === 'another server' ? other : world.service
      const offer = await offerOf()
      const id = await holdOf(offer)
      await change(offer, { price: deposit, deposit }, server)
      const reply = await session.book(id)
      expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
      expect(sessionOf(world.stripe, reply)).not.toBe('')
      expect(await world.shown(id)).toMatchObject({ payment: { status: 'due', ...deposit } })
      const raised = { amount: 3000, currency: 'EUR' }
      const next = await session.hold(offer, at('12:00'))
      await change(offer, { price: raised, deposit: raised }, server)
      await session.book(String(next.body.hold_id))
      expect(await world.shown(String(next.body.hold_id))).toMatchObject({ payment: raised })
    },
  )

  test('a deposit that is asked for no more is not due', async () => {
    const offer = await offerOf({ deposit })
    const id = await holdOf(offer)
    await change(offer, { deposit: null })
    const reply = await session.book(id)
    expect(reply).toMatchObject({ status: 201, body: { status: 'confirmed' } })
    expect(reply.body).not.toHaveProperty('redirect_url')
    expect(await paymentsOf(id)).toEqual([])
  })

  /** Books, and changes the service while the checkout is being opened. */
  async function bookAndChange(
    offer: Offer,
    ...changes: Record<string, unknown>[]
  ): Promise<[string, Reply]> {
    const id = await holdOf(offer)
    world.stripe.onCreated = async () => {
      const [next] = changes.splice(0, 1)
      if (next) await change(offer, next)
    }
    const reply = await session.book(id)
    world.stripe.onCreated = undefined
    return [id, reply]
  }

  test('a deposit that changes while its checkout is opened is asked for as it is then; the first checkout is closed', async () => {
    const raised = { amount: 3000, currency: 'EUR' }
    const before = world.stripe.sessions.size
    const [id, reply] = await bookAndChange(await offerOf({ deposit }), { price: raised, deposit: raised })
    expect(reply).toMatchObject({ status: 201, body: { status: 'pending' } })
    expect(await world.shown(id)).toMatchObject({ payment: { status: 'due', ...raised } })
    await world.settled()
    const opened = [...world.stripe.sessions.values()].slice(before)
    expect(opened.map(({ amount_total, status }) => [amount_total, status])).toEqual([
      [2500, 'expired'],
      [3000, 'open'],
    ])
  })

  test('one that is taken away while its checkout is opened is not due; the checkout is closed', async () => {
    const before = world.stripe.sessions.size
    const [id, reply] = await bookAndChange(await offerOf({ deposit }), { deposit: null })
    expect(reply).toMatchObject({ status: 201, body: { status: 'confirmed' } })
    expect(reply.body).not.toHaveProperty('redirect_url')
    expect(await world.eventsOf(id)).toEqual(['booking.created'])
    expect(await world.shown(id)).not.toHaveProperty('payment')
    await world.settled()
    expect([...world.stripe.sessions.values()].slice(before)).toMatchObject([{ status: 'expired' }])
  })

  test('one that changes each time is answered by "try again"; the hold stays and no checkout stays open', async () => {
    const before = world.stripe.sessions.size
    const changes = Array.from({ length: 9 }, (_, more) => {
      const money = { amount: 3000 + more, currency: 'EUR' }
      return { price: money, deposit: money }
    })
    const [id, reply] = await bookAndChange(await offerOf({ deposit }), ...changes)
    expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect((await session.showHold(id)).body).toMatchObject({ status: 'active' })
    await world.settled()
    const opened = [...world.stripe.sessions.values()].slice(before)
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set(['expired']))
  })

  test('a field that has to be answered now is missed', async () => {
    const offer = await offerOf()
    const id = await holdOf(offer)
    const field = { key: 'size', label: 'Size', type: 'text', required: true }
    await change(offer, { custom_fields: [field] })
    expect(await session.book(id)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  })

  test('its new name is that of the booking and of its event', async () => {
    const offer = await offerOf({ name: 'Old' })
    const id = await holdOf(offer)
    await change(offer, { name: 'New' })
    expect((await session.book(id)).body.service.name).toBe('New')
    expect((await world.service.events()).at(-1)?.payload).toMatchObject({
      data: { service: { name: 'New' } },
    })
  })

  test('its buffers count for a booking that is moved, and for one that takes its slot again', async () => {
    const offer = await offerOf({ capacity: 1 })
    const { id } = await bookSlot(key, offer, at('10:00'))
    await change(offer, { buffer_after_minutes: 30, buffer_before_minutes: 15 })
    expect((await key.change(String(id), { starts_at: at('12:00') })).status).toBe(200)
    const taken = { status: 409, body: { code: 'slot_booked' } }
    const rival = clientOf(other, world.business.key)
    // its buffer before overlaps the other's buffer after
    expect(await rival.hold(offer, at('12:45'))).toMatchObject(taken)
    await change(offer, { buffer_after_minutes: 0, buffer_before_minutes: 0 })
    await key.cancel(String(id))
    await change(offer, { buffer_after_minutes: 60 })
    expect((await key.change(String(id), { status: 'confirmed' })).status).toBe(200)
    await change(offer, { buffer_after_minutes: 0 })
    expect(await rival.hold(offer, at('13:00'))).toMatchObject(taken)
    expect(await rival.hold(offer, at('13:30'))).toMatchObject({ status: 201 })
  })

  test('its capacity counts for a booking that is moved, and for one that takes its slot again', async () => {
    const offer = await offerOf({ capacity: 1 })
    await bookSlot(key, offer, at('10:00'))
    const second = await bookSlot(key, offer, at('11:00'))
    const third = await bookSlot(key, offer, at('12:00'))
    const move = { starts_at: at('10:00') }
    const taken = { status: 409, body: { code: 'slot_booked' } }
    expect(await key.change(String(second.id), move)).toMatchObject(taken)
    await change(offer, { capacity: 2 })
    expect(await key.change(String(second.id), move)).toMatchObject({ status: 200 })
    await key.cancel(String(third.id))
    for (const status of ['confirmed', 'in_progress', 'completed']) {
      expect(await key.change(String(third.id), { ...move, status })).toMatchObject(taken)
    }
    await change(offer, { capacity: 3 })
    expect(await key.change(String(third.id), { ...move, status: 'completed' })).toMatchObject({
      status: 200,
    })
  })
})
