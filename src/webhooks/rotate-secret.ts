import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { plusSeconds } from '../instants.ts'
import { lockedWebhook } from './change-webhook.ts'
import { newSecret } from './sign-delivery.ts'
import { replaceSecret, type WebhookRow } from './webhook-queries.ts'

/** So long deliveries are signed with the secret before too. */
const overlapSeconds = 86_400

/**
 * Gives a webhook a new secret. For 24 hours `webhook-signature` verifies with either. Throws not_found, and
 * rotation_in_progress within those hours: a third secret would leave a receiver without any.
 */
export function rotateSecret(context: Context, actor: Actor, id: string): Promise<WebhookRow> {
  const secret = newSecret(context.ids)
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const { previous_secret_until: until } = webhook
    if (until !== null && until > tx.now) {
      throw new Problem(
        'rotation_in_progress',
        `The secret was changed less than 24 hours ago; the next change is possible from ${until} on.`,
      )
    }
    await replaceSecret(tx.db, webhook, { secret, until: plusSeconds(tx.now, overlapSeconds) })
    return { ...webhook, secret }
  })
}
