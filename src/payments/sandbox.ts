import { Problem } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import type {
  ChargeOrder,
  ChargeState,
  CheckoutProvider,
  CheckoutState,
  ProcessorRefund,
} from '../bookings/checkouts.ts'
import type { SandboxCard } from '../database/tables.ts'
import type { Context } from '../bookings/context.ts'
import { settleOne } from './reconcile.ts'
import {
  closeSandboxCheckout,
  findSandboxCheckout,
  findSandboxCheckoutOf,
  forgetSandboxCard,
  insertSandboxCharge,
  insertSandboxCheckout,
  refundSandboxCheckout,
  type SandboxCheckout,
} from './sandbox-queries.ts'
import { inTime, timeOf } from '../access/test-clock.ts'

const secretLength = 32

/** Cards for trials, by what later charges to them do. */
export const sandboxCards = [
  'works',
  'needs_authentication',
  'declined',
  'fails_later',
] as const satisfies readonly SandboxCard[]

/** A payment processor for trials, without money. Holdfast serves its page. */
export function sandboxProvider({
  db,
  ids,
  config,
}: Pick<Context, 'db' | 'ids' | 'config'>): CheckoutProvider {
  const stateOf = (checkout: SandboxCheckout | undefined): CheckoutState => {
    if (!checkout) return { status: 'unknown' }
    if (checkout.status === 'paid')
      return { status: 'paid', paymentReference: `sandbox:${checkout.payment_id}` }
    if (checkout.status === 'expired') return { status: 'expired' }
    return { status: 'open', url: sandboxAddress(config, checkout.reference) }
  }
  return {
    name: 'sandbox',
    load: () => Promise.resolve(),
    open: async ({ paymentId, serviceName }) => {
      const reference = await db.transaction((tx) =>
        insertSandboxCheckout(tx.db, {
          reference: ids.secret(secretLength),
          payment_id: paymentId,
          service_name: serviceName,
          status: 'open',
          refunded_at: null,
          created_at: tx.now,
          card: null,
        }),
      )
      return { reference, url: sandboxAddress(config, reference) }
    },
    retrieve: async ({ id }) => stateOf(await findSandboxCheckoutOf(db.reads, id)),
    expire: ({ id }) =>
      db.transaction(async (tx) => {
        await closeSandboxCheckout(tx.db, id, { status: 'expired' })
        return stateOf(await findSandboxCheckoutOf(tx.db, id))
      }),
    refund: async ({ id }, wanted) => {
      const made = await db.transaction((tx) => refundSandboxCheckout(tx.db, { id, wanted, now: tx.now }))
      const refunds = made.map(({ number, amount }): ProcessorRefund => {
        return { reference: `sandbox:${id}/${number}`, number, amount, status: 'refunded' }
      })
      return { refunds, refused: [] }
    },
    charge: (order) =>
      db.transaction(async (tx) => {
        const card = (await findSandboxCheckoutOf(tx.db, order.card.id))?.card ?? 'works'
        const state = chargeTo(card, { order, now: tx.now })
        if (state.status === 'paid')
          await insertSandboxCharge(tx.db, {
            ...{ reference: ids.secret(secretLength), payment_id: order.id, service_name: order.serviceName },
            ...{ status: 'paid', refunded_at: null, created_at: tx.now, card: null },
          })
        return state
      }),
    findCharge: (order) =>
      db.transaction(async (tx) => {
        const made = stateOf(await findSandboxCheckoutOf(tx.db, order.id))
        if (made.status === 'paid') return made
        const card = (await findSandboxCheckoutOf(tx.db, order.card.id))?.card ?? 'works'
        const state = chargeTo(card, { order, now: tx.now })
        return state.status === 'processing' ? state : { status: 'none' }
      }),
    readCard: async ({ id }) => {
      const card = (await findSandboxCheckoutOf(db.reads, id))?.card
      return card ? { brand: 'Visa', lastFour: lastFour[card] } : undefined
    },
    removeCard: ({ id }) => db.transaction((tx) => forgetSandboxCard(tx.db, id)),
  }
}

/** As on Stripe's cards for tests (https://docs.stripe.com/testing). */
const lastFour: Record<SandboxCard, string> = {
  ...{ works: '4242', needs_authentication: '3184', declined: '9995', fails_later: '0341' },
}

/** The time after which a bank declines a card that fails later. */
const bankSeconds = 3

/** Returns what becomes of a charge to a card, in Stripe's words. */
function chargeTo(card: SandboxCard, { order, now }: { order: ChargeOrder; now: Instant }): ChargeState {
  switch (card) {
    case 'works':
      return { status: 'paid', paymentReference: `sandbox:${order.id}` }
    case 'needs_authentication':
      return { status: 'failed', failure: 'authentication_required' }
    case 'declined':
      return { status: 'failed', failure: 'insufficient_funds' }
    case 'fails_later': {
      const decidedAt = plusSeconds(order.begunAt, bankSeconds)
      return now < decidedAt
        ? { status: 'processing', decidedAt }
        : { status: 'failed', failure: 'card_declined' }
    }
  }
}

function sandboxAddress(config: Context['config'], reference: string): string {
  return `${publicUrl(config)}/sandbox/${reference}`
}

/** Finds a checkout by its secret reference. Throws not_found, also if the sandbox is not in use. */
export async function findCheckout(context: Context, reference: string): Promise<SandboxCheckout> {
  const isReference = /^[0-9A-Za-z]{32}$/.test(reference)
  const checkout = isReference ? await findSandboxCheckout(context.db.reads, reference) : undefined
  const isServed = context.checkouts.provider?.name === 'sandbox' || checkout?.is_test === 1
  if (!checkout || !isServed) throw new Problem('not_found', 'There is no such checkout.')
  return checkout
}

/**
 * Pays or cancels a checkout: first at the processor, then at the booking, as with a real processor. The payment worker
 * recovers work lost in between. Throws not_found.
 */
export async function closeCheckout(
  context: Context,
  reference: string,
  { status, card = 'works' }: { status: 'paid' | 'expired'; card?: SandboxCard | undefined },
): Promise<SandboxCheckout> {
  const checkout = await findCheckout(context, reference)
  const time = timeOf({ id: checkout.business_id, test_now: checkout.test_now })
  await inTime(context, time, () => close(context, checkout, { status, card }))
  return checkout
}

async function close(
  context: Context,
  checkout: SandboxCheckout,
  { status, card }: { status: 'paid' | 'expired'; card: SandboxCard },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const isOver = checkout.expires_at <= tx.now
    await closeSandboxCheckout(
      tx.db,
      checkout.payment_id,
      isOver || status === 'expired'
        ? { status: 'expired' }
        : { status, ...(checkout.saves_card === 1 && { card }) },
    )
  })
  await settleOne(context, checkout.payment_id)
}
