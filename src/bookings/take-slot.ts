import type { Resource } from '../availability/resource-rules.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import type { ClaimsTable } from '../database/tables.ts'
import {
  insertClaim,
  look,
  removeHoldClaims,
  removeLapsedClaims,
  type Look,
  type LookRequest,
} from './claim-queries.ts'
import { candidates, conflict, lapsed, type Candidate } from './claim-rules.ts'
import { releaseHolds } from './hold-queries.ts'

/** Which slot is to be taken, by whom. */
export interface SlotRequest extends LookRequest {
  claimId: string
  resources: Resource[]
  /** What the claim is for: a hold with its expiry and owner, or a booking. */
  purpose: Pick<ClaimsTable, 'booking_id' | 'expires_at' | 'owner_id'>
}

/** How often all free seats are tried: those that a rival took meanwhile are seen in the second look. */
const rounds = 2

/**
 * Takes the best free seat, or throws slot_held or slot_booked when none is left. The look only
 * orders the tries: the schema decides each of them, and holds that have lapsed count as gone.
 */
export async function takeSlot(tx: Transaction, request: SlotRequest, firstLook: Look): Promise<Candidate> {
  let seen = firstLook
  for (let round = 1; ; round += 1) {
    // the look may have been at more resources than those that the rules leave
    const claims = seen.claims.filter(({ resource_id }) =>
      request.resources.some(({ id }) => id === resource_id),
    )
    const among = { claims, now: tx.now, ownerId: request.session?.ownerId }
    const free = candidates({
      ...among,
      resources: request.resources,
      bookingsOfDay: seen.bookingsOfDay,
      rotation: Number.parseInt(request.claimId.slice(-4), 16),
    })
    for (const candidate of free) {
      if (await tryCandidate(tx, request, { candidate, seen })) return candidate
      // a hold was given up for this seat alone: begin anew rather than lose it for nothing
      if (candidate.givesUp.length > 0) throw new Repeat('a seat for which a hold was given up is gone')
    }
    if (free.length === 0 || round === rounds) throw conflict(among)
    seen = await look(tx.db, request)
  }
}

async function tryCandidate(
  tx: Transaction,
  request: SlotRequest,
  { candidate, seen }: { candidate: Candidate; seen: Look },
): Promise<boolean> {
  const { resource, seat, givesUp } = candidate
  const gone = lapsed(seen.claims, resource, tx.now)
  if (gone.length > 0) await removeLapsedClaims(tx.db, gone, tx.now)
  if (givesUp.length > 0) await giveUpHolds(tx, request.businessId, givesUp)
  return insertClaim(tx.db, {
    id: request.claimId,
    business_id: request.businessId,
    resource_id: resource.id,
    seat,
    occurrence_id: resource.occurrenceId,
    ...request.taken,
    ...request.purpose,
  })
}

/** Releases holds for good: their slots are free as soon as the transaction commits. */
export async function giveUpHolds(tx: Transaction, businessId: string, ids: string[]): Promise<void> {
  await removeHoldClaims(tx.db, businessId, ids)
  await releaseHolds(tx.db, { businessId, ids, now: tx.now })
}
