import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpClients } from '../support/http-client.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { runCommand } from '../support/command-line.ts'
import { onOneEngine } from '../support/long.ts'
import { startServer, withoutLimits, type ServerProcess } from '../support/server-process.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'

const call = httpClients()
const unknownId = '01990000-0000-7000-8000-000000000000'

onOneEngine('sqlite', 'hubs, businesses and keys from the command line', (engine) => {
  let database: TestDatabase
  let server: ServerProcess
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    server = await startServer(database.url, withoutLimits)
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  const run = (...args: string[]) => runCommand(args, { DATABASE_URL: database.url })

  /** Returns the output of a command with --json. */
  async function json(...args: string[]): Promise<Record<string, string>> {
    const ran = await run(...args, '--json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(ran.stdout) as Record<string, string>
  }

  async function ask(token: string, method: string, path: string, headers = {}) {
    const { status, body } = await call(server.address, method, path, { token, headers })
    return { status, ...(status >= 400 && { code: body.code }) }
  }

  test('a hub with a business in it, and the keys of both, work at once on the running server', async () => {
    const hub = await json('hub', 'create', 'Salons of Europe')
    expect(hub).toMatchObject({ name: 'Salons of Europe', plan: 'enterprise' })
    const business = await json(
      ...['business', 'create', 'Salon Spree', '--timezone', 'Europe/Berlin', '--hub', hub['id'] ?? ''],
      ...[
        '--brand-name',
        'Spree',
        '--brand-color',
        '#1a2b3c',
        '--brand-logo-url',
        'https://example.com/l.png',
      ],
    )
    expect(business).toMatchObject({ hub_id: hub['id'], timezone: 'Europe/Berlin', plan: 'enterprise' })
    const hubKey = await json('key', 'create', '--hub', hub['id'] ?? '')
    expect(hubKey['key']).toMatch(/^cal_hub_\w{38}$/)
    expect(await ask(hubKey['key'] ?? '', 'GET', '/bookings')).toEqual({ status: 200 })
    const key = await json('key', 'create', '--business', business['id'] ?? '')
    expect(key['key']).toMatch(/^cal_biz_\w{38}$/)
    expect(await ask(key['key'] ?? '', 'GET', '/bookings')).toEqual({ status: 200 })
    const publishable = await json(
      'key',
      'create',
      '--business',
      business['id'] ?? '',
      '--type',
      'publishable',
    )
    const session = await call(server.address, 'POST', '/session', { token: publishable['key'] ?? '' })
    expect(session).toMatchObject({
      status: 201,
      body: {
        show_branding: false,
        business: { id: business['id'], brand_name: 'Spree', brand_color: '#1a2b3c' },
      },
    })
  })

  test.each(['growth', 'pro'])('a business key on the plan %s is 403 plan_required', async (plan) => {
    const business = await json('business', 'create', 'Small', '--timezone', 'UTC', '--plan', plan)
    const ran = await run('key', 'create', '--business', business['id'] ?? '', '--json')
    expect(ran.stderr).toBe(`warning: the key works only on the Enterprise plan (this business: ${plan})\n`)
    const { key } = JSON.parse(ran.stdout) as { key: string }
    expect(await ask(key, 'GET', '/bookings')).toEqual({ status: 403, code: 'plan_required' })
  })

  test('a hub key of a hub below Enterprise is 403 plan_required', async () => {
    const hub = await json('hub', 'create', 'Modest', '--plan', 'pro')
    const ran = await run('key', 'create', '--hub', hub['id'] ?? '', '--json')
    expect(ran.stderr).toBe('warning: the key works only on the Enterprise plan (this hub: pro)\n')
    const { key } = JSON.parse(ran.stdout) as { key: string }
    expect(await ask(key, 'GET', '/bookings')).toEqual({ status: 403, code: 'plan_required' })
  })

  test('a publishable key with allowed origins serves these websites and no others', async () => {
    const business = await json('business', 'create', 'Guarded', '--timezone', 'UTC', '--plan', 'growth')
    const { key = '' } = await json(
      ...['key', 'create', '--business', business['id'] ?? '', '--type', 'publishable'],
      ...['--allowed-origin', 'https://www.example.com', '--allowed-origin', 'http://localhost:8080'],
    )
    const from = (origin?: string) => ask(key, 'POST', '/session', origin === undefined ? {} : { origin })
    expect(await from('https://www.example.com')).toEqual({ status: 201 })
    expect(await from('http://localhost:8080')).toEqual({ status: 201 })
    expect(await from()).toEqual({ status: 201 })
    expect(await from('https://example.com')).toEqual({ status: 403, code: 'origin_not_allowed' })
  })

  test('a key is shown once, in lines for people too', async () => {
    const business = await run('business', 'create', 'Plain', '--timezone', 'UTC')
    const id = /^business (\S+) {2}Plain {2}\(enterprise, UTC\)$/m.exec(business.stdout)?.[1] ?? ''
    const key = await run('key', 'create', '--business', id.toUpperCase())
    expect(key.stdout).toMatch(/^key [0-9a-f-]{36}\ncal_biz_\w{38}\nKeep it safe: it is not shown again\.\n$/)
    const publishable = await run('key', 'create', '--business', id, '--type', 'publishable')
    expect(publishable.stdout).toMatch(
      /^key [0-9a-f-]{36}\ncal_pub_\w{38}\nYou may publish it in a website's source\. It is not shown again\.\n$/,
    )
  })

  test.each([
    [['key', 'create', '--business', unknownId], /no business/i],
    [['business', 'create', 'X', '--timezone', 'UTC', '--hub', unknownId], /no hub/i],
  ])('an id that is not there is refused: %j', (args, reason) => refuse(args, reason, database.url))
})

async function refuse(args: string[], reason: RegExp, url: string): Promise<void> {
  const ran = await runCommand(args, { DATABASE_URL: url })
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toMatch(/^holdfast: /)
  expect(ran.stderr).toMatch(reason)
  expect(ran.stderr).not.toContain('    at ')
}

test.each([
  [['business', 'create', 'X', '--timezone', 'Europe/Berln'], /Europe\/Berlin/],
  [['business', 'create', 'X', '--timezone', 'UTC', '--hub', 'nonsense'], /no hub/i],
  [['business', 'create', 'X', '--timezone', 'UTC', '--brand-color', 'red'], /#1a2b3c/],
  [['business', 'create', 'X', '--timezone', 'UTC', '--brand-logo-url', 'ftp://x'], /https?:\/\//],
  [['business', 'create', ' ', '--timezone', 'UTC'], /name/i],
  [['business', 'create', 'x'.repeat(201), '--timezone', 'UTC'], /200/],
  [['hub', 'create', 'two\nlines'], /line/],
  [['key', 'create', '--business', 'nonsense'], /no business/i],
  [['key', 'create', '--hub', unknownId], /no hub/i],
  [['key', 'create'], /--hub or --business/],
  [['key', 'create', '--hub', unknownId, '--business', unknownId], /--hub or --business/],
  [['key', 'create', '--business', unknownId, '--allowed-origin', 'https://a.example'], /publishable/],
  [
    ['key', 'create', '--business', unknownId, '--type', 'publishable', '--allowed-origin', 'a.example/x'],
    /origin/,
  ],
])('what cannot be is refused with exit code 2 and a reason: %j', (args, reason) =>
  refuse(args, reason, `sqlite:${emptyDirectory()}/holdfast.db`),
)
