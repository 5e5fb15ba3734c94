import { operator } from '../access/operator.ts'
import { resolveReferences, type Named } from '../catalogue/catalogue-file-rules.ts'
import { locationKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { listCatalogue, showOfCatalogue, type CatalogueKind } from '../catalogue/list-catalogue.ts'
import type { Context } from '../context.ts'
import { Problem, UsageError } from '../errors.ts'
import { unknownId } from '../unknown-id.ts'

/** Collects an option that may be repeated. */
export function repeated(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** The number that an option gives, or the text itself, which the schema refuses. */
export function numberIn(text: string): number | string {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text
}

/** Null for "none", else what is read from the text. */
export function unlessNone<T>(text: string, read: (text: string) => T): T | null {
  return text.trim() === 'none' ? null : read(text)
}

/** The members that were given. */
export function given<T extends object>(members: T): Partial<T> {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Partial<T> // some of its own members
}

/** The thing with this id. Throws a UsageError that guesses which one was meant. */
export async function existingThing<Row extends Named>(
  context: Context,
  kind: CatalogueKind<Row, unknown>,
  id: string,
): Promise<Row> {
  const plain = { ...kind, present: (row: Row) => row }
  try {
    return await showOfCatalogue(context, operator, { kind: plain, id })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    const { data } = await listCatalogue(context, operator, { kind: plain, query: { limit: '100' } })
    const command = kind === (staffKind as unknown) ? 'staff' : kind.noun
    throw unknownId(kind.noun, id, { known: data, otherwise: `"holdfast ${command} list" shows them.` })
  }
}

/** The ids of a business's locations or staff members, given by name or id. Throws a UsageError. */
export async function idsOf(
  context: Context,
  { businessId, option, references }: { businessId: string; option: string; references: string[] },
): Promise<string[]> {
  const isStaff = option === '--staff'
  const known = isStaff
    ? await allOf(context, staffKind, businessId)
    : await allOf(context, locationKind, businessId)
  const noun = isStaff ? staffKind.noun : locationKind.noun
  const { ids, faults } = resolveReferences(references, { pointer: option, noun, known })
  const [fault] = faults
  if (fault) throw new UsageError(`${option}: ${fault.detail}.`)
  return ids
}

const mostPages = 50

async function allOf<Row extends Named>(
  context: Context,
  kind: CatalogueKind<Row, Named>,
  businessId: string,
): Promise<Named[]> {
  const found: Named[] = []
  const query: { limit: string; business_id: string; cursor?: string } = {
    limit: '100',
    business_id: businessId,
  }
  for (let page = 0; page < mostPages; page += 1) {
    const { data, next_cursor } = await listCatalogue(context, operator, { kind, query })
    found.push(...data)
    if (next_cursor === null) break
    query.cursor = next_cursor
  }
  return found
}
