import { describe, expect, test } from 'vitest'
import { sessionClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { isWhole, rounds } from '../support/long.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { ada, engines, startOfTime, startTestService } from '../support/test-service.ts'

/** The long form makes as many as the rate limit of a session allows. The caps stop it at ten in any case. */
const triesPerSession = rounds(12, 30)
const seats = 4
/** The short form is a fifth of it in all respects. */
const part = isWhole ? 1 : 5
const [sessions, addresses, others] = [200 / part, 50 / part, 100 / part]
const dayMs = 86_400_000
const firstDayMs = Math.ceil(startOfTime / dayMs) * dayMs

// other tests cover the count of holds on both engines
describe.each(isWhole ? engines : ['sqlite' as const])(
  `${sessions} sessions from ${addresses} addresses that hold whatever they can, the next days first (%s)`,
  (engine) => {
    test('leave at least nine in ten others their booking', async () => {
      const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
      try {
        const business = await makeBusiness(service, { plan: 'growth' })
        const offer = await makeOffer(service, business.id, {
          timezone: 'UTC',
          minutes: 60,
          intervalMinutes: 60,
          capacity: seats,
          horizonDays: 300,
        })
        const squatters = await Promise.all(
          Array.from({ length: sessions }, (_, index) =>
            sessionClient(service, business, `192.0.2.${index % addresses}`),
          ),
        )
        // each in turn holds the next seat, and nobody two of one hour, which would replace each other
        const squat = async (attempt: number) => {
          const startsAt = new Date(firstDayMs + Math.floor(attempt / seats) * 3_600_000).toISOString()
          await eventually('an answer of a busy server', async () => {
            const reply = await squatters[attempt % squatters.length]?.hold(offer, startsAt)
            return reply?.status === 503 ? undefined : true
          })
        }
        const attempts = Array.from(
          { length: triesPerSession * squatters.length },
          (_, index) => index,
        ).values()
        const squatting = Array.from({ length: 10 }, async () => {
          for (const attempt of attempts) await squat(attempt)
        })
        await Promise.all(squatting)
        expect((await service.rows('claims')).length).toBeGreaterThanOrEqual(10 * sessions)

        // each wants any time of one day in the coming months
        let booked = 0
        for (let index = 0; index < others; index += 1) {
          const client = await sessionClient(service, business, `198.51.100.${index}`)
          const date = new Date(firstDayMs + Math.floor(index * 2.4) * dayMs).toISOString().slice(0, 10)
          const query = new URLSearchParams({ ...offer, from: date, to: date }).toString()
          const { body } = await service.call('GET', `/availability?${query}`, { token: client.token })
          const [slot] = body.days[0].slots
          if (!slot) continue
          const hold = await client.hold(offer, slot.starts_at as string)
          if (hold.status !== 201) continue
          const who = { ...ada, email: `client${index}@example.com` }
          const reply = await client.book(hold.body.hold_id as string, { client: who })
          if (reply.status === 201) booked += 1
        }
        expect(booked).toBeGreaterThanOrEqual(0.9 * others)
      } finally {
        await service.stop()
      }
    })
  },
)
