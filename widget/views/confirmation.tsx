import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Booking } from '../api/api-types.ts'
import { calendarFile } from '../flow/calendar-file.ts'
import { keepLink } from './keep-link.ts'
import { lookPausesMs } from '../flow/payment-looks.ts'
import { strictestRules } from '../flow/change-rules.ts'
import { feeSentence } from '../flow/fee-rules.ts'
import { respondByMs } from '../flow/request-rules.ts'
import { fill } from '../texts.ts'
import { momentText } from '../times/moment.ts'
import { CalendarChoices } from './calendar-choices.tsx'
import { calendarEntry } from './calendar-entry.ts'
import { Heading } from './heading.tsx'
import { offerCalendarFile as offer } from './offer-file.ts'
import { bookedItems, changesUntil, Summary, times } from './summary.tsx'
import type { View } from './view.ts'

/** Renders the last step: booked, requested, or waiting for the deposit. */
export function Confirmation(props: View) {
  const { flow, state, language } = props
  const { booking, dates } = state
  const { texts } = language
  const heading = useRef<HTMLHeadingElement>(null)
  const status = booking?.status
  useLayoutEffect(() => heading.current?.focus(), [status])
  const respondBy = booking ? respondByMs(booking) : undefined
  const isRequest = respondBy !== undefined
  const isUnpaid = status === 'pending' && !isRequest
  useLayoutEffect(() => (isUnpaid ? lookNowAndThen(flow) : undefined), [isUnpaid])
  const { manageUrl } = state
  // a booking that waits for its deposit is found through its checkout instead
  const kept = isUnpaid ? null : manageUrl
  useLayoutEffect(() => {
    keepLink(flow.options.place, kept)
  }, [kept])
  if (!booking) return null
  const isPending = status === 'pending'
  const isCancelled = status === 'cancelled'
  const [title, hint] = isCancelled
    ? [texts.cancelled, texts.cancelledHint]
    : isRequest
      ? [texts.requested, fill(texts.hearBy, { time: momentText(props.formats, respondBy, state.zone) })]
      : isPending
        ? [texts.pending, texts.pendingHint]
        : [
            fill(texts.booked, { name: booking.client.first_name }),
            dates ? texts.bookedSeries : texts.bookedFor,
          ]
  // the price for all people
  const price = booking.price ?? (booking.service.price && times(booking.service.price, booking.party_size))
  const { payment, party_size: party } = booking
  const services = state.catalogue.services.filter(({ id }) =>
    booking.items.some((item) => item.service.id === id),
  )
  const appointment = {
    service: booking.service.name,
    items: bookedItems(booking),
    price: isCancelled ? null : price,
    discount: isCancelled ? undefined : booking.discount,
    deposit:
      payment?.amount && (payment.status === 'due' || payment.status === 'paid')
        ? { ...payment, status: payment.status }
        : null,
    party: party > 1 ? party : null,
    location: booking.location,
    staff: booking.staff?.name,
    startsAtMs: Date.parse(booking.starts_at),
    endsAtMs: Date.parse(booking.ends_at),
    rules: isPending || isCancelled ? undefined : strictestRules(services),
  }
  const fees = isPending || isCancelled ? '' : agreedFees(props, booking)
  const { rules, startsAtMs } = appointment
  const canChange =
    !rules || Object.values(changesUntil(rules, startsAtMs)).some((untilMs) => untilMs > props.nowMs())
  return (
    <div class="confirmation" part="confirmation">
      {!isCancelled && (
        <svg class={`done${isPending ? ' is-pending' : ''}`} viewBox="0 0 48 48" aria-hidden="true">
          <circle cx="24" cy="24" r="22" />
          <path d={isPending ? 'M24 14v11l7 4' : 'M15 25l6.5 6.5L34 18'} />
        </svg>
      )}
      <Heading inner={heading}>{title}</Heading>
      <p>{hint}</p>
      {dates && !isCancelled && (
        <ul>
          {dates.map((startMs) => (
            <li key={startMs}>{momentText(props.formats, startMs, state.zone)}</li>
          ))}
        </ul>
      )}
      {state.sendsMail && !isPending && !isCancelled && (
        <p>{fill(texts.mailed, { email: booking.client.email })}</p>
      )}
      <div class="summary" part="summary">
        <Summary {...props} appointment={appointment} />
        {fees && <p class="hint">{fees}</p>}
      </div>
      {!isPending && !isCancelled && state.business && (
        <CalendarChoices
          {...{ booking, texts, manageUrl }}
          formats={props.formats}
          business={state.business}
          onFile={() => offerCalendarFile(props, manageUrl)}
        />
      )}
      <div class="actions">
        {isUnpaid && state.checkoutUrl !== null && (
          <button
            type="button"
            class="primary"
            part="primary-button"
            onClick={() => flow.late?.deposit.again()}
          >
            {texts.pay}
          </button>
        )}
        {isUnpaid && (
          <button
            type="button"
            class="secondary"
            part="secondary-button"
            onClick={() => void flow.late?.deposit.look()}
          >
            {texts.checkAgain}
          </button>
        )}
        {manageUrl !== null && canChange && (
          <a class="secondary" part="secondary-button" href={manageUrl} target="_top" rel="noreferrer">
            {isRequest ? texts.withdraw : texts.manage}
          </a>
        )}
        <button
          type="button"
          class="secondary"
          part="secondary-button"
          onClick={() => {
            keepLink(flow.options.place, null)
            flow.late?.bookAnother()
          }}
        >
          {texts.bookAnother}
        </button>
      </div>
    </div>
  )
}

/** Returns the fees to which the visitor has agreed, in sentences. Empty without fees. */
function agreedFees({ state: { catalogue }, language, formats }: View, booking: Booking): string {
  const { items, discount, price, payment } = booking
  const booked = items.map(({ service, staff, party_size: party }) => ({
    ...{ serviceId: service.id, staffId: staff?.id ?? null, party, isWith: false },
  }))
  return feeSentence(catalogue, booked, {
    ...{ texts: language.texts, locale: language.locale, isBooked: true },
    money: (money) => formats.money(money),
    ...(discount && price && { reduced: price }),
    paid: payment?.amount ? payment : null,
  })
}

/** Polls until the returned function is called. Pauses in a hidden tab, and polls at once on return. */
function lookNowAndThen(flow: View['flow']): () => void {
  let timer: ReturnType<typeof setTimeout>
  const plan = (looks: number) => {
    const pause = lookPausesMs[looks]
    if (pause === undefined) return
    timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void flow.late?.deposit.look()
      plan(looks + 1)
    }, pause)
  }
  plan(0)
  return () => clearTimeout(timer)
}

function offerCalendarFile(
  { state, nowMs, formats, language: { texts } }: View,
  manageUrl: string | null,
): void {
  const { booking, business } = state
  if (!booking || !business) return
  const { title, place, details } = calendarEntry({ booking, business, texts, formats, manageUrl })
  const text = calendarFile({
    id: booking.id,
    ...{ title, place },
    description: details,
    startsAtMs: Date.parse(booking.starts_at),
    endsAtMs: Date.parse(booking.ends_at),
    writtenAtMs: nowMs(),
  })
  offer(text)
}
