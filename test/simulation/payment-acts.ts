import { expect } from 'vitest'
import { PaymentWorker } from '../../src/payments/payment-worker.ts'
import { bookingOf, type ModelBooking, type ModelPayment } from './model.ts'
import * as payments from './payment-model.ts'
import { perform } from './perform.ts'
import { claimsOf, seatedAs, type Message, type World } from './world.ts'

type Deposit = ModelBooking & { payment: ModelPayment }

function deposits({ model }: World): Deposit[] {
  return model.bookings.filter((booking): booking is Deposit => booking.payment !== undefined)
}

/** Returns a recent deposit, mostly one with possible events, sometimes none. */
function someDeposit(world: World): Deposit | undefined {
  const all = deposits(world)
  const open = all.filter(({ payment }) => payment.checkout === 'open')
  const among = open.length > 0 && world.random.chance(0.6) ? open : all.slice(-4)
  return among.length > 0 ? world.random.of(among) : undefined
}

/** Reads the seats of a late payment, which only the table contains, before the model follows. */
async function seatOf(world: World, { id }: ModelBooking): Promise<payments.Late> {
  const claims = await claimsOf(world, id)
  return {
    seatTaken: () => {
      const [claim] = claims
      if (!claim) throw new Error('the slot of a late payment is free and was not taken')
      return claim.seat
    },
    claimsTaken: (plan) => seatedAs(claims, plan),
  }
}

/** Pays at the processor. The service receives the event later, or finds out sooner by a check. */
export function payDeposit(world: World): void {
  const booking = someDeposit(world)
  if (booking) pay(world, booking)
}

function pay(world: World, booking: Deposit): void {
  const { model, stripe, log } = world
  const { payment } = booking
  if (payment.checkout === 'none') return
  const isOpen = payments.checkoutOf(model, payment) === 'open'
  log.push(`the client pays for ${booking.id}${isOpen ? '' : ', too late'}`)
  expect(stripe.pay(payment.reference)).toBe(isOpen)
  if (!isOpen) return
  payment.checkout = 'paid'
  announce(world, payment, true)
}

/** Pays a checkout that the service considers expired. The slot is taken again, or the money is refunded. */
export async function payLate(world: World): Promise<void> {
  const { model, random } = world
  const due = deposits(world).filter(({ payment }) => payment.status === 'due')
  if (due.length === 0) return
  const booking = random.of(due)
  if (payments.checkoutOf(model, booking.payment) !== 'open') return
  await deliver(world, announce(world, booking.payment, false))
  pay(world, booking)
}

function announce({ stripe, messages }: World, payment: ModelPayment, paid: boolean): Message {
  const type = paid ? 'checkout.session.completed' : 'checkout.session.expired'
  const { reference } = payment
  const message = { ...stripe.event(type, stripe.sessions.get(reference) ?? {}), payment, reference, paid }
  messages.push(message)
  return message
}

/** Ends a checkout at the processor, rarely while a client is about to pay. */
export function endCheckout(world: World): void {
  const { model, random } = world
  const booking = someDeposit(world)
  if (!booking) return
  const state = payments.checkoutOf(model, booking.payment)
  if (state === 'expired' || (state === 'open' && random.chance(0.5))) announce(world, booking.payment, false)
}

/** Delivers events late, twice, and in any order. */
export async function deliverMessage(world: World): Promise<void> {
  const { model, random, messages } = world
  if (messages.length === 0) return
  const news = messages.filter(({ id }) => !model.appliedEvents.has(id))
  await deliver(world, random.of(news.length > 0 && random.chance(0.75) ? news : messages))
}

/** Repeats a delivery whose answer was no success. */
async function deliver(world: World, message: Message): Promise<void> {
  const { model, service, stripe } = world
  const booking = bookingOf(model, message.payment)
  await perform(world, {
    says: `the processor tells that ${booking.id} is ${message.paid ? 'paid' : 'over'} (${message.id})`,
    send: () =>
      service.call('POST', '//payments/stripe/webhook', {
        rawBody: message.body,
        headers: { 'content-type': 'application/json', 'stripe-signature': stripe.sign(message.body) },
      }),
    expected: { status: 200 },
    isRepeated: true,
    done: async () => {
      payments.applyEvent(model, message.payment, { ...message, ...(await seatOf(world, booking)) })
    },
  })
}

export async function visitCheckout(world: World): Promise<void> {
  const { model, random, service, log } = world
  const booking = someDeposit(world)
  if (!booking) return
  const { payment } = booking
  if (random.chance(0.4)) return giveUp(world, booking)
  log.push(`the client looks at the page of ${booking.id}`)
  // a checkout that opens in the second of the one before is the same order
  service.clock.advance(1)
  model.now = service.clock.nowMs()
  expect((await service.call('GET', `//checkout/${payment.id}`)).status).toBe(200)
  const isOpened = payments.look(model, payment, await seatOf(world, booking))
  if (!isOpened) return
  const { reads } = service.context.db
  const row = await reads.selectFrom('payments').selectAll().where('id', '=', payment.id).executeTakeFirst()
  expect(Date.parse(row?.expires_at ?? '')).toBe(payment.expires)
  payment.reference = row?.checkout_reference ?? ''
  expect(world.stripe.sessions.get(payment.reference)?.status).toBe('open')
}

async function giveUp(world: World, booking: Deposit): Promise<void> {
  await perform(world, {
    says: `the client gives ${booking.id} up`,
    send: () => world.service.call('POST', `//checkout/${booking.payment.id}/give-up`),
    expected: { status: 303 },
    isRepeated: true,
    done: async () => {
      const { payment } = booking
      if (payment.status === 'due') payments.close(world.model, payment, await seatOf(world, booking))
    },
  })
}

/** Does all due work with the processor, which a server does in the background. */
export async function workOff(world: World): Promise<void> {
  world.log.push('what is due with the processor is done')
  const worker = new PaymentWorker(world.service.context)
  await worker.settled()
  await worker.stop()
  const never = () => {
    throw new Error('only an event can come so late that the slot is taken again')
  }
  payments.work(world.model, { seatTaken: never, claimsTaken: never })
}
