import { Type } from 'typebox'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { ShownInstant, StrictObject } from '../base/wire.ts'
import { stripePermissions } from './stripe-values.ts'

export const SetStripe = StrictObject(
  {
    secret_key: Type.String({
      maxLength: 255,
      pattern: '^(sk|rk)_[A-Za-z0-9_]{8,}$',
      description: `Secret key, or a restricted one with read and write access to ${stripePermissions.join(', ')}. Stored encrypted and never shown.`,
    }),
    webhook_secret: Type.String({
      maxLength: 255,
      pattern: '^whsec_[A-Za-z0-9+/=_-]{8,}$',
      description: 'Signing secret of the endpoint at Stripe. Stored encrypted and never shown.',
    }),
  },
  {
    title: 'SetStripe',
    examples: [{ secret_key: 'rk_live_51AbCdEfGhIj', webhook_secret: 'whsec_AbCdEfGhIjKl' }],
  },
)

export const StripeAccount = Type.Object(
  {
    key_last_four: Type.String(),
    webhook_url: Type.String({ description: 'Address for the endpoint at Stripe.' }),
    set_at: ShownInstant,
  },
  {
    title: 'StripeAccount',
    examples: [
      {
        key_last_four: 'GhIj',
        webhook_url: `https://book.example.com/payments/stripe/webhook/${exampleIds.business}`,
        set_at: exampleTimes.createdAt,
      },
    ],
  },
)
