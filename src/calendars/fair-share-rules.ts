/*
 * Shares of the work with external servers, which may be slow on purpose. A person has one call at once, so a slow account
 * delays no other person. Businesses and hubs leave the others a part.
 */

/** Calls at once of each loop. */
export const maxInFlight = 8
const maxOfBusiness = 2
const maxOfHub = 4

/** The owners of a call. */
interface CallOwner {
  staff_id: string
  business_id: string
  hub_id: string | null
}

/** Owners who must wait because of the calls in flight. */
export type Waiting = Record<'staff' | 'businesses' | 'hubs', string[]>

/** Returns the owners who have their share. */
export function waitingFor(inFlight: Iterable<CallOwner>): Waiting {
  const calls = [...inFlight]
  const full = (ids: (string | null)[], max: number) =>
    [...Map.groupBy(ids, (id) => id)].flatMap(([id, all]) => (id !== null && all.length >= max ? [id] : []))
  return {
    staff: full(
      calls.map((call) => call.staff_id),
      1,
    ),
    businesses: full(
      calls.map((call) => call.business_id),
      maxOfBusiness,
    ),
    hubs: full(
      calls.map((call) => call.hub_id),
      maxOfHub,
    ),
  }
}
