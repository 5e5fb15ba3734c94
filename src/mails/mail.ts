import { opendir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, plusSeconds, toMs } from '../base/instants.ts'
import { type PageRows, timeCursorOf, readPage } from '../base/paging.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Context } from './context.ts'
import type { Reads, Transaction } from '../database/database.ts'
import {
  countUnseen,
  countWaiting,
  deleteOldMails,
  eraseMails,
  findMail,
  findMails,
  findMailsAbout,
  findMailsById,
  type MailRow,
  markSeen,
  requeueMail,
  type WrittenMail,
} from './mail-queries.ts'
import { retentionSeconds, waitOf } from './mail-rules.ts'
import type { Mail, MailsQuery } from './mail-schemas.ts'
import {
  countUnseenNotices,
  deleteOldNotices,
  findNotices,
  markNoticesSeen,
  type NoticeRow,
  type NoticeTable,
  noticeTables,
  requeueNotice,
} from './notice-queries.ts'
import { mailRoute, mailRouteOf } from './mail-route.ts'
import { mailDirectory } from './send.ts'

type ShownMail = Static<typeof Mail>

type ListedMail = MailRow | NoticeRow

const allNotices = Object.keys(noticeTables) as NoticeTable[]

/** Lists emails in the caller's scope, the newest first: those about bookings, and notices. */
export async function listMails(context: Context, actor: Actor, query: Static<typeof MailsQuery>) {
  const { reads } = context.db
  const find = async (page: PageRows<MailPosition>): Promise<ListedMail[]> => {
    const { status, channel, business_id: businessId, booking_id: bookingId } = query
    const filter = { status, businessId, ...page }
    const lists: ListedMail[][] = [await findMails(reads, actor.scope, { ...filter, channel, bookingId })]
    for (const table of bookingId === undefined ? allNotices : [])
      if (channel === undefined || (channel === 'text') === noticeTables[table])
        lists.push(await findNotices(reads, table, { ...filter, scope: actor.scope }))
    return lists.flat().toSorted(newestFirst).slice(0, page.rows)
  }
  const position = ({ created_at, id }: ListedMail): MailPosition => [created_at, id]
  const page = await readPage(query, { cursor: mailCursor, position, find })
  return { ...page, data: await Promise.all(page.data.map((mail) => presentMail(context, mail))) }
}

type MailPosition = readonly [Instant, string]

const mailCursor = timeCursorOf('mail')

function newestFirst(one: ListedMail, other: ListedMail): number {
  if (one.created_at === other.created_at) return one.id < other.id ? 1 : -1
  return one.created_at < other.created_at ? 1 : -1
}

/**
 * Sends a waiting or failed email at once, with as many attempts as a new one. A sent email stays unchanged. Throws
 * not_found.
 */
export async function retryMail(context: Context, actor: Actor, id: string): Promise<ShownMail> {
  const mail = await context.db.transaction(async (tx) => {
    const uuid = isUuid(id) ? id.toLowerCase() : undefined
    const found = uuid === undefined ? undefined : await findMail(tx.db, actor.scope, uuid)
    if (!found) return retryNotice(context, tx, { actor, id: uuid })
    const { id: subjectId, business_id: businessId } = found
    if (await requeueMail(tx.db, subjectId, tx.now))
      await recordAudit(context, tx, { by: actor, action: 'mail.retried', subjectId, businessId })
    return (await findMail(tx.db, actor.scope, subjectId)) ?? found
  })
  context.dueMails.raise()
  context.dueTexts.raise()
  return presentMail(context, mail)
}

async function retryNotice(
  context: Context,
  tx: Transaction,
  { actor, id }: { actor: Actor; id: string | undefined },
): Promise<NoticeRow> {
  const find = async (table: NoticeTable) =>
    id === undefined ? undefined : (await findNotices(tx.db, table, { scope: actor.scope, id, rows: 1 }))[0]
  for (const table of allNotices) {
    const found = await find(table)
    if (!found) continue
    if (await requeueNotice(tx.db, table, { id: found.id, now: tx.now })) {
      const { scope } = actor
      const of = 'businessId' in scope ? scope : 'hubId' in scope ? scope : {}
      await recordAudit(context, tx, { by: actor, action: 'mail.retried', subjectId: found.id, ...of })
    }
    return (await find(table)) ?? found
  }
  throw new Problem('not_found', 'There is no email with this id.')
}

/** Counts the failed emails of a business that nobody there has seen, at most `maxUnseen`. */
export async function countUnseenMails({ db }: Pick<Context, 'db'>, businessId: string): Promise<number> {
  const [mails, notices] = await Promise.all([
    countUnseen(db.reads, businessId, maxUnseen),
    countUnseenNotices(db.reads, businessId),
  ])
  return Math.min(mails + notices, maxUnseen)
}

/** Larger numbers are shown as this one. */
const maxUnseen = 100

/** Marks the failed emails of a business as seen. */
export async function markMailsSeen(context: Context, businessId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    await markSeen(tx.db, businessId, tx.now)
    await markNoticesSeen(tx.db, businessId, tx.now)
  })
}

async function presentMail(context: Context, mail: ListedMail): Promise<ShownMail> {
  const { config, db, clock } = context
  // a link to a person goes through the server of the operator
  const route =
    mail.business_id === null ? mailRoute(config) : await mailRouteOf(context, db.reads, mail.business_id)
  const phone = mail.to_phone
  const isOn = phone === null ? route !== 'off' : config.smsUrl !== ''
  const wait = waitOf(mail, { now: clock.now(), isOn })
  const time = (instant: Instant) => formatInstant(instant, mail.timezone)
  return {
    id: mail.id,
    booking_id: mail.booking_id,
    waitlist_entry_id: 'waitlist_entry_id' in mail ? mail.waitlist_entry_id : null,
    channel: phone === null ? ('email' as const) : ('text' as const),
    kind: 'asks_for_card' in mail && mail.asks_for_card === 1 ? ('card_due' as const) : mail.kind,
    to: phone ?? mail.to_email,
    // the query excludes superseded ones
    status: mail.status === 'sent' && mail.is_test === 1 ? 'kept' : (mail.status as ShownMail['status']),
    attempts: mail.attempts,
    last_error: mail.last_error,
    waits_for: wait?.reason ?? null,
    waits_until: wait?.until ? time(wait.until) : null,
    created_at: time(mail.created_at),
    sent_at: mail.sent_at && time(mail.sent_at),
    delivered_at: 'delivered_at' in mail && mail.delivered_at ? time(mail.delivered_at) : null,
  }
}

type BookingKey = { id: string; business_id: string }

/** Erases clients from the emails about their bookings. Returns those emails, whose files must still be deleted. */
export async function eraseFromMails(
  tx: Transaction,
  bookings: readonly BookingKey[],
): Promise<{ mails: number; files: WrittenMail[] }> {
  const mails = await findMailsAbout(tx.db, bookings)
  if (mails.length > 0) await eraseMails(tx.db, mails)
  const carriers = mails.flatMap(({ sent_with }) => (sent_with === null ? [] : [sent_with]))
  const files = carriers.length > 0 ? [...mails, ...(await findMailsById(tx.db, carriers))] : mails
  return { mails: mails.length, files }
}

/** Finds emails about bookings, by booking. */
export async function mailsOfBookings(db: Reads, bookings: readonly BookingKey[]) {
  return Map.groupBy(await findMailsAbout(db, bookings), ({ booking_id }) => booking_id)
}

/** Other jobs delete the old rows of the other tables. */
const keptHere = ['user_mails', 'calendar_mails', 'client_text_links', 'webhook_mails'] as const

/** Deletes emails past their retention. */
export const oldMails: CleanupJob = {
  name: 'old mails',
  deleteBatch: ({ db }, max) =>
    db.transaction(async (tx) => {
      const before = plusSeconds(tx.now, -retentionSeconds)
      let deleted = await deleteOldMails(tx.db, before, max)
      for (const table of keptHere)
        deleted += await deleteOldNotices(tx.db, table, { before, max: max - deleted })
      return deleted
    }),
}

/** The file names of `MailSender`. Nothing else in the folder is touched. */
const mailFile = /^[0-9a-f-]{36}-[a-z_]+\.eml$/

/** Deletes files of emails as old as the deleted rows, including those written before a mail server was configured. */
export const oldMailFiles: CleanupJob = {
  name: 'old files of mails',
  deleteBatch: async ({ config, clock }, max) => {
    const directory = mailDirectory(config)
    const before = toMs(clock.now()) - retentionSeconds * 1_000
    let deleted = 0
    try {
      for await (const { name } of await opendir(directory)) {
        if (deleted === max) break
        const path = join(directory, name)
        if (!mailFile.test(name) || (await stat(path)).mtimeMs >= before) continue
        await unlink(path)
        deleted += 1
      }
    } catch (error) {
      // no email yet, or deleted by hand in the meantime
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    return deleted
  },
}

/** Metrics need no exact number above this. */
const maxCounted = 100_000

/** Counts waiting emails and finds the age of the oldest, for metrics. */
export async function readWaitingMails({
  db,
  clock,
}: Pick<Context, 'db' | 'clock'>): Promise<{ count: number; oldestSeconds: number }> {
  const { count, oldest } = await countWaiting(db.reads, maxCounted)
  const age = oldest === null ? 0 : (toMs(clock.now()) - toMs(oldest)) / 1_000
  return { count, oldestSeconds: Math.max(0, age) }
}
