import { effectivePlan } from '../access/plans.ts'
import type { Context } from '../context.ts'
import type { HubsTable, PlanName } from '../database/tables.ts'
import { UsageError } from '../errors.ts'
import {
  checkBookingsPerClient,
  checkColor,
  checkLogoUrl,
  checkName,
  checkNetworks,
  checkRequestLimit,
  checkTimeZone,
} from './business-input.ts'
import {
  findBusinesses,
  findHubs,
  updateBusiness,
  updateHub,
  type BusinessChanges,
  type BusinessRow,
} from './business-queries.ts'
import { existingBusiness, existingHub, mostListed } from './existing.ts'

/** All hubs, by name. */
export function listHubs(context: Context): Promise<HubsTable[]> {
  return findHubs(context.db.reads, mostListed)
}

/** A hub. Throws a UsageError when there is none. */
export function showHub(context: Context, id: string): Promise<HubsTable> {
  return existingHub(context.db.reads, id)
}

/** Changes a hub's name or plan; a plan takes effect within five seconds. Throws a UsageError. */
export function changeHub(
  context: Context,
  id: string,
  changes: { name?: string; plan?: PlanName },
): Promise<HubsTable> {
  const checked = {
    ...(changes.name !== undefined && { name: checkName(changes.name) }),
    ...(changes.plan !== undefined && { plan: changes.plan }),
  }
  return context.db.transaction(async (tx) => {
    const hub = await existingHub(tx.db, id)
    if (Object.keys(checked).length > 0) await updateHub(tx.db, hub.id, checked)
    return { ...hub, ...checked }
  })
}

/** Businesses by name; of one hub where that is given. Throws a UsageError for an unknown hub. */
export async function listBusinesses(context: Context, hubId: string | undefined): Promise<BusinessRow[]> {
  const db = context.db.reads
  const hub = hubId === undefined ? undefined : await existingHub(db, hubId)
  return findBusinesses(db, hub?.id, mostListed)
}

/** A business and the hub that it belongs to. Throws a UsageError when there is none. */
export function showBusiness(context: Context, id: string): Promise<BusinessRow> {
  return existingBusiness(context.db.reads, id)
}

/** What an operator changes of a business; null clears a part of the brand, or gives it the limits of its plan. */
export interface BusinessUpdate {
  name?: string
  plan?: PlanName
  timezone?: string
  brandName?: string | null
  brandColor?: string | null
  brandLogoUrl?: string | null
  /** Requests that each key may make, as a person writes the number. */
  limitPerMinute?: string | null
  limitPerHour?: string | null
  /** Bookings ahead that sessions may make for one client, and address ranges with commas between, as written. */
  maxBookingsPerClient?: string | null
  trustedNetworks?: string | null
}

/**
 * Changes a business; a plan takes effect within five seconds. Throws a UsageError, also for limits of its own
 * when the plan that is then in effect has none.
 */
export function changeBusiness(context: Context, id: string, update: BusinessUpdate): Promise<BusinessRow> {
  const changes = checkUpdate(update)
  return context.db.transaction(async (tx) => {
    const business = await existingBusiness(tx.db, id)
    const changed = { ...business, ...changes }
    assertMayHaveLimits(changed, changes)
    if (Object.keys(changes).length > 0) await updateBusiness(tx.db, business.id, changes)
    return changed
  })
}

/** Limits that would lie there without an effect would deceive whoever set them. */
function assertMayHaveLimits({ plan, hub_plan }: BusinessRow, changes: BusinessChanges): void {
  const wanted = (changes.limit_per_minute ?? changes.limit_per_hour ?? null) !== null
  if (!wanted || effectivePlan(plan, hub_plan) === 'enterprise') return
  throw new UsageError(
    `Limits of its own are for businesses on the plan enterprise; this one is on ${plan}. Add --plan enterprise.`,
  )
}

function checkUpdate(update: BusinessUpdate): BusinessChanges {
  const { name, plan, timezone, brandName, brandColor, brandLogoUrl, limitPerMinute, limitPerHour } = update
  const { maxBookingsPerClient: bookings, trustedNetworks: networks } = update
  return {
    ...(name !== undefined && { name: checkName(name) }),
    ...(plan !== undefined && { plan }),
    ...(timezone !== undefined && { timezone: checkTimeZone(timezone) }),
    ...(brandName !== undefined && { brand_name: unlessNull(brandName, checkName) }),
    ...(brandColor !== undefined && { brand_color: unlessNull(brandColor, checkColor) }),
    ...(brandLogoUrl !== undefined && { brand_logo_url: unlessNull(brandLogoUrl, checkLogoUrl) }),
    ...(limitPerMinute !== undefined && { limit_per_minute: unlessNull(limitPerMinute, checkRequestLimit) }),
    ...(limitPerHour !== undefined && { limit_per_hour: unlessNull(limitPerHour, checkRequestLimit) }),
    ...(bookings !== undefined && { max_bookings_per_client: unlessNull(bookings, checkBookingsPerClient) }),
    ...(networks !== undefined && { trusted_networks_json: unlessNull(networks, checkNetworks) }),
  }
}

function unlessNull<T>(text: string | null, check: (text: string) => T): T | null {
  return text === null ? null : check(text)
}
