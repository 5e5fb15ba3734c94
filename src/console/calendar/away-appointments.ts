import { isStaff } from '../../access/actor.ts'
import { showFirstDays } from '../../availability/availability.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import type { ShownSlot } from '../../availability/shown-slot-rules.ts'
import { Problem } from '../../base/errors.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import { maxCalendarDays } from '../../bookings/calendar-rules.ts'
import type { Context } from '../../bookings/context.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { wallFields } from '../frame/formats.ts'
import { type CalendarView, type Column, readDays, type ShownBooking } from './calendar-view.ts'
import { canTake } from './free-time.ts'

/* The appointments of a person who is away, and who or when else for each. */

/** The time in which a person is away: a block. */
export interface Absence {
  id: string
  staffId: string
  starts_at: Instant
  ends_at: Instant
  reason: string | null
}

/** An appointment in the time, with what can become of it. */
interface Appointment {
  shown: ShownBooking
  /** Colleagues who are free at the same time. */
  colleagues: { id: string; name: string }[]
  /** Free times nearby, with a person who has them. */
  times: { start: string; staff: { id: string; name: string } | undefined }[]
  /** People who offer the service. */
  offeredBy: readonly string[]
  /** True if a paid deposit is possible and the reader may refund it. */
  mayRefund: boolean
}

/** The appointments that are still to settle. */
export interface FoundAppointments {
  name: string
  appointments: Appointment[]
  /** Number of appointments that the page leaves out. */
  more: number
  /** False if the time goes on after the last day read. */
  isWhole: boolean
}

/** Maximum number of appointments on the page. */
const maxShown = 40
/** Maximum number of times that an appointment offers. */
const maxTimes = 4
/** Time between two offered times, so that they differ. */
const apartMs = 30 * 60_000
/** Days after the time in which other times are offered. */
const daysAfter = 7

/** Finds the open appointments of a person in a time, from now on. */
export async function appointmentsIn(
  context: Context,
  visit: BusinessVisit,
  absence: Absence,
): Promise<FoundAppointments> {
  const now = context.clock.now()
  const { timezone } = visit.business
  const dateAt = (instant: Instant) => wallFields(instant, timezone).date
  const from = dateAt(absence.starts_at > now ? absence.starts_at : now)
  const last = dateAt(absence.ends_at > now ? absence.ends_at : now)
  const to = dateOf(Math.max(dayOf(from), Math.min(dayOf(last), dayOf(from) + maxCalendarDays - 1)))
  const read = await readDays(context, visit, { from, to }, (view) => {
    const open = openIn(view, absence, toMs(now))
    const people = view.calendar.columns.filter(({ staff }) => staff?.active)
    const first = open
      .slice(0, maxShown)
      .map((shown) => ({ shown, colleagues: whoCanTake(view, { absence, shown, people, visit }) }))
    const { staff, services } = view.calendar.catalogue
    return Promise.resolve({ first, staff, services, more: Math.max(0, open.length - maxShown) })
  })
  const timesOf = nearTimesIn(context, visit, { from, to: dateOf(dayOf(to) + daysAfter) })
  const appointments: Appointment[] = []
  for (const one of read.first) {
    const times = await timesOf(one.shown)
    const named = times.map(({ start, staffId }) => ({
      start,
      staff: read.staff.find(({ id }) => id === staffId),
    }))
    const service = read.services.find(({ id }) => id === one.shown.service.id)
    const hasDeposit = (service?.payment ?? 'none') !== 'none'
    appointments.push({
      ...{ ...one, times: named, offeredBy: service?.staff_ids ?? [] },
      mayRefund: hasDeposit && visit.person.role === 'owner',
    })
  }
  const name = read.staff.find(({ id }) => id === absence.staffId)?.name ?? ''
  return { name, appointments, more: read.more, isWhole: to >= last }
}

/** Returns the number of appointments to settle under a block of a person. */
export function openIn(
  { taken }: Pick<CalendarView, 'taken'>,
  { staffId, starts_at, ends_at }: { staffId: string; starts_at: string; ends_at: string },
  nowMs: number,
): ShownBooking[] {
  const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)]
  return (taken.get(staffId) ?? [])
    .filter((one) => 'status' in one)
    .filter(
      (one) =>
        !('redacted' in one) &&
        (one.status === 'pending' || one.status === 'confirmed') &&
        Date.parse(one.starts_at) < to &&
        Date.parse(one.ends_at) > Math.max(from, nowMs),
    )
    .toSorted((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at))
}

/** Staff may give nobody else's time. */
function whoCanTake(
  view: CalendarView,
  {
    absence,
    shown,
    people,
    visit,
  }: { absence: Absence; shown: ShownBooking; people: Column[]; visit: BusinessVisit },
) {
  if (isStaff(visit.person)) return []
  const service = view.calendar.catalogue.services.find(({ id }) => id === shown.service.id)
  return people.flatMap((column) => {
    const { staff } = column
    if (!staff || staff.id === absence.staffId || service?.staff_ids.includes(staff.id) !== true) return []
    return canTake(view, column, shown) ? [{ id: staff.id, name: staff.name }] : []
  })
}

/** Returns a function for the free times nearest to an appointment. Those of a service are read once. */
function nearTimesIn(context: Context, { person }: BusinessVisit, days: { from: string; to: string }) {
  const known = new Map<string, ShownSlot[]>()
  const own = isStaff(person) ? { staff_id: person.staffId } : {}
  const slotsOf = async ({ service, location, party_size }: ShownBooking) => {
    const query = { service_id: service.id, location_id: location.id, party_size, ...own, ...days }
    const key = JSON.stringify(query)
    const slots =
      known.get(key) ??
      (await showFirstDays(context, person, query).then(
        ({ days: all }) => all.flatMap((day) => day.slots),
        none,
      ))
    known.set(key, slots)
    return slots
  }
  return async (shown: ShownBooking) => {
    if (shown.item.count > 1) return []
    return nearest(await slotsOf(shown), shown)
  }
}

/** Returns a few free times around the start of a booking, with its person where they have them. */
export function nearest(
  slots: readonly ShownSlot[],
  { starts_at: start, staff }: Pick<ShownBooking, 'starts_at' | 'staff'>,
) {
  const at = Date.parse(start)
  const near = slots
    .filter(({ starts_at }) => Date.parse(starts_at) !== at)
    .map(({ starts_at, staff_ids }) => ({
      ...{ start: starts_at, awayMs: Date.parse(starts_at) - at },
      staffId: staff_ids.find((id) => id === staff?.id) ?? staff_ids[0],
    }))
    .toSorted((one, other) => Math.abs(one.awayMs) - Math.abs(other.awayMs))
  const picked: typeof near = []
  for (const one of near) {
    if (picked.length === maxTimes) break
    if (picked.every(({ awayMs }) => Math.abs(awayMs - one.awayMs) >= apartMs)) picked.push(one)
  }
  return picked.toSorted((one, other) => one.awayMs - other.awayMs)
}

/** A service that is no longer offered has no other times. */
export function none(error: unknown): ShownSlot[] {
  if (error instanceof Problem) return []
  throw error
}
