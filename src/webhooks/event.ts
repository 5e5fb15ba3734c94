import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { invalidCursor, validationProblem } from '../errors.ts'
import type { Chore } from '../housekeeping.ts'
import { isUuid } from '../ids.ts'
import { formatInstant, plusSeconds } from '../instants.ts'
import { currentTraceparent } from '../tracing.ts'
import { decodeCursor, pageOf, readLimit } from '../wire.ts'
import { startDelivering } from './delivery-signal.ts'
import { eventPayload, type EventSubject, type EventType } from './event-payload.ts'
import {
  deleteOldEvents,
  findEventPlace,
  findEvents,
  findTransactions,
  insertEvents,
  type EventPlace,
  type EventRow,
  type RunningTransactions,
} from './event-queries.ts'
import type { EventBody, EventsQuery } from './event-schemas.ts'

/*
 * An event: something happened to a booking. It is written in the transaction of the change, with a delivery for each
 * webhook that wants it, and kept for 30 days. Readers of `GET /events` miss none, whatever commits late.
 */

/**
 * Records events of a booking with their deliveries, in the transaction of the change: neither exists without the other.
 * Sending begins after the commit.
 */
export async function recordEvents(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  happened: { types: EventType[]; booking: EventSubject },
): Promise<void> {
  if (happened.types.length === 0) return
  // ids of the same millisecond are in no order of their own; the order of the types is the order of events
  const ids = happened.types.map(() => context.ids.next()).toSorted()
  const deliveries = await insertEvents(
    tx.db,
    context.db.engine,
    happened.types.map((type, index) => ({
      id: ids[index] ?? context.ids.next(),
      business_id: happened.booking.business_id,
      booking_id: happened.booking.id,
      type,
      payload: eventPayload(type, happened.booking, tx.now),
      occurred_at: tx.now,
      traceparent: currentTraceparent(),
    })),
  )
  if (deliveries > 0) await startDelivering(context, tx)
}

/**
 * Lists events within the caller's reach, the oldest first. Whoever resumes after the last one they have seen misses none.
 * Throws validation_failed when that event is gone.
 */
export async function listEvents(context: Context, actor: Actor, query: Static<typeof EventsQuery>) {
  const { db } = context
  const limit = readLimit(query.limit)
  const after = await parsePlace(context, actor, query)
  const rows = await findEvents(db.reads, actor.reach, {
    // read before the events: they show every transaction that had ended by then
    before: db.engine === 'postgres' ? unsettledFrom(await findTransactions(db.reads)) : undefined,
    after,
    bookingId: query.booking_id,
    type: query.type,
    businessId: query.business_id,
    rows: limit + 1,
  })
  return pageOf(rows, limit, { present: presentEvent, cursor: ({ id }) => ['event', id] })
}

async function parsePlace(
  context: Context,
  { reach }: Actor,
  { after, cursor }: Static<typeof EventsQuery>,
): Promise<EventPlace | undefined> {
  const id = cursor === undefined ? after : readCursor(cursor)
  if (id === undefined) return undefined
  const place = await findEventPlace(context.db.reads, reach, id)
  if (place) return place
  const detail = 'must be the id of an event of the last 30 days'
  throw validationProblem([{ pointer: '/after', code: 'invalid_cursor', detail }])
}

function readCursor(cursor: string): string {
  const [list, id] = decodeCursor(cursor, 2) ?? []
  if (list !== 'event' || id === undefined || !isUuid(id)) throw invalidCursor()
  return id
}

function presentEvent(event: EventRow) {
  return {
    id: event.id,
    type: event.type as EventType, // only checked names are written
    booking_id: event.booking_id,
    business_id: event.business_id,
    occurred_at: formatInstant(event.occurred_at, event.timezone),
    payload: JSON.parse(event.payload) as Static<typeof EventBody>, // only eventPayload() writes it
  }
}

const wrap = 2 ** 32

/** Gives the lowest transaction of this database that may not have ended (PostgreSQL). All below it have. */
export function unsettledFrom({ next, oldest, running, hidden }: RunningTransactions): number {
  if (hidden > 0) return oldest
  const ids = running === null ? [] : running.split(',').map((id) => wholeId(Number(id), next))
  return Math.min(next, ...ids)
}

/** Completes the low 32 bits of an id: of all ids with these, the one nearest to `near`. */
function wholeId(lowBits: number, near: number): number {
  const distance = (((near % wrap) - lowBits + wrap * 1.5) % wrap) - wrap / 2
  return near - distance
}

/** Events are listed for this long; so is the log of their deliveries (delivery.ts). */
export const retentionSeconds = 30 * 86_400
/** An event outlives its deliveries, which are sent with its payload. */
const longerSeconds = 86_400

/** Deletes events that nobody can list any more. */
export const oldEvents: Chore = {
  name: 'old events',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) =>
      deleteOldEvents(tx.db, plusSeconds(tx.now, -retentionSeconds - longerSeconds), most),
    ),
}
