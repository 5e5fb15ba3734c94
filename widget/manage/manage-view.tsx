import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Booking, Money as MoneyOf } from '../api/api-types.ts'
import type { Language } from '../languages.ts'
import { fillCount } from '../counts.ts'
import { feeText } from '../flow/fee-rules.ts'
import { respondByMs } from '../flow/request-rules.ts'
import { fill, type Texts } from '../texts.ts'
import { type Formats, placeOf } from '../times/formats.ts'
import { momentText } from '../times/moment.ts'
import { dateIn, sameTimeIn } from '../times/zones.ts'
import { CalendarChoices } from '../views/calendar-choices.tsx'
import { Contact } from '../views/contact.tsx'
import { Header } from '../views/header.tsx'
import { Heading } from '../views/heading.tsx'
import { leftOnSite } from '../views/left-on-site.ts'
import { Place } from '../views/place.tsx'
import { priceText } from '../views/price-text.ts'
import { bookedItems, Items, times } from '../views/summary.tsx'
import { TextInput } from '../views/text-input.tsx'
import { SlotNotice } from '../views/slot-notice.tsx'
import { TimeStep } from '../views/time-step.tsx'
import type { Cancellation, Managed, SeriesDate } from './manage-api.ts'
import type { ManageFlow, ManageState } from './manage-flow.ts'

/** The props of every view of the page. */
export interface ManageView {
  flow: ManageFlow
  state: ManageState
  language: Language
  /** Texts of the language. */
  texts: Texts
  formats: Formats
  /** The zone of this device. */
  ownZone: string
  nowMs: () => number
  /** The client's own page, if it is open in this browser. */
  wayBack: string | undefined
}

/** The props of views that show the booking. */
export type ShownView = ManageView & { managed: Managed }

/** Renders the whole page. */
export function ManagePage(props: ManageView) {
  const { state, language, texts, wayBack } = props
  const { phase, managed, isWorking } = state
  const business = managed?.business
  const isBranded = business?.brand_name ?? business?.brand_color ?? business?.brand_logo_url
  return (
    <div class="widget" part="widget" lang={language.locale} dir={language.direction}>
      {(business ?? phase === 'loading') && <Header business={business ?? null} />}
      <div class="content" aria-busy={isWorking || phase === 'loading'}>
        {wayBack && (
          <p class="way-back">
            <a href={wayBack}>
              <span aria-hidden="true">‹</span> {texts['manage.all']}
            </a>
          </p>
        )}
        {phase === 'shown' && managed ? <Shown {...props} managed={managed} /> : <NotShown {...props} />}
      </div>
      {managed && <LegalPart texts={texts} managed={managed} />}
      {business && !isBranded && <p class="branding">{texts.poweredBy}</p>}
    </div>
  )
}

/** Renders the legal links, and the terms to which the client has agreed. */
function LegalPart({ texts, managed: { booking, business } }: { texts: Texts; managed: Managed }) {
  const { imprint_url: imprint, privacy_url: privacy } = business
  const agreed = booking.custom_field_values?.find(({ field_id }) => field_id === booking.business_id)?.text
  return (imprint ?? privacy ?? agreed) ? (
    <div class="branding legal">
      <Legal address={imprint} text={texts.imprint} />
      <Legal address={privacy} text={texts.privacy} />
      {agreed && (
        <details class="terms">
          <summary>{texts.terms}</summary>
          <bdi>{agreed}</bdi>
        </details>
      )}
    </div>
  ) : null
}

function Legal({ address, text }: { address: string | null; text: string }) {
  return address === null ? null : (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}

function NotShown({ flow, state, texts }: ManageView) {
  if (state.phase === 'ended') {
    return (
      <Step title={texts['manage.ended']}>
        <p>{texts['manage.endedHint']}</p>
      </Step>
    )
  }
  if (state.phase === 'unreachable') {
    return (
      <Step title={texts['manage.title']}>
        <div class="notice" role="alert">
          <p>{texts['manage.unreachable']}</p>
          <button type="button" class="secondary" onClick={() => void flow.tryAgain()}>
            {texts.tryAgain}
          </button>
        </div>
      </Step>
    )
  }
  return (
    <div aria-hidden="true" class="skeleton">
      <span />
      <span />
      <span />
    </div>
  )
}

function Shown(props: ShownView) {
  const { flow, state, texts } = props
  if (state.mode === 'times') {
    return (
      <Step key="times" title={texts.stepTime} isLater>
        <div class="appointment">
          <What {...props} />
          <dl class="change">
            <dt>{texts['manage.now']}</dt>
            <dd>{momentOf(props, Date.parse(props.managed.booking.starts_at))}</dd>
          </dl>
        </div>
        <SlotNotice {...props} state={state.times} />
        <TimeStep {...props} state={state.times} />
        <BackButton onClick={() => flow.show('view')} text={texts['manage.keep']} />
      </Step>
    )
  }
  if (state.mode === 'confirm') return <ConfirmMove {...props} />
  if (state.mode === 'cancel') return <AskCancel {...props} />
  if (state.mode === 'card') return <AskRemoveCard {...props} />
  return <Overview {...props} />
}

/** Renders a step with its heading. The heading takes the focus unless it is the first thing on the page. */
export function Step({
  title,
  sign,
  isLater = false,
  children,
}: {
  title: string
  sign?: ComponentChildren
  isLater?: boolean
  children: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (isLater) heading.current?.focus()
  }, [title])
  return (
    <div class="step">
      <div class="title">
        {sign}
        <Heading inner={heading}>{title}</Heading>
      </div>
      {children}
    </div>
  )
}

function BackButton({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <p class="aside">
      <button type="button" class="link" onClick={onClick}>
        {text}
      </button>
    </p>
  )
}

const gladNotices = ['moved', 'refundComing']

function Overview(props: ShownView) {
  const { flow, state, texts, formats, managed, nowMs } = props
  const { booking, business, policy } = managed
  const isCancelled = booking.status === 'cancelled'
  const isOver = hasEnded(booking, nowMs())
  const respondBy = respondByMs(booking)
  const hasFee = (wanted: 'due' | 'charging') => managed.fees?.some(({ status }) => status === wanted)
  const payUrl = payUrlOf(managed)
  return (
    <Step
      key={booking.id}
      title={titleOf(props, isOver)}
      sign={isOver ? undefined : <Sign {...props} />}
      isLater={state.isLater}
    >
      {state.notice && (
        <div class="notice" role={gladNotices.includes(state.notice) ? 'status' : 'alert'}>
          <p>
            {fill(texts[`manage.${state.notice}`], {
              amount: booking.payment ? formats.money(booking.payment) : '',
            })}
          </p>
        </div>
      )}
      {respondBy !== undefined && (
        <p class="hear-by">{fill(texts.hearBy, { time: momentOf(props, respondBy) })}</p>
      )}
      <Appointment {...props} />
      <Dates {...props} />
      {isCancelled && !hasFee('due') && (
        <p class="aside">{texts[hasFee('charging') ? 'manage.cancelledCharging' : 'manage.cancelledHint']}</p>
      )}
      <div class="choices">
        {payUrl && (
          <a class="primary" href={payUrl} rel="noreferrer" onClick={() => leaveWayBack(booking.id)}>
            {texts.pay}
          </a>
        )}
        {policy.can_reschedule && (
          <button
            type="button"
            class={payUrl ? 'secondary' : 'primary'}
            onClick={() => void flow.chooseTime()}
          >
            {texts['manage.move']}
          </button>
        )}
        {policy.can_cancel && (
          <button type="button" class="secondary fault-button" onClick={() => flow.show('cancel')}>
            {respondBy === undefined ? texts['manage.cancel'] : texts.withdraw}
          </button>
        )}
        {(isCancelled || isOver) && business.booking_url && (
          <a
            class={payUrl ? 'secondary' : 'primary'}
            href={bookAgainUrl(business.booking_url, booking)}
            rel="noreferrer"
          >
            {texts['manage.bookAgain']}
          </a>
        )}
      </div>
      {!isCancelled && !isOver && <Policy {...props} />}
      {!isCancelled && !isOver && respondBy === undefined && (
        <CalendarChoices
          {...{ booking, business, formats }}
          texts={texts}
          manageUrl={`${location.origin}${location.pathname}${location.hash}`}
          onFile={() => void flow.offerFile()}
        />
      )}
    </Step>
  )
}

/**
 * Returns the booking page with the same services and location, and the person if there is one for all. The client's
 * details go into the fragment, which no server sees.
 */
function bookAgainUrl(page: string, { items, location, client }: Booking): string {
  const people = [...new Set(items.map(({ staff }) => staff?.id))]
  const [person] = people.length === 1 ? people : []
  const services = items.map(({ service }) => service.id).join()
  const details = Object.entries(client).filter(([, text]) => text)
  const query = `?service=${services}&location=${location.id}${person ? `&staff=${person}` : ''}`
  return `${page}${query}#${new URLSearchParams(details)}`
}

/** Stores the way back, which src/pages/checkout.js reads. */
function leaveWayBack(bookingId: string): void {
  try {
    sessionStorage.setItem(`holdfast:return:${bookingId}`, `/manage${location.hash}`)
  } catch {
    // storage is disabled: the checkout ends on the server's own page
  }
}

/** True if nothing of the appointment is ahead: its time is over, or the business has marked it as done or missed. */
function hasEnded({ status, ends_at }: Booking, nowMs: number): boolean {
  return status !== 'cancelled' && (status === 'completed' || Date.parse(ends_at) <= nowMs)
}

function titleOf({ texts, managed: { booking, fees } }: ShownView, isOver: boolean): string {
  if (booking.status === 'cancelled') return texts['manage.cancelled']
  const isMissed = fees?.some(({ reason, status }) => reason === 'no_show' && status !== 'waived')
  if (isOver) return texts[isMissed ? 'manage.missed' : 'manage.over']
  const name = booking.client.first_name
  const title =
    respondByMs(booking) !== undefined
      ? 'manage.requested'
      : booking.status === 'pending'
        ? 'manage.pending'
        : 'manage.booked'
  return fill(texts[title], { name })
}

function Sign({ managed: { booking } }: ShownView) {
  if (booking.status === 'cancelled') return null
  const isPending = booking.status === 'pending'
  return (
    <svg class={`done${isPending ? ' is-pending' : ''}`} viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="22" />
      <path d={isPending ? 'M24 14v11l7 4' : 'M15 25l6.5 6.5L34 18'} />
    </svg>
  )
}

/** Renders the appointment: service, staff member, time, location and price. */
function Appointment(props: ShownView) {
  const { managed, texts } = props
  const { booking } = managed
  const { location } = booking
  const items = bookedItems(booking)
  const isCancelled = booking.status === 'cancelled'
  return (
    <section class={`appointment${isCancelled ? ' is-over' : ''}`}>
      {items.length === 0 && <What {...props} />}
      <Time {...props} startsAtMs={Date.parse(booking.starts_at)} endsAtMs={Date.parse(booking.ends_at)} />
      {items.length > 0 && <Items {...{ items, texts }} formats={props.formats} zone={zoneOf(props)} />}
      <p>
        <Place location={location} texts={texts} hasLinks={!isCancelled} />
      </p>
      <Money {...props} />
      <Fees {...props} />
      <SavedCard {...props} />
      {isCancelled && booking.cancel_reason && (
        <p>
          {texts['manage.reason']}: <bdi>{booking.cancel_reason}</bdi>
        </p>
      )}
    </section>
  )
}

/** Renders a service with its person, or the names of several services. */
function What({ managed: { booking }, texts, formats }: ShownView) {
  const { service, staff, party_size: people } = booking
  const names = bookedItems(booking).map((item) => item.service)
  if (names.length > 0) return <p class="what">{names.join(' + ')}</p>
  return (
    <p class="what">
      <bdi>{service.name}</bdi> {staff && fill(texts['manage.withPerson'], { name: staff.name })}{' '}
      {people > 1 && fillCount(texts.people, people, formats)}
    </p>
  )
}

/** Returns the zone in which the page shows times: this device's for an online appointment, as in emails. */
function zoneOf({ managed, ownZone }: Pick<ShownView, 'managed' | 'ownZone'>): string {
  const { online_url, timezone } = managed.booking.location
  return online_url ? ownZone : timezone
}

/** Renders the time in the zone of the page, and in the other zone if that differs. */
function Time(props: ShownView & { startsAtMs: number; endsAtMs: number }) {
  const { managed, texts, formats, ownZone, startsAtMs, endsAtMs } = props
  const { timezone } = managed.booking.location
  const zone = zoneOf(props)
  const other = zone === timezone ? ownZone : timezone
  const range = (inZone: string) => `${formats.time(startsAtMs, inZone)} – ${formats.time(endsAtMs, inZone)}`
  const isElsewhere = !sameTimeIn(ownZone, timezone, startsAtMs)
  const isOtherDay = dateIn(ownZone, startsAtMs) !== dateIn(timezone, startsAtMs)
  const there = `${isOtherDay ? `${formats.shortDay(startsAtMs, other)}, ` : ''}${range(other)}`
  return (
    <p>
      <span class="when-line">
        {formats.longDay(startsAtMs, zone)}, <span class="nowrap">{range(zone)}</span>
      </span>
      {isElsewhere && <span class="hint"> {formats.zone(zone, startsAtMs)}</span>}
      {isElsewhere && (
        <>
          <br />
          <span class="hint">{fill(texts.atLocation, { time: there, place: placeOf(other) })}</span>
        </>
      )}
    </p>
  )
}

function Money({ managed: { booking }, formats, texts }: ShownView) {
  const { service, party_size: people } = booking
  const payment = booking.payment?.amount ? booking.payment : undefined // a saved card is no money
  const price = booking.price ?? (service.price && times(service.price, people))
  const isCancelled = booking.status === 'cancelled'
  const amount = payment ? formats.money(payment) : ''
  const isOwed = !isCancelled && (payment?.status === 'paid' || payment?.status === 'due')
  const deposit =
    payment?.status === 'refunded' || payment?.status === 'paid' || payment?.status === 'due'
      ? fill(texts[payment.status === 'refunded' ? 'manage.refunded' : payment.status], { amount })
      : ''
  const left = isOwed ? leftOnSite(price, payment) : undefined
  const parts = [
    price && !isCancelled ? priceText(price, { texts, formats }) : '',
    deposit,
    payment?.status === 'paid' && payment.refunded_amount
      ? fill(texts['manage.refunded'], {
          amount: formats.money({ ...payment, amount: payment.refunded_amount }),
        })
      : '',
    left ? fill(texts.left, { amount: formats.money(left) }) : '',
  ].filter(Boolean)
  const { discount } = booking
  return (
    <>
      {discount && !isCancelled && (
        <p>{fill(texts.discount, { code: discount.code, amount: formats.money(discount) })}</p>
      )}
      {parts.length > 0 && <p>{parts.join(' · ')}</p>}
    </>
  )
}

/** Returns the page of the payment that the main button opens: the deposit, or the only fee that is due. */
function payUrlOf({ pay_url, fees = [] }: Managed): string | null | undefined {
  const [fee, ...others] = fees.filter((one) => one.pay_url)
  return pay_url ?? (others[0] ? undefined : fee?.pay_url)
}

/** Renders the fees of the booking. */
function Fees({ managed, formats, texts }: ShownView) {
  const { fees = [], booking } = managed
  return fees.map((fee, index) => {
    const { status, reason, pay_url } = fee
    const isOurs = reason === 'late_cancel' || reason === 'no_show'
    const words = isOurs ? texts[`manage.feeReasons.${reason}`] : reason
    return (
      <p key={index}>
        {fill(texts[`manage.fees.${status}`], { amount: formats.money(fee), reason: words })}{' '}
        {pay_url && pay_url !== payUrlOf(managed) && (
          <a href={pay_url} rel="noreferrer" onClick={() => leaveWayBack(booking.id)}>
            {texts.pay}
          </a>
        )}
      </p>
    )
  })
}

/** Renders the saved card, with the button to remove it once nothing can fall due any more. */
function SavedCard({ managed: { card }, flow, state, texts }: ShownView) {
  if (!card) return null
  const shown = [card.brand, '••••', card.last_four].filter(Boolean).join(' ')
  return (
    <p>
      {card.removing ? texts['manage.cardRemoving'] : fill(texts['manage.card'], { card: shown })}{' '}
      {card.can_remove && state.mode === 'view' && (
        <button type="button" class="link" onClick={() => flow.show('card')}>
          {texts['manage.cardRemove']}
        </button>
      )}
    </p>
  )
}

/** Asks before the saved card is removed. */
function AskRemoveCard(props: ShownView) {
  const { flow, state, texts } = props
  return (
    <Step key="card" title={texts['manage.cardRemoveAsk']} isLater>
      <div class="notice">
        <p>{texts['manage.cardRemoveWhy']}</p>
      </div>
      <Appointment {...props} />
      <div class="choices">
        <button
          type="button"
          class="secondary fault-button"
          aria-disabled={state.isWorking}
          onClick={() => void flow.removeCard()}
        >
          {texts['manage.cardRemove']}
        </button>
        <button type="button" class="secondary" onClick={() => flow.show('view')}>
          {texts['manage.cardKeep']}
        </button>
      </div>
    </Step>
  )
}

/** Returns what cancelling now costs, in sentences. Empty if it costs nothing. */
function costsOfCancelling({ managed: { policy }, formats, texts }: ShownView): string[] {
  const { fee, refund } = policy
  if (!fee) return []
  const say = (key: 'feeCharged' | 'feeKept' | 'feeReturned', amount: number) =>
    fill(texts[`manage.${key}`], { amount: formats.money({ ...fee, amount }) })
  return [
    ...(fee.charged > 0 ? [say('feeCharged', fee.charged)] : []),
    ...(refund === 'part' ? [say('feeKept', fee.amount), say('feeReturned', fee.refunded)] : []),
  ]
}

/** Returns what is kept of the payment when the client cancels now, as a sentence. Empty if it returns. */
function keptPayment({ managed: { booking, policy }, formats, texts }: ShownView): string[] {
  const { payment } = booking
  if (policy.refund !== 'none' || payment?.status !== 'paid' || !payment.amount) return []
  const amount = formats.money({ ...payment, amount: payment.amount - (payment.refunded_amount ?? 0) })
  return [fill(texts['manage.feeKept'], { amount })]
}

/** Returns the fees that the client has agreed to, in sentences. The cost of cancelling now says more. */
function agreedFees({ managed: { policy }, texts, formats, language }: ShownView): string[] {
  const { late_fees = [], no_show_fee, fee } = policy
  const words = { texts, locale: language.locale, money: (one: MoneyOf) => formats.money(one) }
  return [...(fee ? [] : late_fees), ...(no_show_fee ? [no_show_fee] : [])].map((one) => feeText(one, words))
}

/** Renders what cancelling costs now, the deadlines for changes, the agreed fees, and the contact for later. */
function Policy(props: ShownView) {
  const { managed, texts } = props
  const { booking, policy, business } = managed
  const time = (instant: string | null) => {
    const ms = Date.parse(instant ?? '')
    return Number.isNaN(ms) ? '' : momentOf(props, ms)
  }
  const [cancel, move] = [time(policy.cancel_until), time(policy.reschedule_until)]
  const isPending = booking.status === 'pending'
  const isRequest = respondByMs(booking) !== undefined
  const canCancelUntil = policy.can_cancel && !isPending
  const lines =
    canCancelUntil && policy.can_reschedule && cancel === move
      ? [fill(texts.untilBoth, { time: move })]
      : [
          ...(policy.can_reschedule ? [fill(texts.untilMove, { time: move })] : []),
          ...(canCancelUntil ? [fill(texts.untilCancel, { time: cancel })] : []),
          ...(isPending && policy.can_cancel && !isRequest ? [texts['manage.always']] : []),
        ]
  const costs = policy.can_cancel ? [...costsOfCancelling(props), ...keptPayment(props)] : []
  return (
    <div class="policy hint">
      {[...costs, ...agreedFees(props), ...lines].map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p>
        <Contact text={lines.length > 0 ? texts['manage.afterwards'] : texts.contact} business={business} />
      </p>
    </div>
  )
}

/** Formats an instant in the zone of the page. */
function momentOf(props: ShownView, ms: number): string {
  return momentText(props.formats, ms, zoneOf(props))
}

function ConfirmMove(props: ShownView) {
  const { flow, state, texts, managed, formats, ownZone } = props
  const { wanted } = state.times
  if (!wanted) return null
  const { timezone } = managed.booking.location
  const line = (ms: number) => momentOf(props, ms)
  return (
    <Step key="confirm" title={texts['manage.askMove']} isLater>
      <div class="appointment">
        <What {...props} />
        <dl class="change">
          <dt>{texts['manage.now']}</dt>
          <dd>{line(Date.parse(managed.booking.starts_at))}</dd>
          <dt>{texts['manage.then']}</dt>
          <dd>{line(wanted.startsAtMs)}</dd>
        </dl>
        {!sameTimeIn(ownZone, timezone, wanted.startsAtMs) && (
          <p class="hint">{formats.zone(zoneOf(props), wanted.startsAtMs)}</p>
        )}
      </div>
      {otherDates(managed, props.nowMs()).length > 0 && <p class="aside">{texts['manage.seriesStay']}</p>}
      <div class="choices">
        <button
          type="button"
          class="primary"
          aria-disabled={state.isWorking}
          onClick={() => void flow.move()}
        >
          {texts['manage.confirmMove']}
        </button>
        <button type="button" class="secondary" onClick={() => flow.goBack()}>
          {texts.chooseOther}
        </button>
        <button type="button" class="secondary" onClick={() => flow.show('view')}>
          {texts['manage.keep']}
        </button>
      </div>
    </Step>
  )
}

const reaches = [
  ['this', 'manage.seriesThis'],
  ['following', 'manage.seriesFollowing'],
  ['all', 'manage.seriesAll'],
] as const

/** Renders the dates of a series, of which the shown booking is one. Each date ahead links to its own page. */
function Dates(props: ShownView) {
  const { managed, texts, nowMs } = props
  const { series = [], booking } = managed
  if (series.length < 2) return null
  const open = otherDates(managed, nowMs())
  return (
    <details class="dates">
      <summary>{texts['manage.series']}</summary>
      {open.length > 0 && <p class="hint">{texts['manage.seriesHint']}</p>}
      <ol>
        {series.map((date) => {
          const { id, status, starts_at, manage_url } = date
          const moment = momentOf(props, Date.parse(starts_at))
          return (
            <li key={id} aria-current={id === booking.id ? 'true' : undefined}>
              {status === 'cancelled' ? (
                <s>{moment}</s>
              ) : open.includes(date) ? (
                <a href={`/manage${location.search}${new URL(manage_url ?? '').hash}`}>{moment}</a>
              ) : (
                moment
              )}
            </li>
          )
        })}
      </ol>
    </details>
  )
}

/** Returns the other dates of the series that are still ahead and have their own page. */
function otherDates({ series = [], booking }: Managed, nowMs: number): SeriesDate[] {
  return series.filter(
    ({ id, status, ends_at, manage_url }) =>
      id !== booking.id && status !== 'cancelled' && manage_url !== undefined && Date.parse(ends_at) > nowMs,
  )
}

function AskCancel(props: ShownView) {
  const { flow, state, texts, managed, formats } = props
  const [reason, setReason] = useState('')
  const [series, setSeries] = useState<Cancellation['series']>('this')
  const { booking, policy } = managed
  const isRequest = respondByMs(booking) !== undefined
  const { payment } = booking
  const amount = payment?.amount && payment.status === 'paid' ? formats.money(payment) : null
  const costs = costsOfCancelling(props)
  const isPart = policy.refund === 'part'
  return (
    <Step key="cancel" title={isRequest ? texts['manage.askWithdraw'] : texts['manage.askCancel']} isLater>
      <form
        class="ask"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void flow.cancel({ reason: reason.trim(), series })
        }}
      >
        {costs.length > 0 && (
          <div class="notice">
            {costs.map((line) => (
              <p key={line}>{line}</p>
            ))}
          </div>
        )}
        {amount !== null && !isPart && (
          <div class="notice">
            <p>
              {fill(policy.refund === 'full' ? texts['manage.refundFull'] : texts['manage.refundNone'], {
                amount,
              })}
            </p>
          </div>
        )}
        <Appointment {...props} />
        {managed.series && (
          <fieldset class="reach">
            <legend>{texts['manage.seriesAsk']}</legend>
            {reaches.map(([reach, name]) => (
              <label key={reach}>
                <input
                  type="radio"
                  name="series"
                  checked={series === reach}
                  onChange={() => setSeries(reach)}
                />{' '}
                {texts[name]}
              </label>
            ))}
          </fieldset>
        )}
        <TextInput
          label={texts['manage.reason']}
          value={reason}
          lines={2}
          max={500}
          texts={texts}
          onWrite={setReason}
        />
        <div class="choices">
          <button type="submit" class="secondary fault-button" aria-disabled={state.isWorking}>
            {isRequest ? texts.withdraw : texts['manage.confirmCancel']}
          </button>
          <button type="button" class="secondary" onClick={() => flow.show('view')}>
            {texts['manage.keep']}
          </button>
        </div>
      </form>
    </Step>
  )
}
