import type { Instant } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import type { DueSignal } from '../database/lease-loop.ts'
import type { PaymentsTable } from '../database/tables.ts'

/* Bookings reach payments through these interfaces in the context; payments implements them. */

/** The URL of the page from which a deposit is paid. The random id makes it unguessable. */
export function checkoutAddress(config: Parameters<typeof publicUrl>[0], paymentId: string): string {
  return `${publicUrl(config)}/checkout/${paymentId}`
}

/** A deposit due before a hold becomes a confirmed booking. */
export interface Deposit {
  businessId: string
  /** Also the id of the booking. */
  holdId: string
  /** In minor units of the currency (ISO 4217). */
  amount: number
  currency: string
  serviceName: string
  email: string
  /** The booking stands without it: the client can also pay later. */
  isOptional: boolean
}

export interface OpenCheckout {
  paymentId: string
  /** The processor's id; null when the payment arrived before the processor's response. */
  reference: string | null
  /** Where the client pays. */
  url: string
}

export type PaymentPart = Pick<
  PaymentsTable,
  'status' | 'amount' | 'currency' | 'provider' | 'paid_at' | 'refunded_at'
>

/** Takes deposits. Methods with a transaction call nothing outside the database. */
export interface Checkouts {
  /** Undefined when no processor is configured. */
  readonly provider: CheckoutProvider | undefined
  /**
   * Opens a checkout, outside of any transaction; the same one for the same deposit of a hold.
   * Throws unavailable when the processor does not respond or refuses the deposit. An optional deposit fails nothing: its
   * checkout is opened when the client asks for it, and is undefined without a processor.
   */
  open(deposit: Deposit): Promise<OpenCheckout | undefined>
  /** Attaches a checkout to the booking that the transaction wrote. The payment is due or already paid. */
  attach(tx: Transaction, checkout: OpenCheckout): Promise<PaymentPart>
  /**
   * Locks the payment of a booking that the transaction has locked, and reads it as it is now: decide by nothing older.
   * Undefined without a payment.
   */
  lock(tx: Transaction, paymentId: string | null): Promise<PaymentPart | undefined>
  /**
   * Replaces the payment of a booking by another that is due. The checkout of the old one is closed, and whatever is still
   * paid there is refunded; that of the new one is opened when the client asks for it. With `lapses` the booking is
   * cancelled unless it is paid within the life of a checkout. Lock the old payment first.
   */
  renew(
    tx: Transaction,
    change: { paymentId: string; amount: number; lapses: boolean },
  ): Promise<PaymentPart & { id: string }>
  /** Closes the checkout of a hold that was not converted; nobody has its URL. */
  abandon(checkout: OpenCheckout): Promise<void>
  /**
   * Settles the payment of a booking confirmed or cancelled by other means: a due payment is no longer due. With
   * `refund`, a paid one goes back; validation_failed when nothing was paid.
   */
  settle(
    tx: Transaction,
    change: { paymentId: string | null; booking: 'confirmed' | 'cancelled' | undefined; refund: boolean },
  ): Promise<(PaymentPart & { refundBegins?: boolean }) | undefined>
  /** Has this process do its work with the processor soon. */
  readonly due: DueSignal
}

/** A checkout's state at the processor. */
export type CheckoutState =
  | { status: 'open'; url: string }
  /** Paid by a method that takes days; it may still fail. */
  | { status: 'processing' }
  | { status: 'paid'; paymentReference: string }
  | { status: 'expired' }
  /** The processor does not know it. */
  | { status: 'unknown' }

/** Finds a checkout at the processor, and what it was opened for. */
export type CheckoutKey = Pick<
  PaymentsTable,
  'id' | 'checkout_reference' | 'created_at' | 'expires_at' | 'amount' | 'currency'
>

export interface CheckoutOrder extends Deposit {
  paymentId: string
  expiresAt: Instant
  /** Where the client returns, paid or not. */
  returnUrl: string
}

/** A payment processor with a hosted page. Each call throws ProcessorUnavailable or ProcessorRefusal. */
export interface CheckoutProvider {
  readonly name: PaymentsTable['provider']
  /** Loads its client library ahead, so that no request waits for it. */
  load(): Promise<void>
  /** Opens a checkout; the same one for the same order. */
  open(order: CheckoutOrder): Promise<{ reference: string; url: string }>
  /** Reads a checkout's state. Throws ProcessorRefusal when something else was paid than was ordered. */
  retrieve(checkout: CheckoutKey): Promise<CheckoutState>
  /** Closes a checkout unless it was paid; returns its state as `retrieve` does. */
  expire(checkout: CheckoutKey): Promise<CheckoutState>
  /** Refunds the whole payment, once, however often it is called. `pending`: call again later. */
  refund(payment: { id: string; payment_reference: string }): Promise<'refunded' | 'pending'>
}

/** The processor did not respond in time or is unavailable. It may or may not have acted. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable'
  /** The processor repeats this response to the same request. */
  readonly isKept: boolean

  constructor(message: string, { isKept = false } = {}) {
    super(message)
    this.isKept = isKept
  }
}

/** The processor refused for good. The message holds no client data. */
export class ProcessorRefusal extends Error {
  override readonly name = 'ProcessorRefusal'
}
