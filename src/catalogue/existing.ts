import type { Queries } from '../database/database.ts'
import type { HubsTable } from '../database/tables.ts'
import { isUuid } from '../ids.ts'
import { unknownId } from '../unknown-id.ts'
import { findBusinessById, findBusinesses, findHub, findHubs, type BusinessRow } from './business-queries.ts'

/** So many hubs or businesses are listed at most, and searched for the one that was meant. */
export const mostListed = 10_000

/** The hub with this id. Throws a UsageError that guesses which one was meant. */
export async function existingHub(db: Queries, id: string): Promise<HubsTable> {
  const hub = isUuid(id) ? await findHub(db, id.toLowerCase()) : undefined
  if (!hub) throw unknownId('hub', id, { known: await findHubs(db, mostListed) })
  return hub
}

/** The business with this id. Throws a UsageError that guesses which one was meant. */
export async function existingBusiness(db: Queries, id: string): Promise<BusinessRow> {
  const business = isUuid(id) ? await findBusinessById(db, id.toLowerCase()) : undefined
  if (!business) throw unknownId('business', id, { known: await findBusinesses(db, undefined, mostListed) })
  return business
}
