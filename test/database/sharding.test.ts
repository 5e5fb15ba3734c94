import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { sql } from 'kysely'
import { operator } from '../../src/access/actor.ts'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import { fetchBusyCalendar } from '../../src/calendars/busy-calendar.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { seedDemoData } from '../../src/catalogue/demo-world.ts'
import { calendar, event } from '../calendars/calendar-files.ts'
import { documentAt, tableUnder } from '../docs/documents.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { clientOf } from '../support/client.ts'
import { divideSchema, undividedKeys } from '../support/divided-schema.ts'
import { tally } from '../support/http-client.ts'
import { rounds } from '../support/long.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { bookingOf, changeRows, nextAddress, nextStart, type Tenant } from '../support/tenant-things.ts'
import {
  ada,
  engines,
  offer,
  onEachEngine,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

/** Bookings of each business. */
const turns = rounds(4, 25)

onEachEngine('how the schema divides by business', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  /** Returns the tables, and if their column `business_id` may be null. Undefined for tables without it. */
  async function columns(): Promise<Map<string, boolean | undefined>> {
    const read =
      engine === 'sqlite'
        ? sql<{ name: string; nullable: number | null }>`
            select t.name, (select 1 - c."notnull" from pragma_table_info(t.name) as c where c.name = 'business_id') as nullable
              from sqlite_schema as t where t.type = 'table'`
        : sql<{ name: string; nullable: number | null }>`
            select t.relname as name, (select case when c.attnotnull then 0 else 1 end from pg_attribute as c
                     where c.attrelid = t.oid and c.attname = 'business_id' and not c.attisdropped) as nullable
              from pg_class as t where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace`
    const { rows } = await read.execute(service.context.db.reads)
    return new Map(
      rows.map(({ name, nullable }) => [name, nullable === null ? undefined : nullable === 1] as const),
    )
  }

  test('every table names the business of a row, but for those that docs/guides/scaling.md lists with a reason', async () => {
    const excepted = new Set(
      tableUnder(documentAt('docs/guides/scaling.md'), '### What has no `business_id`').flatMap(
        ([names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
      ),
    )
    const others = [...(await columns())].filter(([, nullable]) => nullable !== false)
    const unexplained = others.map(([name]) => name).filter((name) => !excepted.has(name))
    expect(unexplained).toEqual([])
    for (const name of ['claims', 'bookings', 'events', 'services', 'sessions', 'payments']) {
      expect(excepted, name).not.toContain(name)
      expect((await columns()).get(name), name).toBe(false)
    }
  })
})

/*
 * Citus requires every key of a distributed table to include the distribution column. Citus itself is not tested: this
 * is its rule, on a plain PostgreSQL.
 */
describe.runIf(engines.includes('postgres'))('a schema whose keys all include business_id (postgres)', () => {
  let service: TestService
  let other: TestService
  let elsewhere: Receiver
  let reader: CalendarReader
  let before: string[]
  let dropped: string[]
  beforeAll(async () => {
    elsewhere = await startReceiver()
    const appointment = event('UID:one', 'DTSTART:20261130T100000Z', 'DTEND:20261130T110000Z')
    elsewhere.answer = (response) => response.end(calendar(appointment))
    service = await startTestService('postgres', {
      ...{
        PUBLIC_URL: 'http://127.0.0.1:3000',
        MAIL_DIR: mkdtempSync(join(inject('filesDirectory'), 'mails-')),
      },
    })
    reader = openReader(service.context, '0')
    await changeRows(service, sql`update businesses set plan = 'enterprise'`) // keys of this plan may book
    for (const tenant of service.world.businesses) await useAll(tenant)
    before = await undividedKeys(service.databaseUrl)
    dropped = await divideSchema(service.databaseUrl)
    other = await startTestService('postgres', {}, { beside: service })
  })
  afterAll(async () => {
    await Promise.all([reader.close(), other.stop(), elsewhere.stop()])
    await service.stop()
  })

  let clients = 0
  const book = (tenant: Tenant, name: string) => {
    clients += 1
    const client = { ...ada, email: `client-${clients}@example.com` }
    return bookingOf(service, tenant, { token: tenant.business_key, service: name, body: { client } })
  }

  /** Leaves rows behind every key: bookings, a move, a cancellation, a deposit, the block of an external calendar. */
  async function useAll(tenant: Tenant): Promise<void> {
    const key = clientOf(service, tenant.business_key)
    const moved = await key.change(await book(tenant, 'Haircut'), { starts_at: nextStart() })
    const cancelled = await key.cancel(await book(tenant, 'Yoga class'))
    const held = await key.hold(offer(tenant, 'Treatment'), nextStart())
    const { body: waiting } = await key.book(String(held.body.hold_id))
    const paid = await service.call('POST', `/${new URL(String(waiting.redirect_url)).pathname}/pay`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const about = { staff_id: tenant.staff[0]?.id, url: `${elsewhere.address}/${nextStart()}.ics` }
    const added = await service.call('POST', '/busy-calendars', { token: tenant.business_key, body: about })
    await fetchBusyCalendar(service.context, operator, { id: String(added.body.id), reader })
    expect([moved.status, cancelled.status, paid.status, added.status]).toEqual([200, 200, 303, 201])
  }

  /** Holds one slot with as many sessions as there are turns, over both servers. */
  async function race(name: string, turns: number): Promise<Record<string, number>> {
    const [tenant] = service.world.businesses as [Tenant]
    const tokens = await Promise.all(Array.from({ length: turns }, () => service.session(tenant)))
    const body = { ...offer(tenant, name), starts_at: nextStart() }
    const holds = tokens.map((token, turn) =>
      (turn % 2 ? other : service).call('POST', '/bookings/hold', {
        ...{ token, body, remoteAddress: nextAddress() },
      }),
    )
    return tally(await Promise.all(holds))
  }

  test('takes the rows that are there; only the sandbox, which has no business_id, loses a reference', async () => {
    expect(before).toContain('claims: claims_of_one_seat_do_not_overlap')
    expect(await undividedKeys(service.databaseUrl)).toEqual([])
    expect(dropped).toEqual(['sandbox_checkouts: sandbox_checkouts_payment_id_fkey'])
  })

  test('refuses nothing valid: the demo world again, and many bookings of all kinds', async () => {
    await seedDemoData(service.context)
    for (const tenant of service.world.businesses) {
      for (let turn = 0; turn < turns; turn += 1) {
        await book(tenant, 'Haircut')
        await book(tenant, 'Meeting room')
      }
      await useAll(tenant)
    }
    expect(await findErrors(service.databaseUrl)).toEqual([])
    const filled = ['bookings', 'blocks', 'busy_calendars', 'events', 'mails', 'payments']
    const rows = await Promise.all(filled.map((table) => service.rows(table)))
    expect(filled.filter((_, index) => rows[index]?.length === 0)).toEqual([])
  })

  test('sells a slot once, and a seat once', async () => {
    expect(await race('Meeting room', 20)).toEqual({ '201': 1, '409 slot_held': 19 })
    expect(await race('Yoga class', 20)).toEqual({ '201': 8, '409 slot_held': 12 })
    expect(await findErrors(service.databaseUrl)).toEqual([])
  })

  test('still refuses a claim over another, though nobody looked before', async () => {
    const [claim] = await readRows(
      service.databaseUrl,
      'select id from claims where ended_at is null limit 1',
    )
    const columns = await readRows(
      service.databaseUrl,
      `select column_name as name from information_schema.columns where table_schema = current_schema()
          and table_name = 'claims' and is_generated = 'NEVER' and column_name not in ('id', 'owner_sequence')`,
    )
    const names = sql.join(columns.map(({ name }) => sql.ref(String(name))))
    const copy = service.context.db.transaction((tx) =>
      sql`insert into claims (id, ${names}) select gen_random_uuid(), ${names} from claims where id = ${claim?.['id']}`.execute(
        tx.db,
      ),
    )
    await expect(copy).rejects.toMatchObject({ constraint: 'claims_of_one_seat_do_not_overlap' })
  })
})
