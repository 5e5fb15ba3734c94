import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { AuditAction } from '../access/audit-types.ts'
import { auditEntry, type Author } from '../access/audit.ts'
import { validationProblem } from '../base/errors.ts'
import { realNow } from '../base/clock.ts'
import { formatInstant, type Instant, plusSeconds, readInstant } from '../base/instants.ts'
import { currentTraceparent } from '../base/tracing.ts'
import { cursorOf, idPart, readPage, presentPage } from '../base/paging.ts'
import type { NewAuditEntry } from '../database/audit-entries.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { Context } from './context.ts'
import type { CleanupJob } from '../database/context.ts'
import { startDelivering } from './delivery-signal.ts'
import {
  type BookingEventType,
  type EventDetails,
  eventPayload,
  type EventSubject,
  type OtherEventData,
  otherEventPayload,
  type OtherEventType,
  usualEventTypes,
  withoutClient,
} from './event-payload.ts'
import {
  deleteOldEvents,
  type EventPlace,
  type EventRow,
  findEventPlace,
  findEvents,
  findEventsOf,
  findPayloads,
  findTransactions,
  insertEvents,
  insertOtherEvent,
  type NewEvent,
  type RunningTransactions,
  updatePayloads,
} from './event-queries.ts'
import type { EventBody, EventsQuery } from './event-schemas.ts'

/*
 * An event: a booking was created or changed. It is written in the transaction of the change, with a delivery for each
 * subscribed webhook. It is stored for 30 days. Readers of `GET /events` miss none, however late a transaction commits.
 */

interface NewChange {
  events: NewEvent[]
  /** Undefined if another entry covers the change. */
  audit: NewAuditEntry | undefined
}

/** Returns the number of deliveries of all members, of which only "above zero" matters. */
const writeChanges = sharedStatement({
  writes: true,
  step: 1, // after their bookings
  run: async (db, members: readonly NewChange[]): Promise<number[]> => {
    const deliveries = await insertEvents(db, {
      events: members.flatMap(({ events }) => events),
      audit: members.flatMap(({ audit }) => audit ?? []),
    })
    return members.map(() => deliveries)
  },
})

interface BookingChange {
  /** Its events. None for a change that has not been reported to anyone. */
  types: BookingEventType[]
  booking: EventSubject
  /** Further details of its events. */
  details?: EventDetails
  /** True if only webhooks hear of it that also name `booking.requested`, because others do not know the booking. */
  ofRequest?: boolean
  by: Author
  /** For the audit log. Default: the last event. */
  action?: AuditAction
}

/**
 * Records a change of a booking in its transaction: its events with their deliveries, and its author. Sending begins
 * after its commit.
 */
export async function recordChange(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  { types, booking, details = {}, ofRequest = false, by, action = actionFor(types) }: BookingChange,
): Promise<void> {
  // IDs of the same millisecond have no inherent order; events have that of their types
  const ids = types.map(() => context.ids.next()).toSorted()
  const { id: subjectId, business_id: businessId } = booking
  const deliveries = await writeChanges(tx, {
    events: types.map((type, index) => ({
      id: ids[index] ?? context.ids.next(),
      business_id: businessId,
      booking_id: subjectId,
      type,
      payload: eventPayload(type, booking, { ...details, at: tx.now }),
      occurred_at: tx.now,
      due_at: realNow(tx.now),
      traceparent: currentTraceparent(),
      also: ofRequest ? 'booking.requested' : '',
    })),
    audit: auditEntry(context, tx, { by, action, subjectId, businessId }),
  })
  if (deliveries > 0) await startDelivering(context, tx)
}

/** A type that no webhook can name, so that an event has no deliveries. */
const forNoWebhook = 'import'

/**
 * Records the event of a booking of another system, in its transaction. Readers of events see it; no webhook gets it. The
 * audit log has one entry for the whole import.
 */
export async function recordImported(
  { ids }: Pick<Context, 'ids'>,
  tx: Transaction,
  booking: EventSubject,
): Promise<void> {
  const type = 'booking.created'
  const event = {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id, type },
    payload: eventPayload(type, booking, { at: tx.now }),
    ...{
      occurred_at: tx.now,
      due_at: realNow(tx.now),
      traceparent: currentTraceparent(),
      also: forNoWebhook,
    },
  }
  await writeChanges(tx, { events: [event], audit: undefined })
}

/**
 * Records an event about the deposit of a booking in the transaction that changes it. The audit log has no entry of it.
 */
export async function recordPayment(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  {
    type,
    booking,
    payment,
  }: {
    type: Extract<BookingEventType, `payment.${string}`>
    booking: EventSubject
    payment: NonNullable<EventDetails['payment']>
  },
): Promise<void> {
  const { kind, status, amount, currency, refunded_amount } = payment
  const event = {
    ...{ id: context.ids.next(), business_id: booking.business_id, booking_id: booking.id, type, also: '' },
    payload: eventPayload(type, booking, {
      ...{ at: tx.now, payment: { kind, status, amount, currency, refunded_amount } },
    }),
    ...{ occurred_at: tx.now, due_at: realNow(tx.now), traceparent: currentTraceparent() },
  }
  if ((await writeChanges(tx, { events: [event], audit: undefined })) > 0) await startDelivering(context, tx)
}

/** Names a change by its last event that the audit log knows. */
function actionFor(types: readonly BookingEventType[]): AuditAction {
  return (
    types.findLast((type): type is (typeof usualEventTypes)[number] => isUsual(type)) ?? 'booking.updated'
  )
}

function isUsual(type: BookingEventType): boolean {
  return usualEventTypes.some((one) => one === type)
}

interface OtherEvent<Type extends OtherEventType> {
  type: Type
  /** Null for a thing of a hub. */
  businessId: string | null
  /** The hub whose webhooks hear of it if there is no business. */
  hubId?: string | null
  /** The ID of the thing that it is about, which its deliveries show in place of a booking. */
  subjectId: string
  data: OtherEventData[Type]
  timezone: string
  /** A webhook that does not hear of it. */
  exceptWebhookId?: string
}

/**
 * Records an event about something else than a booking in the transaction of its change: a delivery for each webhook
 * that names it, and no row in `events`. Sending begins after the commit.
 */
export async function recordOtherEvent<Type extends OtherEventType>(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  { type, businessId, hubId = null, subjectId, data, timezone, exceptWebhookId }: OtherEvent<Type>,
): Promise<void> {
  const deliveries = await insertOtherEvent(tx.db, {
    ...{ id: context.ids.next(), business_id: businessId, hub_id: hubId, booking_id: subjectId, type },
    payload: otherEventPayload(type, data, { at: tx.now, timezone }),
    occurred_at: tx.now,
    due_at: realNow(tx.now),
    except_webhook_id: exceptWebhookId ?? '',
  })
  if (deliveries > 0) await startDelivering(context, tx)
}

/**
 * Lists events within the caller's scope, by default the oldest first. A reader who resumes after the last stored event
 * misses none. Throws validation_failed if that event is deleted.
 */
export async function listEvents(context: Context, actor: Actor, query: Static<typeof EventsQuery>) {
  const { db } = context
  const newestFirst = query.order === 'newest'
  const placeOf = (id: string | undefined) => (id === undefined ? undefined : knownPlace(context, actor, id))
  const page = await readPage(query, {
    cursor: eventCursor,
    find: async ({ after: start, rows }) => {
      const last = start?.[0]
      return findEvents(db.reads, actor.scope, {
        // read before the events, which then include every transaction that had ended
        before: db.engine === 'postgres' ? unsettledFrom(await findTransactions(db.reads)) : undefined,
        after: await placeOf(newestFirst ? query.after : (last ?? query.after)),
        until: newestFirst ? await placeOf(last) : undefined,
        newestFirst,
        bookingId: query.booking_id,
        types: query.type ?? usualEventTypes,
        businessId: query.business_id,
        rows,
      })
    },
    position: ({ id }) => [id],
  })
  return presentPage(page, presentEvent)
}

const eventCursor = cursorOf('event', idPart)

/** The start and services of a booking as reported by one of its events. */
interface ToldStart {
  occurredAt: Instant
  startsAt: Instant
  services: string[]
}

const maxToldStarts = 200

/** Returns the starts and services in the events of a booking, the oldest first, from the last 30 days. */
export async function toldStarts(
  context: Pick<Context, 'db'>,
  { businessId, bookingId }: { businessId: string; bookingId: string },
): Promise<ToldStart[]> {
  const events = await findEventsOf(context.db.reads, { businessId, bookingId, rows: maxToldStarts })
  return events.map(({ occurred_at, payload }) => {
    const { starts_at, items } = (JSON.parse(payload) as Static<typeof EventBody>).data
    return {
      occurredAt: occurred_at,
      startsAt: readInstant(starts_at),
      services: items.map(({ name }) => name),
    }
  })
}

async function knownPlace(context: Context, { scope }: Actor, id: string): Promise<EventPlace> {
  const place = await findEventPlace(context.db.reads, scope, id)
  if (place) return place
  const detail = 'must be the id of an event of the last 30 days'
  throw validationProblem([{ pointer: '/after', code: 'invalid_cursor', detail }])
}

function presentEvent(event: EventRow) {
  return {
    id: event.id,
    type: event.type as BookingEventType, // only checked names are written
    booking_id: event.booking_id,
    business_id: event.business_id,
    occurred_at: formatInstant(event.occurred_at, event.timezone),
    payload: JSON.parse(event.payload) as Static<typeof EventBody>, // written only by eventPayload()
  }
}

const wrap = 2 ** 32

/**
 * Returns the lowest position of a transaction in this database that may still be running (PostgreSQL). All below it
 * have ended.
 */
export function unsettledFrom({ next, oldest, running, hidden, base }: RunningTransactions): number {
  if (hidden > 0) return base + oldest
  const ids = running === null ? [] : running.split(',').map((id) => wholeId(Number(id), next))
  return base + Math.min(next, ...ids)
}

/** Completes the low 32 bits of an ID to the ID nearest to `near`. */
function wholeId(lowBits: number, near: number): number {
  const distance = (((near % wrap) - lowBits + wrap * 1.5) % wrap) - wrap / 2
  return near - distance
}

/** Events and the log of their deliveries can be listed for this long. */
export const retentionSeconds = 30 * 86_400
/** An event outlives its deliveries, which are sent with its payload. */
const longerSeconds = 86_400

/** Deletes events that can no longer be listed. */
export const oldEvents: CleanupJob = {
  name: 'old events',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) =>
      deleteOldEvents(tx.db, plusSeconds(tx.now, -retentionSeconds - longerSeconds), max),
    ),
}

type BookingKey = { id: string; business_id: string }

/** Erases clients from the events of their bookings, and thus from pending deliveries. Returns the number of events. */
export async function eraseFromEvents(tx: Transaction, bookings: readonly BookingKey[]): Promise<number> {
  const events = await findPayloads(tx.db, bookings)
  const erased = events.map((event) => ({ ...event, payload: withoutClient(event.payload) }))
  if (erased.length > 0) await updatePayloads(tx.db, erased)
  return erased.length
}

/** Returns the contents of events, by booking. */
export async function eventsOfBookings(db: Reads, bookings: readonly BookingKey[]) {
  return Map.groupBy(await findPayloads(db, bookings), ({ booking_id }) => booking_id)
}
