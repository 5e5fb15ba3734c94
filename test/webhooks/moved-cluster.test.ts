import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientOf } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-server.ts'
import { engines, startTestService, testClock, type TestService } from '../support/test-service.ts'
import { makeShop, type Shop } from '../support/webhooks.ts'

const transactionsOfOldCluster = 5_000

/** A database that moves from one PostgreSQL cluster to another keeps the readers of its events. */
describe.runIf(engines.includes('postgres'))('events of a database that moved to another cluster', () => {
  let old: OwnPostgres
  let young: OwnPostgres
  let third: OwnPostgres
  const services: TestService[] = []
  const clock = testClock()
  beforeAll(async () => {
    const started = await Promise.all(
      ['logical', 'replica', 'replica'].map((wal_level) => startOwnPostgres({ wal_level })),
    )
    ;[old, young, third] = started.map((server) => {
      if (!server) throw new Error('this machine cannot be given a PostgreSQL server')
      return server
    }) as [OwnPostgres, OwnPostgres, OwnPostgres]
    await ask(
      old.url,
      `do $$ begin for i in 1..${transactionsOfOldCluster} loop perform pg_current_xact_id(); commit; end loop; end $$`,
    )
  })
  afterAll(async () => {
    for (const service of services) await service.stop()
    for (const server of [old, young, third]) await server.stop()
  })

  async function ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows
    await client.end()
    return rows
  }

  /** Creates a database in a cluster, with the contents of a dump, if given. */
  async function database(cluster: OwnPostgres, name: string, dump = ''): Promise<string> {
    await ask(cluster.url, `create database ${name}`)
    const url = new URL(cluster.url)
    url.pathname = name
    if (dump !== '') await ask(url.href, dump)
    return url.href
  }

  function dumpOf(url: string, ...options: string[]): string {
    const { stdout, stderr, status } = spawnSync('pg_dump', ['--no-owner', '--inserts', ...options, url], {
      encoding: 'utf8',
      maxBuffer: 2 ** 27,
    })
    if (status !== 0) throw new Error(stderr)
    return stdout.replaceAll(/^\\.*$/gm, '') // commands of psql
  }

  async function serve(databaseUrl: string): Promise<TestService> {
    const world = { hub: { id: '' }, businesses: [] }
    const beside = { databaseUrl, clock, world } as unknown as TestService
    const service = await startTestService('postgres', {}, { beside })
    services.push(service)
    return service
  }

  const moved = (service: TestService, shop: Shop): Shop => {
    const client = clientOf(service, shop.business.key)
    return { ...shop, client }
  }

  let starts = Date.UTC(2027, 4, 1, 9)
  async function book({ client, offer }: Shop): Promise<string> {
    const hold = await client.hold(offer, new Date((starts += 3_600_000)).toISOString())
    const booked = await client.book(String(hold.body.hold_id))
    expect(booked.status).toBe(201)
    return String(booked.body.id)
  }

  /** Returns the bookings in events, in their order. */
  async function read(service: TestService, shop: Shop, after?: string) {
    const query = after === undefined ? '' : `&after=${after}`
    const { status, body } = await service.call('GET', `/events?limit=100${query}`, {
      token: shop.business.key,
    })
    expect(status).toBe(200)
    const data = body.data as { id: string; booking_id: string }[]
    return { ids: data.map(({ id }) => id), bookings: data.map(({ booking_id }) => booking_id) }
  }

  async function lives(service: TestService, before: Shop, told: string[], last: string) {
    const shop = moved(service, before)
    expect((await read(service, shop)).bookings).toEqual(told) // also before the first event there
    expect((await read(service, shop, last)).bookings).toEqual(told.slice(2))
    const fresh = [await book(shop), await book(shop)]
    expect((await read(service, shop)).bookings).toEqual([...told, ...fresh])
    expect((await read(service, shop, last)).bookings).toEqual([...told.slice(2), ...fresh])
    // late commits are still waited for
    const running = new pg.Client({ connectionString: service.databaseUrl })
    await running.connect()
    await running.query('begin')
    await running.query('select pg_current_xact_id()')
    const late = await book(shop)
    expect((await read(service, shop)).bookings).toEqual([...told, ...fresh])
    await running.query('commit')
    await running.end()
    expect((await read(service, shop)).bookings).toEqual([...told, ...fresh, late])
    return [...told, ...fresh, late]
  }

  test('are read on without a gap, by dump and restore, back again, and by logical replication', async () => {
    const first = await serve(await database(old, 'first'))
    const shop = await makeShop(first)
    let told = [await book(shop), await book(shop), await book(shop), await book(shop)]
    const { ids } = await read(first, shop)
    const last = String(ids[1])

    const restored = await database(young, 'restored', dumpOf(first.databaseUrl))
    const [{ next = 0 } = {}] = await ask(restored, `select pg_current_xact_id()::text::int as next`)
    expect(Number(next)).toBeLessThan(transactionsOfOldCluster) // otherwise the test proves nothing
    const second = await serve(restored)
    told = await lives(second, shop, told, last)

    const back = await serve(await database(old, 'back', dumpOf(restored)))
    told = await lives(back, shop, told, last)

    const replica = await database(third, 'replicated', dumpOf(back.databaseUrl, '--schema-only'))
    const whole = await ask(
      back.databaseUrl,
      `select c.relname as name from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
          and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
    )
    await ask(
      back.databaseUrl,
      ...whole.map(({ name }) => `alter table ${String(name)} replica identity full`),
      `create publication moving for all tables`,
    )
    await ask(replica, `create subscription moving connection '${back.databaseUrl}' publication moving`)
    const copied = async () => {
      const count = `select count(*)::int as n from events`
      const [there, here] = [await ask(replica, count), await ask(back.databaseUrl, count)]
      const left = await ask(replica, `select from pg_subscription_rel where srsubstate <> 'r'`)
      return (left.length === 0 && there[0]?.['n'] === here[0]?.['n']) || undefined
    }
    await eventually('the copy of all tables', copied)
    told = [...told, await book(moved(back, shop))] // replicated as it is written
    await eventually('the last event', copied)
    await ask(replica, 'drop subscription moving')
    await lives(await serve(replica), shop, told, last)
  })
})
