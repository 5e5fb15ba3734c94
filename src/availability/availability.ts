import type { Static } from 'typebox'
import { type Actor, isSession, isStaff } from '../access/actor.ts'
import type { Context } from '../access/context.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { readClientAddress } from '../base/client-network.ts'
import { formatInstant, toMs } from '../base/instants.ts'
import { MemberGone } from '../base/together.ts'
import { Turns } from '../base/turns.ts'
import { findOffering } from '../catalogue/offering.ts'
import { withLength } from '../catalogue/service-rules.ts'
import type { AvailabilityQuery, ExplainQuery, OfferQuery } from './availability-schemas.ts'
import { addAlternatives, nearestSlots } from './alternatives.ts'
import {
  type BusySnapshot,
  type ComputedDay,
  type ComputedDays,
  type DayCache,
  givesWay,
  type Viewer,
} from './busy.ts'
import { dateOf, dayOf } from './hours-rules.ts'
import { localDay, NobodyGives, withEveryMinute } from './offer-rules.ts'
import { presentSlot, type ShownSlot, SlotTexts } from './shown-slot-rules.ts'
import type { Slot } from './slot-rules.ts'
import { serviceSource, type SlotsOfDays, type SlotSource, visitSource } from './slot-source.ts'
import { type VersionedOffering, withOffering } from './versioned-offering.ts'
import { withVisit } from './versioned-visit.ts'
import { readAskedItems } from './visit-query-rules.ts'
import type { VisitReason } from './visit-rules.ts'
import { type Days, eachDay, type ZoneOffsets } from './zone-rules.ts'

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

/** A booking to move. It does not obstruct itself. */
interface Moving {
  bookingId: string
  /** The length that a booking of one service keeps. */
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
 * dates that fit. Reads the primary instead of a replica if `recently` is false.
 */
export async function showFirstDays(
  context: Context,
  actor: Actor,
  query: Static<typeof AvailabilityQuery>,
  { recently = true }: { recently?: boolean } = {},
): Promise<ShownAvailability<ShownDay>> {
  const form = valueForm
  const { cutAt, days, ...shown } = await showWhatFits(context, actor, { query, form, recently })
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
    recently,
  }: {
    query: Static<typeof AvailabilityQuery>
    moving?: Moving | undefined
    form: DayForm<Slots, Day>
    recently?: boolean
  },
): Promise<Shown<Day>> {
  const asked = { first: dayOf(query.from), last: dayOf(query.to) }
  assertRange(asked)
  const { location_id } = query
  const service_id = serviceIdOf(query)
  const shown = (timezone: string, { byDay, cutAt }: SlotsByDay<Day>): Shown<Day> => {
    const empty = (day: number) => form.day(dateOf(day), [])
    const days = [...eachDay(asked)].map((day) => byDay.get(day) ?? empty(day))
    return { service_id, location_id, timezone, days, cutAt }
  }
  try {
    return await withSource(context, actor, {
      ...{ query, moving, recently },
      work: async (source, nowMs) => {
        const days = possibleDays(source, asked, nowMs)
        const read = () => slotsByDay(context, source, { days, form })
        const slots = isMany(source, days)
          ? await turns.run(sourceOf(actor), read, context.isGone)
          : await read()
        return shown(source.location.timezone, slots)
      },
    })
  } catch (error) {
    if (error instanceof NobodyGives) return shown(error.timezone, { byDay: new Map(), cutAt: undefined })
    throw error
  }
}

type Query = Static<typeof OfferQuery>

/** Runs work with the slots of the service or visit that a query asks for. Repeats it with a newer catalogue. */
function withSource<T>(
  context: Context,
  actor: Actor,
  {
    query,
    moving,
    changes,
    atAnyMinute = false,
    recently = !moving,
    work,
  }: {
    query: Query
    moving?: Moving | undefined
    /** The ID of a booking whose services change. It is not in the way. */
    changes?: string | undefined
    /** Slots of one service without a timetable start at any minute. */
    atAnyMinute?: boolean | undefined
    recently?: boolean | undefined
    work: (source: SlotSource, nowMs: number) => Promise<T>
  },
): Promise<T> {
  const { location_id, staff_id, party_size: partySize = 1 } = query
  const viewer = (): Viewer => ({
    ...{ actor, nowMs: toMs(context.clock.now()), partySize, recently },
    exceptBookingId: moving?.bookingId ?? changes,
  })
  if (query.items !== undefined) {
    return withVisit(context, actor.scope, {
      request: { location_id, items: readAskedItems(query.items) },
      work: (offer) => {
        const seen = viewer()
        return work(visitSource(context, offer, { viewer: seen, showsItems: true }), seen.nowMs)
      },
    })
  }
  return withOffering(context, actor.scope, {
    request: { service_id: serviceIdOf(query), location_id, staff_id },
    work: (found) => {
      const seen = viewer()
      const long = moving ? withLength(found.service, moving.durationMinutes) : found.service
      const offer = { ...found, service: atAnyMinute ? withEveryMinute(long) : long }
      return work(serviceSource(context, offer, seen), seen.nowMs)
    },
  })
}

/** Returns the service of a query; of a visit, the first. The schema ensures that there is one. */
function serviceIdOf({ service_id, items }: Pick<Query, 'service_id' | 'items'>): string {
  return service_id ?? readAskedItems(items ?? '')[0]?.service_id ?? ''
}

/** Returns the slots as JSON. */
export function availabilityText({ days, ...place }: ShownAvailability<string>): string {
  const head = JSON.stringify({ ...place, days: [] }).slice(0, -']}'.length)
  return `${head}${days.join(',')}]}`
}

function assertRange({ first, last }: Days): void {
  const outOfRange = (detail: string) => validationProblem([{ pointer: '/to', code: 'out_of_range', detail }])
  if (last < first) throw outOfRange('must not be before from')
  if (last - first >= maxDays) throw outOfRange(`must be at most ${maxDays - 1} days after from`)
}

/** Clips the requested days to those from today to the horizon. */
function possibleDays(source: SlotSource, { first, last }: Days, nowMs: number): Days {
  return { first: Math.max(first, localDay(source, nowMs)), last: Math.min(last, source.lastDay) }
}

/** Returns true if some days could have many slots. */
function isMany({ pairsPerDay }: SlotSource, { first, last }: Days): boolean {
  return (last - first + 1) * pairsPerDay > manyPairs
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
  source: SlotSource,
  { days, form }: { days: Days; form: DayForm<Slots, Day> },
): Promise<SlotsByDay<Day>> {
  const byDay = new Map<number, Day>()
  const step = source.daysPerRead
  const giveWay = givesWay()
  let room = maxPairs
  for (let first = days.first; first <= days.last; first += step) {
    if (context.isGone?.()) throw new MemberGone()
    const part = { first, last: Math.min(first + step - 1, days.last) }
    const { seen, slots } = await source.read(part)
    const known = seen && form.cache?.find(seen)
    const computed = known ?? (await computeDays(slots(), giveWay, { days: part, room, form }))
    for (const [day, { shown, pairs }] of computed.byDay) {
      if (pairs > room) return { byDay, cutAt: day }
      room -= pairs
      byDay.set(day, shown)
    }
    if (seen && !known) form.cache?.keep(seen, computed)
    await giveWay()
  }
  return { byDay, cutAt: undefined }
}

/** Pairs of slot and staff member between two looks at the clock. They take less than half a millisecond. */
const pairsPerLook = 100

/** Computes days, up to the first that does not fit. */
async function computeDays<Slots, Day>(
  free: SlotsOfDays,
  giveWay: ReturnType<typeof givesWay>,
  { days, room, form }: { days: Days; room: number; form: DayForm<Slots, Day> },
): Promise<ComputedDays<Day>> {
  const show = form.slots(free.zone)
  const byDay = new Map<number, ComputedDay<Day>>()
  let earliestMs = Infinity
  let left = room
  for (const day of eachDay(days)) {
    const slots: Slots[] = []
    let pairs = 0
    let lookAt = pairsPerLook
    for (const slot of free.onDay(day)) {
      if (!slot) {
        await giveWay()
        continue
      }
      earliestMs = Math.min(earliestMs, slot.from)
      pairs += pairsOf(slot)
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

function pairsOf({ staffIds, items }: Slot): number {
  if (!items) return Math.max(1, staffIds.length)
  return items.reduce((sum, item) => sum + Math.max(1, item.staffIds.length), 0)
}

/**
 * Finds up to three free slots near an instant, at least `apartMs` away from it. Returns none if the offering is
 * inactive.
 */
export async function findNearest(
  context: Context,
  actor: Actor,
  { query, startsAtMs, apartMs }: { query: Static<typeof OfferQuery>; startsAtMs: number; apartMs: number },
): Promise<ShownSlot[]> {
  try {
    return await withSource(context, actor, {
      query,
      work: (source, nowMs) => nearestSlots({ source, startsAtMs, nowMs, apartMs }),
    })
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
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
    return await withSource(context, actor, { query, work: search })
  } catch (error) {
    if (error instanceof NobodyGives) return null
    throw error
  }
}

async function search(source: SlotSource, nowMs: number): Promise<ShownSlot | null> {
  const today = localDay(source, nowMs)
  const latest = Math.min(today + maxDaysAhead, source.lastDay)
  let step = Math.min(firstReadDays, source.daysPerRead)
  const giveWay = givesWay()
  for (let first = today; first <= latest; first += step) {
    if (first > today) step = Math.min(step * 2, source.daysPerRead, maxDaysPerRead)
    const days = { first, last: Math.min(first + step - 1, latest) }
    const free = (await source.read(days)).slots()
    for (const day of eachDay(days)) {
      for (const slot of free.onDay(day)) {
        if (slot) return presentSlot(slot, free.zone)
        await giveWay()
      }
      await giveWay()
    }
  }
  return null
}

interface Explanation {
  starts_at: string
  offered: boolean
  reason: VisitReason | null
  /** The number from 0 of the item of a visit that cannot be served. */
  item?: number
}

/**
 * Explains whether a session could hold a slot now and, if not, why. For a booking that changes its services, only
 * hours, blocks and other bookings count. Throws not_found.
 */
export async function explainSlot(
  context: Context,
  actor: Actor,
  query: Static<typeof ExplainQuery>,
  { changes, atAnyMinute }: { changes?: string | undefined; atAnyMinute?: boolean } = {},
): Promise<Explanation> {
  const startsAt = query.starts_at
  try {
    return await withSource(context, actor, {
      ...{ query, changes, atAnyMinute },
      work: async (source) => {
        const day = localDay(source, toMs(startsAt))
        const free = (await source.read({ first: day, last: day })).slots()
        const found = free.reasonAgainst(toMs(startsAt), changes !== undefined)
        const isHidden = isSession(actor) || (isStaff(actor) && query.staff_id !== actor.staffId)
        const reason = found?.reason === 'busy_elsewhere' && isHidden ? 'blocked' : (found?.reason ?? null)
        const starts_at = formatInstant(startsAt, source.location.timezone)
        return { starts_at, offered: reason === null, reason, ...itemPart(query, found?.item) }
      },
    })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'slot_not_offered') throw error
    const ids = { serviceId: serviceIdOf(query), locationId: query.location_id }
    const { location } = await findOffering(context, actor.scope, ids)
    const starts_at = formatInstant(startsAt, location?.timezone ?? 'UTC')
    const item = error.parts.extensions?.['item']
    return { starts_at, offered: false, reason: 'not_offered_here', ...itemPart(query, item) }
  }
}

/** Returns the number of an item for an answer about a visit. */
function itemPart({ items }: Query, item: unknown): { item?: number } {
  return items !== undefined && typeof item === 'number' ? { item } : {}
}

/**
 * Adds up to three free slots to a refusal (slot_held, slot_booked, slot_not_offered). Picks the nearest to
 * the wanted start within 14 days, and the later of two equally near.
 */
export async function withAlternatives(
  context: Context,
  refusal: unknown,
  { offer, startsAtMs, viewer }: { offer: VersionedOffering; startsAtMs: number; viewer: Viewer },
): Promise<unknown> {
  return addAlternatives(refusal, {
    source: serviceSource(context, offer, viewer),
    ...{ startsAtMs, nowMs: viewer.nowMs },
  })
}
