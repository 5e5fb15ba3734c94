import { issueKey, type KeyRequest } from '../access/issue-key.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { isOrigin } from './business-rules.ts'
import { existingBusiness, existingHub } from './existing.ts'

/** Issues a key for a hub or a business that exists; the answer shows it for the only time. Throws a UsageError. */
export async function createKey(context: Context, request: KeyRequest): Promise<{ id: string; key: string }> {
  if (request.type === 'publishable') request.allowedOrigins?.forEach(checkOrigin)
  return context.db.transaction(async (tx) => {
    if (request.type === 'hub') {
      return issueKey(context, tx, { ...request, hubId: (await existingHub(tx.db, request.hubId)).id })
    }
    return issueKey(context, tx, {
      ...request,
      businessId: (await existingBusiness(tx.db, request.businessId)).id,
    })
  })
}

function checkOrigin(text: string): void {
  if (isOrigin(text)) return
  throw new UsageError(`"${text}" is not an origin; the form is https://www.example.com, without a path.`)
}
