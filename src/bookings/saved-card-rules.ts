import { type Instant, plusSeconds } from '../base/instants.ts'
import type { BookingsTable, PaymentsTable } from '../database/tables.ts'

/** A booking that nobody marks as done or missed is settled after this time. */
const settledAfterSeconds = 7 * 86_400

/** True if the client of a booking may have the saved card removed: nothing can fall due any more, and nothing is due. */
export function mayRemoveCard(
  { status, ends_at }: Pick<BookingsTable, 'status' | 'ends_at'>,
  fees: readonly { status: PaymentsTable['status'] }[],
  now: Instant,
): boolean {
  if (fees.some((fee) => fee.status === 'due' || fee.status === 'charging')) return false
  return status === 'cancelled' || status === 'completed' || plusSeconds(ends_at, settledAfterSeconds) <= now
}

/** The saved card of a booking as people see it. */
export interface ShownCard {
  /** In words for people, such as `Visa`. Null while unknown. */
  brand: string | null
  last_four: string | null
  /** True while the payment processor is asked to remove it. */
  removing: boolean
}

/** The columns that decide what is shown of a saved card. */
export type CardColumns = Pick<
  PaymentsTable,
  'saves_card' | 'paid_at' | 'card_brand' | 'card_last_four' | 'card_removal_requested_at' | 'card_removed_at'
>

/** Returns the card that the checkout of a payment saved. Null for none, or once it is removed. */
export function shownCardOf(payment: CardColumns): ShownCard | null {
  const { saves_card, paid_at, card_brand, card_last_four, card_removal_requested_at } = payment
  if (saves_card === 0 || paid_at === null || payment.card_removed_at !== null) return null
  return { brand: card_brand, last_four: card_last_four, removing: card_removal_requested_at !== null }
}

/** Formats a card, such as `Visa •••• 4242`. */
export function cardText({ brand, last_four }: Pick<ShownCard, 'brand' | 'last_four'>): string {
  return [brand, '••••', last_four].filter((part) => part !== null).join(' ')
}
