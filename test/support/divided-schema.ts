import pg from 'pg'

/*
 * The schema as required for sharding by business, for example by Citus. Every primary key, unique index, foreign key
 * and exclusion constraint of a table with `business_id` includes that column.
 */

interface Key {
  table: string
  name: string
  /**
   * The type in pg_constraint: primary key, unique, exclusion, foreign key. `i` is a unique index without a constraint.
   */
  type: 'p' | 'u' | 'x' | 'f' | 'i'
  definition: string
  /** True if it already includes business_id. */
  isDivided: boolean
}

/** Tables whose rows always name their business. */
const tenantTables = `
  select attrelid as id, attnum from pg_attribute
   where attname = 'business_id' and attnotnull and not attisdropped
     and attrelid in (select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace)`

/** The keys of these tables, and foreign keys of other tables that refer to them. */
const keysQuery = `
  with tenants as (${tenantTables})
  select c.conrelid::regclass::text as table, c.conname::text as name, c.contype::text as type,
         pg_get_constraintdef(c.oid) as definition,
         t.attnum = any (c.conkey) as "isDivided"
    from pg_constraint as c join tenants as t on t.id = c.conrelid
   where c.contype in ('p', 'u', 'x', 'f')
  union all
  select i.indrelid::regclass::text, i.indexrelid::regclass::text, 'i', pg_get_indexdef(i.indexrelid),
         t.attnum = any (i.indkey::int2[])
    from pg_index as i join tenants as t on t.id = i.indrelid
   where i.indisunique and not exists (select from pg_constraint as c where c.conindid = i.indexrelid)
  union all
  select c.conrelid::regclass::text, c.conname::text, 'f', pg_get_constraintdef(c.oid), false
    from pg_constraint as c join tenants as t on t.id = c.confrelid
   where c.contype = 'f' and c.conrelid not in (select id from tenants)
     and not exists (select from pg_attribute as a
                      where a.attrelid = c.confrelid and a.attname = 'business_id' and a.attnum = any (c.confkey))
   order by 1, 2`

async function keysOf(client: pg.Client): Promise<Key[]> {
  return (await client.query<Key>(keysQuery)).rows
}

/** Returns the keys that do not include `business_id`, as `table: name`. */
export async function undividedKeys(databaseUrl: string): Promise<string[]> {
  return using(databaseUrl, async (client) =>
    (await keysOf(client))
      .filter(({ isDivided }) => !isDivided)
      .map(({ table, name }) => `${table}: ${name}`),
  )
}

/** Returns the same key with `business_id` as the last column, so that an index still finds a row by the others. */
function dividedDefinition({ type, definition }: Key): string {
  if (type === 'p' || type === 'u') return definition.replace(/\)$/, ', business_id)')
  if (type === 'x') return definition.replace('gist (', 'gist (business_id with =, ')
  if (type === 'f') return definition.replaceAll(/\(([\w, ]+)\)/g, '($1, business_id)')
  return definition.replace('btree (', 'btree (business_id, ')
}

/**
 * Adds `business_id` to every key that lacks it. Foreign keys of tables without the column are dropped, and returned as
 * `table: name`. Throws if existing rows violate one.
 */
export async function divideSchema(databaseUrl: string): Promise<string[]> {
  return using(databaseUrl, async (client) => {
    const [tenants, keys] = [await tenantNames(client), await keysOf(client)]
    const undivided = keys.filter(({ isDivided }) => !isDivided)
    // references are dropped before the keys that they refer to, and restored after them
    const references = keys.filter(({ type }) => type === 'f')
    const others = undivided.filter(({ type }) => type !== 'f')
    await client.query('begin')
    for (const { table, name } of references)
      await client.query(`alter table ${table} drop constraint ${name}`)
    for (const key of others) {
      const { table, name, type } = key
      await client.query(type === 'i' ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`)
      const divided = dividedDefinition(key)
      await client.query(type === 'i' ? divided : `alter table ${table} add constraint ${name} ${divided}`)
    }
    const kept = references.filter(({ table }) => tenants.has(table))
    for (const key of kept) {
      const definition = key.isDivided ? key.definition : dividedDefinition(key)
      await client.query(`alter table ${key.table} add constraint ${key.name} ${definition}`)
    }
    await client.query('commit')
    return references.filter((key) => !kept.includes(key)).map(({ table, name }) => `${table}: ${name}`)
  })
}

async function tenantNames(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select id::regclass::text as name from (${tenantTables}) as tenants`,
  )
  return new Set(rows.map(({ name }) => name))
}

async function using<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
