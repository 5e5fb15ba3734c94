import type { Static } from 'typebox'
import { type Actor, isSession } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { assertParty } from '../availability/resource-rules.ts'
import { findOffer, type VersionedOffering } from '../availability/versioned-offering.ts'
import { standInEmail } from '../base/contact-formats.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant } from '../base/instants.ts'
import { internationalNumber } from '../base/phone-countries.ts'
import { type Page, type PageQuery, readPage, timeCursorOf } from '../base/paging.ts'
import { localeNamed } from '../catalogue/mail-settings-rules.ts'
import { forgetOffering } from '../catalogue/offering.ts'
import { type Reads, RetryTransaction, type Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { WaitlistEnd } from '../database/tables.ts'
import { recordWaitlistMessage } from '../mails/waitlist-outbox.ts'
import { clientColumns } from './booking-rules.ts'
import { endHolds } from './claim-queries.ts'
import { matchClient } from './client-match-queries.ts'
import type { Context } from './context.ts'
import { clientFieldErrors, strictestFields, textNumberErrors } from './custom-field-rules.ts'
import {
  admitEntry,
  bookingLimitReached,
  type ClientAddress,
  type Stranger,
  strangerOf,
} from './strangers.ts'
import { ofItem } from './visit-rules.ts'
import {
  endEntryRow,
  endOffer,
  findEntries,
  findEntry,
  findEntryClients,
  findNamesOf,
  insertEntry,
  lockEntry,
  type NewEntry,
  requestSweep,
  type ShownEntryRow,
} from './waitlist-queries.ts'
import { dateAt, type EntryRow, itemsOfEntry, weekdaysOf, windowErrorsOn } from './waitlist-rules.ts'
import type { CreateEntry, EntriesQuery, Entry } from './waitlist-schemas.ts'

/*
 * Entries of the waiting list. waitlist-offer.ts offers them times, and waitlist-sweep.ts finds the times that become
 * free.
 */

/** An entry with the names of its services and people. */
export interface ShownEntry {
  entry: ShownEntryRow
  names: ReadonlyMap<string, string>
}

type NewEntryInput = Static<typeof CreateEntry> & { from_address: ClientAddress }

/** Attempts to get a number for an entry while others of the client are added. */
const maxAttempts = 3

/**
 * Adds a client to the waiting list. Throws validation_failed, not_found, slot_not_offered, or booking_limit_reached for a
 * session.
 */
export async function createEntry(
  context: Context,
  actor: Actor,
  input: NewEntryInput,
  store: StoreResponse<ShownEntry> = storeNothing,
): Promise<ShownEntry> {
  const { from_address: from, client } = input
  if (isSession(actor) && client.email === undefined)
    throw validationProblem([{ pointer: '/client/email', code: 'required', detail: 'is required' }])
  const offers = await offersOf(context, actor, input)
  const [{ service, location }] = offers
  const { business_id: businessId } = service
  assertFits(context, input, offers)
  const stranger =
    isSession(actor) && client.email !== undefined
      ? await strangerOf(context, { businessId, from, email: client.email })
      : undefined
  return context.db.transaction(async (tx) => {
    const id = context.ids.next()
    if (stranger) await admitEntry(context, tx, { stranger, id })
    const row = await withClient(context, tx, newEntry(input, { id, actor, businessId, stranger, tx }), {
      timezone: location.timezone,
    })
    if (!(await insertEntry(tx.db, row))) {
      // another transaction may have taken the number, and end without using it
      if (tx.attempt < maxAttempts) throw new RetryTransaction('another entry of the client got the number')
      throw bookingLimitReached()
    }
    await recordAudit(context, tx, { by: actor, action: 'waitlist.joined', subjectId: id, businessId })
    await recordWaitlistMessage(context, tx, { entry: row, kind: 'joined', timezone: location.timezone })
    await sweepSoon(context, tx, businessId)
    const shown = await shownIn(tx.reads, { scope: actor.scope, id })
    await store(tx, shown)
    return shown
  })
}

/** Finds what the entry waits for. Throws not_found, slot_not_offered or validation_failed, with the item. */
async function offersOf(
  context: Context,
  actor: Actor,
  input: NewEntryInput,
): Promise<[VersionedOffering, ...VersionedOffering[]]> {
  const { location_id, items = [input] } = input
  const offers: VersionedOffering[] = []
  for (const [index, { service_id = '', staff_id, party_size = 1 }] of items.entries()) {
    try {
      // only the present state of the database counts
      forgetOffering(context, actor.scope, { serviceId: service_id, locationId: location_id })
      const offer = await findOffer(context, actor.scope, { service_id, location_id, staff_id })
      assertParty(offer.service, party_size)
      if (!offer.service.waitlist) {
        const detail = 'has no waiting list'
        throw validationProblem([{ pointer: '/service_id', code: 'not_allowed', detail }])
      }
      offers.push(offer)
    } catch (error) {
      throw input.items ? ofItem(error, index) : error
    }
  }
  const [first, ...others] = offers
  if (!first) throw new RangeError('an entry has a service')
  return [first, ...others]
}

function assertFits(
  { clock }: Context,
  { client, text_consent, ...window }: NewEntryInput,
  offers: readonly VersionedOffering[],
): void {
  const timezone = offers[0]?.location.timezone ?? 'UTC'
  const fields = strictestFields(offers.map(({ service }) => service.client_fields))
  const errors = [
    ...windowErrorsOn(dateAt(clock.now(), timezone), window),
    ...clientFieldErrors({ ...fields, phone: 'optional' }, client),
    ...(text_consent === undefined
      ? []
      : textNumberErrors(internationalNumber(client.phone ?? '', timezone))),
  ]
  if (errors.length > 0) throw validationProblem(errors)
}

function newEntry(
  input: NewEntryInput,
  made: { id: string; actor: Actor; businessId: string; stranger: Stranger | undefined; tx: Transaction },
): NewEntry {
  const { client, items, weekdays, after = null, before = null, locale, time_zone = null } = input
  const { id, actor, businessId, stranger, tx } = made
  const [first] = items ?? [input]
  return {
    ...{ id, business_id: businessId, status: 'waiting', client_id: null },
    ...{ service_id: first?.service_id ?? '', location_id: input.location_id },
    ...{ staff_id: first?.staff_id ?? null, party_size: first?.party_size ?? 1 },
    items_json: items && items.length > 1 ? JSON.stringify(items) : null,
    ...{ from: input.from, to: input.to, after, before },
    weekdays_json: weekdays ? JSON.stringify(weekdays) : null,
    ...{ first_name: client.first_name, last_name: client.last_name ?? '' },
    ...{ email: client.email ?? null, phone: client.phone || null },
    locale: locale === undefined ? null : (localeNamed(locale) ?? null),
    time_zone,
    text_consent: input.text_consent ?? null,
    text_agreed_at: input.text_consent === undefined ? null : tx.now,
    counted_client: stranger?.client ?? null,
    made_by: isSession(actor) ? 'client' : 'business',
    owner_id: actor.ownerId,
    ...{ created_at: tx.now, updated_at: tx.now },
  }
}

/** Finds or adds the client by address and name, as a booking does. */
async function withClient(
  { ids }: Context,
  tx: Transaction,
  entry: NewEntry,
  { timezone }: { timezone: string },
): Promise<NewEntry> {
  const { first_name, last_name, phone, locale, time_zone, business_id } = entry
  const email = entry.email ?? standInEmail(phone ?? '', { known: entry.id, timezone })
  const client_id = await matchClient(tx.db, {
    ...clientColumns({ first_name, last_name, email, phone: phone ?? '' }),
    ...{ business_id, client_id: ids.next(), locale, time_zone, timezone },
    ...{ starts_at: tx.now, updated_at: tx.now },
  })
  return { ...entry, client_id }
}

/** Asks for a sweep of a business after the commit. */
export async function sweepSoon(context: Context, tx: Transaction, businessId: string): Promise<void> {
  await requestSweep(tx.db, businessId, tx.now)
  tx.onCommit(() => context.dueOffers.raise())
}

/** Reads an entry in scope; for a session, one that it made. Throws not_found. */
export function showEntry(context: Context, actor: Actor, id: string): Promise<ShownEntry> {
  return shownIn(context.db.reads, keyOfEntry(actor, id))
}

/** Returns the key by which the caller may reach an entry. Throws not_found for an invalid ID. */
export function keyOfEntry(actor: Actor, id: string) {
  if (!isUuid(id)) throw noSuchEntry()
  return { scope: actor.scope, id: id.toLowerCase(), ownerId: isSession(actor) ? actor.ownerId : undefined }
}

/** Reads an entry with its names. Throws not_found. */
export async function shownIn(db: Reads, key: Parameters<typeof findEntry>[1]): Promise<ShownEntry> {
  const entry = await findEntry(db, key)
  if (!entry) throw noSuchEntry()
  const [shown] = await withNames(db, [entry])
  if (!shown) throw noSuchEntry()
  return shown
}

export function noSuchEntry(): Problem {
  return new Problem('not_found', 'There is no entry of the waiting list with this id.')
}

async function withNames(db: Reads, entries: readonly ShownEntryRow[]): Promise<ShownEntry[]> {
  const items = entries.flatMap(itemsOfEntry)
  const names = await findNamesOf(db, {
    services: [...new Set(items.map(({ service_id }) => service_id))],
    staff: [...new Set(items.flatMap(({ staff_id }) => staff_id ?? []))],
  })
  return entries.map((entry) => ({ entry, names }))
}

/** Returns the names of clients on the waiting list, by entry. */
export async function entryNamesIn(
  { db }: Context,
  businessId: string,
  ids: readonly string[],
): Promise<Map<string, { first_name: string; last_name: string; email: string }>> {
  const rows = await findEntryClients(db.reads, businessId, [...new Set(ids)])
  return new Map(rows.map(({ id, email, ...names }) => [id, { ...names, email: email ?? '' }]))
}

const entryCursor = timeCursorOf('waitlist')

/** Lists entries within the caller's scope, the longest waiting first. */
export async function listEntries(
  context: Context,
  actor: Actor,
  query: Static<typeof EntriesQuery> & { client_id?: string; phones?: string[] },
): Promise<Page<ShownEntry>> {
  const { status, email, service_id: serviceId, location_id: locationId, staff_id: staffId } = query
  const { business_id: businessId, client_id: clientId, phones } = query
  const filter = { status, email, phones, serviceId, locationId, staffId, businessId, clientId }
  const page = await readPage(query satisfies PageQuery, {
    cursor: entryCursor,
    find: (rows) => findEntries(context.db.reads, actor.scope, { ...filter, ...rows }),
    position: ({ created_at, id }) => [created_at, id],
  })
  return { ...page, data: await withNames(context.db.reads, page.data) }
}

/** Returns an entry for display, with times in the zone of its location. */
export function presentEntry({ entry, names }: ShownEntry, actor: Actor): Static<typeof Entry> {
  const { id, business_id, status, ended_because, position, service_id, location_id, staff_id } = entry
  const { timezone, hold_id, offer_starts_at, offer_ends_at, offer_expires_at } = entry
  const named = (of: string) => ({ id: of, name: names.get(of) ?? '' })
  const isOffered = hold_id !== null && offer_starts_at && offer_ends_at && offer_expires_at
  return {
    ...{ id, business_id, status, ended_because, position },
    ...{ service_id, location_id, staff_id, party_size: entry.party_size },
    location: { id: location_id, name: entry.location_name },
    items: itemsOfEntry(entry).map(({ service_id: of, staff_id: by, party_size = 1, starts = 'after' }) => ({
      service: named(of),
      staff: by === undefined ? null : named(by),
      ...{ party_size, starts },
    })),
    ...{ from: entry.from, to: entry.to, after: entry.after, before: entry.before },
    weekdays: weekdaysOf(entry.weekdays_json) as Static<typeof Entry>['weekdays'],
    client: {
      ...(!isSession(actor) && { id: entry.client_id }),
      ...{ first_name: entry.first_name, last_name: entry.last_name },
      ...{ email: entry.email, phone: entry.phone },
    },
    ...{ locale: entry.locale, time_zone: entry.time_zone },
    offer: isOffered
      ? {
          hold_id,
          starts_at: formatInstant(offer_starts_at, timezone),
          ends_at: formatInstant(offer_ends_at, timezone),
          expires_at: formatInstant(offer_expires_at, timezone),
        }
      : null,
    booking_id: entry.booking_id,
    created_at: formatInstant(entry.created_at, timezone),
    updated_at: formatInstant(entry.updated_at, timezone),
  }
}

/** Takes an entry off the list, and frees the time that it was offered. One that is over stays. Throws not_found. */
export async function endEntry(context: Context, actor: Actor, id: string): Promise<void> {
  const key = keyOfEntry(actor, id)
  const entry = await findEntry(context.db.reads, key)
  if (!entry) throw noSuchEntry()
  const because = isSession(actor) ? 'left' : 'removed'
  await context.db.transaction(async (tx) => {
    if (!(await endIn(context, tx, entry, because))) return
    const action = because === 'left' ? 'waitlist.left' : 'waitlist.removed'
    await recordAudit(context, tx, { by: actor, action, subjectId: entry.id, businessId: entry.business_id })
  })
}

/** Ends an active entry with its offer. Returns false if it is over already. */
export async function endIn(
  context: Context,
  tx: Transaction,
  { id, business_id: businessId }: Pick<EntryRow, 'id' | 'business_id'>,
  because: WaitlistEnd,
): Promise<boolean> {
  if (!(await lockEntry(tx.db, id))) return false
  if (!(await endEntryRow(tx.db, { id, because, now: tx.now }))) return false
  const held = await endOffer(tx.db, { entryId: id, status: 'withdrawn', now: tx.now })
  if (held !== undefined) {
    await endHolds(tx, [{ id: held, businessId, at: tx.now, onlyExpired: false }])
    await sweepSoon(context, tx, businessId)
  }
  return true
}
