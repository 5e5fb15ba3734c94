import { LRUCache } from 'lru-cache'
import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import type { Sealer } from '../access/server-secret.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { formatInstant } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import { type CheckoutProvider, ProcessorRefusal, ProcessorUnavailable } from '../bookings/checkouts.ts'
import type { Context } from '../bookings/context.ts'
import { assertNoTest, businessInScope } from '../catalogue/business.ts'
import { RetryTransaction } from '../database/database.ts'
import {
  endPresentAccount,
  findAccount,
  findLatestAccounts,
  findPresentAccount,
  insertAccount,
  type OwnStripeRow,
} from './own-stripe-queries.ts'
import type { SetStripe, StripeAccount } from './own-stripe-schemas.ts'
import { stripeProvider, tryStripeKey } from './stripe.ts'

/*
 * Stripe accounts of businesses. New deposits go to the present account. Each payment stays with the account that opened
 * its checkout. Earlier accounts remain until nothing of theirs is left to do.
 */

const maxProviders = 100
/** Stripe resends events for three days. Secrets are rarely replaced more often. */
const maxSecrets = 5

function sealerOf({ secret }: Pick<Context, 'secret'>): Promise<Sealer> {
  return secret.sealer('stripe')
}

/** Opens processors for the accounts of businesses. A key never changes, because a new one is a new account here. */
export class OwnStripe {
  private readonly parts: Pick<Context, 'db' | 'config' | 'secret' | 'log'>
  private readonly providers = new LRUCache<string, CheckoutProvider>({ max: maxProviders })

  constructor(parts: Pick<Context, 'db' | 'config' | 'secret' | 'log'>) {
    this.parts = parts
  }

  /** Undefined for an unknown account, or if its key cannot be decrypted. */
  async find(account: Pick<OwnStripeRow, 'id' | 'business_id'>): Promise<CheckoutProvider | undefined> {
    const known = this.providers.get(account.id)
    if (known) return known
    const { db, config, log } = this.parts
    const row = await findAccount(db.reads, account)
    const key = row && (await sealerOf(this.parts)).open(row.key_sealed, row.id)
    if (key === undefined) {
      log.error(
        { account_id: account.id },
        'the Stripe key of a business cannot be read with this HOLDFAST_SECRET',
      )
      return undefined
    }
    const provider = stripeProvider({ stripeApiUrl: config.stripeApiUrl, stripeSecretKey: key })
    this.providers.set(account.id, provider)
    return provider
  }
}

type Shown = OwnStripeRow & { timezone: string }

/**
 * Tries a key, then stores it for new deposits of a business. Throws not_found, and validation_failed if Stripe refuses
 * the key or does not answer.
 */
export async function setOwnStripe(
  context: Context,
  by: Actor,
  { id, account }: { id: string; account: Static<typeof SetStripe> },
): Promise<Shown> {
  assertNoTest(await businessInScope(context.db.reads, by.scope, id), 'Its payments stay in the sandbox.')
  await tryStripeKey(context.config, account.secret_key).catch((error: unknown) => {
    if (error instanceof ProcessorRefusal) throw fault('Stripe refuses it')
    if (error instanceof ProcessorUnavailable) throw fault('Stripe does not answer at the moment')
    throw error
  })
  const sealer = await sealerOf(context)
  return context.db.transaction(async (tx) => {
    const { id: business_id, timezone } = await businessInScope(tx.db, by.scope, id)
    const own = context.ids.next()
    const row = {
      ...{
        id: own,
        business_id,
        key_last_four: account.secret_key.slice(-4),
        set_at: tx.now,
        ended_at: null,
      },
      key_sealed: sealer.seal(account.secret_key, own),
      webhook_secret_sealed: sealer.seal(account.webhook_secret, own),
    }
    await endPresentAccount(tx.db, business_id, tx.now)
    if (!(await insertAccount(tx.db, row))) throw new RetryTransaction('another account was stored meanwhile')
    const change = { action: 'business.stripe_set', subjectId: business_id, businessId: business_id } as const
    await recordAudit(context, tx, { by, ...change })
    return { ...row, timezone }
  })
}

function fault(reason: string): Problem {
  const detail = `does not work: ${reason}`
  return validationProblem([{ pointer: '/secret_key', code: 'not_allowed', detail }])
}

/** Shows the account of a business. Throws not_found, also without one. */
export async function showOwnStripe(context: Context, actor: Actor, id: string): Promise<Shown> {
  const { id: businessId, timezone } = await businessInScope(context.db.reads, actor.scope, id)
  const row = await findPresentAccount(context.db.reads, businessId)
  if (!row) throw new Problem('not_found', 'This business has no Stripe account of its own.')
  return { ...row, timezone }
}

/** Finds the account of a business for the console. `isReadable` is false after a change of HOLDFAST_SECRET. */
export async function findOwnStripe(
  context: Context,
  businessId: string,
): Promise<{ key_last_four: string; isReadable: boolean } | undefined> {
  const row = await findPresentAccount(context.db.reads, businessId)
  if (!row) return undefined
  const isReadable = (await sealerOf(context)).open(row.key_sealed, row.id) !== undefined
  return { key_last_four: row.key_last_four, isReadable }
}

/** Goes back to the account of the operator for new deposits. Does nothing without an own one. Throws not_found. */
export async function removeOwnStripe(context: Context, by: Actor, id: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const { id: businessId } = await businessInScope(tx.db, by.scope, id)
    if (!(await endPresentAccount(tx.db, businessId, tx.now))) return
    await recordAudit(context, tx, {
      by,
      action: 'business.stripe_removed',
      subjectId: businessId,
      businessId,
    })
  })
}

export function presentOwnStripe(
  { config }: Pick<Context, 'config'>,
  { business_id, key_last_four, set_at, timezone }: Shown,
): Static<typeof StripeAccount> {
  return {
    key_last_four,
    webhook_url: ownWebhookUrl(config, business_id),
    set_at: formatInstant(set_at, timezone),
  }
}

/** Returns the address for Stripe's events of a business. */
export function ownWebhookUrl(config: Context['config'], businessId: string): string {
  return `${publicUrl(config)}/payments/stripe/webhook/${businessId}`
}

/** Returns the webhook secrets of a business's accounts, the latest first. */
export async function webhookSecretsOf(context: Context, businessId: string): Promise<string[]> {
  const rows = await findLatestAccounts(context.db.reads, businessId, maxSecrets)
  const sealer = await sealerOf(context)
  return rows
    .map(({ id, webhook_secret_sealed }) => sealer.open(webhook_secret_sealed, id))
    .filter((one) => one !== undefined)
}
