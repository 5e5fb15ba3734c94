import type { Context } from '../bookings/context.ts'
import { listBusinesses, showBusiness } from '../catalogue/business.ts'
import { type CatalogueItem } from '../catalogue/catalogue.ts'
import { locationKind, resourceKind, serviceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { readBound, readFields } from './input.ts'
import { itemNamed } from './item.ts'

/** Options that narrow a list. */
interface ScopeOptions {
  business?: string | undefined
  service?: string | undefined
  location?: string | undefined
  staff?: string | undefined
  resource?: string | undefined
}

/**
 * Reads the filters and time bounds of a list. Rejects unknown IDs, because an empty list would hide a typo.
 * Reads bounds in the zone of the location or business.
 */
export async function readListScope(
  context: Context,
  { business, service, location, staff, resource }: ScopeOptions,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<{ fields: Record<string, string>; faults: Record<string, string> }> {
  const owner = await readFields({
    business_id: () => (business === undefined ? undefined : showBusiness(context, business)),
  })
  const within = owner.fields.business_id?.id
  const items = await readFields({
    service_id: () => (service === undefined ? undefined : itemNamed(context, serviceKind, service, within)),
    location_id: () =>
      location === undefined ? undefined : itemNamed(context, locationKind, location, within),
    staff_id: () => (staff === undefined ? undefined : itemNamed(context, staffKind, staff, within)),
    resource_id: () =>
      resource === undefined ? undefined : itemNamed(context, resourceKind, resource, within),
  })
  const rows = { ...owner.fields, ...items.fields }
  const faults = { ...owner.faults, ...items.faults }
  const ids = Object.fromEntries(Object.entries(rows).map(([field, { id }]) => [field, id]))
  const isBounded = from !== undefined || to !== undefined
  if (!isBounded || Object.keys(faults).length > 0) return { fields: ids, faults }
  const { location_id: place, business_id: ofBusiness, staff_id, service_id, resource_id } = rows
  const zone =
    place?.timezone ?? ofBusiness?.timezone ?? (await zoneOf(context, staff_id ?? service_id ?? resource_id))
  const bounds = await readFields({
    from: () => (from === undefined ? undefined : readBound(from, '--from', zone)),
    to: () => (to === undefined ? undefined : readBound(to, '--to', zone)),
  })
  return { fields: { ...ids, ...bounds.fields }, faults: bounds.faults }
}

/** Returns the zone of an item's business, or of the only business. Undefined if there are several. */
async function zoneOf(context: Context, item: CatalogueItem | undefined): Promise<string | undefined> {
  if (item) return (await showBusiness(context, item.business_id)).timezone
  const [only, other] = await listBusinesses(context, undefined)
  return other ? undefined : only?.timezone
}
