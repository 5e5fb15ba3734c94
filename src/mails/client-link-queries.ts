import type { Insertable } from 'kysely'
import type { Queries } from '../database/database.ts'
import type { ClientLinksTable } from '../database/tables.ts'

export async function insertClientLink(db: Queries, link: Insertable<ClientLinksTable>): Promise<void> {
  await db.insertInto('client_links').values(link).execute()
}

/** Writes the digest of a link for the email that brings it. */
export async function setDigestOfLink(db: Queries, id: string, digest: string): Promise<void> {
  await db.updateTable('client_links').set({ digest }).where('id', '=', id).execute()
}
