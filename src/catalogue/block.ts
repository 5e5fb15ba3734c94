import type { Static } from 'typebox'
import { type Actor, isStaff } from '../access/actor.ts'
import { recordAudit, recordAudits } from '../access/audit.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type WithInstants } from '../base/instants.ts'
import { type Page, timeCursorOf, readPage } from '../base/paging.ts'
import type { Queries, Reads } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { BlocksTable } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import type { Context } from '../access/context.ts'
import {
  type BlockRow,
  deleteBlockRow,
  findBlock,
  findBlockIds,
  findBlocks,
  findBookingsUnder,
  idsJson,
  insertBlock,
  insertMissingBlocks,
  updateBlockPlace,
} from './block-queries.ts'
import { type BlocksQuery, type CreateBlock, maxConflicts } from './block-schemas.ts'
import { findLocation, findResource, findStaffMember } from './catalogue-queries.ts'

type NewBlock = WithInstants<Static<typeof CreateBlock>, 'starts_at' | 'ends_at'>

/** A block and the bookings that overlap it. */
interface BlockAndConflicts {
  block: BlockRow
  bookingIds: string[]
}

/**
 * Blocks a time of a location, staff member or resource. Existing holds and bookings stay. Throws validation_failed,
 * also for an ID out of the caller's scope.
 */
export function createBlock(
  context: Context,
  actor: Actor,
  input: NewBlock,
  store: StoreResponse<BlockAndConflicts> = storeNothing,
): Promise<BlockAndConflicts> {
  return context.db.transaction(async (tx) => {
    const blocked = await findBlocked(tx.db, actor, input)
    const place = { ...blocked, starts_at: input.starts_at, ends_at: input.ends_at }
    const bookingIds = await findBookingsUnder(tx.db, place, maxConflicts)
    const block: BlocksTable = {
      id: context.ids.next(),
      ...place,
      reason: input.reason ?? null,
      created_at: tx.now,
      busy_calendar_id: null,
      booking_ids_json: idsJson(place, bookingIds),
    }
    await insertBlock(tx.db, block)
    const { id: subjectId, business_id: businessId } = block
    await recordAudit(context, tx, { by: actor, action: 'block.created', subjectId, businessId })
    const created = { block: await existingBlock(tx.db, actor.scope, block.id), bookingIds }
    await store(tx, created)
    return created
  })
}

/** A block of another system, with the ID that each import of it gives. */
export type ImportedBlock = Pick<
  BlocksTable,
  'id' | 'location_id' | 'staff_id' | 'starts_at' | 'ends_at' | 'reason'
>

/** Number of blocks in a transaction. */
const blocksPerBatch = 100

/** Adds the blocks of another system that are not there, or counts them. Returns the number of new ones. */
export async function importBlocks(
  context: Context,
  actor: Actor,
  { business_id, blocks, apply }: { business_id: string; blocks: readonly ImportedBlock[]; apply: boolean },
): Promise<number> {
  let created = 0
  for (let start = 0; start < blocks.length; start += blocksPerBatch) {
    const batch = blocks.slice(start, start + blocksPerBatch)
    if (!apply) {
      const known = { businessId: business_id, ids: batch.map(({ id }) => id) }
      created += batch.length - (await findBlockIds(context.db.reads, known)).length
      continue
    }
    created += await context.db.transaction(async (tx) => {
      const parts = { business_id, resource_id: null, busy_calendar_id: null, booking_ids_json: null }
      const ids = await insertMissingBlocks(
        tx.db,
        batch.map((block) => ({ ...block, ...parts, created_at: tx.now })),
      )
      const by = { by: actor, action: 'block.created', businessId: business_id } as const
      await recordAudits(
        context,
        tx,
        ids.map((subjectId) => ({ ...by, subjectId })),
      )
      return ids.length
    })
  }
  return created
}

/** Reads a block and the bookings that overlap it now. Throws not_found. */
export async function showBlock(context: Context, actor: Actor, id: string): Promise<BlockAndConflicts> {
  const db = context.db.reads
  const block = await existingBlock(db, actor.scope, id)
  return { block, bookingIds: await findBookingsUnder(db, block, maxConflicts) }
}

/** Returns the IDs of bookings that a staff member's block covered and that have been cancelled or moved since. */
export function settledUnder({ block, bookingIds }: BlockAndConflicts): string[] {
  return keptIds(block).filter((id) => !bookingIds.includes(id))
}

function keptIds({ booking_ids_json: json }: BlocksTable): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]) // written only by idsJson()
}

/** Lists blocks in the caller's scope by start. */
export async function listBlocks(
  context: Context,
  actor: Actor,
  query: Static<typeof BlocksQuery>,
): Promise<Page<BlockRow>> {
  const { location_id: locationId, staff_id: staffId, resource_id: resourceId, from, to } = query
  const filter = { locationId, staffId, resourceId, businessId: query.business_id, from, to }
  return readPage(query, {
    cursor: blockCursor,
    find: (page) => findBlocks(context.db.reads, actor.scope, { ...filter, ...page }),
    position: ({ starts_at, id }) => [starts_at, id],
  })
}

const blockCursor = timeCursorOf('block')

/** Deletes a block. Its time can be booked again at once. Throws not_found. */
export async function deleteBlock(context: Context, actor: Actor, id: string): Promise<void> {
  if (!isUuid(id)) throw noSuchBlock()
  const subjectId = id.toLowerCase()
  await context.db.transaction(async (tx) => {
    if (isStaff(actor) && !isOwn(await existingBlock(tx.db, actor.scope, subjectId), actor))
      throw noSuchBlock()
    const businessId = await deleteBlockRow(tx.db, actor.scope, subjectId)
    if (businessId === undefined) throw noSuchBlock()
    await recordAudit(context, tx, { by: actor, action: 'block.deleted', subjectId, businessId })
  })
}

/** The owner and time of a block. */
type BlockPlace = Pick<BlocksTable, 'starts_at' | 'ends_at' | 'staff_id'>

/**
 * Moves or resizes a block, or assigns it to another staff member. Does nothing if that is already done.
 * Throws validation_failed, or not_found, also if the block has changed since the caller read it.
 */
export async function moveBlock(
  context: Context,
  actor: Actor,
  id: string,
  { known, wanted }: { known: BlockPlace; wanted: BlockPlace },
): Promise<void> {
  if (wanted.ends_at <= wanted.starts_at)
    throw validationProblem([
      { pointer: '/ends_at', code: 'wrong_length', detail: 'must be after starts_at' },
    ])
  await context.db.transaction(async (tx) => {
    const block = await existingBlock(tx.db, actor.scope, id)
    if (!isOwn(block, actor)) throw noSuchBlock()
    if (isAt(block, wanted)) return
    if (wanted.staff_id !== known.staff_id) {
      const { business_id } = await findBlocked(tx.db, actor, { ...wanted, staff_id: wanted.staff_id ?? '' })
      if (business_id !== block.business_id) throw unknownReference('/staff_id', 'staff member')
    }
    const bookingIds = await findBookingsUnder(tx.db, { ...block, ...wanted }, maxConflicts)
    const isLonger =
      wanted.staff_id === known.staff_id &&
      wanted.starts_at <= known.starts_at &&
      wanted.ends_at >= known.ends_at
    const kept = isLonger ? [...new Set([...keptIds(block), ...bookingIds])] : bookingIds
    if (!(await updateBlockPlace(tx.db, block.id, { known, wanted, bookingIds: kept }))) {
      // the same request may have been faster on another connection
      if (isAt(await existingBlock(tx.db, actor.scope, id), wanted)) return
      throw noSuchBlock()
    }
    const { id: subjectId, business_id: businessId } = block
    await recordAudit(context, tx, { by: actor, action: 'block.updated', subjectId, businessId })
  })
}

function isAt(block: BlockPlace, { starts_at, ends_at, staff_id }: BlockPlace): boolean {
  return block.starts_at === starts_at && block.ends_at === ends_at && block.staff_id === staff_id
}

function isOwn({ staff_id }: BlockRow, actor: Actor): boolean {
  return !isStaff(actor) || staff_id === actor.staffId
}

/** Returns true if the caller may see the reason for a block. Staff learn only that a colleague is away. */
export function mayKnowReason({ staff_id }: Pick<BlocksTable, 'staff_id'>, actor: Actor): boolean {
  return staff_id === null || !isStaff(actor) || staff_id === actor.staffId
}

export function presentBlock(block: BlockRow, actor: Actor) {
  const local = (instant: BlockRow['starts_at']) => formatInstant(instant, block.timezone)
  return {
    id: block.id,
    business_id: block.business_id,
    location_id: block.location_id,
    staff_id: block.staff_id,
    resource_id: block.resource_id,
    starts_at: local(block.starts_at),
    ends_at: local(block.ends_at),
    reason: mayKnowReason(block, actor) ? block.reason : null,
    created_at: local(block.created_at),
  }
}

export function presentBlockWithConflicts({ block, bookingIds }: BlockAndConflicts, actor: Actor) {
  return { ...presentBlock(block, actor), conflicting_booking_ids: bookingIds }
}

function noSuchBlock(): Problem {
  return new Problem('not_found', 'There is no block with this id.')
}

async function existingBlock(db: Reads, scope: TenantScope, id: string): Promise<BlockRow> {
  const block = isUuid(id) ? await findBlock(db, scope, id.toLowerCase()) : undefined
  if (!block) throw noSuchBlock()
  return block
}

/** Finds the blocked location, staff member or resource, which determines the business. */
async function findBlocked(
  db: Queries,
  actor: Actor,
  { location_id, staff_id, resource_id }: Pick<NewBlock, 'location_id' | 'staff_id' | 'resource_id'>,
): Promise<Pick<BlocksTable, 'business_id' | 'location_id' | 'staff_id' | 'resource_id'>> {
  const none = { location_id: null, staff_id: null, resource_id: null }
  if (location_id !== undefined) {
    const location = isStaff(actor) ? undefined : await findLocation(db, actor.scope, location_id)
    if (!location) throw unknownReference('/location_id', 'location')
    return { ...none, business_id: location.business_id, location_id }
  }
  if (resource_id !== undefined) {
    const resource = isStaff(actor) ? undefined : await findResource(db, actor.scope, resource_id)
    if (!resource) throw unknownReference('/resource_id', 'resource')
    return { ...none, business_id: resource.business_id, resource_id }
  }
  const member = staff_id === undefined ? undefined : await findStaffMember(db, actor.scope, staff_id)
  if (!member || (isStaff(actor) && member.id !== actor.staffId))
    throw unknownReference('/staff_id', 'staff member')
  return { ...none, business_id: member.business_id, staff_id: member.id }
}

function unknownReference(pointer: string, noun: string): Problem {
  const detail = `is not the id of a ${noun} that this key reaches`
  return validationProblem([{ pointer, code: 'unknown_reference', detail }])
}
