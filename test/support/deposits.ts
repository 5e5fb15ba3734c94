import { Stripe } from 'stripe'
import type { Money } from '../../src/catalogue/catalogue-types.ts'
import type { Engine } from '../../src/database/database.ts'
import { clientOf, sessionClient, type Client } from './client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from './offers.ts'
import { secretKey, startFakeStripe, webhookSecret, type FakeStripe } from './stripe-server.ts'
import { startOfTime, startTestService, type Reply, type TestService } from './test-service.ts'

// Stripe's client pauses half a second before its second attempt. No test of this process is about that real time.
Object.assign(Stripe.prototype, { getInitialNetworkRetryDelay: () => 0.01 })

/** Returns the variables that make a service take deposits through the fake Stripe. */
export function stripeVariables(url: string): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: url,
    PUBLIC_URL: 'https://book.example',
  }
}

export const deposit: Money = { amount: 2500, currency: 'EUR' }
export const startsAt = '2026-12-01T10:00:00+01:00'

/** A booking that waits for its deposit. */
export interface Due {
  id: string
  offer: Offer
  reply: Reply
  /** ID of the checkout at Stripe. */
  sessionId: string
}

/** A service with a business that requires deposits, and the fake Stripe. */
export interface DepositWorld {
  service: TestService
  stripe: FakeStripe
  business: OwnBusiness
  key: Client
  session: Client
  /** Replaces the session, because the clock may have moved past its hour. */
  newSession(): Promise<void>
  /** Holds a slot of a separate service and books it. */
  due(parts?: {
    offer?: Offer
    money?: Money
    client?: Client
    startsAt?: string
    /** The sentence about fees to which the client agrees. */
    consent?: string
  }): Promise<Due>
  /** Sends an event as Stripe does. */
  send(event: { body: string }, signature?: string): Promise<Reply>
  /** Sends the event about a checkout in its present state. */
  tell(type: string, sessionId: string): Promise<Reply>
  /** Lets a client pay, and sends Stripe's event. */
  paid(sessionId: string): Promise<Reply>
  /** Returns the booking as a key sees it. */
  shown(id: string): Promise<Reply['body']>
  eventsOf(id: string): Promise<string[]>
  /** Checks that another client can hold the slot: holds it and releases it. */
  isFree(offer: Offer, at?: string): Promise<boolean>
  /** Finishes all due work with the processor. */
  settled(): Promise<void>
  stop(): Promise<void>
}

export async function depositWorld(
  engine: Engine,
  variables: Record<string, string> = {},
): Promise<DepositWorld> {
  let nowMs = () => startOfTime
  const stripe = await startFakeStripe(() => nowMs())
  const service = await startTestService(engine, { ...stripeVariables(stripe.url), ...variables })
  nowMs = () => service.clock.nowMs()
  const business = await makeBusiness(service)
  const key = clientOf(service, business.key)
  const send: DepositWorld['send'] = ({ body }, signature = stripe.sign(body)) =>
    service.call('POST', '//payments/stripe/webhook', {
      rawBody: body,
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
    })
  const tell: DepositWorld['tell'] = (type, sessionId) =>
    send(stripe.event(type, stripe.sessions.get(sessionId) ?? {}))
  const world: DepositWorld = {
    service,
    stripe,
    business,
    key,
    session: await sessionClient(service, business),
    newSession: async () => {
      world.session = await sessionClient(service, business)
    },
    send,
    tell,
    due: async (parts = {}) => {
      const offer =
        parts.offer ?? (await makeOffer(service, business.id, { deposit: parts.money ?? deposit }))
      const client = parts.client ?? world.session
      const held = await client.hold(offer, parts.startsAt ?? startsAt)
      const { consent } = parts
      const reply = await client.book(
        String(held.body.hold_id),
        consent === undefined ? {} : { fee_consent: consent },
      )
      if (reply.status !== 201) throw new Error(`no booking: ${JSON.stringify([held.body, reply.body])}`)
      return { id: String(reply.body.id), offer, reply, sessionId: sessionOf(stripe, reply) }
    },
    paid: (sessionId) => {
      if (!stripe.pay(sessionId)) throw new Error('the checkout is not open')
      return tell('checkout.session.completed', sessionId)
    },
    shown: async (id) => (await key.show(id)).body,
    eventsOf: async (id) =>
      (await service.events()).filter(({ booking_id }) => booking_id === id).map(({ type }) => type),
    isFree: async (offer, at = startsAt) => {
      const rival = await sessionClient(service, business)
      const held = await rival.hold(offer, at)
      if (held.status === 201) await rival.release(String(held.body.hold_id))
      return held.status === 201
    },
    settled: () => service.app.payments.settled(),
    stop: async () => {
      await service.stop()
      await stripe.stop()
    },
  }
  return world
}

/** Returns the checkout to which an answer sends the client. */
export function sessionOf(stripe: FakeStripe, reply: Reply): string {
  const url = String(reply.body.redirect_url)
  const session = [...stripe.sessions.values()].find((one) => one.url === url)
  return session?.id ?? ''
}
