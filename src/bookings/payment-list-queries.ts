import { sql } from 'kysely'
import type { Reads } from '../database/database.ts'
import { isAmong } from '../database/json-rows.ts'
import type { PaymentsTable } from '../database/tables.ts'

export type ListedPayment = Pick<
  PaymentsTable,
  | ('id' | 'kind' | 'amount' | 'currency' | 'status' | 'paid_at' | 'refund_total' | 'refunded_amount')
  | ('reason' | 'failure' | 'dispute')
>

const shownStatuses = ['due', 'paid', 'refunded', 'charging', 'waived'] as const

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
    .where('status', 'in', shownStatuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Finds the fees of bookings, the oldest first. */
export function findFeesOf(
  db: Reads,
  bookings: readonly { id: string; business_id: string }[],
): Promise<
  Pick<PaymentsTable, 'id' | 'booking_id' | 'amount' | 'currency' | 'status' | 'refund_total' | 'reason'>[]
> {
  const keys = JSON.stringify(bookings.map(({ business_id, id }) => [business_id, id]))
  const columns = [
    ['business_id', 'uuid'],
    ['booking_id', 'uuid'],
  ] as const
  return db
    .selectFrom('payments')
    .select(['id', 'booking_id', 'amount', 'currency', 'status', 'refund_total', 'reason'])
    .where(isAmong(db, columns, sql<string>`${keys}`))
    .where('kind', '=', 'fee')
    .where('status', 'in', shownStatuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
