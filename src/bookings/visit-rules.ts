import type { Resource } from '../availability/resource-rules.ts'
import type { Claimed } from '../availability/slot-rules.ts'
import type { PlannedClaim, PlannedVisit, VisitOffer } from '../availability/visit-rules.ts'
import type { Interval } from '../availability/zone-rules.ts'
import { type FieldError, Problem, validationProblem } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import { instantFromMs, nearestInstant, toMs } from '../base/instants.ts'
import { priceFor } from '../catalogue/service-rules.ts'
import type { VisitItemsTable } from '../database/tables.ts'
import { type ClaimSeen, placeOf } from './claim-rules.ts'
import type { VisitClaim } from './visit-queries.ts'

/** The services of a hold: one, or several items. */
interface Asked {
  service_id?: string
  staff_id?: string
  party_size?: number
  items?: readonly { starts?: 'after' | 'with' }[]
}

/** Returns errors unless a hold names either one service or items. */
export function itemsErrors({ service_id, staff_id, party_size, items }: Asked): FieldError[] {
  if (!items) {
    return service_id === undefined
      ? [{ pointer: '/service_id', code: 'required', detail: 'is required, or items' }]
      : []
  }
  const given = Object.entries({ service_id, staff_id, party_size }).filter(
    ([, value]) => value !== undefined,
  )
  const both = given.map(([name]) => ({
    pointer: `/${name}`,
    code: 'not_allowed',
    detail: 'goes into the items; leave it out',
  }))
  return items[0]?.starts === 'with'
    ? [...both, { pointer: '/items/0/starts', code: 'not_allowed', detail: 'is for later items only' }]
    : both
}

/** Returns the field of an item's party; a visit of one item may have been asked for without items. */
export function partyPointer({ items }: VisitOffer): (item: number) => string {
  return (item) => (items.length > 1 ? `/items/${item}/party_size` : '/party_size')
}

/** Returns an error about a service as one about an item: its pointers begin with the item. */
export function ofItem(error: unknown, index: number): unknown {
  const isOfService = ({ pointer }: FieldError) =>
    ['/service_id', '/staff_id', '/party_size'].includes(pointer)
  if (!(error instanceof Problem) || !error.parts.errors?.some(isOfService)) return error
  return validationProblem(
    error.parts.errors.map((one) =>
      isOfService(one) ? { ...one, pointer: `/items/${index}${one.pointer}` } : one,
    ),
  )
}

/** Throws validation_failed if prices and deposits of the services have several currencies. */
export function assertOneCurrency({ items }: VisitOffer): void {
  const currencies = items.map(({ service }) => service.price?.currency ?? service.deposit?.currency)
  const first = currencies.find((currency) => currency !== undefined)
  const other = currencies.findIndex((currency) => currency !== undefined && currency !== first)
  if (other < 0) return
  const detail = `has a price in ${currencies[other] ?? ''}, and another service of the visit one in ${first ?? ''}: book them separately`
  const pointer = `/items/${other}/service_id`
  throw validationProblem([{ pointer, code: 'other_currency', detail }])
}

/** Returns claims by resource, as the search for a plan reads them. */
export function claimedBy(claims: readonly ClaimSeen[]): Map<string, Claimed[]> {
  return Map.groupBy(
    claims.map(({ resource_id, taken, seats, occurrence_id, expires_at }) => ({
      resource_id,
      ...{ from: toMs(taken.starts_at), to: toMs(taken.ends_at) },
      ...{ seats, occurrenceId: occurrence_id, held: expires_at !== null },
    })),
    ({ resource_id }) => resource_id,
  )
}

/** True if a plan takes time of the same thing as a claim. */
export function inTheWayOf({ claims }: PlannedVisit, claim: ClaimSeen): boolean {
  const interval = { from: toMs(claim.taken.starts_at), to: toMs(claim.taken.ends_at) }
  return claims.some(({ resource, taken }) => resource.id === claim.resource_id && meet(taken, interval))
}

function meet(one: Interval, other: Interval): boolean {
  return one.from < other.to && other.from < one.to
}

/** A claim of a plan with the seats that it takes. */
export interface SeatedClaim extends Interval {
  /** Distinguishes claims of one visit before they are written. */
  id: string
  item: number
  resource: Resource
  seats: readonly number[]
}

/** Returns seats that are free for the whole time of a claim; undefined if too few are. */
export function freeSeats(
  { resource, taken, seats: size }: PlannedClaim,
  {
    others,
    mine,
    rotation,
  }: { others: readonly ClaimSeen[]; mine: readonly SeatedClaim[]; rotation: number },
): number[] | undefined {
  const present = [
    ...others.map((claim) => ({
      seats: claim.seats,
      ...{ from: toMs(claim.taken.starts_at), to: toMs(claim.taken.ends_at) },
    })),
    ...mine,
  ]
  const used = new Set(present.filter((claim) => meet(claim, taken)).flatMap(({ seats }) => seats))
  // claims beyond a lowered capacity count
  const free = Array.from({ length: resource.seats }, (_, seat) => seat)
    .filter((seat) => !used.has(seat))
    .slice(0, Math.max(0, resource.seats - used.size))
  if (free.length < size) return undefined
  const first = rotation % (free.length - size + 1)
  return free.slice(first, first + size)
}

/** An item of a visit to write. */
export type NewItem = Omit<VisitItemsTable, 'resource_ids_json'> & {
  resource_ids: string[]
  resources: { id: string; name: string }[]
}

interface ItemContext {
  visitId: string
  ids: Pick<Ids, 'next'>
  /** The items that a booking already has. They keep their ID, price and choice of a person. */
  wished?: readonly { staff_id?: string | undefined; present?: KeptColumns | undefined }[]
}

type KeptColumns = Pick<
  VisitItemsTable,
  'id' | 'service_id' | 'staff_id' | 'chosen_staff_id' | 'agreed_amount' | 'agreed_currency'
>

/** Returns the rows of a plan's items. The first has the ID of the visit. */
export function newItems(
  offer: VisitOffer,
  planned: PlannedVisit,
  { visitId, ids, wished = [] }: ItemContext,
): [NewItem, ...NewItem[]] {
  const rows = planned.items.map((item, index): NewItem => {
    const wanted = offer.items[index]
    const present = wished[index]?.present
    const isKept = present?.service_id === item.service.id && present.staff_id === item.staffId
    const price = priceFor(item.service, item.staffId)
    const chosen = wanted?.chosenStaffId ?? null
    return {
      id: index === 0 ? visitId : present && present.id !== visitId ? present.id : ids.next(),
      business_id: offer.location.business_id,
      visit_id: visitId,
      item: index,
      service_id: item.service.id,
      staff_id: item.staffId,
      chosen_staff_id: present?.staff_id === chosen ? present.chosen_staff_id : chosen,
      starts_at: instantFromMs(item.from),
      ends_at: instantFromMs(item.to),
      party_size: item.partySize,
      starts_with: wanted?.startsWith ? 1 : 0,
      agreed_amount: isKept ? present.agreed_amount : (price?.amount ?? null),
      agreed_currency: isKept ? present.agreed_currency : (price?.currency ?? null),
      resource_ids: item.resources.map(({ id }) => id),
      resources: item.resources.map(({ id, name }) => ({ id, name })),
    }
  })
  const [first, ...others] = rows
  if (!first) throw new RangeError('a visit has an item')
  return [first, ...others]
}

/** The columns that the first claim of a visit shares with that of a hold. */
type AnchorColumns = Pick<
  VisitClaim,
  | 'id'
  | 'owner_id'
  | 'owner_sequence'
  | 'client_network'
  | 'client_wider_network'
  | 'created_at'
  | 'expires_at'
  | 'booked_at'
  | 'ended_at'
  | 'series_id'
  | 'metadata_json'
>

/**
 * Returns the claims of a visit. The first stands for the visit: it has its ID and its whole time, and the caps count it
 * alone.
 */
export function visitClaims(
  claims: readonly SeatedClaim[],
  {
    offer,
    items,
    anchor,
    ids,
  }: { offer: VisitOffer; items: readonly NewItem[]; anchor: AnchorColumns; ids: Pick<Ids, 'next'> },
): [VisitClaim, ...VisitClaim[]] {
  const { id: location_id, business_id } = offer.location
  const startsAt = items.map(({ starts_at }) => starts_at).toSorted()[0]
  const endsAt = items
    .map(({ ends_at }) => ends_at)
    .toSorted()
    .at(-1)
  const rows = claims.map(({ item: index, resource, seats, from, to }, position): VisitClaim => {
    const item = items[index]
    if (!item || startsAt === undefined || endsAt === undefined)
      throw new RangeError('a claim belongs to an item')
    const taken = { starts_at: nearestInstant(from), ends_at: nearestInstant(to) }
    const isFirst = position === 0
    return {
      ...anchor,
      ...(!isFirst && {
        ...{ id: ids.next(), owner_sequence: null, series_id: null, metadata_json: null },
        ...{ client_network: null, client_wider_network: null },
      }),
      business_id,
      service_id: item.service_id,
      location_id,
      staff_id: item.staff_id,
      chosen_staff_id: item.chosen_staff_id,
      starts_at: isFirst ? startsAt : item.starts_at,
      ends_at: isFirst ? endsAt : item.ends_at,
      ...placeOf({ resource, seats }, taken),
      visit_id: isFirst ? null : anchor.id,
      claim_count: isFirst ? claims.length : 1,
    }
  })
  const [first, ...others] = rows
  if (!first) throw new RangeError('a visit takes time')
  return [first, ...others]
}
