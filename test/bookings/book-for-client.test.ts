import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { readInstant } from '../../src/base/instants.ts'
import { bookForClient } from '../../src/bookings/conversion.ts'
import { type Fault, letStatementsFail, sufferFault } from '../simulation/failing-statements.ts'
import { caller } from '../support/random-world.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'booking for a client', (engine) => {
  let service: TestService
  let key: Actor
  let endFailures: () => void
  beforeAll(async () => {
    service = await startTestService(engine)
    const { id } = businessOf(service.world, 'Salon Spree')
    key = { ...caller(service.context.ids.next()), type: 'business', scope: { businessId: id } }
    endFailures = letStatementsFail(engine)
  })
  afterAll(async () => {
    endFailures()
    await service.stop()
  })

  const from = { address: '192.0.2.1', network: '192.0.2.1', widerNetwork: null }
  const salonHaircut = () => offer(businessOf(service.world, 'Salon Spree'), 'Haircut', 'Mitte')
  const book = (startsAt: string, answers: { field_id: string; value: string }[] = []) => {
    const time = { ...salonHaircut(), starts_at: readInstant(startsAt), from }
    const booking = { client: ada, custom_field_values: answers }
    return bookForClient(service.context, key, { time, booking })
  }
  const rows = async () =>
    [await service.rows('claims'), await service.rows('bookings')].map(({ length }) => length)

  test('leaves neither hold nor booking when any of its statements fails', async () => {
    for (let after = 0; ; after += 1) {
      const before = await rows()
      const how = 'refused'
      const fault: Fault = { how, after, commitsOnly: false, inTransaction: false, struck: undefined }
      const outcome = await sufferFault(fault, () => book('2026-12-01T09:00:00Z')).catch(
        () => 'failed' as const,
      )
      if (fault.struck === undefined) {
        expect(outcome).toMatchObject({ booking: { status: 'confirmed' } })
        break
      }
      if (outcome === 'failed') expect(await rows(), fault.struck).toEqual(before)
      expect(after).toBeLessThan(40)
    }
  })

  test('knows a client without an address by an earlier booking, while the phone number is theirs', async () => {
    const bookKnown = async (startsAt: string, phone: string | undefined, earlierBookingId?: string) => {
      const client = { first_name: 'Ada', last_name: 'Lovelace', ...(phone !== undefined && { phone }) }
      const time = { ...salonHaircut(), starts_at: readInstant(startsAt), from }
      return bookForClient(service.context, key, {
        time,
        booking: { client },
        knownClientId: earlierBookingId,
      })
    }
    const emailOf = ({ booking }: Awaited<ReturnType<typeof bookKnown>>) => booking.client_email
    const first = await bookKnown('2026-12-02T09:00:00Z', undefined)
    const again = await bookKnown('2026-12-02T10:00:00Z', undefined, first.booking.id)
    expect(emailOf(again)).toBe(emailOf(first))
    const other = await bookKnown('2026-12-02T11:00:00Z', '+49301234567', first.booking.id)
    expect(emailOf(other)).not.toBe(emailOf(first))
    const unknown = service.context.ids.next()
    await expect(bookKnown('2026-12-02T12:00:00Z', undefined, unknown)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('leaves nothing when the answers are refused', async () => {
    const before = await rows()
    const answer = { field_id: service.context.ids.next(), value: 'to no question' }
    await expect(book('2026-12-01T13:00:00Z', [answer])).rejects.toMatchObject({ code: 'validation_failed' })
    expect(await rows()).toEqual(before)
  })
})
