import { chmodSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { commandLine, runCommand } from '../support/command-line.ts'
import { builtServer, emptyDirectory, runHoldfast, type ProcessOptions } from '../support/holdfast-process.ts'
import { longTest, nightTest, onOneEngine } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'
import { execute } from '../support/statements.ts'
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

interface Finding {
  check: string
  state: 'ok' | 'warning' | 'fault'
  detail: string
  fix?: string
}

/** Runs in a separate process if something is loaded before the program, such as another clock. */
async function examine(options: ProcessOptions): Promise<{ code: number | null; found: Finding[] }> {
  const args = ['doctor', '--json']
  const { code, stdout, stderr } = await (options.preloads?.length
    ? runHoldfast(args, { ...options, program: builtServer })
    : runCommand(args, options.variables))
  expect(stderr).toBe('')
  return { code, found: JSON.parse(stdout) as Finding[] }
}

/** Expects this one finding, with its fix, and nothing else to be wrong. */
async function expectFound(
  options: ProcessOptions,
  { check, state, detail, fix }: { check: string; state: 'warning' | 'fault'; detail: RegExp; fix: RegExp },
): Promise<void> {
  const { code, found } = await examine(options)
  const wrong = found.filter((finding) => finding.state !== 'ok')
  expect(wrong).toEqual([
    {
      check,
      state,
      detail: expect.stringMatching(detail) as string,
      fix: expect.stringMatching(fix) as string,
    },
  ])
  expect(code).toBe(state === 'fault' ? 1 : 0)
}

/** Sets the default of new connections to a database. The tests' own server is faster with it off. */
function setSynchronousCommit({ url }: TestDatabase, value: 'on' | 'off' | 'local'): Promise<void> {
  return execute(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = ${value}`)
}

/** Moves the clock of a process by this many seconds. */
const clockMovedBy = (seconds: number) =>
  `data:text/javascript,const now=Date.now;Date.now=()=>now()+${seconds * 1000}`

onOneEngine('sqlite', 'holdfast doctor', (engine) => {
  let database: TestDatabase
  let mails: MailServer
  beforeAll(async () => {
    mails = await startMailServer()
    return () => mails.close()
  })
  beforeEach(async () => {
    database = await createMigratedDatabase(engine)
    if (engine === 'postgres') await setSynchronousCommit(database, 'on')
    const holdfast = commandLine(database.url)
    await holdfast.text('business', 'create', 'My business', '--timezone', 'Europe/Berlin')
  })
  afterEach(() => database.drop())

  const here = (variables: Record<string, string> = {}) => ({
    variables: { DATABASE_URL: database.url, ...variables },
  })
  /** The demo world requires deposits. */
  const payable = {
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    PUBLIC_URL: 'https://book.example',
  }
  const inProduction = (variables: Record<string, string> = {}) =>
    here({ NODE_ENV: 'production', ...payable, ...mailVariables(mails.url), ...variables })

  /** Findings that depend on variables or on rows of tables are tested on one engine. */
  const once = engine === 'sqlite' ? test : nightTest
  const longOnce = engine === 'sqlite' ? longTest : nightTest

  longTest('finds nothing wrong where all is well, also beside a running server', async () => {
    const server = await startServer(database.url)
    const { code, found } = await examine(inProduction())
    expect(found.filter(({ state }) => state !== 'ok')).toEqual([])
    const shared = [
      'configuration',
      'database',
      'schema',
      'overlap rules',
      'clock',
      'time zones',
      'time zone data',
    ]
    expect(found.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        ...shared,
        'businesses',
        ...(engine === 'sqlite' ? ['data', 'disk'] : ['connections', 'commits']),
      ]),
    )
    expect(code).toBe(0)
    const lines = await commandLine(database.url).text('doctor')
    expect(lines).toMatch(/^ok {6}schema: up to date$/m)
    await server.stop()
  })

  once('finds a variable with a wrong value', () =>
    expectFound(here({ PORT: 'http' }), {
      check: 'configuration',
      state: 'fault',
      detail: /^PORT must be a whole number from 0 to 65535$/,
      fix: /correct the variable/,
    }),
  )

  once('names every wrong variable at once', async () => {
    const { found } = await examine(here({ PORT: 'http', LOG_LEVEL: 'inof', HOLD_SECONDS: '0' }))
    expect(found.map(({ detail }) => detail.split(' ')[0])).toEqual(['PORT', 'LOG_LEVEL', 'HOLD_SECONDS'])
  })

  once('finds a misspelled variable', () =>
    expectFound(here({ TRUST_PROXYS: '10.0.0.0/8' }), {
      check: 'configuration',
      state: 'warning',
      detail: /^TRUST_PROXYS is not a setting; did you mean TRUST_PROXY\?$/,
      fix: /rename or unset it/,
    }),
  )

  longTest('finds the schema of an unreleased version, which the server and "migrate" refuse', async () => {
    await execute(database.url, 'alter table mails drop column last_error')
    await expectFound(here(), {
      check: 'schema',
      state: 'fault',
      detail: /^an unreleased version of Holdfast created it: it lacks mails\.last_error$/,
      fix: /start with an empty database$/,
    })
    const sentence =
      /^holdfast: DATABASE_URL: .* unreleased version .* lacks mails\.last_error\. Use it with /
    for (const command of ['migrate', 'serve']) {
      const { code, stderr } = await runHoldfast([command], here({ PORT: '0', LOG_LEVEL: 'silent' }))
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(sentence)])
    }
  })

  test('finds a migration that has not run, and does not run it', async () => {
    await execute(database.url, 'delete from kysely_migration')
    const expected = {
      check: 'schema',
      state: 'fault' as const,
      detail: /^pending: 0001-first-schema/,
      fix: /"holdfast migrate"/,
    }
    await expectFound(here(), expected)
    await expectFound(here(), expected)
  })

  test('finds a database of a newer release', async () => {
    await execute(
      database.url,
      `insert into kysely_migration values ('9999-later', '2099-01-01T00:00:00.000Z')`,
    )
    await expectFound(here(), {
      check: 'schema',
      state: 'fault',
      detail: /newer than this release \(9999-later\)/,
      fix: /run the newer release/,
    })
  })

  const rules = {
    sqlite: {
      claims_do_not_overlap: 'drop trigger claims_do_not_overlap',
      claims_do_not_overlap_later: 'drop trigger claims_do_not_overlap_later',
    },
    postgres: {
      claims_of_one_seat_do_not_overlap:
        'alter table claims drop constraint claims_of_one_seat_do_not_overlap',
      claims_that_overlap_are_one_occurrence:
        'alter table claims drop constraint claims_that_overlap_are_one_occurrence',
    },
  }
  test.each(Object.entries(rules[engine]))(
    'finds that the overlap rule %s is missing, with which no server starts, and "migrate" makes it again',
    async (name, drop) => {
      await execute(database.url, drop)
      await expectFound(here(), {
        check: 'overlap rules',
        state: 'fault',
        detail: new RegExp(`^the schema lacks ${name}: slots can be sold twice$`),
        fix: /^stop the servers and run "holdfast migrate"/,
      })
      const refused = await runHoldfast(['serve'], here({ PORT: '0', LOG_LEVEL: 'silent' }))
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(`^holdfast: DATABASE_URL: the database lacks ${name}: .* Run "holdfast migrate"`),
        ) as string,
      })
      expect(await commandLine(database.url).text('migrate')).toBe(`made ${name} again\n`)
      expect((await examine(here())).found.filter(({ state }) => state !== 'ok')).toEqual([])
      expect(await commandLine(database.url).text('migrate')).toBe('up to date\n')
    },
  )

  test('"migrate" makes no overlap rule again while bookings overlap, and names them', async () => {
    await execute(database.url, Object.values(rules[engine]).join(';'))
    const [first, second, lapsed] = [1, 2, 3].map((n) => `0199b6c5-0000-7000-8000-00000000000${n}`)
    const at = (time: string) => `'2999-01-01T${time}:00.000Z'`
    const past = `'2020-01-01T00:00:00.000Z'`
    const claim = (id: string | undefined, from: string, until: string, bookedAt: string) =>
      `('${id}', '${first}', '${first}', '${first}', ${at(from)}, ${at(until)}, '${first}', 0, '${id}', ${at(from)}, ${at(until)}, '${id}', ${past}, ${past}, ${bookedAt})`
    await execute(
      database.url,
      `insert into claims (id, business_id, service_id, location_id, starts_at, ends_at, resource_id, seat, occurrence_id,
         taken_from, taken_until, owner_id, created_at, expires_at, booked_at)
       values ${claim(second, '09:30', '10:30', past)}, ${claim(first, '09:00', '10:00', past)},
              ${claim(lapsed, '09:00', '11:00', 'null')}`,
    )
    await commandLine(database.url).refuses(
      ['migrate'],
      1,
      new RegExp(
        `cannot be made again: booking ${first} and booking ${second} overlap\\. Cancel one booking of each pair`,
      ),
    )
    await execute(database.url, `update claims set ended_at = ${past} where id = '${second}'`)
    const names = Object.keys(rules[engine])
    expect(await commandLine(database.url).text('migrate')).toBe(
      names.map((name) => `made ${name} again\n`).join(''),
    )
  })

  once('finds a time zone that the runtime does not know, and whose it is', async () => {
    await execute(database.url, `update businesses set timezone = 'Europe/Atlantis'`)
    await expectFound(here(), {
      check: 'time zones',
      state: 'fault',
      detail: /^unknown to this runtime: Europe\/Atlantis \(of business [0-9a-f-]{36}\)$/,
      fix: /holdfast business update <id> --timezone/,
    })
  })

  longTest('finds that the clock was set back behind what was recorded', async () => {
    const holdfast = commandLine(database.url)
    const { data } = await holdfast.json('business', 'list')
    const [business] = data
    await holdfast.text('key', 'create', '--business', business.id as string, '--type', 'publishable')
    await holdfast.text('session', 'create', '--business', business.id as string)
    await execute(database.url, `update sessions set created_at = '2999-01-01T00:00:00.000Z'`)
    await expectFound(here(), {
      check: 'clock',
      state: 'fault',
      detail: /^a record is \d+ s in the future, so the clock was set back$/,
      fix: /correct the clock \(NTP\)/,
    })
  })

  once('finds the demo world in production, and only there', async () => {
    await commandLine(database.url).text('demo')
    await expectFound(inProduction(), {
      check: 'businesses',
      state: 'warning',
      detail: /^a production database has 4 demo businesses$/,
      fix: /"holdfast key list", "holdfast key revoke"/,
    })
    expect((await examine(here())).found.filter(({ state }) => state !== 'ok')).toEqual([])
  })

  once('finds that deposits are asked for which nobody takes, and what Stripe lacks', async () => {
    await commandLine(database.url).text('demo')
    const { found } = await examine(inProduction({ STRIPE_SECRET_KEY: '' }))
    expect(found.filter(({ check }) => check === 'deposits')).toMatchObject([
      { state: 'warning', detail: expect.stringMatching(/which nobody takes/) },
    ])
    await expectFound(here({ ...payable, STRIPE_WEBHOOK_SECRET: '', PUBLIC_URL: 'http://localhost:3000' }), {
      check: 'deposits',
      state: 'warning',
      detail: /bookings are confirmed only when they are asked about/,
      fix: /STRIPE_WEBHOOK_SECRET/,
    })
    await expectFound(here({ ...payable, PUBLIC_URL: '' }), {
      check: 'deposits',
      state: 'warning',
      detail: /only this machine knows/,
      fix: /PUBLIC_URL/,
    })
  })

  once('finds settings for trials in production, and only there', async () => {
    const trial = { HOLD_SECONDS: '5', RATE_LIMIT_FACTOR: '100', SESSION_SECONDS: '3600' }
    await expectFound(inProduction(trial), {
      check: 'trial settings',
      state: 'warning',
      detail: /^not the default: HOLD_SECONDS, RATE_LIMIT_FACTOR$/,
      fix: /unset them/,
    })
    expect((await examine(here(trial))).found.filter(({ state }) => state !== 'ok')).toEqual([])
  })

  longOnce('finds settings that harm in production, and only there', async () => {
    const cases: [Record<string, string>, string, RegExp, RegExp][] = [
      [
        { TRUST_PROXY: '10.0.0.0/8,0.0.0.0/0' },
        'proxies',
        /^TRUST_PROXY: 0\.0\.0\.0\/0 /,
        /127\.0\.0\.1\/32$/,
      ],
      [{ TRUST_PROXY: '::/0' }, 'proxies', /^TRUST_PROXY: ::\/0 trusts everyone/, /^list only the addresses/],
      [{ PUBLIC_URL: 'http://book.example' }, 'address', /^PUBLIC_URL is http:\/\/book\.example: /, /TLS/],
    ]
    for (const [variables, check, detail, fix] of cases) {
      await expectFound(inProduction(variables), { check, state: 'warning', detail, fix })
      expect((await examine(here(variables))).found.filter((finding) => finding.check === check)).toEqual([])
    }
    const { found } = await examine(inProduction({ PUBLIC_URL: '' }))
    expect(found.filter(({ check }) => check === 'address')).toMatchObject([
      { state: 'warning', detail: expect.stringMatching(/^PUBLIC_URL is not set: /) as string },
    ])
  })

  longOnce('finds development mode where others reach the server', async () => {
    for (const variables of [{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://book.example' }])
      await expectFound(here({ NODE_ENV: 'development', ...variables }), {
        check: 'environment',
        state: 'warning',
        detail: /^NODE_ENV is development .* internal network/,
        fix: /production/,
      })
    for (const variables of [{ HOST: 'localhost' }, { PUBLIC_URL: 'http://127.0.0.1:3000' }]) {
      const { found } = await examine(here({ NODE_ENV: 'development', ...variables }))
      expect(found.filter(({ check }) => check === 'environment')).toEqual([])
    }
  })

  once('finds a proxy that TRUST_PROXY does not name, as the server that runs has seen it', async () => {
    const service = await startTestService('sqlite')
    await service.app.server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = service.app.server.server.address() as AddressInfo
    const proxies = async () => {
      const { found } = await examine(here({ HOST: '127.0.0.1', PORT: String(port) }))
      return found.filter(({ check }) => check === 'proxies')
    }
    expect(await proxies()).toEqual([])
    await service.call('GET', '//healthz', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    expect(await proxies()).toMatchObject([
      { state: 'warning', detail: expect.stringMatching(/^1 request came through/) as string },
    ])
    await service.stop()
  })

  longOnce('finds a .env that everybody can open', async () => {
    const directory = emptyDirectory()
    const said = async (mode: number) => {
      writeFileSync(join(directory, '.env'), '')
      chmodSync(join(directory, '.env'), mode)
      return (await runHoldfast(['doctor'], { ...here(), directory })).stdout
    }
    expect(await said(0o644)).toMatch(
      /^warning +file: every user of this machine can open \.env, .*\n +fix: chmod o= \.env$/m,
    )
    expect(await said(0o640)).not.toMatch(/^warning/m)
  })

  test('finds that HOLDFAST_SECRET was set after a secret had been generated', async () => {
    const [generated, other] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    const withSecret = (secret = '') => here({ HOLDFAST_SECRET: secret })
    const wrong = async () => (await examine(withSecret(other))).found.filter(({ state }) => state !== 'ok')
    expect(await wrong()).toEqual([])
    await execute(
      database.url,
      `insert into server_secrets (name, secret, created_at) values ('server', '${generated}', '2020-01-01T00:00:00.000Z')`,
    )
    expect(await examine(withSecret(generated))).toMatchObject({ code: 0 })
    await expectFound(withSecret(other), {
      check: 'secret',
      state: 'warning',
      detail: /^HOLDFAST_SECRET differs from the secret generated in the database/,
      fix: /"The secret" in docs\/guides\/configuration\.md/,
    })
    await execute(database.url, 'delete from server_secrets')
    expect(await wrong()).toEqual([])
  })

  once('finds that there is no business yet, and how to make one', async () => {
    const empty = await createTestDatabase(engine)
    if (engine === 'postgres') await setSynchronousCommit(empty, 'on')
    await commandLine(empty.url).text('migrate')
    await expectFound(
      { variables: { DATABASE_URL: empty.url } },
      {
        check: 'businesses',
        state: 'warning',
        detail: /^none yet$/,
        fix: /^holdfast business create "My business" --timezone Europe\/Berlin$/,
      },
    )
    await empty.drop()
  })

  once('says the same in lines for people', async () => {
    await execute(database.url, 'delete from kysely_migration')
    const ran = await runCommand(['doctor'], here().variables)
    expect(ran).toMatchObject({ code: 1, stderr: '' })
    expect(ran.stdout).toMatch(
      /^FAULT {3}schema: pending: 0001-first-schema.*\n {8}fix: run "holdfast migrate"$/m,
    )
  })
})

onOneEngine('sqlite', 'holdfast doctor on one engine alone', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    if (engine === 'postgres') await setSynchronousCommit(database, 'on')
    await commandLine(database.url).text('business', 'create', 'My business', '--timezone', 'Europe/Berlin')
  })
  afterAll(() => database.drop())

  const options = (variables: Record<string, string> = {}, preloads: string[] = []) => ({
    variables: { DATABASE_URL: database.url, ...variables },
    preloads,
  })

  test.runIf(engine === 'postgres')('finds a pool that is larger than the server', () =>
    expectFound(options({ DATABASE_POOL_SIZE: '500' }), {
      check: 'connections',
      state: 'fault',
      detail: /^DATABASE_POOL_SIZE is 500, plus 4 outside the pool; the server accepts \d+$/,
      fix: /^set DATABASE_POOL_SIZE to \d+ divided by the number of nodes, minus 4, or raise max_connections$/,
    }),
  )

  test.runIf(engine === 'postgres')('finds a server that acknowledges commits before they last', async () => {
    await setSynchronousCommit(database, 'off')
    await expectFound(options(), {
      check: 'commits',
      state: 'warning',
      detail: /^synchronous_commit is off: a crash of the server loses the last acknowledged bookings/,
      fix: /^set synchronous_commit to on, /,
    })
    await setSynchronousCommit(database, 'local')
    const { found } = await examine(options())
    expect(found.find(({ check }) => check === 'commits')).toMatchObject({ state: 'ok' })
  })

  test.runIf(engine === 'postgres').each([600, -600])(
    'finds a clock that is %d s from the database',
    (seconds) =>
      expectFound(options({}, [clockMovedBy(seconds)]), {
        check: 'clock',
        state: 'warning',
        detail: /^this machine and the database are (599|600|601) s apart$/,
        fix: /synchronise both with a time server \(NTP\)/,
      }),
  )

  test.runIf(engine === 'postgres')('finds that no PostgreSQL answers', () =>
    expectFound(options({ DATABASE_URL: 'postgres://holdfast:hunter2@127.0.0.1:1/none' }), {
      check: 'database',
      state: 'fault',
      detail: /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:1\/none \(.*ECONNREFUSED.*\)\.$/,
      fix: /^Start the server, or correct the address, user, password or database name\.$/,
    }),
  )

  test.runIf(engine === 'postgres')(
    'finds that the user of the database may not read its tables',
    async () => {
      const role = `${new URL(database.url).pathname.slice(1)}_guest`
      await execute(database.url, `create role ${role} login password 'guest'`)
      const url = new URL(database.url)
      Object.assign(url, { username: role, password: 'guest' })
      await expectFound(options({ DATABASE_URL: url.href }), {
        check: 'database',
        state: 'fault',
        detail: /^it answers with an error: permission denied/,
        fix: /the user of DATABASE_URL owns it and its tables/,
      })
      await execute(database.url, `drop role ${role}`)
    },
  )

  test.concurrent.each([
    ['redis://holdfast:hunter2@127.0.0.1:1', /ECONNREFUSED/],
    ['redis://no-such-host.invalid:6379', /ENOTFOUND|EAI_AGAIN/],
  ])('finds that no Redis answers at %s', async (url, reason) => {
    const { host } = new URL(url)
    await expectFound(options({ REDIS_URL: url }), {
      check: 'redis',
      state: 'fault',
      detail: new RegExp(`^REDIS_URL: no Redis answers at ${host} \\(.*${reason.source}.*\\)$`),
      fix: /^start it, or correct host, user or password; until then, each server counts requests separately$/,
    })
  })

  test.runIf(inject('redisUrl') !== null)(
    'finds nothing wrong with a Redis that answers, and counts no connections for what it counts',
    async () => {
      const { code, found } = await examine(options({ REDIS_URL: inject('redisUrl') ?? '' }))
      expect(found).toContainEqual({ check: 'redis', state: 'ok', detail: 'answers' })
      if (engine === 'postgres') {
        expect(found).toContainEqual({
          check: 'connections',
          state: 'ok',
          detail: expect.stringMatching(/^up to 11 of /) as string,
        })
      }
      expect(code).toBe(0)
    },
  )

  test.runIf(engine === 'sqlite')('finds a clock that was set back since a session was made', async () => {
    const holdfast = commandLine(database.url)
    const { data } = await holdfast.json('business', 'list')
    const [business] = data
    await holdfast.text('key', 'create', '--business', business.id as string, '--type', 'publishable')
    await holdfast.text('session', 'create', '--business', business.id as string)
    await expectFound(options({}, [clockMovedBy(-3600)]), {
      check: 'clock',
      state: 'fault',
      detail: /^a record is 3[56]\d\d s in the future, so the clock was set back$/,
      fix: /correct the clock/,
    })
  })
})
