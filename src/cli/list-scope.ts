import type { Context } from '../bookings/context.ts'
import { listBusinesses, showBusiness } from '../catalogue/business.ts'
import { type CatalogueItem, locationKind, serviceKind, staffKind } from '../catalogue/catalogue.ts'
import { readBound, readFields } from './input.ts'
import { existingItem } from './item.ts'

/** Options that narrow a list. */
interface ScopeOptions {
  business?: string | undefined
  service?: string | undefined
  location?: string | undefined
  staff?: string | undefined
}

/**
 * Reads what a list is narrowed by, as a list without rows would hide a wrong ID, and the bounds of its time, in the zone
 * of its location or business.
 */
export async function readListScope(
  context: Context,
  { business, service, location, staff }: ScopeOptions,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<{ fields: Record<string, string>; faults: Record<string, string> }> {
  const { fields: rows, faults } = await readFields({
    business_id: () => (business === undefined ? undefined : showBusiness(context, business)),
    service_id: () => (service === undefined ? undefined : existingItem(context, serviceKind, service)),
    location_id: () => (location === undefined ? undefined : existingItem(context, locationKind, location)),
    staff_id: () => (staff === undefined ? undefined : existingItem(context, staffKind, staff)),
  })
  const ids = Object.fromEntries(Object.entries(rows).map(([field, { id }]) => [field, id]))
  const isBounded = from !== undefined || to !== undefined
  if (!isBounded || Object.keys(faults).length > 0) return { fields: ids, faults }
  const { location_id: place, business_id: owner, staff_id, service_id } = rows
  const zone = place?.timezone ?? owner?.timezone ?? (await zoneOf(context, staff_id ?? service_id))
  const bounds = await readFields({
    from: () => (from === undefined ? undefined : readBound(from, '--from', zone)),
    to: () => (to === undefined ? undefined : readBound(to, '--to', zone)),
  })
  return { fields: { ...ids, ...bounds.fields }, faults: bounds.faults }
}

/** The zone of an item's business, or of the only business; undefined if there are several. */
async function zoneOf(context: Context, item: CatalogueItem | undefined): Promise<string | undefined> {
  if (item) return (await showBusiness(context, item.business_id)).timezone
  const [only, other] = await listBusinesses(context, undefined)
  return other ? undefined : only?.timezone
}
