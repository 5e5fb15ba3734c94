import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { insertApiKey } from './access-queries.ts'
import { lastFour, newToken, tokenDigest } from './token-format.ts'

/** Whose key it is to be, and for what. */
export type KeyRequest =
  | { type: 'hub'; hubId: string }
  | { type: 'business'; businessId: string }
  | { type: 'publishable'; businessId: string; allowedOrigins?: string[] }

/** Makes a key and tells it: the only time that it can be seen. */
export async function issueKey(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  request: KeyRequest,
): Promise<{ id: string; key: string }> {
  const key = newToken(request.type, context.ids)
  const id = context.ids.next()
  const origins = request.type === 'publishable' ? request.allowedOrigins : undefined
  await insertApiKey(tx.db, {
    id,
    type: request.type,
    hub_id: request.type === 'hub' ? request.hubId : null,
    business_id: request.type === 'hub' ? null : request.businessId,
    digest: tokenDigest(key),
    last_four: lastFour(key),
    allowed_origins_json: origins ? JSON.stringify(origins) : null,
    created_at: tx.now,
    revoked_at: null,
  })
  return { id, key }
}
