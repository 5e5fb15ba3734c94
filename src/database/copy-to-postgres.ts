import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { OperatorError, UsageError } from '../base/errors.ts'
import { resultTypes } from './postgres-driver.ts'

/** A copied table and its number of rows. */
export interface CopiedTable {
  table: string
  rows: number
}

/** Bounds memory and the size of a statement. */
const maxBatchRows = 500
const maxBatchBytes = 1_000_000
/** A server that uses the target holds its locks for a shorter time. */
const lockTimeoutMs = 5_000

/** A table of both databases, with the columns to write. Generated columns are left out. */
interface CopyTable {
  name: string
  columns: { name: string; type: string }[]
}

type Row = Record<string, string | number | null>

/** Counts the rows of one table and sums their SHA-256 digests. The order of the rows does not matter. */
class Tally {
  rows = 0
  private sum = 0n

  add(table: CopyTable, row: Row): void {
    const values = table.columns.map(({ name, type }) => canonical(row[name] ?? null, type))
    const digest = createHash('sha256').update(JSON.stringify(values)).digest('hex')
    this.sum = BigInt.asUintN(256, this.sum + BigInt(`0x${digest}`))
    this.rows += 1
  }

  equals(other: Tally): boolean {
    return this.rows === other.rows && this.sum === other.sum
  }
}

/** PostgreSQL stores JSON without spaces and orders keys differently. */
function canonical(value: string | number | null, type: string): unknown {
  return type === 'jsonb' && typeof value === 'string' ? sorted(JSON.parse(value)) : value
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

/**
 * Throws a UsageError unless a PostgreSQL database is empty or has the tables of Holdfast. Runs before any migration,
 * so that Holdfast creates nothing in the database of another program.
 */
export async function assertOnlyHoldfast(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
    )
    const names = rows.map(({ name }) => name)
    if (names.length === 0 || names.includes('kysely_migration')) return
    throw new UsageError(
      `The database of --to has tables of another program (${names.slice(0, 3).join(', ')}): give an empty one.`,
    )
  })
}

/**
 * Copies all rows of a SQLite file into a PostgreSQL database with the same schema, in batches within one transaction.
 * Then compares the rows in the target with the source. Nobody can write to either meanwhile. Throws an OperatorError
 * if the target has rows, if a server uses it, or if the two differ. In that case the target stays unchanged.
 */
export async function copyToPostgres(file: string, url: string): Promise<CopiedTable[]> {
  const source = new DatabaseSync(file, { timeout: lockTimeoutMs })
  try {
    source.exec('begin immediate')
    return await withClient(url, async (target) => {
      await target.query('begin')
      const tables = await tablesOf(source, target)
      await lockEmpty(target, tables)
      const copied: CopiedTable[] = []
      for (const table of tables) copied.push(await copyTable(source, target, table))
      await advanceIdentities(target, tables)
      await target.query('commit')
      return copied
    })
  } finally {
    source.close() // rolls back
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'holdfast copy',
    keepAlive: true,
    options: `-c timezone=UTC -c lock_timeout=${lockTimeoutMs}`,
    types: resultTypes,
  })
  client.on('error', () => undefined) // the statement on this connection reports the same error
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end() // rolls back uncommitted work
  }
}

/**
 * Returns the tables of the source, each after the tables that it references. Throws an OperatorError if the target has
 * other tables.
 */
async function tablesOf(source: DatabaseSync, target: pg.Client): Promise<CopyTable[]> {
  const columns = await target.query<{ table: string; name: string; type: string }>(`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`)
  const byTable = Map.groupBy(columns.rows, ({ table }) => table)
  return inOrder(source).map((name) => {
    const there = byTable.get(name) ?? []
    const own = listed(source, `select name from pragma_table_xinfo('${name}') where hidden = 0`)
    const differing = own.filter((column) => !there.some((other) => other.name === column))
    if (there.length !== own.length || differing.length > 0)
      throw new OperatorError(`The table ${name} of the two databases differs (${differing.join(', ')}).`)
    return { name, columns: there.map((column) => ({ name: column.name, type: column.type })) }
  })
}

/** Triggers on bookings would make writes due in the target for accounts that are already there. */
const copiedAfter = new Map([['calendar_accounts', ['bookings', 'visit_items']]])

function inOrder(source: DatabaseSync): string[] {
  const names = listed(
    source,
    // triggers in the target fill the tables for searches
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'
        and name not like 'client_texts%' and name <> 'metadata_values'`,
  )
  const placed = new Set<string>()
  while (placed.size < names.length) {
    const next = names.filter((name) => {
      const needed = listed(source, `select "table" from pragma_foreign_key_list('${name}')`)
      const others = [...needed, ...(copiedAfter.get(name) ?? [])]
      return !placed.has(name) && others.every((other) => other === name || placed.has(other))
    })
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    for (const name of next) placed.add(name)
  }
  return [...placed]
}

function listed(source: DatabaseSync, query: string): string[] {
  return source
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]))
}

/** Keeps writers off the target until the transaction ends, so that it stays empty. */
async function lockEmpty(target: pg.Client, tables: CopyTable[]): Promise<void> {
  const names = tables.map(({ name }) => name)
  await target.query(`lock table ${names.join(', ')} in exclusive mode`).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== '55P03') throw error
    throw new OperatorError('A server uses the database of --to: stop it first.', { cause: error })
  })
  for (const name of names) {
    const { rows } = await target.query<{ found: boolean }>(`select exists (select 1 from ${name}) as found`)
    if (rows[0]?.found)
      throw new UsageError(`The database of --to is not empty: ${name} has rows. Give an empty one.`)
  }
}

async function copyTable(source: DatabaseSync, target: pg.Client, table: CopyTable): Promise<CopiedTable> {
  const read = new Tally()
  const names = table.columns.map(({ name }) => `"${name}"`).join(', ')
  let batch: Row[] = []
  let bytes = 0
  const write = async () => {
    if (batch.length > 0) await insertRows(target, table, batch)
    batch = []
    bytes = 0
  }
  for (const found of source.prepare(`select ${names} from ${table.name}`).iterate()) {
    const row = found as Row // tables are strict: values are texts and numbers
    read.add(table, row)
    batch.push(row)
    bytes += Object.values(row).reduce<number>((sum, value) => sum + String(value).length, 0)
    if (batch.length >= maxBatchRows || bytes >= maxBatchBytes) await write()
  }
  await write()
  const written = await readBack(target, table)
  if (!written.equals(read)) {
    throw new OperatorError(
      `The copy of ${table.name} differs from its source (${written.rows} rows of ${read.rows}); nothing was copied.`,
    )
  }
  return { table: table.name, rows: read.rows }
}

/** Reads columns as texts and casts them to their types. JSON keeps its original text. */
async function insertRows(target: pg.Client, { name, columns }: CopyTable, batch: Row[]): Promise<void> {
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const values = columns.map((column) => `r."${column.name}"::${column.type}`).join(', ')
  const texts = columns.map((column) => `"${column.name}" text`).join(', ')
  await target.query(
    `insert into ${name} (${names}) select ${values} from json_to_recordset($1::json) as r(${texts})`,
    [JSON.stringify(batch)],
  )
}

async function readBack(target: pg.Client, table: CopyTable): Promise<Tally> {
  const tally = new Tally()
  const names = table.columns.map(({ name }) => `"${name}"`).join(', ')
  await target.query(`declare copied cursor for select ${names} from ${table.name}`)
  for (;;) {
    const { rows } = await target.query<Row>(`fetch ${maxBatchRows} from copied`)
    for (const row of rows) tally.add(table, row)
    if (rows.length < maxBatchRows) break
  }
  await target.query('close copied')
  return tally
}

/** Makes new rows get numbers above the copied ones. */
async function advanceIdentities(target: pg.Client, tables: CopyTable[]): Promise<void> {
  const { rows } = await target.query<{ table: string; name: string }>(`
    select c.relname as "table", a.attname as name
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`)
  for (const { table, name } of rows.filter((row) => tables.some((one) => one.name === row.table))) {
    await target.query(
      `select setval(pg_get_serial_sequence('${table}', '${name}'), max("${name}")) from ${table} having max("${name}") > 0`,
    )
  }
}
