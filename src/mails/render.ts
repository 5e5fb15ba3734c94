import { erasedName } from '../base/contact-formats.ts'
import { type Instant, toMs } from '../base/instants.ts'
import { minorDigits } from '../catalogue/service-rules.ts'
import type { MailKind } from '../database/tables.ts'
import { type Appointment, calendarFile, calendarMethod } from './calendar.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { type MailLanguage, mailLanguage } from './texts/languages.ts'
import type { MailTexts } from './texts/mail-texts.ts'

/** What a mail shows. Nothing in it is escaped yet. */
export interface MailView {
  kind: MailKind
  audience: 'client' | 'business'
  /** Wanted languages (BCP 47), the first that mails have; the last is the business's. */
  locales: (string | null)[]
  business: { name: string; color: string | null; replyTo: string | null }
  booking: {
    id: string
    version: number
    serviceName: string
    locationName: string
    address: string | null
    onlineUrl: string | null
    staffName: string | null
    startsAt: Instant
    /** Of a changed one: the start that the recipient knows; null if it is the same. */
    startedAt: Instant | null
    endsAt: Instant
    /** Of the location. */
    timezone: string
    price: Money | null
    deposit: (Money & { state: 'due' | 'paid' | 'refunded' }) | null
    client: { firstName: string; lastName: string; email: string; phone: string | null }
    notes: string | null
  }
  /** Null: there is none. */
  manageUrl: string | null
  payUrl: string | null
  /** Until when the client may cancel; null: not at all, or always. */
  cancelUntil: Instant | null
  /** Until when the client may move it; null: not at all. */
  moveUntil: Instant | null
  /** Where to end reminders; in reminders only. */
  offUrl: string | null
  now: Instant
  /** The organizer of the calendar part. */
  from: { address: string }
}

interface Money {
  amount: number
  currency: string
}

/** A mail without its envelope. */
export interface RenderedMail {
  subject: string
  text: string
  html: string
  /** For the client's calendar. */
  calendar: { method: 'REQUEST' | 'CANCEL'; content: string } | null
}

/** Makes a mail about one booking. */
export function renderMail(view: MailView): RenderedMail {
  const language = mailLanguage(...view.locales)
  const subject = oneLine(subjectOf(view, language))
  const blocks = view.audience === 'client' ? clientBlocks(view, language) : ownerBlocks(view, language)
  const { direction, locale } = language
  const page = { title: subject, locale, direction, business: view.business }
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: calendarOf(view) }
}

/** One line of a mail about many bookings. */
export function lineOf(view: MailView): string {
  const language = mailLanguage(...view.locales)
  return oneLine(ownerSubject(view, language))
}

/** Makes one mail about many bookings, a line each; `more` is the number of those without a line. */
export function renderMany(
  { business, locales }: Pick<MailView, 'business' | 'locales'>,
  lines: string[],
  more: number,
): RenderedMail {
  const { texts, locale, direction } = mailLanguage(...locales)
  const count = String(lines.length + more)
  const subject = oneLine(`${fill(texts.many, { count })} – ${business.name}`)
  const page = { title: subject, locale, direction, business }
  const blocks: Block[] = [
    { type: 'paragraph', text: texts.manyIntro },
    { type: 'list', lines },
    ...(more > 0 ? [{ type: 'paragraph' as const, text: fill(texts.more, { count: String(more) }) }] : []),
  ]
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

function subjectOf(view: MailView, language: MailLanguage): string {
  const { kind, audience, booking, business, now } = view
  const { texts } = language
  if (audience === 'business') return `${ownerSubject(view, language)} – ${business.name}`
  const times = timesOf(booking, language)
  const common = { service: booking.serviceName, business: business.name, ...times }
  if (kind !== 'reminder') return fill(texts.subjectLine, { ...common, what: texts.subject[kind] })
  const days = daysBetween(now, booking.startsAt, booking.timezone)
  const day = days === 0 ? texts.today : days === 1 ? texts.tomorrow : times.date
  return fill(texts.reminderSubject, { ...common, day })
}

function ownerSubject({ kind, booking }: MailView, language: MailLanguage): string {
  const { client, serviceName, staffName } = booking
  const { date, time } = timesOf(booking, language)
  const what = language.texts.owner[kind === 'changed' || kind === 'cancelled' ? kind : 'booked']
  const parts = [nameOf(client, language.texts), serviceName, `${date} ${time}`, staffName]
  return `${what}: ${parts.filter(Boolean).join(', ')}`
}

/** As in the console: one who was erased has neither name nor address. */
function nameOf(
  { firstName, lastName, email }: MailView['booking']['client'],
  { erasedClient }: MailTexts,
): string {
  return firstName === erasedName && email === '' ? erasedClient : `${firstName} ${lastName}`
}

function clientBlocks(view: MailView, language: MailLanguage): Block[] {
  const { kind, booking, business, manageUrl, payUrl, offUrl } = view
  const { texts } = language
  const isOver = kind === 'cancelled'
  const intro = texts.intro[kind === 'booked' ? 'confirmed' : kind]
  const action = kind === 'deposit_due' && payUrl ? { label: texts.pay, url: payUrl } : null
  const manage = manageUrl ? { label: isOver ? texts.manageCancelled : texts.manage, url: manageUrl } : null
  const isManageMain = !action && !isOver
  return [
    { type: 'paragraph', text: fill(texts.greeting, { name: booking.client.firstName }) },
    { type: 'paragraph', text: intro },
    card(view, language),
    ...(action ? [{ type: 'button' as const, ...action }] : []),
    ...(manage && isManageMain ? [{ type: 'button' as const, ...manage }] : []),
    ...(manage && !isManageMain ? [{ type: 'link' as const, ...manage }] : []),
    ...(manage && !isOver ? policyLines(view, language) : []),
    ...(business.replyTo ? [{ type: 'small' as const, text: texts.contact }] : []),
    ...(offUrl
      ? [
          {
            type: 'link' as const,
            label: fill(texts.noReminders, { business: business.name }),
            url: offUrl,
            isSmall: true,
          },
        ]
      : []),
  ]
}

/** What the client may do until when, in the words of the page on which they do it. */
function policyLines({ booking, cancelUntil, moveUntil, now }: MailView, language: MailLanguage): Block[] {
  const { texts } = language
  const cancel = cancelUntil && cancelUntil > now ? momentOf(cancelUntil, booking.timezone, language) : null
  const move = moveUntil && moveUntil > now ? momentOf(moveUntil, booking.timezone, language) : null
  if (cancel !== null && cancel === move) {
    return [{ type: 'small', text: fill(texts.untilBoth, { time: cancel }) }]
  }
  return [
    ...(move === null ? [] : [{ type: 'small' as const, text: fill(texts.untilMove, { time: move }) }]),
    ...(cancel === null ? [] : [{ type: 'small' as const, text: fill(texts.untilCancel, { time: cancel }) }]),
  ]
}

function ownerBlocks(view: MailView, language: MailLanguage): Block[] {
  const { kind, booking } = view
  const { texts } = language
  const { client, notes } = booking
  const shown = card(view, language)
  const details: [string, string][] = [
    [texts.client, nameOf(client, texts)],
    ...(client.email ? [[texts.email, client.email] as [string, string]] : []),
    ...(client.phone ? [[texts.phone, client.phone] as [string, string]] : []),
    ...(notes ? [[texts.notes, notes] as [string, string]] : []),
  ]
  return [
    {
      type: 'paragraph',
      text: texts.ownerIntro[kind === 'changed' || kind === 'cancelled' ? kind : 'booked'],
    },
    { ...shown, rows: [...shown.rows, ...details] },
  ]
}

function card({ kind, booking }: MailView, language: MailLanguage): Extract<Block, { type: 'card' }> {
  const { texts, locale } = language
  const { deposit, price } = booking
  const rows: [string, string][] = [
    ...(kind === 'changed' && booking.startedAt
      ? [[texts.before, momentOf(booking.startedAt, booking.timezone, language)] as [string, string]]
      : []),
    ...(booking.address || !booking.onlineUrl
      ? [
          [texts.place, [booking.locationName, booking.address].filter(Boolean).join('\n')] as [
            string,
            string,
          ],
        ]
      : []),
    ...(price && kind !== 'cancelled' ? [[texts.price, moneyText(price, locale)] as [string, string]] : []),
    ...(deposit ? [[depositLabel(deposit, texts), moneyText(deposit, locale)] as [string, string]] : []),
  ]
  return {
    type: 'card',
    title: booking.serviceName,
    isOver: kind === 'cancelled',
    lines: [
      longDate(booking.startsAt, booking.timezone, language),
      timesLine(booking, language),
      ...(booking.staffName ? [fill(texts.withPerson, { name: booking.staffName })] : []),
    ],
    rows,
    link: booking.onlineUrl && kind !== 'cancelled' ? { label: texts.online, url: booking.onlineUrl } : null,
  }
}

function depositLabel({ state }: { state: 'due' | 'paid' | 'refunded' }, texts: MailTexts): string {
  return { due: texts.depositDue, paid: texts.depositPaid, refunded: texts.depositRefunded }[state]
}

function calendarOf(view: MailView): RenderedMail['calendar'] {
  const { kind, audience, booking, business, now, from } = view
  if (audience !== 'client' || kind === 'reminder' || kind === 'deposit_due') return null
  const isCancelled = kind === 'cancelled'
  const { client } = booking
  const appointment: Appointment = {
    id: booking.id,
    version: booking.version,
    title: `${booking.serviceName} – ${business.name}`,
    place: [booking.locationName, booking.address].filter(Boolean).join(', '),
    description: booking.staffName ?? '',
    startsAt: booking.startsAt,
    endsAt: booking.endsAt,
    writtenAt: now,
    isCancelled,
    url: booking.onlineUrl,
  }
  const content = calendarFile(appointment, {
    organizer: { name: business.name, email: business.replyTo ?? from.address },
    attendee: { name: `${client.firstName} ${client.lastName}`, email: client.email },
  })
  return { method: calendarMethod(appointment), content }
}

interface Spanned {
  startsAt: Instant
  endsAt: Instant
  timezone: string
}

function timesOf({ startsAt, timezone }: Spanned, language: MailLanguage): { date: string; time: string } {
  return {
    date: formatted(startsAt, timezone, language, { weekday: 'short', day: 'numeric', month: 'short' }),
    time: clockTime(startsAt, timezone, language),
  }
}

function timesLine({ startsAt, endsAt, timezone }: Spanned, language: MailLanguage): string {
  return fill(language.texts.timeAt, {
    from: clockTime(startsAt, timezone, language),
    to: clockTime(endsAt, timezone, language),
    zone: zoneName(startsAt, timezone, language),
  })
}

/** Such as CET; the whole name where the language has no short one and would say GMT+1. */
export function zoneName(instant: Instant, timezone: string, language: Pick<MailLanguage, 'locale'>): string {
  const named = (timeZoneName: 'short' | 'long') =>
    dateFormat(timezone, language, { timeZoneName })
      .formatToParts(toMs(instant))
      .find(({ type }) => type === 'timeZoneName')?.value ?? timezone
  const short = named('short')
  return /\p{N}/u.test(short) ? named('long') : short
}

export function momentOf(instant: Instant, timezone: string, language: MailLanguage): string {
  return formatted(instant, timezone, language, {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: 'numeric', minute: '2-digit' },
  })
}

function longDate(instant: Instant, timezone: string, language: MailLanguage): string {
  return formatted(instant, timezone, language, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  })
}

function clockTime(instant: Instant, timezone: string, language: MailLanguage): string {
  return formatted(instant, timezone, language, { hour: 'numeric', minute: '2-digit' })
}

function formatted(
  instant: Instant,
  timezone: string,
  language: MailLanguage,
  options: Intl.DateTimeFormatOptions,
): string {
  // spaces of other widths look odd in some mail programs' lists
  return dateFormat(timezone, language, options)
    .format(toMs(instant))
    .replaceAll(/[\u00a0\u2009\u202f]/g, ' ')
}

function dateFormat(
  timeZone: string,
  { locale }: Pick<MailLanguage, 'locale'>,
  options: Intl.DateTimeFormatOptions,
) {
  // plain English reads as where the place is
  const dates = locale === 'en' && !timeZone.startsWith('America/') ? 'en-GB' : locale
  return new Intl.DateTimeFormat(dates, { ...options, timeZone })
}

/** Days on the calendar of the place. */
function daysBetween(from: Instant, to: Instant, timezone: string): number {
  const dayOf = (instant: Instant) =>
    Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(timezone).toPlainDate()
  return dayOf(from).until(dayOf(to), { largestUnit: 'day' }).days
}

/** Whole amounts without digits behind the point, as the widget writes them. */
export function moneyText({ amount, currency }: Money, locale: string): string {
  const digits = minorDigits(currency)
  const shown = amount % 10 ** digits === 0 ? 0 : digits
  return new Intl.NumberFormat(locale, {
    ...{ style: 'currency', currency },
    ...{ minimumFractionDigits: shown, maximumFractionDigits: shown },
  })
    .format(amount / 10 ** digits)
    .replaceAll('\u00a0', ' ')
}

/** Puts values into a text; they are not searched for further places. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
}

const maxLine = 300

/** For headers: no control characters, and bounded. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  const characters = Array.from(line)
  return characters.length > maxLine ? `${characters.slice(0, maxLine).join('')}…` : line
}
