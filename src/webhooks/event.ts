import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { invalidCursor, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, plusSeconds } from '../base/instants.ts'
import { currentTraceparent } from '../base/tracing.ts'
import type { Transaction } from '../database/database.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import { decodeCursor, pageOf, readLimit } from '../http/wire.ts'
import type { Context } from './context.ts'
import type { CleanupJob } from '../database/context.ts'
import { startDelivering } from './delivery-signal.ts'
import { eventPayload, type EventSubject, type EventType } from './event-payload.ts'
import {
  deleteOldEvents,
  type EventPlace,
  type EventRow,
  findEventPlace,
  findEvents,
  findTransactions,
  insertEvents,
  type NewEvent,
  type RunningTransactions,
} from './event-queries.ts'
import type { EventBody, EventsQuery } from './event-schemas.ts'

/*
 * An event: a booking was created or changed. It is written in the transaction of the change, with a delivery for each
 * subscribed webhook, and stored for 30 days. Readers of `GET /events` miss none, however late a transaction commits.
 */

/** Gives the number of deliveries of all members: above zero is all that matters. */
const writeEvents = sharedStatement({
  writes: true,
  run: async (db, members: readonly NewEvent[][]): Promise<number[]> => {
    const deliveries = await insertEvents(db, members.flat())
    return members.map(() => deliveries)
  },
})

/** Records events of a booking with their deliveries in the transaction of the change. Sending begins after its commit. */
export async function recordEvents(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  { types, booking }: { types: EventType[]; booking: EventSubject },
): Promise<void> {
  if (types.length === 0) return
  // ids of the same millisecond have no order of their own; events have that of their types
  const ids = types.map(() => context.ids.next()).toSorted()
  const deliveries = await writeEvents(
    tx,
    types.map((type, index) => ({
      id: ids[index] ?? context.ids.next(),
      business_id: booking.business_id,
      booking_id: booking.id,
      type,
      payload: eventPayload(type, booking, tx.now),
      occurred_at: tx.now,
      traceparent: currentTraceparent(),
    })),
  )
  if (deliveries > 0) await startDelivering(context, tx)
}

/**
 * Lists events within the caller's reach, the oldest first. A reader who resumes after the last one they stored misses none.
 * Throws validation_failed when that event is deleted.
 */
export async function listEvents(context: Context, actor: Actor, query: Static<typeof EventsQuery>) {
  const { db } = context
  const limit = readLimit(query.limit)
  const after = await parsePlace(context, actor, query)
  const rows = await findEvents(db.reads, actor.scope, {
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
  { scope }: Actor,
  { after, cursor }: Static<typeof EventsQuery>,
): Promise<EventPlace | undefined> {
  const id = cursor === undefined ? after : readCursor(cursor)
  if (id === undefined) return undefined
  const place = await findEventPlace(context.db.reads, scope, id)
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

/** Gives the lowest transaction of this database that may not have ended (PostgreSQL): all below it have. */
export function unsettledFrom({ next, oldest, running, hidden }: RunningTransactions): number {
  if (hidden > 0) return oldest
  const ids = running === null ? [] : running.split(',').map((id) => wholeId(Number(id), next))
  return Math.min(next, ...ids)
}

/** Completes the low 32 bits of an id to the id nearest to `near`. */
function wholeId(lowBits: number, near: number): number {
  const distance = (((near % wrap) - lowBits + wrap * 1.5) % wrap) - wrap / 2
  return near - distance
}

/** How long events and the log of their deliveries can be listed. */
export const retentionSeconds = 30 * 86_400
/** An event outlives its deliveries, which are sent with its payload. */
const longerSeconds = 86_400

/** Deletes events that nobody can list any more. */
export const oldEvents: CleanupJob = {
  name: 'old events',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) =>
      deleteOldEvents(tx.db, plusSeconds(tx.now, -retentionSeconds - longerSeconds), max),
    ),
}
