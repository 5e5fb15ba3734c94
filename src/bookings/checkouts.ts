import type { Instant } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import type { DueSignal } from '../database/lease-loop.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { PaymentKind, PaymentsTable } from '../database/tables.ts'

/* Interfaces through which bookings use payments. The context contains their implementation. */

/** Returns the URL of the page for paying a deposit. The random ID makes it unguessable. */
export function checkoutAddress(config: Parameters<typeof publicUrl>[0], paymentId: string): string {
  return `${publicUrl(config)}/checkout/${paymentId}`
}

/** A deposit, or the whole price, due before a hold becomes a confirmed booking. */
export interface Deposit {
  businessId: string
  /** Also the ID of the booking. */
  holdId: string
  kind: PaymentKind
  /** In minor units of the currency (ISO 4217). */
  amount: number
  currency: string
  serviceName: string
  email: string
  /** True if the booking is valid without the deposit, so that the client can also pay later. */
  isOptional: boolean
  /** True if the checkout also saves the card for later charges. */
  savesCard: boolean
}

/** A charge to the card that the client of a booking saved. */
export interface Charge {
  booking: BookingRow
  /** In minor units of the currency (ISO 4217). */
  amount: number
  currency: string
  /** `late_cancel`, `no_show`, or other words for people. */
  reason: string
  /** Names the charge: a booking has one of each name. */
  occasion: string
  /** When to charge the card. The charge can be waived before. */
  at: Instant
}

export interface OpenCheckout {
  paymentId: string
  /** The processor's ID; null if the payment arrived before the processor's response. */
  reference: string | null
  /** URL of the checkout. */
  url: string
}

export type PaymentPart = Pick<
  PaymentsTable,
  | 'kind'
  | 'status'
  | 'amount'
  | 'currency'
  | 'provider'
  | 'paid_at'
  | 'refunded_at'
  | 'refund_total'
  | 'refunded_amount'
>

/** Takes deposits. Methods with a transaction call nothing outside the database. */
export interface Checkouts {
  /** The processor of this server. Undefined if none is configured. */
  readonly provider: CheckoutProvider | undefined
  /** Returns the processor that has a payment: that of its business's own account, or this server's. */
  providerOf(payment: PaymentHome): Promise<CheckoutProvider | undefined>
  /**
   * Opens a checkout outside any transaction, or returns the same one for the same deposit of a hold. Throws
   * unavailable if the processor does not respond or refuses the deposit. An optional deposit never fails:
   * its checkout opens when the client requests it. Undefined without a processor.
   */
  open(deposit: Deposit): Promise<OpenCheckout | undefined>
  /** Attaches a checkout to the booking that the transaction wrote. The payment is due or already paid. */
  attach(tx: Transaction, checkout: OpenCheckout): Promise<PaymentPart>
  /**
   * Records the deposit of a request in the transaction that writes its booking. It becomes due when `settle` reports
   * that the booking is confirmed. Undefined without a processor.
   */
  reserve(tx: Transaction, deposit: Deposit): Promise<(PaymentPart & { id: string }) | undefined>
  /**
   * Locks the payment of a booking that the transaction has locked, and reads its current state. Base
   * decisions on nothing older. Undefined without a payment.
   */
  lock(tx: Transaction, paymentId: string | null): Promise<PaymentPart | undefined>
  /**
   * Replaces the payment of a booking by another due one. Closes the old checkout and refunds later payments
   * there. The new one opens when the client requests it. With `lapses`, the booking is cancelled unless it
   * is paid within the lifetime of a checkout. The kind stays if absent. Lock the old payment first.
   */
  renew(
    tx: Transaction,
    change: { paymentId: string; amount: number; kind?: PaymentKind; lapses: boolean },
  ): Promise<PaymentPart & { id: string }>
  /** Closes the checkout of a hold that was not converted. Nobody has its URL. */
  abandon(checkout: OpenCheckout): Promise<void>
  /**
   * Settles the payment of a booking that was confirmed or cancelled by other means. A due payment is no
   * longer due. A reserved one becomes due with the confirmation. With `refund`, refunds a paid one, wholly or in
   * part. Throws validation_failed if nothing was paid.
   */
  settle(
    tx: Transaction,
    change: {
      paymentId: string | null
      booking: 'confirmed' | 'cancelled' | undefined
      refund: boolean
      /** In minor units. All that is left if absent. */
      refundAmount?: number
    },
  ): Promise<(PaymentPart & { refundBegins?: boolean }) | undefined>
  /**
   * Records a charge in the transaction of its reason. It is made soon after the commit. Without a saved card it is due,
   * and the client gets a link. Does nothing if there is one of its name. Undefined without a processor.
   */
  charge(tx: Transaction, charge: Charge): Promise<{ id: string } | undefined>
  /**
   * Waives the charges of a booking for a reason: gives back what was taken, and takes nothing more. Returns those of
   * which the client may know.
   */
  waive(tx: Transaction, charges: { booking: BookingRow; reason: string }): Promise<Waived[]>
  /** Wakes this process to do its work with the processor soon. */
  readonly due: DueSignal
}

/** A charge that was waived, and how much the client need not pay, in minor units. */
export interface Waived {
  paymentId: string
  waived: number
}

/** Names the account that has a payment. */
export type PaymentHome = Pick<PaymentsTable, 'provider' | 'business_id' | 'stripe_account_id'>

/** A checkout's state at the processor. */
export type CheckoutState =
  | { status: 'open'; url: string }
  /** Paid by a method that takes days and may still fail. */
  | { status: 'processing' }
  | { status: 'paid'; paymentReference: string }
  | { status: 'expired' }
  /** The processor does not know the checkout. */
  | { status: 'unknown' }

/** Identifies a checkout at the processor, with the order for which it was opened. */
export type CheckoutKey = Pick<
  PaymentsTable,
  'id' | 'kind' | 'checkout_reference' | 'created_at' | 'expires_at' | 'amount' | 'currency'
>

/** A paid payment, for its refunds. */
export type RefundedPayment = Pick<PaymentsTable, 'id' | 'currency'> & { payment_reference: string }

/** A refund as the processor knows it. */
export interface ProcessorRefund {
  reference: string
  /** Our number of it. Undefined if somebody made it at the processor. */
  number: number | undefined
  /** In minor units. */
  amount: number
  status: 'pending' | 'refunded' | 'failed'
}

/** An order to charge a saved card. */
export interface ChargeOrder extends Pick<PaymentsTable, 'id' | 'amount' | 'currency'> {
  serviceName: string
  /** When the processor was first asked. */
  begunAt: Instant
  /** The payment whose checkout saved the card. */
  card: SavedCard
}

/** The payment whose checkout saved a card. */
export type SavedCard = Pick<PaymentsTable, 'id' | 'kind'> & { payment_reference: string }

/** A charge to a saved card at the processor. */
export type ChargeState =
  | { status: 'paid'; paymentReference: string }
  /** The bank takes its time, and may still decline it. `decidedAt`: when it has decided, if known. */
  | { status: 'processing'; decidedAt?: Instant }
  /** Declined for good, in the processor's word: the client has to pay by a checkout. */
  | { status: 'failed'; failure: string }
  /** The processor knows no such charge. */
  | { status: 'none' }

export interface CheckoutOrder extends Deposit {
  paymentId: string
  expiresAt: Instant
  /** URL to which the client returns, paid or not. */
  returnUrl: string
}

/** A payment processor with a hosted page. Each call throws ProcessorUnavailable or ProcessorRefusal. */
export interface CheckoutProvider {
  readonly name: PaymentsTable['provider']
  /** Loads its client library in advance, so that no request waits for it. */
  load(): Promise<void>
  /** Opens a checkout, or returns the same one for the same order. */
  open(order: CheckoutOrder): Promise<{ reference: string; url: string }>
  /** Reads a checkout's state. Throws ProcessorRefusal if the payment differs from the order. */
  retrieve(checkout: CheckoutKey): Promise<CheckoutState>
  /** Closes a checkout unless it was paid. Returns its state like `retrieve`. */
  expire(checkout: CheckoutKey): Promise<CheckoutState>
  /**
   * Makes the wanted refunds of a payment, each once however often it is called. Returns all refunds that the
   * processor has. `refused` has the numbers of those for which too little is left.
   */
  refund(
    payment: RefundedPayment,
    wanted: readonly { number: number; amount: number }[],
  ): Promise<{ refunds: ProcessorRefund[]; refused: number[] }>
  /** Charges a saved card, once however often it is called. */
  charge(order: ChargeOrder): Promise<ChargeState>
  /** Reads a charge without making it. */
  findCharge(order: ChargeOrder): Promise<ChargeState>
  /** Reads the brand and the last four digits of a saved card. Undefined if it is gone. */
  readCard(card: SavedCard): Promise<{ brand: string; lastFour: string } | undefined>
  /** Removes a saved card, however often it is called. Nobody can charge it any more. */
  removeCard(card: SavedCard): Promise<void>
}

/** Thrown if the processor did not respond in time or is unavailable. It may or may not have acted. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable'
  /** True if the processor repeats this response to the same request. */
  readonly isKept: boolean

  constructor(message: string, { isKept = false } = {}) {
    super(message)
    this.isKept = isKept
  }
}

/** Thrown if the processor refused for good. The message contains no client data. */
export class ProcessorRefusal extends Error {
  override readonly name = 'ProcessorRefusal'
}
