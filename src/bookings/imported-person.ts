import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { addressKey, standInEmail } from '../base/contact-formats.ts'
import { wholeNumber } from '../base/phone-countries.ts'
import { nameKey } from '../base/search-text.ts'
import { distinctTags, keyColumns, maxTags, tagsOf } from './client-rules.ts'
import type { ClientRow } from './client-queries.ts'
import type { CreateClient } from './client-schemas.ts'
import type { ImportedField } from './client-columns.ts'

/* Decides who a row of a file is, and what it changes. */

/** The members of a client that a file can give. */
export type ImportedClient = Pick<
  Static<typeof CreateClient>,
  'first_name' | 'last_name' | 'email' | 'phone' | 'notes' | 'tags' | 'locale' | 'time_zone'
>

/** A person of a file: one row, or several of the same person. */
export interface ImportedPerson {
  row: number
  client: ImportedClient
  name: string
  /** Digits with the calling code; empty without a phone number. */
  number: string
  /** Number of earlier people with this name and neither address nor phone number. */
  ordinal: number
}

/** A value that stays, because another one is there already. */
interface KeptValue {
  row: number
  field: ImportedField
}

/** Joins the rows of a file that are one person. The first row with a value counts. */
export class PeopleOfFile {
  readonly people: ImportedPerson[] = []
  readonly kept: KeptValue[] = []
  /** Number of rows that were joined to an earlier one. */
  repeated = 0
  private readonly timezone: string
  private readonly byEmail = new Map<string, ImportedPerson>()
  private readonly byNumber = new Map<string, ImportedPerson>()
  /** By name and number; only people without an email address. */
  private readonly bare = new Map<string, ImportedPerson>()
  private readonly nameless = new Map<string, number>()

  constructor(timezone: string) {
    this.timezone = timezone
  }

  /** Adds a row, and returns the person whom it names. */
  add(row: number, client: ImportedClient): ImportedPerson {
    const name = nameKey({ first_name: client.first_name, last_name: client.last_name ?? '' })
    const number = client.phone ? wholeNumber(client.phone, this.timezone) : ''
    const email = client.email === undefined ? '' : addressKey(client.email)
    const known =
      email === ''
        ? this.byNumber.get(`${name}\n${number}`)
        : (this.byEmail.get(`${name}\n${email}`) ?? this.bare.get(`${name}\n${number}`))
    if (!known || (email === '' && number === ''))
      return this.begin({ row, client, name, number, ordinal: 0 })
    this.join(known, row, client)
    return known
  }

  private begin(person: ImportedPerson): ImportedPerson {
    this.people.push(person)
    if (person.client.email === undefined && person.number === '') {
      person.ordinal = this.nameless.get(person.name) ?? 0
      this.nameless.set(person.name, person.ordinal + 1)
    }
    this.note(person)
    return person
  }

  private note(person: ImportedPerson): void {
    const { name, number, client } = person
    if (client.email !== undefined) this.byEmail.set(`${name}\n${addressKey(client.email)}`, person)
    if (number === '') return
    const key = `${name}\n${number}`
    if (!this.byNumber.has(key)) this.byNumber.set(key, person)
    if (client.email === undefined) this.bare.set(key, person)
    else if (this.bare.get(key) === person) this.bare.delete(key)
  }

  private join(person: ImportedPerson, row: number, client: ImportedClient): void {
    this.repeated += 1
    const { client: before } = person
    for (const field of plainFields) {
      const value = client[field]
      if (value === undefined || value === before[field]) continue
      if (before[field] === undefined) before[field] = value
      else if (!isSame(field, before[field], value, this.timezone)) this.kept.push({ row, field })
    }
    const tags = distinctTags([...(before.tags ?? []), ...(client.tags ?? [])])
    if (tags.length > 0) before.tags = tags.slice(0, maxTags)
    if (tags.length > maxTags) this.kept.push({ row, field: 'tags' })
    person.number = before.phone ? wholeNumber(before.phone, this.timezone) : ''
    this.note(person)
  }
}

/** Fields that are filled one by one. First and last name belong together. */
const plainFields = ['email', 'phone', 'notes', 'locale', 'time_zone'] as const

function isSame(field: (typeof plainFields)[number], one: string, other: string, timezone: string): boolean {
  if (field === 'email') return addressKey(one) === addressKey(other)
  if (field === 'phone') return wholeNumber(one, timezone) === wholeNumber(other, timezone)
  return one === other
}

const ofFiles = 'csv-'

/**
 * Returns the ID in the stand-in address of a person without contact. It is the same for each import of a file, so the
 * unique index finds the client again. Lists show namesakes in the order of the file.
 */
export function knownId(business_id: string, { name, ordinal }: ImportedPerson): string {
  const digest = hash('sha256', `${business_id}\n${name}\n${ordinal}`).slice(0, 32)
  return `${ofFiles}${String(ordinal).padStart(5, '0')}-${digest}`
}

/** Returns the addresses under which a person may be stored. */
export function addressesOf(person: ImportedPerson, business: { id: string; timezone: string }): string[] {
  const { client, number } = person
  const known = knownId(business.id, person)
  return [
    ...(client.email === undefined ? [] : [addressKey(client.email)]),
    ...(client.email !== undefined && number === ''
      ? []
      : [addressKey(standInEmail(client.phone ?? '', { known, timezone: business.timezone }))]),
  ]
}

/** Clients that may be the person: those with a key of theirs, and those with the same name. */
interface Candidates {
  byKey: readonly ClientRow[]
  namesakes: readonly ClientRow[]
}

/**
 * Returns the client who is a person of a file. The email address decides, then the phone number. Without both it is the
 * one whom an earlier import of the file made. Otherwise it is another of that name without contact, in list order.
 * `several` if more than one has the phone number.
 */
export function matchedClient(
  { client, number, ordinal }: ImportedPerson,
  { byKey, namesakes }: Candidates,
  timezone: string,
): ClientRow | 'several' | undefined {
  const { email } = client
  if (email !== undefined) {
    const own = byKey.find((one) => one.email !== null && addressKey(one.email) === addressKey(email))
    if (own) return own
  }
  const all = [...new Map([...byKey, ...namesakes].map((one) => [one.id, one])).values()]
  if (number !== '') {
    const isTheirs = ({ phone, email: other }: ClientRow) =>
      phone !== null && wholeNumber(phone, timezone) === number && (email === undefined || other === null)
    const found = all.filter(isTheirs)
    if (found.length > 1) return 'several'
    if (found[0]) return found[0]
  }
  if (email !== undefined || number !== '') return byKey[0] // a former address or number
  const others = namesakes.filter(
    ({ email: other, phone, address }) =>
      other === null && phone === null && !address.startsWith(`client-${ofFiles}`),
  )
  return byKey[0] ?? others.toSorted((one, other) => (one.address < other.address ? -1 : 1))[ordinal]
}

/** The effect of a person of a file on a client. */
interface ImportedChange {
  after: ClientRow
  changed: ImportedField[]
  /** Fields that differ and stay. */
  kept: ImportedField[]
}

/**
 * Returns how a person of a file changes a client. Empty fields are filled and tags are added. `replaces` also replaces
 * other values, except an email address, which identifies the client.
 */
export function importedChange(
  before: ClientRow,
  { client, name }: ImportedPerson,
  { timezone, replaces }: { timezone: string; replaces: boolean },
): ImportedChange {
  const after = { ...before }
  const changed: ImportedField[] = []
  const kept: ImportedField[] = []
  const { first_name, last_name = '' } = client
  if (first_name !== before.first_name || last_name !== before.last_name) {
    if (replaces && name === before.name) {
      Object.assign(after, { first_name, last_name })
      changed.push('first_name')
    } else kept.push('first_name')
  }
  for (const field of plainFields) {
    const value = client[field]
    const old = before[field]
    if (value === undefined || (old !== null && isSame(field, old, value, timezone))) continue
    if (old === null || (replaces && field !== 'email')) {
      after[field] = value
      changed.push(field)
    } else kept.push(field)
  }
  const tags = tagsOf(before)
  const added = distinctTags([...tags, ...(client.tags ?? [])]).slice(tags.length)
  const room = added.slice(0, maxTags - tags.length)
  if (room.length > 0) {
    after.tags_json = JSON.stringify([...tags, ...room])
    changed.push('tags')
  }
  if (room.length < added.length) kept.push('tags')
  if (changed.length > 0)
    Object.assign(after, keyColumns(after, { id: before.id, timezone, before }), { is_kept: 1 })
  return { after, changed, kept }
}
