import { entryIdOf } from '../access/entry-link.ts'
import { businessInScope } from '../catalogue/business.ts'
import type { ClientFields, CustomField } from '../catalogue/catalogue-types.ts'
import { findOffering } from '../catalogue/offering.ts'
import type { Context } from './context.ts'
import { strictestFields, termsFields } from './custom-field-rules.ts'
import { shownIn, type ShownEntry } from './waitlist.ts'
import { findEntry } from './waitlist-queries.ts'
import { itemsOfEntry } from './waitlist-rules.ts'

/** An entry as its client's page shows it. */
export interface LinkedEntry extends ShownEntry {
  /** Questions that must be answered before the offered time can be booked. */
  questions: CustomField[]
  /** Details that must be given, too. */
  missing: ('last_name' | 'phone')[]
}

/** Returns the entry of a client's link. Undefined for a wrong link. */
export async function entryOfLink(context: Context, code: string): Promise<LinkedEntry | undefined> {
  const id = await entryIdOf(context, code)
  const key = id === undefined ? undefined : { scope: { everything: true } as const, id }
  if (!key || !(await findEntry(context.db.reads, key))) return undefined
  return withQuestions(context, await shownIn(context.db.reads, key))
}

/** Adds what an offered entry must still be asked. */
export async function withQuestions(context: Context, shown: ShownEntry): Promise<LinkedEntry> {
  const { entry } = shown
  if (entry.status !== 'offered') return { ...shown, questions: [], missing: [] }
  const { business_id: businessId, location_id: locationId } = entry
  const { terms } = await businessInScope(context.db.reads, { businessId }, businessId)
  const questions = new Map<string, CustomField>()
  const asked: ClientFields[] = []
  for (const { service_id: serviceId } of itemsOfEntry(entry)) {
    const { service } = await findOffering(context, { businessId }, { serviceId, locationId })
    for (const field of service?.custom_fields ?? []) if (field.required) questions.set(field.id, field)
    if (service) asked.push(service.client_fields)
  }
  for (const field of termsFields({ id: businessId, terms }, true)) questions.set(field.id, field)
  const fields = strictestFields(asked)
  const missing = (['last_name', 'phone'] as const).filter(
    (name) => fields[name] === 'required' && !entry[name],
  )
  return { ...shown, questions: [...questions.values()], missing }
}
