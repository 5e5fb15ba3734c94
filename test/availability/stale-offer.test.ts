import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { beforeSharedTransactions } from '../support/one-transaction.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const startsAt = '2026-12-01T10:00:00+01:00'

/** Another server changes the catalogue after this one has read it, and before it takes the slot. */
onOneEngine('sqlite', 'a catalogue that changes under a hold', (engine) => {
  let service: TestService
  let other: TestService
  let business: OwnBusiness
  let session: Client
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    other = await startTestService(engine, {}, { beside: service })
    business = await makeBusiness(service)
    session = await sessionClient(service, business)
    offer = await makeOffer(service, business.id)
    // the first hold of a session also creates the secret of the server, in a separate transaction
    expect(await session.hold(offer, '2020-01-01T10:00:00+01:00')).toMatchObject({ status: 422 })
  })
  afterAll(async () => {
    await other.stop()
    await service.stop()
  })

  /** Holds while the other server makes a change before each of this many transactions. Returns their number. */
  async function holdUnder(changes: number, body: (change: number) => object) {
    let transactions = 0
    const end = beforeSharedTransactions(service, async () => {
      const before = transactions
      transactions += 1
      if (before >= changes) return
      const token = business.key
      const changed = await other.call('PATCH', `/services/${offer.service_id}`, {
        token,
        body: body(before),
      })
      expect(changed.status).toBe(200)
    })
    const reply = await session.hold(offer, startsAt)
    end()
    return { reply, transactions }
  }

  test('each time is answered by "try again", not by an error of ours, and nothing is held', async () => {
    const { reply, transactions } = await holdUnder(100, (change) => ({ name: `Massage ${change}` }))
    expect(reply).toMatchObject({
      status: 503,
      body: { code: 'unavailable' },
      headers: { 'retry-after': '1' },
    })
    expect(transactions).toBe(4)
    expect(await service.rows('claims')).toEqual([])
  })

  test('is read again: the slot is taken as the service is now', async () => {
    const { reply, transactions } = await holdUnder(3, (change) => ({ duration_minutes: 40 + change * 5 }))
    expect(reply).toMatchObject({ status: 201, body: { ends_at: '2026-12-01T10:50:00+01:00' } })
    expect(transactions).toBe(4)
  })

  test('takes what it no longer offers', async () => {
    const { reply } = await holdUnder(1, () => ({ active: false }))
    expect(reply).toMatchObject({ status: 422, body: { reason: 'not_offered_here' } })
  })
})
