import { sql } from 'kysely'
import { OperatorError } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import type { Database, Queries, Reads } from './database.ts'
import { isPostgres } from './json-rows.ts'
import { overlapRuleNames, overlapRules } from './migrations/claim-rules.ts'

const maxNamed = 5

/** Returns true if an overlap rule has failed an update. Inserts give no row instead. */
export function isOverlap(error: unknown): boolean {
  const names = Object.values(overlapRuleNames).flat()
  return error instanceof Error && names.some((name) => error.message.includes(name))
}

/** Throws an OperatorError if an overlap rule is missing, for example after a restore that failed halfway. */
export async function refuseMissingOverlapRules(db: Database): Promise<void> {
  const missing = await missingOverlapRules(db)
  if (missing.length === 0) return
  throw new OperatorError(
    `DATABASE_URL: the database lacks ${missing.join(' and ')}: slots could be sold twice in it.`,
    { fix: 'Run "holdfast migrate": it makes them again, or names the bookings that overlap.' },
  )
}

/** Returns the names of the overlap rules that a database lacks. */
export async function missingOverlapRules({ engine, reads }: Pick<Database, 'engine' | 'reads'>) {
  const names = sql.join(overlapRuleNames[engine])
  const query =
    engine === 'postgres'
      ? sql<{ name: string }>`
          select conname as name from pg_constraint
           where conname in (${names}) and contype = 'x' and conrelid = to_regclass('claims')`
      : sql<{ name: string }>`
          select name from sqlite_schema where type = 'trigger' and tbl_name = 'claims' and name in (${names})`
  const found = (await query.execute(reads)).rows.map(({ name }) => name)
  return overlapRuleNames[engine].filter((name) => !found.includes(name))
}

/**
 * Recreates missing overlap rules in a transaction and returns their names. Throws an OperatorError that names doubly
 * sold slots, without changing anything.
 */
export async function restoreOverlapRules(db: Queries, now: Instant): Promise<string[]> {
  const engine = isPostgres(db) ? 'postgres' : 'sqlite'
  const missing = await missingOverlapRules({ engine, reads: db })
  if (missing.length === 0) return []
  for (const name of overlapRuleNames[engine]) {
    const rule = sql.id(name)
    await (
      engine === 'postgres'
        ? // locks the table, so that nobody can insert claims meanwhile
          sql`alter table claims drop constraint if exists ${rule}`
        : sql`drop trigger if exists ${rule}`
    ).execute(db)
  }
  await sql`
    update claims set ended_at = expires_at
     where booked_at is null and ended_at is null and expires_at <= ${now} and visit_id is null`.execute(db)
  await refuseOverlaps(db)
  for (const statement of overlapRules(engine)) await sql.raw(statement).execute(db)
  return missing
}

/** Throws an OperatorError that names the claims that break the rules. */
async function refuseOverlaps(db: Reads): Promise<void> {
  const sharesSeat = isPostgres(db)
    ? sql`coalesce(one.seats, int4multirange(int4range(one.seat, one.seat + 1)))
          && coalesce(other.seats, int4multirange(int4range(other.seat, other.seat + 1)))`
    : sql`exists (select 1 from json_each(coalesce(one.seats, json_array(one.seat))) as a
                    join json_each(coalesce(other.seats, json_array(other.seat))) as b on a.value = b.value)`
  const { rows } = await sql<{ one: string; other: string }>`
    select ${nameOf('one')} as one, ${nameOf('other')} as other
      from claims as one join claims as other
        on other.resource_id = one.resource_id and other.lasts_long in (0, 1) -- for the index claims_by_resource
       and other.taken_from >= one.taken_from and other.taken_from < one.taken_until
       and (other.taken_from > one.taken_from or other.id > one.id)
     where one.ended_at is null and other.ended_at is null
       and (one.occurrence_id <> other.occurrence_id or ${sharesSeat})
     order by one.taken_from`.execute(db)
  if (rows.length === 0) return
  const named = rows.slice(0, maxNamed).map(({ one, other }) => `${one} and ${other}`)
  const more = rows.length > maxNamed ? `, and ${rows.length - maxNamed} more pairs` : ''
  throw new OperatorError(
    `The rules against double bookings cannot be made again: ${named.join('; ')} overlap${more}.`,
    {
      fix: 'Cancel one booking of each pair ("holdfast booking cancel <id>"); holds end by themselves. Then run it again.',
    },
  )
}

function nameOf(claim: 'one' | 'other') {
  const column = (name: string) => sql.ref(`${claim}.${name}`)
  return sql`case when ${column('booked_at')} is null then 'hold ' else 'booking ' end
             || cast(coalesce(${column('visit_id')}, ${column('id')}) as text)`
}
