import { asText } from '../base/contact-formats.ts'
import { UsageError } from '../base/errors.ts'
import { type Instant, isTimeZone } from '../base/instants.ts'
import { minorDigits } from '../base/money.ts'
import {
  exceptionDates,
  exceptionsIn,
  BadPlan,
  maxDates,
  type OtherDay,
  weeklyHours,
} from './easyappointments-hours.ts'
import { localInstant, localSpan } from './local-times.ts'
import type { Source, SourceBooking } from './source-types.ts'
import { type Dump, type DumpRow, readDump } from './sql-dump.ts'
import { stateOf } from './status-words.ts'

/*
 * Reads the database of Easy!Appointments 1.4 and later from a dump. Its times are wall times in the zone of the provider.
 * https://github.com/alextselegidis/easyappointments/tree/main/application/migrations
 */

const prefix = 'ea_'

interface Reading {
  dump: Dump
  settings: Map<string, string>
  /** The zone of people without one. */
  timezone: string
  /** The zone that stands for UTC, the default of the source. */
  ofUtc: string | undefined
  business: string
  /** The zone in which the server writes when something was booked. */
  ofServer: string
  /** The currency of services without a known one. */
  currency: string | undefined
  now: Instant
  source: Source
}

interface EasyAppointmentsOptions {
  /** The zone of the business. */
  timezone: string
  now: Instant
  /** For services whose own currency cannot be recognised. */
  currency?: string | undefined
  /** The zone of providers whose zone there is UTC, which is its default. */
  ofUtc?: string | undefined
}

/** Reads a dump. Throws a UsageError. */
export function readEasyAppointments(
  text: string,
  { timezone, currency, now, ofUtc }: EasyAppointmentsOptions,
): Source {
  const dump = readDump(text, (table) => table.startsWith(prefix))
  const settings = new Map(rowsOf(dump, 'settings').map((row) => [of(row, 'name'), of(row, 'value')]))
  const usual = settings.get('default_timezone') ?? ''
  const source: Source = {
    ...{ system: 'easyappointments', noun: 'appointment', locations: [], people: [], services: [] },
    ...{ clients: [], bookings: [], blocks: [], remarks: [] },
  }
  const usualZone = usual === 'UTC' ? (ofUtc ?? usual) : (knownZone(usual) ?? timezone)
  const ofServer = knownZone(usual) ?? 'UTC'
  const reading = {
    ofServer,
    dump,
    settings,
    timezone: usualZone,
    ofUtc,
    business: timezone,
    currency,
    now,
    source,
  }
  readPeople(reading)
  readServices(reading)
  readClients(reading)
  readAppointments(reading)
  readBlockedPeriods(reading)
  return source
}

function rowsOf(dump: Dump, table: string): DumpRow[] {
  const rows = dump.get(`${prefix}${table}`)
  if (!rows)
    throw new UsageError(
      `The dump has no table ${prefix}${table}: it is not one of Easy!Appointments 1.4 or later.`,
    )
  return rows
}

function of(row: DumpRow, column: string): string {
  return row[column] ?? ''
}

function knownZone(name: string): string | undefined {
  return name !== '' && isTimeZone(name) ? name : undefined
}

function remark({ source }: Reading, what: string, detail: string, isLeftOut = false): void {
  source.remarks.push({ what, detail, isLeftOut })
}

function usersOf({ dump }: Reading, slug: string): DumpRow[] {
  const roles = rowsOf(dump, 'roles').filter((row) => of(row, 'slug') === slug)
  const ids = new Set(roles.map((row) => of(row, 'id')))
  return rowsOf(dump, 'users').filter((row) => ids.has(of(row, 'id_roles')))
}

function nameOf(row: DumpRow): string {
  return `${of(row, 'first_name')} ${of(row, 'last_name')}`.trim()
}

/** A location stands for each zone in which somebody works, because hours and times are in that of a location. */
function locationIn({ source, settings, timezone }: Reading, zone: string): string {
  if (!source.locations.some(({ key }) => key === zone)) {
    const company = settings.get('company_name') || 'Easy!Appointments'
    const name = zone === timezone ? company : `${company} (${zone})`
    source.locations.push({ key: zone, name, timezone: zone })
  }
  return zone
}

function readPeople(reading: Reading): void {
  const { dump, source, now } = reading
  const settings = new Map(rowsOf(dump, 'user_settings').map((row) => [of(row, 'id_users'), row]))
  const today = now.slice(0, 10)
  for (const row of usersOf(reading, 'provider')) {
    const key = of(row, 'id')
    const own: DumpRow = settings.get(key) ?? {}
    const what = `provider ${key} (${nameOf(row)})`
    const timezone = zoneOfProvider(reading, row, what)
    const isPrivate = of(row, 'is_private') === '1'
    if (isPrivate)
      remark(reading, what, 'is private there, so clients cannot book them here until you activate them')
    source.people.push({
      key,
      entry: {
        name: nameOf(row),
        ...(of(row, 'email') !== '' && { email: of(row, 'email') }),
        weekly_hours: planOf(reading, what, of(own, 'working_plan')),
        date_overrides: otherDays(reading, {
          key,
          what,
          json: of(own, 'working_plan_exceptions'),
          since: today,
        }),
        ...(isPrivate && { active: false }),
      },
      locations: [locationIn(reading, timezone)],
    })
  }
}

function zoneOfProvider(reading: Reading, row: DumpRow, what: string): string {
  const zone = of(row, 'timezone')
  if (zone === '') return reading.timezone
  if (zone === 'UTC' && reading.ofUtc !== undefined) return reading.ofUtc
  if (zone === 'UTC' && reading.business !== 'UTC') {
    const detail = `works in UTC, its default; if its clock shows the times of ${reading.business}, add --timezone ${reading.business}`
    remark(reading, what, detail)
  }
  const known = knownZone(zone)
  if (!known)
    remark(reading, what, `has the unknown time zone ${zone.slice(0, 40)}; ${reading.timezone} is used`)
  return known ?? reading.timezone
}

function planOf(reading: Reading, what: string, json: string) {
  try {
    return weeklyHours(json)
  } catch (error) {
    if (!(error instanceof BadPlan)) throw error
    remark(reading, what, `has a working plan that cannot be read (${error.message}); they get no hours`)
    return []
  }
}

function otherDays(
  reading: Reading,
  { key, what, json, since }: Record<'key' | 'what' | 'json' | 'since', string>,
): OtherDay[] {
  const days = new Map<string, OtherDay>()
  const read = (list: () => OtherDay[]) => {
    try {
      for (const day of list()) if (day.date >= since) days.set(day.date, day)
    } catch (error) {
      if (!(error instanceof BadPlan)) throw error
      remark(reading, what, `has an exception that cannot be read (${error.message})`, true)
    }
  }
  if (json !== '') read(() => exceptionsIn(json))
  const rows = reading.dump.get(`${prefix}working_plan_exceptions`) ?? []
  for (const row of rows.filter((one) => of(one, 'id_users_provider') === key))
    read(() => exceptionDates(row, since))
  const sorted = [...days.values()].toSorted((one, other) => (one.date < other.date ? -1 : 1))
  if (sorted.length > maxDates)
    remark(reading, what, `has other hours on more than ${maxDates} dates; the first ones count`)
  return sorted.slice(0, maxDates)
}

function readServices(reading: Reading): void {
  const { dump, settings, source } = reading
  const categories = new Map(
    ['service_categories', 'categories'].flatMap((table) =>
      (dump.get(`${prefix}${table}`) ?? []).map((row) => [of(row, 'id'), of(row, 'name')] as const),
    ),
  )
  const zones = new Map(source.people.map(({ key, locations }) => [key, locations]))
  for (const row of rowsOf(dump, 'services')) {
    const key = of(row, 'id')
    const what = `service ${key} (${of(row, 'name')})`
    const staff = rowsOf(dump, 'services_providers')
      .filter((one) => of(one, 'id_services') === key)
      .map((one) => of(one, 'id_users'))
      .filter((id) => zones.has(id))
    const isPrivate = of(row, 'is_private') === '1'
    if (isPrivate)
      remark(reading, what, 'is private there, so clients cannot book it here until you activate it')
    else if (staff.length === 0)
      remark(reading, what, 'has no provider, so clients cannot book it until you name somebody')
    const category = categories.get(of(row, 'id_service_categories') || of(row, 'id_categories'))
    const price = priceOf(reading, row, what)
    source.services.push({
      key,
      entry: {
        name: of(row, 'name'),
        ...(category && { category }),
        ...(of(row, 'description') !== '' && { description: asText(of(row, 'description')) }),
        duration_minutes: Number(of(row, 'duration')),
        ...slotInterval(row),
        ...wholeSetting(settings, 'book_advance_timeout', 'min_notice_minutes'),
        ...wholeSetting(settings, 'future_booking_limit', 'max_advance_days'),
        capacity: Number(of(row, 'attendants_number') || '1'),
        ...(price && { price }),
        ...((isPrivate || staff.length === 0) && { active: false }),
      },
      locations: [...new Set(staff.flatMap((id) => zones.get(id) ?? []))],
      staff,
    })
    if (staff.length === 0) source.services.at(-1)?.locations.push(locationIn(reading, reading.timezone))
  }
}

function slotInterval(row: DumpRow) {
  const minutes = Number(of(row, 'slot_interval'))
  if (of(row, 'availabilities_type') === 'fixed') return {} // slots follow each other
  return Number.isInteger(minutes) && minutes >= 5
    ? { slot_interval_minutes: minutes }
    : { slot_interval_minutes: 15 }
}

function wholeSetting(settings: Map<string, string>, name: string, field: string) {
  const value = settings.get(name) ?? ''
  return /^\d{1,6}$/.test(value) && value !== '0' ? { [field]: Number(value) } : {}
}

const signs = new Map<string, string>([
  ...([
    ['€', 'EUR'],
    ['euro', 'EUR'],
    ['$', 'USD'],
    ['us$', 'USD'],
    ['dollar', 'USD'],
    ['£', 'GBP'],
  ] as const),
  ...([
    ['zł', 'PLN'],
    ['₺', 'TRY'],
    ['r$', 'BRL'],
    ['₹', 'INR'],
    ['sfr', 'CHF'],
    ['fr', 'CHF'],
  ] as const),
])

const currencies = new Set(Intl.supportedValuesOf('currency'))

function priceOf(reading: Reading, row: DumpRow, what: string) {
  const text = of(row, 'price')
  if (text === '' || Number(text) === 0) return undefined
  const written = of(row, 'currency').trim()
  const code = written.toUpperCase()
  const own = currencies.has(code) ? code : signs.get(written.toLowerCase().replace(/\.$/, ''))
  const currency = own ?? reading.currency
  if (currency === undefined || !/^\d{1,8}(\.\d{1,4})?$/.test(text)) {
    const detail = currency === undefined ? 'name its currency with --currency' : 'it is no amount'
    remark(
      reading,
      what,
      `has the price ${`${text} ${written}`.trim().slice(0, 40)}, which is left out: ${detail}`,
    )
    return undefined
  }
  return { amount: Math.round(Number(text) * 10 ** minorDigits(currency)), currency }
}

function readClients(reading: Reading): void {
  const { settings, source } = reading
  for (const row of usersOf(reading, 'customer')) {
    const fields = [1, 2, 3, 4, 5].map((number) => {
      const label = settings.get(`label_custom_field_${number}`) || `Custom field ${number}`
      return [label, of(row, `custom_field_${number}`)] as const
    })
    const address = ['address', 'zip_code', 'city', 'state'].map((name) => of(row, name)).filter(Boolean)
    const mobile = of(row, 'mobile_number')
    const phone = of(row, 'phone_number') || mobile
    const others = [
      ['Address', address.join(', ')] as const,
      ['Mobile', mobile === phone ? '' : mobile] as const,
    ]
    const lines = [...others, ...fields].filter(([, text]) => text !== '')
    const zone = of(row, 'timezone')
    source.clients.push({
      key: of(row, 'id'),
      ...{
        first_name: of(row, 'first_name'),
        last_name: of(row, 'last_name'),
        email: of(row, 'email'),
        phone,
      },
      notes: [of(row, 'notes'), ...lines.map(([label, text]) => `${label}: ${text}`)]
        .filter(Boolean)
        .join('\n'),
      locale: of(row, 'language').replaceAll('-', ' '),
      time_zone: zone === 'UTC' ? '' : (knownZone(zone) ?? ''), // UTC is its default, not a choice
    })
  }
}

function readAppointments(reading: Reading): void {
  const { dump, source } = reading
  const people = new Map(source.people.map((person) => [person.key, person]))
  const services = new Set(source.services.map(({ key }) => key))
  const clients = new Set(source.clients.map(({ key }) => key))
  for (const row of rowsOf(dump, 'appointments')) {
    const key = of(row, 'id')
    const isAway = of(row, 'is_unavailability') === '1' || of(row, 'is_unavailable') === '1'
    const what = `${isAway ? 'unavailability' : 'appointment'} ${key}`
    const person = people.get(of(row, 'id_users_provider'))
    if (!person) {
      remark(reading, what, 'has no provider', true)
      continue
    }
    const zone = person.locations[0] ?? reading.timezone
    const times = { from: of(row, 'start_datetime'), to: of(row, 'end_datetime') }
    if (isAway) {
      addBlock(reading, {
        key,
        what,
        reason: of(row, 'notes'),
        staff: person.key,
        location: undefined,
        ...times,
        zone,
      })
      continue
    }
    const span = localSpan(times, zone)
    const [service, client] = [of(row, 'id_services'), of(row, 'id_users_customer')]
    if (!span)
      remark(
        reading,
        what,
        `has no valid times (${times.from.slice(0, 20)} to ${times.to.slice(0, 20)})`,
        true,
      )
    else if (!services.has(service)) remark(reading, what, 'has no service', true)
    else if (!clients.has(client)) remark(reading, what, 'has no customer', true)
    else
      source.bookings.push({
        key,
        service,
        client,
        staff: person.key,
        location: zone,
        ...span,
        ...partsOf(row, reading),
      })
  }
}

function partsOf(
  row: DumpRow,
  { ofServer }: Reading,
): Pick<SourceBooking, 'party_size' | 'state' | 'notes' | 'created_at'> {
  const place = [of(row, 'location'), of(row, 'meeting_link')].filter(Boolean)
  return {
    party_size: 1,
    state: stateOf(of(row, 'status')),
    notes: [of(row, 'notes'), ...place].filter(Boolean).join('\n'),
    created_at: localInstant(of(row, 'book_datetime'), ofServer),
  }
}

function addBlock(
  reading: Reading,
  block: Record<'key' | 'what' | 'reason' | 'from' | 'to' | 'zone', string> &
    Record<'staff' | 'location', string | undefined>,
): void {
  const { key, what, reason, from, to, zone, staff, location } = block
  const starts_at = localInstant(from, zone)
  const ends_at = localInstant(to, zone)
  if (!starts_at || !ends_at || ends_at <= starts_at)
    remark(reading, what, `has no valid times (${from.slice(0, 20)} to ${to.slice(0, 20)})`, true)
  else if (ends_at > reading.now)
    reading.source.blocks.push({ key, staff, location, starts_at, ends_at, reason })
}

/** Blocked periods are in the zone of each provider, and here of each location. */
function readBlockedPeriods(reading: Reading): void {
  for (const row of reading.dump.get(`${prefix}blocked_periods`) ?? []) {
    const id = of(row, 'id')
    const reason = [of(row, 'name'), of(row, 'notes')].filter(Boolean).join('\n')
    const times = { from: of(row, 'start_datetime'), to: of(row, 'end_datetime') }
    for (const { key: zone } of reading.source.locations) {
      const key = `blocked ${id} ${zone}`
      addBlock(reading, {
        key,
        what: `blocked period ${id}`,
        reason,
        staff: undefined,
        location: zone,
        ...times,
        zone,
      })
    }
  }
}
