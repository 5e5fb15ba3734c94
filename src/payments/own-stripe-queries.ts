import type { Insertable, Selectable } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { OwnStripeAccountsTable } from '../database/tables.ts'

export type OwnStripeRow = Selectable<OwnStripeAccountsTable>

/** Finds the account that takes new deposits of a business. */
export function findPresentAccount(db: Reads, businessId: string): Promise<OwnStripeRow | undefined> {
  return db
    .selectFrom('own_stripe_accounts')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
}

/** Finds an account of a business, also an earlier one. */
export function findAccount(
  db: Reads,
  { id, business_id }: Pick<OwnStripeRow, 'id' | 'business_id'>,
): Promise<OwnStripeRow | undefined> {
  return db
    .selectFrom('own_stripe_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('business_id', '=', business_id)
    .executeTakeFirst()
}

/** Finds the accounts of a business, the latest first. */
export function findLatestAccounts(db: Reads, businessId: string, max: number): Promise<OwnStripeRow[]> {
  return db
    .selectFrom('own_stripe_accounts')
    .selectAll()
    .where('business_id', '=', businessId)
    .orderBy('set_at', 'desc')
    .limit(max)
    .execute()
}

/** Ends the account that takes new deposits. Returns false if there is none. */
export async function endPresentAccount(db: Queries, businessId: string, now: Instant): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('own_stripe_accounts')
    .set({ ended_at: now })
    .where('business_id', '=', businessId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Returns false if a simultaneous request has stored one. */
export async function insertAccount(
  db: Queries,
  account: Insertable<OwnStripeAccountsTable>,
): Promise<boolean> {
  const stored = await db
    .insertInto('own_stripe_accounts')
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return stored !== undefined
}

export async function anyOwnAccount(db: Reads): Promise<boolean> {
  return (await db.selectFrom('own_stripe_accounts').select('id').limit(1).executeTakeFirst()) !== undefined
}
