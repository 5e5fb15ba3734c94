import type { Context } from '../bookings/context.ts'
import { listBusinesses, showBusiness } from '../catalogue/business.ts'
import type { Columns } from './command-line.ts'

/** The owner of the rows in a list. The title names a single business; a column names one of several. */
interface ListOwner {
  /** The only business in the list. */
  business_id?: string
  /** Returns "Services of Salon Spree:". */
  titleOf: (plural: string) => string
  column: Columns<{ business_id: string | null }>
}

/** Finds the business of a list by ID or name, or returns all businesses without one. Throws a UsageError. */
export async function ownerOfList(context: Context, reference: string | undefined): Promise<ListOwner> {
  if (reference !== undefined) {
    const { id, name } = await showBusiness(context, reference)
    return { business_id: id, titleOf: (plural) => `${plural} of ${name}:`, column: {} }
  }
  const names = new Map((await listBusinesses(context, undefined)).map(({ id, name }) => [id, name]))
  return {
    titleOf: (plural) => `${plural} of all businesses:`,
    column: { BUSINESS: ({ business_id: id }) => (id === null ? '(a whole hub)' : (names.get(id) ?? id)) },
  }
}
