import type { Chore } from '../housekeeping.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldEvents, deleteUnusedPayments } from './payment-queries.ts'
import { deleteOldSandboxCheckouts } from './sandbox-queries.ts'

/** Stripe sends an event again for at most three days. */
const keptSeconds = 30 * 86_400
/** What is older was looked at while it was as old: payments of bookings stay, and more of them every day. */
const lookedAtSeconds = 7 * 86_400

/** Notes of events that do not come again. */
export const oldProcessorEvents: Chore = {
  name: 'old events of the payment processor',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldEvents(tx.db, plusSeconds(tx.now, -keptSeconds), most)),
}

/** Checkouts of the sandbox; before what they are of. */
export const oldSandboxCheckouts: Chore = {
  name: 'old sandbox checkouts',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldSandboxCheckouts(tx.db, plusSeconds(tx.now, -keptSeconds), most)),
}

/** Checkouts that nobody paid and no booking came of. */
export const unusedPayments: Chore = {
  name: 'unused checkouts',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => {
      const before = plusSeconds(tx.now, -keptSeconds)
      return deleteUnusedPayments(tx.db, { from: plusSeconds(before, -lookedAtSeconds), before }, most)
    }),
}
