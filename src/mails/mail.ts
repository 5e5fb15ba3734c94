import { opendir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { invalidCursor, Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, isInstant, plusSeconds, toMs } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import { decodeCursor, pageOf, readLimit } from '../base/wire.ts'
import type { Context } from './context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import {
  countWaiting,
  deleteOldMails,
  eraseMails,
  findMail,
  findMails,
  findMailsAbout,
  findMailsById,
  type MailRow,
  requeueMail,
  type WrittenMail,
} from './mail-queries.ts'
import type { Mail, MailsQuery } from './mail-schemas.ts'
import { mailRoute } from './outbox.ts'
import { mailDirectory } from './send.ts'

type ShownMail = Static<typeof Mail>

/** Lists mails in the caller's scope, the newest first. */
export async function listMails(context: Context, actor: Actor, query: Static<typeof MailsQuery>) {
  const limit = readLimit(query.limit)
  const rows = await findMails(context.db.reads, actor.scope, {
    bookingId: query.booking_id,
    status: query.status,
    businessId: query.business_id,
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor),
    rows: limit + 1,
  })
  return pageOf(rows, limit, {
    present: presentMail,
    cursor: ({ created_at, id }) => ['mail', created_at, id],
  })
}

/** Has a mail that waits or failed sent at once, with as many attempts as a new one; a sent one stays. Throws not_found. */
export async function retryMail(context: Context, actor: Actor, id: string): Promise<ShownMail> {
  const known = (mail: MailRow | undefined): MailRow => {
    if (!mail) throw new Problem('not_found', 'There is no mail with this id.')
    return mail
  }
  const mail = await context.db.transaction(async (tx) => {
    const found = known(isUuid(id) ? await findMail(tx.db, actor.scope, id.toLowerCase()) : undefined)
    const { id: subjectId, business_id: businessId } = found
    if (await requeueMail(tx.db, subjectId, tx.now))
      await recordAudit(context, tx, { by: actor, action: 'mail.retried', subjectId, businessId })
    return known(await findMail(tx.db, actor.scope, subjectId))
  })
  context.dueMails.raise()
  return presentMail(mail)
}

function presentMail(mail: MailRow): ShownMail {
  const time = (instant: Instant) => formatInstant(instant, mail.timezone)
  return {
    id: mail.id,
    booking_id: mail.booking_id,
    kind: mail.kind,
    to: mail.to_email,
    status: mail.status as ShownMail['status'], // superseded ones are not found
    attempts: mail.attempts,
    last_error: mail.last_error,
    created_at: time(mail.created_at),
    sent_at: mail.sent_at && time(mail.sent_at),
  }
}

/** Checks what it decodes: the database would fail on a malformed instant or id. */
function parseCursor(cursor: string): readonly [Instant, string] {
  const [list, instant, id] = decodeCursor(cursor, 3) ?? []
  if (list !== 'mail' || instant === undefined || !isInstant(instant)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [instant, id]
}

type BookingKey = { id: string; business_id: string }

/** Erases clients from the mails about their bookings. Gives those mails: their files are still to be deleted. */
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

/** Mails about bookings, by booking. */
export async function mailsOfBookings(db: Queries, bookings: readonly BookingKey[]) {
  return Map.groupBy(await findMailsAbout(db, bookings), ({ booking_id }) => booking_id)
}

const retentionSeconds = 31 * 86_400

/** Mails that nobody needs to see any more. */
export const oldMails: CleanupJob = {
  name: 'old mails',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldMails(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}

/** As `MailSender` names them; nothing else in the folder is touched. */
const mailFile = /^[0-9a-f-]{36}-[a-z_]+\.eml$/

/** Files of mails, where there is no mail server: as old as the rows that are deleted. */
export const oldMailFiles: CleanupJob = {
  name: 'old files of mails',
  deleteBatch: async ({ config, clock }, max) => {
    if (mailRoute(config) !== 'files') return 0
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
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // no mail yet, or deleted by hand meanwhile
    }
    return deleted
  },
}

/** Metrics need no exact number above this. */
const maxCounted = 100_000

/** Counts mails that wait, with the age of the oldest, for metrics. */
export async function readWaitingMails({
  db,
  clock,
}: Pick<Context, 'db' | 'clock'>): Promise<{ count: number; oldestSeconds: number }> {
  const { count, oldest } = await countWaiting(db.reads, maxCounted)
  const age = oldest === null ? 0 : (toMs(clock.now()) - toMs(oldest)) / 1_000
  return { count, oldestSeconds: Math.max(0, age) }
}
