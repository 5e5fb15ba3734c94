import { type RawBuilder, sql } from 'kysely'
import type { Params } from './cached-query.ts'
import type { Queries, Reads } from './database.ts'
import { isPostgres } from './json-rows.ts'

/**
 * The businesses that a caller may access: exactly one, all of one hub, or all (only for the operator's command line).
 * Part of every query.
 */
export type TenantScope = { businessId: string } | { hubId: string } | { everything: true }

/** The condition that a row's `business_id` is in the scope. */
export function inScope(column: string, scope: TenantScope | Params<TenantScope>): RawBuilder<boolean> {
  if ('businessId' in scope) return sql<boolean>`${sql.ref(column)} = ${scope.businessId}`
  // a list of IDs, so that the indexes, which begin with the business, still apply
  const businesses =
    'hubId' in scope
      ? sql`select id from businesses where hub_id = ${scope.hubId}`
      : sql`select id from businesses`
  return sql<boolean>`${sql.ref(column)} in (${businesses})`
}

/** Returns a name of a scope, for cache keys. */
export function scopeKey(scope: TenantScope): string {
  if ('businessId' in scope) return `business:${scope.businessId}`
  return 'hubId' in scope ? `hub:${scope.hubId}` : 'everything'
}

/** Columns of `w`, the rows that a statement gets as a parameter (see json-rows.ts), each with its own scope. */
export const scopeColumns = { business_id: 'uuid', hub_id: 'uuid', everything: 'integer' } as const

/** Returns the values of `scopeColumns`. */
export function scopeRow(scope: TenantScope) {
  return {
    business_id: 'businessId' in scope ? scope.businessId : null,
    hub_id: 'hubId' in scope ? scope.hubId : null,
    everything: 'everything' in scope ? 1 : 0,
  }
}

/** Like `inScope`, for the scope of a row of `w`. */
export function inScopeOfRow(db: Reads, column: string): RawBuilder<boolean> {
  const businesses = sql`
    select w.business_id union all select id from businesses where hub_id = w.hub_id
    union all select id from businesses where w.everything = 1`
  return isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any (array(${businesses}))`
    : sql<boolean>`${sql.ref(column)} in (${businesses})`
}

/**
 * Blocks others who lock the same business until the transaction ends. Returns false if it is out of scope.
 */
export async function lockBusiness(db: Queries, scope: TenantScope, id: string): Promise<boolean> {
  const business = await db
    .selectFrom('businesses')
    .select('id')
    .where('id', '=', id)
    .where(inScope('id', scope))
    .forNoKeyUpdate()
    .executeTakeFirst()
  return business !== undefined
}
