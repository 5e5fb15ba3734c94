import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Database, Reads } from '../database/database.ts'
import { missingOverlapRules } from '../database/overlap-constraints.ts'
import type { DatabaseFacts } from './doctor-types.ts'

const maxDamages = 5
/** SQLite's result codes for a damaged file and for one that is not a database (https://sqlite.org/rescode.html). */
const damageCodes = [11, 26]

/** Reads the facts. Without a schema, reads only those that need none. */
export async function readFacts(db: Database, demoBusinessIds: string[]): Promise<DatabaseFacts> {
  const migrations = await findMigrations(db)
  const server = db.engine === 'postgres' ? await findServerSettings(db.reads) : undefined
  const outside = {
    missingOverlapRules: await missingOverlapRules(db),
    maxConnections: server?.maxConnections ?? null,
    synchronousCommit: server?.synchronousCommit ?? null,
    standbyNames: server?.standbyNames ?? null,
    standbys: server?.standbys ?? null,
    hiddenSenders: server?.hiddenSenders ?? null,
  }
  if (migrations === undefined || migrations.length === 0) {
    return { migrations, ...outside, timeZones: [], latestRecord: null, demoBusinesses: 0, businesses: 0 }
  }
  return { migrations, ...outside, ...(await findInside(db.reads, demoBusinessIds)) }
}

async function findMigrations(db: Database): Promise<string[] | undefined> {
  const tables = await db.reads.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return undefined
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    db.reads,
  )
  return rows.map(({ name }) => name)
}

/** Finds damage with SQLite's own check. Always empty on PostgreSQL. */
export async function findDamages(db: Database): Promise<string[]> {
  if (db.engine === 'postgres') return []
  try {
    const check = sql<{ quick_check: string }>`pragma quick_check(${sql.lit(maxDamages)})`
    const { rows } = await check.execute(db.reads)
    // a finding is one line, and SQLite's may have several
    return rows.map((row) => row.quick_check.replaceAll('\n', ', ')).filter((line) => line !== 'ok')
  } catch (error) {
    if (isDamage(error)) return [error.message] // too damaged even for the check
    throw error
  }
}

function isDamage(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    damageCodes.includes(error.errcode & 0xff)
  )
}

type ServerSettings = Pick<
  DatabaseFacts,
  'maxConnections' | 'synchronousCommit' | 'standbyNames' | 'standbys' | 'hiddenSenders'
>

async function findServerSettings(db: Reads): Promise<ServerSettings | undefined> {
  const { rows } = await sql<ServerSettings>`
    select cast(current_setting('max_connections') as integer)
         - cast(current_setting('superuser_reserved_connections') as integer) as "maxConnections",
           current_setting('synchronous_commit') as "synchronousCommit",
           current_setting('synchronous_standby_names') as "standbyNames",
           (select cast(count(*) as integer) from pg_stat_replication
             where state = 'streaming' and sync_state in ('sync', 'quorum', 'potential')) as standbys,
           (select cast(count(*) as integer) from pg_stat_replication where state is null) as "hiddenSenders"`.execute(
    db,
  )
  return rows[0]
}

async function findInside(db: Reads, demoBusinessIds: string[]) {
  const zones = await sql<{ name: string; usedBy: string }>`
    select timezone as name, min('business ' || cast(id as text)) as "usedBy" from businesses group by timezone
     union all
    select timezone, min('location ' || cast(id as text)) from locations group by timezone`.execute(db)
  const latest = await sql<{ at: Instant | null }>`
    select max(at) as at from (
      select max(created_at) as at from sessions union all select max(updated_at) from bookings) as times`.execute(
    db,
  )
  const count = await db
    .selectFrom('businesses')
    .select(({ fn }) => [fn.countAll<number>().as('all')])
    .executeTakeFirstOrThrow()
  const demo = await db.selectFrom('businesses').select('id').where('id', 'in', demoBusinessIds).execute()
  return {
    timeZones: zones.rows,
    latestRecord: latest.rows[0]?.at ?? null,
    demoBusinesses: demo.length,
    businesses: count.all,
  }
}
