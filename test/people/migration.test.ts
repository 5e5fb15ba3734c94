import { operator } from '../../src/access/actor.ts'
import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { addPerson } from '../../src/access/new-person.ts'
import { readConfig } from '../../src/base/config.ts'
import { firstSchema } from '../../src/database/migrations/0001-first-schema.ts'
import { createContext } from '../../src/operate/open.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { onEachEngine } from '../support/test-service.ts'

const businessId = '0198b6f0-0000-7000-8000-000000000001'
const staffId = '0198b6f0-0000-7000-8000-000000000002'
const at = '2026-11-20T09:00:00.000Z'

/** As written by the first release. */
const seeds = [
  `insert into businesses (id, name, plan, timezone, catalogue_version, created_at)
    values ('${businessId}', 'Salon Spree', 'growth', 'Europe/Berlin', 1, '${at}')`,
  `insert into staff (id, business_id, name, date_overrides_json, created_at)
    values ('${staffId}', '${businessId}', 'Anna Weber', '[]', '${at}')`,
]

onEachEngine('a database of the first schema', (engine) => {
  test('keeps its rows when people come to it', async () => {
    const database = await createTestDatabase(engine)
    const context = await createContext(readConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }))
    await context.db.transaction(async ({ db }) => {
      await firstSchema(db as Kysely<unknown>, engine)
      await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
        db,
      )
      await sql`insert into kysely_migration values ('0001-first-schema', '2026-11-20T09:00:00.000Z')`.execute(
        db,
      )
    })
    await context.db.transaction(async ({ db }) => {
      for (const statement of seeds) await sql.raw(statement).execute(db)
    })
    const { reads } = context.db
    const rows = async () => [
      await reads.selectFrom('businesses').selectAll().execute(),
      await reads.selectFrom('staff').selectAll().execute(),
    ]
    const before = await rows()
    expect((await context.db.migrate())[0]).toBe('0002-people')
    expect(await rows()).toMatchObject(before) // later migrations add columns
    const place = { businessId }
    const added = await addPerson(context, operator, {
      email: 'anna@example.com',
      role: 'staff',
      staffId,
      place,
    })
    expect(added).toMatchObject({
      person: { business_name: 'Salon Spree', role: 'staff', staff_id: staffId },
    })
    await context.db.close()
    await database.drop()
  })
})
