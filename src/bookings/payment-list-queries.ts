import { sql } from 'kysely'
import type { Reads } from '../database/database.ts'
import { isAmong } from '../database/json-rows.ts'
import type { PaymentsTable } from '../database/tables.ts'
import type { CardColumns } from './saved-card-rules.ts'

export type ListedPayment = Pick<
  PaymentsTable,
  | ('id' | 'kind' | 'amount' | 'currency' | 'status' | 'paid_at' | 'refund_total' | 'refunded_amount')
  | ('reason' | 'failure' | 'dispute' | 'saves_card')
  | ('card_brand' | 'card_last_four' | 'card_removal_requested_at' | 'card_removed_at')
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
    .select(['reason', 'failure', 'dispute', 'saves_card'])
    .select(['card_brand', 'card_last_four', 'card_removal_requested_at', 'card_removed_at'])
    .where('booking_id', '=', id)
    .where('business_id', '=', businessId)
    .where('status', 'in', shownStatuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Finds what is shown of the saved cards of bookings, the oldest first. */
export function findCardsOf(
  db: Reads,
  bookings: readonly { id: string; business_id: string }[],
): Promise<(CardColumns & Pick<PaymentsTable, 'booking_id'>)[]> {
  return db
    .selectFrom('payments')
    .select(['booking_id', 'saves_card', 'paid_at', 'card_brand', 'card_last_four'])
    .select(['card_removal_requested_at', 'card_removed_at'])
    .where(isOfBookings(db, bookings))
    .where('saves_card', '=', 1)
    .where('paid_at', 'is not', null)
    .where('card_removed_at', 'is', null)
    .orderBy('paid_at')
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
  return db
    .selectFrom('payments')
    .select(['id', 'booking_id', 'amount', 'currency', 'status', 'refund_total', 'reason'])
    .where(isOfBookings(db, bookings))
    .where('kind', '=', 'fee')
    .where('status', 'in', shownStatuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

function isOfBookings(db: Reads, bookings: readonly { id: string; business_id: string }[]) {
  const keys = JSON.stringify(bookings.map(({ business_id, id }) => [business_id, id]))
  const columns = [
    ['business_id', 'uuid'],
    ['booking_id', 'uuid'],
  ] as const
  return isAmong(db, columns, sql<string>`${keys}`)
}
