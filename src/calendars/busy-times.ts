import ICAL from 'ical.js'
import { responsesOf } from './caldav-xml.ts'
import { windowsZones } from './windows-zones.ts'

/*
 * Reads the busy times of a calendar file (iCalendar, RFC 5545). Runs in a separate worker
 * (busy-times-program.ts), because an external file may demand more time or memory than available.
 */

/** More times than this within the span are refused. */
const maxTimes = 5_000
/** Maximum nesting of components: a calendar, an event, an alarm. */
const maxDepth = 8
const dayMs = 86_400_000

/** Input of the worker. */
export interface FileToRead {
  text: string
  /** Only times in this span count, in milliseconds since 1970-01-01T00:00:00Z. */
  fromMs: number
  toMs: number
  /** Zone of all-day dates and of times without a zone. */
  timezone: string
  /** True for the answer of a CalDAV server (RFC 4791, section 7.8) instead of a file. */
  isAnswer?: boolean
}

/**
 * A busy time in milliseconds since 1970-01-01T00:00:00Z, and the ID of the booking that the event may
 * represent.
 */
export type BusyTime = [fromMs: number, toMs: number, bookingId: string | null]

/** The reason why a file is refused. */
export type FileProblem =
  | 'not_a_calendar'
  | 'cut_off'
  | 'line_not_valid'
  | 'rule_not_valid'
  | 'nested_too_deeply'
  | 'date_not_valid'
  | 'zone_not_known'
  | 'rule_too_fine'
  | 'too_many_times'

/** The contents of a file. */
export interface FileTimes {
  times: BusyTime[]
  /** Items and entity tags of the objects of a server's answer that Holdfast may have written. */
  own?: [item: string, etag: string][]
}

/** Output of the worker. */
export type FileReading = FileTimes | FileFault

/**
 * The reason why a file is refused, and the location: a line, or the faulty part with the start of its event.
 */
interface FileFault {
  problem: FileProblem
  where?: string
}

const maxWhere = 80

class Refused extends Error {
  readonly fault: FileFault

  constructor(problem: FileProblem, where?: string) {
    super(problem)
    // shown on terminals and pages, although written by a stranger
    this.fault = {
      problem,
      ...(where !== undefined && { where: where.replaceAll(/[^ -~]/g, '?').slice(0, maxWhere) }),
    }
  }
}

/** Runs a reader of an event. If a refusal names the faulty part, adds the start of the event. */
function inAppointment<T>(component: Component, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refused) || error.fault.where === undefined) throw error
    throw withStart(error.fault.problem, error.fault.where, textOf(component, 'dtstart'))
  }
}

function withStart(problem: FileProblem, where: string, start: string | undefined): Refused {
  const begins = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d))?/.exec(start ?? '')?.slice(1)
  if (!begins || where === start) return new Refused(problem, where)
  const [year, month, day, hour, minute] = begins as (string | undefined)[]
  const time = hour === undefined ? '' : ` ${hour}:${minute}`
  return new Refused(problem, `${where.slice(0, maxWhere - 20)} (${year}-${month}-${day}${time})`)
}

/** A component and a property in the library's format (jCal, RFC 7265). */
type Component = [name: string, properties: Property[], components: Component[]]
type Property = [
  name: string,
  parameters: Record<string, string | string[]>,
  type: string,
  ...values: unknown[],
]

/** Converts a wall time, given as if it were UTC, into milliseconds since 1970-01-01T00:00:00Z. */
type Zone = (wallMs: number) => number

/** A time as written in a file. */
interface Written {
  /** Wall time as if it were UTC. */
  wallMs: number
  isDate: boolean
  zone: Zone
}

const utc: Zone = (wallMs) => wallMs

function zoneNamed(name: string): Zone {
  return (wallMs) =>
    Temporal.Instant.fromEpochMilliseconds(wallMs)
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime()
      // moves a skipped wall time forward, and takes the first of a repeated one (section 3.3.5)
      .toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Finds zones by the names in a file: IANA names, Windows names, and names that the file itself defines. */
class Zones {
  private readonly known = new Map<string, Zone>()
  private readonly described: Component[]
  readonly floating: Zone

  constructor(described: Component[], timezone: string) {
    this.described = described
    this.floating = zoneNamed(timezone)
  }

  named(name: string): Zone {
    let zone = this.known.get(name)
    if (!zone) {
      zone = this.find(name)
      this.known.set(name, zone)
    }
    return zone
  }

  private find(name: string): Zone {
    // some programs write /example.com/Europe/Berlin
    const last = /[A-Z][A-Za-z_]+(?:\/[A-Z][\w+-]+){1,2}$/.exec(name)?.[0]
    const known = [name, windowsZones[name], last].find((one) => one !== undefined && isZone(one))
    if (known !== undefined) return zoneNamed(known)
    const component = this.described.find((one) => textOf(one, 'tzid') === name)
    if (!component) throw new Refused('zone_not_known', name)
    const zone = new ICAL.Timezone({ component: new ICAL.Component(component), tzid: name })
    return (wallMs) => {
      try {
        return wallMs - zone.utcOffset(icalTime(wallMs)) * 1000
      } catch {
        throw new Refused('zone_not_known', name) // its definition contains something that the library cannot read
      }
    }
  }
}

function icalTime(wallMs: number): ICAL.Time {
  const at = new Date(wallMs)
  const parts = {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    isDate: false,
  }
  return new ICAL.Time(parts, ICAL.Timezone.localTimezone)
}

/** Reads a file. Throws if it is refused. */
function readFile({ text, fromMs, toMs, timezone }: FileToRead): BusyTime[] {
  const calendars = parse(text)
  const inside = calendars.flatMap(([, , components]) => components)
  const named = (wanted: string) => inside.filter(([name]) => name === wanted)
  const zones = new Zones(named('vtimezone'), timezone)
  const events = named('vevent').map((component) =>
    inAppointment(component, () => new Appointment(component, zones)),
  )
  const replaced = new Map<string, Moments>()
  for (const { uid, replaces } of events) {
    if (!replaces) continue
    const moments = replaced.get(uid) ?? new Moments()
    moments.add(replaces)
    replaced.set(uid, moments)
  }
  const changes = Map.groupBy(
    events
      .flatMap((event) => inAppointment(event.component, () => event.changesRest()) ?? [])
      .toSorted((one, other) => one.sinceMs - other.sinceMs),
    ({ event }) => event.uid,
  )
  const times: BusyTime[] = []
  for (const event of events) {
    const [without, later = []] = event.replaces ? [] : [replaced.get(event.uid), changes.get(event.uid)]
    if (!event.isBusy && later.length === 0) continue
    inAppointment(event.component, () => {
      for (const [from, to] of event.during({ fromMs, toMs, without, later })) {
        times.push([from, to, event.bookingId])
        if (times.length > maxTimes) throw new Refused('too_many_times')
      }
    })
  }
  return times
}

function parse(text: string): Component[] {
  if (!/^\uFEFF?\s*BEGIN:VCALENDAR/i.test(text)) throw new Refused('not_a_calendar')
  let depth = 0
  for (const [, mark] of text.matchAll(/^(BEGIN|END):/gim)) {
    depth += mark?.toUpperCase() === 'BEGIN' ? 1 : -1
    if (depth > maxDepth) throw new Refused('nested_too_deeply')
  }
  let parsed: Component | Component[]
  try {
    parsed = ICAL.parse(text.replace(/^\uFEFF?\s*/, '')) as Component | Component[]
  } catch {
    throw faultIn(text)
  }
  return typeof parsed[0] === 'string' ? [parsed as Component] : (parsed as Component[])
}

/** Finds the part that the library cannot read in a text that begins like a calendar. */
function faultIn(text: string): Refused {
  if (!/END:VCALENDAR$/i.test(text.trimEnd().slice(-20))) return new Refused('cut_off')
  let start: string | undefined
  let rule: string | undefined
  for (const [number, line] of unfolded(text)) {
    if (/^END:/i.test(line) && rule !== undefined) break
    if (/^BEGIN:/i.test(line)) start = undefined
    if (/^DTSTART[;:]/i.test(line)) start = line.slice(line.lastIndexOf(':') + 1)
    if (rule !== undefined || /^(?:BEGIN|END):/i.test(line) || isReadable(line)) continue
    if (!/^(?:RRULE|EXRULE)[;:]/i.test(line)) return new Refused('line_not_valid', `line ${number}`)
    rule = line
  }
  return rule === undefined ? new Refused('not_a_calendar') : withStart('rule_not_valid', rule, start)
}

/** Yields the lines of a file, joined with their continuation lines (section 3.1), and the number of each. */
function* unfolded(text: string): Generator<[number: number, line: string]> {
  let [first, whole] = [1, '']
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^[ \t]/.test(line)) whole += line.slice(1)
    else {
      if (whole !== '') yield [first, whole]
      ;[first, whole] = [index + 1, line]
    }
  }
}

function isReadable(line: string): boolean {
  try {
    ICAL.parse(`BEGIN:VCALENDAR\r\n${line}\r\nEND:VCALENDAR`)
    return true
  } catch {
    return false
  }
}

function propertiesOf([, properties]: Component, wanted: string): Property[] {
  return properties.filter(([name]) => name === wanted)
}

function textOf(component: Component, name: string): string | undefined {
  const value = propertiesOf(component, name)[0]?.[3]
  return typeof value === 'string' ? value : undefined
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(Z?))?$/

function readTime(text: string, zone: Zone): Written {
  const [, year, month, day, hour, minute, second, z] = timePattern.exec(text) ?? []
  const date = [Number(year), Number(month) - 1, Number(day)] as const
  const dateMs = Date.UTC(...date)
  // an impossible date such as 30 February becomes another day
  if (Number.isNaN(dateMs) || new Date(dateMs).getUTCDate() !== date[2])
    throw new Refused('date_not_valid', text.replace(/[-:T]+$/, '')) // the library appends these characters to an invalid date
  if (hour === undefined) return { wallMs: dateMs, isDate: true, zone }
  const ms = ((Number(hour) * 60 + Number(minute)) * 60 + Math.min(Number(second), 59)) * 1000
  if (ms >= dayMs || Number(minute) > 59) throw new Refused('date_not_valid', text)
  return { wallMs: dateMs + ms, isDate: false, zone: z === 'Z' ? utc : zone }
}

function timesOf([, { tzid }, type, ...values]: Property, zones: Zones): Written[] {
  const isNamed = typeof tzid === 'string' && type !== 'date'
  return values.map((value) => {
    const text: unknown = Array.isArray(value) ? value[0] : value // the start of a period
    const zone = isNamed && !String(text).endsWith('Z') ? zones.named(tzid) : zones.floating
    return readTime(String(text), zone)
  })
}

/** Times at which an event deviates from its recurrence. */
class Moments {
  private readonly instants = new Set<number>()
  private readonly days = new Set<number>()

  add({ wallMs, isDate, zone }: Written): void {
    if (isDate) this.days.add(wallMs)
    else this.instants.add(zone(wallMs))
  }

  has(wallMs: number, atMs: number): boolean {
    return this.instants.has(atMs) || this.days.has(wallMs - (((wallMs % dayMs) + dayMs) % dayMs))
  }
}

/** A duration: days in wall time, then milliseconds. */
interface Length {
  days: number
  ms: number
}

/** The change that an event makes to the rest of its series (RANGE=THISANDFUTURE, section 3.2.13). */
interface Change {
  event: Appointment
  sinceMs: number
  /** Shift in wall time. */
  laterMs: number
  length: Length | undefined
}

const durationPattern = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** A single event, or one of a series. */
class Appointment {
  readonly uid: string
  /** The occurrence of the series that it replaces. */
  readonly replaces: Written | undefined
  readonly isBusy: boolean
  /** Set if Holdfast may have written it. */
  readonly bookingId: string | null
  readonly component: Component
  private readonly zones: Zones

  constructor(component: Component, zones: Zones) {
    this.component = component
    this.zones = zones
    const text = (name: string) => textOf(component, name)?.toUpperCase()
    this.uid = textOf(component, 'uid') ?? ''
    this.replaces = this.first('recurrence-id')
    this.isBusy =
      text('transp') !== 'TRANSPARENT' &&
      text('status') !== 'CANCELLED' &&
      text('x-microsoft-cdo-busystatus') !== 'FREE'
    const id = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})@holdfast$/i.exec(this.uid)?.[1]
    this.bookingId = id?.toLowerCase() ?? null
  }

  /** Yields its times within a span, except those that other events replace. */
  *during(span: {
    fromMs: number
    toMs: number
    without: Moments | undefined
    /** In chronological order. */
    later: readonly Change[]
  }): Generator<[from: number, to: number]> {
    const start = this.first('dtstart')
    const ownLength = start && this.lengthFrom(start)
    if (!start || (!ownLength && span.later.length === 0)) return
    const except = new Moments()
    for (const time of this.all('exdate')) except.add(time)
    const seen = new Set<number>()
    for (const { wallMs: plannedMs, zone } of this.starts(start, span)) {
      const change = this.changeAt(zone, plannedMs, span.later)
      const length = change ? change.length : ownLength
      if (!length || !(change?.event ?? this).isBusy) continue
      const wallMs = plannedMs + (change?.laterMs ?? 0)
      const lengthMs = length.days * dayMs + length.ms
      // wall time differs from UTC by less than two days, so times far from the span need no zone lookup
      if (wallMs + lengthMs < span.fromMs - 2 * dayMs || wallMs > span.toMs + 2 * dayMs) continue
      const from = zone(wallMs)
      const to = (length.days === 0 ? from : zone(wallMs + length.days * dayMs)) + length.ms
      if (to <= span.fromMs || from >= span.toMs || to <= from || seen.has(from)) continue
      const plannedAt = change ? zone(plannedMs) : from
      if (except.has(plannedMs, plannedAt) || span.without?.has(plannedMs, plannedAt)) continue
      seen.add(from)
      yield [from, to]
    }
  }

  private changeAt(zone: Zone, plannedMs: number, later: readonly Change[]): Change | undefined {
    if (later.length === 0) return undefined
    const atMs = zone(plannedMs)
    return later.findLast(({ sinceMs }) => sinceMs <= atMs)
  }

  /** Undefined if it does not change the rest of its series. */
  changesRest(): Change | undefined {
    const range = propertiesOf(this.component, 'recurrence-id')[0]?.[1]['range']
    const start = this.first('dtstart')
    if (!this.replaces || !start || String(range).toUpperCase() !== 'THISANDFUTURE') return undefined
    const { wallMs, zone } = this.replaces
    const sinceMs = zone(wallMs)
    const laterMs = zone === start.zone ? start.wallMs - wallMs : start.zone(start.wallMs) - sinceMs
    return { event: this, sinceMs, laterMs, length: this.lengthFrom(start) }
  }

  private *starts(start: Written, { toMs }: { toMs: number }): Generator<Written> {
    yield start
    if (this.replaces) return
    yield* this.all('rdate')
    for (const [, , , value] of propertiesOf(this.component, 'rrule')) {
      const { until, ...rule } = value as { until?: string; [part: string]: unknown }
      if (['SECONDLY', 'MINUTELY'].includes(String(rule['freq']).toUpperCase()))
        throw new Refused('rule_too_fine', ruleText(rule))
      // a rule for 29 February or the 31st skips the years or months that lack this day
      if (!Object.keys(rule).some((part) => part.startsWith('by')))
        Object.assign(rule, ownDay(rule['freq'], start))
      const last = until === undefined ? undefined : readTime(until, this.zones.floating)
      for (const wallMs of yearlyByWeeks(rule, start) ?? recurring(rule, start)) {
        if (wallMs > toMs + 2 * dayMs || (last && isPast(last, { ...start, wallMs }))) break
        yield { ...start, wallMs }
      }
    }
  }

  /** Returns the duration; undefined if the event takes no time. */
  private lengthFrom(start: Written): Length | undefined {
    const end = this.first('dtend')
    if (end) {
      const length = start.isDate
        ? { days: Math.round((end.wallMs - start.wallMs) / dayMs), ms: 0 }
        : { days: 0, ms: end.zone(end.wallMs) - start.zone(start.wallMs) }
      return length.days > 0 || length.ms > 0 ? length : undefined
    }
    const duration = textOf(this.component, 'duration')
    if (duration === undefined) return start.isDate ? { days: 1, ms: 0 } : undefined
    const parts = durationPattern
      .exec(duration)
      ?.slice(1)
      .map((part: string | undefined) => Number(part ?? 0))
    if (!parts) return undefined
    const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 }
  }

  private first(name: string): Written | undefined {
    return this.all(name)[0]
  }

  private all(name: string): Written[] {
    return propertiesOf(this.component, name).flatMap((property) => timesOf(property, this.zones))
  }
}

/** Yields the starts of a rule, as the library reads it, in wall time. */
function* recurring(rule: object, start: Written): Generator<number> {
  try {
    const iterator = ICAL.Recur.fromData(rule).iterator(icalTime(start.wallMs))
    for (;;) {
      const time = iterator.next() as ICAL.Time | null
      if (!time) return
      yield Date.UTC(...([time.year, time.month - 1, time.day, time.hour, time.minute, time.second] as const))
    }
  } catch {
    throw new Refused('rule_not_valid', ruleText(rule))
  }
}

function ruleText(rule: object): string {
  const parts = Object.entries(rule).filter(([, value]) => value !== undefined)
  return `RRULE:${parts.map(([part, value]) => `${part.toUpperCase()}=${String(value)}`).join(';')}`
}

const weekDays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
/** With one of these parts, the days do not follow from the weeks of the year alone. */
const otherParts = ['bymonth', 'bymonthday', 'byyearday', 'bysetpos', 'byhour', 'byminute', 'bysecond']

/**
 * Yields the starts of yearly rules such as "week 20" or "the 20th Monday", which the library misreads.
 * Undefined for other rules.
 */
function yearlyByWeeks(rule: Record<string, unknown>, start: Written): Generator<number> | undefined {
  const listOf = (part: string) => [rule[part] ?? []].flat().map(String)
  const [weeks, days] = [listOf('byweekno').map(Number), listOf('byday')]
  const isOfWeeks = weeks.length > 0 || days.some((day) => /\d/.test(day))
  if (rule['freq'] !== 'YEARLY' || !isOfWeeks || otherParts.some((part) => part in rule)) return undefined
  return byWeeks(
    { weeks, days, interval: Number(rule['interval'] ?? 1), count: Number(rule['count'] ?? Infinity) },
    start,
  )
}

function* byWeeks(
  { weeks, days, interval, count }: { weeks: number[]; days: string[]; interval: number; count: number },
  { wallMs }: Written,
): Generator<number> {
  const first = dateOf(wallMs)
  const yearOf = (date: Temporal.PlainDate) => (weeks.length > 0 ? (date.yearOfWeek ?? date.year) : date.year)
  let left = count
  for (let at = wallMs; left > 0; at += dayMs) {
    const date = dateOf(at)
    if ((yearOf(date) - yearOf(first)) % interval !== 0 || !isOfDays(date, days, first)) continue
    if (weeks.length > 0 && !isOfWeeks(date, weeks)) continue
    left -= 1
    yield at
  }
}

function dateOf(wallMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO('UTC').toPlainDate()
}

/**
 * Returns true if a date is in one of these weeks. Weeks start on Monday; negative numbers count from the end
 * of the year.
 */
function isOfWeeks(date: Temporal.PlainDate, weeks: number[]): boolean {
  const { weekOfYear = 0, yearOfWeek = date.year } = date
  const last = Temporal.PlainDate.from({ year: yearOfWeek, month: 12, day: 28 }).weekOfYear ?? 52
  return weeks.includes(weekOfYear) || weeks.includes(weekOfYear - last - 1)
}

/**
 * Returns true if a date is one of these days, such as `MO`, `20MO` or `-1MO`. Without days, compares with
 * the weekday of the start.
 */
function isOfDays(date: Temporal.PlainDate, days: string[], first: Temporal.PlainDate): boolean {
  if (days.length === 0) return date.dayOfWeek === first.dayOfWeek
  const { dayOfYear, daysInYear } = date
  const places = ['', Math.ceil(dayOfYear / 7), -Math.ceil((daysInYear - dayOfYear + 1) / 7)]
  const name = weekDays[date.dayOfWeek - 1] ?? ''
  return places.some((place) => days.includes(`${place}${name}`) || days.includes(`+${place}${name}`))
}

/** Returns the parts that keep a plain yearly or monthly rule on the day of its start. */
function ownDay(freq: unknown, { wallMs }: Written): { bymonth?: number[]; bymonthday?: number[] } {
  const start = new Date(wallMs)
  const bymonthday = [start.getUTCDate()]
  if (freq === 'YEARLY') return { bymonth: [start.getUTCMonth() + 1], bymonthday }
  return freq === 'MONTHLY' ? { bymonthday } : {}
}

/**
 * Returns true if a start is after the end of its rule. The end may be a day, a time in the same zone, or a
 * time in UTC.
 */
function isPast(last: Written, { wallMs, zone, isDate }: Written): boolean {
  if (last.isDate) return wallMs >= last.wallMs + dayMs
  return last.zone === utc && !isDate ? zone(wallMs) > last.wallMs : wallMs > last.wallMs
}

/** Reads a file, or returns the reason why it is refused. */
export function readBusyTimes(file: FileToRead): FileReading {
  try {
    if (!file.isAnswer) return { times: readFile(file) }
    const { text, own } = joinedObjects(file.text)
    return { times: text === '' ? [] : readFile({ ...file, text }), own }
  } catch (error) {
    if (error instanceof Refused) return error.fault
    return { problem: 'not_a_calendar' } // the library found something that it cannot read
  }
}

/** Joins the objects of an answer, with each definition of a zone once. */
function joinedObjects(answer: string): { text: string; own: [item: string, etag: string][] } {
  const zones = new Set<string>()
  const texts: string[] = []
  const own: [item: string, etag: string][] = []
  for (const { href, text } of responsesOf(answer, maxNodes)) {
    const data = text('calendar-data')
    const [, item] = ownHref.exec(href) ?? []
    if (item !== undefined) own.push([item, text('getetag') ?? ''])
    if (data === undefined) continue
    texts.push(
      data.trim().replaceAll(/^BEGIN:VTIMEZONE\r?\n[^]*?^END:VTIMEZONE\r?\n/gim, (zone) => {
        if (zones.has(zone)) return ''
        zones.add(zone)
        return zone
      }),
    )
  }
  return { text: texts.join('\r\n'), own }
}

/** An object that Holdfast wrote is called like its booking. */
const ownHref = /\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.ics$/
/** Limit of an answer with many objects. */
const maxNodes = 200_000
