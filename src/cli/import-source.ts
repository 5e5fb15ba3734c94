import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { operator } from '../access/actor.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { timeZoneNamed } from '../base/instants.ts'
import { decodeCsv } from '../base/csv-reader.ts'
import { maxImportBytes, UnreadableClients } from '../bookings/client-import.ts'
import { appointmentColumns } from '../imports/appointment-columns.ts'
import { type AppointmentFile, readAppointmentFile } from '../imports/appointment-file.ts'
import { type AppointmentReport, importAppointments } from '../imports/appointment-import.ts'
import { type DateOrder, dateOrders } from '../imports/appointment-times.ts'
import { showBusiness } from '../catalogue/business.ts'
import { readCatalogue } from '../catalogue/export.ts'
import type { Context } from '../bookings/context.ts'
import { readCalcom } from '../imports/calcom.ts'
import { readCalendly } from '../imports/calendly.ts'
import { readEasyAppointments } from '../imports/easyappointments.ts'
import { importSource, type SourceReport } from '../imports/import.ts'
import { dumpMysql } from '../imports/mysql-dump.ts'
import type { Source } from '../imports/source-types.ts'
import { print, tableLines, withExistingDatabase } from './command-line.ts'

/* The command `holdfast import --from`, which moves a business in from another system. */

export const systems = ['easyappointments', 'calcom', 'calendly', 'csv'] as const
type System = (typeof systems)[number]

export interface SourceOptions {
  from: string
  business?: string
  apply?: boolean
  location?: string
  currency?: string
  timezone?: string
  instance?: string
  column?: string[]
  dateOrder?: string
  json?: boolean
}

const maxBytes = 256 * 1024 * 1024

/** Prints the plan of an import from another system; with `apply` it runs it. Throws a UsageError. */
export async function importFrom(path: string, options: SourceOptions): Promise<void> {
  const { from, business, apply = false, location, instance, json } = options
  const system = systems.find((one) => one === from)
  if (!system) throw new UsageError(`--from must be one of ${systems.join(', ')}.`)
  if (business === undefined) throw new UsageError('--from needs --business: the business to import into.')
  if (system === 'csv') return importCsv(path, { ...options, business })
  const report = await withExistingDatabase(async (context) => {
    const { id: business_id, name, timezone } = await showBusiness(context, business)
    const source = await readSource(context, path, { ...options, system, ofBusiness: { name, timezone } })
    const at = location === undefined ? undefined : await locationNamed(context, business_id, location)
    const input = { business_id, source, apply, location: at, ...(instance !== undefined && { instance }) }
    return importSource(context, operator, input)
  })
  print(report, json, () => sourceLines(report))
}

/** Prints the plan of an import of appointments from CSV; with `apply` it runs it. */
async function importCsv(path: string, options: SourceOptions & { business: string }): Promise<void> {
  const { business, apply = false, column = [], dateOrder, json } = options
  const order = dateOrders.find((one) => one === dateOrder)
  if (dateOrder !== undefined && !order)
    throw new UsageError(`--date-order must be one of ${dateOrders.join(', ')}.`)
  const text = decodeCsv(readBytes(path, maxImportBytes))
  const { file, report } = await withExistingDatabase(async (context) => {
    const { id: business_id } = await showBusiness(context, business)
    const file = await readColumns(text, column, order).catch((error: unknown) => {
      if (error instanceof UnreadableClients) throw new UsageError(`${path}: ${error.message}.`)
      throw error
    })
    return { file, report: await importAppointments(context, operator, { business_id, file, apply }) }
  })
  print(report, json, () => csvLines(file, report))
}

async function readColumns(
  text: string,
  named: readonly string[],
  order: DateOrder | undefined,
): Promise<AppointmentFile> {
  const file = await readAppointmentFile(text, { order })
  const columns: (string | undefined)[] = []
  for (const one of named) {
    const at = one.lastIndexOf('=')
    const index = file.head.indexOf(one.slice(0, at).trim())
    const meaning = appointmentColumns.find((column) => column === one.slice(at + 1).trim())
    if (at === -1 || index === -1) throw new UsageError(`--column: the file has no heading of "${one}".`)
    if (!meaning)
      throw new UsageError(`--column: the meaning must be one of ${appointmentColumns.join(', ')}.`)
    columns[index] = meaning
  }
  return readAppointmentFile(text, { columns, order })
}

function csvLines(
  { head, columns, order, isOrderUnclear }: AppointmentFile,
  report: AppointmentReport,
): string[] {
  const { dry_run, failed, problems } = report
  return [
    ...(dry_run ? [planned] : []),
    ...tableLines(
      ['COLUMN', 'MEANING'],
      head.map((heading, index) => [heading, columns[index] ?? 'ignore']),
    ),
    ...(isOrderUnclear && !/^mdy$/.test(order) ? [dayFirst] : []),
    ...resultLines(report),
    `rows that cannot be imported: ${failed}`,
    ...problems.map(
      ({ row, field, detail }) => `  row ${row}: ${field === undefined ? '' : `${field} `}${detail}`,
    ),
    ...more(failed, problems.length),
  ]
}

const planned = 'Nothing was changed; --apply imports. The plan:'
const dayFirst =
  'Dates such as 01/02/2026 are read with the day first; --date-order mdy reads the month first.'

type Reading = SourceOptions & { system: System; ofBusiness: { name: string; timezone: string } }

async function readSource(context: Context, path: string, options: Reading): Promise<Source> {
  const { system, ofBusiness, currency, timezone: zone } = options
  const now = context.clock.now()
  if (system === 'calcom') {
    if (!/^postgres(ql)?:/.test(path))
      throw new UsageError('The address must look like postgres://user:password@host/database.')
    return readCalcom(path, { ...ofBusiness, now })
  }
  if (system === 'calendly') return readCalendly(readTextFile(path), { ...ofBusiness, now })
  const ofUtc = zone === undefined ? undefined : timeZoneNamed(zone)
  if (zone !== undefined && ofUtc === undefined)
    throw new UsageError('--timezone must be an IANA name, such as Europe/Berlin.')
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency))
    throw new UsageError('--currency must be a code of ISO 4217, such as EUR.')
  const text = /^(mysql|mariadb):/.test(path) ? await dumpMysql(path) : readTextFile(path)
  return readEasyAppointments(text, { timezone: ofBusiness.timezone, now, currency, ofUtc })
}

/** Reads a file, also one that gzip has compressed. */
function readTextFile(path: string): string {
  return readBytes(path, maxBytes).toString('utf8')
}

function readBytes(path: string, max: number): Buffer {
  try {
    const bytes = readFileSync(path === '-' ? 0 : path)
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
    const plain = isCompressed ? gunzipSync(bytes, { maxOutputLength: max }) : bytes
    if (plain.length > max) throw new UsageError(`${path} has more than ${max} bytes.`)
    return plain
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

async function locationNamed({ db }: Context, businessId: string, named: string) {
  const { locations } = await readCatalogue(db.reads, businessId)
  const [found, other] = locations.filter(({ id, name }) => id === named.toLowerCase() || name === named)
  if (found && !other) return found
  throw new UsageError(
    `--location: the business has ${found ? 'several locations' : 'no location'} "${named}".`,
  )
}

function more(count: number, shown: number): string[] {
  return count > shown ? [`  and ${count - shown} more`] : []
}

function sourceLines(report: SourceReport): string[] {
  const { dry_run, items } = report
  return [
    ...(dry_run ? [planned] : []),
    ...tableLines(
      ['', 'NEW', 'THERE'],
      (['locations', 'staff', 'services', 'blocks'] as const).map((kind) => [
        kind,
        String(report[kind].created),
        String(report[kind].present),
      ]),
    ),
    ...items.map(({ kind, name, is_new }) => `${is_new ? 'new' : 'there'}: ${nouns[kind]} ${name}`),
    ...resultLines(report),
  ]
}

function resultLines(
  report: Pick<SourceReport, 'clients' | 'bookings' | 'conflicts' | 'remarks' | 'remark_count'>,
): string[] {
  const { clients, bookings, conflicts, remarks, remark_count } = report
  return [
    `clients: ${clients.created} new, ${clients.changed} changed, ${clients.unchanged} there, ${clients.repeated} repeated, ${clients.failed} failed`,
    `bookings: ${bookings.coming} coming, ${bookings.past} past, ${bookings.present} there, ${bookings.differing} changed since, ${bookings.conflicts} conflicts, ${bookings.left_out} left out`,
    ...(conflicts.length > 0 ? ['Conflicts, which are not imported:'] : []),
    ...conflicts.map(
      ({ what, starts_at, staff, service, client, overlaps }) =>
        `  ${what}: ${starts_at}, ${[service, staff, client].filter(Boolean).join(', ')}: overlaps ${overlaps}`,
    ),
    ...more(bookings.conflicts, conflicts.length),
    ...(remarks.length > 0 ? ['Left out or changed:'] : []),
    ...remarks.map(({ what, detail, left_out }) => `  ${what}: ${detail}${left_out ? ' (left out)' : ''}`),
    ...more(remark_count, remarks.length),
  ]
}

const nouns = { locations: 'location', staff: 'staff member', services: 'service' } as const
