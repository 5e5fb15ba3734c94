import type { Config } from '../base/config.ts'
import { exampleIds } from '../base/examples.ts'
import { type Instant, plusMinutes, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { MailKind } from '../database/tables.ts'
import { mailKinds } from './mail-rules.ts'
import { type MailView, renderMail } from './render.ts'
import { renderText } from './render-text.ts'
import { type OutgoingMail, senderAddress } from './send.ts'
import type { OutgoingText } from './text-sender.ts'

/** Kinds of emails with a preview. */
export const sampleKinds = Object.keys(mailKinds) as MailKind[]

interface Sample {
  kind: MailKind
  locale: string
  to: string
  now: Instant
  /** The business that the email belongs to. Absent for a neutral sample. */
  business?: (MailView['business'] & { timezone: string }) | undefined
}

const salon = {
  name: 'Salon Spree',
  color: '#1f6f5c',
  phone: '+49 30 5550123',
  replyTo: 'hello@salon-spree.example',
  timezone: 'Europe/Berlin',
}

/** Renders an email about a fictional appointment the day after tomorrow. */
export function sampleMail(config: Config, { kind, locale, to, now, business }: Sample): OutgoingMail {
  const view = sampleView(config, { kind, locale, to, now, business })
  return {
    id: exampleIds.mail,
    ...{ kind, to, at: now },
    senderName: view.business.name,
    replyTo: view.business.replyTo,
    offUrl: view.offUrl,
    content: renderMail(view),
  }
}

/** Renders a text message about the same appointment. */
export function sampleText(
  config: Config,
  { to, locale, now }: Pick<Sample, 'to' | 'locale' | 'now'>,
): OutgoingText {
  const view = sampleView(config, { kind: 'confirmed', locale, to: '', now })
  const manageUrl = `${publicUrl(config)}/m/sample`
  return {
    ...{ id: exampleIds.mail, to, statusUrl: null },
    text: renderText(view, { manageUrl, canAnswer: false }),
  }
}

/** Kinds about a fee for a missed appointment. */
const feeKinds: ReadonlySet<MailKind> = new Set([
  ...(['fee_paid', 'fee_due', 'fee_waived', 'charge_failed', 'disputed'] as const),
])

const businessKinds: ReadonlySet<MailKind> = new Set(['booked', 'answer_due', 'charge_failed', 'disputed'])

const depositStates: Partial<Record<MailKind, 'due' | 'paid' | 'refunded'>> = {
  deposit_due: 'due',
  confirmed: 'paid',
  cancelled: 'refunded',
  refunded: 'paid',
}

const half = { amount: 500, currency: 'EUR' }
/** A half of the deposit. */
const sampleRefund = { now: half, soFar: half, rest: half, isOfFee: false }

function sampleFee(kind: MailKind, address: string): NonNullable<MailView['fee']> {
  return {
    ...{ amount: 1_750, currency: 'EUR', reason: 'no_show' },
    payUrl: kind === 'fee_due' ? `${address}/checkout/sample` : null,
    ...(kind === 'charge_failed' && { failure: 'insufficient_funds' }),
  }
}

function sampleView(config: Config, { kind, locale, to, now, business = salon }: Sample): MailView {
  const { timezone, ...sender } = business
  const startsAt = `${plusSeconds(now, 2 * 86_400).slice(0, 11)}08:30:00.000Z` as Instant // a time on that day
  const address = publicUrl(config)
  const state = depositStates[kind]
  const isOfBusiness = businessKinds.has(kind)
  const respondBy = kind === 'requested' || kind === 'answer_due' ? plusSeconds(now, 86_400) : null
  return {
    kind,
    audience: isOfBusiness ? 'business' : 'client',
    reportsPayment: false,
    locales: [locale],
    business: sender,
    booking: {
      id: exampleIds.booking,
      version: 1,
      serviceName: 'Haircut',
      locationName: 'Mitte',
      address: 'Rosenthaler Str. 12, 10119 Berlin',
      onlineUrl: null,
      staffName: 'Anna Weber',
      items: [],
      startsAt,
      endsAt: plusMinutes(startsAt, 30),
      isConfirmed: kind !== 'deposit_due' && respondBy === null,
      respondBy,
      before:
        kind === 'changed'
          ? { startsAt: plusSeconds(startsAt, -86_400), endsAt: null, staffName: 'Ben Fischer' }
          : null,
      clientZone: null,
      timezone,
      price: { amount: 3_500, currency: 'EUR' },
      deposit: state
        ? {
            ...{ kind: 'deposit', amount: 1_000, currency: 'EUR', state },
            payUntil: state === 'due' ? plusMinutes(now, 35) : null,
          }
        : null,
      returned: null,
      left: { amount: state ? 2_500 : 3_500, currency: 'EUR' },
      client: { firstName: 'Ada', lastName: 'Lovelace', email: to, phone: '+49 30 1234567' },
      answers: isOfBusiness ? [{ label: 'How long is your hair?', value: 'Down to the shoulders' }] : [],
      cancelReason: kind === 'cancelled' || kind === 'declined' ? 'Anna is ill. We are sorry.' : null,
      notes: isOfBusiness ? 'Short at the sides, please.' : null,
    },
    ...(feeKinds.has(kind) && { fee: sampleFee(kind, address) }),
    ...(kind === 'disputed' && { dispute: 'open' as const }),
    ...(kind === 'refunded' && { refund: sampleRefund }),
    manageUrl: isOfBusiness ? null : `${address}/manage#sample`,
    payUrl: kind === 'deposit_due' ? `${address}/checkout/sample` : null,
    cancelUntil: plusSeconds(startsAt, -86_400),
    moveUntil: plusSeconds(startsAt, -86_400),
    offUrl: mailKinds[kind].isOptional ? `${address}/mail/off/sample` : null,
    ownUrl: isOfBusiness ? null : `${address}/me/sample`,
    consoleUrl: isOfBusiness ? `${address}/console/bookings/sample` : null,
    answerUrl: kind === 'answer_due' ? `${address}/requests/sample` : null,
    waitUrl: kind === 'declined' ? `${address}/w/sample` : null,
    otherTimes:
      kind === 'declined' || kind === 'unanswered'
        ? [{ startsAt: plusSeconds(startsAt, 86_400), url: `${address}/book/sample` }]
        : [],
    now,
    from: { address: senderAddress(config) },
  }
}
