/* Why a saved card was not charged: the words of a payment processor (https://docs.stripe.com/declines/codes), sorted. */

type ChargeFailure = 'no_funds' | 'expired' | 'authentication' | 'no_card' | 'declined' | 'other'

const kinds: Readonly<Record<string, ChargeFailure>> = {
  ...{ insufficient_funds: 'no_funds', withdrawal_count_limit_exceeded: 'no_funds' },
  ...{ card_velocity_exceeded: 'no_funds', expired_card: 'expired' },
  ...{ authentication_required: 'authentication', authentication_not_handled: 'authentication' },
  ...{ requires_action: 'authentication', no_card: 'no_card', resource_missing: 'no_card' },
}

/** Words of the processor or of its interface, and not of a bank. */
const others = new Set([
  ...['refused', 'invalid_request', 'invalid_amount', 'amount_too_small', 'amount_too_large'],
  ...['processing_error', 'requires_payment_method', 'canceled', 'currency_not_supported'],
])

/**
 * Sorts the processor's word for a failed charge. Banks give many words for a declined card. Some of them, such as
 * `stolen_card`, are not for its holder, so all of them are `declined`.
 */
export function chargeFailureOf(word: string): ChargeFailure {
  return kinds[word] ?? (others.has(word) || /_(invalid|missing|unknown)/.test(word) ? 'other' : 'declined')
}
