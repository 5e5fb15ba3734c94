import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SendResult } from './send.ts'

/*
 * Providers of text messages. Each takes one HTTP call, and reports back with signed callbacks:
 *
 *   - Twilio, Programmable Messaging: Messages.json, X-Twilio-Signature
 *     (https://www.twilio.com/docs/messaging/api/message-resource, .../usage/security)
 *   - Vonage, SMS API: /sms/json, signed webhooks with HMAC-SHA-256
 *     (https://developer.vonage.com/en/api/sms, .../getting-started/concepts/signing-messages)
 *   - a gateway of the operator: a POST of JSON, and callbacks with the same user and password
 */

/** A text message on its way. */
export interface OutgoingText {
  /** A repetition has the same. */
  id: string
  /** E.164. */
  to: string
  text: string
  /** The URL to which the provider reports the delivery. Null without `PUBLIC_URL`. */
  statusUrl: string | null
}

/** `hasStopped`: the provider knows that the number wants no messages. */
export type TextResult = SendResult & { hasStopped?: boolean }

/** A report of a provider. */
export type TextReport =
  | { type: 'delivered'; id: string }
  | { type: 'failed'; id: string; error: string }
  | { type: 'answer'; from: string; text: string }
  | { type: 'other' }

/** A callback as it arrived. */
interface Callback {
  /** The URL that the provider called, as it knows it. */
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The members of the form or of the JSON object. */
  fields: Readonly<Record<string, string>>
}

const attemptMs = 10_000
const maxAnswer = 4_096

interface Answer {
  status: number
  body: Readonly<Record<string, unknown>>
}

interface Provider {
  request: (text: OutgoingText) => { url: string; init: RequestInit }
  read: (answer: Answer) => TextResult
  /** Returns undefined if the signature is wrong. */
  report: (callback: Callback) => TextReport | undefined
}

/** Sends text messages to the provider of an `SMS_URL`, and reads its callbacks. */
export class TextSender {
  private readonly provider: Provider

  constructor(smsUrl: string) {
    const url = new URL(smsUrl)
    this.provider =
      url.protocol === 'twilio:' ? twilio(url) : url.protocol === 'vonage:' ? vonage(url) : gateway(url)
  }

  /** Never rejects. Failures are results. */
  async send(text: OutgoingText): Promise<TextResult> {
    const { url, init } = this.provider.request(text)
    try {
      const signal = AbortSignal.timeout(attemptMs)
      const answer = await fetch(url, { ...init, method: 'POST', redirect: 'manual', signal })
      const body = await bodyOf(answer)
      if (answer.status === 429)
        return { outcome: 'failed', error: 'the provider asks to wait', isAway: true }
      if (answer.status >= 500)
        return { outcome: 'failed', error: `the provider answered ${answer.status}`, isAway: true }
      if ([301, 302, 303, 307, 308, 401, 403, 404].includes(answer.status))
        return {
          outcome: 'failed',
          error: `the provider answered ${answer.status}: check SMS_URL`,
          isAway: true,
        }
      return this.provider.read({ status: answer.status, body })
    } catch (error) {
      const isSlow = error instanceof Error && error.name === 'TimeoutError'
      const reason = isSlow ? 'the provider did not answer in time' : 'the provider cannot be reached'
      return { outcome: 'failed', error: reason, isAway: true }
    }
  }

  /** Reads a callback. Undefined if its signature is wrong. */
  report(callback: Callback): TextReport | undefined {
    return this.provider.report(callback)
  }
}

/** Reads at most a few kilobytes of JSON. Anything else counts as empty. */
async function bodyOf(answer: Response): Promise<Answer['body']> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > maxAnswer) break
  }
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Answer['body']) : {}
  } catch {
    return {}
  }
}

function addressOf({ host, hostname }: URL): string {
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
  return `${isLocal ? 'http' : 'https'}://${host}`
}

function account({ username, password }: URL) {
  return [decodeURIComponent(username), decodeURIComponent(password)] as const
}

function basic(url: URL): string {
  return `Basic ${Buffer.from(account(url).join(':')).toString('base64')}`
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

function headerOf({ headers }: Callback, name: string): string {
  return String(headers[name] ?? '')
}

/** Codes of Twilio that concern the number or the text: another attempt gives the same. */
const twilioRefusals = new Set([21211, 21212, 21408, 21602, 21606, 21610, 21612, 21614, 21617, 21635])
const twilioStopped = 21610

function twilio(url: URL): Provider {
  const [sid, token] = account(url)
  const from = url.searchParams.get('from') ?? ''
  return {
    request: ({ to, text, statusUrl }) => ({
      url: `${addressOf(url)}/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`,
      init: {
        headers: { authorization: basic(url) },
        body: new URLSearchParams({
          To: to,
          Body: text,
          [/^MG[0-9a-f]{32}$/.test(from) ? 'MessagingServiceSid' : 'From']: from,
          ...(statusUrl !== null && { StatusCallback: statusUrl }),
        }),
      },
    }),
    read: ({ status, body }) => {
      if (status < 300) return { outcome: 'sent' }
      const code = Number(body['code'])
      const error = `Twilio refused it (${code || status})`
      if (!twilioRefusals.has(code)) return { outcome: 'failed', error }
      return { outcome: 'refused', error, hasStopped: code === twilioStopped }
    },
    report: (callback) => {
      const { fields } = callback
      const signed = Object.keys(fields)
        .toSorted()
        .map((name) => `${name}${fields[name] ?? ''}`)
        .join('')
      const digest = createHmac('sha1', token).update(`${callback.url}${signed}`).digest('base64')
      if (!isEqual(digest, headerOf(callback, 'x-twilio-signature'))) return undefined
      const { MessageStatus: state, From = '', Body, ErrorCode = 'no code' } = fields
      if (state === undefined) return Body === undefined ? { type: 'other' } : answerOf(From, Body)
      const id = new URL(callback.url).searchParams.get('id') ?? ''
      if (state === 'delivered') return { type: 'delivered', id }
      const isLost = state === 'undelivered' || state === 'failed'
      return isLost ? { type: 'failed', id, error: `not delivered (${ErrorCode})` } : { type: 'other' }
    },
  }
}

/** Statuses of Vonage that concern the number or the text. */
const vonageRefusals = new Set(['3', '6', '7', '12', '22', '29', '33'])

function vonage(url: URL): Provider {
  const [key, secret] = account(url)
  const signature = url.searchParams.get('signature')
  return {
    request: ({ id, to, text, statusUrl }) => ({
      url: `${addressOf(url)}/sms/json`,
      init: {
        body: new URLSearchParams({
          ...{ api_key: key, api_secret: secret, from: url.searchParams.get('from') ?? '' },
          ...{ to: to.slice(1), text, type: 'unicode', 'client-ref': id },
          ...(statusUrl !== null && { callback: statusUrl }),
        }),
      },
    }),
    read: ({ body }) => {
      const [first] = Array.isArray(body['messages']) ? (body['messages'] as { status?: string }[]) : []
      const status = first?.status ?? ''
      if (status === '0') return { outcome: 'sent' }
      const error = `Vonage refused it (${status || 'no status'})`
      return { outcome: vonageRefusals.has(status) ? 'refused' : 'failed', error }
    },
    report: ({ fields: { sig = '', ...fields } }) => {
      if (signature === null) return undefined
      const signed = Object.keys(fields)
        .toSorted()
        .map((name) => `&${name}=${(fields[name] ?? '').replaceAll(/[&=]/g, '_')}`)
        .join('')
      const digest = createHmac('sha256', signature).update(signed).digest('hex')
      if (!isEqual(digest, sig.toLowerCase())) return undefined
      const { status, msisdn = '', text, 'client-ref': id = '', 'err-code': code = 'no code' } = fields
      if (text !== undefined) return answerOf(`+${msisdn}`, text)
      if (status === 'delivered') return { type: 'delivered', id }
      const isLost = status !== undefined && ['failed', 'rejected', 'expired'].includes(status)
      return isLost ? { type: 'failed', id, error: `not delivered (${code})` } : { type: 'other' }
    },
  }
}

function gateway(url: URL): Provider {
  const authorization = basic(url)
  const target = new URL(url)
  target.username = ''
  target.password = ''
  return {
    request: ({ id, to, text }) => ({
      url: target.href,
      init: {
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ to, text, id }),
      },
    }),
    read: ({ status }) =>
      status < 300
        ? { outcome: 'sent' }
        : { outcome: 'refused', error: `the gateway refused it (${status})` },
    report: (callback) => {
      if (!isEqual(authorization, headerOf(callback, 'authorization'))) return undefined
      const { id = '', status, error = 'no reason', from, text } = callback.fields
      if (from !== undefined && text !== undefined) return answerOf(from, text)
      if (status === 'delivered') return { type: 'delivered', id }
      return status === 'failed'
        ? { type: 'failed', id, error: `not delivered (${error})` }
        : { type: 'other' }
    },
  }
}

function answerOf(from: string, text: string): TextReport {
  return { type: 'answer', from: from.startsWith('+') ? from : `+${from}`, text }
}

const stopWords = new Set([
  ...['stop', 'stopall', 'stop all', 'end', 'quit', 'cancel', 'unsubscribe', 'optout', 'revoke'],
  ...['stopp', 'arret', 'arrêt', 'baja', 'alto', 'fine', 'einde', 'koniec', 'sair', 'dur', 'durdur'],
  ...['停止', 'توقف', 'إيقاف'],
])
const startWords = new Set(['start', 'unstop', 'yes'])

/** Reads an answer to a text message: STOP in the languages of Holdfast, START, or anything else. */
export function wishIn(text: string): 'stop' | 'start' | undefined {
  const word = text
    .trim()
    .toLowerCase()
    .replaceAll(/[.!]+$/g, '')
  return stopWords.has(word) ? 'stop' : startWords.has(word) ? 'start' : undefined
}
