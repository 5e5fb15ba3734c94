import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { onOneEngine } from '../support/long.ts'
import { type ServerProcess, startServer, withoutLimits } from '../support/server-process.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

const call = httpClients()
const year = new Date().getUTCFullYear() + 1

onOneEngine('sqlite', 'requests beside a running server', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let server: ServerProcess
  let holdfast: CommandLine
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    server = await startServer(database.url, withoutLimits)
    holdfast = commandLine(database.url)
  })
  afterAll(async () => {
    expect(await findErrors(database.url)).toEqual([])
    await server.stop()
    await database.drop()
  })

  /** Requests a booking as a visitor does. */
  async function request(startsAt: string): Promise<string> {
    const business = businessOf(world, 'Salon Spree')
    const post = (path: string, token: string, body?: object) =>
      call(server.address, 'POST', path, { token, ...(body && { body }) })
    const session = await post('/session', business.publishable_key)
    const token = String(session.body.session_token)
    const place = { ...offer(business, 'Meeting room'), starts_at: startsAt }
    const hold = await post('/bookings/hold', token, place)
    const booked = await post('/bookings', token, { hold_id: hold.body.hold_id, client: ada })
    expect(booked.body).toMatchObject({ status: 'pending', respond_by: expect.any(String) })
    return String(booked.body.id)
  }
  /** The arguments of each command in a block of the guide. */
  const blocks = blocksOf(documentAt('docs/guides/requests.md')).map(({ text }) =>
    text
      .trim()
      .split('\n')
      .map((line) =>
        [...line.replace('npx holdfast ', '').matchAll(/"([^"]*)"|(\S+)/g)].map(
          ([, quoted, word]) => quoted ?? word ?? '',
        ),
      ),
  )

  test('the commands of docs/guides/requests.md work', async () => {
    const [setUp = [], answers = []] = blocks
    const serviceId = offer(businessOf(world, 'Salon Spree'), 'Meeting room').service_id
    for (const args of setUp) await holdfast.text(...args.map((arg) => (arg === 'Haircut' ? serviceId : arg)))
    const ids = [await request(`${year}-02-01T10:00:00+01:00`), await request(`${year}-02-02T10:00:00+01:00`)]
    const [list = [], confirm = [], decline = []] = answers
    const listed = await holdfast.text(...list)
    for (const id of ids) expect(listed).toContain(id)
    const put = (args: string[], id = '') => args.map((arg) => (arg === '<id>' ? id : arg))
    expect(await holdfast.text(...put(confirm, ids[0]))).toMatch(/^status +confirmed$/m)
    expect(await holdfast.json(...put(decline, ids[1]))).toMatchObject({
      ...{ status: 'cancelled', cancel_reason: 'We are away that day' },
    })
    for (const id of ids) {
      await holdfast.refuses(put(confirm, id), 1, /has been answered/)
      await holdfast.refuses(put(decline, id), 1, /has been answered/)
    }
    const [events] = await readRows(
      database.url,
      `select count(*) as number from events where type = 'booking.created' and booking_id in ('${ids.join("', '")}')`,
    )
    expect(Number(events?.['number'])).toBe(1)
  })
})
