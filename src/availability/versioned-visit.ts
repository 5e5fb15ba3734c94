import type { Context } from '../access/context.ts'
import { Problem } from '../base/errors.ts'
import { forgetOffering } from '../catalogue/offering.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { addAlternatives } from './alternatives.ts'
import type { Viewer } from './busy.ts'
import { NobodyGives } from './offer-rules.ts'
import { visitSource } from './slot-source.ts'
import { findOffer, retryStale, StaleOffering, type VersionedOffering } from './versioned-offering.ts'
import type { VisitOffer, WantedItem } from './visit-rules.ts'

/** A service that a caller asks for as a part of a visit. */
interface ItemRequest {
  service_id: string
  staff_id?: string | undefined
  party_size?: number | undefined
  /** `after`, the default: when the item before has ended. `with`: together with it. */
  starts?: 'after' | 'with' | undefined
}

interface VisitRequest {
  location_id: string
  /** The only person who may give services for which nobody is named. */
  only_staff_id?: string | undefined
  items: readonly ItemRequest[]
}

/**
 * Runs work with a visit in the caller's scope, and again with a newer catalogue if it throws StaleOffering. Throws
 * not_found and slot_not_offered with the number of the item, or unavailable if the catalogue keeps changing.
 */
export async function withVisit<T>(
  context: Context,
  scope: TenantScope,
  { request, work }: { request: VisitRequest; work: (offer: VisitOffer) => Promise<T> },
): Promise<T> {
  return retryStale(
    async () => work(await findVisit(context, scope, request)),
    () => {
      for (const { service_id: serviceId } of request.items) {
        forgetOffering(context, scope, { serviceId, locationId: request.location_id })
      }
    },
  )
}

async function findVisit(
  context: Context,
  scope: TenantScope,
  { location_id, only_staff_id, items }: VisitRequest,
): Promise<VisitOffer> {
  const offers: VersionedOffering[] = []
  for (const [item, { service_id, staff_id }] of items.entries()) {
    const named = { service_id, location_id, staff_id, only_staff_id }
    offers.push(await findOffer(context, scope, named).catch((error: unknown) => refuseItem(error, item)))
  }
  const [first] = offers
  if (!first) throw new RangeError('a visit has an item')
  // each is cached on its own, so one may be older
  if (offers.some(({ version }) => version !== first.version)) throw new StaleOffering()
  const wanted = items.map((asked, index): WantedItem => {
    const { service, staff } = offers[index] ?? first
    const only = service.staff_ids.length > 0 ? only_staff_id : undefined
    const { staff_id: chosenStaffId = only ?? null, party_size: partySize = 1, starts } = asked
    return { service, staff, chosenStaffId, partySize, startsWith: index > 0 && starts === 'with' }
  })
  const resources = new Map(offers.flatMap((offer) => (offer.resources ?? []).map((one) => [one.id, one])))
  return {
    items: wanted,
    location: first.location,
    resources: [...resources.values()],
    maxGapMinutes: first.maxGapMinutes ?? 0,
    version: first.version,
  }
}

/** Throws a refusal again, with the number of its item. */
function refuseItem(error: unknown, item: number): never {
  if (error instanceof NobodyGives) throw new NobodyGives(error.message, error.timezone, { item })
  if (!(error instanceof Problem) || !['not_found', 'slot_not_offered'].includes(error.code)) throw error
  const { code, message, parts } = error
  throw new Problem(code, message, { ...parts, extensions: { ...parts.extensions, item } })
}

/**
 * Adds up to three free times of the whole visit to a refusal, as `withAlternatives` does. They have items if the visit
 * has several.
 */
export function visitAlternatives(
  context: Context,
  refusal: unknown,
  { offer, startsAtMs, viewer }: { offer: VisitOffer; startsAtMs: number; viewer: Viewer },
): Promise<unknown> {
  const source = visitSource(context, offer, { viewer, showsItems: offer.items.length > 1 })
  return addAlternatives(refusal, { source, startsAtMs, nowMs: viewer.nowMs })
}
