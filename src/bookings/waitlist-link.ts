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
  const [linked] = await withQuestions(context, [await shownIn(context.db.reads, key)])
  return linked
}

/** Adds what offered entries must still be asked. Reads the terms of each business once. */
export async function withQuestions<Shown extends ShownEntry>(
  context: Context,
  shown: readonly Shown[],
): Promise<(Shown & LinkedEntry)[]> {
  const offered = shown.filter(({ entry }) => entry.status === 'offered')
  const terms = new Map<string, CustomField[]>()
  for (const businessId of new Set(offered.map(({ entry }) => entry.business_id))) {
    const business = await businessInScope(context.db.reads, { businessId }, businessId)
    terms.set(businessId, termsFields({ id: businessId, terms: business.terms }, true))
  }
  return Promise.all(
    shown.map(async (one) =>
      one.entry.status === 'offered'
        ? { ...one, ...(await askedOf(context, one.entry, terms.get(one.entry.business_id) ?? [])) }
        : { ...one, questions: [], missing: [] },
    ),
  )
}

/** Adds what people of a business must ask the client before they book the offered time. They need no agreement to terms. */
export async function withQuestionsForPeople<Shown extends ShownEntry>(
  context: Context,
  shown: readonly Shown[],
): Promise<(Shown & LinkedEntry)[]> {
  return Promise.all(
    shown.map(async (one) => {
      if (one.entry.status !== 'offered') return { ...one, questions: [], missing: [] }
      const { questions, missing } = await askedOf(context, one.entry, [])
      return { ...one, questions, missing: missing.filter((name) => name === 'phone') }
    }),
  )
}

async function askedOf(
  context: Context,
  entry: ShownEntry['entry'],
  terms: readonly CustomField[],
): Promise<Pick<LinkedEntry, 'questions' | 'missing'>> {
  const { business_id: businessId, location_id: locationId } = entry
  const questions = new Map<string, CustomField>()
  const asked: ClientFields[] = []
  for (const { service_id: serviceId } of itemsOfEntry(entry)) {
    const { service } = await findOffering(context, { businessId }, { serviceId, locationId })
    for (const field of service?.custom_fields ?? []) if (field.required) questions.set(field.id, field)
    if (service) asked.push(service.client_fields)
  }
  for (const field of terms) questions.set(field.id, field)
  const fields = strictestFields(asked)
  const missing = (['last_name', 'phone'] as const).filter(
    (name) => fields[name] === 'required' && !entry[name],
  )
  return { questions: [...questions.values()], missing }
}
