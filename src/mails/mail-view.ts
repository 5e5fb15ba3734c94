import { effectivePlan } from '../access/actor.ts'
import { shownEmail } from '../base/contact-formats.ts'
import { type Instant, toMs } from '../base/instants.ts'
import { absoluteUrl } from '../base/public-url.ts'
import type { CustomField } from '../catalogue/catalogue-types.ts'
import { labelParts } from '../catalogue/service-rules.ts'
import {
  itemName,
  itemNames,
  itemsOf,
  leftOnSite,
  shownDiscountOf,
  type ShownItem,
  totalPriceOf,
} from '../database/shown-item-rules.ts'
import type { MailsTable } from '../database/tables.ts'
import type { LateFee, MailedFee, ShownBooking } from './mail-queries.ts'
import {
  disputeOfOccasion,
  type Known,
  type KnownItem,
  reportsPayment,
  waivedOfOccasion,
} from './mail-rules.ts'
import type { Answer, MailItem, MailView } from './render.ts'

/** URLs in an email. */
export interface MailAddresses {
  manageUrl: string | null
  /** Deadline for the client to cancel. Null: never possible, or always. */
  cancelUntil: Instant | null
  /** Deadline for the client to move it. Null: never possible. */
  moveUntil: Instant | null
  /** URL of the checkout. */
  payUrl: string | null
  offUrl: string | null
  /** URL of the page with all appointments of the client. */
  ownUrl: string | null
  /** URL of the booking in the console. */
  consoleUrl: string | null
  /** Page on which the business answers a request. */
  answerUrl?: string | null
  /** Free times in place of a request that ended. */
  otherTimes?: NonNullable<MailView['otherTimes']>
  /** Page of the client on the waiting list. */
  waitUrl?: string | null
}

/** For an email without URLs. */
export const noAddresses: MailAddresses = {
  manageUrl: null,
  cancelUntil: null,
  moveUntil: null,
  payUrl: null,
  offUrl: null,
  ownUrl: null,
  consoleUrl: null,
}

/** The state that the recipient of an email about a change knows. `names` has its staff and services, by ID. */
type KnownBooking = Partial<Known> & { names: ReadonlyMap<string, string> }

/** Returns a booking as an email shows it, with the name and colour that its plan allows. */
export function mailViewOf(
  { kind, audience, occasion = '' }: Pick<MailsTable, 'kind' | 'audience'> & { occasion?: string },
  booking: ShownBooking,
  {
    addresses,
    known,
    now,
    from,
    server = '',
    series,
    fee,
    refund,
  }: {
    addresses: MailAddresses
    known: KnownBooking | undefined
    now: Instant
    from: string
    /** The server's public URL. */
    server?: string
    series?: MailView['booking']['series'] | undefined
    /** The fee that the email is about. */
    fee?: MailView['fee'] | undefined
    /** The refund that the email is about. */
    refund?: MailView['refund'] | undefined
  },
): MailView {
  const items = itemsOf(booking)
  const isVisit = items.length > 1 || (known?.items?.length ?? 0) > 1
  const isMissed = booking.status === 'cancelled' || booking.no_show_at !== null
  const people = [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))]
  return {
    kind,
    audience,
    reportsPayment: reportsPayment({ occasion }),
    locales: audience === 'client' ? [booking.locale, booking.business_locale] : [booking.business_locale],
    business: businessOf(booking, server),
    booking: {
      id: booking.id,
      version: booking.version,
      isConfirmed: booking.confirmed_at !== null,
      respondBy: booking.respond_by,
      serviceName: itemNames(items),
      locationName: booking.location_name,
      address: booking.location_address,
      onlineUrl: booking.online_url,
      staffName: people.length > 0 ? people.join(', ') : null,
      items: isVisit ? mailItems(items, known) : [],
      startsAt: booking.starts_at,
      endsAt: booking.ends_at,
      before: beforeOf(booking, known, isVisit),
      timezone: booking.timezone,
      clientZone: booking.time_zone,
      price: totalPriceOf(booking),
      discount: shownDiscountOf(booking),
      deposit: depositOf(booking),
      returned: returnedOf(booking),
      left: isMissed ? null : leftOnSite(booking),
      client: clientOf(booking),
      answers: answersOf(booking),
      terms: agreedTerms(booking),
      notes: booking.notes,
      cancelReason: booking.cancel_reason,
      ...(series && { series }),
    },
    ...(fee && { fee }),
    dispute: disputeOfOccasion({ kind, occasion }),
    ...(refund && { refund }),
    ...(!isMissed && { feeRules: booking }),
    ...addresses,
    now,
    from: { address: from },
  }
}

function clientOf(booking: ShownBooking): MailView['booking']['client'] {
  return {
    firstName: booking.client_first_name,
    lastName: booking.client_last_name,
    email: shownEmail(booking.client_email),
    phone: booking.client_phone,
  }
}

/** Returns the changed parts as the recipient knows them, null for unchanged ones. Returns null if nothing changed. */
function beforeOf(
  { starts_at, ends_at, staff_id }: ShownBooking,
  known: KnownBooking | undefined,
  isVisit: boolean,
): MailView['booking']['before'] {
  if (known?.starts_at === undefined) return null
  const { starts_at: startsAt, ends_at: endsAt = ends_at, staff_id: staffId } = known
  const lengthOf = (from: Instant, to: Instant) => Date.parse(to) - Date.parse(from)
  const isOtherLength =
    known.ends_at !== undefined && lengthOf(startsAt, endsAt) !== lengthOf(starts_at, ends_at)
  // each item of a visit has its own person
  const isOtherPerson = !isVisit && staffId !== undefined && staffId !== staff_id
  if (startsAt === starts_at && !isOtherLength && !isOtherPerson) return null
  return {
    startsAt: startsAt === starts_at && !isOtherLength ? null : startsAt,
    endsAt: isOtherLength ? endsAt : null,
    staffName: isOtherPerson && staffId !== null ? (known.names.get(staffId) ?? null) : null,
  }
}

/** Returns the services of a visit, then those that the recipient knows and that it no longer has. */
function mailItems(items: readonly ShownItem[], known: KnownBooking | undefined): MailItem[] {
  const before = known?.items ?? []
  const [first] = items
  const [firstBefore] = before
  // items that move together with the visit are not marked one by one
  const shift = first && firstBefore ? toMs(first.starts_at) - toMs(firstBefore.starts_at) : 0
  const isMoved = (item: ShownItem, was: KnownItem) => {
    const by = [toMs(item.starts_at) - toMs(was.starts_at), toMs(item.ends_at) - toMs(was.ends_at)]
    return ![0, shift].some((unmarked) => by.every((one) => one === unmarked))
  }
  const nameOf = (id: string | null) => (id === null ? null : (known?.names.get(id) ?? null))
  const earlier = earlierItems(items, before)
  const shown = items.map((item): MailItem => {
    const was = earlier.get(item)
    const isOtherPerson = was && was.staff_id !== (item.staff?.id ?? null)
    return {
      ...{ serviceName: itemName(item), staffName: item.staff?.name ?? null },
      ...{ startsAt: item.starts_at, endsAt: item.ends_at },
      price: item.price && { ...item.price, amount: item.price.amount * item.party_size },
      state: before.length > 0 && !was ? 'new' : 'booked',
      before: {
        startsAt: was && isMoved(item, was) ? was.starts_at : null,
        staffName: isOtherPerson ? nameOf(was.staff_id) : null,
      },
    }
  })
  const kept = new Set(earlier.values())
  const removed = before.filter((was) => !kept.has(was))
  return [
    ...shown,
    ...removed.map((was): MailItem => {
      const { service_id, staff_id, starts_at: startsAt, ends_at: endsAt } = was
      return {
        ...{ serviceName: nameOf(service_id) ?? '', staffName: nameOf(staff_id), startsAt, endsAt },
        ...{ price: null, state: 'removed', before: { startsAt: null, staffName: null } },
      }
    }),
  ]
}

/**
 * Finds the items that the recipient knows in the present ones. If the first was removed, the next has its ID, so
 * equal IDs alone do not decide.
 */
function earlierItems(items: readonly ShownItem[], before: readonly KnownItem[]): Map<ShownItem, KnownItem> {
  const has = {
    id: (item: ShownItem, was: KnownItem) => was.id === item.id,
    person: (item: ShownItem, was: KnownItem) => was.staff_id === (item.staff?.id ?? null),
    start: (item: ShownItem, was: KnownItem) => toMs(was.starts_at) === toMs(item.starts_at),
  }
  const earlier = new Map<ShownItem, KnownItem>()
  const taken = new Set<KnownItem>()
  const rules = [[has.id, has.person], [has.person, has.start], [has.id], []]
  for (const rule of rules)
    for (const item of items.filter((one) => !earlier.has(one))) {
      const was = before.find(
        (one) =>
          !taken.has(one) && one.service_id === item.service.id && rule.every((same) => same(item, one)),
      )
      if (!was) continue
      earlier.set(item, was)
      taken.add(was)
    }
  return earlier
}

function answersOf({
  business_id,
  custom_field_values_json,
  custom_fields_json,
  item_fields_json,
}: ShownBooking) {
  const fields =
    item_fields_json === null
      ? (JSON.parse(custom_fields_json) as CustomField[])
      : (JSON.parse(item_fields_json) as CustomField[][]).flat()
  const given = JSON.parse(custom_field_values_json) as { field_id: string; value: Answer; text?: string }[]
  const answers = given.filter(({ field_id }) => field_id !== business_id) // the terms are long
  return answers.map(({ field_id, value, text = fields.find(({ id }) => id === field_id)?.label }) => ({
    label: text === undefined ? null : plainLabel(text),
    value,
  }))
}

/** Returns the terms to which the client has agreed. */
function agreedTerms({ business_id, custom_field_values_json }: ShownBooking): string | null {
  const given = JSON.parse(custom_field_values_json) as { field_id: string; text?: string }[]
  return given.find(({ field_id }) => field_id === business_id)?.text ?? null
}

/** Returns the label of a consent without the URL of its link. */
function plainLabel(label: string): string {
  const { before, link, after } = labelParts(label)
  return `${before}${link?.text ?? ''}${after}`
}

function businessOf(booking: ShownBooking, server: string): MailView['business'] {
  const hasBrand = effectivePlan(booking.plan, booking.hub_plan) === 'enterprise'
  return {
    name: (hasBrand ? booking.brand_name : null) ?? booking.business_name,
    color: hasBrand ? booking.brand_color : null,
    logoUrl: absoluteUrl(server, hasBrand ? booking.brand_logo_url : null),
    phone: booking.phone,
    replyTo: booking.reply_to_email ?? booking.owner_email,
    imprintUrl: booking.imprint_url,
    privacyUrl: booking.privacy_url,
  }
}

function returnedOf({
  payment_refund_total: amount,
  ...booking
}: ShownBooking): MailView['booking']['returned'] {
  const isPart = booking.payment_status === 'paid' && amount !== null && amount > 0
  return isPart && amount !== booking.payment_amount ? moneyOf(amount, booking.payment_currency) : null
}

function depositOf(booking: ShownBooking): MailView['booking']['deposit'] {
  const { payment_kind: kind } = booking
  const paid = moneyOf(booking.payment_amount, booking.payment_currency)
  const money = paid && kind && kind !== 'fee' ? { ...paid, kind } : null
  const { payment_status: status, refund_requested_at: refundRequestedAt } = booking
  if (!money || status === null) return null
  if (status === 'expired' || status === 'charging' || status === 'waived') return null
  if (status === 'preparing')
    return booking.respond_by === null ? null : { ...money, state: 'later', payUntil: null }
  return {
    ...money,
    state: status === 'paid' && refundRequestedAt !== null ? 'refunded' : status,
    payUntil: booking.confirmed_at === null ? booking.payment_expires_at : booking.starts_at,
  }
}

function moneyOf(amount: number | null, currency: string | null) {
  return amount === null || currency === null ? null : { amount, currency }
}

/** The states of fees. Those of a series are in the first that one of them has. */
const feeStates = ['due', 'charging', 'paid'] as const

/** Returns a fee as messages show it. */
export function shownFeeOf(
  mail: Pick<MailsTable, 'kind' | 'occasion'>,
  { currency, reason, failure, amount, status }: MailedFee,
  payUrl: string | null,
): NonNullable<MailView['fee']> {
  const isWaived = mail.kind === 'fee_waived'
  return {
    ...{ amount: (isWaived ? waivedOfOccasion(mail) : undefined) ?? amount, currency },
    ...{ reason: reason ?? '', failure, isReturned: isWaived && status !== 'waived' },
    payUrl: mail.kind === 'fee_due' ? payUrl : null,
  }
}

/** Returns the cost of a cancellation: its fees, and what stays of the payment. */
export function cancelCostOf(
  booking: ShownBooking,
  fees: readonly LateFee[],
  checkoutUrl: (paymentId: string) => string,
): NonNullable<MailView['cancelCost']> {
  const { payment_status, payment_amount, payment_currency, payment_refund_total, refund_requested_at } =
    booking
  const isKept = payment_status === 'paid' && refund_requested_at === null
  const kept = isKept ? moneyOf((payment_amount ?? 0) - (payment_refund_total ?? 0), payment_currency) : null
  const [first] = fees
  const charged = fees.reduce((sum, { amount }) => sum + amount, 0) // all dates of a series have one currency
  const state = feeStates.find((one) => fees.some(({ status }) => status === one)) ?? 'charging'
  const { failure = null } = fees.find(({ status }) => status === state) ?? {}
  const payUrls = fees.filter(({ status }) => status === 'due').map(({ id }) => checkoutUrl(id))
  return {
    charged: first ? { amount: charged, currency: first.currency, state, failure, payUrls } : null,
    kept: kept && kept.amount > 0 ? kept : null,
  }
}
