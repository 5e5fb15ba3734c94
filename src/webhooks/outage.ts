import { formatInstant, plusSeconds } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import type { Context } from './context.ts'
import type { DeliveryResult } from './delivery.ts'
import { recordOtherEvent } from './event.ts'
import { endOutages, type LongOutage, noteFailures } from './outage-queries.ts'

/*
 * An outage of a webhook: since its first failed attempt, no later attempt has succeeded. The first failure after a day
 * reports it, once. A success ends it, and so does a new URL or enabling the webhook again.
 *
 * Guarantees: of several servers, one reports an outage, in the transaction that decides it. Attempts that succeed at a
 * healthy webhook cost no statement.
 */

/** An outage is reported from this age on. */
const reportAfterSeconds = 86_400

/** Notifies the owner of a webhook in the transaction that reports the outage. */
export type TellOwner = (tx: Transaction, webhook: LongOutage) => Promise<void>

/** The webhooks whose outage may begin, end or need a report. */
interface OutageChanges {
  working: string[]
  failing: string[]
}

/** Compares the results of attempts with their webhooks as they were leased. A success outweighs the failures around it. */
export function outageChanges(
  { now }: Pick<Transaction, 'now'>,
  results: readonly DeliveryResult[],
): OutageChanges {
  const day = plusSeconds(now, -reportAfterSeconds)
  const attempted = results.filter(({ attempt, disablesWebhook }) => attempt && !disablesWebhook)
  const idsOf = (some: readonly DeliveryResult[]) => new Set(some.map(({ delivery }) => delivery.webhook_id))
  const succeeded = attempted.filter(({ attempt }) => attempt?.error === null)
  const works = idsOf(succeeded)
  const failing = attempted.filter(({ delivery: { webhook_id, failing_since, told_at } }) => {
    const isKnown = failing_since !== null && (told_at !== null || failing_since > day)
    return !works.has(webhook_id) && !isKnown
  })
  return {
    working: [...idsOf(succeeded.filter(({ delivery }) => delivery.failing_since !== null))],
    failing: [...idsOf(failing)],
  }
}

/** Writes outages and reports long ones. Call it with the webhooks locked, because several rows change. */
export async function writeOutages(
  context: Pick<Context, 'db' | 'ids' | 'dueDeliveries'>,
  tx: Transaction,
  { working, failing, tellOwner }: OutageChanges & { tellOwner: TellOwner },
): Promise<void> {
  if (working.length > 0) await endOutages(tx.db, working)
  if (failing.length === 0) return
  const day = plusSeconds(tx.now, -reportAfterSeconds)
  for (const webhook of await noteFailures(tx.db, failing, { now: tx.now, day })) {
    const { id, business_id: businessId, hub_id: hubId, timezone, url, failing_since } = webhook
    await recordOtherEvent(context, tx, {
      ...{ type: 'webhook.failing', businessId, hubId, subjectId: id, timezone, exceptWebhookId: id },
      data: { id, url: withoutSecrets(url), failing_since: formatInstant(failing_since, timezone) },
    })
    await tellOwner(tx, webhook)
  }
}

/** Returns a URL without its query and credentials. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
