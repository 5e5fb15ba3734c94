import type { Reads } from '../database/database.ts'

/** Reads the latest deposits of a business with their bookings, the newest first. */
export function findDeposits(db: Reads, businessId: string, max: number) {
  return db
    .selectFrom('payments as p')
    .innerJoin('bookings as b', (join) =>
      join.onRef('b.id', '=', 'p.booking_id').onRef('b.business_id', '=', 'p.business_id'),
    )
    .innerJoin('services as s', 's.id', 'b.service_id')
    .innerJoin('locations as l', 'l.id', 'b.location_id')
    .select(['b.starts_at', 's.name as service_name', 'l.timezone'])
    .select(['p.id', 'p.booking_id', 'p.amount', 'p.currency', 'p.status', 'p.created_at', 'p.paid_at'])
    .select(['p.refund_requested_at', 'p.refunded_at', 'b.client_first_name', 'b.client_last_name'])
    .where('p.business_id', '=', businessId)
    .where('p.status', 'in', ['due', 'paid', 'refunded'])
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id', 'desc')
    .limit(max)
    .execute()
}
