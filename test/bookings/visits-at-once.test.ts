import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

/* Holds and visits in one transaction see less than they would alone. No refusal may come from that. */

const atOnce = 24
const hour = 3_600_000
const firstStart = Date.parse('2026-12-01T09:00:00Z')

onOneEngine('postgres', 'holds and visits at once', (engine) => {
  let service: TestService
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
  })
  afterAll(() => service.stop())

  /** Returns a hold of one service, or of several, in one of three hours. */
  function randomHold({ cut, colour, anna, ben, locationId }: VisitSalon, random: Random): object {
    const item = () => ({
      service_id: random.of([cut, cut, colour]),
      ...(random.chance(0.4) && { staff_id: random.of([anna, ben]) }),
    })
    const starts_at = new Date(firstStart + random.below(6) * (hour / 2)).toISOString()
    const items = Array.from({ length: 1 + random.below(3) }, item)
    return { location_id: locationId, starts_at, items }
  }

  test('are refused only if they are refused alone as well', async () => {
    for (const seed of seeds(rounds(6, 600))) {
      const random = randomFrom(seed)
      const salon = await makeVisitSalon(service, business, { basins: 1 + random.below(2) })
      const hold = (body: object) => service.call('POST', '/bookings/hold', { token: business.key, body })
      const bodies = Array.from({ length: atOnce }, () => randomHold(salon, random))
      const replies = await Promise.all(bodies.map(hold))
      for (const [index, { status, body: answer }] of replies.entries()) {
        expect([201, 409], `seed ${String(seed)}: ${JSON.stringify(answer)}`).toContain(status)
        if (status === 201) continue
        const alone = await hold(bodies[index] ?? {})
        expect([alone.status, index], `seed ${String(seed)}: ${JSON.stringify(answer)}`).toEqual([409, index])
      }
      expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(2)
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })
})
