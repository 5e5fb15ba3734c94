import type { Queries } from '../database/database.ts'
import type { Reach } from '../database/reach.ts'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { findBusinessInReach, type BusinessRow } from './business-queries.ts'

/** A business within the caller's reach, or not_found. */
export async function businessInReach(db: Queries, reach: Reach, id: string): Promise<BusinessRow> {
  const business = isUuid(id) ? await findBusinessInReach(db, reach, id.toLowerCase()) : undefined
  if (!business) throw new Problem('not_found', 'There is no business with this id.')
  return business
}
