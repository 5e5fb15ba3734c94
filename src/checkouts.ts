import type { Transaction } from './database/database.ts'
import type { PaymentsTable } from './database/payment-tables.ts'
import type { Instant } from './instants.ts'

/*
 * What stands between bookings and payments: bookings know this interface and reach it through the context, payments
 * implement it.
 */

/** A deposit that is to be paid before a hold becomes a confirmed booking. */
export interface Deposit {
  businessId: string
  /** The booking will have the same id. */
  holdId: string
  /** In minor units of the currency (ISO 4217). */
  amount: number
  currency: string
  serviceName: string
  email: string
}

/** A checkout at which a client can pay. */
export interface OpenCheckout {
  paymentId: string
  /** By which the processor knows it; null when the payment has arrived before the processor's answer. */
  reference: string | null
  /** Where the client pays. */
  url: string
}

/** What a booking tells of its payment. */
export type PaymentPart = Pick<
  PaymentsTable,
  'status' | 'amount' | 'currency' | 'provider' | 'paid_at' | 'refunded_at'
>

/** How bookings have deposits paid. Whatever takes a transaction calls nobody outside the database. */
export interface Checkouts {
  /** Undefined where deposits cannot be taken. */
  readonly provider: CheckoutProvider | undefined
  /**
   * Opens a checkout, outside of any transaction. The same deposit of the same hold again has the same checkout.
   * Throws unavailable when the processor does not answer or does not take the deposit.
   */
  open(deposit: Deposit): Promise<OpenCheckout>
  /**
   * Makes the checkout that of a booking which the transaction has written. The payment is due, or it has arrived
   * already.
   */
  attach(tx: Transaction, checkout: OpenCheckout): Promise<PaymentPart>
  /** The hold was not converted after all: nobody has the address of the checkout, and it is closed. */
  abandon(checkout: OpenCheckout): Promise<void>
  /**
   * What becomes of the payment when its booking is confirmed or cancelled by other means: what is still due need not
   * be paid any more. With `refund`, what was paid goes back; validation_failed when nothing was.
   */
  settle(
    tx: Transaction,
    change: { paymentId: string | null; booking: 'confirmed' | 'cancelled' | undefined; refund: boolean },
  ): Promise<PaymentPart | undefined>
  /** Has what is to be done with the processor done soon, by this process. */
  wake(): void
  /** From now on `hear` is called when something is to be done, until undefined takes its place. */
  listen(hear: (() => void) | undefined): void
}

/** How a checkout stands at the processor. */
export type CheckoutState =
  | { status: 'open'; url: string }
  /** The client has paid in a way that takes days; it may still fail. */
  | { status: 'processing' }
  | { status: 'paid'; paymentReference: string }
  | { status: 'expired' }
  /** The processor has never had it. */
  | { status: 'unknown' }

/** By what a checkout can be found at the processor, and what was ordered there. */
export type CheckoutKey = Pick<
  PaymentsTable,
  'id' | 'checkout_reference' | 'created_at' | 'expires_at' | 'amount' | 'currency'
>

/** What a payment processor is asked for. */
export interface CheckoutOrder extends Deposit {
  paymentId: string
  expiresAt: Instant
  /** Where the client comes back to, having paid or not. */
  returnUrl: string
}

/** A payment processor with a hosted page. Each call throws ProcessorUnavailable or ProcessorRefusal. */
export interface CheckoutProvider {
  readonly name: PaymentsTable['provider']
  /** Loads what it needs, so that no request has to wait for that. */
  load(): Promise<void>
  /** Opens a checkout. The same order again gives the same checkout. */
  open(order: CheckoutOrder): Promise<{ reference: string; url: string }>
  /** How a checkout stands. A ProcessorRefusal when something else was paid there than was ordered. */
  look(checkout: CheckoutKey): Promise<CheckoutState>
  /** Closes a checkout in which nobody can pay any more from then on, unless it was paid. How it stands then, as `look`. */
  expire(checkout: CheckoutKey): Promise<CheckoutState>
  /** Gives back all that was paid, once, however often it is asked for. `pending`: ask again later. */
  refund(payment: { id: string; payment_reference: string }): Promise<'refunded' | 'pending'>
}

/** The processor did not answer in time, or says that it cannot now. Nothing is known of what it did. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable'
  /** Whether it gives this very answer again as long as it is asked for the same. */
  readonly isKept: boolean

  constructor(message: string, { isKept = false } = {}) {
    super(message)
    this.isKept = isKept
  }
}

/** The processor does not do what it was asked for, and will not next time. Its message holds no data of a client. */
export class ProcessorRefusal extends Error {
  override readonly name = 'ProcessorRefusal'
}
