import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * `client_texts`: the searchable texts of a business's clients, each once, with the number of bookings that have it.
 * Triggers on `bookings` maintain it for every writer. Each engine finds parts of a text by an index of runs of three
 * characters (docs/decisions/0025-clients-are-searched-by-runs-of-three.md).
 */
export async function search(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const statements = [...textTable(engine), ...(engine === 'postgres' ? inPostgres : inSqlite)]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

function textTable(engine: Engine): string[] {
  const { id, table } = columnTypes(engine)
  const number = engine === 'postgres' ? 'bigint generated always as identity' : 'integer primary key'
  return [
    table(
      'client_texts',
      `number ${number},
       business_id ${id} not null,
       email text not null,
       text text not null,
       bookings integer not null check (bookings >= 0)`,
    ),
  ]
}

const allTexts = `
  insert into client_texts (business_id, email, text, bookings)
  select business_id, lower(client_email), client_search, count(*) from bookings
   where client_search <> '' group by 1, 2, 3`

/*
 * A statement adds its rows in a fixed order, so that two groups of conversions do not deadlock. The unique index has
 * the digest of the text, because it takes no long values. The business is part of each run of three, so clients of
 * other businesses do not slow down a search. No extension is needed.
 */
const inPostgres = [
  `create function client_runs(business_id uuid, client_text text) returns bigint[]
    language sql immutable strict parallel safe as $$
      select array(select hashtextextended(substr(client_text, i, 3), uuid_hash_extended(business_id, 0))
                     from generate_series(1, length(client_text) - 2) as i) $$`,
  `create function count_new_client_texts() returns trigger language plpgsql as $$
    begin
      insert into client_texts (business_id, email, text, bookings)
      select business_id, lower(client_email), client_search, count(*) from new_bookings
       where client_search <> '' group by 1, 2, 3 order by 1, 2, 3
      on conflict (business_id, email, md5(text)) do update set bookings = client_texts.bookings + excluded.bookings;
      return null;
    end $$`,
  `create function count_changed_client_text() returns trigger language plpgsql as $$
    begin
      if new.client_search <> '' then
        insert into client_texts (business_id, email, text, bookings)
        values (new.business_id, lower(new.client_email), new.client_search, 1)
        on conflict (business_id, email, md5(text)) do update set bookings = client_texts.bookings + 1;
      end if;
      update client_texts set bookings = bookings - 1
       where business_id = old.business_id and email = lower(old.client_email) and md5(text) = md5(old.client_search);
      delete from client_texts
       where business_id = old.business_id and email = lower(old.client_email) and md5(text) = md5(old.client_search)
         and bookings = 0;
      return null;
    end $$`,
  `create trigger bookings_add_client_texts after insert on bookings referencing new table as new_bookings
    for each statement execute function count_new_client_texts()`,
  `create trigger bookings_change_client_texts after update of client_email, client_search on bookings
    for each row when (old.client_email <> new.client_email or old.client_search <> new.client_search)
    execute function count_changed_client_text()`,
  allTexts,
  `create unique index client_texts_by_email on client_texts (business_id, email, md5(text))`,
  // the pending list of the index is bounded: a search reads it, and the writer that fills it merges it
  `create index client_texts_by_run on client_texts using gin (client_runs(business_id, text))
    with (gin_pending_list_limit = 512)`,
]

const addText = `
  insert into client_texts (business_id, email, text, bookings)
  select new.business_id, lower(new.client_email), new.client_search, 1 where new.client_search <> ''
  on conflict (business_id, email, text) do update set bookings = bookings + 1;`

const ofOldText = `business_id = old.business_id and email = lower(old.client_email) and text = old.client_search`

/*
 * The index takes texts 256 at a time, at a quarter of the cost of adding them one by one. `client_texts_indexed`
 * records the last indexed number, and a search reads the rest. Deleted texts are overwritten in the index, too.
 */
const inSqlite = [
  `create unique index client_texts_by_email on client_texts (business_id, email, text)`,
  `create virtual table client_texts_runs using fts5 (
     text, content = 'client_texts', content_rowid = 'number', tokenize = 'trigram', columnsize = 0)`,
  `insert into client_texts_runs (client_texts_runs, rank) values ('secure-delete', 1)`,
  `create table client_texts_indexed (until integer not null) strict`,
  `insert into client_texts_indexed (until) values (0)`,
  // a number can recur: that of the latest text after its deletion
  `create trigger client_texts_are_indexed after insert on client_texts
   when new.number not between (select until from client_texts_indexed) + 1
                           and (select until from client_texts_indexed) + 255
   begin
     insert into client_texts_runs (rowid, text)
     select number, text from client_texts
      where number between min(new.number, (select until from client_texts_indexed) + 1) and new.number;
     update client_texts_indexed set until = max(until, new.number);
   end`,
  `create trigger client_texts_leave_index after delete on client_texts
   when old.number <= (select until from client_texts_indexed)
   begin
     insert into client_texts_runs (client_texts_runs, rowid, text) values ('delete', old.number, old.text);
   end`,
  `create trigger bookings_add_client_text after insert on bookings
   begin ${addText} end`,
  `create trigger bookings_change_client_text after update of client_email, client_search on bookings
   when old.client_email <> new.client_email or old.client_search <> new.client_search
   begin
     ${addText}
     update client_texts set bookings = bookings - 1 where ${ofOldText};
     delete from client_texts where ${ofOldText} and bookings = 0;
   end`,
  allTexts,
]
