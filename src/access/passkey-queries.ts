import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { PasskeysTable } from '../database/tables.ts'

/** Finds a passkey by the ID of its credential. */
export function findPasskey(db: Reads, credentialId: string): Promise<PasskeysTable | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

/** Finds the passkeys of a person, at most twenty, the newest first. */
export function findPasskeysOf(db: Reads, userId: string): Promise<PasskeysTable[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/** True if anybody has a passkey of a host. */
export async function hasPasskeys(db: Reads, host: string): Promise<boolean> {
  const query = db.selectFrom('passkeys').select('id').where('host', '=', host).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Returns false if the credential is known, or if the ordinal of the person is taken. */
export async function insertPasskey(db: Queries, passkey: PasskeysTable): Promise<boolean> {
  const inserted = await db
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/**
 * Notes the use of a passkey. Returns false if its counter has not grown, as for a copy of the authenticator. An
 * authenticator that does not count always reports 0.
 */
export async function usePasskey(
  db: Queries,
  id: string,
  { counter, now }: { counter: number; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where('counter', counter === 0 ? '=' : '<', counter)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns false if the person has no such passkey. */
export async function renamePasskeyOf(
  db: Queries,
  userId: string,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes one passkey of a person, or all of them. Returns their number. */
export async function deletePasskeysOf(db: Queries, userId: string, id?: string): Promise<number> {
  let query = db.deleteFrom('passkeys').where('user_id', '=', userId)
  if (id !== undefined) query = query.where('id', '=', id)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

/** Uses up a challenge. If two requests try at once, one gets it. */
export async function takeChallenge(db: Queries, digest: string, expiresAt: Instant): Promise<boolean> {
  const inserted = await db
    .insertInto('used_challenges')
    .values({ digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('digest')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Deletes up to `max` challenges that have expired, and returns their number. */
export async function deleteOldChallenges(db: Queries, now: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('used_challenges')
    .where('digest', 'in', (old) =>
      old.selectFrom('used_challenges').select('digest').where('expires_at', '<', now).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
