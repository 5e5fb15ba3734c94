import { dialled, erasedName, fullName } from '../base/contact-formats.ts'
import type { Instant } from '../base/instants.ts'
import { type Language, languageFor } from '../base/languages.ts'
import type { Money } from '../catalogue/catalogue-types.ts'
import type { MailKind } from '../database/tables.ts'
import { type Appointment, calendarFile, calendarMethod } from './calendar.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { clientsTimes, clientsZone, namedMoment } from './client-zone.ts'
import { chargeFailureOf } from '../catalogue/charge-failure-rules.ts'
import { feeReason, feeSentence } from './fee-sentence.ts'
import { mailKinds } from './mail-rules.ts'
import {
  clockTime,
  daysBetween,
  longDate,
  moneyText,
  priceText,
  shortDate,
  spanText,
  timesLine,
  timesOf,
} from './times-and-money.ts'

/** The contents of an email. Nothing in it is escaped yet. */
export interface MailView {
  kind: MailKind
  audience: 'client' | 'business'
  /** True if a deposit that was due after the confirmation has been paid. */
  reportsPayment: boolean
  /** Requested languages (BCP 47), of which the first supported one is used. The last is the business's. */
  locales: (string | null)[]
  business: {
    name: string
    color: string | null
    /** Absolute. */
    logoUrl?: string | null
    phone: string | null
    replyTo: string | null
    imprintUrl?: string | null
    privacyUrl?: string | null
  }
  booking: {
    id: string
    version: number
    isConfirmed: boolean
    /** When a request ends without an answer. Null for anything else. */
    respondBy?: Instant | null
    serviceName: string
    locationName: string
    address: string | null
    onlineUrl: string | null
    staffName: string | null
    /** The services of a visit, also those that a change has removed. Empty if it is and was one service. */
    items: MailItem[]
    startsAt: Instant
    endsAt: Instant
    /** Changed parts as the recipient knows them, null for unchanged ones. Null if nothing changed. */
    before: { startsAt: Instant | null; endsAt: Instant | null; staffName: string | null } | null
    /** Time zone of the location. */
    timezone: string
    /** Time zone of the client. Null: unknown. */
    clientZone: string | null
    price: Money | null
    /** The reduction by a coupon. */
    discount?: (Money & { code: string }) | null
    /** `payUntil`: when an unpaid booking expires, or the start of one that stands. */
    deposit:
      | (Money & {
          kind: 'deposit' | 'full' | 'card'
          state: 'due' | 'paid' | 'refunded' | 'later'
          payUntil: Instant | null
        })
      | null
    /** A part of the payment that was refunded. Null if none, or all of it. */
    returned: Money | null
    /** The price minus the deposit, to pay on site. Null without a deposit or a remainder. */
    left: Money | null
    client: { firstName: string; lastName: string; email: string; phone: string | null }
    /** A null label belongs to a question that the service no longer asks. */
    answers: { label: string | null; value: Answer }[]
    /** To which the client has agreed. */
    terms?: string | null
    notes: string | null
    cancelReason: string | null
    /** Absent for a booking that stands alone. */
    series?: {
      /** Number of bookings that the email reports. */
      reports: number
      /** All dates ahead; in an email about a cancellation, the cancelled ones. */
      dates: Dates
      /** The dates that stay after a cancellation. */
      left: Dates
    }
  }
  /** The fee that the email is about. `reason` is a word of Holdfast, or of the business. */
  fee?: Money & {
    reason: string
    payUrl: string | null
    /** The processor's word for the card that was not charged. The client then pays by a link. */
    failure?: string | null
    /** True if it was paid, and is waived now. */
    isReturned?: boolean
  }
  /** The state of the dispute in the email. `fee` is then the disputed payment, which has a reason only if it is a fee. */
  dispute?: 'open' | 'won' | 'lost' | undefined
  /** The refund that the email is about, with all so far, and what is left of the payment. */
  refund?: Record<'now' | 'soFar' | 'rest', Money> & { isOfFee: boolean }
  /** The cost of a cancellation: charged to the card, and kept of the payment. Absent for a booking without fees. */
  cancelCost?: { charged: CancelCharge | null; kept: Money | null } | undefined
  /** The booking, for its agreed fees. */
  feeRules?: Parameters<typeof feeSentence>[0]
  /** Null: there is none. */
  manageUrl: string | null
  payUrl: string | null
  /** Deadline for the client to cancel. Null: never possible, or always. */
  cancelUntil: Instant | null
  /** Deadline for the client to move it. Null: never possible. */
  moveUntil: Instant | null
  /** URL that stops reminders. Only in reminders. */
  offUrl: string | null
  ownUrl: string | null
  /** URL of the booking in the console. Only for the business. */
  consoleUrl: string | null
  /** Page on which the business confirms or declines a request. Null for anything else. */
  answerUrl?: string | null
  /** Free times in place of a request that ended, each with the page that books it. */
  otherTimes?: readonly { startsAt: Instant; url: string }[]
  /** The page of the client on the waiting list, to which an ended request has brought them back. */
  waitUrl?: string | null
  now: Instant
  /** The organizer of the calendar part. */
  from: { address: string }
}

/** The fees of a cancellation. `failure` is the processor's word for the card that was not charged. */
type CancelCharge = Money & {
  state: 'charging' | 'due' | 'paid'
  failure: string | null
  /** The checkouts of those that are due. */
  payUrls: string[]
}

type Dates = { startsAt: Instant; endsAt: Instant }[]
/** Kinds of emails about a booking that has ended. */
export const endKinds: ReadonlySet<MailKind> = new Set(['cancelled', 'declined', 'unanswered'])

/** The answer to a custom field. */
export type Answer = string | number | boolean | string[]

/** One service of a visit. */
export interface MailItem {
  serviceName: string
  staffName: string | null
  startsAt: Instant
  endsAt: Instant
  /** For its whole party. */
  price: Money | null
  /** In an email about a change: `new` is unknown to the recipient, `removed` no longer booked. */
  state: 'booked' | 'new' | 'removed'
  /** Changed parts as the recipient knows them, null for unchanged ones. */
  before: { startsAt: Instant | null; staffName: string | null }
}

/** An email without its envelope. */
export interface RenderedMail {
  subject: string
  text: string
  html: string
  /** For the client's calendar. */
  calendar: CalendarPart | null
  /** For the other dates of a series. */
  moreCalendars?: CalendarPart[]
}

interface CalendarPart {
  method: 'REQUEST' | 'CANCEL'
  content: string
}

/** Renders an email about one booking. `others` of its series have a calendar part each. */
export function renderMail(view: MailView, others: readonly MailView[] = []): RenderedMail {
  const language = languageFor(...view.locales)
  const subject = oneLine(subjectOf(view, language))
  const blocks = view.audience === 'client' ? clientBlocks(view, language) : ownerBlocks(view, language)
  const { direction, locale } = language
  const page = { title: subject, locale, direction, business: view.business }
  const moreCalendars = others.flatMap((other) => calendarOf(other) ?? [])
  return {
    ...{ subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: calendarOf(view) },
    ...(moreCalendars.length > 0 && { moreCalendars }),
  }
}

/** Returns one line of an email about many bookings. */
export function lineOf(view: MailView): string {
  const language = languageFor(...view.locales)
  return oneLine(ownerSubject(view, language))
}

/** Renders one email about many bookings, a line each. `more` is the number of bookings without a line. */
export function renderMany(
  { business, locales, consoleUrl }: Pick<MailView, 'business' | 'locales' | 'consoleUrl'>,
  lines: string[],
  more: number,
): RenderedMail {
  const { say, locale, direction } = languageFor(...locales)
  const count = lines.length + more
  const subject = oneLine(`${say('mail.many.subject', { count })} – ${business.name}`)
  const page = { title: subject, locale, direction, business }
  const blocks: Block[] = [
    { type: 'paragraph', text: say('mail.many.intro') },
    { type: 'list', lines },
    ...(more > 0 ? [{ type: 'paragraph' as const, text: say('mail.many.more', { count: more }) }] : []),
    ...(consoleUrl ? [{ type: 'button' as const, label: say('mail.openConsole'), url: consoleUrl }] : []),
  ]
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

function subjectOf(view: MailView, language: Language): string {
  const { kind, audience, booking, business, now } = view
  const { say } = language
  if (audience === 'business') return `${ownerSubject(view, language)} – ${business.name}`
  const times = clientsTimes(booking, language)
  const common = { service: countedService(booking, language), business: business.name, ...times }
  if (kind !== 'reminder')
    return say('mail.subject', { ...common, what: say(`mail.${newsOf(view)}.subject`) })
  const days = daysBetween(now, booking.startsAt, leadingZone(view))
  const day = days === 0 ? say('mail.today') : days === 1 ? say('mail.tomorrow') : times.date
  return say('mail.reminder.subject', { ...common, day })
}

type News =
  | ('confirmed' | 'changed' | 'cancelled' | 'cancelled_due' | 'deposit_due' | 'paid')
  | ('requested' | 'declined' | 'unanswered' | 'refunded')
  | ('card_due' | 'card_saved' | 'fee_paid' | 'fee_received' | 'fee_due')
  | ('fee_asked' | 'fee_waived' | 'fee_returned')

/** Returns the news in an email to a client, except a reminder. A due deposit comes first, because it asks for something. */
export function newsOf({ kind, reportsPayment, booking, payUrl, fee, cancelCost }: MailView): News {
  if (kind === 'changed' || kind === 'requested' || kind === 'refunded') return kind
  if (kind === 'fee_due') return fee?.failure === 'no_card' ? 'fee_asked' : kind
  if (kind === 'fee_paid') return fee?.failure ? 'fee_received' : kind
  if (kind === 'fee_waived') return fee?.isReturned === true ? 'fee_returned' : kind
  if (kind === 'cancelled') return cancelCost?.charged?.state === 'due' ? 'cancelled_due' : kind
  if (kind === 'declined' || kind === 'unanswered') return kind
  const isCard = booking.deposit?.kind === 'card'
  if (kind === 'deposit_due' || (payUrl !== null && booking.deposit?.state === 'due'))
    return isCard ? 'card_due' : 'deposit_due'
  if (!reportsPayment || booking.deposit?.state !== 'paid') return 'confirmed'
  return isCard ? 'card_saved' : 'paid'
}

const ownerKinds = [
  ...(['changed', 'cancelled', 'requested', 'answer_due', 'unanswered'] as const),
  'charge_failed' as const,
] as const

type OwnerNews =
  'booked' | 'cancelled_due' | (typeof ownerKinds)[number] | `disputed_${NonNullable<MailView['dispute']>}`

/** Returns the news in an email to the business. */
function ownerNews({
  kind,
  dispute,
  cancelCost,
}: Pick<MailView, 'kind' | 'dispute' | 'cancelCost'>): OwnerNews {
  if (isChargeFailed(cancelCost)) return 'cancelled_due'
  return dispute ? `disputed_${dispute}` : (ownerKinds.find((one) => one === kind) ?? 'booked')
}

/** True if the card was tried for a late cancellation, and not charged. */
function isChargeFailed(cancelCost: MailView['cancelCost']): boolean {
  const { state, failure = null } = cancelCost?.charged ?? {}
  return state === 'due' && failure !== null && failure !== 'no_card'
}

function ownerSubject(view: MailView, language: Language): string {
  const { booking } = view
  const { client, staffName } = booking
  const { date, time } = timesOf(booking, language)
  const what = language.say(`mail.owner.${ownerNews(view)}.subject`)
  const parts = [nameOf(client, language), countedService(booking, language), `${date} ${time}`, staffName]
  return `${what}: ${parts.filter(Boolean).join(', ')}`
}

/** Returns the service for a subject, with the number of dates if the email reports several of a series. */
function countedService({ serviceName: service, series }: MailView['booking'], { say }: Language): string {
  const count = series?.reports ?? 1
  return count > 1 ? say('mail.series.counted', { service, count }) : service
}

/** As in the console, an erased client has neither name nor address. */
/** Languages that greet strangers by their whole name. */
const formal = new Set(['de', 'fr', 'it', 'ja', 'pl'])

type NamedClient = Omit<MailView['booking']['client'], 'phone'>

/** Returns the name in a greeting: the whole one where a first name is too familiar. */
export function greetedName(client: NamedClient, language: Language): string {
  return formal.has(language.name) ? nameOf(client, language) : unlinked(client.firstName)
}

function nameOf({ firstName, lastName, email }: NamedClient, { say }: Language): string {
  const isErased = firstName === erasedName && email === ''
  return isErased ? say('mail.erasedClient') : unlinked(fullName(firstName, lastName))
}

/**
 * Returns a name that email programs do not turn into a link. A word joiner follows each dot between letters, including
 * the dots of IDNA. Letters of many scripts have marks, and domains may consist of symbols.
 */
export function unlinked(name: string): string {
  return name.replaceAll(
    /(?<=[\p{L}\p{N}\p{M}\p{So}]\p{DI}*)[.\u3002\uff0e\uff61](?=\p{DI}*\p{L}[\p{M}\p{DI}]*\p{L})/gu,
    '$&\u2060',
  )
}

/** Returns the zone of the times in an email: for online meetings the client's, otherwise that of the location. */
function leadingZone({ audience, booking }: Pick<MailView, 'audience' | 'booking'>): string {
  return audience === 'client' ? clientsZone(booking) : booking.timezone
}

function clientBlocks(view: MailView, language: Language): Block[] {
  const { kind, booking, business, manageUrl, payUrl, offUrl, now } = view
  const { say } = language
  if (view.fee) return feeBlocks(view, view.fee, language)
  const isOver = endKinds.has(kind)
  const isCard = booking.deposit?.kind === 'card'
  const news = kind === 'reminder' ? kind : newsOf(view)
  // a deposit that is due later does not affect the booking
  const ofSeries = news === 'cancelled_due' ? 'cancelled' : news
  const intro = say(
    (booking.series?.reports ?? 1) > 1 &&
      (ofSeries === 'confirmed' || ofSeries === 'changed' || ofSeries === 'cancelled')
      ? `mail.series.${ofSeries}`
      : `mail.${asksAfterwards(news, booking) ? 'confirmed' : news}.intro`,
    { ...deadline(view, language), ...refundedAmount(view, language) },
  )
  const action = payUrl && !isOver ? { label: say(isCard ? 'mail.saveCard' : 'mail.pay'), url: payUrl } : null
  const payUntil = action && booking.deposit?.payUntil
  const manage = manageUrl
    ? { label: say(isOver ? 'mail.manageCancelled' : 'mail.manage'), url: manageUrl }
    : null
  const isManageMain = !action && !isOver
  return [
    { type: 'paragraph', text: say('mail.greeting', { name: greetedName(view.booking.client, language) }) },
    { type: 'paragraph', text: intro },
    card(view, language),
    ...cancelCostBlocks(view, language),
    ...seriesBlocks(view, language),
    ...otherTimes(view, language),
    ...backOnList(view, language),
    ...(payUntil && payUntil > now
      ? [
          {
            type: 'paragraph' as const,
            text: say(deadlineKey(booking), {
              time: told(payUntil, view, language),
            }),
          },
        ]
      : []),
    ...(action ? [{ type: 'button' as const, ...action }] : []),
    ...(manage && isManageMain ? [{ type: 'button' as const, ...manage }] : []),
    ...(manage && !isManageMain ? [{ type: 'link' as const, ...manage }] : []),
    ...(manage && kind === 'requested' ? [{ type: 'small' as const, text: say('manage.always') }] : []),
    ...(manage && !isOver && kind !== 'requested' ? policyLines(view, language) : []),
    ...(manage && !isOver && kind !== 'requested' ? refundLine(view, language) : []),
    ...(isOver ? [] : feeLine(view, language)),
    ...contactBlocks(business, language),
    ...legalBlocks(view, language),
    ...(offUrl
      ? [
          {
            type: 'link' as const,
            label: say('mail.noReminders', { business: business.name }),
            url: offUrl,
            isSmall: true,
          },
        ]
      : []),
  ]
}

/** True if a deposit or a card is due, but does not affect the booking. */
function asksAfterwards(news: News | 'reminder', { isConfirmed }: MailView['booking']): boolean {
  return isConfirmed && (news === 'deposit_due' || news === 'card_due')
}

function deadlineKey({ isConfirmed, deposit }: MailView['booking']) {
  if (deposit?.kind === 'card') return isConfirmed ? 'mail.saveCardBefore' : 'mail.saveCardUntil'
  return isConfirmed ? 'mail.payBefore' : 'mail.payUntil'
}

/** Says how much the cancellation costs, or that it is free, with a button to pay what is due. */
function cancelCostBlocks({ cancelCost }: MailView, language: Language): Block[] {
  if (!cancelCost) return []
  const { say, locale } = language
  const { charged, kept } = cancelCost
  const { failure = null, payUrls = [] } = charged ?? {}
  const why = charged?.state === 'due' && failure !== null ? chargeFailureOf(failure) : 'other'
  const texts = [
    ...(charged
      ? [say(`mail.cancelCost.${costWords(charged)}`, { amount: moneyText(charged, locale) })]
      : []),
    ...(why === 'other' || why === 'no_card' ? [] : [say(`mail.fee_due.why.${why}`)]),
    ...(kept ? [say('mail.cancelCost.kept', { amount: moneyText(kept, locale) })] : []),
  ]
  return [
    { type: 'paragraph', text: texts.length > 0 ? texts.join(' ') : say('mail.cancelCost.none') },
    ...payUrls.map((url): Block => ({ type: 'button', label: say('mail.pay'), url })),
  ]
}

function costWords({ state, failure }: CancelCharge): 'asked' | 'due' | 'paid' | 'received' | 'charged' {
  if (state === 'due') return failure === 'no_card' ? 'asked' : state
  if (state === 'paid') return failure === null ? state : 'received'
  return 'charged'
}

/** States what a late cancellation and a no-show cost. */
function feeLine({ feeRules }: MailView, language: Language): Block[] {
  const text = feeRules ? feeSentence(feeRules, language) : ''
  return text === '' ? [] : [{ type: 'small', text }]
}

/** States until when a payment in advance comes back. With fees, their sentences do. */
function refundLine(view: MailView, language: Language): Block[] {
  const { booking, cancelUntil, now } = view
  const isPayment = booking.deposit !== null && booking.deposit.kind !== 'card'
  if (!isPayment || !cancelUntil || cancelUntil <= now || feeLine(view, language).length > 0) return []
  return [{ type: 'small', text: language.say('booking.refundUntil') }]
}

/** Returns the receipt of a fee, or the request to pay it. */
function feeBlocks(view: MailView, fee: NonNullable<MailView['fee']>, language: Language): Block[] {
  const { say, locale } = language
  return [
    { type: 'paragraph', text: say('mail.greeting', { name: greetedName(view.booking.client, language) }) },
    {
      type: 'paragraph',
      text: say(`mail.${newsOf(view)}.intro`, {
        amount: moneyText(fee, locale),
        reason: feeReason(fee.reason, language),
      }),
    },
    ...failureLine(view, fee, language),
    card(view, language),
    ...(fee.payUrl === null ? [] : [{ type: 'button' as const, label: say('mail.pay'), url: fee.payUrl }]),
    ...contactBlocks(view.business, language),
    ...legalBlocks(view, language),
  ]
}

/** Says why the card was not charged, and what the client can do. */
function failureLine(
  { kind }: MailView,
  { failure }: NonNullable<MailView['fee']>,
  { say }: Language,
): Block[] {
  const why = kind === 'fee_due' && failure ? chargeFailureOf(failure) : 'other'
  return why === 'other' || why === 'no_card'
    ? []
    : [{ type: 'paragraph', text: say(`mail.fee_due.why.${why}`) }]
}

/** Returns the amount of a refund for a text. Empty for anything else. */
function refundedAmount({ refund }: MailView, { locale }: Language): Record<string, string> {
  return refund ? { amount: moneyText(refund.now, locale) } : {}
}

/** Returns the deadline of a request for a text. Empty for anything else. */
function deadline(view: MailView, language: Language): Record<string, string> {
  const { respondBy = null } = view.booking
  return respondBy === null ? {} : { time: told(respondBy, view, language) }
}

/** Lists free times in place of a request that ended. */
function otherTimes(view: MailView, language: Language): Block[] {
  const { otherTimes: times = [] } = view
  if (times.length === 0) return []
  return [
    { type: 'paragraph', text: language.say('booking.otherTimes') },
    ...times.map(({ startsAt, url }): Block => ({
      type: 'link',
      label: told(startsAt, view, language),
      url,
    })),
  ]
}

/** Informs the client of a request that ended that they wait again. */
function backOnList({ waitUrl }: MailView, { say }: Language): Block[] {
  if (!waitUrl) return []
  return [
    { type: 'paragraph', text: say('mail.wait.back') },
    { type: 'link', label: say('mail.wait.see'), url: waitUrl },
  ]
}

/** The terms in a confirmation, the client's other appointments and the legal links. */
function legalBlocks({ kind, business, ownUrl, booking: { terms } }: MailView, { say }: Language): Block[] {
  const link = (label: string, url: string | null | undefined): Block[] =>
    url ? [{ type: 'link', label, url, isSmall: true }] : []
  return [
    ...(kind === 'confirmed' && terms
      ? [{ type: 'small' as const, text: `${say('booking.terms')}\n${terms}` }]
      : []),
    ...link(say('me.title'), ownUrl),
    ...link(say('booking.imprint'), business.imprintUrl),
    ...link(say('booking.privacy'), business.privacyUrl),
  ]
}

/** Ways to contact the business: by reply, by phone, or both. */
export function contactBlocks(
  { phone, replyTo }: Pick<MailView['business'], 'phone' | 'replyTo'>,
  { say }: Pick<Language, 'say'>,
): Block[] {
  if (phone === null && replyTo === null) return []
  const text = say(
    phone === null ? 'mail.contactMail' : replyTo === null ? 'mail.contactPhone' : 'mail.contact',
  )
  const ways = [
    ...(phone === null ? [] : [{ label: phone, url: `tel:${dialled(phone)}` }]),
    ...(replyTo === null ? [] : [{ label: replyTo, url: `mailto:${replyTo}` }]),
  ]
  return [{ type: 'contact', text, ways }]
}

/** Formats an instant in the zone of the email, with the zone's name if the reader's may differ. */
function told(instant: Instant, view: MailView, language: Language): string {
  return namedMoment(instant, leadingZone(view), view.booking, language)
}

/** States the client's deadlines, in the same words as the page to manage the booking. */
function policyLines(view: MailView, language: Language): Block[] {
  const { cancelUntil, moveUntil, now } = view
  const { say } = language
  const cancel = cancelUntil && cancelUntil > now ? told(cancelUntil, view, language) : null
  const move = moveUntil && moveUntil > now ? told(moveUntil, view, language) : null
  if (cancel !== null && cancel === move) {
    return [{ type: 'small', text: say('booking.untilBoth', { time: cancel }) }]
  }
  return [
    ...(move === null ? [] : [{ type: 'small' as const, text: say('booking.untilMove', { time: move }) }]),
    ...(cancel === null
      ? []
      : [{ type: 'small' as const, text: say('booking.untilCancel', { time: cancel }) }]),
  ]
}

function ownerBlocks(view: MailView, language: Language): Block[] {
  const { booking, consoleUrl, answerUrl } = view
  const { say } = language
  const { client, notes, answers } = booking
  const shown = card(view, language)
  const details: [string, string][] = [
    [say('mail.client'), nameOf(client, language)],
    ...(client.email ? [[say('mail.email'), client.email] as [string, string]] : []),
    ...(client.phone ? [[say('mail.phone'), client.phone] as [string, string]] : []),
    ...answers.map(({ label, value }): [string, string] => [
      label ?? say('mail.oldQuestion'),
      answerText(value, language),
    ]),
    ...(notes ? [[say('mail.notes'), notes] as [string, string]] : []),
  ]
  return [
    {
      type: 'paragraph',
      text: say(`mail.owner.${ownerNews(view)}.intro`, {
        ...deadline(view, language),
        ...feeValues(view, language),
      }),
    },
    ...moneyNotice(view, language),
    { ...shown, rows: [...shown.rows, ...details] },
    ...ownerFee(view, language),
    ...seriesBlocks(view, language),
    ...(answerUrl
      ? [
          { type: 'button' as const, label: say('mail.confirmRequest'), url: answerUrl },
          { type: 'link' as const, label: say('mail.declineRequest'), url: `${answerUrl}?answer=decline` },
        ]
      : []),
    ...(consoleUrl
      ? [
          {
            type: answerUrl ? ('link' as const) : ('button' as const),
            label: say('mail.openConsole'),
            url: consoleUrl,
          },
        ]
      : []),
  ]
}

/** Returns the amount and the reason of a fee for a text. Empty for anything else. */
function feeValues({ fee }: MailView, language: Language): Record<string, string> {
  return fee ? { amount: moneyText(fee, language.locale), reason: feeReason(fee.reason, language) } : {}
}

/** Says why a card was not charged and how the client can pay, or what a disputed payment was for. */
function moneyNotice(view: MailView, language: Language): Block[] {
  const { kind, fee, dispute, booking } = view
  const { say } = language
  const paragraph = (text: string): Block => ({ type: 'paragraph', text })
  if (dispute && fee)
    return fee.reason === '' ? [] : [paragraph(say('mail.owner.disputed.for', feeValues(view, language)))]
  if (kind !== 'charge_failed' || !fee?.failure) return []
  return chargeFailure(fee.failure, booking, language).map(paragraph)
}

/** States the fee that a cancellation costs the client, and why their card was not charged. */
function ownerFee({ cancelCost, booking }: MailView, { say, locale }: Language): Block[] {
  const charged = cancelCost?.charged
  if (!charged) return []
  const { state, failure } = charged
  const key = state === 'paid' ? 'feePaid' : state === 'due' ? 'feeDue' : 'fee'
  const text = say(`mail.owner.cancelled.${key}`, { amount: moneyText(charged, locale) })
  const failed = state === 'due' && failure !== null ? chargeFailure(failure, booking, { say }) : []
  return [{ type: 'paragraph', text: [text, ...failed].join(' ') }]
}

/** Says why a card was not charged, and how the client can pay. */
function chargeFailure(
  failure: string,
  { client }: Pick<MailView['booking'], 'client'>,
  { say }: Pick<Language, 'say'>,
): string[] {
  const why = chargeFailureOf(failure)
  return [
    say(`mail.owner.charge_failed.why.${why}`, { code: failure }),
    say(`mail.owner.charge_failed.${client.email === '' ? 'byHand' : 'sent'}`),
  ]
}

function answerText(value: Answer, { say, locale }: Language): string {
  if (typeof value === 'boolean') return say(value ? 'mail.yes' : 'mail.no')
  if (typeof value === 'number')
    return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value)
  return Array.isArray(value) ? value.join(', ') : value
}

/** Lists the previous values of changed parts. */
function beforeText(view: MailView, language: Language): string | null {
  const { before } = view.booking
  if (view.kind !== 'changed' || !before) return null
  const { startsAt, endsAt, staffName } = before
  const start = startsAt && told(startsAt, view, language)
  const parts = [
    start && endsAt ? `${start} – ${clockTime(endsAt, leadingZone(view), language)}` : start,
    staffName === null ? null : language.say('mail.withPerson', { name: staffName }),
  ]
  return parts.filter((part) => part !== null).join('\n') || null
}

/** Lists due and paid amounts. */
function moneyRows(view: MailView, language: Language): [string, string][] {
  const { kind, booking, fee, refund } = view
  const { say, locale } = language
  if (refund?.isOfFee) return refundRows(refund, language)
  if (fee && fee.reason !== '') return [] // its amount is in the text, and nothing else is to pay
  const isOver = endKinds.has(kind)
  const { deposit, price, discount, returned, left } = booking
  const amountOf = (money: Money | null) => money && moneyText(money, locale)
  const rows: [string, string | null][] = [
    ...(discount && !isOver
      ? [
          [
            say('mail.coupon', { code: discount.code }),
            amountOf({ ...discount, amount: -discount.amount }),
          ] as [string, string],
        ]
      : []),
    [say('mail.price'), isOver || !price ? null : priceText(price, { say, locale })],
    ...(deposit && deposit.kind !== 'card'
      ? [[say(`mail.${deposit.kind}.${deposit.state}`), amountOf(deposit)] as [string, string]]
      : []),
    ...(refund ? refundRows(refund, language) : [[say('mail.returned'), amountOf(returned)] as const]).map(
      ([label, amount]): [string, string | null] => [label, amount],
    ),
    [say('mail.left'), isOver || !deposit ? null : amountOf(left)],
  ]
  const cardState = deposit?.kind === 'card' && deposit.state !== 'refunded' && !isOver ? deposit.state : null
  return [
    ...rows.flatMap(([label, amount]): [string, string][] => (amount === null ? [] : [[label, amount]])),
    ...(cardState === null
      ? []
      : [[say('mail.card.label'), say(`mail.card.${cardState}`)] as [string, string]]),
  ]
}

/** Lists a refund, all of them if there were others, and what is left of the payment. */
function refundRows(
  { now, soFar, rest }: NonNullable<MailView['refund']>,
  { say, locale }: Language,
): [string, string][] {
  return [
    [say('mail.returned'), moneyText(now, locale)],
    ...(soFar.amount === now.amount
      ? []
      : [[say('mail.returnedSoFar'), moneyText(soFar, locale)] as [string, string]]),
    ...(rest.amount === 0 ? [] : [[say('mail.returnedRest'), moneyText(rest, locale)] as [string, string]]),
  ]
}

/** Lists the services of a visit, each with its times, person and price. */
function itemRows(view: MailView, language: Language): [string, string][] {
  const { items } = view.booking
  const { say } = language
  const zone = leadingZone(view)
  const isOnePerson = hasOnePerson(view)
  return items.map(({ serviceName, staffName, startsAt, endsAt, price, state, before }) => {
    const times = `${clockTime(startsAt, zone, language)} – ${clockTime(endsAt, zone, language)}`
    if (state === 'removed') return [say('mail.removed'), `${serviceName}, ${times}`]
    const isChange = view.kind === 'changed'
    const known = isChange
      ? [before.startsAt && clockTime(before.startsAt, zone, language), before.staffName].filter(
          (part) => part !== null,
        )
      : []
    const parts = [
      serviceName,
      isOnePerson ? null : staffName,
      price && !endKinds.has(view.kind) ? priceText(price, language) : null,
      isChange && state === 'new' ? say('mail.added') : null,
      known.length > 0 ? `${say('mail.before')}: ${known.join(', ')}` : null,
    ]
    return [times, parts.filter((part) => part !== null).join('\n')]
  })
}

/** Lists the dates of a series. */
function seriesBlocks(view: MailView, language: Language): Block[] {
  const { series } = view.booking
  if (!series) return []
  const { say } = language
  const zone = leadingZone(view)
  const list = (label: string, dates: Dates): Block[] => [
    { type: 'paragraph', text: label },
    {
      type: 'list',
      lines: dates.map(
        ({ startsAt }) => `${shortDate(startsAt, zone, language)} · ${clockTime(startsAt, zone, language)}`,
      ),
    },
  ]
  const label =
    view.kind === 'cancelled' || view.kind === 'unanswered'
      ? say('mail.cancelled.subject')
      : say(view.kind === 'declined' ? 'mail.declined.subject' : 'mail.series.dates')
  return [
    ...(series.dates.length > 1 ? list(label, series.dates) : []),
    ...(series.left.length > 0 ? list(say('mail.series.left'), series.left) : []),
  ]
}

/** True if one person gives everything that is booked. */
function hasOnePerson({ booking: { items } }: MailView): boolean {
  const booked = items.filter(({ state }) => state !== 'removed')
  return new Set(booked.map(({ staffName }) => staffName)).size <= 1
}

function card(view: MailView, language: Language): Extract<Block, { type: 'card' }> {
  const { kind, booking, business } = view
  const { say } = language
  const before = beforeText(view, language)
  const zone = leadingZone(view)
  const shown = { ...booking, timezone: zone }
  const isLed = zone !== booking.timezone
  const rows: [string, string][] = [
    ...itemRows(view, language),
    ...(isLed
      ? [
          [say('mail.placeTime', { business: business.name }), spanText(booking, language)] as [
            string,
            string,
          ],
        ]
      : []),
    ...(before === null ? [] : [[say('mail.before'), before] as [string, string]]),
    ...(endKinds.has(kind) && booking.cancelReason
      ? [[say('mail.reason'), booking.cancelReason] as [string, string]]
      : []),
    ...(booking.address || !booking.onlineUrl
      ? [
          [say('mail.place'), [booking.locationName, booking.address].filter(Boolean).join('\n')] as [
            string,
            string,
          ],
        ]
      : []),
    ...moneyRows(view, language),
  ]
  return {
    type: 'card',
    title: booking.serviceName,
    isOver: endKinds.has(kind),
    lines: [
      longDate(booking.startsAt, zone, language),
      timesLine(shown, language),
      ...(booking.staffName && hasOnePerson(view)
        ? [say('mail.withPerson', { name: booking.staffName })]
        : []),
    ],
    rows,
    link:
      booking.onlineUrl && !endKinds.has(kind) ? { label: say('mail.online'), url: booking.onlineUrl } : null,
  }
}

/** Returns the appointment for the client's own calendar, with the link to change it. */
export function clientAppointment(view: MailView): Appointment {
  const { kind, booking, business, manageUrl, now } = view
  const language = languageFor(...view.locales)
  const { say } = language
  const isCancelled = endKinds.has(kind)
  const isLed = leadingZone(view) !== booking.timezone
  // the file shows the appointment as it is now
  const booked: MailView = {
    ...{ ...view, kind: isCancelled ? 'cancelled' : 'confirmed' },
    booking: { ...booking, items: booking.items.filter(isBooked) },
  }
  const what = [
    ...(hasOnePerson(view) ? [booking.staffName] : []),
    ...itemRows(booked, language).map(([times, text]) => `${times}: ${text.replaceAll('\n', ', ')}`),
  ]
  const told = [
    ...what,
    ...(isLed
      ? [`${say('mail.placeTime', { business: business.name })}: ${spanText(booking, language)}`]
      : []),
    booking.onlineUrl && `${say('mail.online')}: ${booking.onlineUrl}`,
    ...moneyRows(view, language).map(([label, value]) => `${label}: ${value}`),
    manageUrl && `${say('mail.manage')}: ${manageUrl}`,
  ]
  return {
    id: booking.id,
    version: booking.version,
    title: `${booking.serviceName} – ${business.name}`,
    place: booking.onlineUrl ?? [booking.locationName, booking.address].filter(Boolean).join(', '),
    description: (isCancelled ? what : told).filter(Boolean).join('\n'),
    startsAt: booking.startsAt,
    endsAt: booking.endsAt,
    writtenAt: now,
    isCancelled,
    isTentative: !booking.isConfirmed,
    url: booking.onlineUrl,
  }
}

function isBooked({ state }: MailItem): boolean {
  return state !== 'removed'
}

function calendarOf(view: MailView): RenderedMail['calendar'] {
  const { kind, audience, business, from } = view
  if (audience !== 'client' || !mailKinds[kind].hasCalendar) return null
  const { client } = view.booking
  const appointment = clientAppointment(view)
  const content = calendarFile(appointment, {
    organizer: { name: business.name, email: business.replyTo ?? from.address },
    attendee: { name: fullName(client.firstName, client.lastName), email: client.email },
  })
  return { method: calendarMethod(appointment), content }
}

const maxLine = 300

/** For headers: no control characters, and a limited length. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  const characters = Array.from(line)
  return characters.length > maxLine ? `${characters.slice(0, maxLine).join('')}…` : line
}
