import type { Actor } from '../access/actor.ts'
import { effectivePlan } from '../access/plans.ts'
import { isLine } from '../contact-formats.ts'
import type { Context } from '../context.ts'
import { invalidCursor } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { formatInstant } from '../instants.ts'
import { decodeCursor, readLimit } from '../wire.ts'
import { networksIn, networksJson, usualBookingsPerClient } from './business-rules.ts'
import { businessInReach } from './business-in-reach.ts'
import { findBusinessesInReach, updateBusiness, type BusinessRow } from './business-queries.ts'
import type { BusinessChange, BusinessCreation } from './business-schemas.ts'
import { insertMissing } from './write-queries.ts'

/** Businesses within the caller's reach by name: one row more than the limit when more follow. */
export async function listBusinessesInReach(
  context: Context,
  actor: Actor,
  query: { limit?: string; cursor?: string },
): Promise<{ rows: BusinessRow[]; limit: number }> {
  const limit = readLimit(query.limit)
  const after = query.cursor === undefined ? undefined : placeOf(query.cursor)
  return {
    rows: await findBusinessesInReach(context.db.reads, actor.reach, { after, rows: limit + 1 }),
    limit,
  }
}

/** A business within the caller's reach, or not_found. */
export function showBusinessInReach(context: Context, actor: Actor, id: string): Promise<BusinessRow> {
  return businessInReach(context.db.reads, actor.reach, id)
}

/** Makes a business of the caller's hub. Its own plan is the lowest; in effect is its hub's. */
export function createBusinessOfHub(
  context: Context,
  hubId: string,
  input: BusinessCreation,
): Promise<BusinessRow> {
  return context.db.transaction(async (tx) => {
    const id = context.ids.next()
    await insertMissing(tx.db, 'businesses', [
      {
        id,
        hub_id: hubId,
        name: input.name,
        plan: 'growth',
        timezone: input.timezone,
        brand_name: input.brand_name ?? null,
        brand_color: input.brand_color ?? null,
        brand_logo_url: input.brand_logo_url ?? null,
        limit_per_minute: null,
        limit_per_hour: null,
        max_bookings_per_client: input.max_bookings_per_client ?? usualBookingsPerClient,
        trusted_networks_json: networksJson(input.trusted_networks),
        catalogue_version: 1,
        created_at: tx.now,
      },
    ])
    return businessInReach(tx.db, { hubId }, id)
  })
}

/** Changes a business within the caller's reach; a change without members changes nothing. Throws not_found. */
export function changeBusinessInReach(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: BusinessChange },
): Promise<BusinessRow> {
  return context.db.transaction(async (tx) => {
    const business = await businessInReach(tx.db, actor.reach, id)
    if (Object.keys(change).length === 0) return business
    const { trusted_networks, ...columns } = change
    // only what is named: two changes at once both happen
    await updateBusiness(tx.db, business.id, {
      ...columns,
      ...(trusted_networks !== undefined && { trusted_networks_json: networksJson(trusted_networks) }),
    })
    return businessInReach(tx.db, actor.reach, business.id)
  })
}

/** A business as it goes over the wire. */
export function presentBusiness(business: BusinessRow) {
  const { id, hub_id, name, timezone, plan, hub_plan, brand_name, brand_color, brand_logo_url } = business
  const created_at = formatInstant(business.created_at, timezone)
  const inEffect = effectivePlan(plan, hub_plan)
  return {
    ...{ id, hub_id, name, timezone, plan: inEffect, brand_name, brand_color, brand_logo_url },
    max_bookings_per_client: business.max_bookings_per_client,
    trusted_networks: networksIn(business.trusted_networks_json),
    created_at,
  }
}

/** The place of a business in the list, for a cursor. */
export function cursorOfBusiness(business: BusinessRow): string[] {
  return ['business', business.name, business.id]
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
function placeOf(cursor: string): readonly [string, string] {
  const [list, name, id] = decodeCursor(cursor, 3) ?? []
  if (list !== 'business' || name === undefined || !isLine(name)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [name, id]
}
