import { validationProblem } from '../base/errors.ts'
import { plusSeconds } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import { touchImages } from './image-queries.ts'
import { checkSeconds, type NamedImage } from './image-rules.ts'

/** Keeps the pictures that a change names. Throws validation_failed for those that the business lacks. */
export async function keepImages(
  tx: Transaction,
  businessId: string,
  named: readonly NamedImage[],
): Promise<void> {
  if (named.length === 0) return
  const digests = named.map(({ digest }) => digest)
  const checkAt = plusSeconds(tx.now, checkSeconds)
  const kept = new Set(await touchImages(tx.db, { businessId, digests, checkAt }))
  const unknown = named.filter(({ digest }) => !kept.has(digest))
  if (unknown.length === 0) return
  const detail = 'is not a picture of this business; upload it first'
  throw validationProblem(unknown.map(({ pointer }) => ({ pointer, code: 'unknown_reference', detail })))
}
