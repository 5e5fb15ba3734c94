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

function inTwoAppointments(taken: Taken[]): string[] {
  return [...Map.groupBy(taken, ({ booking }) => booking.staff?.id).values()].flatMap((ofOne) =>
    ofOne.flatMap((one, index) =>
      ofOne
        .slice(index + 1)
        .filter((other) => other.fromMs < one.toMs)
        .filter(
          (other) => appointmentOf(other.booking, other.fromMs) !== appointmentOf(one.booking, one.fromMs),
        )
        .map(
          (other) =>
            `DOUBLE BOOKING: ${one.booking.staff?.name ?? ''} is in two appointments at ${other.booking.starts_at}: ` +
            `bookings ${one.booking.id} and ${other.booking.id}`,
        ),
    ),
  )
}

/** Of those who share something, each at whose beginning there are more than it holds. */
function overfull(groups: Map<string, Taken[]>, capacities: Capacities): string[] {
  return [...groups.values()].flatMap((group) =>
    group.flatMap((one, index) => {
      const capacity = capacities.get(one.booking.service.id) ?? 1
      // sorted by their beginning: those before it that have not ended
      const present = group.slice(0, index + 1).filter(({ toMs }) => toMs > one.fromMs)
      if (present.length <= capacity) return []
      const ids = present.map(({ booking }) => booking.id)
      return [
        `DOUBLE BOOKING: ${one.booking.service.name} has ${capacity} ${capacity === 1 ? 'place' : 'places'} at ` +
          `${one.booking.starts_at} and ${present.length} bookings: ${ids.join(', ')}`,
      ]
    }),
  )
}
