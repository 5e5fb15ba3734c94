import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fault, letStatementsFail, sufferFault } from '../simulation/failing-statements.ts'
import { findErrors } from '../support/checker.ts'
import { clientOf, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

/* The connection is cut at each statement in turn, before or after it was done. A series is then whole, or not there. */

const count = 4
const repeat = { every: 'week', count }
const start = '2026-12-01T10:00:00+01:00'

onOneEngine('sqlite', 'a series whose connection is cut', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let byKey: Client
  let restore: () => void
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    byKey = clientOf(service, business.key)
    restore = letStatementsFail(engine)
  })
  afterAll(async () => {
    restore()
    await service.stop()
  })

  /** Runs an act with a fault at each of its statements. `check` gets the reply of each. */
  async function atEachStatement(
    act: (round: number) => Promise<Reply>,
    check: (reply: Reply, round: number) => Promise<void>,
  ): Promise<number> {
    for (let after = 0; after < 200; after += 1) {
      const fault: Fault = {
        how: after % 2 === 0 ? 'lost' : 'answer lost',
        ...{ after, commitsOnly: false, inTransaction: false, struck: undefined },
      }
      const reply = await sufferFault(fault, () => act(after))
      await check(reply, after)
      if (fault.struck === undefined) return after
    }
    throw new Error('the act has too many statements')
  }

  test('is held as a whole, or not at all', async () => {
    const offers: Awaited<ReturnType<typeof makeOffer>>[] = []
    for (let round = 0; round < 200; round += 1) offers.push(await makeOffer(service, business.id))
    const statements = await atEachStatement(
      (round) => byKey.hold(offers[round] ?? { service_id: '', location_id: '' }, start, { repeat }),
      async ({ status }, round) => {
        const rows = await service.rows('claims')
        const mine = rows.filter(({ service_id }) => service_id === offers[round]?.service_id)
        expect([0, count], `statement ${round}, ${status}`).toContain(mine.length)
        if (status === 201) expect(mine).toHaveLength(count)
      },
    )
    expect(statements).toBeGreaterThan(5)
  })

  test('is booked as a whole with its events, or not at all', async () => {
    const held: { hold_id: string; ids: string[] }[] = []
    for (let round = 0; round < 60; round += 1) {
      const { body } = await byKey.hold(await makeOffer(service, business.id), start, { repeat })
      const ids = (body.series.holds as { hold_id: string }[]).map(({ hold_id }) => hold_id)
      held.push({ hold_id: body.hold_id as string, ids })
    }
    const statements = await atEachStatement(
      (round) => byKey.book(held[round]?.hold_id ?? ''),
      async ({ status }, round) => {
        const ids = new Set(held[round]?.ids)
        const bookings = (await service.rows('bookings')).filter(({ id }) => ids.has(id as string))
        const events = (await service.events()).filter(({ booking_id }) => ids.has(booking_id))
        expect([0, count], `statement ${round}, ${status}`).toContain(bookings.length)
        expect(events).toHaveLength(bookings.length)
        if (status === 201) expect(bookings).toHaveLength(count)
      },
    )
    expect(statements).toBeGreaterThan(5)
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })
})
