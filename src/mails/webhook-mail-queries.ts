import { type Insertable, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { WebhookMailsTable } from '../database/tables.ts'

/** An outage of a hub's webhook is emailed to at most this many owners. */
const maxOwners = 20
/** The latest deliveries, one of which has the last error. */
const maxSearched = 20

/** Returns the addresses of a hub's owners who can log in. */
export async function findHubOwnerEmails(db: Reads, hubId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user_places as p')
    .innerJoin('users as u', 'u.id', 'p.user_id')
    .select('u.email')
    .where('p.hub_id', '=', hubId)
    .where('p.role', '=', 'owner')
    .where('p.disabled_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('u.password_set_at', 'is not', null)
    .orderBy('p.created_at')
    .orderBy('p.id')
    .limit(maxOwners)
    .execute()
  return rows.map(({ email }) => email)
}

export async function insertWebhookMails(
  db: Queries,
  mails: readonly Insertable<WebhookMailsTable>[],
): Promise<void> {
  await db.insertInto('webhook_mails').values(mails).execute()
}

/** A webhook as the email shows it. */
interface FailingWebhook {
  url: string
  failing_since: Instant
  /** The name of its business or hub. */
  name: string
  /** The locale of its business, or of the first business of its hub. */
  locale: string | null
  timezone: string
}

/** Finds a webhook while its reported outage lasts. */
export async function findFailingWebhook(db: Reads, id: string): Promise<FailingWebhook | undefined> {
  const { rows } = await sql<FailingWebhook>`
    select w.url, w.failing_since, coalesce(b.name, h.name, '') as name, coalesce(b.timezone, 'UTC') as timezone,
           coalesce(b.locale, (select o.locale from businesses as o where o.hub_id = w.hub_id
                                order by o.created_at, o.id limit 1)) as locale
      from webhooks as w
      left join businesses as b on b.id = w.business_id
      left join hubs as h on h.id = w.hub_id
     where w.id = ${id} and w.told_at is not null and w.failing_since is not null
       and w.disabled_at is null and w.deleted_at is null`.execute(db)
  return rows[0]
}

/** Returns the attempts of a webhook's latest deliveries, each as stored. */
export async function findLatestAttempts(db: Reads, webhookId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries as d')
    .select('d.attempts_json')
    .where('d.webhook_id', '=', webhookId)
    .orderBy('d.created_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(maxSearched)
    .execute()
  return rows.map(({ attempts_json }) => attempts_json)
}
