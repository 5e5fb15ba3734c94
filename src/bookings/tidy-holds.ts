import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldClaims, deleteOldHolds } from './hold-queries.ts'

/** Hold records are kept a day after the hold has ended (contract: Success codes and bodies). */
const recordsKeptSeconds = 86_400

/** Claims of holds that have lapsed: their slots are free already, they only lie in the table. */
export const lapsedClaims: Chore = {
  name: 'lapsed claims',
  deleteBatch: ({ db }, most) => db.transaction((tx) => deleteOldClaims(tx.db, tx.now, most)),
}

/** Records of holds that ended more than a day ago. */
export const oldHolds: Chore = {
  name: 'old hold records',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldHolds(tx.db, plusSeconds(tx.now, -recordsKeptSeconds), most)),
}
