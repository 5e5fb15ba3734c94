import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { ClientLogInsTable } from '../database/tables.ts'

/** Uses up a link by email or text. Of two requests at once, one gets its mailbox or number. */
export async function useClientLink(
  db: Queries,
  key: { digest: string; now: Instant },
): Promise<{ businessId: string; email: string } | { businessId: string; phone: string } | undefined> {
  const [byMail] = await use(db, 'client_links', key)
  if (byMail) return { businessId: byMail.business_id, email: byMail.recipient }
  const [byText] = await use(db, 'client_text_links', key)
  return byText && { businessId: byText.business_id, phone: byText.recipient }
}

async function use(
  db: Queries,
  table: 'client_links' | 'client_text_links',
  { digest, now }: { digest: string; now: Instant },
): Promise<{ business_id: string; recipient: string }[]> {
  const recipient = sql.ref(table === 'client_links' ? 'email' : 'phone')
  const { rows } = await sql<{ business_id: string; recipient: string }>`
    update ${sql.table(table)} set used_at = ${now}
     where digest = ${digest} and used_at is null and expires_at > ${now}
    returning business_id, ${recipient} as recipient`.execute(db)
  return rows
}

export async function insertClientLogIn(db: Queries, logIn: ClientLogInsTable): Promise<void> {
  await db.insertInto('client_log_ins').values(logIn).execute()
}

/** Finds the mailbox or number of an open log-in at a business. */
export function findClientLogIn(
  db: Reads,
  { businessId, digest, now }: { businessId: string; digest: string; now: Instant },
): Promise<{ email: string; phone: string | null } | undefined> {
  return db
    .selectFrom('client_log_ins')
    .select(['email', 'phone'])
    .where('digest', '=', digest)
    .where('business_id', '=', businessId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function deleteClientLogIn(db: Queries, digest: string): Promise<void> {
  await db.deleteFrom('client_log_ins').where('digest', '=', digest).execute()
}

/** Deletes the links and log-ins of numbers (E.164) at a business. */
export async function deleteAccessOfNumbers(
  db: Queries,
  { businessId, phones }: { businessId: string; phones: readonly string[] },
): Promise<void> {
  if (phones.length === 0) return
  for (const table of ['client_log_ins', 'client_text_links'] as const)
    await db.deleteFrom(table).where('business_id', '=', businessId).where('phone', 'in', phones).execute()
}

/** Deletes the links and log-ins of a mailbox at a business. Returns the IDs of the links, whose emails may be in files. */
export async function deleteClientAccess(
  db: Queries,
  { businessId, emails }: { businessId: string; emails: readonly string[] },
): Promise<string[]> {
  const of = (table: 'client_links' | 'client_log_ins') =>
    db.deleteFrom(table).where('business_id', '=', businessId).where('email', 'in', emails)
  await of('client_log_ins').execute()
  const links = await of('client_links').returning('id').execute()
  return links.map(({ id }) => id)
}

/** Deletes up to `max` expired log-ins and returns their number. */
export async function deleteOldClientLogIns(db: Queries, now: Instant, max: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from client_log_ins where digest in (
      select digest from client_log_ins where expires_at <= ${now} order by expires_at limit ${max})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
