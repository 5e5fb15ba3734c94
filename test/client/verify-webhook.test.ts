import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from '../../client/holdfast-client.ts'
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeShop, makeWebhook, type OwnWebhook, type Shop } from '../support/webhooks.ts'

/** Returns the reason for the refusal, or undefined if there is none. */
async function refusalOf(verified: Promise<unknown>): Promise<WebhookRefusal | undefined> {
  try {
    await verified
    return undefined
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason
    throw error
  }
}

onOneEngine('sqlite', 'a delivery of the service', (engine) => {
  let service: TestService
  let receiver: Receiver
  let shop: Shop
  let webhook: OwnWebhook
  let booking: { id: string }
  let got: Received
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })
  beforeEach(async () => {
    shop = await makeShop(service)
    webhook = await makeWebhook(service, { token: shop.business.key, to: receiver })
    await deliver()
  })

  async function deliver(): Promise<void> {
    receiver.received.length = 0
    booking = (await shop.book()) as { id: string }
    await service.app.deliveries.settled()
    const [first] = receiver.received
    if (!first) throw new Error('nothing arrived')
    got = first
  }
  interface Changes {
    body?: string | Uint8Array | ArrayBuffer
    headers?: WebhookHeaders
    secret?: string | string[]
    laterSeconds?: number
  }
  const verify = ({ body, headers, secret, laterSeconds = 0 }: Changes = {}) =>
    verifyWebhook(body ?? got.body, headers ?? got.headers, secret ?? webhook.secret, {
      nowMs: service.clock.nowMs() + laterSeconds * 1000,
    })
  const refusal = (changes: Changes) => refusalOf(verify(changes))
  const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

  test('is verified, and gives its event and the id of the event', async () => {
    const event = await verify()
    expect(event).toEqual({
      ...(JSON.parse(got.body.toString()) as object),
      id: got.headers['webhook-id'],
    })
    expect(event).toMatchObject({ event: 'booking.created', data: { id: booking.id, status: 'confirmed' } })
  })

  test('is verified in each form of body and headers', async () => {
    const { body, headers } = got
    const bodies = [body.toString(), body, new Uint8Array(body), new Uint8Array(body).buffer]
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value] as const)
    const forms: WebhookHeaders[] = [headers, new Headers(headers), upper, Object.fromEntries(upper)]
    forms.push(Object.fromEntries(upper.map(([name, value]) => [name, [value]])), new Map(upper))
    for (const form of bodies) expect(await refusal({ body: form })).toBeUndefined()
    for (const form of forms) expect(await refusal({ headers: form })).toBeUndefined()
  })

  test('is refused with another secret, after a change of its body, and of what is signed beside it', async () => {
    const { headers } = got
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(await refusal({ secret: otherSecret })).toBe('wrong_signature')
    expect(await refusal({ body: got.body.toString().replace('Ada', 'Eve') })).toBe('wrong_signature')
    for (const changed of [
      { 'webhook-id': crypto.randomUUID() },
      { 'webhook-timestamp': later },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') ?? '' },
      { 'webhook-signature': headers['webhook-signature']?.slice(0, -4) ?? '' },
      { 'webhook-signature': 'v1,*** v1' },
    ]) {
      expect(await refusal({ headers: { ...headers, ...changed } })).toBe('wrong_signature')
    }
  })

  test('is refused without one of its headers, or with a timestamp that is none', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const rest = Object.fromEntries(Object.entries(got.headers).filter(([other]) => other !== name))
      expect(await refusal({ headers: rest })).toBe('missing_header')
      expect(await refusal({ headers: { ...rest, [name]: '' } })).toBe('missing_header')
    }
    for (const timestamp of ['x', '-1', '1e3', 'NaN']) {
      const headers = { ...got.headers, 'webhook-timestamp': timestamp }
      expect(await refusal({ headers })).toBe('invalid_timestamp')
    }
  })

  test('is good for 300 seconds', async () => {
    const sentMs = Number(got.headers['webhook-timestamp']) * 1000
    const at = (seconds: number) =>
      refusal({ laterSeconds: (sentMs - service.clock.nowMs()) / 1000 + seconds })
    expect(await at(300)).toBeUndefined()
    expect(await at(301)).toBe('too_old')
    expect(await at(-300)).toBeUndefined()
    expect(await at(-301)).toBe('too_new')
  })

  test('has two signatures while its secret is replaced, and either secret or both fit', async () => {
    const rotated = await service.call('POST', `/webhooks/${webhook.id}/rotate-secret`, {
      token: shop.business.key,
    })
    const secret = String(rotated.body.secret)
    expect(await refusal({ secret: [secret, webhook.secret] })).toBeUndefined() // sent before
    await deliver()
    expect(got.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const fitting of [secret, webhook.secret, [otherSecret, secret], [otherSecret, webhook.secret]]) {
      expect(await refusal({ secret: fitting })).toBeUndefined()
    }
    service.clock.advance(86_400)
    await deliver()
    expect(await refusal({ secret })).toBeUndefined()
    expect(await refusal({ secret: webhook.secret })).toBe('wrong_signature')
  })
})

describe('beside the library of Standard Webhooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  const body = '{"event":"booking.created","timestamp":"2026-11-20T10:00:00+01:00","data":{"id":"Zoë"}}'
  const now = new Date('2026-11-20T10:00:00Z')
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }))
  afterEach(() => void vi.useRealTimers())

  const signedBy = (one: string, text: string, at: Date) => ({
    'webhook-id': 'event-1',
    'webhook-timestamp': String(at.getTime() / 1000),
    'webhook-signature': new Webhook(one).sign('event-1', at, text),
  })

  test.each([
    { name: 'a genuine delivery', fits: true },
    { name: 'one of 299 s ago', fits: true, secondsAgo: 299 },
    { name: 'one of 301 s ago', fits: false, secondsAgo: 301 },
    {
      name: 'one with another secret',
      fits: false,
      signer: `whsec_${Buffer.alloc(32, 8).toString('base64')}`,
    },
    { name: 'an altered one', fits: false, text: body.replace('Zoë', 'Eve') },
  ])('agrees on $name', async ({ fits, secondsAgo = 0, signer = secret, text = body }) => {
    const headers = signedBy(signer, body, new Date(now.getTime() - secondsAgo * 1000))
    const library = () => new Webhook(secret).verify(text, headers)
    if (fits) expect(library()).toBeDefined()
    else expect(library).toThrow()
    expect((await refusalOf(verifyWebhook(text, headers, secret))) === undefined).toBe(fits)
  })

  test('what is signed and is no event is told apart', async () => {
    for (const text of ['', 'hello', '[]', '{}', 'null']) {
      const verified = verifyWebhook(text, signedBy(secret, text, now), secret)
      expect(await refusalOf(verified)).toBe('invalid_body')
    }
  })

  test('a secret that is none is a mistake of the program, not of the sender', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_***', secret.slice(6), [], [secret, '']]) {
      await expect(verifyWebhook(body, signedBy(secret, body, now), wrong)).rejects.toThrow(TypeError)
    }
  })
})
