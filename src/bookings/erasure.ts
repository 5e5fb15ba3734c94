import type { Actor } from '../access/actor.ts'
import { recordAudit, recordAudits } from '../access/audit.ts'
import { clientEmailOf, erasedName, hasEmail } from '../base/contact-formats.ts'
import { instantFromMs, toMs } from '../base/instants.ts'
import { internationalNumber } from '../base/phone-countries.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { rewriteBlocks, rewriteResponses } from '../database/idempotency.ts'
import { deleteMailFiles, type MailFile } from '../mails/mail-files.ts'
import { eraseFromMails } from '../mails/mail.ts'
import { forgetOptOut } from '../mails/opt-out.ts'
import { eraseFromEvents } from '../webhooks/event.ts'
import type { Context } from './context.ts'
import { deleteAccessOfNumbers, deleteClientAccess } from './client-log-in-queries.ts'
import { storedForms } from './client-text-queries.ts'
import {
  type ClientRow,
  deleteUnproven,
  eraseClients,
  findErased,
  findWithAddress,
} from './client-queries.ts'
import type { ClientName } from './client.ts'
import {
  deleteOldClients,
  type ErasableBooking,
  eraseBookings,
  type ErasedClients,
  findNumbersOf,
  lockBookingsOf,
  lockOldBookings,
} from './erasure-queries.ts'
import { eraseBlockedClient } from './stranger-queries.ts'
import { eraseEntries } from './waitlist-data.ts'

/*
 * Erases clients but keeps their bookings. Names become "Erased". All other data about the client is
 * removed everywhere it was stored. Locks each booking as a change does, so that neither restores what the
 * other removed.
 */

/** Small batches, so that nothing waits long for the locks of one transaction. */
const batchSize = 50
/** Reached only if somebody keeps booking for the client meanwhile. */
const maxBatches = 10_000

/** The number of erased records. */
export interface Erased {
  business_id: string
  bookings: number
  events: number
  mails: number
  /** Stored responses for repeated requests. */
  kept_answers: number
  clients: number
  reminder_opt_outs: number
  /** Blocks, which stay in force. */
  blocks: number
  waitlist_entries: number
}

type OfBookings = Pick<Erased, 'bookings' | 'events' | 'mails' | 'kept_answers'>

/**
 * Erases a client at a business, or everybody with an address, also from upcoming bookings. Causes no event or email, and
 * cancels pending emails. A repetition finds nothing. Throws validation_failed or not_found (the business).
 */
export async function eraseClient(context: Context, actor: Actor, input: ClientName): Promise<Erased> {
  const digestOf = await context.secret.digester('client')
  const { files, target, ...first } = await context.db.transaction(async (tx) => {
    const { id: businessId, timezone } = await businessForCreation(tx.db, actor.scope, input.business_id)
    const email = 'email' in input ? input.email : undefined
    const ids =
      'email' in input
        ? await findWithAddress(tx.db, { businessId, email: input.email }, 'proven')
        : [input.client_id]
    const target = { businessId, ids, email }
    const rows = await findErased(tx.db, businessId, ids)
    const addresses = await ownAddresses(tx.db, { ...target, rows })
    const typed = await findNumbersOf(tx.db, { ...target, max: batchSize })
    const bookings = await lockBookingsOf(tx.db, { ...target, max: batchSize })
    const { files, ...erased } = await eraseIn(context, tx, { bookings, by: actor })
    await eraseClients(tx.db, businessId, ids)
    const made = rows.map(({ id, created_at }) => ({ id, at: created_at }))
    const answers = await rewriteResponses(tx, made, withoutCard)
    const emails = email === undefined ? [] : await storedForms(tx.db, { businessId }, email)
    await deleteUnproven(tx.db, { businessId, emails })
    const waitlist = await eraseEntries(context, tx, { businessId, ids, emails })
    const result = {
      ...{
        business_id: businessId,
        ...erased,
        kept_answers: erased.kept_answers + answers + waitlist.answers,
      },
      ...{ clients: rows.filter(({ merged_into }) => merged_into === null).length },
      ...{ reminder_opt_outs: 0, blocks: 0, waitlist_entries: waitlist.entries },
      ...{ locked: bookings, files: [...files, ...waitlist.files], target },
    }
    for (const address of addresses) {
      const counted = clientEmailOf(address)
      const key = { business_id: businessId, email: counted, digest: digestOf(counted) }
      result.blocks += await eraseBlockedClient(tx.db, key)
      result.kept_answers += await rewriteBlocks(tx, (body) =>
        body['business_id'] === businessId && clientEmailOf(String(body['email'])) === counted
          ? { ...body, email: '' }
          : undefined,
      )
      result.reminder_opt_outs += await forgetOptOut(tx, { business_id: businessId, email: counted })
      const emails = await storedForms(tx.db, { businessId }, address)
      const links = await deleteClientAccess(tx.db, { businessId, emails: [...emails, counted] })
      result.files.push(...links.map((id) => ({ id, kind: 'client_link' as const })))
    }
    const numbers = [...typed, ...rows.flatMap(({ phone }) => phone ?? [])]
    const phones = numbers.flatMap((one) => internationalNumber(one, timezone) ?? [])
    await deleteAccessOfNumbers(tx.db, { businessId, phones: [...new Set(phones)] })
    await recordAudit(context, tx, {
      ...{ by: actor, action: 'business.client_erased', subjectId: businessId, businessId },
    })
    return result
  })
  const { locked, ...erased } = first
  await afterErasing(context, locked, files)
  let result: Erased = erased
  for (let batch = 1, found = locked.length; found === batchSize && batch < maxBatches; batch += 1) {
    const more = await eraseMore(context, actor, target)
    result = { ...result, ...sum(result, more) }
    found = more.bookings
  }
  await forgetDeleted(context)
  return result
}

/** Returns the named address, and those of the clients that nobody else has. */
async function ownAddresses(
  db: Reads,
  { businessId, ids, email, rows }: ErasedClients & { rows: readonly ClientRow[] },
): Promise<string[]> {
  const theirs = new Set(rows.flatMap((row) => [row.address, ...(row.email === null ? [] : [row.email])]))
  const own = email === undefined ? [] : [email]
  for (const address of theirs) {
    const all = hasEmail(address) ? await findWithAddress(db, { businessId, email: address }) : ['']
    if (all.every((id) => ids.includes(id))) own.push(address)
  }
  return [...new Set(own)]
}

async function eraseMore(context: Context, actor: Actor, target: ErasedClients): Promise<OfBookings> {
  const { locked, files, ...erased } = await context.db.transaction(async (tx) => {
    const locked = await lockBookingsOf(tx.db, { ...target, max: batchSize })
    return { locked, ...(await eraseIn(context, tx, { bookings: locked, by: actor })) }
  })
  await afterErasing(context, locked, files)
  return erased
}

function sum(one: OfBookings, other: OfBookings): OfBookings {
  return {
    bookings: one.bookings + other.bookings,
    events: one.events + other.events,
    mails: one.mails + other.mails,
    kept_answers: one.kept_answers + other.kept_answers,
  }
}

/** Erases the clients of locked bookings from everything stored about them. */
async function eraseIn(
  context: Context,
  tx: Transaction,
  { bookings, by }: { bookings: readonly ErasableBooking[]; by: Actor | 'system' },
): Promise<OfBookings & { files: MailFile[] }> {
  if (bookings.length === 0) return { bookings: 0, events: 0, mails: 0, kept_answers: 0, files: [] }
  const holds = await eraseBookings(tx.db, { bookings, now: tx.now })
  tx.onCommit(() => context.checkouts.due.raise())
  const entries = bookings.map(({ id: subjectId, business_id: businessId }) => {
    return { by, action: 'booking.client_erased' as const, subjectId, businessId }
  })
  await recordAudits(context, tx, entries)
  const events = await eraseFromEvents(tx, bookings)
  const { mails, files } = await eraseFromMails(tx, bookings)
  const isOther = (hold: (typeof holds)[number]) =>
    !bookings.some(({ id, created_at }) => id === hold.id && created_at === hold.created_at)
  const made = [...bookings, ...holds.filter(isOther)].map(({ id, created_at }) => ({ id, at: created_at }))
  const kept_answers = await rewriteResponses(tx, made, withoutClient)
  return { bookings: bookings.length, events, mails, kept_answers, files }
}

/** Returns the response of a booking, or of its hold, without its client. */
function withoutClient({
  cancel_reason: _reason,
  text_consent: _consent,
  fee_consent: _fees,
  time_zone: _zone,
  metadata,
  ...booking
}: Record<string, unknown>): Record<string, unknown> | undefined {
  if (!('client' in booking)) return metadata === undefined ? undefined : booking // a hold
  const client = { first_name: erasedName, last_name: erasedName, email: '', phone: null }
  return { ...booking, client, notes: null, custom_field_values: [] }
}

/** Returns the response that added a client without its data. */
function withoutCard(client: Record<string, unknown>): Record<string, unknown> | undefined {
  if (!('booking_count' in client)) return undefined
  const names = { first_name: erasedName, last_name: erasedName, email: null, phone: null }
  return { ...client, ...names, notes: null, tags: [], metadata: {}, locale: null, time_zone: null }
}

/**
 * Performs the steps outside transactions: this server forgets the old links at once, others within five
 * seconds.
 */
async function afterErasing(
  context: Context,
  bookings: readonly ErasableBooking[],
  files: readonly MailFile[],
): Promise<void> {
  for (const { manage_digest } of bookings) context.cache.forget(`token:${manage_digest}`)
  await deleteMailFiles(context, files)
}

async function forgetDeleted({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  if (await db.forgetDeleted()) return
  log.warn(
    'what was erased is still in the write-ahead log: another program reads the database; erase again later',
  )
}

const dayMs = 86_400_000

/** Erases clients of bookings that ended before their business's retention period. */
export const oldClients: CleanupJob<Context> = {
  name: 'clients of old bookings',
  async deleteBatch(context, max) {
    const { locked, files } = await context.db.transaction(async (tx) => {
      const today = instantFromMs(Math.floor(toMs(tx.now) / dayMs) * dayMs)
      const locked = await lockOldBookings(tx.db, { today, max: Math.min(max, batchSize) })
      const { files } = await eraseIn(context, tx, { bookings: locked, by: 'system' })
      for (const businessId of new Set(locked.map(({ business_id }) => business_id))) {
        const action = 'business.old_clients_erased'
        await recordAudit(context, tx, { by: 'system', action, subjectId: businessId, businessId })
      }
      await deleteOldClients(tx.db, { today, max: batchSize })
      return { locked, files }
    })
    await afterErasing(context, locked, files)
    if (locked.length > 0) await forgetDeleted(context)
    return locked.length < Math.min(max, batchSize) ? locked.length : max // more may be left
  },
}
