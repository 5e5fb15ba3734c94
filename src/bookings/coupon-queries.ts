import { type Insertable, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { CouponsTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { type Discounted, withDiscounts } from './item-discount-rules.ts'
import { itemsOfEach } from './numbers-queries.ts'

/** A coupon with the zone of its business. */
export type CouponRow = CouponsTable & { timezone: string }

function selectCoupons(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('coupons as c')
    .innerJoin('businesses as b', 'b.id', 'c.business_id')
    .selectAll('c')
    .select('b.timezone')
    .where(inScope('c.business_id', scope))
}

/** Finds a coupon; undefined if it is out of scope. */
export function findCoupon(db: Reads, scope: TenantScope, id: string): Promise<CouponRow | undefined> {
  return selectCoupons(db, scope).where('c.id', '=', id).executeTakeFirst()
}

/** Finds a coupon of a business by its stored code. */
export function findByCode(
  db: Reads,
  { businessId, code }: { businessId: string; code: string },
): Promise<CouponRow | undefined> {
  return selectCoupons(db, { businessId }).where('c.code', '=', code).executeTakeFirst()
}

/** Finds coupons in scope by their codes, after a position. */
export function findCoupons(
  db: Reads,
  scope: TenantScope,
  {
    businessId,
    after,
    rows,
  }: { businessId: string | undefined; after: readonly [code: string, id: string] | undefined; rows: number },
): Promise<CouponRow[]> {
  let query = selectCoupons(db, scope)
  if (businessId !== undefined) query = query.where('c.business_id', '=', businessId)
  if (after) {
    const [code, id] = after
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('c.code', 'c.id'), '>', tuple(code, id)))
  }
  return query.orderBy('c.code').orderBy('c.id').limit(rows).execute()
}

/** Adds a coupon. Returns false if the business has one with this code. */
export async function insertCoupon(db: Queries, coupon: Insertable<CouponsTable>): Promise<boolean> {
  const added = await db
    .insertInto('coupons')
    .values(coupon)
    .onConflict((conflict) => conflict.columns(['business_id', 'code']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

/** Locks a coupon until the transaction ends, so that nobody uses it meanwhile. */
export function lockCoupon(
  db: Queries,
  { business_id, id }: Pick<CouponsTable, 'business_id' | 'id'>,
): Promise<CouponsTable | undefined> {
  return db
    .selectFrom('coupons')
    .selectAll()
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Writes a coupon, except its uses. Returns false if another one of the business has the code. Lock it first. */
export async function updateCoupon(db: Queries, { uses: _, ...coupon }: CouponsTable): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('coupons')
    .set(coupon)
    .where('business_id', '=', coupon.business_id)
    .where('id', '=', coupon.id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('coupons as other')
            .select('other.id')
            .where('other.business_id', '=', coupon.business_id)
            .where('other.code', '=', coupon.code)
            .where('other.id', '<>', coupon.id),
        ),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Deletes a coupon. Bookings keep what was agreed. */
export async function deleteCouponRow(
  db: Queries,
  { business_id, id }: Pick<CouponsTable, 'business_id' | 'id'>,
): Promise<void> {
  await db.deleteFrom('coupons').where('business_id', '=', business_id).where('id', '=', id).execute()
}

/**
 * Counts one more use of a coupon, if it may be used now. Returns the coupon with this use. The statement decides between
 * two bookings that want the last use.
 */
export function countUse(
  db: Queries,
  { businessId, code, now }: { businessId: string; code: string; now: Instant },
): Promise<CouponsTable | undefined> {
  return db
    .updateTable('coupons')
    .set(({ eb }) => ({ uses: eb('uses', '+', 1) }))
    .where('business_id', '=', businessId)
    .where('code', '=', code)
    .where('active', '=', 1)
    .where(({ eb, or }) => or([eb('valid_from', 'is', null), eb('valid_from', '<=', now)]))
    .where(({ eb, or }) => or([eb('valid_until', 'is', null), eb('valid_until', '>', now)]))
    .where(({ eb, or, ref }) => or([eb('max_uses', 'is', null), eb('uses', '<', ref('max_uses'))]))
    .returningAll()
    .executeTakeFirst()
}

/** Counts the uses of a coupon by one address. Lock the coupon first. */
export async function countUsesOf(
  db: Reads,
  { couponId, businessId, email }: { couponId: string; businessId: string; email: string },
): Promise<number> {
  const { uses } = await db
    .selectFrom('bookings as b')
    .select(({ fn }) => fn.countAll<number>().as('uses'))
    .where('b.coupon_id', '=', couponId)
    .where('b.business_id', '=', businessId)
    .where(sql<boolean>`lower(b.client_email) = lower(${email})`)
    .where(({ eb, or, ref }) =>
      or([eb('b.cancelled_at', 'is', null), eb('b.cancelled_at', '>=', ref('b.starts_at'))]),
    )
    .executeTakeFirstOrThrow()
  return uses
}

/** Services that a coupon made cheaper. Equal ones of bookings with a single service are one row. */
interface ReducedItem {
  /** Shared by the services of a visit. */
  visit: string
  /** Number of bookings. */
  bookings: number
  service_id: string
  party_size: number
  /** For one person, in minor units. */
  amount: number | null
  currency: string | null
}

/** Finds what the uses of a coupon have taken off, by service. Reads its bookings by their index. */
export async function findReductions(
  db: Reads,
  { id, business_id }: Pick<CouponsTable, 'id' | 'business_id'>,
): Promise<(ReducedItem & { discount: number })[]> {
  const own = (column: string) =>
    sql.raw(`case when k.item_count is null then k.${column} else v.${column} end`)
  const { rows } = await sql<Discounted<Omit<ReducedItem, 'visit'> & { visit: string | null }>>`
    select case when k.item_count is null then null else k.id end as visit, v.item,
           ${own('service_id')} as service_id, ${own('party_size')} as party_size,
           ${own('agreed_amount')} as amount, ${own('agreed_currency')} as currency,
           cast(k.discount_json as text) as discount_json, cast(count(*) as integer) as bookings
      from bookings as k
           ${itemsOfEach(db)}
     where k.coupon_id = ${id} and k.business_id = ${business_id}
       and (k.cancelled_at is null or k.cancelled_at >= k.starts_at)
     group by 1, 2, 3, 4, 5, 6, 7
     order by 1, 2`.execute(db)
  const named = rows.map((row, index) => ({ ...row, visit: row.visit ?? String(index) }))
  return withDiscounts(named, ({ visit }) => visit)
}

/** Returns true if a business has a coupon that is in use. */
export async function findAnyCoupon(db: Reads, businessId: string): Promise<boolean> {
  const coupon = await db
    .selectFrom('coupons')
    .select('id')
    .where('business_id', '=', businessId)
    .where('active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return coupon !== undefined
}

/** Counts the coupons of a business. */
export async function countCoupons(db: Reads, businessId: string): Promise<number> {
  const { coupons } = await db
    .selectFrom('coupons')
    .select(({ fn }) => fn.countAll<number>().as('coupons'))
    .where('business_id', '=', businessId)
    .executeTakeFirstOrThrow()
  return coupons
}
