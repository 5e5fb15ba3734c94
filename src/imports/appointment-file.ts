import { hash } from 'node:crypto'
import type { CsvRecord } from '../base/csv-reader.ts'
import { type Instant, instantFromMs, latestMs, plusMinutes, toMs } from '../base/instants.ts'
import { searchText } from '../base/search-text.ts'
import { Slices } from '../base/slices.ts'
import { compileCreation, fieldErrorsOf } from '../base/validation.ts'
import { readRow } from '../bookings/client-columns.ts'
import { readTable } from '../bookings/client-import.ts'
import { CreateClient } from '../bookings/client-schemas.ts'
import type { Catalogue } from '../catalogue/export.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import {
  type AppointmentColumn,
  appointmentColumns,
  likelyAppointmentColumns,
} from './appointment-columns.ts'
import { type DateOrder, likelyOrder, readMinutes, readTime } from './appointment-times.ts'
import { localInstant, localSpan } from './local-times.ts'
import type { Source } from './source-types.ts'
import { stateOf } from './status-words.ts'

/*
 * Reads a file of appointments in CSV. Services, people and locations must be in the catalogue. Times are in the zone of
 * the location. A row without a booking number is known by its time, service, person and client.
 */

const maxNotes = 1_000
const maxMinutes = 1_440

/** A file of appointments: its headings, and the meaning of each column. */
export interface AppointmentFile {
  head: string[]
  columns: AppointmentColumn[]
  /** The first value of each column. */
  examples: string[]
  rows: CsvRecord[]
  /** The order of day and month. */
  order: DateOrder
  /** True if no date shows its order. */
  isOrderUnclear: boolean
}

interface Choices {
  /** Replace the recognised meanings. */
  columns?: readonly (string | undefined)[]
  order?: DateOrder | undefined
  isGone?: (() => boolean) | undefined
}

/** Reads a file. Throws UnreadableClients. */
export async function readAppointmentFile(text: string, choices: Choices = {}): Promise<AppointmentFile> {
  const { head, rows } = await readTable(text, choices.isGone)
  const likely = likelyAppointmentColumns(head)
  const columns = likely.map(
    (usual, index) => appointmentColumns.find((one) => one === choices.columns?.[index]) ?? usual,
  )
  const dates = rows.flatMap(({ cells }) =>
    columns.flatMap((column, index) => (dateColumns.has(column) ? [cells[index] ?? ''] : [])),
  )
  const shown = likelyOrder(dates)
  return {
    ...{ head, columns, rows, order: choices.order ?? shown ?? 'dmy', isOrderUnclear: shown === undefined },
    examples: head.map((_heading, index) => {
      const cell = rows.slice(0, 50).find(({ cells }) => (cells[index] ?? '') !== '')?.cells[index] ?? ''
      return Array.from(cell).slice(0, 60).join('')
    }),
  }
}

const dateColumns = new Set<AppointmentColumn>(['start', 'date', 'end'])

/** A row that cannot be imported. */
export interface AppointmentProblem {
  row: number
  /** Undefined if the whole row has the problem. */
  field?: AppointmentColumn | undefined
  code: string
  detail: string
  /** The name that nothing has. */
  value?: string | undefined
}

/** Stops at the first problem of a row. */
class RowFault extends Error {
  readonly field: AppointmentColumn | undefined
  readonly code: string
  readonly value: string | undefined

  constructor(field: AppointmentColumn | undefined, code: string, detail: string, value?: string) {
    super(detail)
    this.value = value
    this.field = field
    this.code = code
  }
}

interface Reading {
  file: AppointmentFile
  catalogue: Catalogue
  source: Source
}

/** Turns the rows into a source, and returns those that cannot be. */
export async function readAppointments(
  file: AppointmentFile,
  catalogue: Catalogue,
  isGone?: () => boolean,
): Promise<{ source: Source; problems: AppointmentProblem[] }> {
  const source: Source = {
    ...{ system: 'csv', noun: 'row', locations: [], people: [], services: [], clients: [] },
    ...{ bookings: [], blocks: [], remarks: [] },
  }
  const slices = new Slices(isGone)
  const problems: AppointmentProblem[] = []
  const keys = new Set<string>()
  for (const record of file.rows) {
    try {
      addRow({ file, catalogue, source }, record, keys)
    } catch (error) {
      if (!(error instanceof RowFault)) throw error
      const { field, code, message: detail, value } = error
      problems.push({ row: record.row, field, code, detail, value })
    }
    await slices.giveWay()
  }
  const { locations, staff, services } = catalogue
  source.locations.push(...locations.map(({ id, name, timezone }) => ({ key: id, name, timezone })))
  source.people.push(...staff.map(({ id, name }) => ({ key: id, entry: { name }, locations: [] })))
  source.services.push(
    ...services.map(({ id, name, duration_minutes }) => ({
      ...{ key: id, entry: { name, duration_minutes }, locations: [], staff: [] },
    })),
  )
  return { source, problems }
}

type Cells = (column: AppointmentColumn) => string

function addRow({ file, catalogue, source }: Reading, { row, cells }: CsvRecord, keys: Set<string>): void {
  const of: Cells = (column) => cells[file.columns.indexOf(column)] ?? ''
  const service = named(catalogue.services, of('service'), 'service')
  const staff = personFor(catalogue, service, of('staff'))
  const location = locationFor(catalogue, { service, staff, name: of('location') })
  const client = clientFrom(of)
  const span = spanFrom(of, { order: file.order, zone: location.timezone, service })
  const party_size = partyFrom(of('party_size'))
  const notes = of('notes')
  if (Array.from(notes).length > maxNotes)
    throw new RowFault('notes', 'too_long', `must have at most ${maxNotes} characters`)
  const { first_name, last_name = '', email = '', phone = '' } = client
  const person = [first_name, last_name, email || phone].filter(Boolean).join(' ')
  const content = [span.starts_at, service.id, staff?.id ?? '', searchText(person)]
  const reference = of('reference')
  const key = hash('sha256', JSON.stringify(reference === '' ? content : ['reference', reference]))
  if (keys.has(key)) throw new RowFault(undefined, 'repeated', 'is given twice')
  keys.add(key)
  if (!keys.has(person)) {
    keys.add(person)
    const others = { notes: '', locale: '', time_zone: '' }
    source.clients.push({ key: person, first_name, last_name, email, phone, ...others })
  }
  source.bookings.push({
    ...{ key, row, service: service.id, location: location.id, staff: staff?.id, client: person, ...span },
    ...{ party_size, state: stateOf(of('status')), notes, created_at: undefined },
  })
}

/** Finds an item by its name. Throws a RowFault. */
function named<Row extends { name: string; active: boolean }>(
  rows: readonly Row[],
  name: string,
  field: 'service' | 'staff' | 'location',
): Row {
  if (name === '') throw new RowFault(field, 'required', 'is required')
  const same = rows.filter((one) => searchText(one.name) === searchText(name))
  const found = same.length > 1 ? same.filter(({ active }) => active) : same
  const [one, other] = found
  const value = name.slice(0, 60)
  if (!one) throw new RowFault(field, `unknown_${field}`, `"${value}" is not in the catalogue`, value)
  if (other) throw new RowFault(field, 'several', `"${value}" is the name of several`, value)
  return one
}

/** Returns the person of a row. Without a name it is the only person who gives the service. */
function personFor({ staff }: Catalogue, service: Service, name: string): StaffMember | undefined {
  if (name !== '') return named(staff, name, 'staff')
  const { staff_ids } = service
  if (staff_ids.length === 0) return undefined
  const found = staff.filter(({ id }) => staff_ids.includes(id))
  if (found.length === 1) return found[0]
  throw new RowFault('staff', 'required', 'is required: several people give the service')
}

function locationFor(
  { locations }: Catalogue,
  { service, staff, name }: { service: Service; staff: StaffMember | undefined; name: string },
): Location {
  if (name !== '') return named(locations, name, 'location')
  const works = staff?.location_ids ?? []
  const possible = locations.filter(
    ({ id }) => service.location_ids.includes(id) && (works.length === 0 || works.includes(id)),
  )
  const [one, other] = possible
  if (one && !other) return one
  throw new RowFault('location', 'required', 'is required: there are several')
}

const validate = compileCreation(CreateClient)

function clientFrom(of: Cells) {
  const columns = ['full_name', 'first_name', 'last_name', 'email', 'phone'] as const
  const client = readRow(columns.map(of), columns, columns)
  if (!validate(client)) {
    const [first] = fieldErrorsOf(validate.errors ?? [])
    const field = columns.find((column) => first?.pointer === `/${column}`)
    throw new RowFault(field ?? 'full_name', first?.code ?? 'required', first?.detail ?? 'is required')
  }
  return client as { first_name: string; last_name?: string; email?: string; phone?: string }
}

function spanFrom(
  of: Cells,
  { order, zone, service }: { order: DateOrder; zone: string; service: Service },
): { starts_at: Instant; ends_at: Instant } {
  const date = of('date')
  const field = of('start') === '' ? 'time' : 'start'
  const text = of('start') || of('time')
  // a start may be a time only, next to a column of dates
  const start = readTime(text, order) ?? readTime(text, order, date)
  if (start === undefined) throw new RowFault(field, 'invalid_time', 'must be a date and a time')
  const starts_at = instantOf(start, zone)
  if (starts_at === undefined) throw new RowFault(field, 'invalid_time', 'must be a date and a time')
  const ends_at = endFrom(of, { start, starts_at, order, zone, service })
  const minutes = (toMs(ends_at) - toMs(starts_at)) / 60_000
  if (minutes > 0 && minutes <= maxMinutes) return { starts_at, ends_at }
  throw new RowFault(
    of('end') === '' ? 'duration' : 'end',
    'invalid_length',
    'must be after the start, within 24 hours',
  )
}

interface Start {
  start: Temporal.PlainDateTime | string
  starts_at: Instant
  order: DateOrder
  zone: string
  service: Service
}

/** Returns the end by its column, or else by the duration of the row or the service. */
function endFrom(of: Cells, { start, starts_at, order, zone, service }: Start): Instant {
  const end = of('end')
  if (end !== '') {
    const day = typeof start === 'string' ? '' : start.toPlainDate().toString()
    const read = readTime(end, order) ?? readTime(end, order, day)
    if (read === undefined) throw new RowFault('end', 'invalid_time', 'must be a date and a time')
    if (typeof read !== 'string' && typeof start !== 'string') {
      const span = localSpan({ from: start.toString(), to: read.toString() }, zone)
      if (!span) throw new RowFault('end', 'invalid_length', 'must be after the start, within 24 hours')
      return span.ends_at
    }
    const instant = instantOf(read, zone)
    if (instant === undefined) throw new RowFault('end', 'invalid_time', 'must be a date and a time')
    return instant
  }
  const written = of('duration')
  const minutes = written === '' ? service.duration_minutes : readMinutes(written)
  if (minutes === undefined) throw new RowFault('duration', 'invalid_length', 'must be a number of minutes')
  return plusMinutes(starts_at, Math.min(minutes, maxMinutes + 1))
}

function instantOf(time: Temporal.PlainDateTime | string, zone: string): Instant | undefined {
  if (typeof time !== 'string') return localInstant(time.toString(), zone)
  const ms = Date.parse(time)
  return ms >= 0 && ms < latestMs - maxMinutes * 60_000 ? instantFromMs(ms) : undefined
}

function partyFrom(text: string): number {
  if (text === '') return 1
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (size >= 1 && size <= 1_000) return size
  throw new RowFault('party_size', 'out_of_range', 'must be a number of people')
}
