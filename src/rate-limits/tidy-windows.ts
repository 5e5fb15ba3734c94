import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldWindows } from './window-queries.ts'

/** The clocks of two servers may be a little apart: what is just over for one is not yet for the other. */
const marginSeconds = 60

/** Windows that are over, where they are rows of a table: in Redis they expire, in memory the oldest give way. */
export const oldWindows: Chore = {
  name: 'old windows of rate limits',
  deleteBatch: async ({ db }, most) =>
    db.engine === 'postgres'
      ? db.transaction((tx) => deleteOldWindows(tx.db, plusSeconds(tx.now, -marginSeconds), most))
      : 0,
}
