import { makeDemoWorld } from '../../src/catalogue/make-demo-world.ts'
import type { Context } from '../../src/context.ts'
import { storeBookings, type StoredBookings } from '../../test/support/stored-bookings.ts'
import { quickLoad } from './quick-load.ts'

const dayMs = 86_400_000
const people = 10
/** Written by one statement: a process of its own that serves meanwhile waits no longer than for that. */
const batch = 50_000

/** Something that is booked. */
type Booked = Pick<StoredBookings, 'businessId' | 'serviceId' | 'locationId' | 'staffIds'>

/** Two businesses of ten people each, of which the first is asked about. */
export interface BusyWorld {
  key: string
  /** A service of ten people in its opening hours, for one half-booked month. */
  month: { service_id: string; location_id: string; from: string; to: string }
  /** A service that needs nobody, always open. */
  room: { service_id: string; location_id: string }
  own: Booked
  others: Booked
  monthMs: number
}

type Post = (path: string, key: string, body: object) => Promise<{ id: string }>

/** Makes the world by the service's own API, half of one month booked. */
export async function makeBusyWorld(context: Context, post: Post): Promise<BusyWorld> {
  const [first, second] = (await makeDemoWorld(context)).businesses
  if (!first || !second) throw new Error('the demo world has no two businesses')
  const own = await makeBooked(first, post)
  const others = await makeBooked(second, post)
  const place = await post('/locations', first.business_key, { name: 'Rooms', timezone: 'UTC' })
  const room = { name: 'Room', duration_minutes: 30, location_ids: [place.id] }
  const { id } = await post('/services', first.business_key, room)
  const monthMs = Math.floor(context.clock.nowMs() / dayMs + 10) * dayMs
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const world: BusyWorld = {
    key: first.business_key,
    month: {
      service_id: own.serviceId,
      location_id: own.locationId,
      from: dateOf(monthMs),
      to: dateOf(monthMs + 30 * dayMs),
    },
    room: { service_id: id, location_id: place.id },
    own,
    others,
    monthMs,
  }
  await bookHalf(context, world)
  return world
}

async function makeBooked(
  { id, business_key }: { id: string; business_key: string },
  post: Post,
): Promise<Booked> {
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const weekly_hours = weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '17:00' }))
  const place = await post('/locations', business_key, { name: 'Studio', timezone: 'UTC', weekly_hours })
  const staffIds: string[] = []
  for (let number = 1; number <= people; number += 1) {
    staffIds.push((await post('/staff', business_key, { name: `Person ${number}` })).id)
  }
  const service = { name: 'Massage', duration_minutes: 30, location_ids: [place.id], staff_ids: staffIds }
  const { id: serviceId } = await post('/services', business_key, service)
  return { businessId: id, serviceId, locationId: place.id, staffIds }
}

/** Every slot of the month is booked with five of ten people: one half at full hours, the other at half past. */
async function bookHalf({ db }: Context, { own, monthMs }: BusyWorld): Promise<void> {
  const halves = [own.staffIds.slice(0, people / 2), own.staffIds.slice(people / 2)]
  const perDay = (people / 2) * 8
  await db.transaction(async (tx) => {
    let firstNumber = 0
    for (let day = 0; day < 31; day += 1) {
      for (const [half, staffIds] of halves.entries()) {
        const fromMs = monthMs + day * dayMs + (9 * 60 + half * 30) * 60_000
        const times = { fromMs, stepMinutes: 60, minutes: 30 }
        await storeBookings(tx.db, db.engine, { ...own, staffIds, ...times, count: perDay, firstNumber })
        firstNumber += perDay
      }
    }
  })
}

/**
 * Stores more bookings, from the `from`-th to the `to`-th: of ten, five are of the same ten people and past, four
 * of another business and past, one of the same people and after the month.
 */
export async function storeMore(
  context: Context,
  { own, others, monthMs }: BusyWorld,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const kinds = [
    { of: own, share: 0.5, edgeMs: monthMs - 15 * dayMs, back: true },
    { of: others, share: 0.4, edgeMs: monthMs - 15 * dayMs, back: true },
    { of: own, share: 0.1, edgeMs: monthMs + 40 * dayMs, back: false },
  ]
  await quickLoad(context, async (db) => {
    for (const [kind, { of, share, edgeMs, back }] of kinds.entries()) {
      const times = { stepMinutes: 30, minutes: 30 }
      for (let done = from * share; done < to * share; done += batch) {
        const count = Math.min(batch, to * share - done)
        const lengthMs = (count / people) * 30 * 60_000
        const offsetMs = (done / people) * 30 * 60_000
        const fromMs = back ? edgeMs - offsetMs - lengthMs : edgeMs + offsetMs
        const firstNumber = (kind + 1) * 10_000_000 + done
        await storeBookings(db, context.db.engine, { ...of, ...times, count, fromMs, firstNumber })
      }
    }
  })
}
