import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Stripe } from 'stripe'

/*
 * A server that behaves like the part of Stripe's API for checkouts (https://docs.stripe.com/api): form bodies,
 * idempotency, errors, the life of sessions, signed events.
 */

export const secretKey = 'sk_test_holdfast51Abcdefghijklmnop'
/** The business's own account. */
export const ownKey = 'rk_test_holdfast51Own23456789abcd'
export const ownWebhookSecret = 'whsec_holdfast8Own3456789abcdefgh'
export const webhookSecret = 'whsec_holdfast8Abcdefghijklmnopqrst'

interface FakeSession {
  id: string
  object: 'checkout.session'
  created: number
  expires_at: number
  status: 'open' | 'complete' | 'expired'
  mode: 'payment' | 'setup'
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  payment_intent: string | null
  setup_intent: string | null
  customer: string | null
  customer_creation: 'always' | null
  setup_future_usage: string | null
  metadata: Record<string, string>
  client_reference_id: string
  customer_email: string | null
  customer_details: { email: string; name: string } | null
  amount_total: number | null
  currency: string | null
  url: string | null
  success_url: string
}

interface FakeRefund {
  id: string
  object: 'refund'
  payment_intent: string
  status: 'pending' | 'succeeded' | 'failed'
  metadata: Record<string, string>
  amount: number
}

/** The outcome of charges to a card without its client. No number is ever given. */
export type CardBehaviour =
  | 'works'
  /** The bank takes some time, and accepts or declines it by `bankDecides`. */
  | 'takes time'
  /** Any other is the code of the error. */
  | 'authentication_required'
  | 'card_declined'
  | 'expired_card'
  | 'insufficient_funds'
  | 'processing_error'
  | 'amount_too_small'
  | 'resource_missing'

/** A charge or a saved card. */
interface FakeIntent {
  id: string
  object: 'payment_intent' | 'setup_intent'
  created: number
  status: 'succeeded' | 'processing' | 'requires_payment_method'
  customer: string | null
  payment_method: string | null
  amount: number
  amount_received: number
  currency: string
  metadata: Record<string, string>
  last_payment_error: { code: string; decline_code?: string } | null
}

/** A saved card, as far as Stripe shows it. */
interface FakeMethod {
  id: string
  object: 'payment_method'
  /** Null once it is detached. */
  customer: string | null
  card: { brand: string; last4: string }
}

/** The kind of failure: it is unreachable, it answers with an error, or its answer is lost after the work is done. */
export type Failure = 'away' | 'error' | 'answer lost' | 'hangs'

export interface FakeStripe {
  url: string
  sessions: Map<string, FakeSession>
  refunds: FakeRefund[]
  /** Charges and saved cards, by ID. */
  intents: Map<string, FakeIntent>
  /** The behaviour of cards that are saved from now on. */
  card: CardBehaviour
  /** The behaviour of saved cards, by ID, which may change. */
  cards: Map<string, CardBehaviour>
  /** The saved cards, by ID, also those that were detached. */
  methods: Map<string, FakeMethod>
  /** Every movement of money, oldest first: positive to the business. */
  ledger: { paymentId: string; amount: number; currency: string }[]
  /** The name of the line of each session. */
  lines: Map<string, string>
  /** Every request, as method and path, oldest first. */
  requests: string[]
  /** The API key of each request, oldest first. */
  keys: string[]
  /** The idempotency keys of refund requests, oldest first. */
  refundKeys: string[]
  /** The codes of its refusals, oldest first. */
  refused: string[]
  /** The failure of the next requests of these kinds. Undefined: none. */
  failure: { how: Failure; on: RegExp } | undefined
  /** The immediate status of refunds. */
  refundStatus: FakeRefund['status']
  /** Awaited before the answer to the creation of a session. */
  onCreated: ((session: FakeSession) => Promise<void>) | undefined
  /** Awaited after a charge was made, before its answer. */
  onCharged: (() => Promise<void>) | undefined
  /** Awaited before a list of refunds, as of the time of the request, is answered. */
  onRefundsListed: (() => Promise<void>) | undefined
  /** Lets a client pay now. Returns false if the session is no longer open. */
  pay(sessionId: string, how?: 'at once' | 'in days'): boolean
  /** Lets a bank accept or refuse a payment, days later. */
  clear(sessionId: string, succeeds: boolean): void
  /** Lets a bank accept or decline a charge that takes time. */
  bankDecides(intentId: string, accepts: boolean): void
  /** Refunds a part of a paid session at the processor, as somebody does by hand. */
  refundByHand(sessionId: string, amount: number): void
  /** Creates an event about an object in its present state. */
  event(type: string, object: object): { id: string; body: string }
  /** Returns the header with which an event is sent. */
  sign(body: string, secondsAgo?: number, secret?: string): string
  stop(): Promise<void>
}

class Refusal extends Error {
  readonly status: number
  readonly part: { type: string; code?: string }

  constructor(status: number, part: { type: string; code?: string; message?: string; param?: string }) {
    super('refused')
    this.status = status
    this.part = part
  }

  get code(): string {
    return this.part.code ?? this.part.type
  }
}

function metadataIn(form: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[(.+)\]$/.exec(name)?.[1]
      return key === undefined ? [] : [[key, value]]
    }),
  )
}

/** Starts it on a free port. It uses the given clock, in milliseconds since 1970. */
export async function startFakeStripe(nowMs: () => number, port = 0): Promise<FakeStripe> {
  const stripe = new Stripe(secretKey)
  const sessions = new Map<string, FakeSession>()
  const refunds: FakeRefund[] = []
  const lines = new Map<string, string>()
  const intents = new Map<string, FakeIntent>()
  const cards = new Map<string, CardBehaviour>()
  const methods = new Map<string, FakeMethod>()
  const kept = new Map<string, { request: string; answer: object | undefined }>()
  const refusals = new Map<string, Refusal>()
  /** Keys that store an internal error. */
  const broken = new Set<string>()
  let counter = 0
  const now = () => Math.floor(nowMs() / 1000)
  const next = (prefix: string) => `${prefix}_test_${String((counter += 1)).padStart(6, '0')}`

  const current = (session: FakeSession): FakeSession => {
    if (session.status === 'open' && now() >= session.expires_at) {
      Object.assign(session, { status: 'expired', url: null })
    }
    return session
  }
  const sessionOf = (id: string): FakeSession => {
    const session = sessions.get(id)
    if (!session) throw invalid('resource_missing', 'session', 404)
    return current(session)
  }

  const newIntent = (
    prefix: 'pi' | 'seti',
    parts: Partial<FakeIntent> & Pick<FakeIntent, 'customer' | 'payment_method' | 'metadata'>,
  ): FakeIntent => {
    const intent: FakeIntent = {
      id: next(prefix),
      object: prefix === 'pi' ? 'payment_intent' : 'setup_intent',
      created: now(),
      status: 'succeeded',
      ...{ amount: 0, amount_received: 0, currency: '', last_payment_error: null },
      ...parts,
    }
    intents.set(intent.id, intent)
    return intent
  }
  const take = (intent: FakeIntent): void => {
    Object.assign(intent, { status: 'succeeded', amount_received: intent.amount, last_payment_error: null })
    const { amount, currency } = intent
    fake.ledger.push({ paymentId: intent.metadata['holdfast_payment_id'] ?? '', amount, currency })
  }
  const saveCard = () => {
    const card = { customer: next('cus'), payment_method: next('pm') }
    cards.set(card.payment_method, fake.card)
    const { customer, payment_method: id } = card
    methods.set(id, { id, object: 'payment_method', customer, card: { brand: 'visa', last4: '4242' } })
    return card
  }

  const methodOf = (id: string): FakeMethod => {
    const method = methods.get(id)
    if (!method) throw invalid('resource_missing', 'payment_method', 404)
    return method
  }

  /** Charges a saved card. A declined one leaves an intent, as at Stripe. */
  const createIntent = (form: URLSearchParams): FakeIntent => {
    const [customer, method] = [form.get('customer') ?? '', form.get('payment_method') ?? '']
    const behaviour = methods.get(method)?.customer === null ? undefined : cards.get(method)
    if (behaviour === undefined || behaviour === 'resource_missing')
      throw invalid('resource_missing', 'payment_method')
    if (behaviour === 'amount_too_small') throw invalid('amount_too_small', 'amount')
    const isOffSession = form.get('off_session') === 'true' && form.get('confirm') === 'true'
    if (!isOffSession) throw invalid('parameter_missing', 'off_session')
    const amount = Number(form.get('amount'))
    if (!Number.isInteger(amount) || amount < 1) throw invalid('parameter_invalid_integer', 'amount')
    const intent = newIntent('pi', {
      ...{ customer, payment_method: method, metadata: metadataIn(form) },
      ...{ amount, currency: form.get('currency') ?? '', status: 'requires_payment_method' },
    })
    if (behaviour === 'works') take(intent)
    else if (behaviour === 'takes time') intent.status = 'processing'
    else {
      intent.last_payment_error = { code: behaviour }
      throw new Refusal(402, { type: 'card_error', code: behaviour, message: 'Your card …' })
    }
    return intent
  }

  const listIntents = (query: URLSearchParams) => {
    const since = Number(query.get('created[gte]') ?? 0)
    const all = [...intents.values()].toReversed().filter(({ object }) => object === 'payment_intent')
    const data = all.filter(({ customer, created }) => customer === query.get('customer') && created >= since)
    return { object: 'list', url: '/v1/payment_intents', has_more: false, data: structuredClone(data) }
  }

  const createSetup = (form: URLSearchParams): FakeSession => {
    if (form.get('customer_creation') !== 'always') throw invalid('parameter_missing', 'customer')
    if (form.get('allowed_payment_method_types[0]') !== 'card') throw invalid('parameter_missing', 'currency')
    if (form.has('line_items[0][quantity]')) throw invalid('parameter_unknown', 'line_items')
    return addSession(form, { mode: 'setup', payment_status: 'no_payment_required' })
  }

  const createSession = (form: URLSearchParams): FakeSession => {
    if (form.get('mode') === 'setup') return createSetup(form)
    const amount = Number(form.get('line_items[0][price_data][unit_amount]'))
    const currency = form.get('line_items[0][price_data][currency]') ?? ''
    if (!/^\d+$/.test(form.get('line_items[0][price_data][unit_amount]') ?? '')) {
      throw invalid('parameter_invalid_integer', 'line_items[0][price_data][unit_amount]')
    }
    if (['bhd', 'jod', 'kwd', 'omr', 'tnd'].includes(currency) && amount % 10 !== 0) {
      throw invalid('invalid_charge_amount', 'line_items[0][price_data][unit_amount]')
    }
    if (['isk', 'ugx'].includes(currency) && amount % 100 !== 0) {
      throw invalid('invalid_charge_amount_no_decimal_compatible', 'line_items[0][price_data][unit_amount]')
    }
    if (currency === 'xxx') throw invalid('parameter_invalid', 'line_items[0][price_data][currency]')
    lines.set('next', form.get('line_items[0][price_data][product_data][name]') ?? '')
    return addSession(form, { mode: 'payment', amount_total: amount, currency })
  }

  const addSession = (form: URLSearchParams, parts: Partial<FakeSession>): FakeSession => {
    const expiresAt = Number(form.get('expires_at'))
    const email = form.get('customer_email')
    if (email?.endsWith('@refused.example')) throw invalid('email_invalid', 'customer_email')
    if (expiresAt < now() + 1_800 || expiresAt > now() + 86_400)
      throw invalid('parameter_invalid', 'expires_at')
    const id = next('cs')
    const session: FakeSession = {
      id,
      object: 'checkout.session',
      created: now(),
      expires_at: expiresAt,
      status: 'open',
      mode: 'payment',
      payment_status: 'unpaid',
      ...{ payment_intent: null, setup_intent: null, customer: null },
      customer_creation: form.get('customer_creation') === 'always' ? 'always' : null,
      setup_future_usage: form.get('payment_intent_data[setup_future_usage]'),
      metadata: metadataIn(form),
      client_reference_id: form.get('client_reference_id') ?? '',
      customer_email: email,
      customer_details: null,
      ...{ amount_total: null, currency: null },
      url: `https://checkout.stripe.example/c/pay/${id}`,
      success_url: form.get('success_url') ?? '',
      ...parts,
    }
    sessions.set(id, session)
    lines.set(id, lines.get('next') ?? '')
    lines.delete('next')
    return session
  }

  const list = (query: URLSearchParams) => {
    const all = [...sessions.values()].map(current).toReversed()
    const after = query.get('starting_after')
    const matching = all
      .slice(after === null ? 0 : all.findIndex(({ id }) => id === after) + 1)
      .filter(({ created }) => created >= Number(query.get('created[gte]') ?? 0))
      .filter(({ created }) => created <= Number(query.get('created[lte]') ?? Infinity))
    const limit = Number(query.get('limit') ?? 10)
    return {
      object: 'list',
      url: '/v1/checkout/sessions',
      data: matching.slice(0, limit),
      has_more: matching.length > limit,
    }
  }

  const createRefund = (form: URLSearchParams): FakeRefund => {
    const intent = form.get('payment_intent') ?? ''
    const paid = intents.get(intent)
    if (!paid) throw invalid('resource_missing', 'payment_intent', 404)
    const given = refunds.filter((refund) => refund.payment_intent === intent && refund.status !== 'failed')
    const left = paid.amount_received - given.reduce((sum, { amount }) => sum + amount, 0)
    if (left === 0) throw invalid('charge_already_refunded')
    const amount = Number(form.get('amount') ?? left)
    if (!Number.isInteger(amount) || amount < 1) throw invalid('parameter_invalid_integer', 'amount')
    if (amount > left) throw invalid('amount_too_large', 'amount')
    const refund: FakeRefund = {
      id: next('re'),
      object: 'refund',
      payment_intent: intent,
      status: fake.refundStatus,
      metadata: metadataIn(form),
      amount,
    }
    refunds.push(refund)
    if (refund.status === 'succeeded')
      fake.ledger.push({
        ...{
          paymentId: paid.metadata['holdfast_payment_id'] ?? '',
          amount: -amount,
          currency: paid.currency,
        },
      })
    return refund
  }

  const answer = async (request: IncomingMessage, text: string): Promise<object> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe')
    const key = request.headers.authorization?.replace('Bearer ', '') ?? ''
    fake.keys.push(key)
    if (![secretKey, ownKey].includes(key)) {
      throw new Refusal(401, {
        type: 'invalid_request_error',
        message: 'Invalid API Key provided: sk_test_***',
      })
    }
    const form = new URLSearchParams(text)
    const [, id = '', what] = /^\/v1\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(pathname) ?? []
    if (request.method === 'GET') {
      if (pathname === '/v1/checkout/sessions') return list(searchParams)
      if (pathname === '/v1/refunds') {
        const intent = searchParams.get('payment_intent')
        const data = structuredClone(refunds.filter(({ payment_intent }) => payment_intent === intent))
        await fake.onRefundsListed?.()
        return { object: 'list', url: pathname, has_more: false, data }
      }
      if (pathname === '/v1/payment_intents') return listIntents(searchParams)
      const intent = /^\/v1\/(?:setup|payment)_intents\/(\w+)$/.exec(pathname)?.[1]
      if (intent !== undefined) {
        const found = intents.get(intent)
        if (!found) throw invalid('resource_missing', 'intent', 404)
        return found
      }
      const method = /^\/v1\/payment_methods\/(\w+)$/.exec(pathname)?.[1]
      if (method !== undefined) return methodOf(method)
      if (id !== '') return sessionOf(id)
    }
    const detached = /^\/v1\/payment_methods\/(\w+)\/detach$/.exec(pathname)?.[1]
    if (request.method === 'POST' && detached !== undefined) {
      const method = methodOf(detached)
      if (method.customer === null) throw invalid('payment_method_not_attached')
      return Object.assign(method, { customer: null })
    }
    if (request.method === 'POST' && what !== undefined) {
      const session = sessionOf(id)
      if (session.status !== 'open') throw invalid('checkout_session_not_open')
      return Object.assign(session, { status: 'expired', url: null })
    }
    if (request.method === 'POST' && pathname === '/v1/payment_intents') {
      const intent = createIntent(form)
      await fake.onCharged?.()
      return intent
    }
    if (request.method === 'POST' && pathname === '/v1/refunds') return createRefund(form)
    if (request.method === 'POST' && pathname === '/v1/checkout/sessions') {
      const session = createSession(form)
      const asCreated = structuredClone(session)
      await fake.onCreated?.(session)
      return asCreated
    }
    throw invalid('url_invalid', undefined, 404)
  }

  /**
   * Returns the first answer for a repeated key. Other parameters, or the first request still running, cause an error.
   */
  const once = async (request: IncomingMessage, text: string): Promise<object> => {
    const key = request.headers['idempotency-key']
    if (request.method === 'POST' && request.url === '/v1/refunds') fake.refundKeys.push(String(key))
    if (typeof key !== 'string') return answer(request, text)
    const asked = `${request.method ?? ''} ${request.url ?? ''}\n${text}`
    const first = kept.get(key)
    const declined = refusals.get(key)
    if (declined) throw declined
    if (first && first.request !== asked)
      throw new Refusal(400, { type: 'idempotency_error', message: 'Keys …' })
    if (first && !first.answer) {
      throw new Refusal(409, { type: 'invalid_request_error', code: 'idempotency_key_in_use' })
    }
    if (first?.answer) return first.answer
    kept.set(key, { request: asked, answer: undefined })
    try {
      const given = structuredClone(await answer(request, text))
      kept.set(key, { request: asked, answer: given })
      return given
    } catch (error) {
      // a refused request has not begun, but an answer of a bank is repeated
      if (error instanceof Refusal && error.status === 402) refusals.set(key, error)
      kept.delete(key)
      throw error
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
    const name = `${request.method ?? ''} ${request.url ?? ''}`
    fake.requests.push(name)
    const failing = fake.failure?.on.test(name) ? fake.failure.how : undefined
    if (failing === 'away') return void request.socket.destroy()
    if (failing === 'hangs') return
    const key = request.headers['idempotency-key']
    if (failing === 'error' && typeof key === 'string') broken.add(key)
    if (failing === 'error' || (typeof key === 'string' && broken.has(key))) {
      return send(response, 500, { error: { type: 'api_error', message: 'Oops' } })
    }
    try {
      const given = await once(request, text)
      if (failing === 'answer lost') return void request.socket.destroy()
      send(response, 200, given)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      fake.refused.push(error.code)
      send(response, error.status, { error: error.part })
    }
  }

  const server: Server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      send(response, 500, { error: { type: 'api_error', message: String(error) } })
    })
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))

  const fake: FakeStripe = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    sessions,
    refunds,
    intents,
    card: 'works',
    ...{ cards, methods },
    ledger: [],
    lines,
    requests: [],
    keys: [],
    refundKeys: [],
    refused: [],
    failure: undefined,
    refundStatus: 'succeeded',
    onCreated: undefined,
    onCharged: undefined,
    onRefundsListed: undefined,
    pay: (id, how = 'at once') => {
      const session = sessionOf(id)
      if (session.status !== 'open') return false
      const saves = session.mode === 'setup' || session.setup_future_usage === 'off_session'
      const card = saves ? saveCard() : { customer: null, payment_method: null }
      const { amount_total: total, currency: money, metadata } = session
      const isPaid = how === 'at once'
      const intent = newIntent(session.mode === 'setup' ? 'seti' : 'pi', {
        ...{ ...card, metadata, amount: total ?? 0, currency: money ?? '' },
        ...(!isPaid && { status: 'processing' }),
      })
      if (session.mode === 'payment' && isPaid) take(intent)
      Object.assign(session, {
        status: 'complete',
        ...(session.mode === 'setup'
          ? { setup_intent: intent.id }
          : { payment_status: isPaid ? 'paid' : 'unpaid', payment_intent: intent.id }),
        customer: card.customer,
        url: null,
        customer_details: { email: session.customer_email ?? '', name: 'Name on the card' },
      })
      return true
    },
    clear: (id, succeeds) => {
      if (!succeeds) return
      const session = sessionOf(id)
      session.payment_status = 'paid'
      const intent = intents.get(session.payment_intent ?? '')
      if (intent) take(intent)
    },
    bankDecides: (intentId, accepts) => {
      const intent = intents.get(intentId)
      if (intent?.status !== 'processing') throw new Error('the charge is not with a bank')
      if (accepts) take(intent)
      else
        Object.assign(intent, {
          ...{ status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } },
        })
    },
    refundByHand: (sessionId, amount) => {
      const { payment_intent } = sessionOf(sessionId)
      if (payment_intent === null) throw new Error('the session is not paid')
      const id = next('re')
      refunds.push({ id, object: 'refund', payment_intent, status: 'succeeded', metadata: {}, amount })
      const paid = intents.get(payment_intent)
      const paymentId = paid?.metadata['holdfast_payment_id'] ?? ''
      fake.ledger.push({ paymentId, amount: -amount, currency: paid?.currency ?? '' })
    },
    event: (type, object) => {
      const id = next('evt')
      const event = { id, object: 'event', api_version: '2026-10-28.endive', created: now(), type }
      return { id, body: JSON.stringify({ ...event, data: { object: structuredClone(object) } }) }
    },
    sign: (body, secondsAgo = 0, secret = webhookSecret) =>
      stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: now() - secondsAgo }),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return fake
}

function invalid(code: string, param?: string, status = 400): Refusal {
  const type = 'invalid_request_error'
  return new Refusal(status, {
    type,
    code,
    message: `${code}: ada@example.com`,
    ...(param !== undefined && { param }),
  })
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' })
  response.end(JSON.stringify(body))
}
