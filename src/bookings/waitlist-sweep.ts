import { showFirstDays } from '../availability/availability.ts'
import { isSlotUnavailable } from '../availability/offer-rules.ts'
import type { Span } from '../availability/resource-rules.ts'
import type { ShownSlot } from '../availability/shown-slot-rules.ts'
import { dateOf, dayOf } from '../availability/hours-rules.ts'
import { Problem } from '../base/errors.ts'
import { type Instant, plusSeconds, readInstant, toMs } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import { clientEmailOf } from '../base/contact-formats.ts'
import { businessInScope } from '../catalogue/business.ts'
import { findOffering } from '../catalogue/offering.ts'
import { answeredBeforeMinutes } from '../catalogue/request-rules.ts'
import { quietHoursIn } from '../catalogue/mail-settings-rules.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import { quietUntil } from '../mails/mail-rules.ts'
import { reachOf, recordWaitlistMessage } from '../mails/waitlist-outbox.ts'
import { findBlockedAmong } from './client-queries.ts'
import type { Context } from './context.ts'
import { endIn } from './waitlist.ts'
import { noteTaken, offerTime } from './waitlist-offer.ts'
import { holderOf } from './waitlist-actors.ts'
import { isRefused, readRefusedTimes } from './waitlist-refused.ts'
import {
  endOffer,
  findActiveEntries,
  findOverOffers,
  finishSweep,
  isAnySweepDue,
  type LeasedSweep,
  leaseSweeps,
  lockEntry,
  makeSweepDue,
  readChanges,
  waitAgain,
} from './waitlist-queries.ts'
import {
  dateAt,
  type EntryRow,
  isWithin,
  itemsOfEntry,
  maxUnanswered,
  maxWindowDays,
  offerEnd,
  queryOfEntry,
  usualQuietHours,
} from './waitlist-rules.ts'

/*
 * Time becomes free in many ways. One sweep finds it, whatever freed it.
 *
 *   1. Every half minute, a server leases the businesses with active entries. Offers that are over are settled.
 *   2. If nothing has changed since the last sweep, that is all. Every quarter of an hour it looks in any case.
 *   3. Otherwise it asks for the free times of each group of entries with the same services. Those who wait longest are
 *      offered them first.
 *
 * Guarantees: unique indexes and the claims decide, so that two servers offer a time once, and an entry has one offer. An
 * offer and its messages are written together. The business of a killed server is swept again when its lease ends.
 */

const sweepSeconds = 30
const fullSeconds = 900
/** After others were faster, in case they give the time back. */
const beatenSeconds = 5
/** Longer than a sweep. A sweep that lasts longer may run twice, which harms nothing. */
const leaseSeconds = 60
const pollMs = 10_000
const maxInFlight = 4
/** Entries of a business that one sweep considers. */
const maxEntries = 1_000
/** Offers of one sweep. More follow at once. */
const maxOffers = 50
/** Offers that one sweep settles. */
const maxSettled = 100
/** A request ends an hour before its start. The business has another one to answer. */
const requestNoticeMinutes = 2 * answeredBeforeMinutes
/** Times that one entry tries to get before the next has its turn. */
const maxTries = 3

/** The worker of this process. */
export class WaitlistWorker extends LeaseLoop<Context, LeasedSweep> {
  constructor(context: Context) {
    super(context, {
      ...{ maxInFlight, pollMs, signal: context.dueOffers },
      failing: 'businesses with a waiting list cannot be leased; retrying',
      failed: ['error', 'business_id', 'a waiting list could not be compared with the free times'],
    })
  }

  protected override async lease(max: number): Promise<{ leased: LeasedSweep[] }> {
    const { db, clock } = this.context
    if (!(await isAnySweepDue(db.reads, clock.now()))) return { leased: [] }
    const leased = await db.transaction((tx) =>
      leaseSweeps(tx.db, { max, now: tx.now, until: plusSeconds(tx.now, leaseSeconds) }),
    )
    return { leased }
  }

  protected override async work(sweep: LeasedSweep): Promise<undefined> {
    const next = await sweepBusiness(this.context, sweep)
    await this.context.db.transaction((tx) => finishSweep(tx.db, sweep, next))
  }
}

/** Makes the sweep of a test business due, because its clock stands still. Does nothing without active entries. */
export function sweepAtOnce({ db }: Context, businessId: string): Promise<void> {
  return db.transaction((tx) => makeSweepDue(tx.db, businessId, tx.now))
}

/** Compares the entries of a business with its free times. Returns when to do it next. */
async function sweepBusiness(context: Context, sweep: LeasedSweep): Promise<Omit<LeasedSweep, 'id'>> {
  const { db, clock } = context
  const now = clock.now()
  const isSettled = await settleOffers(context, sweep.id, now)
  const { catalogue_version, has_changed } = await readChanges(db.reads, { ...sweep, now })
  const isStale = catalogue_version !== sweep.catalogue_version
  const isFull = isSettled || has_changed === 1 || isStale || sweep.full_at <= now
  const next = { due_at: plusSeconds(now, sweepSeconds), swept_at: now, catalogue_version }
  if (!isFull) return { ...next, full_at: sweep.full_at }
  const { isMore, wasBeaten, heldUntil } = await new Sweep(context, sweep.id, now).run()
  if (isMore) return { ...next, due_at: now, full_at: now }
  if (wasBeaten) return { ...next, due_at: plusSeconds(now, beatenSeconds), full_at: now }
  const usual = plusSeconds(now, fullSeconds)
  return { ...next, full_at: heldUntil !== undefined && heldUntil < usual ? heldUntil : usual }
}

/** Ends offers whose hold is over. Their entries wait again, or have their booking. Returns true if there were any. */
async function settleOffers(context: Context, businessId: string, now: Instant): Promise<boolean> {
  const over = await findOverOffers(context.db.reads, { businessId, now, max: maxSettled })
  for (const { id, entry_id, is_booked, unanswered } of over) {
    await context.db.transaction(async (tx) => {
      if (is_booked === 1) return noteTaken(context, tx, id)
      const entry = await lockEntry(tx.db, entry_id)
      if ((await endOffer(tx.db, { entryId: entry_id, id, status: 'lapsed', now: tx.now })) === undefined)
        return
      await waitAgain(tx.db, { id: entry_id, unanswered: unanswered + 1, now: tx.now })
      if (!entry || unanswered + 1 < maxUnanswered) return
      await endIn(context, tx, entry, 'unanswered')
      await recordWaitlistMessage(context, tx, { entry, kind: 'ended', timezone: 'UTC' })
    })
  }
  return over.length > 0
}

/** Free times of entries with the same services, place and people, by chunks of dates. */
interface Group {
  entry: EntryRow
  timezone: string
  noticeMinutes: number
  isOpen: boolean
  chunks: Map<number, ShownSlot[]>
}

/** One comparison of a business's entries with its free times. */
class Sweep {
  private readonly context: Context
  private readonly businessId: string
  private readonly now: Instant
  private readonly groups = new Map<string, Group>()
  private readonly slices = new Slices()
  private isMore = false
  /** True if somebody else got a time that was about to be offered. */
  private wasBeaten = false
  /** The end of the quiet hours, if an offer waits for it. */
  private heldUntil: Instant | undefined

  constructor(context: Context, businessId: string, now: Instant) {
    this.context = context
    this.businessId = businessId
    this.now = now
  }

  async run(): Promise<{ isMore: boolean; wasBeaten: boolean; heldUntil: Instant | undefined }> {
    const { reads } = this.context.db
    const business = await businessInScope(reads, { businessId: this.businessId }, this.businessId)
    const entries = await findActiveEntries(reads, this.businessId, maxEntries)
    const refused = await readRefusedTimes(reads, this.businessId, this.now)
    const blocked = await findBlockedAmong(reads, this.businessId, [
      ...new Set(entries.flatMap(({ email }) => (email === null ? [] : clientEmailOf(email)))),
    ])
    const quiet = quietHoursIn(business.quiet_hours_json) ?? usualQuietHours
    let offers = 0
    for (const entry of entries) {
      await this.slices.giveWay()
      const group = await this.groupOf(entry)
      if (entry.to < dateAt(this.now, group.timezone)) {
        await this.endPassed(entry, group.timezone)
        continue
      }
      if (entry.status !== 'waiting' || !group.isOpen) continue
      if (entry.email !== null && blocked.has(clientEmailOf(entry.email))) continue
      const reach = await reachOf(this.context, reads, { entry, timezone: group.timezone })
      if (!reach.isMailed && reach.number === undefined) continue
      const isOffered = await this.offerTo(entry, group, {
        ...{ offerMinutes: business.offer_minutes, refused: refused.get(entry.id) ?? [] },
        quietEnd: quietUntil(this.now, group.timezone, quiet),
      })
      if (!isOffered) continue
      offers += 1
      for (const one of this.groups.values()) one.chunks.clear() // the time may be missing elsewhere, too
      if (offers === maxOffers) {
        this.isMore = true
        break
      }
    }
    return { isMore: this.isMore, wasBeaten: this.wasBeaten, heldUntil: this.heldUntil }
  }

  private async endPassed(entry: EntryRow, timezone: string): Promise<void> {
    const isHeld = entry.status === 'offered'
    if (isHeld) return // it may still be taken
    await this.context.db.transaction(async (tx) => {
      if (await endIn(this.context, tx, entry, 'passed'))
        await recordWaitlistMessage(this.context, tx, { entry, kind: 'ended', timezone })
    })
  }

  /** Offers an entry the first time that fits. Returns true if it has an offer now. */
  private async offerTo(
    entry: EntryRow,
    group: Group,
    {
      offerMinutes,
      refused,
      quietEnd,
    }: { offerMinutes: number; refused: readonly Span[]; quietEnd: Instant | undefined },
  ): Promise<boolean> {
    let tries = 0
    for (const chunk of chunksOf(entry, dateAt(this.now, group.timezone))) {
      for (const slot of await this.slotsIn(group, chunk)) {
        if (!isWithin(entry, slot.starts_at)) continue
        const startsAt = readInstant(slot.starts_at)
        if (isRefused(refused, { starts_at: startsAt, ends_at: readInstant(slot.ends_at) })) continue
        const { noticeMinutes } = group
        const until = offerEnd(this.now, { startsAt, noticeMinutes, offerMinutes })
        if (until === undefined) continue
        if (quietEnd !== undefined && toMs(startsAt) - noticeMinutes * 60_000 > toMs(quietEnd)) {
          this.heldUntil = quietEnd
          continue
        }
        try {
          return await offerTime(this.context, { entry, startsAt, until, by: 'system', byHand: false })
        } catch (error) {
          if (!isSlotUnavailable(error)) throw error
          // somebody was faster. If the time is free again, those who wait longer come first, in the next sweep
          const slots = group.chunks.get(chunk)
          if (slots)
            group.chunks.set(
              chunk,
              slots.filter((one) => one !== slot),
            )
          this.wasBeaten = true
          tries += 1
          if (tries === maxTries) return false
        }
      }
    }
    return false
  }

  private async groupOf(entry: EntryRow): Promise<Group> {
    const key = JSON.stringify(queryOfEntry(entry))
    const known = this.groups.get(key)
    if (known) return known
    const group: Group = { entry, timezone: 'UTC', noticeMinutes: 0, isOpen: true, chunks: new Map() }
    for (const { service_id: serviceId } of itemsOfEntry(entry)) {
      const ids = { serviceId, locationId: entry.location_id }
      const { service, location } = await findOffering(this.context, { businessId: this.businessId }, ids)
      if (location) group.timezone = location.timezone
      const answerMinutes = service?.confirmation === 'request' ? requestNoticeMinutes : 0
      group.noticeMinutes = Math.max(group.noticeMinutes, service?.min_notice_minutes ?? 0, answerMinutes)
      group.isOpen &&= service?.active === true && service.waitlist && location?.active === true
    }
    this.groups.set(key, group)
    return group
  }

  /** Returns the free times of a chunk of dates, in order. None if the services are no longer given there. */
  private async slotsIn(group: Group, chunk: number): Promise<ShownSlot[]> {
    const known = group.chunks.get(chunk)
    if (known) return known
    const slots: ShownSlot[] = []
    const last = (chunk + 1) * maxWindowDays - 1
    let first = Math.max(chunk * maxWindowDays, dayOf(dateAt(this.now, group.timezone)))
    while (first <= last) {
      const { days } = await this.read(group, { from: dateOf(first), to: dateOf(last) })
      slots.push(...days.flatMap((day) => day.slots))
      first += Math.max(1, days.length) // a date alone may have too many times
    }
    group.chunks.set(chunk, slots)
    return slots
  }

  private async read({ entry }: Group, dates: { from: string; to: string }) {
    try {
      const query = { ...queryOfEntry(entry), ...dates }
      // a replica may lack the change for which this sweep runs, and no other sweep would look for it
      return await showFirstDays(this.context, holderOf(entry), query, { recently: false })
    } catch (error) {
      if (!(error instanceof Problem) || error.parts.headers?.['retry-after'] !== undefined) throw error
      return { days: Array.from({ length: maxWindowDays }, () => ({ slots: [] as ShownSlot[] })) }
    }
  }
}

/** Returns the chunks of dates that a window touches, from today on. */
function chunksOf({ from, to }: EntryRow, today: string): number[] {
  const chunk = (date: string) => Math.floor(dayOf(date) / maxWindowDays)
  const first = chunk(from > today ? from : today)
  return Array.from({ length: Math.max(0, chunk(to) - first + 1) }, (_value, index) => first + index)
}
