import type { Context } from '../bookings/context.ts'
import { listBusinesses, showBusiness } from '../catalogue/business.ts'
import type { Columns } from './command-line.ts'

/** Whose the rows of a list are: its title says so for one business, a column for several. */
interface ListOwner {
  /** The business that the list is narrowed to. */
  business_id?: string
  /** "Services of Salon Spree:" */
  titleOf: (plural: string) => string
  column: Columns<{ business_id: string | null }>
}

/** Finds the business of a list by id or name; all without one. Throws a UsageError. */
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
