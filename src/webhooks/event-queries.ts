import type { Queries } from '../database/database.ts'
import type { EventsTable } from '../database/tables.ts'

export async function insertEvents(db: Queries, events: EventsTable[]): Promise<void> {
  await db.insertInto('events').values(events).execute()
}
