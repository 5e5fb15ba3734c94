import type { CleanupJob } from '../database/context.ts'
import { isPostgres } from '../database/json-rows.ts'
import { adoptBookings } from '../database/migrations/0034-clients.ts'
import type { Context } from './context.ts'

/** Gives bookings that a server of an earlier release made during an upgrade their clients. */
export const unmatchedBookings: CleanupJob<Context> = {
  name: 'bookings without a client',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => adoptBookings(tx.db, isPostgres(tx.reads) ? 'postgres' : 'sqlite', max)),
}
