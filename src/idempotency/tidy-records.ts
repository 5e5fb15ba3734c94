import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldRecords } from './idempotency-queries.ts'
import { keptSeconds } from './answer-once.ts'

/** Kept answers that no repetition can get any more. */
export const oldRecords: Chore = {
  name: 'kept answers',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldRecords(tx.db, plusSeconds(tx.now, -keptSeconds), most)),
}
