import type { Actor } from '../access/actor.ts'
import { clientEmailOf, hasEmail } from '../base/contact-formats.ts'
import { type Instant, plusSeconds } from '../base/instants.ts'
import { allOf, type Transaction } from '../database/database.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { MailKind } from '../database/tables.ts'
import type { Context } from './context.ts'
import { mailRouteOf } from './mail-route.ts'
import { textNumberOf, textToSend, type TextSubject } from './text-route.ts'
import {
  type Caused,
  changeOccasion,
  chargeWaitSeconds,
  depositDueSeconds,
  disputeOccasion,
  feeOccasion,
  isCausedByBusiness,
  type MailSubject,
  paidOccasion,
  type RequestEnd,
  tidingsOf,
} from './mail-rules.ts'
import {
  endWaitForCharge,
  insertMails,
  type NewMails,
  restoreMailOf,
  type ToldChange,
  waitForCharge,
  withdrawMailOf,
} from './outbox-queries.ts'

/*
 * Emails are written in the transaction of the change, one row for each recipient. `mail-worker.ts` sends them. After a
 * rollback nothing is sent, and after a commit they survive every crash.
 */

const writeMails = sharedStatement({
  writes: true,
  step: 1, // after their bookings
  run: async (db, members: readonly NewMails[]): Promise<number[]> => {
    const written = await insertMails(db, members)
    return members.map(() => written)
  },
})

const noText = { text_kind: null, to_phone: '' } as const

interface Told extends MailSubject, Caused, TextSubject {
  id: string
  business_id: string
  version: number
  client_email: string
  created_at: Instant
}

interface News {
  before: MailSubject | undefined
  after: Told
  notify?: boolean
  /** The author of the change, because people receive no emails about their own changes. */
  by?: Actor
  /**
   * Seconds that emails wait. A change that is undone within that time is reported to nobody. At most
   * `maxDelaySeconds`.
   */
  delaySeconds?: number
}

/**
 * Records the emails about a change in its transaction. `before` is undefined for a new booking. With `notify` false
 * the client gets none. Sending begins after the commit.
 */
export async function recordMails(
  {
    config,
    ids,
    dueMails,
    dueTexts,
    cache,
  }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'dueTexts' | 'cache'>,
  tx: Transaction,
  { before, after, notify = true, by, delaySeconds = 0 }: News,
): Promise<void> {
  const hasMail = (await mailRouteOf({ config, cache }, tx.db, after.business_id)) !== 'off'
  if (!hasMail && config.smsUrl === '') return
  const tidings = tidingsOf(before, after, endedBy(by))
  const isTold = notify && after.ends_at > tx.now
  const mayTell = hasMail && isTold && hasEmail(after.client_email)
  const client = mayTell ? tidings.client : undefined
  const business = hasMail ? tidings.business : undefined
  const kind = isTold ? textKindOf(tidings.client) : undefined
  const text = await textToSend({ config, cache }, tx.db, { booking: after, kind })
  const mail = {
    business_id: after.business_id,
    booking_id: after.id,
    occasion: changeOccasion(after.version, before, after),
    to_email: after.client_email,
    recipient: clientEmailOf(after.client_email),
    by_email: by?.type === 'person' ? by.email.toLowerCase() : '',
    caused_by: causeOf(after, by),
    created_at: tx.now,
  }
  const [written] = await allOf([
    client || business || text.text_kind
      ? writeMails(tx, {
          ...{ ...mail, id: ids.next(), due_at: plusSeconds(tx.now, delaySeconds) },
          ...{ client_kind: client ?? null, business_kind: business ?? null, ...text },
        })
      : 0,
    mayTell && tidings.deposit
      ? writeMails(tx, {
          ...{ ...mail, id: ids.next(), due_at: depositDueAt(after, tx.now) },
          ...{ client_kind: 'deposit_due', business_kind: null, ...noText },
        })
      : 0,
  ])
  if (written === 0) return
  tx.onCommit(() => {
    dueMails.raise()
    if (text.text_kind) dueTexts.raise()
  })
}

/** Returns who ended a request by the author of the change. */
export function endedBy(by: Actor | undefined): RequestEnd {
  if (!by) return 'time'
  return by.type === 'session' || by.type === 'manage' ? 'client' : 'business'
}

/** Returns the kind of the text message in place of an email. A request that ends is like a cancelled booking. */
function textKindOf(kind: MailKind | undefined): MailKind | undefined {
  return kind === 'declined' || kind === 'unanswered' ? 'cancelled' : kind
}

/**
 * Records the email that reminds the business of a request, in a transaction that has locked its booking. Emails to
 * clients stay as they are.
 */
export async function recordAnswerDue(
  { config, ids, dueMails, cache }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'cache'>,
  tx: Transaction,
  booking: Told,
): Promise<void> {
  if ((await mailRouteOf({ config, cache }, tx.db, booking.business_id)) === 'off') return
  await writeMails(tx, {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id },
    ...{ occasion: answerDue, client_kind: null, business_kind: answerDue, ...noText },
    ...{ to_email: '', recipient: '', by_email: '', caused_by: '' as const },
    ...{ created_at: tx.now, due_at: tx.now },
  })
  tx.onCommit(() => dueMails.raise())
}

const answerDue = 'answer_due'

/**
 * All emails about a booking that no cap by address counts are caused by its business. Otherwise, it could have one
 * visitor of a trusted network, or one holder of many manage links, send any number.
 */
function causeOf(booking: Caused, by: Actor | undefined): NewMails['caused_by'] {
  const isOfBusiness = by && ['business', 'hub', 'person'].includes(by.type)
  return isOfBusiness || isCausedByBusiness(booking) ? 'business' : ''
}

/**
 * Records an email that shows a booking to its client again, with its link, at most one a minute. Returns false if none
 * can be sent or the booking is over.
 */
export async function recordMailAgain(
  { config, ids, dueMails, cache }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'cache'>,
  tx: Transaction,
  { booking, by }: { booking: Told; by: Actor },
): Promise<boolean> {
  const isTold = hasEmail(booking.client_email) && isAhead(booking, tx.now)
  if (!isTold || (await mailRouteOf({ config, cache }, tx.db, booking.business_id)) === 'off') return false
  await writeMails(tx, {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id },
    occasion: `again/${tx.now.slice(0, 'yyyy-mm-ddThh:mm'.length)}`,
    ...{ client_kind: againKind(booking), business_kind: null },
    ...noText,
    ...{ to_email: booking.client_email, recipient: clientEmailOf(booking.client_email) },
    ...{ by_email: '', caused_by: causeOf(booking, by) },
    ...{ created_at: tx.now, due_at: tx.now },
  })
  tx.onCommit(() => dueMails.raise())
  return true
}

/**
 * Records the email about the payment of a deposit that was due after the confirmation. It confirms the booking again,
 * unless the booking is over.
 */
export async function recordPaymentMail(
  { config, ids, dueMails, cache }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'cache'>,
  tx: Transaction,
  booking: Told,
): Promise<void> {
  const isTold = hasEmail(booking.client_email) && isAhead(booking, tx.now)
  if (!isTold || booking.payment_id === null) return
  if ((await mailRouteOf({ config, cache }, tx.db, booking.business_id)) === 'off') return
  await writeMails(tx, {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id },
    ...{
      occasion: paidOccasion(booking.payment_id),
      client_kind: 'confirmed',
      business_kind: null,
      ...noText,
    },
    ...{ to_email: booking.client_email, recipient: clientEmailOf(booking.client_email) },
    ...{ by_email: '', caused_by: causeOf(booking, undefined) },
    ...{ created_at: tx.now, due_at: tx.now },
  })
  tx.onCommit(() => dueMails.raise())
}

/** Records the email about a refund, which says how much comes back. `occasion` names the refund. */
export async function recordRefundMail(
  { config, ids, dueMails, cache }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'cache'>,
  tx: Transaction,
  { booking, by, occasion }: { booking: Told; by: Actor; occasion: string },
): Promise<void> {
  if (!hasEmail(booking.client_email)) return
  if ((await mailRouteOf({ config, cache }, tx.db, booking.business_id)) === 'off') return
  await writeMails(tx, {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id },
    ...{ occasion: `refund/${occasion}`, client_kind: 'refunded', business_kind: null, ...noText },
    ...{ to_email: booking.client_email, recipient: clientEmailOf(booking.client_email) },
    ...{ by_email: '', caused_by: causeOf(booking, by) },
    ...{ created_at: tx.now, due_at: tx.now },
  })
  tx.onCommit(() => dueMails.raise())
}

/**
 * Has the emails about a late cancellation wait for the outcome of its charge, in the transaction that wrote them. One
 * email then reports both.
 */
export function awaitCharge(
  tx: Transaction,
  { id, business_id }: Pick<Told, 'id' | 'business_id'>,
  chargedAt: Instant,
): Promise<void> {
  const until = plusSeconds(chargedAt, chargeWaitSeconds)
  return waitForCharge(tx.db, { booking_id: id, business_id }, { now: tx.now, until })
}

/** Ends that wait in the transaction that records the outcome. */
export async function endAwaitedCharge(
  { dueMails }: Pick<Context, 'dueMails'>,
  tx: Transaction,
  { id, business_id }: Pick<Told, 'id' | 'business_id'>,
): Promise<void> {
  const waited = await endWaitForCharge(tx.db, { booking_id: id, business_id }, tx.now)
  if (waited) tx.onCommit(() => dueMails.raise())
}

interface FeeNews {
  booking: Told
  kind: 'fee_paid' | 'fee_due' | 'fee_waived'
  paymentId: string
  /** The amount that the client need not pay, in minor units. */
  waived?: number
}

/**
 * Records the email about a fee: it was charged, is to be paid by a link, or was waived. Clients without an email
 * address get a text message about the last two if they agreed to text messages.
 */
export async function recordFeeMail(
  {
    config,
    ids,
    dueMails,
    dueTexts,
    cache,
  }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'dueTexts' | 'cache'>,
  tx: Transaction,
  { booking, kind, paymentId, waived }: FeeNews,
): Promise<void> {
  const isMailed = hasEmail(booking.client_email)
  if (isMailed && (await mailRouteOf({ config, cache }, tx.db, booking.business_id)) === 'off') return
  const number = isMailed || kind === 'fee_paid' ? undefined : textNumberOf(booking, config)
  if (!isMailed && number === undefined) return
  await writeMails(tx, {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id },
    ...{ occasion: feeOccasion(paymentId, waived), client_kind: isMailed ? kind : null, business_kind: null },
    ...(number === undefined ? noText : { text_kind: kind, to_phone: number }),
    ...{ to_email: booking.client_email, recipient: clientEmailOf(booking.client_email) },
    ...{ by_email: '', caused_by: causeOf(booking, undefined) },
    ...{ created_at: tx.now, due_at: tx.now },
  })
  tx.onCommit(() => (isMailed ? dueMails : dueTexts).raise())
}

/** A payment about which the business has to know. */
type TeamsMoney = { paymentId: string } & (
  { kind: 'charge_failed' } | { kind: 'disputed'; dispute: Parameters<typeof disputeOccasion>[1] }
)

/** Records the email to the business about a charge that failed, or a disputed payment. */
export async function recordMoneyNotice(
  { config, ids, dueMails, cache }: Pick<Context, 'config' | 'ids' | 'dueMails' | 'cache'>,
  tx: Transaction,
  { booking, ...news }: TeamsMoney & { booking: Pick<Told, 'id' | 'business_id'> },
): Promise<void> {
  if ((await mailRouteOf({ config, cache }, tx.db, booking.business_id)) === 'off') return
  const { kind, paymentId } = news
  const occasion = kind === 'disputed' ? disputeOccasion(paymentId, news.dispute) : feeOccasion(paymentId)
  await writeMails(tx, {
    ...{ id: ids.next(), business_id: booking.business_id, booking_id: booking.id },
    ...{ occasion, client_kind: null, business_kind: kind, ...noText },
    ...{ to_email: '', recipient: '', by_email: '', caused_by: '' as const },
    ...{ created_at: tx.now, due_at: tx.now },
  })
  tx.onCommit(() => dueMails.raise())
}

/** Returns the kind of the email that shows a booking again. */
function againKind({ respond_by, confirmed_at }: Told): MailKind {
  if (respond_by !== null) return 'requested'
  return confirmed_at === null ? 'deposit_due' : 'confirmed'
}

function isAhead({ status, ends_at }: Pick<Told, 'status' | 'ends_at'>, now: Instant): boolean {
  return ['pending', 'confirmed'].includes(status) && ends_at > now
}

function depositDueAt({ created_at }: Told, now: Instant): Instant {
  const due = plusSeconds(created_at, depositDueSeconds)
  return due > now ? due : now
}

/** Withdraws the email to the client about a change if it has not been sent yet. Returns true if it did. */
export function withdrawMail(
  tx: Transaction,
  { change, until }: { change: ToldChange; until: Instant },
): Promise<boolean> {
  return withdrawMailOf(tx.db, change, { now: tx.now, until })
}

/** Restores a withdrawn email. Returns true if there was one. */
export async function restoreMail(
  { dueMails }: Pick<Context, 'dueMails'>,
  tx: Transaction,
  { change, until }: { change: ToldChange; until: Instant },
): Promise<boolean> {
  const isRestored = await restoreMailOf(tx.db, change, until)
  if (isRestored) tx.onCommit(() => dueMails.raise())
  return isRestored
}
