import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { invalidCursor, Problem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, isInstant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import { decodeCursor, pageOf, readLimit } from '../http/wire.ts'
import type { Context } from './context.ts'
import { deleteOldMails, findMail, findMails, type MailRow, requeueMail } from './mail-queries.ts'
import type { Mail, MailsQuery } from './mail-schemas.ts'

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
    await requeueMail(tx.db, found.id, tx.now)
    return known(await findMail(tx.db, actor.scope, found.id))
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

const retentionSeconds = 31 * 86_400

/** Mails that nobody needs to see any more. */
export const oldMails: CleanupJob = {
  name: 'old mails',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldMails(tx.db, plusSeconds(tx.now, -retentionSeconds), max)),
}
