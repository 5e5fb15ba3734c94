import { sql } from 'kysely'
import type { Reads } from '../database/database.ts'
import { isAmong } from '../database/json-rows.ts'
import type { PaymentsTable } from '../database/tables.ts'
import type { BookingRow } from '../database/shown-booking.ts'
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

/** An amount that a client owes, or a card that they saved, with its booking. */
export type ClientMoney = Pick<
  PaymentsTable,
  'id' | 'kind' | 'amount' | 'currency' | 'status' | 'reason' | 'booking_id'
> &
  CardColumns &
  Pick<BookingRow, 'starts_at' | 'service_name' | 'item_count' | 'timezone'>

/** A booking that ends unless it is paid owes nothing. */
export const owes = sql<boolean>`(k.confirmed_at is not null or k.status <> 'pending')`

/** Finds what a client owes and the cards that they saved, those of the latest bookings first. */
export async function findMoneyOfClient(
  db: Reads,
  { id, business_id: businessId }: { id: string; business_id: string },
  max: number,
): Promise<ClientMoney[]> {
  const { rows } = await sql<ClientMoney>`
    select p.id, p.kind, p.amount, p.currency, p.status, p.reason, p.booking_id, p.saves_card, p.paid_at,
           p.card_brand, p.card_last_four, p.card_removal_requested_at, p.card_removed_at,
           k.starts_at, k.item_count, s.name as service_name, l.timezone
      from bookings as k
           join payments as p on p.booking_id = k.id and p.business_id = k.business_id
           join services as s on s.id = k.service_id and s.business_id = k.business_id
           join locations as l on l.id = k.location_id and l.business_id = k.business_id
     where k.business_id = ${businessId} and k.client_id = ${id}
       and (p.status in ('due', 'charging') and p.amount > 0 and ${owes}
         or p.saves_card = 1 and p.paid_at is not null and p.card_removed_at is null)
     order by k.starts_at desc, p.id
     limit ${max}`.execute(db)
  return rows
}

function isOfBookings(db: Reads, bookings: readonly { id: string; business_id: string }[]) {
  const keys = JSON.stringify(bookings.map(({ business_id, id }) => [business_id, id]))
  const columns = [
    ['business_id', 'uuid'],
    ['booking_id', 'uuid'],
  ] as const
  return isAmong(db, columns, sql<string>`${keys}`)
}
