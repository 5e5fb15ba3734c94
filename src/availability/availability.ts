import type { Static } from 'typebox'
import { type Actor, isSession, isStaff } from '../access/actor.ts'
import type { Context } from '../access/context.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { readClientAddress } from '../base/client-network.ts'
import { formatInstant, latestMs, toMs } from '../base/instants.ts'
import { MemberGone } from '../base/together.ts'
import { Turns } from '../base/turns.ts'
import { findOffering } from '../catalogue/offering.ts'
import type { AvailabilityQuery, ExplainQuery, OfferQuery } from './availability-schemas.ts'
import {
  type BusySnapshot,
  type ComputedDay,
  type ComputedDays,
  type DayCache,
  daysPerRead,
  findSlots,
  freeSlotsOf,
  givesWay,
  readBusy,
  type Viewer,
} from './busy.ts'
import { dateOf, dayOf } from './hours-rules.ts'
import { isSlotUnavailable, lastDayOffered, localDay, NobodyGives } from './offer-rules.ts'
import { presentSlot, type ShownSlot, SlotTexts } from './shown-slot-rules.ts'
import type { Reason, Slot } from './slot-rules.ts'
import { StaleOffering, type VersionedOffering, withOffering } from './versioned-offering.ts'
import { dayMs, type Days, eachDay, type Interval, type ZoneOffsets } from './zone-rules.ts'

const maxDays = 62
/** Maximum number of slot and staff pairs in an answer. A slot without staff counts as one. */
export const maxPairs = 50_000
/** Answers that could contain more pairs than this are queued. */
const manyPairs = 5_000

interface ShowContext extends Context {
  /** Absent when moving a booking, because nobody else shares that view. */
  dayCache?: DayCache
  /** Returns true if the client has disconnected, so that nobody waits for the answer. */
  isGone?: () => boolean
}

/** Queue for large answers: one at a time for each address, two at once in total. */
const turns = new Turns({
  ...{ waiting: 50, owners: 2, waitingInAll: 500 },
  busy: 'Too many large answers of availability are asked for at once.',
})

/** A booking to move. It does not obstruct itself and keeps its length. */
interface Moving {
  bookingId: string
  durationMinutes: number
}

interface ShownAvailability<Day> {
  service_id: string
  location_id: string
  timezone: string
  days: Day[]
}

/** The free slots of a date. */
interface ShownDay {
  date: string
  slots: ShownSlot[]
}

/** The format of slots and days, and a cache of days in this format. */
interface DayForm<Shown, Day> {
  /** Returns a function for consecutive slots. */
  slots: (zone: ZoneOffsets) => (slot: Slot) => Shown
  day: (date: string, slots: Shown[]) => Day
  cache?: {
    find: (seen: BusySnapshot) => ComputedDays<Day> | undefined
    keep: (seen: BusySnapshot, days: ComputedDays<Day>) => void
  }
}

const valueForm: DayForm<ShownSlot, ShownDay> = {
  slots: (zone) => (slot) => presentSlot(slot, zone),
  day: (date, slots) => ({ date, slots }),
}

const jsonForm: DayForm<string, string> = {
  slots: (zone) => {
    const texts = new SlotTexts(zone)
    return (slot) => texts.of(slot)
  },
  day: (date, slots) => `{"date":"${date}","slots":[${slots.join()}]}`,
}

interface Shown<Day> extends ShownAvailability<Day> {
  /** The first date whose slots no longer fit into the answer. */
  cutAt: number | undefined
}

/**
 * Lists the slots of each date that the caller can hold now, as JSON. Serialises day by day, because a month
 * of many slots at once would block the event loop. Returns no slots if no staff member provides the service
 * there. Throws validation_failed, also for more slots than one answer holds. Throws not_found,
 * slot_not_offered if the offering is inactive, or unavailable if too many large answers are queued.
 */
export async function showAvailability(
  context: ShowContext,
  actor: Actor,
  query: Static<typeof AvailabilityQuery>,
  moving?: Moving,
): Promise<ShownAvailability<string>> {
  const { dayCache: cache } = context
  const form = { ...jsonForm, ...(cache && { cache }) }
  const { cutAt, ...shown } = await showWhatFits(context, actor, { query, moving, form })
  if (cutAt !== undefined) throw tooManySlots(cutAt, dayOf(query.from))
  return shown
}

/**
 * Returns the result of `showAvailability` as values. If an answer cannot hold all slots, returns the first
 * dates that fit.
 */
export async function showFirstDays(
  context: Context,
  actor: Actor,
  query: Static<typeof AvailabilityQuery>,
): Promise<ShownAvailability<ShownDay>> {
  const { cutAt, days, ...shown } = await showWhatFits(context, actor, { query, form: valueForm })
  return { ...shown, days: cutAt === undefined ? days : days.slice(0, cutAt - dayOf(query.from)) }
}

function tooManySlots(cutAt: number, first: number): Problem {
  const most = `one answer holds at most ${maxPairs.toLocaleString('en')} pairs of slot and staff member`
  const [pointer, detail] =
    cutAt > first
      ? ['/to', `must be ${dateOf(cutAt - 1)} or earlier: ${most}`]
      : ['/staff_id', `must name a staff member, as this date alone has too many slots: ${most}`]
  return validationProblem([{ pointer, code: 'too_many_slots', detail }])
}

async function showWhatFits<Slots, Day>(
  context: ShowContext,
  actor: Actor,
  {
    query,
    moving,
    form,
  }: { query: Static<typeof AvailabilityQuery>; moving?: Moving | undefined; form: DayForm<Slots, Day> },
): Promise<Shown<Day>> {
  const asked = { first: dayOf(query.from), last: dayOf(query.to) }
  assertRange(asked)
  const { service_id, location_id } = query
  const shown = (timezone: string, { byDay, cutAt }: SlotsByDay<Day>): Shown<Day> => {
    const empty = (day: number) => form.day(dateOf(day), [])
    const days = [...eachDay(asked)].map((day) => byDay.get(day) ?? empty(day))
    return { service_id, location_id, timezone, days, cutAt }
  }
  try {
    return await withOffering(context, actor.scope, {
      request: query,
      work: async (found) => {
        const offer = moving ? withDuration(found, moving.durationMinutes) : found
        const viewer = viewerOf(context, actor, query)
        if (moving) Object.assign(viewer, { exceptBookingId: moving.bookingId, recently: false })
        const days = possibleDays(offer, asked, viewer)
        const read = () => slotsByDay(context, offer, { days, viewer, form })
        const slots = isMany(offer, days)
          ? await turns.run(sourceOf(actor), read, context.isGone)
          : await read()
        return shown(offer.location.timezone, slots)
      },
    })
  } catch (error) {
    if (error instanceof NobodyGives) return shown(error.timezone, { byDay: new Map(), cutAt: undefined })
    throw error
  }
}

function viewerOf(context: Context, actor: Actor, { party_size }: Static<typeof OfferQuery>): Viewer {
  return { actor, nowMs: toMs(context.clock.now()), partySize: party_size ?? 1, recently: true }
}

/** Returns the slots as JSON. */
export function availabilityText({ days, ...place }: ShownAvailability<string>): string {
  const head = JSON.stringify({ ...place, days: [] }).slice(0, -']}'.length)
  return `${head}${days.join(',')}]}`
}

function withDuration(offer: VersionedOffering, duration_minutes: number): VersionedOffering {
  return { ...offer, service: { ...offer.service, duration_minutes } }
}

function assertRange({ first, last }: Days): void {
  const outOfRange = (detail: string) => validationProblem([{ pointer: '/to', code: 'out_of_range', detail }])
  if (last < first) throw outOfRange('must not be before from')
  if (last - first >= maxDays) throw outOfRange(`must be at most ${maxDays - 1} days after from`)
}

/** Clips the requested days to those from today to the horizon. */
function possibleDays(offer: VersionedOffering, { first, last }: Days, { nowMs }: Viewer): Days {
  return {
    first: Math.max(first, localDay(offer, nowMs)),
    last: Math.min(last, lastDayOffered(offer, nowMs)),
  }
}

/** Returns true if some days could have many slots, judging by the grid. */
function isMany({ service, staff }: VersionedOffering, { first, last }: Days): boolean {
  const { timetable, slot_interval_minutes } = service
  const perDay = timetable
    ? Math.max(0, ...timetable.map(({ starts }) => starts.length))
    : (24 * 60) / slot_interval_minutes
  return (last - first + 1) * perDay * Math.max(1, staff.length) > manyPairs
}

/** Returns the owner of a large answer in the queue: the address, or the caller if there is none. */
function sourceOf({ via, ...actor }: Actor): string {
  const address = via?.address
  return address ? readClientAddress(address).network : JSON.stringify(actor.scope)
}

interface SlotsByDay<Day> {
  /** By local day. */
  byDay: Map<number, Day>
  cutAt: number | undefined
}

async function slotsByDay<Slots, Day>(
  context: ShowContext,
  offer: VersionedOffering,
  { days, viewer, form }: { days: Days; viewer: Viewer; form: DayForm<Slots, Day> },
): Promise<SlotsByDay<Day>> {
  const byDay = new Map<number, Day>()
  const step = daysPerRead(offer)
  const giveWay = givesWay()
  let room = maxPairs
  for (let first = days.first; first <= days.last; first += step) {
    if (context.isGone?.()) throw new MemberGone()
    const part = { first, last: Math.min(first + step - 1, days.last) }
    const seen = await readBusy(context, offer, { days: part, viewer })
    const known = form.cache?.find(seen)
    const computed = known ?? (await computeDays(seen, giveWay, { room, form }))
    for (const [day, { shown, pairs }] of computed.byDay) {
      if (pairs > room) return { byDay, cutAt: day }
      room -= pairs
      byDay.set(day, shown)
    }
    if (!known) form.cache?.keep(seen, computed)
    await giveWay()
  }
  return { byDay, cutAt: undefined }
}

/** Pairs of slot and staff member between two looks at the clock. They take less than half a millisecond. */
const pairsPerLook = 100

/** Computes days, up to the first that does not fit. */
async function computeDays<Slots, Day>(
  seen: BusySnapshot,
  giveWay: ReturnType<typeof givesWay>,
  { room, form }: { room: number; form: DayForm<Slots, Day> },
): Promise<ComputedDays<Day>> {
  const free = freeSlotsOf(seen)
  const show = form.slots(free.zone)
  const byDay = new Map<number, ComputedDay<Day>>()
  let earliestMs = Infinity
  let left = room
  for (const day of eachDay(seen.days)) {
    const slots: Slots[] = []
    let pairs = 0
    let lookAt = pairsPerLook
    for (const slot of free.onDay(day)) {
      earliestMs = Math.min(earliestMs, slot.from)
      pairs += Math.max(1, slot.staffIds.length)
      if (pairs > left) break
      slots.push(show(slot))
      if (pairs < lookAt) continue
      lookAt = pairs + pairsPerLook
      await giveWay() // not only between days, because a day may have thousands of slots
    }
    if (pairs > left) {
      byDay.set(day, { shown: form.day(dateOf(day), []), pairs })
      break
    }
    left -= pairs
    byDay.set(day, { shown: form.day(dateOf(day), slots), pairs })
    await giveWay()
  }
  return { byDay, earliestMs }
}

/** Days within which the search for the soonest slot ends. */
const maxDaysAhead = 366
/** Days to read first. There is usually a free slot within a few days; otherwise the search reads more. */
const firstReadDays = 7
const maxDaysPerRead = 62

/**
 * Finds the next slot that the caller can hold within 366 days, or null. Throws not_found, or
 * slot_not_offered if the offering is inactive.
 */
export async function findSoonest(
  context: Context,
  actor: Actor,
  query: Static<typeof OfferQuery>,
): Promise<ShownSlot | null> {
  try {
    return await withOffering(context, actor.scope, {
      request: query,
      work: (offer) => search(context, offer, viewerOf(context, actor, query)),
    })
  } catch (error) {
    if (error instanceof NobodyGives) return null
    throw error
  }
}

async function search(context: Context, offer: VersionedOffering, viewer: Viewer): Promise<ShownSlot | null> {
  const today = localDay(offer, viewer.nowMs)
  const latest = Math.min(today + maxDaysAhead, lastDayOffered(offer, viewer.nowMs))
  let step = Math.min(firstReadDays, daysPerRead(offer))
  const giveWay = givesWay()
  for (let first = today; first <= latest; first += step) {
    if (first > today) step = Math.min(step * 2, daysPerRead(offer), maxDaysPerRead)
    const days = { first, last: Math.min(first + step - 1, latest) }
    const free = await findSlots(context, offer, { days, viewer })
    for (const day of eachDay(days)) {
      for (const slot of free.onDay(day)) return presentSlot(slot, free.zone)
      await giveWay()
    }
  }
  return null
}

interface Explanation {
  starts_at: string
  offered: boolean
  reason: Reason | 'not_offered_here' | null
}

/** Explains whether a session could hold a slot now and, if not, why. Throws not_found. */
export async function explainSlot(
  context: Context,
  actor: Actor,
  query: Static<typeof ExplainQuery>,
): Promise<Explanation> {
  const startsAt = query.starts_at
  try {
    return await withOffering(context, actor.scope, {
      request: query,
      work: async (offer) => {
        const day = localDay(offer, toMs(startsAt))
        const viewer = viewerOf(context, actor, query)
        const free = await findSlots(context, offer, { days: { first: day, last: day }, viewer })
        const found = free.reasonAgainst(toMs(startsAt))
        const isHidden = isSession(actor) || (isStaff(actor) && query.staff_id !== actor.staffId)
        const reason = found === 'busy_elsewhere' && isHidden ? 'blocked' : found
        const starts_at = formatInstant(startsAt, offer.location.timezone)
        return { starts_at, offered: reason === null, reason }
      },
    })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'slot_not_offered') throw error
    const ids = { serviceId: query.service_id, locationId: query.location_id }
    const { location } = await findOffering(context, actor.scope, ids)
    const starts_at = formatInstant(startsAt, location?.timezone ?? 'UTC')
    return { starts_at, offered: false, reason: 'not_offered_here' }
  }
}

const maxAlternatives = 3
/** Maximum distance of an alternative from the wanted start. */
const reachMs = 14 * dayMs
/** Days to read first before and after the wanted one. Fewer if there are many seats. */
const firstReachDays = 7

/**
 * Adds up to three free slots to a refusal (slot_held, slot_booked, slot_not_offered). Picks the nearest to
 * the wanted start within 14 days, and the later of two equally near.
 */
export async function withAlternatives(
  context: Context,
  refusal: unknown,
  { offer, startsAtMs, viewer }: { offer: VersionedOffering; startsAtMs: number; viewer: Viewer },
): Promise<unknown> {
  if (!isSlotUnavailable(refusal)) return refusal
  const { code, message, parts } = refusal
  const alternatives = await nearestSlots(context, offer, { startsAtMs, viewer })
  return new Problem(code, message, { ...parts, extensions: { ...parts.extensions, alternatives } })
}

/** Reads the days around the wanted one first. Reads more only while they could contain nearer slots. */
async function nearestSlots(
  context: Context,
  offer: VersionedOffering,
  { startsAtMs, viewer }: { startsAtMs: number; viewer: Viewer },
): Promise<ShownSlot[]> {
  const within = daysWithinHorizon(offer, startsAtMs, viewer)
  const seen = { days: { first: within.middle, last: within.middle - 1 }, from: startsAtMs, to: startsAtMs }
  const giveWay = givesWay()
  let nearest: { distance: number; startsAtMs: number; shown: ShownSlot }[] = []
  try {
    for (;;) {
      const days = nextDays(offer, seen.days, within)
      const furthest = nearest[maxAlternatives - 1]
      if (!days || (furthest && furthest.distance < minUnseen(seen, within, startsAtMs))) break
      const free = await findSlots(context, offer, { days, viewer })
      for (const day of eachDay(days)) {
        for (const slot of free.onDay(day)) {
          const distance = Math.abs(slot.from - startsAtMs)
          if (distance === 0 || distance > reachMs) continue
          nearest.push({ distance, startsAtMs: slot.from, shown: presentSlot(slot, free.zone) })
        }
        await giveWay()
      }
      nearest.sort((one, other) => one.distance - other.distance || other.startsAtMs - one.startsAtMs)
      nearest = nearest.slice(0, maxAlternatives)
      widen(seen, days, free.zone.spanOf(days))
    }
    return nearest.map(({ shown }) => shown)
  } catch (error) {
    if (error instanceof StaleOffering) return [] // the catalogue has just changed: no alternatives are better than wrong ones
    throw error
  }
}

/** Days on which an alternative may start. */
interface Within extends Days {
  /** The day nearest to the wanted one. */
  middle: number
}

function daysWithinHorizon(offer: VersionedOffering, startsAtMs: number, { nowMs }: Viewer): Within {
  const day = (instantMs: number) => localDay(offer, Math.min(Math.max(instantMs, 0), latestMs))
  const first = Math.max(day(nowMs), day(startsAtMs - reachMs))
  const last = Math.min(lastDayOffered(offer, nowMs), day(startsAtMs + reachMs))
  return { first, last, middle: Math.min(Math.max(day(startsAtMs), first), last) }
}

/** The consecutive days read so far, and their interval. */
interface Seen extends Interval {
  days: Days
}

/** Returns the next days to read, on the side with fewer days read so far. Undefined if all are read. */
function nextDays(offer: VersionedOffering, seen: Days, within: Within): Days | undefined {
  const { first, last, middle } = within
  const max = daysPerRead(offer)
  if (last < first) return undefined
  if (seen.last < seen.first) {
    const around = Math.min(firstReachDays, Math.floor((max - 1) / 2))
    return { first: Math.max(first, middle - around), last: Math.min(last, middle + around) }
  }
  const isAfter = seen.first === first || (seen.last < last && seen.last - middle <= middle - seen.first)
  const step = Math.min(max, firstReachDays)
  if (isAfter && seen.last === last) return undefined
  return isAfter
    ? { first: seen.last + 1, last: Math.min(last, seen.last + step) }
    : { first: Math.max(first, seen.first - step), last: seen.first - 1 }
}

/** Returns the least distance of an unread slot from the wanted start. */
function minUnseen(seen: Seen, { first, last }: Days, startsAtMs: number): number {
  const before = seen.days.first > first ? startsAtMs - seen.from : Infinity
  const after = seen.days.last < last ? seen.to - startsAtMs : Infinity
  return Math.min(before, after)
}

function widen(seen: Seen, { first, last }: Days, { from, to }: Interval): void {
  const isFirst = seen.days.last < seen.days.first
  seen.days = isFirst
    ? { first, last }
    : { first: Math.min(seen.days.first, first), last: Math.max(seen.days.last, last) }
  seen.from = isFirst ? from : Math.min(seen.from, from)
  seen.to = isFirst ? to : Math.max(seen.to, to)
}
