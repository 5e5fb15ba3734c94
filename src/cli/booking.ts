import { fullName } from '../base/contact-formats.ts'
import { Option } from 'commander'
import type { Static } from 'typebox'
import { operator } from '../access/actor.ts'
import { type Named, unknownId, UsageError } from '../base/errors.ts'
import { presentPage, listAll } from '../base/paging.ts'
import { type Instant, plusMinutes, readInstant, readInstants } from '../base/instants.ts'
import { BookingsQuery, ChangeBooking, type SeriesReach, seriesReaches } from '../bookings/booking-schemas.ts'
import { type Payment, RefundBooking } from '../bookings/payment-schemas.ts'
import { presentBooking } from '../bookings/presented-booking.ts'
import { changeBooking, listBookings, type RequestAnswer, showBooking } from '../bookings/booking.ts'
import {
  answerRequests,
  cancelInSeries,
  type ChangedInSeries,
  changeInSeries,
} from '../bookings/series-change.ts'
import type { Context } from '../bookings/context.ts'
import { withLinks } from '../bookings/manage.ts'
import { presentPayment, type ShownPayment } from '../bookings/shown-payment.ts'
import { refundBooking } from '../payments/refund.ts'
import { findObjection } from '../bookings/objection.ts'
import { itemsQuery } from '../availability/visit-query-rules.ts'
import { serviceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { itemsOf } from '../database/shown-item-rules.ts'
import { listBlocks } from '../catalogue/block.ts'
import { type CliCommand, print, printPage, tableLines, warn, withExistingDatabase } from './command-line.ts'
import {
  assertNoFaults,
  checkedChange,
  checkedQuery,
  given,
  inOptions,
  moneyText,
  readFields,
  readMoney,
  readTime,
  repeated,
  shownTime,
} from './input.ts'
import { idsOf, isNotFound } from './item.ts'
import { ownerOfList } from './list-owner.ts'
import { readListScope } from './list-scope.ts'

type Query = Static<typeof BookingsQuery>
type BookingRow = Parameters<typeof presentBooking>[0]

interface ListOptions {
  business?: string
  status?: string[]
  from?: string
  to?: string
  service?: string
  location?: string
  staff?: string
  email?: string
  search?: string
  sort?: string
  limit?: string
  cursor?: string
  json?: boolean
}

const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'] satisfies Query['status']
const sorts = ['created_at', 'starts_at', '-created_at', '-starts_at'] satisfies Query['sort'][]
const optionNames = {
  business_id: '--business',
  service_id: '--service',
  location_id: '--location',
  staff_id: '--staff',
  q: '--search',
}

/** Number of pages, newest bookings first, to search for a similar ID. */
const maxPages = 10

export function registerBookingCommands(program: CliCommand): void {
  const group = program.group('booking', 'manage bookings', 'list --status confirmed')
  registerList(group)
  registerShow(group)
  registerReschedule(group)
  registerChange(group)
  registerCancel(group)
  registerRefund(group)
  registerComplete(group)
  registerAnswers(group)
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list bookings, newest first')
    .option('--business <name or id>', 'only this business')
    .addOption(
      new Option('--status <status...>', 'only with this status, or one of several').choices(statuses),
    )
    .option(
      '--from <time>',
      'only those that start at or after this time: "2026-12-01" or "2026-12-01 10:00" in the zone of the location or business, or with an offset',
    )
    .option('--to <time>', 'only those that start before this time; a date means its beginning')
    .option('--service <name or id>', 'only this service')
    .option('--location <name or id>', 'only at this location')
    .option('--staff <name or id>', 'only with this staff member')
    .option('--email <address>', 'only this client')
    .option('--search <text>', "part of the client's name, email or phone, at least 3 characters")
    .addOption(new Option('--sort <order>', 'sort order (default: -created_at)').choices(sorts))
    .withPages()
    .withJson()
    .examples('booking list --business "Salon Spree" --status confirmed --from 2026-12-01')
    .action(async ({ business, service, location, staff, from, to, search, json, ...same }: ListOptions) => {
      const { page, owner } = await withExistingDatabase(async (context) => {
        const scope = { business, service, location, staff }
        const { fields, faults } = await readListScope(context, scope, { from, to })
        const body = given({ ...same, ...fields, q: search })
        const query = checkedQuery(BookingsQuery, body, optionNames, faults)
        const owner = await ownerOfList(context, fields.business_id)
        return { page: await listBookings(context, operator, query), owner }
      })
      printPage(
        presentPage(page, (row) => presentBooking(row, operator)),
        json,
        {
          title: owner.titleOf('Bookings'),
          columns: {
            ID: ({ id }) => id,
            STARTS: ({ starts_at }) => shownTime(starts_at),
            STATUS: ({ status }) => status,
            ...owner.column,
            SERVICE: ({ items }) => items.map(({ service }) => service.name).join(' + '),
            LOCATION: ({ location }) => location.name,
            STAFF: ({ items }) => peopleText(items),
            CLIENT: ({ client }) => clientText(client),
          },
        },
      )
    })
}

function registerShow(group: CliCommand): void {
  group
    .command('show <id>')
    .description('show one booking')
    .withJson()
    .examples('booking show 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const booking = await withBooking(id, async (context) => {
        const found = await showBooking(context, operator, id)
        return withLinks(context, { actor: operator, booking: found }, presentBooking(found, operator))
      })
      print(booking, json, () => bookingLines(booking))
    })
}

function registerReschedule(group: CliCommand): void {
  group
    .command('reschedule <id>')
    .description('move a booking; opening hours, blocks and the grid do not apply')
    .requiredOption('--to <time>', 'new start: "2026-12-01 10:00" in its location, or with an offset')
    .option('--until <time>', 'new end (default: same duration)')
    .addOption(reachOption())
    .withJson()
    .examples('booking reschedule 0198… --to "2026-12-01 10:00"')
    .action(async (id: string, { to, until, series, json }: RescheduleOptions) => {
      const { moved, against } = await withBooking(id, async (context) => {
        const booking = await showBooking(context, operator, id)
        const { fields, faults } = await readFields({
          starts_at: () => readTime(to, booking.timezone),
          ends_at: () => (until === undefined ? undefined : readTime(until, booking.timezone)),
        })
        assertNoFaults(faults)
        const { starts_at: startText = '', ...end } = fields // never empty: a fault would have thrown
        const change = { ...readInstants(end, 'ends_at'), starts_at: readInstant(startText) }
        const against = await ruleAgainst(context, booking, change.starts_at)
        const moved = await changeInSeries(context, operator, { reach: series, target: { id }, change })
        return { moved, against }
      })
      if (against !== undefined) warn(against)
      printChanged(moved, json)
    })
}

interface RescheduleOptions {
  to: string
  until?: string
  series?: SeriesReach
  json?: boolean
}

function reachOption(): Option {
  return new Option(
    '--series <which>',
    'of a series: this booking, this and the following, or all that are ahead (default: this)',
  ).choices(seriesReaches)
}

function registerChange(group: CliCommand): void {
  group
    .command('change <id>')
    .description('replace the services and people of a booking; what stays, keeps its person and price')
    .requiredOption(
      '--item <service>',
      'a service of the visit, in order: "Cut", "Cut: Anna Weber", "Colour x2" for two people, "~Cut: Ben" together with the one before; repeatable',
      repeated,
    )
    .option('--to <time>', 'new start: "2026-12-01 10:00" in its location, or with an offset')
    .withJson()
    .examples('booking change 0198… --item "Cut: Anna Weber" --item Colour')
    .action(async (id: string, { item, to, json }: { item: string[]; to?: string; json?: boolean }) => {
      const changed = await withBooking(id, async (context) => {
        const booking = await showBooking(context, operator, id)
        const { fields, faults } = await readFields({
          items: () => wishedItems(context, booking, item),
          starts_at: () => (to === undefined ? undefined : readTime(to, booking.timezone)),
        })
        assertNoFaults(faults)
        const names = { items: '--item' }
        const { starts_at, items } = checkedChange(ChangeBooking, fields, names)
        const change = given({
          items,
          starts_at: starts_at === undefined ? undefined : readInstant(starts_at),
        })
        return changeBooking(context, operator, { target: { id }, change })
      })
      printBooking(changed, json)
    })
}

/** Reads texts such as `~Colour: Anna Weber x2`. A service that the booking has keeps its item. Throws UsageErrors. */
async function wishedItems(context: Context, booking: BookingRow, texts: string[]) {
  const businessId = booking.business_id
  const left = itemsOf(booking)
  const wished: object[] = []
  for (const text of texts) {
    const [, together, service = '', person, party] =
      /^(~)?\s*([^:]+?)(?:\s*:\s*(.+?))?(?:\s+x(\d{1,3}))?$/.exec(text.trim()) ?? []
    const named = (reference: string) => ({ businessId, option: '--item', references: [reference] })
    const [service_id] = await idsOf(context, serviceKind, named(service))
    const [staff_id] = person === undefined ? [] : await idsOf(context, staffKind, named(person))
    const index = left.findIndex((one) => one.service.id === service_id)
    const [present] = index < 0 ? [] : left.splice(index, 1)
    wished.push(
      given({
        ...{ id: present?.id, service_id, staff_id },
        party_size: party === undefined ? undefined : Number(party),
        starts: together === undefined ? undefined : 'with',
      }),
    )
  }
  return wished
}

/**
 * Explains why clients could not book this start for the booking's service, staff and location. Returns
 * undefined if they could.
 */
async function ruleAgainst(
  context: Context,
  booking: BookingRow,
  starts_at: Instant,
): Promise<string | undefined> {
  const { service_id, location_id, staff_id, service_name: service, location_name: location } = booking
  const items = itemsOf(booking)
  const what =
    items.length > 1
      ? { items: itemsQuery(items.map(itemOfQuery)) }
      : { service_id, ...given({ staff_id: staff_id ?? undefined }) }
  const time = { ...what, location_id, starts_at }
  const objection = await findObjection(context, operator, { act: 'move', time })
  switch (objection?.reason) {
    case 'in_the_past':
      return 'that time is in the past'
    case 'too_soon':
      return `${service} needs more notice`
    case 'beyond_horizon':
      return `${service} cannot be booked so far ahead yet`
    case 'outside_hours':
      return `${location} is not open at that time`
    case 'blocked':
      return `${await blockedAt(context, booking, starts_at)} is blocked at that time`
    case 'busy_elsewhere':
      return `${booking.staff_name ?? location} is busy elsewhere at that time`
    case 'not_on_grid':
      return `no slot of ${service} starts at that time`
    case 'staff_not_available':
      return `${booking.staff_name ?? ''} does not work at that time`
    case 'not_offered_here':
      return `${service} is not offered there any more`
    case undefined:
      return undefined
  }
}

function itemOfQuery({ service, staff, party_size }: ReturnType<typeof itemsOf>[number]) {
  return { service_id: service.id, ...given({ staff_id: staff?.id }), party_size, starts: 'after' as const }
}

/** Returns the location if it has a block at that time, otherwise the staff member. */
async function blockedAt(context: Context, booking: BookingRow, from: Instant): Promise<string> {
  const { location_id, location_name, staff_name, duration_minutes } = booking
  const to = plusMinutes(from, duration_minutes)
  const { data } = await listBlocks(context, operator, { location_id, from, to, limit: 1 })
  return data.length > 0 ? location_name : (staff_name ?? location_name)
}

function registerCancel(group: CliCommand): void {
  group
    .command('cancel <id>')
    .description('cancel a booking; frees its slot at once')
    .option('--refund', 'refund the deposit; fails if none was paid')
    .addOption(reachOption())
    .withJson()
    .examples('booking cancel 0198…')
    .action(async (id: string, { refund = false, series: reach, json }: CancelOptions) => {
      const cancelled = await withBooking(id, (context) =>
        cancelInSeries(context, operator, { id, refund, reach }),
      )
      printChanged(cancelled, json)
    })
}

interface CancelOptions {
  refund?: boolean
  series?: SeriesReach
  json?: boolean
}

function registerRefund(group: CliCommand): void {
  group
    .command('refund <id>')
    .description('refund what was paid for a booking, all that is left or a part; the booking stays')
    .option('--amount <money>', 'only this part, such as "20 EUR" (default: all that is left)')
    .option('--reason <text>', 'the reason, for the team only')
    .withJson()
    .examples('booking refund 0198… --amount "20 EUR" --reason "The colour did not hold"')
    .action(async (id: string, { amount, reason, json }: RefundOptions) => {
      const { payment, timezone } = await withBooking(id, async (context) => {
        const { payment_currency: currency } = await showBooking(context, operator, id)
        const { fields, faults } = await readFields({
          amount: () => (amount === undefined ? undefined : readAmountIn(amount, currency)),
        })
        const body = { ...fields, ...given({ reason }) }
        const names = { amount: amount === undefined ? 'A refund' : '--amount' }
        const refund = checkedChange(RefundBooking, body, names, faults)
        return inOptions(names, () => refundBooking(context, operator, { id, ...refund }))
      })
      const shown = presentPayment(payment, { timezone })
      print(shown, json, () => [refundText(shown)])
    })
}

interface RefundOptions {
  amount?: string
  reason?: string
  json?: boolean
}

/** Reads an amount in the currency of a payment. Returns minor units (ISO 4217). Throws a UsageError. */
function readAmountIn(text: string, currency: string | null): number {
  const money = readMoney(text)
  if (currency === null || money.currency === currency) return money.amount
  throw new UsageError(`--amount must be in ${currency}, as it was paid.`)
}

/** Formats a payment as "60.00 EUR paid, 20.00 EUR refunded, 10.00 EUR on the way back". */
function refundText({ amount, currency, refunded_amount, refunding_amount }: ShownPayment): string {
  const money = (part: number) => moneyText({ amount: part, currency })
  const done = refunded_amount > 0 ? `, ${money(refunded_amount)} refunded` : ''
  return `${money(amount)} paid${done}, ${money(refunding_amount)} on the way back`
}

function registerComplete(group: CliCommand): void {
  group
    .command('complete <id>')
    .description('mark a booking as completed')
    .option('--revive', 'complete a cancelled booking; takes its slot again if it is free')
    .withJson()
    .examples('booking complete 0198…')
    .action(async (id: string, { revive = false, json }: { revive?: boolean; json?: boolean }) => {
      const completed = await withBooking(id, async (context) => {
        const found = await showBooking(context, operator, id)
        if (found.status === 'cancelled' && !revive) {
          throw new UsageError(
            'The booking is cancelled. If it took place nevertheless, add --revive; it then takes its slot again.',
          )
        }
        // requires the version just read, so that a concurrent cancellation is not overwritten
        const target = { id, versions: [found.version] }
        return changeBooking(context, operator, { target, change: { status: 'completed' } })
      })
      printBooking(completed, json)
    })
}

function registerAnswers(group: CliCommand): void {
  group
    .command('confirm <id>')
    .description('confirm a request, with all dates of its series; the client gets an email')
    .withJson()
    .examples('booking confirm 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      printChanged(await answer(id, { confirms: true }), json)
    })
  group
    .command('decline <id>')
    .description('decline a request, with all dates of its series; the client gets an email with other times')
    .option('--reason <text>', 'the reason, which the client reads')
    .withJson()
    .examples('booking decline 0198… --reason "We are away that day"')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) => {
      const names = { cancel_reason: '--reason' }
      if (reason !== undefined) checkedChange(ChangeBooking, { cancel_reason: reason }, names)
      printChanged(await answer(id, { confirms: false, reason }), json)
    })
}

function answer(id: string, how: Omit<RequestAnswer, 'id'>): Promise<ChangedInSeries> {
  return withBooking(id, (context) => answerRequests(context, operator, { id, ...how }))
}

/** Runs work on a booking. If no booking has this ID, throws a UsageError that suggests a similar one. */
function withBooking<T>(id: string, work: (context: Context) => Promise<T>): Promise<T> {
  return withExistingDatabase(async (context) => {
    try {
      return await work(context)
    } catch (error) {
      if (!isNotFound(error)) throw error
      throw unknownId('booking', id, { known: await newestBookings(context) })
    }
  })
}

async function newestBookings(context: Context): Promise<Named[]> {
  const rows = await listAll((page) => listBookings(context, operator, page), { pages: maxPages })
  return rows.map(named)
}

function named(row: BookingRow): Named {
  const { id, service, client, starts_at } = presentBooking(row, operator)
  return {
    id,
    name: `${service.name} for ${fullName(client.first_name, client.last_name)}, ${shownTime(starts_at)}`,
  }
}

function printBooking(row: BookingRow, json: boolean | undefined): void {
  const booking = presentBooking(row, operator)
  print(booking, json, () => bookingLines(booking))
}

/** Prints a booking, and the number of others that changed with it. */
function printChanged({ booking, series }: ChangedInSeries, json: boolean | undefined): void {
  const shown = { ...presentBooking(booking, operator), ...(series && { series }) }
  print(shown, json, () => [
    ...bookingLines(shown),
    ...(series ? [`${series.booking_ids.length} bookings of the series changed`] : []),
  ])
}

function bookingLines(
  booking: ReturnType<typeof presentBooking> & { manage_url?: string; pay_url?: string },
): string[] {
  const { client, location, items } = booking
  const isVisit = items.length > 1
  const contact = `${clientText(client)} ${client.phone ?? ''}`
  return tableLines(
    ['BOOKING', booking.id],
    [
      ['status', booking.status],
      ['starts', shownTime(booking.starts_at)],
      ['ends', shownTime(booking.ends_at)],
      ...(isVisit ? items.map((item) => ['service', itemText(item)]) : [['service', booking.service.name]]),
      ...(!isVisit && booking.party_size > 1 ? [['people', String(booking.party_size)]] : []),
      ['location', `${location.name} (${location.timezone})`],
      ['staff', peopleText(items)],
      ...('price' in booking && isVisit && booking.price ? [['price', moneyText(booking.price)]] : []),
      ['client', contact.trimEnd()],
      ['notes', booking.notes ?? ''],
      ...('no_show' in booking && booking.no_show ? [['no show', 'the client did not come']] : []),
      ...('payment' in booking ? [['deposit', paymentText(booking.payment)]] : []),
      ['cancelled', shownTime(booking.cancelled_at ?? '')],
      ['business', booking.business_id],
      ...('series_id' in booking ? [['series', booking.series_id]] : []),
      ...(booking.pay_url === undefined ? [] : [['pay link', booking.pay_url]]),
      ...(booking.manage_url === undefined ? [] : [['manage link', booking.manage_url]]),
    ],
  )
}

type ShownItem = ReturnType<typeof presentBooking>['items'][number]

/** Returns all who give a service of a booking. */
function peopleText(items: readonly ShownItem[]): string {
  return [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))].join(', ')
}

/** Formats an item as "10:30–12:00 Colour x2: Anna Weber". */
function itemText({ starts_at, ends_at, service, party_size, staff }: ShownItem): string {
  const times = `${starts_at.slice(11, 16)}–${ends_at.slice(11, 16)}`
  const party = party_size > 1 ? ` x${party_size}` : ''
  return `${times} ${service.name}${party}${staff ? `: ${staff.name}` : ''}`
}

function paymentText(payment: Static<typeof Payment>): string {
  const { status, paid_at, refunded_at, provider } = payment
  const when = refunded_at ?? paid_at
  return `${moneyText(payment)} ${status}${when === null ? '' : ` ${shownTime(when)}`} (${provider})`
}

/** Formats a client as "Ada Lovelace <ada@example.com>". */
function clientText({ first_name, last_name, email }: ReturnType<typeof presentBooking>['client']): string {
  return [fullName(first_name, last_name), ...(email === '' ? [] : [`<${email}>`])].join(' ')
}
