import { atAnyTime, notOfferedHere, notOfferedThen, SlotDay } from '../availability/offer-rules.ts'
import {
  assertParty,
  eligibleStaff,
  locationResource,
  type Resource,
  type Span,
  staffResource,
  staffResources,
  takenBy,
} from '../availability/resource-rules.ts'
import { Problem } from '../base/errors.ts'
import { type Instant, nearestInstant, toMs } from '../base/instants.ts'
import type { StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import { findOffering, findStaffOf, forgetOffering } from '../catalogue/offering.ts'
import { allOf, RetryTransaction, type Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { Context } from './context.ts'
import { endHolds, insertClaim, moveClaim, type Room } from './claim-queries.ts'
import { type ClaimsRequest, type ClaimsSnapshot, readClaims } from './claim-snapshot-queries.ts'
import {
  type Candidate,
  candidates,
  type Choice,
  conflict,
  expired,
  type NewClaim,
  placeOf,
  resourceWithRoom,
  rotationOf,
} from './claim-rules.ts'
import { rearrangeSeats } from './seating.ts'
import { type Reseat, takeSeats, vacateSeats } from './seating-queries.ts'

/** A time to take, and the claims to end for it. */
export interface TimePlan {
  claim: NewClaim
  room: Room
  /** IDs of own holds that end for it. */
  gives: string[]
  /** IDs of expired holds in its way. */
  expired: string[]
  /** Claims of others that move to other seats. */
  reseats: readonly Reseat[]
  /** True for a booking, which leaves its previous time. */
  moves?: true
}

/** Maximum number of attempts after somebody else was faster. */
const maxRounds = 12

/** The decision on a claim, and the writes that accompany it. */
interface Taking<Plan> {
  decide: (seen: ClaimsSnapshot) => Promise<Plan>
  /** Writes while the time is being taken. Writes nothing if it is not taken. */
  record?: (plan: Plan, isTaken: Promise<boolean>) => Promise<void>
}

/**
 * Reads the claims in the way, lets `decide` plan, and inserts or moves the claim. Repeats if the claim no
 * longer fits. The data read only determines the order of attempts; the schema decides each. Throws what
 * `decide` and `record` throw.
 */
export async function takeTime<Plan extends TimePlan>(
  tx: Transaction,
  request: ClaimsRequest,
  { decide, record }: Taking<Plan>,
): Promise<Plan> {
  const end = { businessId: request.businessId, at: tx.now }
  for (let round = 1; round <= maxRounds; round += 1) {
    const plan = await decide(await readClaims(tx, request))
    const { claim, room, gives, expired, reseats, moves } = plan
    const ends = [
      ...gives.map((id) => ({ ...end, id, onlyExpired: false })),
      ...expired.map((id) => ({ ...end, id, onlyExpired: true })),
    ]
    if (ends.length > 0) await endHolds(tx, ends)
    if (reseats.length > 0) await vacateSeats(tx, reseats)
    const taking = moves ? moveClaim(tx, claim) : insertClaim(tx, { claim, room })
    const [isTaken] = await allOf([taking, record?.(plan, taking)])
    if (isTaken && reseats.length > 0) await takeSeats(tx, reseats)
    if (isTaken) return plan
    // own holds ended for this seat alone, or others left theirs: roll back instead of losing them for nothing
    if (gives.length + reseats.length > 0)
      throw new RetryTransaction('another transaction took the seat of a released hold')
  }
  throw new RetryTransaction('others took every seat that was tried')
}

/** The new claim, for a choice of its seats. */
interface Wish {
  businessId: string
  taken: Span
  /** IDs of claims that leave for it. They are not among those of the choice. */
  leaving: readonly string[]
}

/**
 * Returns the best free seats with the expired holds in their way. If enough alike seats are free by number, other claims
 * make room. Throws slot_held or slot_booked if too few are free.
 */
export async function bestSeat(
  context: Context,
  tx: Transaction,
  { choice, wish }: { choice: Choice; wish: Wish },
): Promise<Candidate & Pick<TimePlan, 'expired' | 'reseats'>> {
  // the snapshot may include resources that the rules excluded
  const ids = choice.resources.map(({ id }) => id)
  const claims = choice.claims.filter(({ resource_id }) => ids.includes(resource_id))
  const [best] = candidates({ ...choice, claims })
  if (best) return { ...best, expired: expired(claims, best.resource, choice.now), reseats: [] }
  const resource = resourceWithRoom({ ...choice, claims }, wish.taken)
  const { partySize, ownerId } = choice
  const rearranged =
    resource && (await rearrangeSeats(context, tx, { ...wish, resource, partySize, ownerId }))
  if (!rearranged) throw conflict({ ...choice, claims })
  return { resource, ...rearranged }
}

/** Staff who may take a booking. For an unstaffed service, only the location's resource. */
export interface Assignees {
  resources: Resource[]
  staff: StaffMember[]
  /** The day whose bookings decide between several staff members. */
  day: ClaimsRequest['day']
}

/**
 * Takes a booking's time for its staff member or location, or for one of `assignees`. Uses the service's
 * current buffers and capacity. Returns the staff member's ID. Throws slot_held, slot_booked, or
 * validation_failed for too large a party.
 */
export async function retakeSlot(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
  assignees?: Assignees,
): Promise<string | null> {
  const scope = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const { service, version } = await findOffering(context, scope, ids, tx.reads)
  if (!service) throw new Error('the service of a booking is missing') // services are never deleted
  const at = { locationId: booking.location_id, startsAt: booking.starts_at }
  const own =
    booking.staff_id === null
      ? locationResource(service, booking.location_id)
      : staffResource(service, { ...at, staffId: booking.staff_id })
  const resources = assignees?.resources ?? [own]
  const taken = takenBy(service, booking)
  const request = {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: resources.map(({ id }) => id),
    taken,
    day: assignees?.day,
  }
  const decide = async (seen: ClaimsSnapshot): Promise<TimePlan> => {
    if (seen.catalogueVersion !== version) {
      forgetOffering(context, scope, ids)
      throw new RetryTransaction('the catalogue has changed since the service was read')
    }
    assertParty({ ...service, deposit: null, payment: 'none' }, booking.party_size) // nothing is charged
    const choice = {
      resources,
      partySize: booking.party_size,
      claims: seen.claims.filter(({ id }) => id !== booking.id), // its own time becomes free
      now: tx.now,
      ownerId: undefined,
      // the present staff member keeps it if they are free
      bookingsOfDay: new Map([...seen.bookingsOfDay, [own.id, -1]]),
      rotation: rotationOf(booking.id),
    }
    const wish = { businessId: booking.business_id, taken, leaving: [booking.id] }
    const best = await bestSeat(context, tx, { choice, wish })
    const staff_id = best.resource.staffId
    const claim = { ...claimOf(booking, tx.now), ...placeOf(best, taken), staff_id }
    return { claim, room: {}, gives: [], expired: best.expired, reseats: best.reseats, moves: true }
  }
  const { claim } = await takeTime(tx, request, { decide })
  return claim.staff_id
}

/**
 * Returns a new claim for a booking without one. The record of its hold was deleted after it was cancelled.
 */
function claimOf(
  booking: BookingRow,
  now: Instant,
): Omit<NewClaim, keyof ReturnType<typeof placeOf> | 'staff_id'> {
  const { id, business_id, service_id, location_id, chosen_staff_id, owner_id } = booking
  const { starts_at, ends_at, created_at, series_id } = booking
  return {
    ...{
      id,
      business_id,
      service_id,
      location_id,
      chosen_staff_id,
      owner_id,
      starts_at,
      ends_at,
      created_at,
      series_id,
    },
    owner_sequence: null,
    client_network: null,
    client_wider_network: null,
    metadata_json: null,
    expires_at: created_at,
    booked_at: now,
    ended_at: null,
  }
}

/**
 * Finds who can take a booking at a time: the named staff member, or anyone for null. As for holds of keys,
 * working staff take precedence. If nobody works then, hours and blocks do not count. Throws not_found or
 * slot_not_offered.
 */
export async function findAssignees(
  context: Context,
  tx: Transaction,
  { booking, staffId, span }: { booking: BookingRow; staffId: string | null; span: Span },
): Promise<Assignees> {
  const scope = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  forgetOffering(context, scope, ids) // refuse only by the current state of the database
  const { service, location, staff } = await findOffering(context, scope, ids, tx.reads)
  if (!service || !location) throw new Error('the service or location of a booking is missing') // services and locations are never deleted
  if (staffId === null && service.staff_ids.length === 0) {
    return { resources: [locationResource(service, location.id)], staff: [], day: undefined }
  }
  const eligible = eligibleStaff({ staff, location }, staffId ?? undefined)
  if (eligible.length === 0) throw await nobodyEligible(tx, booking, staffId)
  const resourcesOf = (members: StaffMember[]) =>
    staffResources(service, {
      staffIds: members.map(({ id }) => id),
      locationId: location.id,
      startsAt: span.starts_at,
    })
  if (staffId !== null) return { resources: resourcesOf(eligible), staff: eligible, day: undefined }
  const startsAtMs = toMs(span.starts_at)
  // with the booking's own duration; notice and horizon do not matter for a choice of staff
  const asLong = { duration_minutes: (toMs(span.ends_at) - startsAtMs) / 60_000 }
  const day = new SlotDay(
    { service: { ...atAnyTime(service), ...asLong }, location, staff: eligible },
    startsAtMs,
  )
  const { blocks } = await readClaims(tx, {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: eligible.map(({ id }) => id),
    taken: takenBy(service, span),
    rules: { locationId: location.id, staffIds: eligible.map(({ id }) => id), slot: span },
  })
  const working = day.working({ nowMs: toMs(tx.now), blocks }, true)
  const there = typeof working === 'string' ? eligible : eligible.filter(({ id }) => working.includes(id))
  const { from, to } = day.span()
  return {
    resources: resourcesOf(there),
    staff: there,
    day: { from: nearestInstant(from), to: nearestInstant(to) },
  }
}

/**
 * Finds who can take a booking that its client moves. Keeps the staff member, unless the client chose none.
 * Accepts only times that sessions are offered. Throws slot_not_offered.
 */
export async function findOffered(
  context: Context,
  tx: Transaction,
  { booking, span }: { booking: BookingRow; span: Span },
): Promise<Assignees> {
  const scope = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  forgetOffering(context, scope, ids) // refuse only by the current state of the database
  const { service, location, staff } = await findOffering(context, scope, ids, tx.reads)
  if (!service?.active || !location?.active || !service.location_ids.includes(location.id)) {
    throw notOfferedHere('The service is not offered there any more.')
  }
  const isStaffed = service.staff_ids.length > 0
  const eligible = isStaffed ? eligibleStaff({ staff, location }, chosenStaff(booking)) : []
  if (isStaffed && eligible.length === 0) throw notOfferedHere('Nobody gives this service there any more.')
  const startsAtMs = toMs(span.starts_at)
  const duration_minutes = (toMs(span.ends_at) - startsAtMs) / 60_000
  const day = new SlotDay(
    { service: { ...service, duration_minutes }, location, staff: eligible },
    startsAtMs,
  )
  const staffIds = eligible.map(({ id }) => id)
  const { blocks } = await readClaims(tx, {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: staffIds,
    taken: takenBy(service, span),
    rules: { locationId: location.id, staffIds, slot: span },
  })
  const working = day.working({ nowMs: toMs(tx.now), blocks })
  if (typeof working === 'string') throw notOfferedThen(working)
  const there = eligible.filter(({ id }) => working.includes(id))
  const at = { locationId: location.id, startsAt: span.starts_at }
  const { from, to } = day.span()
  return {
    resources: isStaffed
      ? staffResources(service, { ...at, staffIds: there.map(({ id }) => id) })
      : [locationResource(service, location.id)],
    staff: there,
    day: isStaffed ? { from: nearestInstant(from), to: nearestInstant(to) } : undefined,
  }
}

/** Returns the staff member that a client keeps when moving a booking; undefined for anyone. */
export function chosenStaff({ chosen_staff_id, staff_id }: BookingRow): string | undefined {
  return chosen_staff_id === null ? undefined : (staff_id ?? undefined)
}

async function nobodyEligible(
  tx: Transaction,
  booking: BookingRow,
  staffId: string | null,
): Promise<Problem> {
  if (staffId === null) return notOfferedHere('Nobody gives this service at this location.')
  return (await findStaffOf(tx.reads, booking.business_id, staffId))
    ? notOfferedHere('The staff member does not give this service at this location.')
    : new Problem('not_found', 'There is no staff member with this staff_id.')
}
