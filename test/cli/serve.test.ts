import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asKeysSee } from '../support/event-body.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { commandLine } from '../support/command-line.ts'
import {
  builtServer,
  emptyDirectory,
  project,
  runHoldfast,
  startHoldfast,
} from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { startServer } from '../support/server-process.ts'
import { inBash, quickNpx } from '../support/shell.ts'
import { createMigratedDatabase, createTestDatabase } from '../support/test-database.ts'
import { ada } from '../support/test-service.ts'
import { longTest, onOneEngine } from '../support/long.ts'

const call = httpClients()

/** Loaded before the program. Prints the names of loaded packages on standard error. */
const tellsPackages = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? []
      if (name) console.error('loaded ' + name)
      return next(url, context)
    },
  })`)}`

onOneEngine('sqlite', 'holdfast serve', (engine) => {
  test('in development it fills an empty database, and the lines that it prints make a booking', async () => {
    const database = await createTestDatabase(engine)
    const server = startHoldfast(['serve'], { variables: { DATABASE_URL: database.url, PORT: '0' } })
    await server.says(/-X DELETE .*\n\n/)
    const printed = server.stdout()
    expect(printed.match(/cal_(hub|biz|pub)_\w{38}/g)?.length).toBeGreaterThanOrEqual(9)
    const [, address = ''] = /^Holdfast serves (http:\/\/127\.0\.0\.1:\d+)$/m.exec(printed) ?? []
    const [, reference = ''] = /^API reference +(\S+)$/m.exec(printed) ?? []
    const [, bookingPage = ''] = /^Booking page +(\S+)$/m.exec(printed) ?? []
    expect(reference).toBe(`${address}/docs`)
    expect(bookingPage).toMatch(/\/book\/cal_pub_\w{38}$/)
    for (const page of [reference, bookingPage]) expect((await fetch(page)).status).toBe(200)

    const lines = printed.slice(printed.indexOf('\nAPI=') + 1).trimEnd()
    const [booked, shown, cancelled] = (await inBash(lines))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(booked).toMatchObject({
      status: 'confirmed',
      client: ada,
      staff: { name: expect.any(String) as string },
    })
    expect(shown).toEqual(asKeysSee(booked ?? {})) // shown with a business key
    expect(cancelled).toMatchObject({ id: booked?.['id'], status: 'cancelled' })
    expect(await findErrors(database.url)).toEqual([])

    server.signal('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    await database.drop()
  })

  longTest(
    'with PUBLIC_URL it names its own address once, and the pages where people reach them',
    async () => {
      const database = await createMigratedDatabase(engine)
      await commandLine(database.url).text('business', 'create', 'Salon', '--timezone', 'Europe/Berlin')
      const server = await startServer(database.url, { PUBLIC_URL: 'https://book.example/salon' })
      await server.process.says(/^Console .*$/m)
      const printed = server.process.stdout()
      expect(printed.split(server.address)).toHaveLength(2)
      expect(printed).toMatch(/^API reference {2}https:\/\/book\.example\/salon\/docs$/m)
      expect(printed).toMatch(/^Console {8}https:\/\/book\.example\/salon\/console/m)
      await server.stop()
      await database.drop()
    },
  )

  longTest('in development it says how to begin without the demo, and does so when told', async () => {
    const database = await createTestDatabase(engine)
    const variables = { DATABASE_URL: database.url, PORT: '0' }
    const server = startHoldfast(['serve', '--no-demo'], { variables })
    await server.says(/npx holdfast setup\n/)
    expect(server.stdout()).toMatch(/^Console +http\S+\/console\/first#cal_lnk_\w+$/m)
    expect(await readRows(database.url, 'select id from businesses')).toEqual([])
    server.signal('SIGTERM')
    await server.ended
    const demo = startHoldfast(['serve'], { variables })
    await demo.says(/-X DELETE .*\n\n/)
    expect(demo.stdout()).toMatch(
      engine === 'sqlite'
        ? /delete the demo \(the files (\S+), \1-wal and \1-shm\), and start with: npm start -- --no-demo$/m
        : /set DATABASE_URL to an empty database, and start with: npm start -- --no-demo$/m,
    )
    demo.signal('SIGTERM')
    await demo.ended
    await database.drop()
  })

  longTest(
    'in production it prints no link, but the command that prints one, until somebody can log in',
    async () => {
      const database = await createTestDatabase(engine)
      const server = await startServer(database.url)
      await server.process.says(/to print a link for the first owner: npx holdfast user first\)\n/)
      expect(server.process.stdout()).not.toContain('cal_lnk_')
      const variables = { DATABASE_URL: database.url, NODE_ENV: 'production', PUBLIC_URL: server.address }
      const { stdout } = await runHoldfast(['user', 'first', '--json'], { variables })
      const { link } = JSON.parse(stdout) as { link: { url: string } }
      expect(link.url).toMatch(/\/console\/first#cal_lnk_\w+$/)
      expect(await (await fetch(link.url)).text()).toContain('Name of your business')
      await server.stop()
      await database.drop()
    },
  )

  longTest('it loads no client of what is not set up', async () => {
    const database = await createTestDatabase(engine)
    const server = await startServer(database.url, {}, { preloads: [tellsPackages] })
    await server.stop()
    const told = server.process.stderr().matchAll(/^loaded (\S+)$/gm)
    const packages = new Set([...told].map(([, name]) => name))
    expect(packages).toContain('fastify')
    for (const name of ['ioredis', 'undici', 'stripe']) expect(packages).not.toContain(name)
    await database.drop()
  })

  longTest('in development where others reach it, it warns, and prints no link of an owner', async () => {
    const database = await createTestDatabase(engine)
    const server = await startServer(database.url, {
      NODE_ENV: 'development',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'warn',
    })
    await server.process.says(/Booking page/)
    expect(server.process.stdout()).toMatch(/NODE_ENV is development on an address that others can reach/)
    expect(server.process.stdout()).toMatch(
      /nobody can log in yet; to print a link for the first owner: npx holdfast user first/,
    )
    expect(server.process.stdout()).not.toContain('cal_lnk')
    await server.stop()
    await database.drop()
  })

  longTest('started again on the same database, it adds nothing and prints no secret keys', async () => {
    const database = await createTestDatabase(engine)
    const development = { NODE_ENV: 'development' }
    const fresh = await startServer(database.url, development)
    expect(fresh.process.stdout()).toMatch(/^Booking page .*\n +\(of Salon Spree\)$/m)
    await fresh.stop()
    const count =
      'select (select count(*) from businesses) as businesses, (select count(*) from api_keys) as keys'
    const before = await readRows(database.url, count)
    const again = await startServer(database.url, development)
    expect(again.process.stdout()).toContain(`API reference  ${again.address}/docs\n`)
    expect(again.process.stdout()).not.toMatch(/cal_(?!pub|lnk)/)
    expect(again.process.stdout()).toMatch(
      /^Booking page .*\n +\(of Salon Spree\)\nKeys are shown only once\. To create one for Salon Spree: npx holdfast key create --business 27b9f42d/m,
    )
    expect(await again.stop()).toEqual({ code: 0, signal: null })
    expect(await readRows(database.url, count)).toEqual(before)
    await database.drop()
  })

  longTest('in production it adds nothing, and what it says to do works', async () => {
    const database = await createTestDatabase(engine)
    const production = { DATABASE_URL: database.url, NODE_ENV: 'production' }
    const variables = { ...production, ...quickNpx } // the long form of test/docs/examples.test.ts tests npx itself
    const server = await startServer(database.url)
    await server.process.says(/hub create.*\n/)
    expect(await readRows(database.url, 'select id from businesses')).toEqual([])

    const lines = [...server.process.stdout().matchAll(/(npx holdfast .+)$/gm)].map(([, line]) => line ?? '')
    expect(lines.shift()).toMatch(/user first\)$/)
    const paste = (line = '') => inBash(line, { variables, directory: project })
    const made = await paste(`${lines[0] ?? ''} --yes --name Salon --service Massage --hours always`)
    expect(await paste(lines[1])).toContain('My platform')
    const token = /cal_pub_\w+/.exec(made)?.[0] ?? ''
    expect((await call(server.address, 'POST', '/session', { token })).status).toBe(201)
    await server.stop()
    await database.drop()
  })
})

longTest('the message about a port in use names the variable that changes it', async () => {
  const database = await createTestDatabase('sqlite')
  const first = await startServer(database.url)
  const port = new URL(first.address).port
  const ran = await runHoldfast(['serve'], { variables: { PORT: port }, directory: emptyDirectory() })
  expect(ran).toMatchObject({ code: 1 })
  expect(ran.stderr).toMatch(
    new RegExp(`^holdfast: PORT: another program is already listening on 127.0.0.1:${port}`),
  )
  await first.stop()
  await database.drop()
})

test('without any variables it serves from data/holdfast.db below the working directory', async () => {
  const directory = emptyDirectory()
  const server = startHoldfast(['serve'], { variables: { PORT: '0' }, directory })
  await server.says(/-X DELETE .*\n\n/)
  expect(await readRows(`sqlite:${directory}/data/holdfast.db`, 'select id from businesses')).toHaveLength(4)
  server.signal('SIGINT')
  expect(await server.ended).toEqual({ code: 0, signal: null })
})

/** Loaded before the program. Makes its files readable for everyone unless it prevents that. */
const openUmask = 'data:text/javascript,process.umask(0o022)'

longTest(
  'the SQLite file, what lies beside, a backup and a restored copy are for their owner alone',
  async () => {
    const directory = emptyDirectory()
    const variables = { NODE_ENV: 'production', PORT: '0' }
    const options = { directory, variables, preloads: [openUmask], program: builtServer }
    const server = startHoldfast(['serve'], options)
    await server.says(/^Holdfast serves /m)
    const backup = await runHoldfast(['backup', 'backup.db'], options)
    expect(backup.code, backup.stderr).toBe(0)
    expect(modesOf(directory)).toEqual({ 'backup.db': '600', data: '700' })
    expect(modesOf(join(directory, 'data'))).toEqual({
      ...{ 'holdfast.db': '600', 'holdfast.db-wal': '600', 'holdfast.db-shm': '600' },
      ...{ 'holdfast.db.server-lock': '600', 'holdfast.db.server-lock-journal': '600' },
    })
    server.signal('SIGTERM')
    await server.ended
    chmodSync(join(directory, 'data/holdfast.db'), 0o644)
    const restored = await runHoldfast(['restore', 'backup.db'], options)
    expect(restored.code, restored.stderr).toBe(0)
    expect(new Set(Object.values(modesOf(join(directory, 'data'))))).toEqual(new Set(['600']))
  },
)

/** Returns the permissions of the entries of a directory, in the format of chmod. */
function modesOf(directory: string): Record<string, string> {
  const modeOf = (name: string) => (statSync(join(directory, name)).mode & 0o777).toString(8)
  return Object.fromEntries(readdirSync(directory).map((name) => [name, modeOf(name)]))
}
