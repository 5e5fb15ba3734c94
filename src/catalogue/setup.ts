import type { Context } from '../access/context.ts'
import { issueKey } from '../access/key.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { UsageError } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import { firstBusinesses } from './business.ts'
import { checkOrigin } from './business-keys.ts'
import type { CatalogueFile } from './catalogue-file-schemas.ts'
import { hasBusinesses, lockBusinesses } from './catalogue-queries.ts'
import { importWithin } from './import.ts'

/** The first business, ready to be booked. Keys are not shown again. */
export interface FirstBusiness {
  business: { id: string; name: string; timezone: string }
  /** The URL of its booking page. */
  booking_page: string
  /** For the business's website. */
  publishable_key: string
  /** For its own programs. */
  business_key: string
}

const asNewBusiness = { businessId: undefined, overwriteBusiness: false, dryRun: false }

/**
 * Creates the first business of a database with its keys, in one transaction. The publishable key works on
 * the websites of `origins`, or on any website without them. Throws a UsageError if there already is a
 * business, and validation_failed.
 */
export async function setUpBusiness(
  context: Context,
  { business, ...items }: CatalogueFile & { business: NonNullable<CatalogueFile['business']> },
  origins: string[],
): Promise<FirstBusiness> {
  origins.forEach(checkOrigin)
  const allowed = origins.length > 0 ? { allowedOrigins: origins } : {}
  const made = await context.db.transaction(async (tx) => {
    const id = await makeFirstBusiness(context, tx, { business, ...items })
    if (id === undefined) return undefined
    const publishable = await issueKey(context, tx, { type: 'publishable', businessId: id, ...allowed })
    const own = await issueKey(context, tx, { type: 'business', businessId: id })
    return { id, publishable_key: publishable.key, business_key: own.key }
  })
  if (!made) throw await alreadySetUp(context)
  const { id, ...keys } = made
  const { name, timezone } = business
  const booking_page = `${publicUrl(context.config)}/book/${(await bookingPageKey(context, id)) ?? ''}`
  return { business: { id, name, timezone }, booking_page, ...keys }
}

/**
 * Creates the first business, without keys, within a transaction. Of two concurrent calls, one succeeds.
 * Undefined if there already is a business. Throws validation_failed.
 */
export async function makeFirstBusiness(
  context: Context,
  tx: Transaction,
  file: CatalogueFile & { business: NonNullable<CatalogueFile['business']> },
): Promise<string | undefined> {
  await lockBusinesses(tx.db)
  if (await hasBusinesses(tx.db)) return undefined
  return (await importWithin(context, tx, { file, options: asNewBusiness })).business.id
}

/** Throws a UsageError with the next step if there already is a business. */
export async function assertNoBusiness(context: Context): Promise<void> {
  if (await hasBusinesses(context.db.reads)) throw await alreadySetUp(context)
}

async function alreadySetUp(context: Context): Promise<UsageError> {
  const [first, other] = await firstBusinesses(context, 2)
  const only = other ? undefined : first
  return new UsageError(
    [
      only ? `There is a business already: ${only.name} (${only.id}).` : 'There are businesses already.',
      'Setup makes the first one only.',
      ...(only ? [`${publicUrl(context.config)}/ leads to its booking page.`] : []),
      `For new keys: "holdfast key create --business ${only?.id ?? '<id>'}".`,
      'For another business: "holdfast business create".',
      'To begin anew, set DATABASE_URL to an empty database.',
    ].join(' '),
  )
}
