import type { Queries } from '../database/database.ts'
import type { PaymentsTable, SandboxCheckoutsTable } from '../database/payment-tables.ts'
import type { Instant } from '../instants.ts'

/** A checkout of the sandbox with what is to be paid. */
export type SandboxCheckout = SandboxCheckoutsTable &
  Pick<PaymentsTable, 'amount' | 'currency' | 'expires_at'>

/** Writes a checkout, or finds the one of the same payment: its reference. */
export async function insertSandboxCheckout(db: Queries, checkout: SandboxCheckoutsTable): Promise<string> {
  await db
    .insertInto('sandbox_checkouts')
    .values(checkout)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { reference } = await db
    .selectFrom('sandbox_checkouts')
    .select('reference')
    .where('payment_id', '=', checkout.payment_id)
    .executeTakeFirstOrThrow()
  return reference
}

function selectCheckouts(db: Queries) {
  return db
    .selectFrom('sandbox_checkouts as c')
    .innerJoin('payments as p', 'p.id', 'c.payment_id')
    .selectAll('c')
    .select(['p.amount', 'p.currency', 'p.expires_at'])
}

/** A checkout by its secret reference. */
export function findSandboxCheckout(db: Queries, reference: string): Promise<SandboxCheckout | undefined> {
  return selectCheckouts(db).where('c.reference', '=', reference).executeTakeFirst()
}

/** The checkout of a payment. */
export function findSandboxCheckoutOf(db: Queries, paymentId: string): Promise<SandboxCheckout | undefined> {
  return selectCheckouts(db).where('c.payment_id', '=', paymentId).executeTakeFirst()
}

/** Pays or closes an open checkout; one that is paid or closed stays so. */
export async function closeSandboxCheckout(
  db: Queries,
  paymentId: string,
  status: 'paid' | 'expired',
): Promise<void> {
  await db
    .updateTable('sandbox_checkouts')
    .set({ status })
    .where('payment_id', '=', paymentId)
    .where('status', '=', 'open')
    .execute()
}

/** Gives back what was paid at a checkout, once. */
export async function refundSandboxCheckout(db: Queries, paymentId: string, now: Instant): Promise<void> {
  await db
    .updateTable('sandbox_checkouts')
    .set({ refunded_at: now })
    .where('payment_id', '=', paymentId)
    .where('status', '=', 'paid')
    .where('refunded_at', 'is', null)
    .execute()
}

/** Deletes up to `most` checkouts from before an instant that are over. Tells how many. */
export async function deleteOldSandboxCheckouts(db: Queries, before: Instant, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sandbox_checkouts')
    .where('reference', 'in', (old) =>
      old
        .selectFrom('sandbox_checkouts as c')
        .select('c.reference')
        .where('c.created_at', '<', before)
        // not a join, which SQLite would begin with all payments
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('payments as p')
              .select('p.id')
              .whereRef('p.id', '=', 'c.payment_id')
              .where('p.next_look_at', 'is', null)
              .where('p.status', 'in', ['expired', 'refunded']),
          ),
        )
        .limit(most),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
