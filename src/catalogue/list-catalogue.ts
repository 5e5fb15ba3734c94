import type { Static } from 'typebox'
import { isSession, type Actor } from '../access/actor.ts'
import { isLine } from '../contact-formats.ts'
import type { Context } from '../context.ts'
import { invalidCursor, Problem } from '../errors.ts'
import type { Queries } from '../database/database.ts'
import type { Reach } from '../database/reach.ts'
import { isUuid } from '../ids.ts'
import { decodeCursor, pageOf, readLimit } from '../wire.ts'
import type { CatalogueQuery } from './catalogue-schemas.ts'
import type { CatalogueFilter } from './listing-queries.ts'

/** One kind of thing in the catalogue: how it is read, and how the caller may see it. */
export interface CatalogueKind<Row, Shown> {
  /** For people: "service". */
  noun: string
  findOne: (db: Queries, reach: Reach, id: string) => Promise<Row | undefined>
  findPage: (db: Queries, reach: Reach, filter: CatalogueFilter) => Promise<Row[]>
  present: (row: Row, actor: Actor) => Shown
}

/** A page of the catalogue by name. Sessions see what is active; keys see everything in their reach. */
export async function listCatalogue<Row extends { id: string; name: string }, Shown>(
  context: Context,
  actor: Actor,
  request: { kind: CatalogueKind<Row, Shown>; query: Static<typeof CatalogueQuery> },
): Promise<{ data: Shown[]; next_cursor: string | null }> {
  const { kind, query } = request
  const limit = readLimit(query.limit)
  const rows = await kind.findPage(context.db.reads, actor.reach, {
    businessId: query.business_id,
    activeOnly: isSession(actor),
    after: query.cursor === undefined ? undefined : placeOf(query.cursor, kind.noun),
    rows: limit + 1,
  })
  return pageOf(rows, limit, {
    present: (row) => kind.present(row, actor),
    cursor: (row) => [kind.noun, row.name, row.id],
  })
}

/** One thing of the catalogue within the caller's reach, or not_found. */
export async function showOfCatalogue<Row, Shown>(
  context: Context,
  actor: Actor,
  request: { kind: CatalogueKind<Row, Shown>; id: string },
): Promise<Shown> {
  const { kind, id } = request
  const row = isUuid(id) ? await kind.findOne(context.db.reads, actor.reach, id.toLowerCase()) : undefined
  if (!row) throw new Problem('not_found', `There is no ${kind.noun} with this id.`)
  return kind.present(row, actor)
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
function placeOf(cursor: string, noun: string): readonly [string, string] {
  const [list, name, id] = decodeCursor(cursor, 3) ?? []
  if (list !== noun || name === undefined || !isLine(name) || id === undefined || !isUuid(id)) {
    throw invalidCursor()
  }
  return [name, id]
}
