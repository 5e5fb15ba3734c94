import { dialled, fullName } from '../base/contact-formats.ts'
import { html, type Html } from '../base/html.ts'
import type { Language } from '../base/languages.ts'
import { againUrl } from '../bookings/again-link.ts'
import type { OwnBooking, OwnEntry } from '../bookings/client-log-in.ts'
import { cardText } from '../bookings/saved-card-rules.ts'
import { itemNames, itemsOf, totalPriceOf } from '../database/shown-item-rules.ts'
import { feeReason } from '../mails/fee-sentence.ts'
import { clientsMoment, otherTime, type ZonedStart } from '../mails/client-zone.ts'
import { moneyText, priceText } from '../mails/times-and-money.ts'
import { hidden } from './form.ts'
import type { CardBusiness, MessagePage } from './message-page.ts'
import { type EntryNotice, offered, wishes } from './waitlist-page.ts'

/* The page of a client in all its states. It works without a script, except the one that reads the link. */

/** The outcome of a request for the link. */
export type Notice = 'sent' | 'texted' | 'email' | 'phone' | 'later'

/** A visit to the page at a business. */
export interface ClientVisit {
  business: CardBusiness & { phone: string | null; reply_to_email: string | null }
  businessId: string
  language: Language
  /** Undefined if the booking page is closed. */
  bookingUrl: string | undefined
  /** False if the business sends no emails. */
  sendsMail: boolean
  /** True if the link can also come by text message. */
  sendsTexts: boolean
}

const button = (text: string) => html`<button type="submit" class="button main">${text}</button>`

/** Renders the page behind a link. Its script moves the token from the fragment into the form. */
export function openPage({ say }: Language): MessagePage {
  return {
    title: say('me.title'),
    sign: 'bookings',
    more: html`<script type="module" src="/docs/console-link.js"></script>`,
    content: html`<form method="post" action="/me">
      <div data-without-script>
        <p>${say('me.withoutLink')}</p>
        <input type="hidden" name="token" id="token" value="" />
      </div>
      ${button(say('me.open'))}
    </form>`,
    forms: true,
  }
}

/** Renders the answer to a link that was used or has expired. */
export function endedPage({ say }: Language): MessagePage {
  return { title: say('me.ended'), sign: 'warning', content: html`<p>${say('me.endedHint')}</p>` }
}

/** Renders the form that requests the link. */
export function askPage(
  visit: ClientVisit,
  { contact: typed = '', notice }: { contact?: string; notice?: Notice } = {},
): MessagePage {
  const { say } = visit.language
  const { business, businessId, sendsMail, sendsTexts, bookingUrl } = visit
  const name = business.brand_name ?? business.name
  const page = { title: say('me.title'), business, forms: true }
  const back =
    bookingUrl === undefined
      ? ''
      : html`<p class="aside"><a href="${bookingUrl}">${say('widget.book')}</a></p>`
  if (!sendsMail && !sendsTexts)
    return {
      ...page,
      sign: 'mails',
      content: html`<p>${say('booking.contact', { name })}</p>
        ${contact(business)} ${back}`,
    }
  if (notice === 'sent' || notice === 'texted')
    return {
      ...page,
      sign: 'mails',
      content: html`<p role="status">
          ${notice === 'sent' ? say('me.sent', { email: typed }) : say('me.texted', { phone: leftToRight(typed) })}
        </p>
        ${back}`,
    }
  const faults = {
    email: 'booking.faultEmail',
    phone: 'booking.faultPhone',
    later: 'widget.busy',
  } as const
  const fault = notice === undefined ? undefined : say(faults[notice])
  const { ask, label, field } = fields[sendsMail ? (sendsTexts ? 'either' : 'email') : 'phone']
  return {
    ...page,
    sign: 'bookings',
    content: html`<p>${say(ask, { name })}</p>
      <form method="post" action="/me/${businessId}/link" class="fields">
        <label for="contact">${say(label)}</label>
        <input
          id="contact"
          name="contact"
          ${field}
          required
          maxlength="254"
          value="${typed}"
          ${fault === undefined ? '' : html`aria-invalid="true" aria-describedby="fault"`}
        />
        ${fault === undefined ? '' : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
        ${button(say('me.send'))}
      </form>
      ${back}`,
  }
}

const fields = {
  email: { ask: 'me.ask', label: 'booking.email', field: html`type="email" autocomplete="email"` },
  phone: { ask: 'me.askPhone', label: 'booking.phone', field: html`type="tel" autocomplete="tel" dir="ltr"` },
  either: {
    ask: 'me.askEither',
    label: 'me.contact',
    field: html`type="text" inputmode="email" autocomplete="email" autocapitalize="off" spellcheck="false"
    dir="ltr"`,
  },
} as const

/** Keeps a number in its order within text from right to left. */
function leftToRight(number: string): string {
  return `\u2066${number}\u2069`
}

interface Shown {
  waiting: OwnEntry[]
  ahead: OwnBooking[]
  earlier: OwnBooking[]
  next_cursor: string | null
  email: string
  phone: string | null
  /** True if a series could not be cancelled. */
  isRefused?: boolean
  /** The outcome of a form about an offer. */
  notice?: EntryNotice | undefined
}

/** Renders all bookings of a client. */
export function clientPage(
  visit: ClientVisit,
  { waiting, ahead, earlier, next_cursor, email, phone, isRefused = false, notice }: Shown,
): MessagePage {
  const { language, business, businessId, bookingUrl } = visit
  const { say } = language
  const name = business.brand_name ?? business.name
  const path = `/me/${businessId}`
  const firstOf = firstOfSeries(ahead)
  const coming = ahead.filter(({ booking }) => booking.status !== 'cancelled')
  const cancelled = ahead.filter((one) => !coming.includes(one))
  const isFamily = new Set([...ahead, ...earlier].map(({ booking }) => nameOf(booking))).size > 1
  const list = (title: string, bookings: OwnBooking[], isAhead: boolean) =>
    bookings.length === 0
      ? ''
      : html`<section>
          <h2>${title}</h2>
          <ul class="visits">
            ${bookings.map((one) => bookingPart(visit, one, { isAhead, isFamily, isFirst: isAhead && firstOf.has(one.booking.id) }))}
          </ul>
        </section>`
  return {
    title: say('me.title'),
    business,
    isWide: true,
    forms: true,
    content: html`${isRefused ? html`<p class="fault" role="alert">${say('manage.notAllowed')}</p>` : ''}
      ${notice === undefined ? '' : html`<p role="status">${say(`wait.${notice}`)}</p>`}
      ${waiting.length + ahead.length + earlier.length === 0 ? html`<p>${say('me.none')}</p>` : ''}
      ${waiting.length === 0 ? '' : waitingPart(language, waiting)} ${list(say('me.ahead'), coming, true)}
      ${list(say('me.cancelled'), cancelled, true)} ${list(say('me.earlier'), earlier, false)}
      ${
        next_cursor === null
          ? ''
          : html`<p><a href="${path}?cursor=${encodeURIComponent(next_cursor)}">${say('me.more')}</a></p>`
      }
      ${
        bookingUrl === undefined
          ? ''
          : html`<p><a class="button main" href="${bookingUrl}">${say('widget.book')}</a></p>`
      }
      <footer class="aside">
        <p>${say('me.shownTo', { contact: phone === null ? email : leftToRight(phone) })}</p>
        <p><a href="${path}/bookings.json">${say('me.download')}</a></p>
        <p>${say('me.erase', { name })}</p>
        ${contact(business)}
        <form method="post" action="${path}/close">
          <button type="submit" class="button">${say('me.close')}</button>
        </form>
      </footer>`,
  }
}

/** Renders the entries of the waiting list. An offered time can be taken or declined. */
function waitingPart(language: Language, entries: readonly OwnEntry[]): Html {
  return html`<section>
    <h2>${language.say('wait.title')}</h2>
    <ul class="visits">
      ${entries.map((one) => html`<li>${entryPart(language, one)}</li>`)}
    </ul>
  </section>`
}

function entryPart(language: Language, own: OwnEntry): Html {
  const { say } = language
  const { path, questions, missing } = own
  const offer = own.entry.hold_id
  const form = (to: string, label: string, { fields = html``, style = 'button' } = {}) =>
    html`<form method="post" action="${path}/${to}">
      ${hidden({ from: 'me' })} ${fields}
      <button type="submit" class="${style}">${label}</button>
    </form>`
  const leave = form('leave', say('wait.leave'))
  if (offer === null)
    return html`${wishes(own, language)}
      <div class="actions">${leave}</div>`
  const fields = hidden({ offer })
  const take =
    questions.length + missing.length > 0
      ? html`<a class="button main" href="${path}">${say('wait.take')}</a>`
      : form('take', say('wait.take'), { fields, style: 'button main' })
  return html`<p role="status">${say('wait.offered')}</p>
    ${offered(own, language)}
    <div class="actions">${take} ${form('decline', say('wait.decline'), { fields })} ${leave}</div>`
}

/** Returns the IDs of the first open dates of series that have more. */
function firstOfSeries(ahead: readonly OwnBooking[]): Set<string> {
  const open = ahead.filter(({ booking }) => booking.series_id !== null && booking.status !== 'cancelled')
  const bySeries = Map.groupBy(open, ({ booking }) => booking.series_id)
  return new Set(
    [...bySeries.values()].flatMap(([first, ...more]) =>
      first && more.length > 0 ? [first.booking.id] : [],
    ),
  )
}

function seriesForm({ language: { say }, businessId }: ClientVisit, seriesId: string): Html {
  return html`<details>
    <summary>${say('me.cancelSeries')}</summary>
    <form method="post" action="/me/${businessId}/series">
      <input type="hidden" name="series_id" value="${seriesId}" />
      <button type="submit" class="button">${say('me.cancelSeries')}</button>
    </form>
  </details>`
}

function contact({ phone, reply_to_email: email }: ClientVisit['business']): Html {
  const ways = [
    ...(phone === null ? [] : [html`<a href="tel:${dialled(phone)}"><bdi dir="ltr">${phone}</bdi></a>`]),
    ...(email === null ? [] : [html`<a href="mailto:${email}"><bdi dir="ltr">${email}</bdi></a>`]),
  ]
  return html`${ways.map((way) => html`<p>${way}</p>`)}`
}

/** Renders a booking with its next steps: manage it, or book the same again. */
function bookingPart(
  visit: ClientVisit,
  { booking, manageUrl, fees, card }: OwnBooking,
  { isAhead, isFamily, isFirst }: Record<'isAhead' | 'isFamily' | 'isFirst', boolean>,
): Html {
  const { language, bookingUrl } = visit
  const { say, locale } = language
  const { status, starts_at, location_name, payment_status, respond_by } = booking
  const items = itemsOf(booking)
  const people = [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))]
  const price = totalPriceOf(booking)
  const start = startOf(booking)
  const moment = clientsMoment(starts_at, start, language)
  const other = otherTime(start, language)
  const isOver = status === 'cancelled'
  const isOpen = isAhead && !isOver && status !== 'completed'
  const isMissed = booking.no_show_at !== null
  const isRequest = respond_by !== null
  const again =
    bookingUrl === undefined
      ? undefined
      : againUrl(bookingUrl, booking, {
          staffId: items.length === 1 ? items[0]?.staff?.id : undefined,
        })
  const details = [
    people.length === 0 ? '' : say('manage.withPerson', { name: new Intl.ListFormat(locale).format(people) }),
    location_name,
    price === null ? '' : priceText(price, language),
    payment_status === 'due' && isOpen ? say('checkout.pay') : '',
    refundText(booking, language),
  ].filter((text) => text !== '')
  return html`<li>
    <p class="what">${isOver ? html`<s>${moment}</s>` : moment}</p>
    ${other === undefined || isOver ? '' : html`<p class="there">${other}</p>`}
    <p>
      <strong><bdi>${itemNames(items)}</bdi></strong>
      ${isFamily ? html`<span class="for"><bdi>${nameOf(booking)}</bdi></span>` : ''}
      ${isOver ? html`<span class="state">${say('mail.cancelled.subject')}</span>` : ''}
      ${isMissed ? html`<span class="state">${say('me.missed')}</span>` : ''}
    </p>
    <p class="aside">${details.join(' · ')}</p>
    ${fees.map((fee) => feePart(fee, language))} ${card ? cardPart(visit, booking.id, card) : ''}
    ${
      respond_by === null
        ? ''
        : html`<p>${say('booking.hearBy', { time: clientsMoment(respond_by, start, language) })}</p>`
    }
    <p class="actions">
      ${
        isOpen && manageUrl !== null
          ? html`<a class="button" href="${withWayBack(manageUrl, visit)}"
              >${say(isRequest ? 'booking.withdraw' : 'widget.manage')}</a
            >`
          : again === undefined
            ? ''
            : html`<a class="button" href="${again}">${say('manage.bookAgain')}</a>`
      }
    </p>
    ${isFirst && booking.series_id !== null ? seriesForm(visit, booking.series_id) : ''}
  </li>`
}

/** Marks the page of a booking, so that it links back here. */
function withWayBack(manageUrl: string, { businessId }: ClientVisit): string {
  return manageUrl.replace('#', `?me=${businessId}#`)
}

function startOf(booking: OwnBooking['booking']): ZonedStart {
  const { starts_at: startsAt, timezone, time_zone: clientZone, online_url: onlineUrl } = booking
  return { startsAt, timezone, clientZone, onlineUrl }
}

/** Renders a fee, with the link to pay it if it is due. */
function feePart(fee: OwnBooking['fees'][number], language: Language): Html {
  const { say, locale } = language
  const { status, reason, pay_url } = fee
  return html`<p class="money">
    ${say(`manage.fees.${status}`, { amount: moneyText(fee, locale), reason: feeReason(reason, language) })}
    ${pay_url === null ? '' : html`<a href="${pay_url}">${say('checkout.pay')}</a>`}
  </p>`
}

/** Renders the saved card, with the question to remove it once nothing can fall due any more. */
function cardPart(
  { language: { say }, businessId }: ClientVisit,
  bookingId: string,
  card: NonNullable<OwnBooking['card']>,
): Html {
  if (card.removing) return html`<p class="money">${say('manage.cardRemoving')}</p>`
  return html`<p class="money">${say('manage.card', { card: cardText(card) })}</p>
    ${
      card.can_remove
        ? html`<details>
            <summary>${say('manage.cardRemove')}</summary>
            <p>${say('manage.cardRemoveWhy')}</p>
            <form method="post" action="/me/${businessId}/card">
              ${hidden({ booking_id: bookingId })}
              <button type="submit" class="button">${say('manage.cardRemove')}</button>
            </form>
          </details>`
        : ''
    }`
}

/** Names the part of the payment, or all of it, that was refunded. Empty: nothing. */
function refundText(
  { payment_status, payment_amount, payment_currency, payment_refund_total }: OwnBooking['booking'],
  { say, locale }: ClientVisit['language'],
): string {
  const amount = payment_status === 'refunded' ? payment_amount : (payment_refund_total ?? 0)
  return payment_currency === null || amount === null || amount === 0
    ? ''
    : say('manage.refunded', { amount: moneyText({ amount, currency: payment_currency }, locale) })
}

function nameOf({ client_first_name, client_last_name }: OwnBooking['booking']): string {
  return fullName(client_first_name, client_last_name)
}
