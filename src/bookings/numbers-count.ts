import type { Static } from 'typebox'
import { dateOf } from '../availability/hours-rules.ts'
import { zoneAround } from '../availability/offer-rules.ts'
import { dayMs, type Days, type Interval, ZoneOffsets } from '../availability/zone-rules.ts'
import { toMs } from '../base/instants.ts'
import type { Slices } from '../base/slices.ts'
import type { WholeCatalogue } from '../catalogue/offering.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { type Column, ColumnHours, columnsIn, minutesIn, roomId } from './calendar-rules.ts'
import {
  addHours,
  LeadTimes,
  maxLeadDays,
  MoneySums,
  spansOf,
  takenTimes,
  weekCells,
} from './numbers-rules.ts'
import type { Numbers } from './numbers-schemas.ts'
import { FeeSums, TakingsSums } from './movement-rules.ts'
import type { NumbersItem } from './numbers-types.ts'

/** Maximum number of listed columns. Further ones are only counted. */
const maxColumns = 1_000

type Counted = Static<typeof Numbers>
type MovedShare = Parameters<TakingsSums['add']>[0] & { staff_id: string | null }
type FeeShare = Parameters<FeeSums['add']>[0] & { staff_id: string | null }
type CountName =
  'bookings' | 'cancellations' | 'no_shows' | 'waitlist_bookings' | 'booked_minutes' | 'open_minutes'

interface Question {
  catalogue: WholeCatalogue
  locationId: string | undefined
  staffId: string | undefined
  timezone: string
  days: Days
  /** The first day of weeks, from 1 for Monday to 7. */
  firstWeekday: number
}

/** Days of one week and one month, with their instants. */
export interface CountedSpan {
  days: Days
  week: number
  month: number
  range: Interval
}

/** The counts of a week, a month or all days. */
class Period {
  readonly counts = {
    ...{ bookings: 0, cancellations: 0, no_shows: 0, booked_minutes: 0, open_minutes: 0 },
    waitlist_bookings: 0,
  }
  readonly money = new MoneySums()
  readonly waitlistMoney = new MoneySums()
  readonly taken = new TakingsSums()
  readonly fees = new FeeSums()
  clients = { new: 0, returning: 0 }
  readonly days: Days

  constructor(days: Days) {
    this.days = days
  }

  present() {
    const { booked_minutes, ...counts } = this.counts
    return {
      from: dateOf(this.days.first),
      to: dateOf(this.days.last),
      ...counts,
      booked_minutes: Math.round(booked_minutes),
      new_clients: this.clients.new,
      returning_clients: this.clients.returning,
      money: this.money.list(),
      waitlist_money: this.waitlistMoney.list(),
      taken: this.taken.list(),
      fees: this.fees.list(),
    }
  }
}

type CountedColumn = Pick<Column, 'id' | 'staff' | 'service' | 'location'> &
  Record<CountName, number[]> & { money: MoneySums; bookedHours: Float64Array; openHours: Float64Array }

interface Met {
  /** True until the first booking of all is counted. */
  isNew: boolean
  /** The periods of the last booking. */
  seen: readonly Period[]
}

/** Adds up the numbers of some days. Items must come in the order of time, those of a visit together. */
export class NumbersCount {
  readonly spans: readonly CountedSpan[]
  private readonly question: Question
  private readonly zone: ZoneOffsets
  private readonly leadZone: ZoneOffsets
  private readonly total: Period
  private readonly weeks: Period[]
  private readonly months: Period[]
  private readonly list: ReturnType<typeof columnsIn>
  private readonly seeds: ReturnType<ReturnType<typeof columnsIn>['some']>
  private readonly columns = new Map<string, CountedColumn>()
  private readonly services: ReadonlyMap<string, Service>
  private readonly byService = new Map<string, { bookings: number; seats: number; money: MoneySums }>()
  private readonly leads = new LeadTimes()
  private readonly clients = new Map<string, Met>()
  /** Times of the present span that are counted, because clients may share them. */
  private readonly taken = new Set<string>()
  private lastBooking = ''
  private isComplete: boolean

  constructor(question: Question) {
    const { catalogue, locationId, staffId, timezone, days } = question
    this.question = question
    this.zone = zoneAround(timezone, days)
    const from = Math.max(0, (days.first - maxLeadDays - 2) * dayMs)
    this.leadZone = new ZoneOffsets(timezone, { from, to: (days.last + 3) * dayMs })
    const { spans, weeks, months } = spansOf(days, question.firstWeekday)
    this.spans = spans.map((span) => ({ ...span, range: this.zone.spanOf(span.days) }))
    this.weeks = weeks.map((week) => new Period(week))
    this.months = months.map((month) => new Period(month))
    this.total = new Period(days)
    this.list = columnsIn(catalogue, locationId)
    const listed = this.list.some({ from: 0, max: maxColumns })
    this.seeds = staffId === undefined ? listed : listed.filter(({ id }) => id === staffId)
    this.services = new Map(catalogue.services.map((service) => [service.id, service]))
    this.isComplete = staffId !== undefined || this.list.length <= listed.length
  }

  /** Adds the opening hours of a span, as they are now. */
  async addOpenTime(span: CountedSpan, slices: Slices): Promise<void> {
    const hours = new ColumnHours(span)
    let minutes = 0
    await slices.map(this.seeds, (seed) => {
      const { open, ...column } = hours.column(seed)
      const counted = this.columns.get(column.id) ?? this.addColumn(column)
      const ofColumn = minutesIn(open)
      minutes += ofColumn
      addTo(counted.open_minutes, span.week, ofColumn)
      for (const time of open) addHours(counted.openHours, this.zone, time)
    })
    if (this.question.staffId === undefined && this.list.length > this.seeds.length)
      minutes = await this.list.openMinutes(hours, () => slices.giveWay())
    for (const period of this.periodsOf(span)) period.counts.open_minutes += minutes
    this.taken.clear()
  }

  /** Returns the addresses of clients who did not appear before. */
  unknownClients(items: readonly NumbersItem[]): string[] {
    const isUnknown = ({ client, state }: NumbersItem) =>
      client !== '' && state !== 'cancelled' && !this.clients.has(client)
    return [...new Set(items.filter(isUnknown).map(({ client }) => client))]
  }

  /** Adds clients, some of whom had a booking before these days. */
  meet(emails: readonly string[], earlier: ReadonlySet<string>): void {
    for (const email of emails) this.clients.set(email, { isNew: !earlier.has(email), seen: [] })
  }

  add(span: CountedSpan, item: NumbersItem): void {
    const isFirst = item.booking_id !== this.lastBooking
    this.lastBooking = item.booking_id
    const service = this.services.get(item.service_id)
    const periods = this.periodsOf(span)
    const column = this.columnFor(item, service)
    this.isComplete &&= column !== undefined
    const isFilled = item.was_offered === 1 && item.state !== 'cancelled'
    for (const { counts } of isFirst ? periods : []) {
      if (item.state === 'cancelled') counts.cancellations += 1
      else counts.bookings += 1
      if (isFilled) counts.waitlist_bookings += 1
      if (item.state === 'missed') counts.no_shows += 1
    }
    if (column) {
      if (item.state === 'cancelled') addTo(column.cancellations, span.week, 1)
      else addTo(column.bookings, span.week, 1)
      if (item.state === 'missed') addTo(column.no_shows, span.week, 1)
      if (isFilled) addTo(column.waitlist_bookings, span.week, 1)
    }
    if (item.state === 'cancelled') return
    for (const money of [...periods.map((period) => period.money), ...(column ? [column.money] : [])])
      money.add(item, service)
    if (item.was_offered === 1) for (const { waitlistMoney } of periods) waitlistMoney.add(item, service)
    this.addService(item, service)
    this.addTime(span, item, { service, column })
    if (isFirst) {
      this.addClient(item, periods)
      this.addLead(item)
    }
  }

  /** Adds a payment or refund of a span, or the part of it for one service. */
  addMoved(span: CountedSpan, item: MovedShare): void {
    if (this.question.staffId !== undefined && item.staff_id !== this.question.staffId) return
    for (const { taken } of this.periodsOf(span)) taken.add(item)
  }

  /** Adds a part of a fee of a booking in a span, for one service. */
  addFee(span: CountedSpan, item: FeeShare): void {
    if (this.question.staffId !== undefined && item.staff_id !== this.question.staffId) return
    for (const { fees } of this.periodsOf(span)) fees.add(item)
  }

  /** Returns the numbers. */
  async present(slices: Slices): Promise<Pick<Counted, Shown>> {
    const columns = [...this.columns.values()]
    return {
      weeks: this.weeks.map((week) => week.present()),
      months: this.months.map((month) => month.present()),
      total: this.total.present(),
      columns: await slices.map(columns, presentColumn),
      services: await slices.map([...this.byService], ([id, { money, ...counts }]) => ({
        id,
        name: this.services.get(id)?.name ?? '–',
        ...counts,
        money: money.list(),
      })),
      hours: presentHours(columns),
      lead_times: this.leads.groups(),
      median_lead_days: this.leads.median(),
      complete: this.isComplete,
    }
  }

  private periodsOf({ week, month }: CountedSpan): Period[] {
    return [this.weeks[week], this.months[month], this.total].filter((period) => period !== undefined)
  }

  private addColumn(column: Pick<Column, 'id' | 'staff' | 'service' | 'location'>): CountedColumn {
    const zeros = () => this.weeks.map(() => 0)
    const counted = {
      ...column,
      ...{ bookings: zeros(), cancellations: zeros(), no_shows: zeros(), waitlist_bookings: zeros() },
      ...{ booked_minutes: zeros(), open_minutes: zeros(), money: new MoneySums() },
      ...{ bookedHours: new Float64Array(weekCells), openHours: new Float64Array(weekCells) },
    }
    this.columns.set(column.id, counted)
    return counted
  }

  /** Returns the column of an item; a new one if it is no longer offered. Undefined if there are too many. */
  private columnFor(item: NumbersItem, service: Service | undefined): CountedColumn | undefined {
    const { staff_id: staffId, location_id } = item
    const id = staffId ?? (service ? roomId(service, { id: location_id }) : item.service_id)
    const known = this.columns.get(id)
    if (known) return known
    if (this.columns.size >= 2 * maxColumns) return undefined
    const { staff, locations } = this.question.catalogue
    return staffId === null
      ? this.addColumn({
          ...{ id, staff: undefined, service },
          location: locations.find((one) => one.id === location_id),
        })
      : this.addColumn({
          ...{ id, staff: staff.find((one) => one.id === staffId), service: undefined, location: undefined },
        })
  }

  private addService(item: NumbersItem, service: Service | undefined): void {
    const counted = this.byService.get(item.service_id) ?? { bookings: 0, seats: 0, money: new MoneySums() }
    this.byService.set(item.service_id, counted)
    counted.bookings += 1
    counted.seats += item.party_size
    counted.money.add(item, service)
  }

  /** Adds booked time: a shared appointment of a person once, otherwise each seat for its part. */
  private addTime(
    span: CountedSpan,
    item: NumbersItem,
    { service, column }: { service: Service | undefined; column: CountedColumn | undefined },
  ): void {
    const { staff_id: staffId } = item
    if (staffId !== null) {
      const name = `${staffId} ${item.starts_at} ${item.ends_at}`
      if (this.taken.has(name)) return
      this.taken.add(name)
    }
    const part = staffId === null ? item.party_size / (service?.capacity ?? 1) : 1
    const times = takenTimes(item, service)
    const minutes = times.reduce((sum, { from, to }) => sum + (to - from) / 60_000, 0) * part
    for (const { counts } of this.periodsOf(span)) counts.booked_minutes += minutes
    if (!column) return
    addTo(column.booked_minutes, span.week, minutes)
    for (const time of times) addHours(column.bookedHours, this.zone, { ...time, part })
  }

  private addClient({ client }: NumbersItem, periods: readonly Period[]): void {
    const met = this.clients.get(client)
    if (!met) return
    for (const period of periods)
      if (!met.seen.includes(period)) period.clients[met.isNew ? 'new' : 'returning'] += 1
    this.clients.set(client, { isNew: false, seen: periods })
  }

  private addLead({ created_at, booking_starts_at }: NumbersItem): void {
    const start = toMs(booking_starts_at)
    const made = Math.max(Math.min(toMs(created_at), start), start - maxLeadDays * dayMs)
    this.leads.add(this.leadZone.dayAt(start) - this.leadZone.dayAt(made))
  }
}

type Shown =
  | 'weeks'
  | 'months'
  | 'total'
  | 'columns'
  | 'services'
  | 'hours'
  | 'lead_times'
  | 'median_lead_days'
  | 'complete'

function addTo(list: number[], at: number, number: number): void {
  list[at] = (list[at] ?? 0) + number
}

function rounded(numbers: ArrayLike<number>): number[] {
  return Array.from(numbers, Math.round)
}

function presentColumn({ id, staff, service, location, ...column }: CountedColumn) {
  const named = (one: { id: string; name: string } | undefined) =>
    one ? { id: one.id, name: one.name } : null
  return {
    ...{ id, staff: named(staff), service: named(service), location: named(location) },
    ...{ bookings: column.bookings, cancellations: column.cancellations, no_shows: column.no_shows },
    waitlist_bookings: column.waitlist_bookings,
    booked_minutes: rounded(column.booked_minutes),
    open_minutes: column.open_minutes,
    money: column.money.list(),
    hours: { booked_minutes: ofDay(column.bookedHours), open_minutes: ofDay(column.openHours) },
  }
}

/** Adds up the hours of all weekdays. */
function ofDay(cells: Float64Array): number[] {
  const hours = Array.from({ length: 24 }, () => 0)
  for (const [at, minutes] of cells.entries()) addTo(hours, at % 24, minutes)
  return rounded(hours)
}

/** Adds up the hours of those who work, or of all things that need nobody. */
function presentHours(columns: readonly CountedColumn[]) {
  const open = columns.filter(({ open_minutes }) => open_minutes.some((minutes) => minutes > 0))
  const people = open.filter(({ staff }) => staff)
  const booked = new Float64Array(weekCells)
  const opened = new Float64Array(weekCells)
  for (const column of people.length > 0 ? people : open) {
    for (const [at, minutes] of column.bookedHours.entries()) booked[at] = (booked[at] ?? 0) + minutes
    for (const [at, minutes] of column.openHours.entries()) opened[at] = (opened[at] ?? 0) + minutes
  }
  const byDay = (cells: Float64Array) =>
    Array.from({ length: 7 }, (_, day) => rounded(cells.subarray(day * 24, (day + 1) * 24)))
  return { booked_minutes: byDay(booked), open_minutes: byDay(opened) }
}
