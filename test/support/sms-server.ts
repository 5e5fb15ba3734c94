import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestService } from './test-service.ts'

/* Stand-ins for the providers of text messages: they take a message as the real ones do, and sign their callbacks. */

export interface ReceivedText {
  to: string
  text: string
  /** The ID that a repetition has too. Twilio gets it in the URL for callbacks only. */
  id: string
  callbackUrl: string | undefined
}

export type ProviderName = 'twilio' | 'vonage' | 'gateway'

/** The answer to the next messages. Undefined: accepts them. `slow`: accepts them after a while. */
export type Mood = { status: number; body?: object } | 'hang' | 'slow' | undefined

const slowMs = 40

export interface SmsServer {
  /** The value of `SMS_URL`. */
  url: string
  texts: ReceivedText[]
  mood: Mood
  /** Number of requests that got no answer. */
  hanging: number
  /** Number of messages that got another answer than acceptance. */
  refused: number
  /** Sends a signed callback. Returns the status of the answer. */
  report(service: TestService, fields: Record<string, string>, id?: string): Promise<number>
  /** The same with a wrong signature. */
  forge(service: TestService, fields: Record<string, string>, id?: string): Promise<number>
  close(): Promise<void>
}

const token = 'a-token'
const signature = 'a-signature-secret'

/** Starts a stand-in. */
export async function startSmsServer(provider: ProviderName, from = '+4930900900'): Promise<SmsServer> {
  const state: Pick<SmsServer, 'mood' | 'texts' | 'hanging' | 'refused'> = {
    ...{ mood: undefined, texts: [], hanging: 0, refused: 0 },
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (state.mood === 'hang') {
        state.hanging += 1
        return
      }
      const body = Buffer.concat(chunks).toString()
      if (typeof state.mood === 'object') {
        state.refused += 1
        response.writeHead(state.mood.status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(state.mood.body ?? {}))
        return
      }
      const { authorization = '' } = request.headers
      const text =
        provider === 'gateway' ? (JSON.parse(body) as object) : Object.fromEntries(new URLSearchParams(body))
      const got = text as Record<string, string>
      const isKnown =
        provider === 'vonage'
          ? got['api_key'] === 'key' && got['api_secret'] === token
          : authorization === `Basic ${Buffer.from(`key:${token}`).toString('base64')}`
      if (!isKnown) {
        response.writeHead(401).end('{}')
        return
      }
      const callbackUrl = got['StatusCallback'] ?? got['callback']
      state.texts.push({
        to: got['To'] ?? (provider === 'vonage' ? `+${got['to'] ?? ''}` : (got['to'] ?? '')),
        text: got['Body'] ?? got['text'] ?? '',
        id: got['client-ref'] ?? got['id'] ?? new URL(callbackUrl ?? 'http://x').searchParams.get('id') ?? '',
        callbackUrl,
      })
      const accept = () => {
        response.writeHead(provider === 'twilio' ? 201 : 200, { 'content-type': 'application/json' })
        response.end(provider === 'vonage' ? '{"messages":[{"status":"0"}]}' : '{"sid":"SM1"}')
      }
      if (state.mood === 'slow') setTimeout(accept, slowMs)
      else accept()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const query = `from=${encodeURIComponent(from)}`
  const urls = {
    twilio: `twilio://key:${token}@${host}?${query}`,
    vonage: `vonage://key:${token}@${host}?${query}&signature=${signature}`,
    gateway: `http://key:${token}@${host}/texts`,
  }
  const call = async (
    service: TestService,
    { fields, id, secret }: { fields: Record<string, string>; id: string | undefined; secret: string },
  ) => {
    const path = `/texts/callback${id === undefined ? '' : `?id=${id}`}`
    const all = provider === 'vonage' ? withSignature(fields, secret) : fields
    const headers =
      provider === 'twilio'
        ? { 'x-twilio-signature': twilioSignature(`https://book.example${path}`, fields, secret) }
        : provider === 'gateway'
          ? { authorization: `Basic ${Buffer.from(`key:${secret}`).toString('base64')}` }
          : {}
    const { statusCode } = await service.app.server.inject({
      method: 'POST',
      url: path,
      headers: {
        ...headers,
        'content-type': provider === 'gateway' ? 'application/json' : 'application/x-www-form-urlencoded',
      },
      payload: provider === 'gateway' ? JSON.stringify(all) : new URLSearchParams(all).toString(),
    })
    return statusCode
  }
  const secret = provider === 'vonage' ? signature : token
  return Object.assign(state, {
    url: urls[provider],
    report: (service: TestService, fields: Record<string, string>, id?: string) =>
      call(service, { fields, id, secret }),
    forge: (service: TestService, fields: Record<string, string>, id?: string) =>
      call(service, { fields, id, secret: 'another' }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

function twilioSignature(url: string, fields: Record<string, string>, secret: string): string {
  const parts = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHmac('sha1', secret)
    .update(url + parts.flat().join(''))
    .digest('base64')
}

function withSignature(fields: Record<string, string>, secret: string): Record<string, string> {
  const parts = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = parts.map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, '_')}`).join('')
  return { ...fields, sig: createHmac('sha256', secret).update(text).digest('hex').toUpperCase() }
}
