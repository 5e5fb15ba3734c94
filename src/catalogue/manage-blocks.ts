import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import type { Reach } from '../database/reach.ts'
import type { BlocksTable } from '../database/tables.ts'
import { invalidCursor, Problem, validationProblem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isInstant, readInstant, type Instant } from '../instants.ts'
import { decodeCursor, readLimit } from '../wire.ts'
import {
  deleteBlockRow,
  findBlock,
  findBlocks,
  findBookingsUnder,
  insertBlock,
  type BlockRow,
} from './block-queries.ts'
import { mostConflicts, type BlockCreation, type BlocksQuery } from './block-schemas.ts'
import { findLocation } from './location-queries.ts'
import { findStaffMember } from './staff-queries.ts'

/** A block, and the bookings that lie in its time. */
export interface BlockAndConflicts {
  block: BlockRow
  bookingIds: string[]
}

/**
 * Keeps a time of a location or of a staff member from being booked. Holds and bookings that are there stay. Throws
 * validation_failed, also for an id that is not within the caller's reach.
 */
export function createBlock(
  context: Context,
  actor: Actor,
  input: BlockCreation,
): Promise<BlockAndConflicts> {
  return context.db.transaction(async (tx) => {
    const blocked = await findBlocked(tx.db, actor.reach, input)
    const block: BlocksTable = {
      id: context.ids.next(),
      ...blocked,
      starts_at: readInstant(input.starts_at),
      ends_at: readInstant(input.ends_at),
      reason: input.reason ?? null,
      created_at: tx.now,
    }
    await insertBlock(tx.db, block)
    return withConflicts(tx.db, await existingBlock(tx.db, actor.reach, block.id))
  })
}

/** A block and what lies in its time now, or not_found. */
export async function showBlock(context: Context, actor: Actor, id: string): Promise<BlockAndConflicts> {
  const db = context.db.reads
  return withConflicts(db, await existingBlock(db, actor.reach, id))
}

/** Blocks within the caller's reach by their start: one row more than the limit when more follow. */
export async function listBlocks(
  context: Context,
  actor: Actor,
  query: Static<typeof BlocksQuery>,
): Promise<{ rows: BlockRow[]; limit: number }> {
  const limit = readLimit(query.limit)
  const rows = await findBlocks(context.db.reads, actor.reach, {
    locationId: query.location_id,
    staffId: query.staff_id,
    businessId: query.business_id,
    from: query.from === undefined ? undefined : readInstant(query.from),
    to: query.to === undefined ? undefined : readInstant(query.to),
    after: query.cursor === undefined ? undefined : placeOf(query.cursor),
    rows: limit + 1,
  })
  return { rows, limit }
}

/** Deletes a block: its time can be booked again at once. Throws not_found. */
export async function deleteBlock(context: Context, actor: Actor, id: string): Promise<void> {
  const gone =
    isUuid(id) && (await context.db.transaction((tx) => deleteBlockRow(tx.db, actor.reach, id.toLowerCase())))
  if (!gone) throw noSuchBlock()
}

/** The place of a block in the list, for a cursor. */
export function cursorOfBlock(block: BlockRow): string[] {
  return ['block', block.starts_at, block.id]
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
function placeOf(cursor: string): readonly [Instant, string] {
  const [list, startsAt, id] = decodeCursor(cursor, 3) ?? []
  if (list !== 'block' || startsAt === undefined || !isInstant(startsAt)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [startsAt, id]
}

function noSuchBlock(): Problem {
  return new Problem('not_found', 'There is no block with this id.')
}

async function existingBlock(db: Queries, reach: Reach, id: string): Promise<BlockRow> {
  const block = isUuid(id) ? await findBlock(db, reach, id.toLowerCase()) : undefined
  if (!block) throw noSuchBlock()
  return block
}

async function withConflicts(db: Queries, block: BlockRow): Promise<BlockAndConflicts> {
  return { block, bookingIds: await findBookingsUnder(db, block, mostConflicts) }
}

/** What is blocked decides whose block it is. */
async function findBlocked(
  db: Queries,
  reach: Reach,
  { location_id, staff_id }: BlockCreation,
): Promise<Pick<BlocksTable, 'business_id' | 'location_id' | 'staff_id'>> {
  if (location_id !== undefined) {
    const location = await findLocation(db, reach, location_id)
    if (!location) throw unknownReference('/location_id', 'location')
    return { business_id: location.business_id, location_id, staff_id: null }
  }
  const member = staff_id === undefined ? undefined : await findStaffMember(db, reach, staff_id)
  if (!member) throw unknownReference('/staff_id', 'staff member')
  return { business_id: member.business_id, location_id: null, staff_id: member.id }
}

function unknownReference(pointer: string, noun: string): Problem {
  const detail = `is not the id of a ${noun} that this key reaches`
  return validationProblem([{ pointer, code: 'unknown_reference', detail }])
}
