import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff } from '../support/offers.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { allEvents, makeWebhook } from '../support/webhooks.ts'

interface Body {
  event: string
  data: { status: string }
}

/** Returns every member with its type, in order: `data.client.email: string`. */
function membersOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`]
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${path}.${name}`))
}

onOneEngine('sqlite', 'the samples of events', (engine) => {
  let service: TestService
  let receiver: Receiver
  let token: string
  let bodies: Body[]
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    const business = await makeBusiness(service)
    token = business.key
    await makeWebhook(service, { token, to: receiver })
    const client = clientOf(service, token)
    const staffIds = await makeStaff(service, business.id, ['Kim Park'])
    const offer = await makeOffer(service, business.id, { capacity: 2, staffIds })
    const booked = await bookSlot(client, offer, nextStart(), { hold: { party_size: 2 } })
    const { id } = booked as { id: string }
    await client.change(id, { notes: 'x' })
    await client.change(id, { status: 'completed' })
    await client.cancel(id)
    await service.app.deliveries.settled()
    bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()) as Body)
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  const samples = async (query = '') => {
    const { status, body } = await service.call('GET', `/events/samples${query}`, { token })
    expect(status).toBe(200)
    return body.data as Body[]
  }

  test('have the members that a delivery of each event has, and its status', async () => {
    const given = await samples()
    expect(given.map(({ event }) => event)).toEqual(allEvents)
    expect(bodies.map(({ event }) => event).toSorted()).toEqual(allEvents.toSorted())
    for (const sample of given) {
      const real = bodies.find(({ event }) => event === sample.event)
      expect(membersOf(sample)).toEqual(membersOf(real))
      expect(membersOf(sample)).toContain('.data.party_size: number')
      expect(sample.data.status).toBe(real?.data.status)
    }
  })

  test('are narrowed to one event', async () => {
    const [cancelled, ...more] = await samples('?type=booking.cancelled')
    expect(cancelled).toMatchObject({ event: 'booking.cancelled', data: { status: 'cancelled' } })
    expect(more).toEqual([])
    const unknown = await service.call('GET', '/events/samples?type=booking.moved', { token })
    expect(unknown.status).toBe(422)
  })
})
