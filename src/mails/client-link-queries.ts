import type { Insertable } from 'kysely'
import type { Queries } from '../database/database.ts'
import type { ClientLinksTable, ClientTextLinksTable } from '../database/tables.ts'

type LinkTable = 'client_links' | 'client_text_links'

export async function insertClientLink(db: Queries, link: Insertable<ClientLinksTable>): Promise<void> {
  await db.insertInto('client_links').values(link).execute()
}

export async function insertClientTextLink(
  db: Queries,
  link: Insertable<ClientTextLinksTable>,
): Promise<void> {
  await db.insertInto('client_text_links').values(link).execute()
}

/** Writes the digest of a link for the message that brings it. */
export async function setDigestOfLink(
  db: Queries,
  table: LinkTable,
  { id, digest }: { id: string; digest: string },
): Promise<void> {
  await db.updateTable(table).set({ digest }).where('id', '=', id).execute()
}
