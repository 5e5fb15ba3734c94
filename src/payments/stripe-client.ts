import type { Stripe } from 'stripe'
import type { Config } from '../config.ts'

/** Our code is written for it; an account's own default may be another. */
const apiVersion = '2026-10-28.endive'
const timeoutMs = 10_000

/** Connects when it is first used: the package takes a while to load, and most commands do without. */
export function connectStripe({ stripeSecretKey, stripeApiUrl }: Config): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined
  const connect = async () => {
    const { Stripe } = await import('stripe')
    const { hostname, port, protocol } = new URL(stripeApiUrl)
    return new Stripe(stripeSecretKey, {
      apiVersion,
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      protocol: protocol === 'https:' ? 'https' : 'http',
      timeout: timeoutMs,
      maxNetworkRetries: 1,
      telemetry: false,
      appInfo: { name: 'Holdfast' },
    })
  }
  return () => (client ??= connect())
}
