import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Coupons, and what a booking costs less by one. A booking counts as a use unless it was cancelled before its start.
 * Triggers count changes of bookings, whatever release makes them. A new booking counts in the statement that checks its
 * coupon.
 */
export async function coupons(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, json, sortedText, table } = columnTypes(engine)
  const statements = [
    table(
      'coupons',
      `id ${id} primary key,
       business_id ${id} not null,
       code ${sortedText} not null,
       percent integer check (percent between 1 and 100),
       amount integer check (amount > 0),
       currency text,
       service_ids_json ${json},
       ${instant('valid_from')},
       ${instant('valid_until')},
       max_uses integer check (max_uses > 0),
       max_uses_per_client integer check (max_uses_per_client > 0),
       uses integer not null default 0 check (uses >= 0),
       active integer not null check (active in (0, 1)),
       ${instant('created_at')} not null,
       unique (business_id, code),
       check ((percent is null) <> (amount is null)),
       check ((amount is null) = (currency is null)),
       check (valid_until > valid_from),
       constraint coupons_max_uses check (uses <= max_uses)`,
    ),
    `alter table bookings add column coupon_id ${id}`,
    `alter table bookings add column discount_json ${json}`,
    `create index bookings_with_coupon on bookings (coupon_id, lower(client_email)) where coupon_id is not null`,
    ...(engine === 'postgres' ? inPostgres : inSqlite),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const isUse = (row: string) => `(${row}.cancelled_at is null or ${row}.cancelled_at >= ${row}.starts_at)`
const isRecounted = `new.coupon_id is not null and ${isUse('new')} <> ${isUse('old')}`
const recount = `
  update coupons set uses = uses + case when ${isUse('new')} then 1 else -1 end
   where business_id = new.business_id and id = new.coupon_id;`

const inPostgres = [
  `create function recount_coupon() returns trigger language plpgsql set jit = off as $$
   begin
     ${recount}
     return null;
   end $$`,
  `create trigger bookings_recount_coupon after update of cancelled_at, starts_at on bookings
   for each row when (${isRecounted}) execute function recount_coupon()`,
]

const inSqlite = [
  `create trigger bookings_recount_coupon after update of cancelled_at, starts_at on bookings
   when ${isRecounted}
   begin ${recount} end`,
]
