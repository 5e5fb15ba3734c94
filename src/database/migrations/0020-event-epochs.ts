import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/**
 * Events are ordered by the ID of their transaction, and each PostgreSQL cluster counts its own. Therefore each cluster
 * that hosts a database begins an epoch. Its number takes the bits above 2^44, and all earlier events come first.
 * Servers need no notice of a move, and servers of an earlier release write the same order. A cluster that hides its
 * identifier counts as 0.
 */
export async function eventEpochs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return // writers run one after the other: the position alone gives the order
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table event_epochs (number bigint primary key, cluster bigint not null)`,
  // the session caches it, because reading it takes longer than the rest
  `create function event_cluster() returns bigint language plpgsql volatile as $$
    declare
      known constant text := current_setting('holdfast.cluster', true);
    begin
      if known <> '' then return known::bigint; end if;
      return set_config('holdfast.cluster', (select system_identifier::text from pg_control_system()), false)::bigint;
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      return 0;
    end $$`,
  // epoch of the next event; fails without a row, if a move left the table out
  `create function event_epoch() returns bigint language sql volatile as $$
    select coalesce((select case when cluster = event_cluster() then number else number + 1 end
                       from event_epochs order by number desc limit 1), 1) $$`,
  `create function event_transaction() returns bigint language plpgsql volatile as $$
    declare
      epoch event_epochs;
    begin
      select * into epoch from event_epochs order by number desc limit 1;
      if epoch.cluster is distinct from event_cluster() then
        epoch.number := event_epoch();
        insert into event_epochs (number, cluster) values (epoch.number, event_cluster()) on conflict do nothing;
      end if;
      return (epoch.number << 44) + pg_current_xact_id()::text::bigint;
    end $$`,
  // a database that was moved before contains transaction IDs that are still to come: they belong to another cluster
  `insert into event_epochs (number, cluster)
    select 0, case when exists (
                     select from businesses as b
                      cross join lateral (select from events as e
                                           where e.business_id = b.id
                                             and e.transaction_id > pg_current_xact_id()::text::bigint limit 1) as e)
                   then -1 else event_cluster() end`,
  `alter table events alter column transaction_id set default event_transaction()`,
]
