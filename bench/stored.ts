import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Agent, request as send } from 'undici'
import { startOwnPostgres } from '../test/support/postgres-server.ts'
import { ownDirectory } from './children.ts'
import { Ground, type Request, type Send, type World } from './operations.ts'
import { startTarget, type Target, thisCheckout } from './targets.ts'

/*
 * The rows of a booking in PostgreSQL and its total cost: session, hold and booking with keys, one webhook and an email
 * in a file. Counts bytes and CPU seconds, but no durations. growth.ts uses the figures.
 */

const bookings = 2_000
const questions = 1_000
const atOnce = 16

/** Prints bytes of each table for a booking, WAL, and CPU seconds for 1,000 bookings and queries. */
export async function measureStored(): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgres = await startOwnPostgres({ synchronous_commit: 'on' })
  if (!postgres) throw new Error('there is no PostgreSQL here')
  undo.defer(() => postgres.stop())
  console.log(`${atOnce} at once; CPU s per 1,000: service, database`)
  await measureWith(postgres.url, { tells: false })
  await measureWith(postgres.url, { tells: true })
}

/** Measures a separate service, which reports each booking by webhook and email, or not at all. */
async function measureWith(postgresUrl: string, { tells }: { tells: boolean }): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const { path: directory, remove } = ownDirectory()
  undo.defer(remove)
  const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  undo.defer(() => void receiver.close())
  await once(receiver, 'listening')
  const target = await startTarget(thisCheckout, 'postgres', {
    ...{ postgresUrl, number: Number(tells) },
    // the receiver and the emails are on this machine
    settings: tells ? { NODE_ENV: 'development', MAIL_DIR: directory } : {},
  })
  undo.defer(() => target.stop())
  const client = new pg.Client({ connectionString: target.databaseUrl })
  await client.connect()
  undo.defer(() => client.end())
  const sender = senderTo(target)
  const ground = new Ground(target.worlds[0] as World)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  if (tells) await sender(ground.byKey('POST', '/webhooks', { url, events: ['booking.created'] }))

  const flow = async () => ground.book(sender, await ground.hold(sender, await ground.visitor(sender)))
  await repeat(200, flow) // code that has run often costs less
  await settled(client)
  const asked = await costs(target, questions, (turn) => sender(ground.slotsOf(turn, 1)))
  const [sizes, wal] = [await sizesOf(client), await walOf(client)]
  const booked = await costs(target, bookings, flow, () => settled(client))
  const written = (await walOf(client)) - wal
  console.log(`\nfree times of a day           ${asked}`)
  console.log(`session, hold and booking     ${booked}${tells ? ' with delivery and mail' : ''}`)
  console.log(`bytes of WAL a booking        ${Math.round(written / bookings)}`)
  console.log('bytes a booking, with indexes')
  for (const [table, bytes] of await sizesOf(client)) {
    const more = Math.round((bytes - (sizes.get(table) ?? 0)) / bookings)
    if (more > 0) console.log(`  ${table.padEnd(20)} ${more}`)
  }
}

/** Sends with a key, like a client with retries. */
function senderTo({ addresses: [address = ''] }: Target): Send {
  const dispatcher = new Agent({ connections: atOnce })
  return async <T>({ method, path, token, network, body }: Request) => {
    const { statusCode, body: answer } = await send(`${address}/api/v1${path}`, {
      ...{ method, dispatcher, body: body ? JSON.stringify(body) : null },
      headers: {
        ...{ authorization: `Bearer ${token}`, 'x-forwarded-for': network },
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
    })
    const text = await answer.text()
    if (statusCode > 299) throw new Error(`${method} ${path}: ${statusCode} ${text}`)
    return JSON.parse(text) as T
  }
}

async function repeat(count: number, work: (turn: number) => Promise<unknown>): Promise<void> {
  let turn = 0
  const worker = async () => {
    while (turn < count) await work(turn++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function costs(
  target: Target,
  count: number,
  work: (turn: number) => Promise<unknown>,
  then = () => Promise.resolve(),
): Promise<string> {
  const before = await target.processorSeconds()
  await repeat(count, work)
  await then()
  const after = await target.processorSeconds()
  const each = (one: 'service' | 'database') => (((after[one] - before[one]) * 1000) / count).toFixed(2)
  return `${each('service')}, ${each('database')}`
}

/** Waits until every booking has been reported. */
async function settled(client: pg.Client): Promise<void> {
  const waiting = `select (select count(*) from deliveries where status = 'pending')
                        + (select count(*) from mails where status = 'queued' and kind <> 'reminder') as left`
  for (;;) {
    const { rows } = await client.query<{ left: string }>(waiting)
    if (rows[0]?.left === '0') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function sizesOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

async function walOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`,
  )
  return Number(rows[0]?.bytes)
}
