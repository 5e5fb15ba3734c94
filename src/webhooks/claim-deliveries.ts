import type { Context } from '../context.ts'
import { plusSeconds, type Instant } from '../instants.ts'
import { findDueDeliveries, findDueWebhooks, type DueDelivery, type Wanted } from './due-delivery-queries.ts'
import { endLeases, leaseWebhooks, type LeasedWebhook } from './lease-queries.ts'

/**
 * How long a webhook is one server's: what was in its hands when it was killed, others take over after this. Longer than
 * it takes to send and to write what came of it; who has work in hand leases anew in time.
 */
export const leaseSeconds = 30

/** The webhooks that have something to send, also where that is in somebody's hands. */
export function dueWebhooks({ db, clock }: Context): Promise<string[]> {
  return findDueWebhooks(db.reads, clock.now())
}

/** What a server gets of what it wants. */
export interface Claim {
  leased: LeasedWebhook[]
  until: Instant
  due: DueDelivery[]
}

/**
 * Leases webhooks for a server, as far as they are no other's: until the end of a lease nobody else sends to them. Then
 * gives due deliveries of the wanted ones, without those that the server has in hand: the lease of the webhook is theirs, so
 * that nothing is written about each of them.
 */
export function claimDeliveries(
  { db }: Context,
  { wanted, toLease, by }: { wanted: Wanted[]; toLease: string[]; by: string },
): Promise<Claim> {
  return db.transaction(async (tx) => {
    const { now } = tx
    const until = plusSeconds(now, leaseSeconds)
    const lease = { by, now, until }
    const leased = toLease.length > 0 ? await leaseWebhooks(tx.db, db.engine, { ids: toLease, lease }) : []
    const missing = new Set(toLease).difference(new Set(leased.map(({ id }) => id)))
    const held = wanted.filter(({ id }) => !missing.has(id))
    const due = held.length > 0 ? await findDueDeliveries(tx.db, db.engine, { wanted: held, by, now }) : []
    return { leased, until, due }
  })
}

/** Lets other servers send to webhooks of which this one has nothing in hand. */
export function leaveLeases({ db }: Context, { ids, by }: { ids: string[]; by: string }): Promise<void> {
  return db.transaction((tx) => endLeases(tx.db, db.engine, { ids, by }))
}
