import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import type { Reach } from '../database/reach.ts'
import { Problem, validationProblem, type Fault } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { businessInReach } from './business-in-reach.ts'
import { findBusinessInReach, type BusinessRow } from './business-queries.ts'
import type { CatalogueKind } from './list-catalogue.ts'
import { findBusinessesOf, findKnownIds, type Saving, type ThingTable } from './saving-queries.ts'
import { raiseCatalogueVersion } from './write-queries.ts'

/** What of the same business something names, and where. */
interface References {
  member: string
  table: ThingTable
  ids: string[]
}

/** What a thing or its creation may name of its business. */
interface Referring {
  location_ids?: string[]
  staff_ids?: string[]
}

/** One kind of thing in the catalogue: how it is made, changed and written. */
export interface WritableKind<Row, Creation, Change> extends Pick<
  CatalogueKind<Row, unknown>,
  'noun' | 'findOne'
> {
  /** The whole thing that a creation means. */
  complete: (input: Creation, business: BusinessRow, nextId: () => string) => Row
  /** The whole thing that it becomes by a change. */
  merge: (row: Row, change: Change, nextId: () => string) => Row
  /** What is wrong with a change of this very thing, although the change is well-formed. */
  changeFaults: (row: Row, change: Change) => Fault[]
  references: (row: Referring) => References[]
  save: (db: Queries, row: Row, saving: Saving) => Promise<void>
}

/** What every thing in the catalogue has. */
export interface Thing {
  id: string
  business_id: string
  active: boolean
}

/** What every creation has. */
export interface OfABusiness extends Referring {
  business_id?: string
}

/** Adds a service, location or staff member. Throws validation_failed, also for ids of another business. */
export function createInCatalogue<Row extends Thing & Referring, Creation extends OfABusiness, Change>(
  context: Context,
  actor: Actor,
  { kind, input }: { kind: WritableKind<Row, Creation, Change>; input: Creation },
): Promise<Row> {
  return context.db.transaction(async (tx) => {
    const business = await businessOfThing(tx.db, actor.reach, {
      given: input.business_id,
      references: kind.references(input),
    })
    const row = kind.complete(input, business, () => context.ids.next())
    await raiseCatalogueVersion(tx.db, business.id)
    return saveChecked(tx, { kind, row, isNew: true })
  })
}

/**
 * Changes a service, location or staff member; holds and bookings stay as they are. A change without members changes
 * nothing. Throws validation_failed or not_found.
 */
export function changeInCatalogue<Row extends Thing & Referring, Creation, Change extends object>(
  context: Context,
  actor: Actor,
  { kind, id, change }: { kind: WritableKind<Row, Creation, Change>; id: string; change: Change },
): Promise<Row> {
  return context.db.transaction(async (tx) => {
    const seen = await existing(tx.db, actor.reach, { kind, id })
    if (Object.keys(change).length === 0) return seen
    // this statement also keeps other changes of the catalogue away until the end, so the next one reads what it changes
    await raiseCatalogueVersion(tx.db, seen.business_id)
    const row = await existing(tx.db, actor.reach, { kind, id })
    const faults = kind.changeFaults(row, change)
    if (faults.length > 0) throw validationProblem(faults)
    const changed = kind.merge(row, change, () => context.ids.next())
    return saveChecked(tx, { kind, row: changed, isNew: false })
  })
}

/** Takes a service, location or staff member off the offer; what is inactive already stays so. Throws not_found. */
export async function deactivateInCatalogue<Row extends Thing, Creation, Change>(
  context: Context,
  actor: Actor,
  { kind, id }: { kind: WritableKind<Row, Creation, Change>; id: string },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const seen = await existing(tx.db, actor.reach, { kind, id })
    if (!seen.active) return
    await raiseCatalogueVersion(tx.db, seen.business_id)
    const row = await existing(tx.db, actor.reach, { kind, id })
    await kind.save(tx.db, { ...row, active: false }, { now: tx.now, isNew: false })
  })
}

async function existing<Row>(
  db: Queries,
  reach: Reach,
  { kind, id }: { kind: Pick<CatalogueKind<Row, unknown>, 'noun' | 'findOne'>; id: string },
): Promise<Row> {
  const row = isUuid(id) ? await kind.findOne(db, reach, id.toLowerCase()) : undefined
  if (!row) throw new Problem('not_found', `There is no ${kind.noun} with this id.`)
  return row
}

/** A key that reaches one business creates there; any other has to say where. Throws validation_failed or not_found. */
export async function businessForCreation(
  db: Queries,
  reach: Reach,
  given: string | undefined,
): Promise<BusinessRow> {
  const id = given ?? ('businessId' in reach ? reach.businessId : undefined)
  if (id === undefined) throw businessNeeded()
  return businessInReach(db, reach, id)
}

function businessNeeded(): Problem {
  const detail = 'is required: this key reaches several businesses'
  return validationProblem([{ pointer: '/business_id', code: 'required', detail }])
}

/** The same for things of the catalogue, which also name the business by what of it they refer to. */
async function businessOfThing(
  db: Queries,
  reach: Reach,
  { given, references }: { given: string | undefined; references: References[] },
): Promise<BusinessRow> {
  const ofKey = 'businessId' in reach ? reach.businessId : undefined
  const id = given ?? ofKey ?? (await businessOfReferences(db, reach, references))
  const business = await findBusinessInReach(db, reach, id)
  if (business) return business
  const detail = 'is not the id of a business that this key reaches'
  throw validationProblem([{ pointer: '/business_id', code: 'unknown_reference', detail }])
}

/** The business of the first thing that is named and known; it shows whether the others are of it too. */
async function businessOfReferences(db: Queries, reach: Reach, references: References[]): Promise<string> {
  for (const { table, ids } of references) {
    const businesses = await findBusinessesOf(db, table, { reach, ids })
    const known = ids.find((id) => businesses.has(id))
    if (known !== undefined) return businesses.get(known) ?? ''
  }
  const unknown = references.flatMap((reference) => unknownFaults(reference, new Set()))
  throw unknown.length > 0 ? validationProblem(unknown) : businessNeeded()
}

async function saveChecked<Row extends Thing & Referring, Creation, Change>(
  tx: Transaction,
  { kind, row, isNew }: { kind: WritableKind<Row, Creation, Change>; row: Row; isNew: boolean },
): Promise<Row> {
  const faults = await referenceFaults(tx.db, row.business_id, kind.references(row))
  if (faults.length > 0) throw validationProblem(faults)
  await kind.save(tx.db, row, { now: tx.now, isNew })
  return existing(tx.db, { businessId: row.business_id }, { kind, id: row.id }) // as every reader sees it
}

/**
 * Ids that the business does not have, another business's among them: the two cannot be told apart. What is there
 * stays there, so nothing can change between this look and the writing.
 */
async function referenceFaults(db: Queries, businessId: string, references: References[]): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const reference of references) {
    const { table, ids } = reference
    faults.push(...unknownFaults(reference, await findKnownIds(db, table, { businessId, ids })))
  }
  return faults
}

function unknownFaults({ member, table, ids }: References, known: ReadonlySet<string>): Fault[] {
  const noun = table === 'locations' ? 'location' : 'staff member'
  return ids.flatMap((id, index) => {
    if (known.has(id)) return []
    const detail = `is not the id of a ${noun} of this business`
    return [{ pointer: `/${member}/${index}`, code: 'unknown_reference', detail }]
  })
}
