import { type Kysely, type RawBuilder, sql } from 'kysely'
import { addressKey, fullName, unicodeEmail } from '../../base/contact-formats.ts'
import { wholeNumber } from '../../base/phone-countries.ts'
import { searchText } from '../../base/search-text.ts'
import type { Engine } from '../database.ts'

type Db = Pick<Kysely<unknown>, 'getExecutor'>

/** A batch ends with this row; the next one begins after it. */
type Key = readonly string[]

interface Batch {
  after: Key | undefined
  rows: number
}

/**
 * Writes the domains of clients' addresses in Unicode, because `xn--bcher-kva.de` and `bücher.de` are one domain. Two
 * clients of one name whose addresses become equal become one. `rewriteRows` of migrate.ts has already done nearly all of
 * it, in separately committed batches.
 */
export async function unicodeDomains(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const rewrite of unicodeDomainSteps(engine)) {
    let after: Key | undefined
    do after = await rewrite(db, { after, rows: 1_000 })
    while (after)
  }
}

/** Returns the steps of the migration. Each rewrites a batch, and returns the last key if more may follow. */
export function unicodeDomainSteps(engine: Engine): ((db: Db, batch: Batch) => Promise<Key | undefined>)[] {
  return [
    (db, batch) => bookingsOf(db, engine, batch),
    (db, batch) => clientsOf(db, engine, batch),
    ...addressColumns.map(
      (column) => (db: Db, batch: Batch) => columnOf(db, engine, { ...batch, ...column }),
    ),
  ]
}

/** The other tables with addresses of clients. In those with `isKey`, a business has each address once. */
const addressColumns = [
  { table: 'waitlist_entries' },
  { table: 'client_links' },
  { table: 'client_log_ins' },
  { table: 'mail_opt_outs', isKey: true },
  { table: 'blocked_clients', isKey: true },
] as const

/** A coded domain, or one beyond ASCII, which may have another spelling. */
function isSuspect(engine: Engine, column: RawBuilder<unknown>): RawBuilder<boolean> {
  const isBeyondAscii =
    engine === 'postgres' ? sql`${column} ~ ${'[^\\x01-\\x7f]'}` : sql`${column} glob ${'*[^\x01-\x7f]*'}`
  return sql<boolean>`(lower(${column}) like '%xn--%' or ${isBeyondAscii})`
}

function following(columns: readonly string[], after: Key | undefined): RawBuilder<unknown> {
  const names = sql.join(columns.map((name) => sql.ref(name)))
  return after ? sql`and (${names}) > (${sql.join(after)})` : sql``
}

function lastOf<T>(rows: readonly T[], max: number, key: (row: T) => Key): Key | undefined {
  const last = rows.at(-1)
  return last && rows.length === max ? key(last) : undefined
}

/** Rewrites the bookings of some addresses. Triggers update `client_texts`, which finds these addresses. */
async function bookingsOf(db: Db, engine: Engine, { after, rows: max }: Batch): Promise<Key | undefined> {
  const { rows } = await sql<{ business_id: string; email: string }>`
    select distinct business_id, email from client_texts
     where ${isSuspect(engine, sql`email`)} ${following(['business_id', 'email'], after)}
     order by business_id, email limit ${max}`.execute(db)
  const at = engine === 'postgres' ? sql`strpos(client_email, '@')` : sql`instr(client_email, '@')`
  for (const { business_id, email } of rows) {
    const shown = unicodeEmail(email)
    if (shown === email) continue
    const line = (text: string) => `\n${searchText(text)}\n`
    await sql`
      update bookings
         set client_email = substr(client_email, 1, ${at}) || cast(${shown.slice(shown.lastIndexOf('@') + 1)} as text),
             client_search = replace(client_search, ${line(email)}, ${line(shown)})
       where business_id = ${business_id} and lower(client_email) = ${email}`.execute(db)
  }
  return lastOf(rows, max, ({ business_id, email }) => [business_id, email])
}

interface Client {
  id: string
  business_id: string
  name: string
  address: string
  first_name: string
  last_name: string
  email: string | null
  phone: string | null
  search: string
  locale: string | null
  time_zone: string | null
  notes: string | null
  tags_json: string
  metadata_json: string
  is_kept: 0 | 1
  merged_into: string | null
  created_at: string
}

async function clientsOf(db: Db, engine: Engine, { after, rows: max }: Batch): Promise<Key | undefined> {
  const { rows } = await sql<Client>`
    select * from clients
     where ${isSuspect(engine, sql`address`)} ${following(['business_id', 'name', 'address'], after)}
     order by business_id, name, address limit ${max}`.execute(db)
  for (const client of rows) await rekey(db, engine, client)
  return lastOf(rows, max, ({ business_id, name, address }) => [business_id, name, address])
}

/** Gives a client the address in Unicode, and joins it with the client that has it. */
async function rekey(db: Db, engine: Engine, client: Client): Promise<void> {
  const { id, business_id, name } = client
  const address = addressKey(client.address)
  if (address === client.address) return
  const [other] = (
    await sql<Client>`
      select * from clients where business_id = ${business_id} and name = ${name} and address = ${address}`.execute(
      db,
    )
  ).rows
  const target = other?.merged_into ?? other?.id
  if (target !== undefined && client.merged_into !== null) {
    await deleteClient(db, client) // its key leads nowhere new
  } else if (target !== undefined && target !== id) {
    if (!(await join(db, engine, { from: client, target }))) await respell(db, client, client.address)
  } else {
    if (other) await deleteClient(db, other) // an earlier key of this client
    await respell(db, client, address)
  }
}

async function deleteClient(db: Db, { business_id, id }: Client): Promise<void> {
  await sql`delete from clients where business_id = ${business_id} and id = ${id}`.execute(db)
}

async function respell(db: Db, client: Client, address: string): Promise<void> {
  const { id, business_id } = client
  const email = client.email === null ? null : unicodeEmail(client.email)
  const search = client.merged_into === null ? searchOf({ ...client, email }) : client.search
  await sql`
    update clients set address = ${address}, email = ${email}, search = ${search}
     where business_id = ${business_id} and id = ${id}`.execute(db)
}

/** Returns the text in which a client is searched, one line each for name, address, phone and its digits. */
function searchOf({ first_name, last_name, email, phone }: Client): string {
  const digits = (phone ?? '').replace(/\D/g, '')
  return searchText([fullName(first_name, last_name), email ?? '', phone ?? '', digits].join('\n'))
}

/**
 * Joins a client with another one of the same name and mailbox, as a merge does. Triggers count the bookings. Returns
 * false if notes, tags or metadata of both do not fit into one row. Both then stay, and the business may merge them.
 */
async function join(
  db: Db,
  engine: Engine,
  { from, target }: { from: Client; target: string },
): Promise<boolean> {
  const { business_id, id } = from
  const lock = engine === 'postgres' ? sql`for update` : sql``
  // bookings before clients, as everyone else does
  await sql`
    select id from bookings where business_id = ${business_id} and client_id = ${id} order by id ${lock}`.execute(
    db,
  )
  const [into] = (
    await sql<Client>`
      select * from clients where business_id = ${business_id} and id = ${target} ${lock}`.execute(db)
  ).rows
  const timezone = (
    await sql<{ timezone: string }>`select timezone from businesses where id = ${business_id}`.execute(db)
  ).rows[0]?.timezone
  const joined = into && joinedData(into, from, timezone ?? 'UTC')
  if (!joined) return false
  await sql`
    update clients set merged_into = ${target} where business_id = ${business_id} and merged_into = ${id}`.execute(
    db,
  )
  for (const table of ['bookings', 'waitlist_entries']) {
    await sql`
      update ${sql.table(table)} set client_id = ${target}
       where business_id = ${business_id} and client_id = ${id}`.execute(db)
  }
  await deleteClient(db, from)
  const { email, phone, locale, time_zone, notes, tags_json, metadata_json, is_kept, created_at } = joined
  await sql`
    update clients
       set email = ${email}, phone = ${phone}, search = ${searchOf(joined)}, locale = ${locale}, time_zone = ${time_zone}, notes = ${notes},
           tags_json = ${tags_json}, metadata_json = ${metadata_json}, is_kept = ${is_kept}, created_at = ${created_at}
     where business_id = ${business_id} and id = ${target}`.execute(db)
  return true
}

const maxNotes = 2000
const maxTags = 20
const maxMetadata = 20

/** Returns the data of both clients, of which nothing is lost. A second phone number goes into the notes. */
function joinedData(into: Client, from: Client, timezone: string): Client | undefined {
  const number = ({ phone }: Client) => wholeNumber(phone ?? '', timezone)
  const second =
    into.phone !== null && from.phone !== null && number(into) !== number(from) ? from.phone : null
  const notes = [into.notes, from.notes === into.notes ? null : from.notes, second].filter(Boolean).join('\n')
  const tags = [...new Set([into, from].flatMap(({ tags_json }) => JSON.parse(tags_json) as string[]))]
  const own = JSON.parse(into.metadata_json) as Record<string, string>
  const added = JSON.parse(from.metadata_json) as Record<string, string>
  const metadata = { ...added, ...own }
  const isLost =
    Array.from(notes).length > maxNotes ||
    tags.length > maxTags ||
    Object.keys(metadata).length > maxMetadata ||
    Object.entries(added).some(([name, value]) => metadata[name] !== value)
  if (isLost) return undefined
  return {
    ...into,
    notes: notes || null,
    email: into.email ?? (from.email === null ? null : unicodeEmail(from.email)),
    phone: into.phone ?? from.phone,
    locale: into.locale ?? from.locale,
    time_zone: into.time_zone ?? from.time_zone,
    tags_json: JSON.stringify(tags),
    metadata_json: JSON.stringify(metadata),
    is_kept: into.is_kept === 1 || from.is_kept === 1 ? 1 : 0,
    created_at: into.created_at < from.created_at ? into.created_at : from.created_at,
  }
}

interface AddressColumn {
  table: string
  isKey?: boolean
}

async function columnOf(
  db: Db,
  engine: Engine,
  { after, rows: max, table, isKey = false }: Batch & AddressColumn,
): Promise<Key | undefined> {
  const { rows } = await sql<{ business_id: string; email: string }>`
    select distinct business_id, email from ${sql.table(table)}
     where ${isSuspect(engine, sql`email`)} ${following(['business_id', 'email'], after)}
     order by business_id, email limit ${max}`.execute(db)
  for (const { business_id, email } of rows) {
    const shown = unicodeEmail(email)
    if (shown === email) continue
    const isTheirs = (text: string) => sql`business_id = ${business_id} and email = ${text}`
    const isTaken = sql`exists (select 1 from ${sql.table(table)} where ${isTheirs(shown)})`
    if (isKey) await sql`delete from ${sql.table(table)} where ${isTheirs(email)} and ${isTaken}`.execute(db)
    await sql`update ${sql.table(table)} set email = ${shown} where ${isTheirs(email)}`.execute(db)
  }
  return lastOf(rows, max, ({ business_id, email }) => [business_id, email])
}
