import { sql, type RawBuilder } from 'kysely'
import type { Engine, Queries } from '../database/database.ts'
import { jsonRows, jsonIds } from '../database/json-rows.ts'
import { instantFromMs, type Instant } from '../instants.ts'

/** One look finds at most so many webhooks; the others have their turn at the next. */
const mostWebhooks = 1_000

/**
 * Webhooks with deliveries that are due, in the order of their ids. It goes from one webhook that has pending deliveries
 * to the next, so its cost does not grow with how many those are; nor does PostgreSQL read all that are due, as it would
 * for an `exists`.
 */
export async function findDueWebhooks(db: Queries, now: Instant): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting_webhooks (id) as (
      select (select d.webhook_id from deliveries as d where d.status = 'pending' order by d.webhook_id limit 1)
      union all
      select (select d.webhook_id from deliveries as d
               where d.status = 'pending' and d.webhook_id > w.id order by d.webhook_id limit 1)
        from waiting_webhooks as w where w.id is not null
    )
    select w.id from waiting_webhooks as w
     where w.id is not null
       and (select d.next_attempt_at from deliveries as d
             where d.webhook_id = w.id and d.status = 'pending' order by d.next_attempt_at limit 1) <= ${now}
     limit ${sql.lit(mostWebhooks)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Where a delivery stands among those that wait for its webhook, the oldest first. */
export interface DuePlace {
  /** Since when it is due, as the database writes it: nobody else has to understand it. */
  due_at: string
  id: string
}

/** What is wanted of a webhook's due deliveries. */
export interface Wanted {
  id: string
  /** So many of them at most. */
  most: number
  /** What this server has in hand is not wanted again. */
  inHand: ReadonlySet<string>
  /** Begins behind this one: what is before it was claimed a moment ago. Undefined: begins with the oldest. */
  after?: DuePlace | undefined
}

/** A webhook that this server alone may send to now, with what it takes to send. */
export interface LeasedDestination {
  id: string
  url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  disabled_at: Instant | null
  /** What comes of attempts is written under this lease or not at all. */
  fence: number
}

/** A delivery that this server alone may send now. */
export interface DueDelivery extends DuePlace {
  webhook: LeasedDestination
  event_id: string
  /** Null where it is a sample. */
  payload: string | null
  sample_payload: string | null
  /** The span in which the event happened, where it was traced. */
  traceparent: string | null
  attempts_json: string
  attempts_made: number
  attempts_left: number
}

type DueRow = Omit<DueDelivery, 'webhook'> & { webhook_id: string }

/**
 * Due deliveries of webhooks that this server has leased, of each the oldest first. To be asked after the statement that
 * leased them, never in it: what the server before has written must be seen.
 */
export async function findDueDeliveries(
  db: Queries,
  engine: Engine,
  { wanted, by, now }: { wanted: Wanted[]; by: string; now: Instant },
): Promise<DueDelivery[]> {
  const ids = wanted.map(({ id }) => id)
  const { rows: webhooks } = await sql<LeasedDestination>`
    select id, url, secret, previous_secret, previous_secret_until, disabled_at, fence from webhooks
     where id in ${jsonIds(engine, ids)} and leased_by = ${by} and leased_until > ${now}`.execute(db)
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  const leased = wanted.filter(({ id }) => byId.has(id))
  const rows = await findDueRows(db, engine, leased, now)
  return rows.flatMap((row) => {
    const webhook = byId.get(row.webhook_id)
    return webhook ? [dueDelivery(row, webhook)] : []
  })
}

/** Each column by its name: to copy what is left without one takes several times as long. */
function dueDelivery(row: DueRow, webhook: LeasedDestination): DueDelivery {
  return {
    id: row.id,
    due_at: row.due_at,
    webhook,
    event_id: row.event_id,
    payload: row.payload,
    sample_payload: row.sample_payload,
    traceparent: row.traceparent,
    attempts_json: row.attempts_json,
    attempts_made: row.attempts_made,
    attempts_left: row.attempts_left,
  }
}

async function findDueRows(db: Queries, engine: Engine, wanted: Wanted[], now: Instant): Promise<DueRow[]> {
  if (engine === 'postgres') {
    const types = { id: 'uuid', most: 'integer', after_at: 'timestamptz', after_id: 'uuid' } as const
    const limits = jsonRows(engine, types, wanted.map(asLimit))
    const inHand = jsonIds(engine, wanted.flatMap(leftOut))
    const after = { at: sql`r.after_at`, id: sql`r.after_id` }
    const due = dueOf({ id: sql`r.id`, most: sql`r.most`, after, inHand, now })
    return withEvents(db, sql`${limits} as r cross join lateral (${due}) as d`)
  }
  // SQLite knows no lateral join; but it is near, so there each webhook has a statement
  const rows: DueRow[] = []
  for (const one of wanted) {
    const { id, most, after_at, after_id } = asLimit(one)
    const after = { at: sql`${after_at}`, id: sql`${after_id}` }
    const inHand = jsonIds(engine, leftOut(one))
    const due = dueOf({ id: sql`${id}`, most: sql`${most}`, after, inHand, now })
    rows.push(...(await withEvents(db, sql`(${due}) as d`)))
  }
  return rows
}

/** Before any delivery. */
const start: DuePlace = { due_at: instantFromMs(0), id: '00000000-0000-0000-0000-000000000000' }

function asLimit({ id, most, after = start }: Wanted) {
  return { id, most, after_at: after.due_at, after_id: after.id }
}

/** What would be found again: hardly anything behind a place that the last look came to. */
function leftOut({ inHand, after }: Wanted): string[] {
  return after ? [] : [...inHand]
}

/** What a webhook's due deliveries are found by. */
interface DueOf {
  id: RawBuilder<unknown>
  most: RawBuilder<unknown>
  after: Record<'at' | 'id', RawBuilder<unknown>>
  inHand: RawBuilder<unknown>
  now: Instant
}

/** A webhook's due deliveries. */
function dueOf({ id, most, after, inHand, now }: DueOf): RawBuilder<unknown> {
  return sql`
    select d.* from deliveries as d
     where d.webhook_id = ${id} and d.status = 'pending' and d.next_attempt_at <= ${now}
       and (d.next_attempt_at, d.id) > (${after.at}, ${after.id})
       and d.id not in ${inHand}
     order by d.next_attempt_at, d.id
     limit ${most}`
}

/** Deliveries with the payloads of their events, the oldest first. */
async function withEvents(db: Queries, deliveries: RawBuilder<unknown>): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    select d.id, cast(d.next_attempt_at as text) as due_at, d.webhook_id, d.event_id, d.sample_payload, d.attempts_json, d.attempts_made, d.attempts_left,
           e.payload, e.traceparent
      from ${deliveries}
      left join events as e on e.business_id = d.business_id and e.id = d.event_id
     order by d.next_attempt_at, d.id`.execute(db)
  return rows
}

/** What is written of a delivery after an attempt. */
export interface Outcome {
  id: string
  status: string
  attempts_json: string
  attempts_made: number
  attempts_left: number
  /** Null once it is not pending. */
  next_attempt_at: Instant | null
}

/**
 * For the rest of the transaction PostgreSQL looks rows up by their keys: by statistics that are older than the deliveries
 * of a busy minute it would read all of them, to find some hundred. And its commit does not wait for the disk: an outcome
 * that is lost with the power is an attempt made again, with the same `webhook-id`.
 */
async function setForOutcomes(db: Queries): Promise<void> {
  const settings = {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    synchronous_commit: 'off',
  }
  const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  await sql`select ${sql.join(set)}`.execute(db)
}

/** Writes what came of attempts, under leases that are kept. */
export async function writeOutcomes(db: Queries, engine: Engine, outcomes: Outcome[]): Promise<void> {
  if (engine === 'postgres') await setForOutcomes(db)
  const [pending, over] = [outcomes.filter(isPending), outcomes.filter((outcome) => !isPending(outcome))]
  if (over.length > 0) await writeEnds(db, engine, over)
  if (pending.length > 0) await writeRetries(db, engine, pending)
}

function isPending({ status }: Outcome): boolean {
  return status === 'pending'
}

/** What is over: nearly all, so no more is handed to the statement than differs between them. */
async function writeEnds(db: Queries, engine: Engine, outcomes: Outcome[]): Promise<void> {
  const types = { id: 'uuid', status: 'text', attempts_json: 'text', attempts_made: 'integer' } as const
  await sql`
    update deliveries
       set status = o.status, attempts_json = o.attempts_json, attempts_made = o.attempts_made,
           attempts_left = 0, next_attempt_at = null
      from ${jsonRows(engine, types, outcomes.map(asEnd))} as o
     where deliveries.id = o.id`.execute(db)
}

function asEnd({ id, status, attempts_json, attempts_made }: Outcome) {
  return { id, status, attempts_json, attempts_made }
}

/** What is tried again; but not what was given up meanwhile, since its webhook is disabled. */
async function writeRetries(db: Queries, engine: Engine, outcomes: Outcome[]): Promise<void> {
  const types = {
    id: 'uuid',
    attempts_json: 'text',
    attempts_made: 'integer',
    attempts_left: 'integer',
    next_attempt_at: 'timestamptz',
  } as const
  const ifPending = (value: RawBuilder<unknown>, otherwise: RawBuilder<unknown>) =>
    sql`case when deliveries.status = 'pending' then ${value} else ${otherwise} end`
  await sql`
    update deliveries
       set attempts_json = o.attempts_json, attempts_made = o.attempts_made,
           attempts_left = ${ifPending(sql`o.attempts_left`, sql`0`)},
           next_attempt_at = ${ifPending(sql`o.next_attempt_at`, sql`null`)}
      from ${jsonRows(engine, types, outcomes)} as o
     where deliveries.id = o.id`.execute(db)
}
