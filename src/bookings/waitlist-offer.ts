import type { Static } from 'typebox'
import { type Author, recordAudit } from '../access/audit.ts'
import type { Actor } from '../access/actor.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant, plusSeconds, roundUpToSecond } from '../base/instants.ts'
import { businessInScope } from '../catalogue/business.ts'
import { findOffering } from '../catalogue/offering.ts'
import type { Transaction } from '../database/database.ts'
import { recordWaitlistMessage } from '../mails/waitlist-outbox.ts'
import { recordOtherEvent } from '../webhooks/event.ts'
import { endHolds } from './claim-queries.ts'
import type { Context } from './context.ts'
import { type Conversion, convertHold } from './conversion.ts'
import { withHoldToPlace } from './hold.ts'
import type { PlacedHold } from './hold-rules.ts'
import type { ClientAddress } from './strangers.ts'
import { endIn, keyOfEntry, noSuchEntry, showEntry, type ShownEntry, sweepSoon } from './waitlist.ts'
import {
  endOffer,
  findEntry,
  insertOffer,
  lockEntry,
  markTaken,
  type ShownEntryRow,
  takeTurn,
  waitAgain,
} from './waitlist-queries.ts'
import { clientOf, holderOf } from './waitlist-actors.ts'
import { type EntryRow, wishOfEntry } from './waitlist-rules.ts'
import type { OfferTime } from './waitlist-schemas.ts'

/*
 * Offers: holds in the name of an entry. The hold, its offer, the event and the messages are written in one transaction.
 * A killed server therefore loses no offer, and sends none twice. A rival who books the time at the same moment is an
 * ordinary rival.
 */

interface NewOffer {
  entry: EntryRow
  startsAt: Instant
  /** The end of the hold. */
  until: Instant
  /** Overrides the person of the entry. */
  staffId?: string | undefined
  by: Author
  /** A person chose the time, so that hours, blocks and notice do not bind. */
  byHand: boolean
}

/**
 * Offers a time to a waiting entry. Returns false if the entry no longer waits. Throws slot_held, slot_booked or
 * slot_not_offered if the time is gone.
 */
export async function offerTime(context: Context, offer: NewOffer): Promise<boolean> {
  const { entry, startsAt, until, staffId, byHand } = offer
  const wish = wishOfEntry(entry)
  const nowhere: ClientAddress = { address: null, network: 'unknown', widerNetwork: null }
  return withHoldToPlace(context, holderOf(entry), {
    input: {
      ...wish,
      ...(staffId !== undefined && !('items' in wish) && { staff_id: staffId }),
      ...{ starts_at: startsAt, from: nowhere, offeredUntil: until, onlyOffered: !byHand },
    },
    look: () => Promise.resolve(), // no request is repeated
    work: ({ place }) =>
      context.db.transaction(async (tx) => {
        if (!(await takeTurn(tx.db, entry, tx.now))) return false
        await write(context, tx, { ...offer, placed: await place(tx) })
        return true
      }),
  })
}

async function write(
  context: Context,
  tx: Transaction,
  { entry, until, by, byHand, placed }: NewOffer & { placed: PlacedHold },
): Promise<void> {
  const { hold, timezone } = placed
  await insertOffer(tx.db, {
    ...{ id: hold.id, business_id: entry.business_id, entry_id: entry.id },
    ...{ starts_at: hold.starts_at, ends_at: hold.ends_at, staff_id: hold.staff_id },
    ...{ status: 'open', by_hand: byHand ? 1 : 0, expires_at: until, created_at: tx.now, decided_at: null },
  })
  await recordAudit(context, tx, {
    ...{ by, action: 'waitlist.offered', subjectId: entry.id, businessId: entry.business_id },
  })
  await recordEvent(context, tx, { entry, until, placed })
  await recordWaitlistMessage(context, tx, { entry, kind: 'offered', offerId: hold.id, timezone })
}

/** Records the event for webhooks that name it. */
async function recordEvent(
  context: Context,
  tx: Transaction,
  {
    entry,
    until,
    placed: { hold, items, timezone },
  }: Pick<NewOffer, 'entry' | 'until'> & { placed: PlacedHold },
): Promise<void> {
  const { business_id: businessId, location_id: locationId, service_id: serviceId } = entry
  const ids = { serviceId, locationId }
  const { service, location } = await findOffering(context, { businessId }, ids, tx.reads)
  await recordOtherEvent(context, tx, {
    ...{ type: 'waitlist.offered', businessId, subjectId: entry.id, timezone },
    data: {
      ...{ id: entry.id, hold_id: hold.id },
      service: { id: serviceId, name: service?.name ?? '' },
      location: { id: locationId, name: location?.name ?? '' },
      starts_at: formatInstant(hold.starts_at, timezone),
      ends_at: formatInstant(items?.at(-1)?.ends_at ?? hold.ends_at, timezone),
      expires_at: formatInstant(until, timezone),
    },
  })
}

/**
 * Offers a time that a person of the business has chosen. Throws not_found, change_not_allowed if the entry does not
 * wait, and as placeHold does.
 */
export async function offerByHand(
  context: Context,
  actor: Actor,
  { id, starts_at, staff_id }: WithStart<Static<typeof OfferTime>> & { id: string },
): Promise<ShownEntry> {
  const entry = await findEntry(context.db.reads, keyOfEntry(actor, id))
  if (!entry) throw noSuchEntry()
  const { business_id: businessId } = entry
  const { offer_minutes } = await businessInScope(context.db.reads, { businessId }, businessId)
  const now = context.clock.now()
  const end = roundUpToSecond(plusSeconds(now, offer_minutes * 60))
  const until = end < starts_at ? end : starts_at
  const isOffered = await offerTime(context, {
    ...{ entry, startsAt: starts_at, until, staffId: staff_id, by: actor, byHand: true },
  })
  if (!isOffered) throw notWaiting()
  return showEntry(context, actor, id)
}

type WithStart<Body> = Omit<Body, 'starts_at'> & { starts_at: Instant }

function notWaiting(): Problem {
  return new Problem('change_not_allowed', 'The client does not wait any more, or has an offer already.', {
    extensions: { reason: 'not_waiting' },
  })
}

/**
 * Ends the offer of an entry, if it has one, so that the next one gets the time. The entry goes on waiting for other
 * times. Throws not_found.
 */
export async function skipEntry(context: Context, actor: Actor, id: string): Promise<ShownEntry> {
  const entry = await findEntry(context.db.reads, keyOfEntry(actor, id))
  if (!entry) throw noSuchEntry()
  await context.db.transaction((tx) =>
    refuse(context, tx, { entry, offerId: undefined, status: 'skipped', by: actor }),
  )
  return showEntry(context, actor, id)
}

/** Declines an offer for its client. Returns false if it is over already. */
export function declineOffer(
  context: Context,
  { entry, offerId }: { entry: EntryRow; offerId: string },
): Promise<boolean> {
  const by = clientOf(entry)
  return context.db.transaction((tx) => refuse(context, tx, { entry, offerId, status: 'declined', by }))
}

async function refuse(
  context: Context,
  tx: Transaction,
  {
    entry: { id, business_id: businessId },
    offerId,
    status,
    by,
  }: { entry: EntryRow; offerId: string | undefined; status: 'skipped' | 'declined'; by: Author },
): Promise<boolean> {
  if (!(await lockEntry(tx.db, id))) return false
  const held = await endOffer(tx.db, {
    ...{ entryId: id, status, now: tx.now },
    ...(offerId !== undefined && { id: offerId }),
  })
  if (held === undefined) return false
  await endHolds(tx, [{ id: held, businessId, at: tx.now, onlyExpired: false }])
  await waitAgain(tx.db, { id, unanswered: 0, now: tx.now })
  await recordAudit(context, tx, { by, action: `waitlist.${status}`, subjectId: id, businessId })
  await sweepSoon(context, tx, businessId)
  return true
}

/** Takes an entry off the list for its client. */
export async function leaveList(context: Context, entry: EntryRow): Promise<void> {
  const { id: subjectId, business_id: businessId } = entry
  await context.db.transaction(async (tx) => {
    if (!(await endIn(context, tx, entry, 'left'))) return
    await recordAudit(context, tx, { by: clientOf(entry), action: 'waitlist.left', subjectId, businessId })
  })
}

type TakeInput = Pick<Parameters<typeof convertHold>[2], 'custom_field_values' | 'from' | 'isGone'> & {
  entry: ShownEntryRow
  offerId: string
  /** Details that the services require and the entry lacks. */
  client?: { last_name?: string; phone?: string }
  /** The person of the business who books it, by the rules for people. Undefined for the client. */
  by?: Actor | undefined
}

/**
 * Books the offered time for its client. If the client takes it, a deposit is due as for visitors. If the service asks for confirmation, it is a
 * request, unless a person offered the time. Throws as convertHold does, among others
 * hold_expired.
 */
export function takeOffer(
  context: Context,
  { entry, offerId, client = {}, by = clientOf(entry), ...input }: TakeInput,
): Promise<Conversion> {
  const { first_name, last_name, email, phone, locale, time_zone, text_consent } = entry
  const store = Object.assign(
    async (tx: Transaction) => {
      await noteTaken(context, tx, offerId)
    },
    { look: () => Promise.resolve() },
  )
  const known = { ...(last_name !== '' && { last_name }), ...(phone !== null && { phone }) }
  return convertHold(
    context,
    by,
    {
      ...{ ...input, hold_id: offerId, isOffer: true },
      isConfirmed: entry.hold_id === offerId && entry.offer_by_hand === 1,
      client: { first_name, ...known, ...client, ...(email !== null && { email }) },
      ...(locale !== null && { locale }),
      ...(time_zone !== null && { time_zone }),
      ...(text_consent !== null && { text_consent }),
    },
    store,
  )
}

/** Records that an offered time is booked. Another offer that its entry got meanwhile ends. */
export async function noteTaken(context: Context, tx: Transaction, id: string): Promise<void> {
  const { now } = tx
  const entryId = await markTaken(tx.db, { id, now })
  if (entryId === undefined) return
  const other = await endOffer(tx.db, { entryId, status: 'withdrawn', now })
  const entry = await lockEntry(tx.db, entryId)
  if (other === undefined || !entry) return
  await endHolds(tx, [{ id: other, businessId: entry.business_id, at: now, onlyExpired: false }])
  await sweepSoon(context, tx, entry.business_id)
}
