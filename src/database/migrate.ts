import type { Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { OperatorError } from '../errors.ts'
import type { Engine } from './database.ts'
import { firstSchema } from './migrations/0001-first-schema.ts'
import { blocks } from './migrations/0002-blocks.ts'
import { webhooks } from './migrations/0003-webhooks.ts'
import { payments } from './migrations/0004-payments.ts'
import { eventTraces } from './migrations/0005-event-traces.ts'
import { strangers } from './migrations/0006-strangers.ts'
import { countedRequests } from './migrations/0007-counted-requests.ts'
import { bookingsFound } from './migrations/0008-bookings-found.ts'
import type { Tables } from './tables.ts'

/** Every migration in the order in which they run. A released one is never changed. */
const migrations: Record<string, (db: Kysely<unknown>, engine: Engine) => Promise<void>> = {
  '0001-first-schema': firstSchema,
  '0002-blocks': blocks,
  '0003-webhooks': webhooks,
  '0004-payments': payments,
  '0005-event-traces': eventTraces,
  '0006-strangers': strangers,
  '0007-counted-requests': countedRequests,
  '0008-bookings-found': bookingsFound,
}

/** The names of all migrations of this release, in their order. */
export const migrationNames = Object.keys(migrations)

/** Makes the migrator of one database. All pending migrations run in one transaction, under a lock. */
export function migrator(db: Kysely<Tables>, engine: Engine): Migrator {
  return new Migrator({
    db,
    provider: {
      getMigrations: () =>
        Promise.resolve(
          Object.fromEntries(
            Object.entries(migrations).map(([name, up]): [string, Migration] => [
              name,
              { up: (tx) => up(tx, engine) },
            ]),
          ),
        ),
    },
  })
}

/** What Kysely says of a database in which a migration has run that this release does not have. */
const ofNewerRelease = /previously executed migration (\S+) is missing/

/**
 * Runs what has not run yet; a repetition after an interruption goes on where nothing was done. Names what ran.
 * Throws an OperatorError for the database of a newer release.
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

/** Names what has not run yet. */
export async function pendingMigrations(migrations: Migrator): Promise<string[]> {
  const known = await migrations.getMigrations()
  return known.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
}
