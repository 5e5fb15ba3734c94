import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newToken } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import { takeServerLock } from '../../src/database/sqlite-file.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { readRows } from '../support/checker.ts'
import { book, clientOf, slot, startCluster } from '../support/cluster.ts'
import { commandLine } from '../support/command-line.ts'
import {
  demoWorld,
  emptyDirectory,
  project,
  runHoldfast,
  startHoldfast,
} from '../support/holdfast-process.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'
import { execute } from '../support/statements.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { businessOf, engines } from '../support/test-service.ts'

const call = httpClients()
const blindLook = resolve(project, 'test/support/blind-look.ts')
/** A race takes as long as the machine needs for hundreds of requests and some processes. */
const patient = { timeout: 120_000 }
/** The limits of the plan, and holds that expire while a test waits. */
const asInstalled = { RATE_LIMIT_FACTOR: '1', HOLD_SECONDS: '2' }
const withoutRules = {
  sqlite: 'drop trigger claims_do_not_overlap; drop trigger claims_do_not_overlap_later',
  postgres:
    'alter table claims drop constraint claims_of_one_seat_do_not_overlap, drop constraint claims_that_overlap_are_one_occurrence',
}

function raceTest(urls: string[], key: string, ...more: string[]) {
  const addresses = urls.flatMap((url) => ['--url', url])
  return runHoldfast(['race-test', ...addresses, '--business-key', key, ...more])
}

interface Report {
  verdict: string
  rounds: number
  requests: number
  seconds: number
  cancelled: number
  leftovers: string[]
  races: { race: string; saw: string; skipped: boolean; findings: string[] }[]
}

/** The commands in docs/guides/operating.md. */
function commandsOfGuide(): string[] {
  const blocks = blocksOf(documentAt('docs/guides/operating.md'))
  return blocks.find(({ text }) => text.includes('race-test'))?.text.split('\n') ?? []
}

/** Expects the report of a run without a double booking. */
function expectPassed({ races, rounds, ...report }: Report): void {
  expect(report).toMatchObject({ verdict: 'passed', leftovers: [] })
  expect(report.requests).toBeLessThan(600)
  expect(rounds).toBeGreaterThanOrEqual(3)
  const saw = Object.fromEntries(races.map((one) => [one.race, one.saw]))
  expect(saw).toEqual({
    'one seat': `${rounds} granted, ${15 * rounds} refused`,
    'any of the staff': `${4 * rounds} granted, ${12 * rounds} refused`,
    'several seats': `${4 * rounds} granted, ${12 * rounds} refused`,
    'a class': `${3 * rounds} granted, ${13 * rounds} refused`,
    'visits that share rooms': `${2 * rounds} granted, ${14 * rounds} refused`,
    moving: `${rounds} moved, ${5 * rounds} refused`,
    // a slot may go to nobody: the owner came too late and the others too early
    'expiry of a hold': expect.stringMatching(/^\d+ became bookings, \d+ went to a rival, \d+ to nobody$/),
    'list of bookings': `${report.cancelled} bookings, ${report.cancelled} of them acknowledged`,
  })
}

describe.runIf(engines.includes('postgres'))('holdfast race-test against two nodes', () => {
  longTest(
    'sells every slot once, within the limits of the key, and leaves nothing booked or on offer',
    patient,
    async () => {
      const cluster = await startCluster('postgres', asInstalled)
      const raced = await raceTest(cluster.addresses, cluster.business.business_key, '--json')
      expect(raced, raced.stdout + raced.stderr).toMatchObject({ code: 0, stderr: '' })
      expectPassed(JSON.parse(raced.stdout) as Report)
      const live = `select id from bookings where status <> 'cancelled'`
      expect(await readRows(cluster.databaseUrl, live)).toEqual([])
      const claims = 'select id from claims where booked_at is not null and ended_at is null'
      expect(await readRows(cluster.databaseUrl, claims)).toEqual([])
      expect(await left(cluster.databaseUrl)).toEqual([])
      await cluster.stop()
    },
  )
})

longTest(
  'holdfast race-test --demo prints a verdict about a server of its own, and leaves nothing',
  patient,
  async () => {
    const temporary = emptyDirectory()
    // it must not touch a database of the operator
    const variables = { TMPDIR: temporary, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const [inGuide = '', other] = commandsOfGuide()
    expect(other).toBe('npx holdfast race-test --url http://127.0.0.1:3000 --business-key cal_biz_…') // like raceTest()
    const ran = await runHoldfast([...inGuide.split(' ').slice(2), '--json'], { variables })
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0, stderr: '' })
    expectPassed(JSON.parse(ran.stdout) as Report)
    expect(readdirSync(temporary).filter((name) => name.startsWith('holdfast-demo-'))).toEqual([])
  },
)

longTest(
  'is refused where people rely on the service; with --yes, interrupted, it takes its own things away and no others',
  patient,
  async () => {
    const cluster = await startCluster('sqlite')
    const hudson = businessOf(cluster.world, 'Hudson Studio')
    const { business_key: key } = hudson
    const real = await book(clientOf({ ...cluster, business: hudson }, call), key, slot(0))
    const webhook = { url: 'https://example.com/', events: ['booking.created'] }
    await call(cluster.address(0), 'POST', '/webhooks', { token: key, body: webhook })
    const refused = await raceTest(cluster.addresses, key)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      /has bookings; 1 webhooks? would receive .* Visitors of the booking page see these .* Add --yes to continue here\.\n$/,
    )
    const made = () =>
      readRows(cluster.databaseUrl, `select id from services where business_id = '${hudson.id}'`)
    const before = (await made()).length

    const addresses = cluster.addresses.flatMap((url) => ['--url', url])
    const racing = startHoldfast(['race-test', ...addresses, '--business-key', key, '--yes'])
    const booked = () =>
      readRows(
        cluster.databaseUrl,
        `select status from bookings where business_id = '${hudson.id}' and id <> '${real}'`,
      )
    await eventually('bookings of the test', async () => (await booked()).length > 10 || undefined)
    racing.signal('SIGINT')
    expect(await racing.ended).toEqual({ code: 1, signal: null })
    expect(racing.stderr()).toBe('holdfast: NO VERDICT: it was interrupted.\n')
    expect(new Set((await booked()).map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect((await made()).length).toBeGreaterThan(before)
    expect(await left(cluster.databaseUrl)).toEqual([])
    const shown = await call(cluster.address(0), 'GET', `/bookings/${real}`, { token: key })
    expect(shown.body.status).toBe('confirmed')
    await cluster.stop()
  },
)

/** Returns the things that a test has left active. */
async function left(databaseUrl: string) {
  const tables = ['services', 'staff', 'locations', 'resources'].map(
    (table) => `select name from ${table} where name like 'Holdfast race test%' and deactivated_at is null`,
  )
  return readRows(databaseUrl, tables.join(' union all '))
}

/** The result of the race test if nothing is refused: every contender gets what all of them want. */
const allWin = [
  'one seat, \\S+: 16 clients requested 1, and 16 were granted',
  'any of the staff, \\S+: 16 clients requested 4, and 16 were granted',
  'several seats, \\S+: 16 clients requested 4, and 16 were granted',
  'a class, \\S+: 16 clients requested 3, and 16 were granted',
  'visits that share rooms, \\S+: 16 clients requested 2, and 16 were granted',
  'moving, \\S+: 6 bookings were moved to one seat, and 6 arrived',
]

onOneEngine('sqlite', 'holdfast race-test against a build without the overlap rules', (engine) => {
  longTest('finds every double booking and names the bookings', patient, async () => {
    const database = await createTestDatabase(engine)
    const { business_key: key } = businessOf(await demoWorld(database.url), 'Salon Spree')
    const server = await startServer(database.url, {}, { preloads: [blindLook] })
    await execute(database.url, withoutRules[engine]) // without the rules no server starts
    const ran = await raceTest([server.address], key)
    expect(ran, ran.stderr).toMatchObject({ code: 1, stderr: '' })
    for (const finding of allWin) expect(ran.stdout).toMatch(new RegExp(`^ +${finding}$`, 'm'))
    const [, ids = ''] = /DOUBLE BOOKING: .* has 1 seat at \S+ and 16 bookings: (.*)$/m.exec(ran.stdout) ?? []
    const named = ids.split(', ')
    const list = named.map((id) => `'${id}'`).join(', ')
    const bookings = await readRows(database.url, `select starts_at from bookings where id in (${list})`)
    expect(bookings).toHaveLength(16)
    expect(new Set(bookings.map(({ starts_at }) => String(starts_at))).size).toBe(1)
    expect(ran.stdout).toMatch(/^VERDICT: THE SERVICE BROKE ITS PROMISE, \d+ findings \(1 round, /m)
    // holds last ten minutes here
    expect(ran.stdout).toMatch(
      /^skipped expiry of a hold: not run\n +holds last 60[01] s here, .* "holdfast race-test --demo"$/m,
    )
    expect(await left(database.url)).toEqual([])
    await server.stop()
    await database.drop()
  })
})

onOneEngine('sqlite', 'where the look in front of the schema is blind', (engine) => {
  longTest(
    'the schema alone keeps the promise; without it the same servers sell twice',
    { timeout: 240_000 },
    async () => {
      const { addresses, business, databaseUrl, stop } = await startCluster(
        engine,
        {},
        {
          preloads: [blindLook],
        },
      )
      const ran = await raceTest(addresses, business.business_key)
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0, stderr: '' })
      expect(ran.stdout).toMatch(
        /^VERDICT: no slot was sold twice \(\d+ rounds, \d+ requests, [\d.]+ s\)\.$/m,
      )
      // so the reads saw no conflicting claims
      await execute(databaseUrl, withoutRules[engine])
      const again = await raceTest(addresses, business.business_key)
      expect(again, again.stdout).toMatchObject({ code: 1 })
      for (const finding of allWin) expect(again.stdout).toMatch(new RegExp(`^ +${finding}$`, 'm'))
      await stop()
    },
  )
})

longTest('two addresses with a database each are told apart', patient, async () => {
  const directory = emptyDirectory()
  const { business_key: key } = businessOf(await demoWorld(`sqlite:${directory}/one.db`), 'Salon Spree')
  copyFileSync(`${directory}/one.db`, `${directory}/two.db`)
  const servers = await Promise.all(
    ['one', 'two'].map((name) => startServer(`sqlite:${directory}/${name}.db`)),
  )
  const ran = await raceTest(
    servers.map(({ address }) => address),
    key,
  )
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^holdfast: NO VERDICT: /)
  for (const server of servers) await server.stop()
})

longTest('a demo whose race test is killed ends too', patient, async () => {
  const temporary = emptyDirectory()
  const racing = startHoldfast(['race-test', '--demo'], { variables: { TMPDIR: temporary } })
  const database = await eventually('the demo server', () => {
    const [directory] = readdirSync(temporary).filter((name) => name.startsWith('holdfast-demo-'))
    return directory !== undefined && existsSync(`${temporary}/${directory}/demo.db.server-lock`)
      ? `${temporary}/${directory}/demo.db`
      : undefined
  })
  racing.signal('SIGKILL')
  await racing.ended
  await eventually('the end of the demo server', () => {
    try {
      takeServerLock(database, database).close()
      return true
    } catch {
      return undefined
    }
  })
})

test.each([
  [['--url', 'http://127.0.0.1:1'], /Give --url and --business-key, or --demo\./],
  [['--demo', '--url', 'http://127.0.0.1:1'], /--demo starts its own server/],
  [['--url', 'http://127.0.0.1:1', '--business-key', 'cal_biz_x'], /is not a business key/],
])('%j is refused as a mistake', async (args, reason) => {
  await commandLine('sqlite:none.db').refuses(['race-test', ...args], 2, reason)
})

test('where no server answers there is no verdict', async () => {
  const key = newToken('business', systemIds)
  const args = ['race-test', '--url', 'http://127.0.0.1:1', '--business-key', key]
  await commandLine('sqlite:none.db').refuses(
    args,
    1,
    /NO VERDICT: no Holdfast answers at http:\/\/127\.0\.0\.1:1 \(.*ECONNREFUSED/,
  )
})
