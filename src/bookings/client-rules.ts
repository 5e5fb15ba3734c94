import { addressKey, fullName, hasEmail, shownEmail, standInEmail } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import { maxMetadata, metadataOf } from '../base/metadata-rules.ts'
import { nameKey, searchText } from '../base/search-text.ts'
import type { ClientRow } from './client-queries.ts'

export interface NamedClient {
  email?: string
  client_id?: string
  booking_id?: string
  business_id?: string
}

/**
 * Checks that a client is named in one way: by an ID, by a booking, or by an address, which means everybody who has it.
 */
export function namedClientErrors(client: Partial<NamedClient>): FieldError[] {
  const names = (['email', 'client_id', 'booking_id'] as const).filter((name) => name in client)
  const [first, second] = names
  if (second) {
    const detail = `is not allowed beside ${first}: one of them names the client`
    return [{ pointer: `/${second}`, code: 'not_allowed', detail }]
  }
  if (first) return []
  return [
    { pointer: '/email', code: 'required', detail: 'is required unless client_id or booking_id is given' },
  ]
}

export const maxNotes = 2000
export const maxTags = 20
export const maxTag = 40

/** The columns of a client that people write. */
export type ClientFields = Pick<ClientRow, 'first_name' | 'last_name' | 'email' | 'phone'>

/**
 * Returns the columns that follow from name and contact: the key, and the text for the search. A client without an
 * address keeps their stand-in until they get another phone number.
 */
export function keyColumns(
  { first_name, last_name, email, phone }: ClientFields,
  { id, timezone, before }: { id: string; timezone: string; before?: ClientRow },
): Pick<ClientRow, 'name' | 'address' | 'search' | 'sort_key'> {
  const keepsStandIn = before && !hasEmail(before.address) && (!phone || phone === before.phone)
  const address =
    email ?? (keepsStandIn ? before.address : standInEmail(phone ?? '', { known: id, timezone }))
  return {
    name: nameKey({ first_name, last_name }),
    address: addressKey(address),
    search: clientSearch({ first_name, last_name, email: address, phone }),
    sort_key: null, // set by the statement that writes the row
  }
}

/** Returns the text in which a client is searched: name, address and phone, one per line (see `searchText`). */
export function clientSearch({
  first_name,
  last_name,
  email,
  phone,
}: Pick<ClientRow, 'first_name' | 'last_name' | 'phone'> & { email: string }): string {
  const digits = (phone ?? '').replace(/\D/g, '')
  return searchText([fullName(first_name, last_name), shownEmail(email), phone ?? '', digits].join('\n'))
}

/** Returns a client together with the data of another one, who is the same person. */
export function mergedClient(into: ClientRow, from: ClientRow): ClientRow {
  const notes = [into.notes, from.notes].filter(Boolean).join('\n')
  const tags = distinctTags([...tagsOf(into), ...tagsOf(from)]).slice(0, maxTags)
  const metadata = Object.entries({ ...metadataOf(from), ...metadataOf(into) }).slice(0, maxMetadata)
  const email = into.email ?? from.email
  const phone = into.phone ?? from.phone
  return {
    ...into,
    email,
    phone,
    search: clientSearch({ ...into, email: email ?? '', phone }),
    notes: Array.from(notes).slice(0, maxNotes).join('') || null,
    tags_json: JSON.stringify(tags),
    metadata_json: JSON.stringify(Object.fromEntries(metadata)),
    locale: into.locale ?? from.locale,
    time_zone: into.time_zone ?? from.time_zone,
    is_kept: 1,
  }
}

/** Returns what remains of a client who was merged: the key. */
export function leadingTo(id: string, from: ClientRow): ClientRow {
  return { ...from, ...nothing, merged_into: id, is_kept: 0 }
}

const nothing = {
  ...{ first_name: '', last_name: '', email: null, phone: null, search: '', notes: null },
  ...{ locale: null, time_zone: null, tags_json: '[]', metadata_json: '{}' },
}

/** Returns the row that leads bookings with an earlier name or address to a client. */
export function formerKey(before: ClientRow, id: string): ClientRow {
  return {
    ...leadingTo(before.id, before),
    ...{ id, booking_count: 0, no_show_count: 0, last_booking_at: null },
  }
}

export function tagsOf({ tags_json }: Pick<ClientRow, 'tags_json'>): string[] {
  return distinctTags(JSON.parse(tags_json) as string[]) // only validated tags are written
}

/** Returns tags each once, whatever their capitals. The first spelling stays. */
export function distinctTags(tags: readonly string[]): string[] {
  return [...Map.groupBy(tags, (tag) => tag.toLowerCase()).values()].flatMap(([first]) => first ?? [])
}
