import type { Actor } from '../access/actor.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import { readCatalogue } from '../catalogue/export.ts'
import type { Context } from '../bookings/context.ts'
import { type AppointmentFile, type AppointmentProblem, readAppointments } from './appointment-file.ts'
import { importSource, type SourceReport } from './import.ts'

/** Number of rows that a report names. */
const maxReported = 500

/** The plan or the result of an import of appointments. */
export type AppointmentReport = Omit<
  SourceReport,
  'locations' | 'staff' | 'services' | 'items' | 'blocks'
> & {
  /** Rows that cannot be imported. */
  failed: number
  /** The first ones. */
  problems: AppointmentProblem[]
}

/** Imports appointments from CSV, or returns the plan. Throws unavailable if too many imports wait, and MemberGone for a plan. */
export async function importAppointments(
  context: Context,
  actor: Actor,
  {
    business_id,
    file,
    apply,
    isGone,
  }: { business_id: string; file: AppointmentFile; apply: boolean; isGone?: (() => boolean) | undefined },
): Promise<AppointmentReport> {
  const business = await businessForCreation(context.db.reads, actor.scope, business_id)
  const catalogue = await readCatalogue(context.db.reads, business.id)
  const { source, problems } = await readAppointments(file, catalogue, isGone)
  const {
    locations: _,
    staff: _staff,
    services: _services,
    items: _items,
    blocks: _blocks,
    ...report
  } = await importSource(context, actor, { business_id: business.id, source, apply, isGone })
  return { ...report, failed: problems.length, problems: problems.slice(0, maxReported) }
}
