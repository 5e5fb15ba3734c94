import type { Reads } from '../database/database.ts'
import type { PaymentsTable } from '../database/tables.ts'

export type ListedPayment = Pick<
  PaymentsTable,
  | ('id' | 'kind' | 'amount' | 'currency' | 'status' | 'paid_at' | 'refund_total' | 'refunded_amount')
  | ('reason' | 'failure' | 'dispute')
>

/** Finds what was paid or is due for a booking, the oldest first. */
export function findPaymentsOf(
  db: Reads,
  { id, business_id: businessId }: { id: string; business_id: string },
): Promise<ListedPayment[]> {
  return db
    .selectFrom('payments')
    .select(['id', 'kind', 'amount', 'currency', 'status', 'paid_at', 'refund_total', 'refunded_amount'])
    .select(['reason', 'failure', 'dispute'])
    .where('booking_id', '=', id)
    .where('business_id', '=', businessId)
    .where('status', 'in', ['due', 'paid', 'refunded', 'charging', 'waived'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
