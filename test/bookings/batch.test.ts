import { afterAll, beforeAll, expect, test } from 'vitest'
import { logInNewPerson } from '../support/person.ts'
import { pointersOf } from '../support/refusals.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type Reply, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a change of many bookings', (engine) => {
  let service: TestService
  let booker: ReturnType<typeof bookerOf>
  let days = 0
  const newDay = () => new Date(Date.UTC(2026, 10, 24 + 7 * (days += 1))).toISOString().slice(0, 10)
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
  })
  afterAll(() => service.stop())

  const bookOf = (name: string, at: string) =>
    booker.book('Haircut', `${at}:00+01:00`, { staff_id: booker.staffId(name) })
  const batch = (body: object, headers: Record<string, string> = {}): Promise<Reply> =>
    service.call('POST', '/bookings/batch', { token: booker.business.business_key, body, headers })
  const show = async (id: string) => (await booker.call('GET', `/bookings/${id}`)).body
  const statusesOf = ({ body }: Reply) => (body.results as { status: number }[]).map(({ status }) => status)
  const eventsOf = async (ids: string[]) =>
    (await service.events())
      .filter(({ booking_id, type }) => ids.includes(booking_id) && type !== 'booking.created')
      .map(({ booking_id, type }) => `${type} ${booking_id}`)
      .toSorted()

  test('cancels each with its event and reason, and a repetition gets the same answer', async () => {
    const date = newDay()
    const ids = [await bookOf('Anna', `${date}T10:00`), await bookOf('Anna', `${date}T11:00`)]
    const body = { ids, change: 'cancel', cancel_reason: 'Anna is ill' }
    const headers = { 'idempotency-key': `batch-${date}` }
    const first = await batch(body, headers)
    expect(first).toMatchObject({
      status: 200,
      body: { results: ids.map((id) => ({ id, status: 200, etag: '"2"' })) },
    })
    const again = await batch(body, headers)
    expect(again).toMatchObject({ status: 200, body: first.body, headers: { 'idempotent-replayed': 'true' } })
    // without the key, as after a crash: what is done stays
    expect((await batch(body)).body).toEqual(first.body)
    for (const id of ids)
      expect(await show(id)).toMatchObject({ status: 'cancelled', cancel_reason: 'Anna is ill' })
    expect(await eventsOf(ids)).toEqual(ids.map((id) => `booking.cancelled ${id}`).toSorted())
  })

  test('gives those that fit to a colleague, and says why another stays', async () => {
    const date = newDay()
    const first = await bookOf('Anna', `${date}T10:00`)
    const met = await bookOf('Anna', `${date}T11:00`)
    const last = await bookOf('Anna', `${date}T12:00`)
    await bookOf('Ben', `${date}T11:00`)
    const unknown = crypto.randomUUID()
    const foreign = { ids: [first, met, unknown, last], staff_id: booker.staffId('Ben') }
    const reply = await batch({ ...foreign, change: 'reassign' })
    expect(statusesOf(reply)).toEqual([200, 409, 404, 200])
    expect(reply.body.results[1]).toMatchObject({ id: met, problem: { code: 'slot_booked' } })
    expect(reply.body.results[2]).toMatchObject({ id: unknown, problem: { code: 'not_found' } })
    for (const id of [first, last]) expect(await show(id)).toMatchObject({ staff: { name: 'Ben Fischer' } })
    expect(await show(met)).toMatchObject({
      staff: { name: 'Anna Weber' },
      starts_at: `${date}T11:00:00+01:00`,
    })
    expect(await eventsOf([first, met, last])).toEqual(
      [first, last].map((id) => `booking.updated ${id}`).toSorted(),
    )
  })

  test('of a person leaves what others give', async () => {
    const date = newDay()
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const [ofAnna, ofBen] = [await bookOf('Anna', `${date}T10:00`), await bookOf('Ben', `${date}T15:00`)]
    const reply = await batch({
      ...{ ids: [ofAnna, ofBen], change: 'reassign' },
      ...{ from_staff_id: ben, staff_id: anna },
    })
    expect(statusesOf(reply)).toEqual([200, 200])
    for (const id of [ofAnna, ofBen]) expect(await show(id)).toMatchObject({ staff: { id: anna } })
    expect(await eventsOf([ofAnna])).toEqual([])
    await batch({ ids: [ofAnna], change: 'reassign', from_staff_id: ben, staff_id: ben })
    expect(await show(ofAnna)).toMatchObject({ staff: { id: anna } })
  })

  test('two at once give each booking to one person', async () => {
    const date = newDay()
    const ids = await Promise.all(['10:00', '11:00', '12:00'].map((at) => bookOf('Anna', `${date}T${at}`)))
    const [cancelled, given] = await Promise.all([
      batch({ ids, change: 'cancel' }),
      batch({ ids: ids.toReversed(), change: 'reassign', staff_id: booker.staffId('Ben') }),
    ])
    expect(statusesOf(cancelled)).toEqual([200, 200, 200])
    for (const status of statusesOf(given)) expect([200, 412]).toContain(status)
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'cancelled' })
  })

  test('refuses members of the other change, too many, and none', async () => {
    const ids = [crypto.randomUUID()]
    const staff_id = booker.staffId('Ben')
    const faults = async (body: object) => {
      const reply = await batch(body)
      expect(reply.status).toBe(422)
      return pointersOf(reply)
    }
    expect(await faults({ ids, change: 'cancel', staff_id })).toEqual(['/staff_id'])
    expect(await faults({ ids, change: 'reassign', refund: 'full' })).toEqual(['/refund', '/staff_id'])
    expect(await faults({ ids: [], change: 'cancel' })).toEqual(['/ids'])
    expect(await faults({ ids: [...ids, ...ids], change: 'cancel' })).toEqual(['/ids'])
    const many = Array.from({ length: 51 }, () => crypto.randomUUID())
    expect(await faults({ ids: many, change: 'cancel' })).toEqual(['/ids'])
    expect(statusesOf(await batch({ ids: many.slice(1), change: 'cancel' }))).toEqual(
      Array.from({ length: 50 }, () => 404),
    )
  })

  test('staff change their own only, and others of the tenant have none of it', async () => {
    const date = newDay()
    const [own, other] = [await bookOf('Anna', `${date}T10:00`), await bookOf('Ben', `${date}T10:00`)]
    const place = { businessId: booker.business.id }
    const anna = await logInNewPerson(service, {
      ...{ email: `anna-${engine}@example.com`, role: 'staff' as const, place },
      staffId: booker.staffId('Anna'),
    })
    const byAnna = (body: object) => anna.call('POST', '/bookings/batch', body)
    expect(statusesOf(await byAnna({ ids: [own, other], change: 'cancel' }))).toEqual([200, 404])
    expect(await show(other)).toMatchObject({ status: 'confirmed' })
    const given = await byAnna({ ids: [own], change: 'reassign', staff_id: booker.staffId('Ben') })
    expect(given.status).toBe(404)
    const refunded = await byAnna({ ids: [own], change: 'cancel', refund: 'full' })
    expect(refunded.status).toBe(403)
    const token = businessOf(service.world, 'Hudson Studio').business_key
    const far = await service.call('POST', '/bookings/batch', {
      token,
      body: { ids: [other], change: 'cancel' },
    })
    expect(statusesOf(far)).toEqual([404])
    expect(await show(other)).toMatchObject({ status: 'confirmed' })
  })
})
