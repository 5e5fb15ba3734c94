import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { isUuid } from '../base/ids.ts'
import { internationalNumber } from '../base/phone-countries.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Context } from './context.ts'
import {
  deleteOldCounts,
  deleteStop,
  deleteStopOf,
  findAgreements,
  findSegments,
  findStop,
  insertStop,
  type StoppedClient,
  writeDelivery,
} from './text-queries.ts'
import { monthOf } from './text-rules.ts'
import { type TextReport, wishIn } from './text-sender.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'

/** Applies a report of the provider: a delivery, or an answer that ends text messages or allows them again. */
export async function noteReport(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  report: TextReport,
): Promise<void> {
  const phone = report.type === 'answer' ? report.from : ''
  const digest = await stopDigestOf({ secret }, phone)
  await db.transaction(async (tx) => {
    if (report.type === 'delivered' || report.type === 'failed') {
      if (!isUuid(report.id)) return
      const error = report.type === 'failed' ? report.error : null
      await writeDelivery(tx.db, { id: report.id, error, now: tx.now })
    } else if (report.type === 'answer') {
      const wish = wishIn(report.text)
      if (wish === 'stop') await insertStop(tx.db, { phone, digest }, tx.now)
      if (wish === 'start') await deleteStop(tx.db, digest)
    }
  })
}

/** Returns the digest under which a number that answered STOP is stored. Call it outside transactions. */
export async function stopDigestOf({ secret }: Pick<Context, 'secret'>, phone: string): Promise<string> {
  return (await secret.digester('text opt-out'))(phone)
}

/** A client whose STOP somebody of their business sees and ends. */
interface TextedClient {
  id: string
  business_id: string
  phone: string | null
  /** Time zone of the business, to whose country a number without a prefix belongs. */
  timezone: string
}

/** Returns when a client answered STOP. Undefined if they get text messages, or never agreed to any. */
export async function stoppedAt(
  context: Pick<Context, 'db' | 'secret' | 'config'>,
  client: TextedClient,
): Promise<Instant | undefined> {
  const stopped = await stoppedClient(context, client)
  return stopped && findStop(context.db.reads, stopped)
}

/**
 * Returns when a client agreed to text messages to a number. Undefined if their last booking with it has no agreement, or
 * if this server sends no texts. Only for people of the business: the number may be a stranger's.
 */
export async function agreedAt(
  { db, config }: Pick<Context, 'db' | 'config'>,
  { id, business_id, phone, timezone }: TextedClient,
): Promise<Instant | undefined> {
  const number = phone === null ? undefined : internationalNumber(phone, timezone)
  if (config.smsUrl === '' || number === undefined) return undefined
  const all = await findAgreements(db.reads, { businessId: business_id, clientId: id })
  const last = all.find(({ client_phone }) => internationalNumber(client_phone ?? '', timezone) === number)
  return last?.text_agreed_at ?? undefined
}

/** Ends the STOP of a client, who asked the business for it. */
export async function allowTexts(
  context: Pick<Context, 'db' | 'secret' | 'config' | 'ids'>,
  by: Actor,
  client: TextedClient,
): Promise<void> {
  const stopped = await stoppedClient(context, client)
  if (!stopped) return
  const { clientId: subjectId, businessId } = stopped
  await context.db.transaction(async (tx) => {
    if (await deleteStopOf(tx.db, stopped))
      await recordAudit(context, tx, { by, action: 'client.texts_allowed', subjectId, businessId })
  })
}

async function stoppedClient(
  context: Pick<Context, 'secret' | 'config'>,
  { id, business_id, phone, timezone }: TextedClient,
): Promise<StoppedClient | undefined> {
  const number = phone === null ? undefined : internationalNumber(phone, timezone)
  if (context.config.smsUrl === '' || number === undefined) return undefined
  return { businessId: business_id, clientId: id, digest: await stopDigestOf(context, number) }
}

/** Returns the segments that a business has sent in the present month. */
export function segmentsThisMonth(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  businessId: string,
): Promise<number> {
  return findSegments(db.reads, { businessId, month: monthOf(clock.now()) })
}

const keptSeconds = 400 * 86_400

/** Deletes the counts of months that ended more than a year ago. */
export const oldTextCounts: CleanupJob = {
  name: 'old counts of text messages',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldCounts(tx.db, monthOf(plusSeconds(tx.now, -keptSeconds)), max)),
}
