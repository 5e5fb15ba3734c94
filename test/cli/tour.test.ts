import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { readRows } from '../support/checker.ts'
import { commandLine, runCommand } from '../support/command-line.ts'
import { demoWorld, emptyDirectory } from '../support/holdfast-process.ts'
import { startServer, withoutLimits } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'
import { onOneEngine } from '../support/long.ts'

const secret = /cal_(hub|biz|pub|ses)_\w{4}/
const steps = [
  'A widget exchanges its publishable key for a session token',
  'It reads the services',
  'It requests the next free slot',
  'It holds the slot: nobody else can take it now',
  'The hold becomes a booking',
  'The business reads it',
  'The business moves it to another day',
  'The business cancels it; the slot is free at once',
]

onOneEngine('sqlite', 'holdfast tour', (engine) => {
  test('walks from the session to the cancelled booking, and shows no token whole', async () => {
    const database = await createTestDatabase(engine)
    const server = await startServer(database.url, withoutLimits)
    const { port } = new URL(server.address)
    // the database is empty: the tour adds the demo world, and finds the server through the configuration
    const ran = await runCommand(['tour'], { DATABASE_URL: database.url, PORT: port })
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    expect([...ran.stdout.matchAll(/^# (.*)$/gm)].map(([, title]) => title)).toEqual(steps)
    expect([...ran.stdout.matchAll(/^> ([A-Z]+ \S+)$/gm)].map(([, request]) => request)).toEqual([
      'POST /api/v1/session',
      'GET /api/v1/services',
      expect.stringMatching(
        /^GET \/api\/v1\/availability\/soonest\?service_id=[0-9a-f-]{36}&location_id=[0-9a-f-]{36}$/,
      ),
      'POST /api/v1/bookings/hold',
      'POST /api/v1/bookings',
      expect.stringMatching(/^GET \/api\/v1\/bookings\/[0-9a-f-]{36}$/),
      expect.stringMatching(/^PATCH \/api\/v1\/bookings\/[0-9a-f-]{36}$/),
      expect.stringMatching(/^DELETE \/api\/v1\/bookings\/[0-9a-f-]{36}$/),
    ])
    expect([...ran.stdout.matchAll(/^< (\d+)$/gm)].map(([, status]) => status)).toEqual([
      ...['201', '200', '200', '201', '201', '200', '200', '200'],
    ])
    expect(ran.stdout).not.toMatch(secret)
    expect(ran.stdout).toMatch(/"… and 6 more"/)
    expect(await readRows(database.url, 'select status from bookings')).toEqual([{ status: 'cancelled' }])
    expect(await readRows(database.url, 'select type from events')).toHaveLength(4)

    const again = await runCommand(['tour'], { DATABASE_URL: database.url, PORT: port })
    expect(again, again.stderr).toMatchObject({ code: 0, stderr: '' })
    await server.stop()
    await database.drop()
  })

  test('takes other keys and another address, also in production', async () => {
    const database = await createTestDatabase(engine)
    const { publishable_key, business_key } = businessOf(await demoWorld(database.url), 'Hudson Studio')
    const server = await startServer(database.url, withoutLimits)
    const elsewhere = commandLine(`sqlite:${emptyDirectory()}/none.db`, { NODE_ENV: 'production' })
    const keys = ['--publishable-key', publishable_key, '--business-key', business_key]
    const said = await elsewhere.text('tour', '--url', `${server.address}/`, ...keys)
    expect(said).toContain('Hudson Studio')
    expect(said).not.toMatch(secret)
    await server.stop()
    await database.drop()
  })
})

test('where no server answers, the tour says how to start one and leaves nothing behind', async () => {
  const directory = emptyDirectory()
  const port = await portOfNobody()
  const holdfast = commandLine(`sqlite:${directory}/holdfast.db`, { PORT: port })
  await holdfast.refuses(
    ['tour'],
    1,
    new RegExp(`No Holdfast answers at http://127.0.0.1:${port} \\(.*ECONNREFUSED.*"npm start"`),
  )
  expect(existsSync(`${directory}/holdfast.db`)).toBe(false)
})

/** Returns a port that was free a moment ago. */
async function portOfNobody(): Promise<string> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  holder.close()
  await once(holder, 'close')
  return String(port)
}

test('another program at the address is told apart from Holdfast', async () => {
  const other = createServer((_request, response) => response.end('<html>hello</html>')).listen(
    0,
    '127.0.0.1',
  )
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const holdfast = commandLine(`sqlite:${emptyDirectory()}/holdfast.db`)
  await holdfast.refuses(['tour', '--url', `http://127.0.0.1:${port}`], 1, /No Holdfast answers .* not JSON/)
  other.close()
})

test('a server on another database is named as the likely cause', async () => {
  const database = await createTestDatabase('sqlite')
  const server = await startServer(database.url)
  const holdfast = commandLine(`sqlite:${emptyDirectory()}/another.db`)
  const ran = await holdfast.run('tour', '--url', server.address)
  expect(ran.code).toBe(1)
  expect(ran.stderr).toMatch(/It uses a different database: set DATABASE_URL to the server's value/)
  await server.stop()
  await database.drop()
})

test.each([
  [['--publishable-key', 'cal_pub_x'], /both --publishable-key and --business-key/],
  [
    ['--publishable-key', 'cal_pub_x', '--business-key', 'cal_biz_y'],
    /not a publishable key; one begins with cal_pub_/,
  ],
  [['--url', 'localhost:3000'], /is not a valid --url; write one like http:\/\/127\.0\.0\.1:3000/],
])('a tour that cannot begin is refused with exit code 2: %j', (args, reason) =>
  commandLine(`sqlite:${emptyDirectory()}/holdfast.db`).refuses(['tour', ...args], 2, reason),
)

test('in production the tour makes no demo world and asks for keys', () =>
  commandLine(`sqlite:${emptyDirectory()}/holdfast.db`, { NODE_ENV: 'production' }).refuses(
    ['tour'],
    2,
    /NODE_ENV is production: give --publishable-key and --business-key/,
  ))
