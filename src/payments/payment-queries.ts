import { type Insertable, type Selectable, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { PaymentsTable } from '../database/tables.ts'
import { isSwept } from '../database/test-time.ts'

export type PaymentRow = Selectable<PaymentsTable>

/** Serialises concurrent checkouts of one hold. Returns the expiry of the hold. */
export async function lockHold(
  db: Queries,
  { businessId, holdId }: { businessId: string; holdId: string },
): Promise<Instant | undefined> {
  const hold = await db
    .selectFrom('claims')
    .select('expires_at')
    .where('business_id', '=', businessId)
    .where('id', '=', holdId)
    .forUpdate()
    .executeTakeFirst()
  return hold?.expires_at
}

export function findPaymentsOfHold(db: Reads, holdId: string): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('booking_id', '=', holdId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Returns the inserted row. */
export async function insertPayment(db: Queries, payment: Insertable<PaymentsTable>): Promise<PaymentRow> {
  return db.insertInto('payments').values(payment).returningAll().executeTakeFirstOrThrow()
}

export function findPayment(db: Reads, id: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds a payment by the processor's reference. `owner` is the business with an own account, or null. */
export function findPaymentByReference(
  db: Reads,
  {
    provider,
    reference,
    owner,
  }: { provider: PaymentsTable['provider']; reference: string; owner: string | null },
): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('payment_reference', '=', reference)
    .where('provider', '=', provider)
    .where('stripe_account_id', owner === null ? 'is' : 'is not', null)
    .$if(owner !== null, (found) => found.where('business_id', '=', owner ?? ''))
    .executeTakeFirst()
}

/** Finds a payment and locks it until the transaction ends. Lock its booking first. */
export function lockPayment(db: Queries, id: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Writes changed columns. Lock the payment first. */
export async function updatePayment(
  db: Queries,
  id: string,
  changes: Partial<Omit<PaymentRow, 'id'>>,
): Promise<void> {
  await db.updateTable('payments').set(changes).where('id', '=', id).execute()
}

/** Records the processor's ID of a reopened checkout. It is closed at once if nothing is due any more. */
export async function recordReference(
  db: Queries,
  {
    id,
    expires_at,
    reference,
    url,
    now,
  }: Pick<PaymentRow, 'id' | 'expires_at'> & { reference: string; url: string; now: Instant },
): Promise<void> {
  await db
    .updateTable('payments')
    .set(({ eb }) => ({
      checkout_reference: reference,
      checkout_url: url,
      next_check_at: eb
        .case()
        .when('status', 'in', ['expired', 'waived'])
        .then(now)
        .else(eb.ref('next_check_at'))
        .end(),
    }))
    .where('id', '=', id)
    .where('expires_at', '=', expires_at)
    .where('checkout_reference', 'is', null)
    .execute()
}

/** Checks for the booking without waiting for its lock. */
export async function isBooked(
  db: Reads,
  { business_id, booking_id }: Pick<PaymentsTable, 'business_id' | 'booking_id'>,
): Promise<boolean> {
  const booking = await db
    .selectFrom('bookings')
    .select('id')
    .where('business_id', '=', business_id)
    .where('id', '=', booking_id)
    .executeTakeFirst()
  return booking !== undefined
}

/** Returns the expiry of an active hold, or undefined if it can no longer be converted. */
export async function holdActiveUntil(
  db: Reads,
  { business_id, booking_id }: Pick<PaymentsTable, 'business_id' | 'booking_id'>,
  now: Instant,
): Promise<Instant | undefined> {
  const hold = await db
    .selectFrom('claims')
    .select('expires_at')
    .where('business_id', '=', business_id)
    .where('id', '=', booking_id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return hold?.expires_at
}

/** Test businesses use the sandbox, whatever the processor of the server. */
const ofTestBusiness = sql<boolean>`(provider = 'sandbox' and exists (
  select 1 from businesses as tested where tested.id = business_id and tested.is_test = 1))`

/** Leases up to `max` payments that are due for a check. */
export function claimPayments(
  db: Queries,
  { provider, now, leaseEnd, max }: Claiming,
): Promise<PaymentRow[]> {
  return db
    .updateTable('payments')
    .set(({ eb }) => ({ next_check_at: leaseEnd, checks: eb('checks', '+', 1) }))
    .where('id', 'in', (due) =>
      due
        .selectFrom('payments')
        .select('id')
        .where('next_check_at', '<=', now)
        .where(isSwept('business_id'))
        .where(({ eb, or }) =>
          or([
            eb(sql<string>`provider`, '=', provider ?? ''),
            eb('stripe_account_id', 'is not', null),
            ofTestBusiness,
          ]),
        )
        .orderBy('next_check_at')
        .limit(max)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

interface Claiming {
  /** The server's processor. Payments of businesses' own accounts are due on every server. */
  provider: PaymentsTable['provider'] | undefined
  now: Instant
  leaseEnd: Instant
  max: number
}

/** Postpones the next check, unless another change has set it since the lease. */
export async function postponeCheck(
  db: Queries,
  { id, next_check_at }: Pick<PaymentRow, 'id' | 'next_check_at'>,
  until: Instant,
): Promise<void> {
  await db
    .updateTable('payments')
    .set({ next_check_at: until })
    .where('id', '=', id)
    .where('next_check_at', '=', next_check_at)
    .execute()
}

/** Limits page checks of a payment. Returns true, and records the check, if the last one is before an instant. */
export async function recordPageCheck(
  db: Queries,
  { id, since, now }: { id: string; since: Instant; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set({ last_page_check_at: now })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('last_page_check_at', 'is', null), eb('last_page_check_at', '<=', since)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Records the page of a checkout, or that it is no longer open. */
export async function recordCheckoutUrl(
  db: Queries,
  { id, checkout_reference }: Pick<PaymentRow, 'id' | 'checkout_reference'>,
  url: string | null,
): Promise<void> {
  await db
    .updateTable('payments')
    .set({ checkout_url: url })
    .where('id', '=', id)
    .where('checkout_reference', checkout_reference === null ? 'is' : '=', checkout_reference)
    .execute()
}

/** Finds the next unfinished payments after an ID. */
export function findUnsettled(
  db: Reads,
  { provider, after, max }: { provider: PaymentsTable['provider'] | undefined; after: string; max: number },
): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where(({ eb, or }) =>
      or([eb(sql<string>`provider`, '=', provider ?? ''), eb('stripe_account_id', 'is not', null)]),
    )
    .where('id', '>', after)
    .where('next_check_at', 'is not', null)
    .orderBy('id')
    .limit(max)
    .execute()
}

/** Records an event in the transaction of its effect. Returns false if it was applied before. */
export async function insertProcessorEvent(
  db: Queries,
  event: { provider: string; event_id: string; applied_at: Instant },
): Promise<boolean> {
  const noted = await db
    .insertInto('processor_events')
    .values(event)
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst()
  return noted !== undefined
}

/** Deletes up to `max` events older than an instant and returns their number. */
export async function deleteOldEvents(db: Queries, before: Instant, max: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('processor_events')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('provider', 'event_id'),
        'in',
        selectFrom('processor_events')
          .select(['provider', 'event_id'])
          .where('applied_at', '<', before)
          .limit(max)
          .$asTuple('provider', 'event_id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes up to `max` unpaid checkouts without a booking in a time span and returns their number. */
export async function deleteUnusedPayments(
  db: Queries,
  { from, before }: { from: Instant; before: Instant },
  max: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('payments')
    .where('id', 'in', (unused) =>
      unused
        .selectFrom('payments as p')
        .select('p.id')
        .where('p.created_at', '>=', from)
        .where('p.created_at', '<', before)
        .where('p.status', '=', 'expired')
        .where('p.paid_at', 'is', null)
        .where('p.next_check_at', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('bookings as b').select('b.id').whereRef('b.payment_id', '=', 'p.id'))),
        )
        .limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** True if an active service requires a payment that this server's processor has to take. */
export async function anyDeposit(db: Reads): Promise<boolean> {
  const service = await db
    .selectFrom('services as s')
    .select('s.id')
    .where(({ eb, or }) => or([eb('s.deposit_amount', 'is not', null), eb('s.payment', 'is not', null)]))
    .where('s.deactivated_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('own_stripe_accounts as o')
            .select('o.id')
            .whereRef('o.business_id', '=', 's.business_id')
            .where('o.ended_at', 'is', null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return service !== undefined
}

/** Inserts a charge, unless its booking has one of the same occasion. Returns undefined then. */
export function insertCharge(
  db: Queries,
  charge: Insertable<PaymentsTable>,
): Promise<PaymentRow | undefined> {
  return db
    .insertInto('payments')
    .values(charge)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Finds the charges of a booking that the transaction has locked, the earliest first. */
export function findCharges(
  db: Reads,
  { id, business_id: businessId }: { id: string; business_id: string },
): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('booking_id', '=', id)
    .where('business_id', '=', businessId)
    .where('kind', '=', 'fee')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Finds the payments of a booking whose checkouts saved a card, the latest first. */
export function findSavedCards(
  db: Reads,
  { id, business_id }: { id: string; business_id: string },
): Promise<PaymentRow[]> {
  return selectCards(db, { booking_id: id, business_id }).execute()
}

function selectCards(db: Reads, { booking_id, business_id }: Pick<PaymentRow, 'booking_id' | 'business_id'>) {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('booking_id', '=', booking_id)
    .where('business_id', '=', business_id)
    .where('saves_card', '=', 1)
    .where('paid_at', 'is not', null)
    .orderBy('paid_at', 'desc')
    .orderBy('id', 'desc')
}

/** Finds the latest of them whose card may be charged. A charge that has begun keeps it until it is removed. */
export function findSavedCard(
  db: Reads,
  booking: Pick<PaymentRow, 'booking_id' | 'business_id'>,
  { hasBegun = false } = {},
): Promise<PaymentRow | undefined> {
  return selectCards(db, booking)
    .where(hasBegun ? 'card_removed_at' : 'card_removal_requested_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
}

/** True if a charge of the booking of a payment may still need its saved card. */
export async function hasOpenCharges(
  db: Reads,
  { booking_id, business_id }: Pick<PaymentRow, 'booking_id' | 'business_id'>,
): Promise<boolean> {
  const open = await db
    .selectFrom('payments')
    .select('id')
    .where('booking_id', '=', booking_id)
    .where('business_id', '=', business_id)
    .where('kind', '=', 'fee')
    .where('status', 'in', ['charging', 'waived'])
    .where('next_check_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}
