import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { onOneEngine } from '../support/long.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

const call = httpClients()
const year = new Date().getUTCFullYear() + 1

onOneEngine('sqlite', 'blocked clients from the command line', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let server: ServerProcess
  let holdfast: CommandLine
  let barbers: DemoWorld['businesses'][number]
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    server = await startServer(database.url)
    holdfast = commandLine(database.url)
    barbers = businessOf(world, 'Thames Barbers') // on growth: the API would refuse its keys
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  const client = (word: string, ...args: string[]) => ['client', word, ...args, '--business', barbers.id]

  /** Returns the status of a booking attempt by a client's widget. */
  async function statusOfBooking(day: string): Promise<number> {
    const { body } = await call(server.address, 'POST', '/session', { token: barbers.publishable_key })
    const token = body.session_token as string
    const slot = { ...offer(barbers, 'Meeting room'), starts_at: `${year}-${day}T10:00:00+00:00` }
    const hold = await call(server.address, 'POST', '/bookings/hold', { token, body: slot })
    const wanted = { hold_id: hold.body.hold_id, client: ada }
    return (await call(server.address, 'POST', '/bookings', { token, body: wanted })).status
  }

  test('a blocked client cannot book, whatever the plan, until they are unblocked', async () => {
    const blocked = await holdfast.json(...client('block', 'Ada+salon@Example.com'))
    expect(blocked).toMatchObject({ business_id: barbers.id, email: 'ada@example.com' })
    expect(await holdfast.json(...client('block', 'ada@example.com'))).toEqual(blocked)
    expect(await statusOfBooking('02-01')).toBe(429)
    expect(await holdfast.text(...client('unblock', 'ADA@example.com'))).toBe(
      'client ADA@example.com is not blocked\n',
    )
    expect(await statusOfBooking('02-02')).toBe(201)
    expect(await holdfast.text(...client('list'))).toMatch(/^Blocked clients of .*:\n\(none\)\n$/)
  })

  test('the list shows the clients of its business, page by page', async () => {
    const spree = businessOf(world, 'Salon Spree').id
    await holdfast.text('client', 'block', 'else@example.com', '--business', spree)
    for (const name of ['c', 'a', 'b']) await holdfast.text(...client('block', `${name}@example.com`))
    const first = await holdfast.json(...client('list', '--limit', '2'))
    expect(first.data).toMatchObject([{ email: 'a@example.com' }, { email: 'b@example.com' }])
    const cells = cellsOf(await holdfast.text(...client('list', '--cursor', String(first.next_cursor))))
    expect(cells).toEqual([
      ['EMAIL', 'BLOCKED SINCE'],
      ['c@example.com', expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d/)],
    ])
  })

  test('what cannot be is refused with exit code 2 and the reason', async () => {
    await holdfast.refuses(client('block', 'ada'), 2, /The email address must be an email address/)
    await holdfast.refuses(client('unblock', ''), 2, /The email address must/)
    await holdfast.refuses(client('list', '--limit', '0'), 2, /--limit must be/)
    await holdfast.refuses(client('list', '--cursor', 'x'), 2, /next_cursor of the previous page/)
    await holdfast.refuses(['client', 'list', '--business', 'thames barbers'], 2, /Did you mean/)
  })
})
