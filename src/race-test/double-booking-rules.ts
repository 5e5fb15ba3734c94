import type { BookingShown } from './race-types.ts'

/** The capacity of each service, by its id. */
export type Capacities = ReadonlyMap<string, number>

interface Taken {
  booking: BookingShown
  fromMs: number
  toMs: number
}

/**
 * Finds what was sold twice among bookings, by what the API shows of them alone: at no moment is a person in two
 * appointments, and at no moment are more clients served than there are places. Buffers are not known here.
 */
export function doubleBookings(bookings: BookingShown[], capacities: Capacities): string[] {
  const taken = bookings
    .filter(({ status }) => status !== 'cancelled')
    .map((booking) => ({
      booking,
      fromMs: Date.parse(booking.starts_at),
      toMs: Date.parse(booking.ends_at),
    }))
    .toSorted((one, other) => one.fromMs - other.fromMs)
  const ofSomebody = taken.filter(({ booking }) => booking.staff !== null)
  const ofPlaces = taken.filter(({ booking }) => booking.staff === null)
  return [
    ...inTwoAppointments(ofSomebody),
    ...overfull(
      Map.groupBy(ofSomebody, ({ booking, fromMs }) => appointmentOf(booking, fromMs)),
      capacities,
    ),
    ...overfull(
      Map.groupBy(ofPlaces, ({ booking }) => placeOf(booking)),
      capacities,
    ),
  ]
}

function placeOf({ service, location }: BookingShown): string {
  return `${service.id} ${location.id}`
}

function appointmentOf(booking: BookingShown, fromMs: number): string {
  return `${booking.staff?.id ?? ''} ${placeOf(booking)} ${fromMs}`
}

/** For each appointment of a person the first other one that it overlaps. */
function inTwoAppointments(taken: Taken[]): string[] {
  return [...Map.groupBy(taken, ({ booking }) => booking.staff?.id).values()].flatMap((ofOne) =>
    [...Map.groupBy(ofOne, ({ booking, fromMs }) => appointmentOf(booking, fromMs)).values()].flatMap(
      ([one], index, appointments) => {
        const other = appointments
          .slice(index + 1)
          .find(([next]) => one && next && next.fromMs < one.toMs)?.[0]
        if (!one || !other) return []
        return [
          `DOUBLE BOOKING: ${one.booking.staff?.name ?? ''} is in two appointments at ${other.booking.starts_at}: ` +
            `bookings ${one.booking.id} and ${other.booking.id}`,
        ]
      },
    ),
  )
}

/** Of those who share something, the fullest moment of each time at which there are more than it holds. */
function overfull(groups: Map<string, Taken[]>, capacities: Capacities): string[] {
  return [...groups.values()].flatMap((group) => {
    const capacity = capacities.get(group[0]?.booking.service.id ?? '') ?? 1
    return fullestMoments(group)
      .filter((present) => present.length > capacity)
      .map((present) => {
        const { booking } = present.at(-1) as Taken // more than the capacity
        const ids = present.map((one) => one.booking.id).join(', ')
        return (
          `DOUBLE BOOKING: ${booking.service.name} has ${capacity} ${capacity === 1 ? 'place' : 'places'} at ` +
          `${booking.starts_at} and ${present.length} bookings: ${ids}`
        )
      })
  })
}

/** Of each time without a gap, those who are there when most are. They are sorted by their beginning. */
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
