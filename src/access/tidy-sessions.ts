import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldSessions } from './access-queries.ts'

/** An expired session is told from an unknown one for a day; it can be refreshed for a quarter of an hour. */
const sessionsKeptSeconds = 86_400

/** Sessions that expired more than a day ago. Holds and bookings belong to their owner id, not to a row here. */
export const oldSessions: Chore = {
  name: 'old sessions',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldSessions(tx.db, plusSeconds(tx.now, -sessionsKeptSeconds), most)),
}
