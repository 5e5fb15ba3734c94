import type { Actor } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import type { Context } from '../../bookings/context.ts'
import { type CatalogueKind, listWholeCatalogue } from '../../catalogue/catalogue.ts'

/** A form offers at most this many locations, staff members or services. */
const maxOffered = 500

/** Lists the items of a business, or of all that the person reaches, as far as forms offer them. */
export function listItems<Row extends { id: string; name: string }, Shown>(
  context: Context,
  actor: Actor,
  of: { kind: CatalogueKind<Row, Shown>; businessId: string | undefined },
): Promise<Shown[]> {
  return listWholeCatalogue(context, actor, { ...of, most: maxOffered })
}

/** A page of a list, or the first one where the cursor is of another list: an address may be kept for long. */
export async function pageOrFirst<Page>(
  cursor: string | undefined,
  list: (cursor: string | undefined) => Promise<Page>,
): Promise<Page> {
  try {
    return await list(cursor)
  } catch (error) {
    if (cursor === undefined || !(error instanceof Problem)) throw error
    return list(undefined)
  }
}
