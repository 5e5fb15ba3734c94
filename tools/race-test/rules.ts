/** The services for which clients race. */
export type Scenario = 'room' | 'anybody' | 'places' | 'class' | 'visit'

interface ScenarioRule {
  name: string
  about: string
  capacity: number
  /** Number of staff members who provide the service; 0 if it needs none. */
  staff: number
  /** Number of alike rooms, if the service needs one. Each contender then wants it twice in a row, as one visit. */
  rooms?: number
  /**
   * Offsets from the start, in minutes, that contenders use in turn. A slot that overlaps the first excludes
   * it.
   */
  offsets: number[]
  /** The exact number of contenders that must get a hold. */
  wins: number
}

/** A booking from the API, with the fields needed to judge a race. */
export interface BookingShown {
  id: string
  status: string
  starts_at: string
  ends_at: string
  service: { id: string; name: string }
  location: { id: string }
  staff: { id: string; name: string } | null
}

interface Taken {
  booking: BookingShown
  fromMs: number
  toMs: number
}

/** Number of requests sent at the same moment. */
export const contenders = 16
export const slotMinutes = 30
export const staffCount = 4
/** Number of bookings moved to one slot at the same moment. */
export const movers = 6
/** Number of holds converted and contested at the moment they expire. */
export const expiringHolds = 10
/** Number of rivals for each expiring hold. */
export const rivals = 2
/** The longest hold, in seconds, for whose expiry the test waits. */
export const maxWaitSeconds = 20

const maxRounds = 20
/** Requests that create the fixture, read the bookings and clean up, except those that cancel bookings. */
const fixtureRequests = 60
const expiryRequests = expiringHolds * (3 + 2 * rivals)

export const scenarios: Record<Scenario, ScenarioRule> = {
  room: {
    name: 'one seat',
    about: 'all for the same slot of a room',
    capacity: 1,
    staff: 0,
    offsets: [0],
    wins: 1,
  },
  anybody: {
    name: 'any of the staff',
    about: `any staff member, ${staffCount} free`,
    capacity: 1,
    staff: staffCount,
    offsets: [0],
    wins: staffCount,
  },
  places: {
    name: 'several seats',
    about: 'a room with 4 seats, half of the requests 15 minutes later',
    capacity: 4,
    staff: 0,
    offsets: [0, 15],
    wins: 4,
  },
  class: {
    name: 'a class',
    about: '3 seats with one staff member, half of the requests for an overlapping class',
    capacity: 3,
    staff: 1,
    offsets: [0, 15],
    wins: 3,
  },
  visit: {
    name: 'visits that share rooms',
    about: 'two services in a row in one of 2 rooms, half of the requests 15 minutes later',
    capacity: contenders,
    staff: 0,
    rooms: 2,
    offsets: [0, 15],
    wins: 2,
  },
}

/** Returns the number of clients that a service can have at once. */
export function placesOf({ capacity, rooms = capacity }: ScenarioRule): number {
  return rooms
}

/** Requests of one round, including those that cancel its bookings. */
const roundRequests =
  Object.values(scenarios).reduce((sum, { wins }) => sum + contenders + 2 * wins, 0) + movers * 4

/** Returns the number of rounds for which a key has enough requests left; 0 if not even one. */
export function roundsFor(requestsLeft: number): number {
  const rounds = Math.floor((requestsLeft - fixtureRequests - expiryRequests) / roundRequests)
  return Math.max(0, Math.min(maxRounds, rounds))
}

/**
 * Finds double bookings in the API's list: a staff member in two appointments at once, or more clients than
 * seats. Ignores buffers, which this list does not show. `capacities` are by service ID.
 */
export function doubleBookings(bookings: BookingShown[], capacities: ReadonlyMap<string, number>): string[] {
  const taken = bookings
    .filter(({ status }) => status !== 'cancelled')
    .map((booking) => ({
      booking,
      fromMs: Date.parse(booking.starts_at),
      toMs: Date.parse(booking.ends_at),
    }))
    .toSorted((one, other) => one.fromMs - other.fromMs)
  const staffed = taken.filter(({ booking }) => booking.staff !== null)
  const unstaffed = taken.filter(({ booking }) => booking.staff === null)
  return [
    ...inTwoAppointments(staffed),
    ...overfull(Map.groupBy(staffed, appointmentOf), capacities),
    ...overfull(
      Map.groupBy(unstaffed, ({ booking }) => placeOf(booking)),
      capacities,
    ),
  ]
}

/** Returns the first overlapping appointment for each appointment of a staff member. */
function inTwoAppointments(taken: Taken[]): string[] {
  return [...Map.groupBy(taken, ({ booking }) => booking.staff?.id).values()].flatMap((ofOne) =>
    [...Map.groupBy(ofOne, appointmentOf).values()].flatMap(([one], index, appointments) => {
      const other = appointments.slice(index + 1).find(([next]) => one && next && next.fromMs < one.toMs)?.[0]
      if (!one || !other) return []
      return [
        `DOUBLE BOOKING: ${one.booking.staff?.name ?? ''} is in two appointments at ${other.booking.starts_at}: ` +
          `bookings ${one.booking.id} and ${other.booking.id}`,
      ]
    }),
  )
}

function appointmentOf({ booking, fromMs }: Taken): string {
  return `${booking.staff?.id ?? ''} ${placeOf(booking)} ${fromMs}`
}

function placeOf({ service, location }: BookingShown): string {
  return `${service.id} ${location.id}`
}

/** Returns the fullest moments above capacity for each group. */
function overfull(groups: Map<string, Taken[]>, capacities: ReadonlyMap<string, number>): string[] {
  return [...groups.values()].flatMap((group) => {
    const capacity = capacities.get(group[0]?.booking.service.id ?? '') ?? 1
    return fullestMoments(group)
      .filter((present) => present.length > capacity)
      .map((present) => {
        const { booking } = present.at(-1) as Taken // not empty, because it exceeds the capacity
        const ids = present.map((one) => one.booking.id).join(', ')
        return (
          `DOUBLE BOOKING: ${booking.service.name} has ${capacity} ${capacity === 1 ? 'seat' : 'seats'} at ` +
          `${booking.starts_at} and ${present.length} bookings: ${ids}`
        )
      })
  })
}

/** Returns the bookings at the fullest moment of each period without a gap. `group` is sorted by start. */
function fullestMoments(group: Taken[]): Taken[][] {
  const fullest: Taken[][] = []
  let present: Taken[] = []
  for (const one of group) {
    const before = present.filter(({ toMs }) => toMs > one.fromMs)
    present = [...before, one]
    const best = fullest.at(-1)
    if (before.length === 0 || best === undefined) fullest.push(present)
    else if (present.length > best.length) fullest[fullest.length - 1] = present
  }
  return fullest
}
