import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError } from '../base/errors.ts'
import type { Engine } from './database.ts'
import { firstSchema } from './migrations/0001-first-schema.ts'
import { people } from './migrations/0002-people.ts'
import { privacy } from './migrations/0003-privacy.ts'
import { search } from './migrations/0004-search.ts'
import { linksByMail } from './migrations/0005-links-by-mail.ts'
import { agreedPrices } from './migrations/0006-agreed-prices.ts'
import { links } from './migrations/0007-links.ts'
import { calendars } from './migrations/0008-calendars.ts'
import { frames } from './migrations/0009-frames.ts'
import { busyCalendars } from './migrations/0010-busy-calendars.ts'
import { plainLetters, plainLettersOf, type Searched } from './migrations/0011-plain-letters.ts'
import { calendarOutages } from './migrations/0012-calendar-outages.ts'
import { provedAddresses } from './migrations/0013-proved-addresses.ts'
import { mails } from './migrations/0016-mails.ts'
import { clientFields } from './migrations/0017-client-fields.ts'
import { catalogueLimits } from './migrations/0018-catalogue-limits.ts'
import { pageKeys } from './migrations/0019-page-keys.ts'
import { eventEpochs } from './migrations/0020-event-epochs.ts'
import { clientsByName } from './migrations/0021-clients-by-name.ts'
import { mailsByBusiness } from './migrations/0022-mails-by-business.ts'
import { resources } from './migrations/0023-resources.ts'
import { visits } from './migrations/0024-visits.ts'
import { bookingsByBusiness } from './migrations/0025-bookings-by-business.ts'
import { waitingMails } from './migrations/0026-waiting-mails.ts'
import { images } from './migrations/0027-images.ts'
import { legalTexts } from './migrations/0028-legal-texts.ts'
import { frontDesk } from './migrations/0029-front-desk.ts'
import { ownAccounts } from './migrations/0030-own-accounts.ts'
import { push } from './migrations/0031-push.ts'
import { clientLinks } from './migrations/0033-client-links.ts'
import { adoptBookings, clients } from './migrations/0034-clients.ts'
import { absences } from './migrations/0035-absences.ts'
import { textMessages } from './migrations/0036-text-messages.ts'
import { requests } from './migrations/0038-requests.ts'
import { series } from './migrations/0039-series.ts'
import { waitingList } from './migrations/0040-waiting-list.ts'
import { clientOrder } from './migrations/0042-client-order.ts'
import { coupons } from './migrations/0043-coupons.ts'
import { paymentModes } from './migrations/0044-payment-modes.ts'
import { refunds } from './migrations/0045-refunds.ts'
import { cardsAndFees } from './migrations/0046-cards-and-fees.ts'
import { paymentsByDay } from './migrations/0047-payments-by-day.ts'
import { calendarAccounts } from './migrations/0048-calendar-accounts.ts'
import { checkoutUrl } from './migrations/0049-checkout-url.ts'
import { clientTextLinks } from './migrations/0050-client-text-links.ts'
import { waitlistMessages } from './migrations/0051-waitlist-messages.ts'
import { calendarChannels } from './migrations/0052-calendar-channels.ts'
import { calendarDisconnections } from './migrations/0053-calendar-disconnections.ts'
import { importMatches } from './migrations/0054-import-matches.ts'
import { cardDetails } from './migrations/0055-card-details.ts'
import { metadata } from './migrations/0057-metadata.ts'
import { unicodeDomains, unicodeDomainSteps } from './migrations/0058-unicode-domains.ts'
import { keyScopes } from './migrations/0063-key-scopes.ts'
import { keyRequests } from './migrations/0064-key-requests.ts'
import { passkeys } from './migrations/0065-passkeys.ts'
import { programs } from './migrations/0066-programs.ts'
import { testBusinesses } from './migrations/0067-test-businesses.ts'
import type { Tables } from './tables.ts'

/** All migrations in order. Never change a released one. */
const migrations: Record<string, (db: Kysely<unknown>, engine: Engine) => Promise<void>> = {
  '0001-first-schema': firstSchema,
  '0002-people': people,
  '0003-privacy': privacy,
  '0004-search': search,
  '0005-links-by-mail': linksByMail,
  '0006-agreed-prices': agreedPrices,
  '0007-links': links,
  '0008-calendars': calendars,
  '0009-frames': frames,
  '0010-busy-calendars': busyCalendars,
  '0011-plain-letters': plainLetters,
  '0012-calendar-outages': calendarOutages,
  '0013-proved-addresses': provedAddresses,
  '0016-mails': mails,
  '0017-client-fields': clientFields,
  '0018-catalogue-limits': catalogueLimits,
  '0019-page-keys': pageKeys,
  '0020-event-epochs': eventEpochs,
  '0021-clients-by-name': clientsByName,
  '0022-mails-by-business': mailsByBusiness,
  '0023-resources': resources,
  '0024-visits': visits,
  '0025-bookings-by-business': bookingsByBusiness,
  '0026-waiting-mails': waitingMails,
  '0027-images': images,
  '0028-legal-texts': legalTexts,
  '0029-front-desk': frontDesk,
  '0030-own-accounts': ownAccounts,
  '0031-push': push,
  '0033-client-links': clientLinks,
  '0034-clients': clients,
  '0035-absences': absences,
  '0036-text-messages': textMessages,
  '0038-requests': requests,
  '0039-series': series,
  '0040-waiting-list': waitingList,
  '0042-client-order': clientOrder,
  '0043-coupons': coupons,
  '0044-payment-modes': paymentModes,
  '0045-refunds': refunds,
  '0046-cards-and-fees': cardsAndFees,
  '0047-payments-by-day': paymentsByDay,
  '0048-calendar-accounts': calendarAccounts,
  '0049-checkout-url': checkoutUrl,
  '0050-client-text-links': clientTextLinks,
  '0051-waitlist-messages': waitlistMessages,
  '0052-calendar-channels': calendarChannels,
  '0053-calendar-disconnections': calendarDisconnections,
  '0054-import-matches': importMatches,
  '0055-card-details': cardDetails,
  '0057-metadata': metadata,
  '0058-unicode-domains': unicodeDomains,
  '0063-key-scopes': keyScopes,
  '0064-key-requests': keyRequests,
  '0065-passkeys': passkeys,
  '0066-programs': programs,
  '0067-test-businesses': testBusinesses,
}

/** Names in the order of the migrations. */
export const migrationNames = Object.keys(migrations)

/** Creates the migrator of one database. All pending migrations run in one transaction, under a lock. */
export function migrator(db: Kysely<Tables>, engine: Engine): Migrator {
  const entries = Object.entries(migrations).map(([name, up]): [string, Migration] => [
    name,
    { up: (tx) => up(tx, engine) },
  ])
  return new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(entries) } })
}

/** A small number, so that no booking waits long. */
const rewrittenAtOnce = 200

/**
 * Does in advance, in many short transactions, the changes of pending migrations that rewrite many rows. Running
 * servers can write in between, and an interruption loses no finished batch. `inTransaction` runs one batch.
 */
export async function rewriteRows(
  db: Kysely<Tables>,
  engine: Engine,
  inTransaction: <T>(work: (tx: Kysely<Tables>) => Promise<T>) => Promise<T>,
): Promise<void> {
  const pending = await pendingMigrations(migrator(db, engine))
  if (pending.includes('0011-plain-letters') && !pending.includes('0001-first-schema')) {
    let last: Searched | undefined
    do {
      const after = last
      last = await inTransaction((tx) =>
        plainLettersOf(tx as unknown as Kysely<unknown>, engine, { after, rows: rewrittenAtOnce }),
      )
    } while (last)
  }
  // before the waiting list there are no clients, and the migration alone rewrites the bookings
  if (!pending.includes('0058-unicode-domains') || pending.includes('0040-waiting-list')) return
  for (const rewrite of unicodeDomainSteps(engine)) {
    let last: readonly string[] | undefined
    do {
      const after = last
      last = await inTransaction((tx) => rewrite(tx, { after, rows: rewrittenAtOnce }))
    } while (last)
  }
}

/**
 * Gives every booking without a client its client, in many short transactions. Servers of an earlier release may insert
 * more meanwhile, which housekeeping adopts.
 */
export async function adoptAllBookings(
  engine: Engine,
  inTransaction: <T>(work: (tx: Kysely<Tables>) => Promise<T>) => Promise<T>,
): Promise<void> {
  let adopted: number
  do {
    adopted = await inTransaction((tx) => adoptBookings(tx, engine, rewrittenAtOnce))
  } while (adopted === rewrittenAtOnce)
}

/** Kysely's message if the database has a migration that this release lacks. */
const ofNewerRelease = /previously executed migration (\S+) is missing/

/**
 * Runs the pending migrations and returns their names. Can run again after an interruption. Throws an OperatorError for
 * a database of a newer release.
 */
export async function migrate(migrations: Migrator): Promise<string[]> {
  const { error, results = [] } = await migrations.migrateToLatest()
  const unknown = error instanceof Error ? ofNewerRelease.exec(error.message)?.[1] : undefined
  if (unknown !== undefined) {
    throw new OperatorError(
      `DATABASE_URL: the database is newer than this release of Holdfast, which does not know its migration ${unknown}. ` +
        'Run the release that it was last used with.',
      { cause: error },
    )
  }
  if (error) throw error instanceof Error ? error : new Error('a migration failed', { cause: error })
  return results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
}

/** Names the migrations that have not run. */
export async function pendingMigrations(migrations: Migrator): Promise<string[]> {
  const known = await migrations.getMigrations()
  return known.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
}
