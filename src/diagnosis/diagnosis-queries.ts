import { sql } from 'kysely'
import type { Database, Queries } from '../database/database.ts'
import type { Instant } from '../instants.ts'

/** What a look into the database tells about its health. */
export interface DatabaseFacts {
  /** Names of the migrations that have run; undefined when the database is empty. */
  migrations: string[] | undefined
  /** Names of the overlap rules that the schema holds. */
  overlapRules: string[]
  /** What SQLite's own check says; empty when all is well. */
  damages: string[]
  /** Every time zone that a business or location is in. */
  timeZones: string[]
  /** The latest time at which something was recorded. */
  latestRecord: Instant | null
  /** PostgreSQL: how many connections the server takes. */
  maxConnections: number | null
  /** The demo businesses that are there. */
  demoBusinesses: number
  businesses: number
}

/** The names under which the overlap rules stand in each engine's schema. */
export const overlapRuleNames = {
  postgres: ['claims_of_one_seat_do_not_overlap', 'claims_that_overlap_are_one_occurrence'],
  sqlite: ['claims_do_not_overlap', 'claims_do_not_overlap_later'],
}

const mostDamages = 5

/** Reads the facts. Only what stands outside the schema is read when the schema is not there. */
export async function readFacts(db: Database, demoBusinessIds: string[]): Promise<DatabaseFacts> {
  const migrations = await findMigrations(db)
  const outside = {
    overlapRules: await findOverlapRules(db),
    damages: db.engine === 'sqlite' ? await quickCheck(db.reads) : [],
    maxConnections: db.engine === 'postgres' ? await findMaxConnections(db.reads) : null,
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

async function findOverlapRules(db: Database): Promise<string[]> {
  const names = sql.join(overlapRuleNames[db.engine])
  const query =
    db.engine === 'postgres'
      ? sql<{
          name: string
        }>`select conname as name from pg_constraint where conname in (${names}) and contype = 'x'`
      : sql<{ name: string }>`select name from sqlite_schema where type = 'trigger' and name in (${names})`
  return (await query.execute(db.reads)).rows.map(({ name }) => name)
}

async function quickCheck(db: Queries): Promise<string[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(${sql.lit(mostDamages)})`.execute(db)
  return rows.map((row) => row.quick_check).filter((line) => line !== 'ok')
}

async function findMaxConnections(db: Queries): Promise<number> {
  const { rows } = await sql<{ most: number }>`
    select cast(current_setting('max_connections') as integer)
         - cast(current_setting('superuser_reserved_connections') as integer) as most`.execute(db)
  return rows[0]?.most ?? 0
}

async function findInside(db: Queries, demoBusinessIds: string[]) {
  const zones = await sql<{ timezone: string }>`
    select timezone from businesses union select timezone from locations`.execute(db)
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
    timeZones: zones.rows.map(({ timezone }) => timezone),
    latestRecord: latest.rows[0]?.at ?? null,
    demoBusinesses: demo.length,
    businesses: count.all,
  }
}
