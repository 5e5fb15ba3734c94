import type { CheckoutProvider } from '../checkouts.ts'
import type { Context } from '../context.ts'
import { sandboxProvider } from './sandbox.ts'
import { stripeProvider } from './stripe.ts'

/** Stripe where there is a key for it; else the sandbox, which production refuses: nobody is to book for play money. */
export function openProvider(parts: Pick<Context, 'db' | 'ids' | 'config'>): CheckoutProvider | undefined {
  if (parts.config.stripeSecretKey !== '') return stripeProvider(parts.config)
  return parts.config.environment === 'production' ? undefined : sandboxProvider(parts)
}
