import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { type AheadServer, startAheadServer } from '../support/ahead-server.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { onOneEngine } from '../support/long.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf, offer } from '../support/test-service.ts'

const call = httpClients()
const unknown = '01990000-0000-7000-8000-000000000000'

onOneEngine('sqlite', 'keys and sessions beside a running server', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let server: AheadServer
  let holdfast: CommandLine
  let salon: DemoWorld['businesses'][number]
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    server = await startAheadServer(database.url)
    holdfast = commandLine(database.url)
    salon = businessOf(world, 'Salon Spree')
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })

  const answer = async (token: string, method: string, path: string) => {
    const { status, body } = await call(server.address, method, path, { token })
    return status < 400 ? String(status) : `${status} ${String(body.code)}`
  }
  const idOf = async (key: string, ...filter: string[]) => {
    const { data } = await holdfast.json('key', 'list', ...filter)
    const keys = data as { id: string; last_four: string }[]
    return keys.find(({ last_four }) => last_four === key.slice(-4))?.id ?? ''
  }

  test('key list shows every key by its end alone, as a table and as data', async () => {
    const table = await holdfast.text('key', 'list')
    const cells = cellsOf(table)
    expect(cells[0]).toEqual([
      'ID',
      'TYPE',
      'ENDS IN',
      'LABEL',
      'OF',
      'STATE',
      'LAST USED',
      'SCOPES',
      'ALLOWED ORIGINS',
    ])
    const all = [world.hub.key, ...world.businesses.flatMap((one) => [one.business_key, one.publishable_key])]
    expect(cells.slice(1).map(([, , end]) => end)).toEqual(
      expect.arrayContaining(all.map((key) => key.slice(-4))),
    )
    const listed = JSON.stringify(await holdfast.json('key', 'list'))
    for (const key of all) expect(table + listed).not.toContain(key.slice(8, -4))
    expect(listed).not.toContain('digest')
  })

  test('key list of a business or hub shows its own keys, with their websites', async () => {
    const { id } = await holdfast.json('business', 'create', 'Own', '--timezone', 'UTC')
    expect(await holdfast.text('key', 'list', '--business', id as string)).toBe('Keys of Own:\n(none)\n')
    const publishable = ['key', 'create', '--business', 'Own', '--type', 'publishable', '--label', ' Shop ']
    const made = await holdfast.json(...publishable, '--allowed-origin', 'https://a.example')
    expect(cellsOf(await holdfast.text('key', 'list', '--business', id as string)).slice(1)).toEqual([
      [made.id, 'publishable', String(made.key).slice(-4), 'Shop', 'active', 'never', 'https://a.example'],
    ])
    expect(await holdfast.json('key', 'list', '--business', id as string)).toMatchObject({
      data: [{ id: made.id, label: 'Shop', allowed_origins: ['https://a.example'], revoked_at: null }],
    })
    expect(await holdfast.json('key', 'list', '--hub', world.hub.id)).toMatchObject({
      data: [
        { type: 'hub', hub_id: world.hub.id, last_four: world.hub.key.slice(-4), allowed_origins: null },
      ],
    })
  })

  test('a key with scopes and an end, at a wall time of its business', async () => {
    const zone = ['--timezone', 'Europe/Berlin']
    const { id } = await holdfast.json('business', 'create', 'Limited', ...zone)
    const create = ['key', 'create', '--business', 'Limited']
    const limits = ['--scope', 'read:bookings', '--scope', 'webhooks', '--expires-at', '2030-01-01']
    await holdfast.json(...create, ...limits)
    expect(await holdfast.json('key', 'list', '--business', id as string)).toMatchObject({
      data: [
        {
          scopes: ['read:bookings', 'webhooks'],
          expires_at: '2029-12-31T23:00:00+00:00',
          last_used_at: null,
        },
      ],
    })
    await holdfast.refuses([...create, '--scope', 'everything'], 2, '--scope must be one of')
    await holdfast.refuses([...create, '--expires-at', '2020-01-01'], 2, '--expires-at must be in the future')
    const publishable = [...create, '--type', 'publishable', '--scope', 'webhooks']
    await holdfast.refuses([...publishable], 2, '--scope is for business and hub keys')
    const hub = ['key', 'create', '--hub', world.hub.id, '--expires-at', '2030-01-01']
    await holdfast.refuses([...hub], 2, '--expires-at "2030-01-01" needs an offset')
  })

  test('logs lists the requests of a key, as a table and as data', async () => {
    const { id, key } = await holdfast.json('key', 'create', '--business', salon.id)
    await answer(String(key), 'GET', '/services?limit=1')
    const data = async () => (await holdfast.json('logs', '--key', String(id)))['data'] as object[]
    await expect.poll(data, { timeout: 10_000 }).toHaveLength(1)
    expect(await data()).toMatchObject([{ method: 'GET', path: '/api/v1/services', status: 200, code: null }])
    const [heads, row] = cellsOf(await holdfast.text('logs', '--key', String(id)))
    expect(heads).toEqual(['AT', 'METHOD', 'PATH', 'STATUS', 'CODE', 'MS'])
    expect(row?.slice(1, 4)).toEqual(['GET', '/api/v1/services', '200'])
    await holdfast.refuses(['logs', '--key', 'x'], 2, 'holdfast key list')
  })

  test('a label says what a key is for, and has to be one line', async () => {
    const create = ['key', 'create', '--hub', 'Demo hub', '--label']
    const { id } = await holdfast.json(...create, 'Reports')
    const slip = String(id).replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    await holdfast.refuses(
      ['key', 'revoke', slip],
      2,
      `Did you mean ${String(id)} (the hub key "Reports" that`,
    )
    for (const label of [' ', 'two\nlines', 'x'.repeat(101)]) {
      await holdfast.refuses([...create, label], 2, '--label must be one line of 1 to 100 characters.')
    }
  })

  test('a revoked business key ends on the server within five seconds, and is listed as revoked', async () => {
    const { id, key } = await holdfast.json('key', 'create', '--business', salon.id)
    expect(await answer(key as string, 'GET', '/bookings')).toBe('200')
    const said = await holdfast.text('key', 'revoke', id as string)
    expect(said).toMatch(new RegExp(`^business key ${String(id)} \\(…\\w{4}\\) was revoked at 2\\S+\\n$`))
    server.advance(5)
    expect(await answer(key as string, 'GET', '/bookings')).toBe('401 invalid_credentials')
    // the server writes last_used_at some seconds after a use
    const again = async () => ({
      ...(await holdfast.json('key', 'revoke', id as string)),
      last_used_at: undefined,
    })
    expect(await again()).toEqual(await again())
    expect(await holdfast.text('key', 'list')).toMatch(new RegExp(`^${String(id)} .* revoked 2`, 'm'))
    expect(await answer(salon.business_key, 'GET', '/bookings')).toBe('200')
  })

  test('a revoked publishable key takes its sessions with it within five seconds', async () => {
    const { publishable_key } = businessOf(world, 'Hudson Studio')
    const session = await call(server.address, 'POST', '/session', { token: publishable_key })
    const token = session.body.session_token as string
    expect(await answer(token, 'GET', '/services')).toBe('200')
    await holdfast.text('key', 'revoke', await idOf(publishable_key))
    server.advance(5)
    expect(await answer(token, 'GET', '/services')).toBe('401 invalid_credentials')
    expect(await answer(publishable_key, 'POST', '/session')).toBe('401 invalid_credentials')
  })

  test('session create prints a bare token that holds a slot on the server', async () => {
    const token = await holdfast.text('session', 'create', '--business', salon.id.toUpperCase())
    expect(token).toMatch(/^cal_ses_\w{38}\n$/)
    const starts_at = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 86_400_000).toISOString()
    const body = { ...offer(salon, 'Meeting room'), starts_at }
    const hold = await call(server.address, 'POST', '/bookings/hold', { token: token.trim(), body })
    expect(hold.status).toBe(201)
  })

  test('session create --json gives what the exchange of a key gives', async () => {
    const made = await holdfast.json('session', 'create', '--business', salon.id)
    const exchanged = await call(server.address, 'POST', '/session', { token: salon.publishable_key })
    expect(Object.keys(made as object)).toEqual(Object.keys(exchanged.body as object))
    expect(made.business).toEqual(exchanged.body.business)
    expect(made.show_branding).toBe(exchanged.body.show_branding)
  })

  test('a session needs a publishable key in force, and the refusal says how to make one', async () => {
    const { id } = await holdfast.json('business', 'create', 'Keyless', '--timezone', 'UTC')
    const advice = `holdfast key create --business ${String(id)} --type publishable`
    await holdfast.refuses(['session', 'create', '--business', id as string], 2, advice)
    await holdfast.text(...advice.split(' ').slice(1))
    expect(await holdfast.text('session', 'create', '--business', id as string)).toContain('cal_ses_')
    const { data } = await holdfast.json('key', 'list', '--business', id as string)
    const [made] = data
    await holdfast.text('key', 'revoke', made.id as string)
    await holdfast.refuses(['session', 'create', '--business', id as string], 2, advice)
  })

  test('an unknown id is refused, with the one that was probably meant', async () => {
    const id = await idOf(salon.publishable_key)
    const slip = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const meant = `Did you mean ${id} (the publishable key that ends in ${salon.publishable_key.slice(-4)})?`
    await holdfast.refuses(['key', 'revoke', slip], 2, meant)
    await holdfast.refuses(['session', 'create', '--business', 'salon spree'], 2, `Did you mean ${salon.id}`)
    await holdfast.refuses(['key', 'list', '--business', salon.id.slice(0, 8)], 2, `Did you mean ${salon.id}`)
    expect(await answer(salon.publishable_key, 'POST', '/session')).toBe('201')
  })

  test('an id that resembles none is refused with the command that lists them', async () => {
    await holdfast.refuses(['key', 'revoke', unknown], 2, /no key .* "holdfast key list" shows them/)
    await holdfast.refuses(['key', 'list', '--hub', unknown], 2, /no hub/)
    await holdfast.refuses(['session', 'create', '--business', unknown], 2, /no business/)
  })

  test('a key given in place of its id is refused without being shown', async () => {
    const ran = await holdfast.run('key', 'revoke', salon.business_key)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(`ends in ${salon.business_key.slice(-4)}`)
    expect(ran.stderr).not.toContain(salon.business_key.slice(8, -4))
    expect(await answer(salon.business_key, 'GET', '/bookings')).toBe('200')
  })
})
