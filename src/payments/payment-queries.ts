import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../database/database.ts'
import type { PaymentsTable } from '../database/payment-tables.ts'
import type { Instant } from '../instants.ts'

/** A payment as it lies in the table. */
export type PaymentRow = Selectable<PaymentsTable>

/** Makes those who open checkouts for one hold at the same time wait for each other. When the hold lapses. */
export async function lockHold(
  db: Queries,
  { businessId, holdId }: { businessId: string; holdId: string },
): Promise<Instant | undefined> {
  const hold = await db
    .selectFrom('holds')
    .select('expires_at')
    .where('business_id', '=', businessId)
    .where('id', '=', holdId)
    .forUpdate()
    .executeTakeFirst()
  return hold?.expires_at
}

/** The checkouts of a hold, the oldest first. */
export function findPaymentsOfHold(db: Queries, holdId: string): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('booking_id', '=', holdId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Writes a payment. Gives it as it lies in the table. */
export async function insertPayment(db: Queries, payment: Insertable<PaymentsTable>): Promise<PaymentRow> {
  return db.insertInto('payments').values(payment).returningAll().executeTakeFirstOrThrow()
}

/** A payment by its id. */
export function findPayment(db: Queries, id: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A payment by what the processor calls it. */
export function findPaymentByReference(
  db: Queries,
  { provider, reference }: { provider: PaymentsTable['provider']; reference: string },
): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('payment_reference', '=', reference)
    .where('provider', '=', provider)
    .executeTakeFirst()
}

/** Finds a payment and keeps others from changing it until the transaction ends. Its booking is to be locked before. */
export function lockPayment(db: Queries, id: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Writes changed columns of a payment, which is to be locked. */
export async function updatePayment(
  db: Queries,
  id: string,
  changes: Partial<Omit<PaymentRow, 'id'>>,
): Promise<void> {
  await db.updateTable('payments').set(changes).where('id', '=', id).execute()
}

/** Whether there is a booking of this id, whoever is about to change it. */
export async function isBooked(
  db: Queries,
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

/** Until when a hold can become a booking; undefined when it cannot any more. */
export async function holdActiveUntil(
  db: Queries,
  { business_id, booking_id }: Pick<PaymentsTable, 'business_id' | 'booking_id'>,
  now: Instant,
): Promise<Instant | undefined> {
  const hold = await db
    .selectFrom('holds')
    .select('expires_at')
    .where('business_id', '=', business_id)
    .where('id', '=', booking_id)
    .where('released_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return hold?.expires_at
}

/** Takes up to `most` payments that are to be looked at; until the end of the lease nobody else takes them. */
export function claimPayments(
  db: Queries,
  { provider, now, leaseEnd, most }: Claiming,
): Promise<PaymentRow[]> {
  return db
    .updateTable('payments')
    .set(({ eb }) => ({ next_look_at: leaseEnd, looks: eb('looks', '+', 1) }))
    .where('id', 'in', (due) =>
      due
        .selectFrom('payments')
        .select('id')
        .where('next_look_at', '<=', now)
        .where('provider', '=', provider)
        .orderBy('next_look_at')
        .limit(most)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

interface Claiming {
  provider: PaymentsTable['provider']
  now: Instant
  leaseEnd: Instant
  most: number
}

/** Puts the next look off, unless somebody has decided about it since the payment was claimed. */
export async function postponeLook(
  db: Queries,
  { id, next_look_at }: Pick<PaymentRow, 'id' | 'next_look_at'>,
  until: Instant,
): Promise<void> {
  await db
    .updateTable('payments')
    .set({ next_look_at: until })
    .where('id', '=', id)
    .where('next_look_at', '=', next_look_at)
    .execute()
}

/** Whether nobody has had the processor asked for the page of this payment since an instant; notes that now. */
export async function noteLook(
  db: Queries,
  { id, since, now }: { id: string; since: Instant; now: Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set({ looked_at: now })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('looked_at', 'is', null), eb('looked_at', '<=', since)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The next payments after an id of which something may be left to do. */
export function findUnsettled(
  db: Queries,
  { provider, after, most }: { provider: PaymentsTable['provider']; after: string; most: number },
): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', '>', after)
    .where(({ eb, or }) => or([eb('status', '=', 'due'), eb('next_look_at', 'is not', null)]))
    .orderBy('id')
    .limit(most)
    .execute()
}

/** Notes that an event is applied, in the transaction of its effect. False when it was applied before. */
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

/** Deletes up to `most` notes of events from before an instant. Tells how many. */
export async function deleteOldEvents(db: Queries, before: Instant, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('processor_events')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('provider', 'event_id'),
        'in',
        selectFrom('processor_events')
          .select(['provider', 'event_id'])
          .where('applied_at', '<', before)
          .limit(most)
          .$asTuple('provider', 'event_id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes up to `most` checkouts of a time that nobody paid and that no booking is of. Tells how many. */
export async function deleteUnusedPayments(
  db: Queries,
  { from, before }: { from: Instant; before: Instant },
  most: number,
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
        .where('p.next_look_at', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('bookings as b').select('b.id').whereRef('b.payment_id', '=', 'p.id'))),
        )
        .limit(most),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Whether a service that can be booked asks for a deposit. */
export async function anyDeposit(db: Queries): Promise<boolean> {
  const service = await db
    .selectFrom('services')
    .select('id')
    .where('deposit_amount', 'is not', null)
    .where('deactivated_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return service !== undefined
}
