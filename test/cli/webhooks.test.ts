import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { faultOfDelivery } from '../../src/webhooks/signature.ts'
import { documentAt } from '../docs/documents.ts'
import { slot } from '../support/cluster.ts'
import { cellsOf, commandLine, type CommandLine } from '../support/command-line.ts'
import { demoWorld, startHoldfast } from '../support/holdfast-process.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { type ServerProcess, startServer, withoutLimits } from '../support/server-process.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

const call = httpClients()
const unknown = '01990000-0000-7000-8000-000000000000'

onOneEngine('sqlite', 'webhooks at the command line, beside a running server', (engine) => {
  let database: TestDatabase
  let world: DemoWorld
  let server: ServerProcess
  let holdfast: CommandLine
  let receiver: Receiver
  beforeAll(async () => {
    database = await createMigratedDatabase(engine)
    world = await demoWorld(database.url)
    server = await startServer(database.url, { ...withoutLimits, NODE_ENV: 'test' })
    holdfast = commandLine(database.url)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await server.stop()
    await receiver.stop()
    await database.drop()
  })

  let slots = 0
  async function book(): Promise<string> {
    const business = businessOf(world, 'Salon Spree')
    const token = business.business_key
    const body = { ...offer(business, 'Meeting room'), starts_at: slot((slots += 1)) }
    const hold = await call(server.address, 'POST', '/bookings/hold', { token, body })
    const booked = await call(server.address, 'POST', '/bookings', {
      token,
      body: { hold_id: hold.body.hold_id, client: ada },
    })
    return booked.body.id as string
  }

  test('are created, listed, looked into and tried again', async () => {
    const { id: business } = businessOf(world, 'Salon Spree')
    const url = `${receiver.address}/hooks`
    const made = await holdfast.text('webhook', 'create', '--business', business, '--url', url)
    const [, id = '', secret = ''] = /^webhook (\S+)\n(whsec_\S+)\n/.exec(made) ?? []
    expect(cellsOf(await holdfast.text('webhook', 'list'))[1]).toEqual([
      id,
      'active',
      'Salon Spree',
      url,
      'created, updated, cancelled, completed',
    ])
    expect((await holdfast.json('webhook', 'list', '--business', business)).data).toHaveLength(1)

    receiver.answer = status(410)
    const booking = await book()
    await eventually('the delivery', () => receiver.received[0])
    const failed = await eventually('the log', async () => {
      const { data } = await holdfast.json('webhook', 'deliveries', id, '--status', 'failed')
      return (data as { id: string; booking_id: string }[])[0]
    })
    expect(failed.booking_id).toBe(booking)
    const [, row = []] = cellsOf(await holdfast.text('webhook', 'deliveries', id))
    expect(row.slice(2)).toEqual(['booking.created', 'failed', '1', '410 status_not_2xx'])

    receiver.answer = status(200)
    const retried = await holdfast.text('webhook', 'retry', id, failed.id)
    expect(retried).toBe(`delivery ${failed.id} of booking.created is pending\n`)
    const again = await eventually('the second delivery', () => receiver.received[1])
    const digest = createHmac('sha256', secret).update(again.body).digest('hex')
    expect(again.headers['x-service-signature']).toBe(`sha256=${digest}`)
  })

  test('an address that cannot be one is refused by the name of its option', async () => {
    const create = ['webhook', 'create', '--business', 'Thames Barbers', '--url', 'here']
    await holdfast.refuses(create, 2, /^holdfast: --url /)
  })

  test('are disabled, enabled, given a new secret and deleted', async () => {
    const create = ['webhook', 'create', '--business', 'Thames Barbers', '--url', receiver.address]
    const { id, secret } = (await holdfast.json(...create)) as { id: string; secret: string }
    const states = async () => {
      const { data } = await holdfast.json('webhook', 'list', '--business', 'Thames Barbers')
      return (data as { status: string }[]).map(({ status }) => status)
    }
    expect(await holdfast.text('webhook', 'disable', id)).toBe(`webhook ${id} is disabled\n`)
    expect(await states()).toEqual(['disabled'])
    expect(await holdfast.json('webhook', 'enable', id)).toMatchObject({ id, status: 'active' })
    expect(await states()).toEqual(['active'])

    const rotated = (await holdfast.json('webhook', 'rotate', id)) as { secret: string }
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
    await holdfast.refuses(['webhook', 'rotate', id], 1, /less than 24 hours ago/)

    const slip = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    await holdfast.refuses(['webhook', 'delete', slip], 2, `Did you mean ${id} (${receiver.address})?`)
    expect(await holdfast.text('webhook', 'delete', id)).toBe(`webhook ${id} is deleted\n`)
    expect(await states()).toEqual([])
    for (const word of ['disable', 'enable', 'rotate', 'delete']) {
      await holdfast.refuses(['webhook', word, id], 2, `There is no webhook ${id}.`)
    }
  })

  test('can be for a whole hub and for some events', async () => {
    const args = ['--hub', world.hub.id, '--url', receiver.address, '--event', 'booking.completed']
    expect(await holdfast.json('webhook', 'create', ...args)).toMatchObject({
      business_id: null,
      events: ['booking.completed'],
      secret: expect.stringMatching(/^whsec_/),
    })
    expect(await holdfast.text('webhook', 'list')).toContain('(a whole hub)')
  })

  test('are refused with the reason', async () => {
    const url = ['--url', receiver.address]
    await holdfast.refuses(['webhook', 'create', ...url], 2, 'Give either --business or --hub.')
    await holdfast.refuses(['webhook', 'create', '--business', unknown, ...url], 2, 'There is no business')
    const { id } = businessOf(world, 'Salon Spree')
    await holdfast.refuses(
      ['webhook', 'create', '--business', id, '--url', 'ftp://a'],
      2,
      /url must be a whole/,
    )
    await holdfast.refuses(['webhook', 'deliveries', unknown], 2, `There is no webhook ${unknown}.`)
    await holdfast.refuses(['webhook', 'retry', unknown, unknown], 2, 'There is no webhook with this id.')
    const listen = ['webhook', 'listen']
    await holdfast.refuses([...listen, '--port', 'x'], 2, '--port must be a whole number')
    await holdfast.refuses(listen, 2, 'Give either --port or --forward-to.')
    const forward = [...listen, '--forward-to', 'http://127.0.0.1:1']
    await holdfast.refuses(forward, 2, '--forward-to needs the --url of the server.')
    forward.push('--url', server.address)
    await holdfast.refuses(forward, 2, 'Give --key or set HOLDFAST_KEY.')
    const { publishable_key } = businessOf(world, 'Salon Spree')
    await holdfast.refuses([...forward, '--key', publishable_key], 2, 'must be a business or hub key')
    const ended = await holdfast.json('key', 'create', '--business', businessOf(world, 'Salon Spree').id)
    await holdfast.text('key', 'revoke', String(ended['id']))
    await holdfast.refuses([...forward, '--key', String(ended['key'])], 1, `${server.address} refuses: `)
  })

  longTest('forwards events in order while server and receiver restart', async () => {
    const variables = { HOLDFAST_KEY: businessOf(world, 'Salon Spree').business_key }
    const before = await book()
    let program = await startReceiver()
    const { address } = program
    const port = Number(new URL(address).port)
    const command = /npx holdfast (webhook listen --forward-to .*)$/m
    const [, args = ''] = command.exec(documentAt('docs/guides/webhooks.md').text) ?? []
    const actual = (word: string) =>
      word.replace('http://127.0.0.1:4000', address).replace('http://127.0.0.1:3000', server.address)
    const listener = startHoldfast(args.split(' ').map(actual), { variables })
    const [, secret = ''] = await listener.says(/^The secret is (whsec_\S+)$/m)
    const booked = [await book()]
    await listener.says(/^booking\.created \S+: 200$/m)
    const received = [...program.received]
    await program.stop()

    booked.push(await book())
    await listener.says(new RegExp(`^${address}/hooks is waited for: .*ECONNREFUSED`, 'm'))
    await server.kill()
    program = await startReceiver(port)
    await listener.says(new RegExp(`^${address}/hooks answers again$`, 'm'))
    await listener.says(new RegExp(`^${server.address} is waited for: `, 'm'))
    const again = { PORT: new URL(server.address).port, NODE_ENV: 'test' }
    server = await startServer(database.url, { ...withoutLimits, ...again })
    booked.push(await book())
    await eventually('all', () => program.received.length >= 2 || undefined)
    received.push(...program.received)
    await program.stop()
    listener.signal('SIGTERM')
    expect(await listener.ended).toEqual({ code: 0, signal: null })

    const bodies = received.map(({ body }) => JSON.parse(body.toString()) as { data: { id: string } })
    expect(bodies.map(({ data }) => data.id)).toEqual(booked)
    expect(booked).not.toContain(before)
    for (const { headers, body } of received)
      expect(faultOfDelivery(secret, { headers, body: body.toString() }, Date.now())).toBeUndefined()
  })
})

test('webhook listen receives, verifies and prints deliveries', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const listener = startHoldfast(['webhook', 'listen', '--port', '0', '--secret', secret])
  const [, address = ''] = await listener.says(/^Listening on (http:\S+)$/m)
  const body = '{"event":"booking.created","data":{"id":"x"}}'
  const timestamp = String(Math.floor(Date.now() / 1000))
  const sign = (text: string, key: string | Buffer) => createHmac('sha256', key).update(text)
  const headers = (about: string, id = 'one') => ({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${sign(`${id}.${timestamp}.${about}`, Buffer.alloc(32, 7)).digest('base64')}`,
    'x-service-signature': `sha256=${sign(about, secret).digest('hex')}`,
  })
  const post = (sent: string, given: Record<string, string>) =>
    fetch(address, { method: 'POST', headers: given, body: sent })
  expect((await post(body, headers(body))).status).toBe(200)
  await listener.says(/^one \(verified\)\n\{\n {2}"event": "booking\.created"/m)
  await post(body, headers(body))
  await listener.says(/^one \(verified, seen before\)$/m)
  await post(body.replace('x', 'y'), headers(body, 'two'))
  await listener.says(/^two \(REFUSED: X-Service-Signature does not match\)$/m)
  await post('\u001b[31m', headers('\u001b[31m', 'three'))
  await listener.says(/^three \(verified\)\n"\\u001b\[31m"$/m)
  listener.signal('SIGTERM')
  await listener.ended
})

test('a delivery is refused when it is altered, old, ahead, or signed with another secret', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = '{"event":"booking.created"}'
  const key = Buffer.alloc(32, 7)
  const headers = {
    'webhook-id': 'one',
    'webhook-timestamp': '1000',
    'webhook-signature': `v1,AAAA v1,${createHmac('sha256', key).update(`one.1000.${body}`).digest('base64')}`,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const got = { headers, body }
  expect(faultOfDelivery(secret, got, 1_000_000)).toBeUndefined()
  expect(faultOfDelivery(secret, got, 1_300_000)).toBeUndefined()
  expect(faultOfDelivery(secret, got, 1_301_000)).toMatch('older')
  expect(faultOfDelivery(secret, got, 699_000)).toMatch('older')
  expect(faultOfDelivery(secret, { ...got, body: `${body} ` }, 1_000_000)).toMatch('X-Service-Signature')
  expect(faultOfDelivery(`${secret}A`, got, 1_000_000)).toMatch('X-Service-Signature')
  const replayed = { ...headers, 'webhook-id': 'two' }
  expect(faultOfDelivery(secret, { headers: replayed, body }, 1_000_000)).toMatch('webhook-signature')
  expect(
    faultOfDelivery(secret, { headers: { ...headers, 'webhook-timestamp': 'x' }, body }, 1_000_000),
  ).toMatch('older')
})
