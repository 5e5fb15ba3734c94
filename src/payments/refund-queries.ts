import type { Queries, Reads } from '../database/database.ts'
import type { RefundsTable } from '../database/tables.ts'

export type RefundRow = RefundsTable

/** Finds the refunds of a payment, in the order of their numbers. Lock the payment first to change them. */
export function findRefunds(db: Reads, paymentId: string): Promise<RefundsTable[]> {
  return db.selectFrom('refunds').selectAll().where('payment_id', '=', paymentId).orderBy('number').execute()
}

/** Adds a refund. Its number is unique for the payment. */
export async function insertRefund(db: Queries, refund: RefundsTable): Promise<void> {
  await db.insertInto('refunds').values(refund).execute()
}

/** Writes what the processor reports of a refund. */
export async function updateRefund(
  db: Queries,
  { payment_id, number }: Pick<RefundsTable, 'payment_id' | 'number'>,
  changes: Partial<Pick<RefundsTable, 'status' | 'processor_reference' | 'refunded_at'>>,
): Promise<void> {
  await db
    .updateTable('refunds')
    .set(changes)
    .where('payment_id', '=', payment_id)
    .where('number', '=', number)
    .execute()
}
