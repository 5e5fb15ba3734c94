import { makeLocation } from './offers.ts'
import { ada, type Reply, type TestService } from './test-service.ts'

/** A salon with two people and a basin. A colour leaves its person free for half an hour. */
export interface VisitSalon {
  locationId: string
  anna: string
  ben: string
  basin: string
  cut: string
  colour: string
  /** Books a cut, then a colour, both by Anna unless others are named. Returns the booking. */
  book(startsAt: string, parts?: BookedVisit): Promise<BookedReply>
}

interface BookedVisit {
  items?: { service_id: string; staff_id?: string; party_size?: number; starts?: 'after' | 'with' }[]
  client?: Record<string, unknown>
  custom_field_values?: object[]
}

interface BookedItem {
  id: string
  starts_at: string
  ends_at: string
}

export interface BookedReply {
  id: string
  items: BookedItem[]
}

export async function makeVisitSalon(
  service: TestService,
  { id: businessId, key: token }: { id: string; key: string },
): Promise<VisitSalon> {
  const create = async (path: string, body: Record<string, unknown>): Promise<Reply['body']> => {
    const reply = await service.call('POST', path, { token, body })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const idOf = async (path: string, body: Record<string, unknown>) => String((await create(path, body))['id'])
  const locationId = await makeLocation(service, businessId)
  const anna = await idOf('/staff', { name: 'Anna' })
  const ben = await idOf('/staff', { name: 'Ben' })
  const basin = await idOf('/resources', { location_id: locationId, name: 'Basin', quantity: 2 })
  const offered = { location_ids: [locationId], staff_ids: [anna, ben], slot_interval_minutes: 15 }
  const cut = await idOf('/services', {
    ...offered,
    ...{ name: 'Cut', duration_minutes: 30, price: { amount: 3_500, currency: 'EUR' } },
  })
  const colour = await idOf('/services', {
    ...{ ...offered, name: 'Colour', price: { amount: 6_000, currency: 'EUR' } },
    steps: [
      { minutes: 30, staffed: true },
      { minutes: 30, staffed: false },
      { minutes: 30, staffed: true },
    ],
    needs: [{ resource_ids: [basin], quantity: 1, during: 'all' }],
  })
  const book: VisitSalon['book'] = async (startsAt, parts = {}) => {
    const {
      items = [cut, colour].map((service_id) => ({ service_id, staff_id: anna })),
      client = ada,
      ...rest
    } = parts
    const { hold_id } = await create('/bookings/hold', {
      ...{ location_id: locationId, starts_at: startsAt, items },
    })
    return create('/bookings', { hold_id, client, ...rest })
  }
  return { locationId, anna, ben, basin, cut, colour, book }
}
