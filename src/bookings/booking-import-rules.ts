import type { Instant } from '../base/instants.ts'
import type { SeenClaim } from './booking-import-queries.ts'

/* Decides which seats imported appointments take, in the order of their starts. The schema then decides each claim. */

/** An appointment to place on a resource. */
export interface Wanted {
  id: string
  resource_id: string
  occurrence_id: string
  /** Number of seats of the resource. */
  capacity: number
  party_size: number
  taken_from: Instant
  taken_until: Instant
}

/** The seats of an appointment, or the ID of the claim that is in its way. */
export type Placement = { seats: readonly number[] } | { inTheWay: string }

/** Places appointments between claims and each other. Of two that overlap, the earlier start counts, then the order. */
export function placeAll(wanted: readonly Wanted[], claims: readonly SeenClaim[]): Map<string, Placement> {
  const present = Map.groupBy(claims, ({ resource_id }) => resource_id)
  const placed = new Map<string, Placement>()
  for (const [resourceId, own] of Map.groupBy(wanted, ({ resource_id }) => resource_id))
    placeOnResource(own, present.get(resourceId) ?? [], placed)
  return placed
}

type Timed = Pick<SeenClaim, 'taken_from'>

const byStart = (one: Timed, other: Timed) =>
  one.taken_from < other.taken_from ? -1 : one.taken_from > other.taken_from ? 1 : 0

function placeOnResource(
  wanted: readonly Wanted[],
  claims: readonly SeenClaim[],
  placed: Map<string, Placement>,
): void {
  const coming = claims.toSorted(byStart)
  let active: Omit<SeenClaim, 'resource_id'>[] = []
  let next = 0
  for (const one of wanted.toSorted(byStart)) {
    for (; coming[next] && (coming[next]?.taken_from ?? '') < one.taken_until; next += 1)
      active.push(...coming.slice(next, next + 1))
    active = active.filter(({ taken_until }) => taken_until > one.taken_from)
    const overlapping = active.filter(({ taken_from }) => taken_from < one.taken_until)
    const placement = placementOf(one, overlapping)
    placed.set(one.id, placement)
    if ('seats' in placement) active.push({ ...one, seats: placement.seats })
  }
}

function placementOf(
  { occurrence_id, capacity, party_size }: Wanted,
  overlapping: readonly Omit<SeenClaim, 'resource_id'>[],
): Placement {
  const [other] = overlapping.filter((claim) => claim.occurrence_id !== occurrence_id)
  if (other) return { inTheWay: other.id }
  const taken = new Set(overlapping.flatMap(({ seats }) => seats))
  const free = Array.from({ length: capacity }, (_each, seat) => seat).filter((seat) => !taken.has(seat))
  const [last] = overlapping.slice(-1)
  return free.length >= party_size || !last ? { seats: free.slice(0, party_size) } : { inTheWay: last.id }
}
