import type { Context } from '../context.ts'
import type { BusinessesTable, HubsTable, PlanName } from '../database/tables.ts'
import { checkColor, checkLogoUrl, checkName, checkTimeZone } from './business-input.ts'
import { usualBookingsPerClient } from './business-rules.ts'
import { existingHub } from './existing.ts'
import { insertMissing } from './write-queries.ts'

/** Makes a hub: a platform that acts for all its businesses. Throws a UsageError. */
export async function createHub(
  context: Context,
  input: { name: string; plan: PlanName },
): Promise<HubsTable> {
  const name = checkName(input.name)
  return context.db.transaction(async (tx) => {
    const hub: HubsTable = { id: context.ids.next(), name, plan: input.plan, created_at: tx.now }
    await insertMissing(tx.db, 'hubs', [hub])
    return hub
  })
}

/** What a business is made from. The brand is shown on the Enterprise plan only. */
export interface BusinessInput {
  name: string
  plan: PlanName
  timezone: string
  hubId?: string
  brandName?: string
  brandColor?: string
  brandLogoUrl?: string
}

/** Makes a business, alone or in a hub. Throws a UsageError that names what is wrong. */
export async function createBusiness(context: Context, input: BusinessInput): Promise<BusinessesTable> {
  const { name, plan, timezone, hubId, brandName, brandColor, brandLogoUrl } = input
  const parts = {
    name: checkName(name),
    plan,
    timezone: checkTimeZone(timezone),
    brand_name: brandName === undefined ? null : checkName(brandName),
    brand_color: brandColor === undefined ? null : checkColor(brandColor),
    brand_logo_url: brandLogoUrl === undefined ? null : checkLogoUrl(brandLogoUrl),
    limit_per_minute: null,
    limit_per_hour: null,
    max_bookings_per_client: usualBookingsPerClient,
    trusted_networks_json: null,
    catalogue_version: 1,
  }
  return context.db.transaction(async (tx) => {
    const hub_id = hubId === undefined ? null : (await existingHub(tx.db, hubId)).id
    const business: BusinessesTable = { id: context.ids.next(), hub_id, ...parts, created_at: tx.now }
    await insertMissing(tx.db, 'businesses', [business])
    return business
  })
}
