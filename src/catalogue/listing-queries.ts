import { sql, type RawBuilder } from 'kysely'

/** What a list of the catalogue is narrowed to, and where its page begins. */
export interface CatalogueFilter {
  businessId: string | undefined
  activeOnly: boolean
  /** The name and id of the last row of the page before. */
  after: readonly [name: string, id: string] | undefined
  /** Rows to read: one more than the page shows, to know whether another follows. */
  rows: number
}

/** The conditions of a filter on the table with this alias. Lists are ordered by name, then id. */
export function listed(alias: string, filter: CatalogueFilter): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  const conditions = [sql`1 = 1`]
  if (filter.businessId) conditions.push(sql`${column('business_id')} = ${filter.businessId}`)
  if (filter.activeOnly) conditions.push(sql`${column('deactivated_at')} is null`)
  if (filter.after) {
    conditions.push(sql`(${column('name')}, ${column('id')}) > (${filter.after[0]}, ${filter.after[1]})`)
  }
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** The ids that a join table lists for each row, comma-separated; null where there are none. */
export function idsFrom(table: string, own: string, other: string): RawBuilder<string | null> {
  const [ownAlias = '', ownColumn = ''] = own.split('.')
  return sql<string | null>`(
    select string_agg(cast(${sql.ref(`j.${other}`)} as text), ',' order by ${sql.ref(`j.${other}`)})
      from ${sql.table(table)} as j where ${sql.ref(`j.${ownColumn}`)} = ${sql.ref(`${ownAlias}.id`)})`
}

/** The ids of such a list. */
export function splitIds(ids: string | null): string[] {
  return ids === null ? [] : ids.split(',')
}
