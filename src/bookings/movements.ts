import type { Actor } from '../access/actor.ts'
import { dayOf } from '../availability/hours-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import type { Days } from '../availability/zone-rules.ts'
import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import { businessInScope } from '../catalogue/business.ts'
import type { Context } from './context.ts'
import { turnsFor } from './costly.ts'
import {
  type DueSum,
  findDue,
  findMovedItems,
  findMovements,
  type ListedMovement,
  type MovementCursor,
  movementName,
  type MovementSpan,
  type MovementType,
  sumDue,
} from './movement-queries.ts'
import { type Takings, TakingsSums, withShares } from './movement-rules.ts'
import { spansOf } from './numbers-rules.ts'

export type { DueSum, ListedMovement, MovementCursor } from './movement-queries.ts'
export { disputeNumber } from './movement-queries.ts'

/** The days whose payments and refunds are listed, in the time zone of the business, or what is due now. */
export interface MovementsRequest {
  businessId: string
  /** The first and last date. */
  from: string
  to: string
  serviceId?: string | undefined
  /** One of both, or `due` for amounts that are due, whose days do not matter. */
  type?: MovementType | 'due' | undefined
  isGone?: () => boolean
}

/** The money of a day, or of a service. `name` is null where no booking was made. */
type DayTakings = { date: string; money: Takings[] }
type ServiceTakings = { id: string | null; money: Takings[] }

/**
 * Lists payments and refunds of some days, or amounts that are due, the latest first. Returns at most `max`, with the
 * position for the rest. Throws not_found.
 */
export async function listMovements(
  context: Context,
  actor: Actor,
  { businessId, from, to, serviceId, type }: MovementsRequest,
  { after, max }: { after?: MovementCursor | undefined; max: number },
): Promise<{ movements: ListedMovement[]; next: MovementCursor | undefined }> {
  const db = context.db.reads
  const business = await businessInScope(db, actor.scope, businessId)
  const asked = { businessId: business.id, serviceId }
  const rows = max + 1
  const found =
    type === 'due'
      ? await findDue(db, asked, { after, rows })
      : await findMovements(db, asked, { span: spanOf(business, { from, to }), type, after, rows })
  const movements = found.slice(0, max)
  const last = movements.at(-1)
  const next: MovementCursor | undefined =
    last && found.length > max ? [last.at, last.payment_id, last.number] : undefined
  return { movements, next }
}

/** Yields all of them, page by page. */
export async function* eachMovement(
  context: Context,
  actor: Actor,
  request: MovementsRequest,
): AsyncGenerator<ListedMovement, void> {
  let after: MovementCursor | undefined
  do {
    const page = await listMovements(context, actor, request, { after, max: 500 })
    yield* page.movements
    after = page.next
  } while (after)
}

/**
 * Adds up payments and refunds by day and by service. A payment for several services counts for each by its price.
 * Counts one request per business at a time. Throws not_found, unavailable if too many are waiting, MemberGone.
 */
export async function readTakings(
  context: Context,
  actor: Actor,
  { businessId, from, to, serviceId, type, isGone }: MovementsRequest,
): Promise<{ total: Takings[]; days: DayTakings[]; services: ServiceTakings[]; due: DueSum[] }> {
  const db = context.db.reads
  const { id, timezone } = await businessInScope(db, actor.scope, businessId)
  const due = await sumDue(db, { businessId: id, serviceId })
  if (type === 'due') return { total: [], days: [], services: [], due }
  const count = async () => {
    const slices = new Slices(isGone)
    const total = new TakingsSums()
    const days = new Map<string, TakingsSums>()
    const services = new Map<string | null, TakingsSums>()
    const isCounted = (item: { type: MovementType; service_id: string | null }) =>
      (type === undefined || item.type === type) && (serviceId === undefined || item.service_id === serviceId)
    for (const span of spansOf({ first: dayOf(from), last: dayOf(to) }, 1).spans) {
      const items = withShares(
        await findMovedItems(db, { businessId: id }, spanIn(timezone, span.days)),
        movementName,
      )
      await slices.map(items.filter(isCounted), (item) => {
        total.add(item)
        sumsIn(days, localDate(item.at, timezone)).add(item)
        sumsIn(services, item.service_id).add(item)
      })
    }
    return {
      total: total.list(),
      days: Array.from(days, ([date, sums]) => ({ date, money: sums.list() })),
      services: Array.from(services, ([service, sums]) => ({ id: service, money: sums.list() })),
      due,
    }
  }
  return turnsFor(context, 'numbers').run(id, count, isGone)
}

function sumsIn<Key>(sums: Map<Key, TakingsSums>, key: Key): TakingsSums {
  const known = sums.get(key) ?? new TakingsSums()
  sums.set(key, known)
  return known
}

function spanOf(
  { timezone }: { timezone: string },
  { from, to }: { from: string; to: string },
): MovementSpan {
  return spanIn(timezone, { first: dayOf(from), last: dayOf(to) })
}

function spanIn(timezone: string, days: Days): MovementSpan {
  const range = zoneAround(timezone, days).spanOf(days)
  return { starts_at: instantFromMs(range.from), ends_at: instantFromMs(range.to) }
}

function localDate(at: Instant, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(toMs(at))
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString()
}
