import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { auditOf, presentAuthor } from '../access/audit.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import { toldStarts } from '../webhooks/event.ts'
import type { HistoryQuery } from './booking-schemas.ts'
import { isChangeable } from './presented-booking.ts'
import { noSuchBooking, showBooking } from './booking.ts'
import type { Context } from './context.ts'

/** A change of a booking. */
export interface HistoryEntry {
  at: Instant
  action: string
  actor: ReturnType<typeof presentAuthor>
  /** The start before and after the change. */
  moved?: { from: Instant; to: Instant }
  /** The names of services that the change added and removed. */
  services?: { added: string[]; removed: string[] }
}

/**
 * Reads the history of a booking, newest first: its audit log without addresses. Adds the previous start for
 * each move, as far as its events still contain it. Throws not_found, also to staff for appointments of
 * others.
 */
export async function readHistory(
  context: Context,
  actor: Actor,
  { id, ...query }: { id: string } & Static<typeof HistoryQuery>,
): Promise<{ entries: HistoryEntry[]; timezone: string; next_cursor: string | null }> {
  const booking = await showBooking(context, actor, id)
  if (!isChangeable(booking, actor)) throw noSuchBooking()
  const { business_id: businessId, timezone } = booking
  const { data, next_cursor } = await auditOf(context, { businessId, subjectId: booking.id }, query)
  const starts = await toldStarts(context, { businessId, bookingId: booking.id })
  /** Events of a change have the same instant as its audit log entry. */
  const changedAt = (at: Instant) => {
    const index = starts.findIndex(({ occurredAt }) => occurredAt === at)
    const [before, after] = [starts[index - 1], starts[index]]
    if (!before || !after) return {}
    const { startsAt: from, services: old } = before
    const { startsAt: to, services: present } = after
    const [added, removed] = [without(present, old), without(old, present)]
    return {
      ...(from !== to && { moved: { from, to } }),
      ...(added.length + removed.length > 0 && { services: { added, removed } }),
    }
  }
  const entries = data.map((entry) => ({
    at: entry.at,
    action: entry.action,
    actor: presentAuthor(entry),
    ...changedAt(entry.at),
  }))
  return { entries, timezone, next_cursor }
}

/** Returns the names without those of another list. A name may be there several times. */
function without(names: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return names.filter((name) => {
    const index = left.indexOf(name)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

/** Returns the result of `readHistory` with times in the zone of the location. */
export async function listHistory(context: Context, actor: Actor, query: Parameters<typeof readHistory>[2]) {
  const { entries, timezone, next_cursor } = await readHistory(context, actor, query)
  const time = (instant: Instant) => formatInstant(instant, timezone)
  return {
    data: entries.map(({ at, moved, services: _, ...entry }) => ({
      at: time(at),
      ...entry,
      ...(moved && { moved: { from: time(moved.from), to: time(moved.to) } }),
    })),
    next_cursor,
  }
}
