import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * A visit takes time of several things: a claim for each. The first has the ID of hold and booking. The further ones name
 * it in `visit_id`. They follow it, and none is committed without the others. The columns have no checks, because those
 * would read every row under a lock.
 */
export async function visits(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, json, table } = columnTypes(engine)
  const statements = [
    `alter table claims add column visit_id ${id}${engine === 'sqlite' ? ' references claims (id) deferrable initially deferred' : ''}`,
    `alter table claims add column claim_count integer not null default 1`,
    `create index claims_of_visit on claims (visit_id) where visit_id is not null`,
    `alter table bookings add column item_count integer`,
    table(
      'visit_items',
      `id ${id} primary key,
       business_id ${id} not null,
       visit_id ${id} not null,
       item integer not null check (item >= 0),
       service_id ${id} not null,
       staff_id ${id},
       chosen_staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       party_size integer not null check (party_size >= 1),
       starts_with integer not null check (starts_with in (0, 1)),
       agreed_amount integer,
       agreed_currency text,
       resource_ids_json ${json} not null,
       unique (visit_id, item),
       check (ends_at > starts_at)`,
    ),
    `create index visit_items_of_staff on visit_items (staff_id, starts_at) where staff_id is not null`,
    ...(engine === 'postgres' ? postgresRules : sqliteRules),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const postgresRules = [
  // earlier releases end the claim that is in their way, so that one ends its visit, too
  `create function claims_of_visit_follow() returns trigger language plpgsql as $$
   begin
     if new.visit_id is not null then
       update claims set ended_at = new.ended_at where business_id = new.business_id and id = new.visit_id and ended_at is null;
     else
       update claims set booked_at = new.booked_at, ended_at = new.ended_at, expires_at = new.expires_at
        where business_id = new.business_id and visit_id = new.id;
     end if;
     return null;
   end $$`,
  `create trigger further_claims_follow after update of booked_at, ended_at, expires_at on claims
   for each row when (new.claim_count > 1) execute function claims_of_visit_follow()`,
  `create trigger visit_ends_with_claim after update of ended_at on claims
   for each row when (new.visit_id is not null and new.ended_at is not null and old.ended_at is null)
   execute function claims_of_visit_follow()`,
  `create function claims_of_visit_go() returns trigger language plpgsql as $$
   begin
     delete from claims where visit_id = old.id;
     delete from visit_items where visit_id = old.id and not exists (select 1 from bookings where business_id = old.business_id and id = old.id);
     return null;
   end $$`,
  `create trigger further_claims_go after delete on claims
   for each row when (old.claim_count > 1) execute function claims_of_visit_go()`,
  `create function visit_is_whole() returns trigger language plpgsql as $$
   declare
     changed claims%rowtype;
     first_claim claims%rowtype;
     others integer;
     like_first integer;
   begin
     if tg_name = 'visits_stay_whole' then changed := old; else changed := new; end if;
     select * into first_claim from claims where id = coalesce(changed.visit_id, changed.id);
     select count(*),
            count(*) filter (where (booked_at, ended_at, expires_at)
              is not distinct from (first_claim.booked_at, first_claim.ended_at, first_claim.expires_at))
       into others, like_first
       from claims where visit_id = coalesce(changed.visit_id, changed.id);
     if others <> coalesce(first_claim.claim_count, 1) - 1 or like_first <> others then
       raise exception 'visits_are_whole' using errcode = 'check_violation';
     end if;
     return null;
   end $$`,
  `create constraint trigger visits_are_whole after insert or update on claims deferrable initially deferred
   for each row when (new.visit_id is not null or new.claim_count > 1) execute function visit_is_whole()`,
  `create constraint trigger visits_stay_whole after delete or update of visit_id, claim_count on claims deferrable initially deferred
   for each row when (old.visit_id is not null or old.claim_count > 1) execute function visit_is_whole()`,
]

/*
 * SQLite has no deferred triggers. Therefore the first claim is written last, and refused unless the others are complete. The foreign key refuses them without it.
 */
const sqliteRules = [
  `create trigger visits_are_whole before insert on claims
   when new.claim_count > 1 and new.claim_count - 1 <> (
     select count(*) from claims where visit_id = new.id and booked_at is new.booked_at
        and ended_at is new.ended_at and expires_at = new.expires_at)
   begin select raise(ignore); end`,
  `create trigger further_claims_follow after update of booked_at, ended_at, expires_at on claims
   when new.claim_count > 1
   begin
     update claims set booked_at = new.booked_at, ended_at = new.ended_at, expires_at = new.expires_at
      where business_id = new.business_id and visit_id = new.id;
   end`,
  `create trigger visits_stay_whole after update of visit_id, claim_count, booked_at, ended_at, expires_at on claims
   when new.visit_id is not old.visit_id or new.claim_count <> old.claim_count or (
     new.visit_id is not null and not exists (
       select 1 from claims where id = new.visit_id and booked_at is new.booked_at
          and ended_at is new.ended_at and expires_at = new.expires_at))
   begin select raise(abort, 'visits_are_whole'); end`,
  `create trigger further_claims_stay before delete on claims
   when old.visit_id is not null and exists (select 1 from claims where id = old.visit_id)
   begin select raise(abort, 'visits_are_whole'); end`,
  `create trigger further_claims_go after delete on claims when old.claim_count > 1
   begin
     delete from claims where visit_id = old.id;
     delete from visit_items where visit_id = old.id and not exists (select 1 from bookings where business_id = old.business_id and id = old.id);
   end`,
]
