import type { Actor } from '../../access/actor.ts'
import type { Context } from '../../bookings/context.ts'
import { type CatalogueKind, listCatalogue } from '../../catalogue/catalogue.ts'

/** A form offers at most this many locations, staff members or services. */
const maxOffered = 500

/** All items of a business, as far as forms and lists show them. */
export async function allOf<Row extends { id: string; name: string }, Shown>(
  context: Context,
  actor: Actor,
  { kind, businessId }: { kind: CatalogueKind<Row, Shown>; businessId: string },
): Promise<Shown[]> {
  const all: Shown[] = []
  let cursor: string | null | undefined
  do {
    const query = { business_id: businessId, limit: '100', ...(cursor && { cursor }) }
    const page = await listCatalogue(context, actor, { kind, query })
    all.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && all.length < maxOffered)
  return all
}
