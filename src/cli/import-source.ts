import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { operator } from '../access/actor.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { timeZoneNamed } from '../base/instants.ts'
import { showBusiness } from '../catalogue/business.ts'
import { readCatalogue } from '../catalogue/export.ts'
import type { Context } from '../bookings/context.ts'
import { readEasyAppointments } from '../imports/easyappointments.ts'
import { importSource, type SourceReport } from '../imports/import.ts'
import { dumpMysql } from '../imports/mysql-dump.ts'
import type { Source } from '../imports/source-types.ts'
import { print, tableLines, withExistingDatabase } from './command-line.ts'

/* The command `holdfast import --from`, which moves a business in from another system. */

export const systems = ['easyappointments'] as const
type System = (typeof systems)[number]

export interface SourceOptions {
  from: string
  business?: string
  apply?: boolean
  location?: string
  currency?: string
  timezone?: string
  instance?: string
  json?: boolean
}

const maxBytes = 256 * 1024 * 1024

/** Prints the plan of an import from another system; with `apply` it runs it. Throws a UsageError. */
export async function importFrom(path: string, options: SourceOptions): Promise<void> {
  const { from, business, apply = false, location, instance, json } = options
  const system = systems.find((one) => one === from)
  if (!system) throw new UsageError(`--from must be one of ${systems.join(', ')}.`)
  if (business === undefined) throw new UsageError('--from needs --business: the business to import into.')
  const report = await withExistingDatabase(async (context) => {
    const { id: business_id, timezone } = await showBusiness(context, business)
    const source = await readSource(context, path, { ...options, system, ofBusiness: timezone })
    const at = location === undefined ? undefined : await locationNamed(context, business_id, location)
    const input = { business_id, source, apply, location: at, ...(instance !== undefined && { instance }) }
    return importSource(context, operator, input)
  })
  print(report, json, () => sourceLines(report))
}

type Reading = SourceOptions & { system: System; ofBusiness: string }

async function readSource({ clock }: Context, path: string, options: Reading): Promise<Source> {
  const { ofBusiness: timezone, currency, timezone: zone } = options
  const ofUtc = zone === undefined ? undefined : timeZoneNamed(zone)
  if (zone !== undefined && ofUtc === undefined)
    throw new UsageError('--timezone must be an IANA name, such as Europe/Berlin.')
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency))
    throw new UsageError('--currency must be a code of ISO 4217, such as EUR.')
  const text = /^(mysql|mariadb):/.test(path) ? await dumpMysql(path) : readTextFile(path)
  return readEasyAppointments(text, { timezone, now: clock.now(), currency, ofUtc })
}

/** Reads a file, also one that gzip has compressed. */
function readTextFile(path: string): string {
  try {
    const bytes = readFileSync(path === '-' ? 0 : path)
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
    const text = isCompressed ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes
    if (text.length > maxBytes) throw new UsageError(`${path} has more than ${maxBytes} bytes.`)
    return text.toString('utf8')
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

function sourceLines(report: SourceReport): string[] {
  const { dry_run, clients, bookings, items, conflicts, remarks, remark_count } = report
  const more = (count: number, shown: number) => (count > shown ? [`  and ${count - shown} more`] : [])
  return [
    ...(dry_run ? ['Nothing was changed; --apply imports. The plan:'] : []),
    ...tableLines(
      ['', 'NEW', 'THERE'],
      (['locations', 'staff', 'services', 'blocks'] as const).map((kind) => [
        kind,
        String(report[kind].created),
        String(report[kind].present),
      ]),
    ),
    ...items.map(({ kind, name, is_new }) => `${is_new ? 'new' : 'there'}: ${nouns[kind]} ${name}`),
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
