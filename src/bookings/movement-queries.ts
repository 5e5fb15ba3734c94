import { type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Reads } from '../database/database.ts'
import { isAmong } from '../database/json-rows.ts'
import type { PaymentsTable } from '../database/tables.ts'
import type { Discounted } from './item-discount-rules.ts'
import { withDiscounts } from './item-discount-rules.ts'
import type { FeeParts } from './movement-rules.ts'
import { itemsOfEach } from './numbers-queries.ts'
import { owes } from './payment-list-queries.ts'

/** From an instant to before another. */
export interface MovementSpan {
  starts_at: Instant
  ends_at: Instant
}

/** A lost dispute counts as a refund, because the bank took the money back. */
export type MovementType = 'payment' | 'refund'

/** In place of the number of a refund. */
export const disputeNumber = -1

/** Money that a client has paid, or got back. */
interface Movement {
  type: MovementType
  payment_id: string
  /** The number of the refund; 0 for a payment, and `disputeNumber` for a lost dispute. */
  number: number
  kind: PaymentsTable['kind']
  at: Instant
  /** In minor units, below zero for a refund. */
  amount: number
  currency: string
}

/** A movement, or an amount that is due, with its booking. Null where the booking was never made. */
export type ListedMovement = Movement & {
  booking_id: string | null
  starts_at: Instant | null
  client_first_name: string | null
  client_last_name: string | null
  service_name: string | null
  item_count: number | null
  provider: PaymentsTable['provider']
  /** Amount in minor units that has gone back of a payment until now. 0 for a refund. */
  refunded_amount: number
  /** For fees only: `late_cancel`, `no_show`, or the words of the person who charged it. */
  reason: string | null
  /** The dispute of a payment, or that which was lost. */
  dispute: PaymentsTable['dispute']
  timezone: string | null
}

interface AskedMovements {
  businessId: string
  serviceId: string | undefined
}

/** The last one of the page before. */
export type MovementCursor = readonly [at: Instant, paymentId: string, number: number]

function movementsIn(businessId: string, { starts_at, ends_at }: MovementSpan) {
  return sql`(
    select 'payment' as type, p.id as payment_id, 0 as number, p.kind, p.paid_at as at, p.amount as amount, p.currency,
           p.reason, p.booking_id, p.provider, p.dispute
      from payments as p
     where p.business_id = ${businessId} and p.paid_at >= ${starts_at} and p.paid_at < ${ends_at}
       and p.amount > 0 -- a saved card is no money
     union all
    select 'refund', r.payment_id, r.number, p.kind, r.refunded_at, -r.amount, p.currency, p.reason, p.booking_id,
           p.provider, cast(null as text)
      from refunds as r
           join payments as p on p.id = r.payment_id and p.business_id = r.business_id
     where r.business_id = ${businessId} and r.status = 'refunded'
       and r.refunded_at >= ${starts_at} and r.refunded_at < ${ends_at}
     union all
    select 'refund', p.id, ${sql.lit(disputeNumber)}, p.kind, p.disputed_at, p.refunded_amount - p.amount, p.currency,
           p.reason, p.booking_id, p.provider, p.dispute
      from payments as p
     where p.business_id = ${businessId} and p.dispute = 'lost'
       and p.disputed_at >= ${starts_at} and p.disputed_at < ${ends_at}) as m`
}

function isOfService(serviceId: string | undefined) {
  return serviceId === undefined
    ? sql``
    : sql`and (k.service_id = ${serviceId} or exists (
             select 1 from visit_items as i
              where i.visit_id = k.id and i.business_id = k.business_id and i.service_id = ${serviceId}))`
}

const shownBooking = sql`k.id as booking_id, k.starts_at, k.client_first_name, k.client_last_name, k.item_count,
           s.name as service_name, l.timezone`

function joinBooking(businessId: string, bookingId: string) {
  return sql`left join bookings as k on k.id = ${sql.ref(bookingId)} and k.business_id = ${businessId}
           left join services as s on s.id = k.service_id and s.business_id = k.business_id
           left join locations as l on l.id = k.location_id and l.business_id = k.business_id`
}

/** Finds payments and refunds of a span, the latest first, after a position. */
export async function findMovements(
  db: Reads,
  { businessId, serviceId }: AskedMovements,
  {
    span,
    type,
    after,
    rows: max,
  }: {
    span: MovementSpan
    type: MovementType | undefined
    after: MovementCursor | undefined
    rows: number
  },
): Promise<ListedMovement[]> {
  const [at, paymentId, number] = after ?? []
  const { rows } = await sql<Omit<ListedMovement, 'refunded_amount'> & { refunded_amount: number | string }>`
    select m.type, m.payment_id, m.number, m.kind, m.at, m.amount, m.currency, m.reason, m.provider, m.dispute,
           ${shownBooking},
           case when m.type = 'refund' then 0 else cast(coalesce((
             select sum(b.amount) from refunds as b
              where b.payment_id = m.payment_id and b.business_id = ${businessId} and b.status = 'refunded'), 0) as bigint)
           end as refunded_amount
      from ${movementsIn(businessId, span)}
           ${joinBooking(businessId, 'm.booking_id')}
     where 1 = 1 ${type === undefined ? sql`` : sql`and m.type = ${type}`} ${isOfService(serviceId)}
           ${after === undefined ? sql`` : sql`and (m.at, m.payment_id, m.number) < (${at}, ${paymentId}, ${number})`}
     order by m.at desc, m.payment_id desc, m.number desc
     limit ${max}`.execute(db)
  return rows.map((row) => ({ ...row, refunded_amount: Number(row.refunded_amount) }))
}

/** Finds amounts that are due, the latest first, after a position. */
export async function findDue(
  db: Reads,
  { businessId, serviceId }: AskedMovements,
  { after, rows: max }: { after: MovementCursor | undefined; rows: number },
): Promise<ListedMovement[]> {
  const [at, paymentId] = after ?? []
  const { rows } = await sql<ListedMovement>`
    select 'payment' as type, p.id as payment_id, 0 as number, p.kind, p.created_at as at, p.amount, p.currency,
           p.reason, p.provider, p.dispute, 0 as refunded_amount, ${shownBooking}
      from payments as p
           ${joinBooking(businessId, 'p.booking_id')}
     where p.business_id = ${businessId} and p.status = 'due' and p.amount > 0 and ${owes} ${isOfService(serviceId)}
           ${after === undefined ? sql`` : sql`and (p.created_at, p.id) < (${at}, ${paymentId})`}
     order by p.created_at desc, p.id desc
     limit ${max}`.execute(db)
  return rows
}

/** The amounts that are due in one currency, in minor units. */
export interface DueSum {
  currency: string
  count: number
  amount: number
}

/** Adds up what is due: the whole amounts that findDue lists. */
export async function sumDue(db: Reads, { businessId, serviceId }: AskedMovements): Promise<DueSum[]> {
  const { rows } = await sql<{ currency: string; count: number; amount: number | string }>`
    select p.currency, cast(count(*) as integer) as count, cast(sum(p.amount) as bigint) as amount
      from payments as p
           join bookings as k on k.id = p.booking_id and k.business_id = p.business_id
     where p.business_id = ${businessId} and p.status = 'due' and p.amount > 0 and ${owes} ${isOfService(serviceId)}
     group by p.currency
     order by p.currency`.execute(db)
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }))
}

/** A movement for one of the services of its booking. */
type MovedItem = Movement & {
  service_id: string | null
  staff_id: string | null
  /** The price of the service for all people, less the discount. 0 if it has none. */
  price: number
}

/** Finds payments and refunds of a span, once for each service of their bookings. The caller limits the span. */
export function findMovedItems(
  db: Reads,
  asked: { businessId: string; locationId?: string | undefined },
  span: MovementSpan,
): Promise<MovedItem[]> {
  return itemsOfMoney(db, movementsIn(asked.businessId, span), asked)
}

/** A part of a fee, or of a payment that was kept, for one of the services of its booking. */
type FeeItem = Omit<MovedItem, 'type'> & { type: keyof FeeParts; reason: 'late_cancel' | 'no_show' }

/**
 * Finds the fees of bookings in parts, and the payments in advance that missed and cancelled ones kept. The caller
 * limits their number.
 */
export function findFeeItems(
  db: Reads,
  { businessId, bookingIds }: { businessId: string; bookingIds: readonly string[] },
): Promise<FeeItem[]> {
  const ids = sql<string>`${JSON.stringify(bookingIds.map((id) => [id]))}`
  const part = (type: keyof FeeParts, number: number) => sql`
    select ${sql.lit(type)} as type, f.id as payment_id, ${sql.lit(number)} as number, f.kind, f.created_at as at,
           f.${sql.ref(type)} as amount, f.currency, f.booking_id, f.reason
      from f where f.${sql.ref(type)} > 0`
  // a lost dispute took the money back
  const back = sql`case when p.refund_requested_at is null and coalesce(p.dispute, '') <> 'lost' then p.refund_total
                          else p.amount end as back`
  const ofBookings = sql`p.business_id = ${businessId} and ${isAmong(db, [['p.booking_id', 'uuid']], ids)}`
  const parts = sql`(
    with f as (
      select p.*, case when p.status in ('paid', 'refunded') then p.amount - p.back else 0 end as received,
             case when p.status = 'waived' then p.amount else p.back end as waived,
             case when p.status in ('due', 'charging') then p.amount else 0 end as due
        from (select id, booking_id, kind, created_at, currency, status, amount, reason, ${back}
                from payments as p
               where ${ofBookings} and kind = 'fee'
                 and reason in ('late_cancel', 'no_show') and occasion like reason || '/%') as p)
    ${part('received', 0)} union all ${part('waived', 1)} union all ${part('due', 2)} union all
    select 'kept', p.id, 0, p.kind, p.created_at, p.amount - p.back, p.currency, p.booking_id,
           case when b.cancelled_at is null then 'no_show' else 'late_cancel' end
      from (select p.*, ${back} from payments as p where ${ofBookings} and p.kind in ('deposit', 'full')) as p
           join bookings as b on b.id = p.booking_id and b.business_id = ${businessId}
     where p.status = 'paid' and p.amount > p.back and (b.cancelled_at is not null or b.no_show_at is not null)) as m`
  return itemsOfMoney(db, parts, { businessId })
}

/** Finds amounts, once for each service of their bookings. */
async function itemsOfMoney<Item extends Pick<MovedItem, 'payment_id' | 'number'>>(
  db: Reads,
  amounts: RawBuilder<unknown>,
  { businessId, locationId }: { businessId: string; locationId?: string | undefined },
): Promise<Item[]> {
  const own = (column: string) =>
    sql.raw(`case when k.item_count is null then k.${column} else v.${column} end`)
  const { rows } = await sql<FoundItem>`
    select m.type, m.payment_id, m.number, m.kind, m.at, m.amount as moved, m.currency as moved_currency, m.reason,
           ${own('service_id')} as service_id, ${own('staff_id')} as staff_id,
           ${own('party_size')} as party_size,
           ${own('agreed_amount')} as amount, ${own('agreed_currency')} as currency, k.discount_json
      from ${amounts}
           left join bookings as k on k.id = m.booking_id and k.business_id = ${businessId}
           ${itemsOfEach(db)}
     where 1 = 1 ${locationId === undefined ? sql`` : sql`and k.location_id = ${locationId}`}
     order by m.at, m.payment_id, m.number, v.item`.execute(db)
  return withDiscounts(rows, movementName).map(
    ({ amount, currency: _, party_size, discount, moved, moved_currency, ...item }) => ({
      ...item,
      amount: moved,
      currency: moved_currency,
      price: amount === null ? 0 : amount * party_size - discount,
    }),
  ) as unknown as Item[] // the amounts decide its type
}

type FoundItem = Discounted<
  Omit<Movement, 'type' | 'amount' | 'currency'> & {
    type: string
    moved: number
    moved_currency: string
    service_id: string
    staff_id: string | null
    party_size: number
    amount: number | null
    currency: string | null
  }
>

/** Returns a name that all items of a movement share. */
export function movementName({ payment_id, number }: Pick<Movement, 'payment_id' | 'number'>): string {
  return `${payment_id} ${number}`
}
