import type { Config } from '../config.ts'

/** What is missing for deposits, and what to do about it. */
export interface MissingSetting {
  detail: string
  fix: string
}

type Settings = Pick<Config, 'environment' | 'stripeSecretKey' | 'stripeWebhookSecret' | 'publicUrl'>

/** What is missing in the configuration of a service that asks for deposits. */
export function missingSettings(config: Settings): MissingSetting[] {
  if (config.stripeSecretKey === '') {
    if (config.environment !== 'production') return []
    const detail = 'services ask for deposits, which nobody takes: their bookings are refused by 503'
    return [{ detail, fix: 'set STRIPE_SECRET_KEY, or take the deposits off the services' }]
  }
  const missing: MissingSetting[] = []
  if (config.stripeWebhookSecret === '') {
    missing.push({
      detail: 'Stripe cannot tell of payments: bookings are confirmed only when they are asked about',
      fix: 'add an endpoint for /payments/stripe/webhook at Stripe, and set STRIPE_WEBHOOK_SECRET',
    })
  }
  if (config.publicUrl === '') {
    missing.push({
      detail: 'clients are sent back from paying to an address that only this machine knows',
      fix: 'set PUBLIC_URL',
    })
  }
  return missing
}
