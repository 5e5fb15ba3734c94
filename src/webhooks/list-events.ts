import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { invalidCursor, validationProblem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { formatInstant } from '../instants.ts'
import { decodeCursor, pageOf, readLimit } from '../wire.ts'
import { findEventPlace, findEvents, findUnsettled, type EventPlace, type EventRow } from './event-queries.ts'
import type { EventsQuery, EventBody } from './event-schemas.ts'
import type { EventType } from './event-payload.ts'

/**
 * Events within the caller's reach, the oldest first. Who goes on after the last one that they have seen never misses one
 * that was committed late. Throws validation_failed when there is no such event any more.
 */
export async function listEvents(context: Context, actor: Actor, query: Static<typeof EventsQuery>) {
  const { db } = context
  const limit = readLimit(query.limit)
  const after = await placeOf(context, actor, query)
  const rows = await findEvents(db.reads, actor.reach, {
    // asked before the events are: what has ended by then they show
    before: db.engine === 'postgres' ? await findUnsettled(db.reads) : undefined,
    after,
    bookingId: query.booking_id,
    type: query.type,
    businessId: query.business_id,
    rows: limit + 1,
  })
  return pageOf(rows, limit, { present: presentEvent, cursor: ({ id }) => ['event', id] })
}

async function placeOf(
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
