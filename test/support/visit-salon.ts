import type { Cluster } from './cluster.ts'
import { type Call, eventually } from './http-client.ts'
import { makeLocation } from './offers.ts'
import { countRepeat } from './repeats.ts'
import { ada, offer, type Reply, type TestService } from './test-service.ts'

interface WishedItem {
  service_id: string
  staff_id?: string | undefined
  party_size?: number
  starts?: 'after' | 'with'
}

/** A salon for visits. A colour needs a basin, and leaves its person free for half an hour. */
interface Salon {
  locationId: string
  basin: string
  staffIds: string[]
  cut: string
  colour: string
}

type Create = (path: string, body: Record<string, unknown>) => Promise<string>

async function makeSalon(
  create: Create,
  { locationId, people, basins }: { locationId: string; people: string[]; basins: number },
): Promise<Salon> {
  const staffIds: string[] = []
  for (const name of people) staffIds.push(await create('/staff', { name }))
  const basin = await create('/resources', { location_id: locationId, name: 'Basin', quantity: basins })
  const offered = { location_ids: [locationId], staff_ids: staffIds, slot_interval_minutes: 15 }
  const cut = await create('/services', {
    ...{ ...offered, name: 'Cut', duration_minutes: 30, price: { amount: 3_500, currency: 'EUR' } },
    min_notice_minutes: 0,
  })
  const colour = await create('/services', {
    ...{ ...offered, name: 'Colour', price: { amount: 6_000, currency: 'EUR' } },
    steps: [
      { minutes: 30, staffed: true },
      { minutes: 30, staffed: false },
      { minutes: 30, staffed: true },
    ],
    needs: [{ resource_ids: [basin], quantity: 1, during: 'all' }],
    min_notice_minutes: 0,
  })
  return { locationId, basin, staffIds, cut, colour }
}

/** A salon of two people. */
export interface VisitSalon extends Salon {
  anna: string
  ben: string
  /** Creates a further part of the catalogue. Returns its ID. */
  create: Create
  hold(token: string, startsAt: string, items: readonly WishedItem[]): Promise<Reply>
  /** Books a cut, then a colour, both by Anna unless others are named. Returns the booking. */
  book(startsAt: string, parts?: BookedVisit): Promise<BookedReply>
}

interface BookedVisit {
  items?: WishedItem[]
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
  { basins = 2 } = {},
): Promise<VisitSalon> {
  const send = async (path: string, body: Record<string, unknown>): Promise<Reply['body']> => {
    const reply = await service.call('POST', path, { token, body })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const create: Create = async (path, body) => String((await send(path, body))['id'])
  const locationId = await makeLocation(service, businessId)
  const salon = await makeSalon(create, { locationId, people: ['Anna', 'Ben'], basins })
  const { cut, colour, staffIds } = salon
  const [anna = '', ben = ''] = staffIds
  const bodyOf = (startsAt: string, items: readonly WishedItem[]) => {
    return { location_id: locationId, starts_at: startsAt, items }
  }
  const book: VisitSalon['book'] = async (startsAt, parts = {}) => {
    const {
      items = [cut, colour].map((service_id) => ({ service_id, staff_id: anna })),
      client = ada,
      ...rest
    } = parts
    const { hold_id } = await send('/bookings/hold', bodyOf(startsAt, items))
    return send('/bookings', { hold_id, client, ...rest })
  }
  const hold: VisitSalon['hold'] = (by, startsAt, items) =>
    service.call('POST', '/bookings/hold', { token: by, body: bodyOf(startsAt, items) })
  return { ...salon, ...{ anna, ben, create, hold, book } }
}

/** A salon of a cluster's first business. */
export interface ClusterSalon extends Salon {
  /** Holds a cut and a colour at a server, by anyone who is free unless people are named. */
  hold(turn: number, token: string, startsAt: string, staffIds?: readonly string[]): Promise<Reply>
}

export async function makeClusterSalon(
  cluster: Cluster,
  call: Call,
  { people, basins }: { people: number; basins: number },
): Promise<ClusterSalon> {
  const { business } = cluster
  const create: Create = async (path, body) => {
    const reply = await eventually('an answer', async () => {
      const answer = await call(cluster.address(0), 'POST', path, { token: business.business_key, body })
      return answer.status === 503 ? countRepeat() : answer
    })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return String(reply.body.id)
  }
  const names = Array.from({ length: people }, (_, index) => `Person ${index}`)
  const locationId = offer(business, 'Meeting room').location_id
  const salon = await makeSalon(create, { locationId, people: names, basins })
  const services = [salon.cut, salon.colour]
  const hold: ClusterSalon['hold'] = (turn, token, startsAt, named = []) => {
    const items = services.map((service_id, index) => ({ service_id, staff_id: named[index] }))
    const body = { location_id: locationId, starts_at: startsAt, items }
    return call(cluster.address(turn), 'POST', '/bookings/hold', { token, body })
  }
  return { ...salon, hold }
}
