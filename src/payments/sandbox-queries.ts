import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type {
  BusinessesTable,
  PaymentsTable,
  SandboxCard,
  SandboxCheckoutsTable,
  SandboxRefundsTable,
} from '../database/tables.ts'

export type SandboxCheckout = SandboxCheckoutsTable &
  Pick<PaymentsTable, 'business_id' | 'kind' | 'saves_card' | 'amount' | 'currency' | 'expires_at'> &
  Pick<BusinessesTable, 'is_test' | 'test_now'> & {
    /** The language of the client's booking. */
    locale: string | null
    /** When the client's booking was confirmed. It stands without the payment. */
    confirmed_at: Instant | null
  }

/** Returns the reference of the payment's checkout, new or existing. Reopens one that has ended. */
export async function insertSandboxCheckout(db: Queries, checkout: SandboxCheckoutsTable): Promise<string> {
  await db
    .insertInto('sandbox_checkouts')
    .values(checkout)
    .onConflict((conflict) =>
      conflict
        .column('payment_id')
        .doUpdateSet({ status: 'open' })
        .where('sandbox_checkouts.status', '=', 'expired'),
    )
    .execute()
  const { reference } = await db
    .selectFrom('sandbox_checkouts')
    .select('reference')
    .where('payment_id', '=', checkout.payment_id)
    .executeTakeFirstOrThrow()
  return reference
}

function selectCheckouts(db: Reads) {
  return db
    .selectFrom('sandbox_checkouts as c')
    .innerJoin('payments as p', 'p.id', 'c.payment_id')
    .innerJoin('businesses as i', 'i.id', 'p.business_id')
    .leftJoin('bookings as b', 'b.id', 'p.booking_id')
    .selectAll('c')
    .select([
      'p.business_id',
      'i.is_test',
      'i.test_now',
      'p.kind',
      'p.saves_card',
      'p.amount',
      'p.currency',
      'p.expires_at',
      'b.locale',
      'b.confirmed_at',
    ])
}

export function findSandboxCheckout(db: Reads, reference: string): Promise<SandboxCheckout | undefined> {
  return selectCheckouts(db).where('c.reference', '=', reference).executeTakeFirst()
}

export function findSandboxCheckoutOf(db: Reads, paymentId: string): Promise<SandboxCheckout | undefined> {
  return selectCheckouts(db).where('c.payment_id', '=', paymentId).executeTakeFirst()
}

/** Records a charge to a saved card, once. */
export async function insertSandboxCharge(db: Queries, charge: SandboxCheckoutsTable): Promise<void> {
  await db
    .insertInto('sandbox_checkouts')
    .values(charge)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Pays or closes a checkout, if open. A paid one may save a card. */
export async function closeSandboxCheckout(
  db: Queries,
  paymentId: string,
  { status, card = null }: { status: 'paid' | 'expired'; card?: SandboxCard | null },
): Promise<void> {
  await db
    .updateTable('sandbox_checkouts')
    .set({ status, card })
    .where('payment_id', '=', paymentId)
    .where('status', '=', 'open')
    .execute()
}

/** Forgets the card that a checkout saved. */
export async function forgetSandboxCard(db: Queries, paymentId: string): Promise<void> {
  await db.updateTable('sandbox_checkouts').set({ card: null }).where('payment_id', '=', paymentId).execute()
}

/** Makes the refunds of a checkout that are missing. Returns all of them. */
export async function refundSandboxCheckout(
  db: Queries,
  { id, wanted, now }: { id: string; wanted: readonly { number: number; amount: number }[]; now: Instant },
): Promise<SandboxRefundsTable[]> {
  if (wanted.length > 0) {
    await db
      .insertInto('sandbox_refunds')
      .values(wanted.map((one) => ({ payment_id: id, ...one, refunded_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await db
      .updateTable('sandbox_checkouts')
      .set({ refunded_at: now })
      .where('payment_id', '=', id)
      .where('refunded_at', 'is', null)
      .execute()
  }
  return db.selectFrom('sandbox_refunds').selectAll().where('payment_id', '=', id).orderBy('number').execute()
}

/** Deletes up to `max` ended checkouts older than an instant and returns their number. */
export async function deleteOldSandboxCheckouts(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sandbox_checkouts')
    .where('reference', 'in', (old) =>
      old
        .selectFrom('sandbox_checkouts as c')
        .select('c.reference')
        .where('c.created_at', '<', before)
        // not a join: SQLite would scan all payments first
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('payments as p')
              .select('p.id')
              .whereRef('p.id', '=', 'c.payment_id')
              .where('p.next_check_at', 'is', null)
              .where('p.status', 'in', ['expired', 'refunded']),
          ),
        )
        .limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
