import type { Actor } from '../access/actor.ts'
import { asLine, asText } from '../base/contact-formats.ts'
import { OperatorError } from '../base/errors.ts'
import { formatInstant, toMs } from '../base/instants.ts'
import { type ImportedBlock, importBlocks } from '../catalogue/block.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import { readCatalogue } from '../catalogue/export.ts'
import { importCatalogue } from '../catalogue/import.ts'
import type { Location } from '../catalogue/location-and-staff-schemas.ts'
import { type BookingResult, importBookings, type ImportedBooking } from '../bookings/booking-import.ts'
import { findClientsOf, importClients, withKnownContacts } from '../bookings/client-import.ts'
import type { Context } from '../bookings/context.ts'
import { turnsFor } from '../bookings/costly.ts'
import {
  type Business,
  type CataloguePlan,
  type Identity,
  idFrom,
  type ItemKind,
  planCatalogue,
} from './catalogue-plan.ts'
import { clientFile } from './client-plan.ts'
import { findMatches, storeMatches } from './import-queries.ts'
import type { ImportRemark, Source, SourceBooking } from './source-types.ts'

/*
 * Moves a business in from another system: its catalogue all at once, then clients in batches, absences, and appointments
 * one by one. The same code makes the plan and applies it. All IDs are derived from the source. A repeated import therefore
 * finds everything: it changes nothing, or finishes an interrupted one.
 */

/** More than any salon has. */
const maxRecords = 200_000
/** Number of entries of each list in a report. */
const maxReported = 500
const maxBookingMs = 24 * 3_600_000
const maxBookingNotes = 1_000
const maxReason = 500

interface Count {
  created: number
  present: number
}

/** An appointment that overlaps another one. */
interface Conflict {
  what: string
  /** Its row in a file. */
  row?: number
  starts_at: string
  timezone: string
  service: string
  staff: string | null
  client: string
  /** The appointment or booking in its way. */
  overlaps: string
  /** Its row in a file. */
  overlaps_row?: number | undefined
}

/** The plan or the result of an import. */
export interface SourceReport {
  dry_run: boolean
  business_id: string
  system: Source['system']
  locations: Count
  staff: Count
  services: Count
  clients: { created: number; changed: number; unchanged: number; repeated: number; failed: number }
  blocks: Count
  bookings: {
    coming: number
    past: number
    present: number
    differing: number
    conflicts: number
    left_out: number
  }
  /** The items of the catalogue. */
  items: { kind: ItemKind; name: string; is_new: boolean }[]
  /** The first ones. */
  conflicts: Conflict[]
  remark_count: number
  /** Things that are left out or changed, the former first; the first ones. */
  remarks: (Pick<ImportRemark, 'what' | 'row' | 'code' | 'detail'> & { left_out: boolean })[]
}

interface ImportInput {
  business_id: string
  source: Source
  apply: boolean
  /** The location for all locations of the source. By default the same or a new one. */
  location?: Location | undefined
  /** Distinguishes several sources of one system. */
  instance?: string
  isGone?: (() => boolean) | undefined
}

/** Imports a source, or returns the plan. Throws validation_failed, catalogue_limit_reached, unavailable or MemberGone. */
export async function importSource(
  context: Context,
  actor: Actor,
  { business_id, source, apply, location, instance = '', isGone }: ImportInput,
): Promise<SourceReport> {
  assertBounded(source)
  const business = await businessForCreation(context.db.reads, actor.scope, business_id)
  const identity = { business, system: source.system, instance }
  const before = await readCatalogue(context.db.reads, business.id)
  const matches = await findMatches(context.db.reads, business.id)
  const plan = planCatalogue(source, before, { identity, location, matches })
  if (Object.keys(plan.file).length > 0) {
    const options = { businessId: business.id, overwriteBusiness: false, dryRun: !apply }
    await importCatalogue(context, plan.file, options)
  }
  if (apply) await context.db.transaction((tx) => storeMatches(tx.db, business.id, plan.matches))
  const saved = apply ? await withSaved(context, plan, business) : plan
  const people = await withKnownContacts(context, business, source.clients)
  const { file, remarks } = clientFile(people, 'client')
  const asked = { business_id: business.id, file, replaces: false, apply, isGone }
  const clients = await importClients(context, actor, asked)
  const failed = clients.problems.map(({ row, detail }) => remarkOf(source, row, detail))
  const rows = apply ? await findClientsOf(context, { business, file }) : undefined
  const work = async () => {
    const blocks = blocksOf(source, saved, identity)
    const { bookings, left } = bookingsOf(source, saved, { identity, rows })
    const ids = bookings.map(({ booking }) => booking)
    const results = await importBookings(context, actor, {
      business_id: business.id,
      bookings: ids,
      apply,
      isGone,
    })
    const created = await importBlocks(context, actor, { business_id: business.id, blocks, apply })
    return { bookings, left, results, blocks: { created, present: blocks.length - created } }
  }
  const done = await turnsFor(context, 'import').run(business.id, work, isGone)
  const told = [...source.remarks, ...plan.remarks, ...failed, ...remarks, ...done.left]
  return reportOf({ source, plan, clients, apply, business }, { ...done, remarks: told })
}

function assertBounded({ clients, bookings, blocks, services, people }: Source): void {
  for (const list of [clients, bookings, blocks, services, people])
    if (list.length > maxRecords)
      throw new OperatorError(
        `The source has more than ${maxRecords} entries of one kind; import it in parts.`,
      )
}

function remarkOf({ clients }: Source, row: number, detail: string): ImportRemark {
  return { what: `client ${clients[row - 1]?.key}`, detail, isLeftOut: true }
}

/** Returns the plan with the items as they are saved. */
async function withSaved(context: Context, plan: CataloguePlan, business: Business): Promise<CataloguePlan> {
  const { locations, staff, services } = await readCatalogue(context.db.reads, business.id)
  const replaced = <Row extends { id: string }>(planned: Map<string, Row>, rows: readonly Row[]) => {
    const byId = new Map(rows.map((row) => [row.id, row]))
    return new Map([...planned].map(([key, row]) => [key, byId.get(row.id) ?? row]))
  }
  return {
    ...plan,
    locations: replaced(plan.locations, locations),
    people: replaced(plan.people, staff),
    services: replaced(plan.services, services),
  }
}

function blocksOf(source: Source, plan: CataloguePlan, identity: Identity): ImportedBlock[] {
  return source.blocks.flatMap(({ key, staff, location, starts_at, ends_at, reason }) => {
    const staff_id = staff === undefined ? null : plan.people.get(staff)?.id
    const location_id = staff !== undefined ? null : plan.locations.get(location ?? '')?.id
    if (staff_id === undefined || location_id === undefined) return []
    const kept = Array.from(asText(reason).trim()).slice(0, maxReason).join('')
    const id = idFrom(identity, 'block', `${key} ${starts_at} ${ends_at}`)
    return [{ id, staff_id, location_id, starts_at, ends_at, reason: kept || null }]
  })
}

interface Matched {
  source: SourceBooking
  booking: ImportedBooking
}

/** Returns the bookings whose service, person and client are known. */
function bookingsOf(
  source: Source,
  plan: CataloguePlan,
  { identity, rows }: { identity: Identity; rows: ImportedBooking['client'][] | undefined },
): { bookings: Matched[]; left: ImportRemark[] } {
  const clients = new Map(source.clients.map(({ key }, index) => [key, rows?.[index]]))
  const left: ImportRemark[] = []
  const bookings = source.bookings.flatMap((one): Matched[] => {
    const service = plan.services.get(one.service)
    const staff = one.staff === undefined ? null : plan.people.get(one.staff)
    const location = locationOf(one, plan)
    const fault = faultOf(one, { service, staff, location })
    const client = clients.get(one.client)
    if (fault !== undefined || !service || !location || staff === undefined || (rows && !client)) {
      const detail = fault ?? 'has a client who could not be imported'
      left.push({ ...nameOf(source, one), detail, isLeftOut: true })
      return []
    }
    const notes = Array.from(asText(one.notes).trim())
    if (notes.length > maxBookingNotes) {
      const detail = `has notes of more than ${maxBookingNotes} characters; the rest is left out`
      left.push({ ...nameOf(source, one), detail, isLeftOut: false })
    }
    const { starts_at, ends_at, party_size, state } = one
    const booking = {
      ...{ id: idFrom(identity, 'booking', one.key), service, location, staff, client },
      ...{ starts_at, ends_at, party_size, state, created_at: one.created_at ?? starts_at },
      notes: notes.slice(0, maxBookingNotes).join('') || null,
    }
    return [{ source: one, booking }]
  })
  return { bookings, left }
}

function locationOf({ location, staff, service }: SourceBooking, plan: CataloguePlan): Location | undefined {
  if (location !== undefined) return plan.locations.get(location)
  const ids = [
    ...(staff === undefined ? [] : (plan.people.get(staff)?.location_ids ?? [])),
    ...(plan.services.get(service)?.location_ids ?? []),
  ]
  return [...plan.locations.values()].find(({ id }) => ids.includes(id))
}

function faultOf(
  { starts_at, ends_at, party_size }: SourceBooking,
  { service, staff, location }: { service: unknown; staff: unknown; location: unknown },
): string | undefined {
  if (!service) return 'has a service that could not be imported'
  if (staff === undefined) return 'has a person who could not be imported'
  if (!location) return 'has no location'
  if (toMs(ends_at) - toMs(starts_at) > maxBookingMs) return 'lasts more than 24 hours'
  return party_size >= 1 && party_size <= 1_000 ? undefined : 'has an unknown number of people'
}

interface Told {
  source: Source
  plan: CataloguePlan
  clients: Awaited<ReturnType<typeof importClients>>
  apply: boolean
  business: Business
}

function reportOf(
  { source, plan, clients, apply, business }: Told,
  {
    bookings,
    results,
    blocks,
    remarks,
    left,
  }: {
    bookings: Matched[]
    results: BookingResult[]
    blocks: Count
    remarks: ImportRemark[]
    left: ImportRemark[]
  },
): SourceReport {
  const countOf = (kind: ItemKind): Count => {
    const items = plan.items.filter((item) => item.kind === kind)
    const created = items.filter(({ isNew }) => isNew).length
    return { created, present: items.length - created }
  }
  const number = (effect: BookingResult['effect']) =>
    results.filter((result) => result.effect === effect).length
  const { created, changed, unchanged, repeated, failed } = clients
  const conflicts = conflictsOf(source, bookings, results)
  const told = [...remarks, ...resultRemarks(source, bookings, results)]
  const sorted = [...told.filter(({ isLeftOut }) => isLeftOut), ...told.filter(({ isLeftOut }) => !isLeftOut)]
  const leftBefore = source.remarks.filter(({ what, isLeftOut }) => isLeftOut && what.startsWith(source.noun))
  return {
    ...{ dry_run: !apply, business_id: business.id, system: source.system },
    ...{ locations: countOf('locations'), staff: countOf('staff'), services: countOf('services') },
    ...{ clients: { created, changed, unchanged, repeated, failed }, blocks },
    bookings: {
      ...{ coming: number('coming'), past: number('past'), present: number('present') },
      ...{ differing: number('differs'), conflicts: conflicts.length },
      left_out: number('needs_more') + left.filter(({ isLeftOut }) => isLeftOut).length + leftBefore.length,
    },
    items: plan.items.slice(0, maxReported).map(({ kind, name, isNew }) => ({ kind, name, is_new: isNew })),
    conflicts: conflicts.slice(0, maxReported),
    remark_count: sorted.length,
    remarks: sorted.slice(0, maxReported).map(({ isLeftOut, ...told }) => ({ ...told, left_out: isLeftOut })),
  }
}

/** Names an appointment for people. */
function nameOf({ noun }: Source, { key, row }: SourceBooking): { what: string; row?: number } {
  return row === undefined ? { what: `${noun} ${key}` } : { what: `${noun} ${row}`, row }
}

function conflictsOf(source: Source, bookings: Matched[], results: BookingResult[]): Conflict[] {
  const named = new Map(bookings.map(({ source: one, booking: { id } }) => [id, nameOf(source, one)]))
  const clients = new Map(source.clients.map((client) => [client.key, client]))
  return bookings.flatMap(({ source: one, booking }, index): Conflict[] => {
    const result = results[index]
    if (result?.effect !== 'conflict') return []
    const { inTheWay } = result
    const client = clients.get(one.client)
    return [
      {
        ...nameOf(source, one),
        starts_at: formatInstant(booking.starts_at, booking.location.timezone),
        timezone: booking.location.timezone,
        service: booking.service.name,
        staff: booking.staff?.name ?? null,
        client: client ? asLine(`${client.first_name} ${client.last_name}`).trim() : '',
        overlaps:
          inTheWay === undefined ? 'a new booking' : (named.get(inTheWay)?.what ?? `booking ${inTheWay}`),
        ...(inTheWay !== undefined && { overlaps_row: named.get(inTheWay)?.row }),
      },
    ]
  })
}

function resultRemarks(source: Source, bookings: Matched[], results: BookingResult[]): ImportRemark[] {
  return bookings.flatMap(({ source: one, booking }, index): ImportRemark[] => {
    const result = results[index]
    const named = nameOf(source, one)
    if (result?.effect === 'needs_more') {
      const detail = `is of ${booking.service.name}, which needs rooms or several steps: book it by hand`
      return [{ ...named, code: 'needs_more', detail, isLeftOut: true }]
    }
    if (result?.effect !== 'differs') return []
    const { present } = result
    const zone = booking.location.timezone
    const here = present.status === 'cancelled' ? 'cancelled' : formatInstant(present.starts_at, zone)
    const there = booking.state === 'cancelled' ? 'cancelled' : formatInstant(booking.starts_at, zone)
    const detail = `has changed since its import and stays: here ${here}, in the source ${there}`
    return [{ ...named, code: 'differs', detail, isLeftOut: false }]
  })
}
