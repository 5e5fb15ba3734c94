import type { TestService } from './test-service.ts'

/** Gives a booking a deposit of 25 euros that was paid in the sandbox. */
export async function payInSandbox({ context }: TestService, bookingId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const id = context.ids.next()
    const { business_id } = await tx.db
      .selectFrom('bookings')
      .select('business_id')
      .where('id', '=', bookingId)
      .executeTakeFirstOrThrow()
    await tx.db
      .insertInto('payments')
      .values({
        ...{ id, business_id, booking_id: bookingId, provider: 'sandbox', kind: 'deposit', status: 'paid' },
        ...{ amount: 2_500, currency: 'EUR', order_digest: 'of a test', checkout_reference: null },
        ...{ payment_reference: `sandbox:${id}`, stripe_account_id: null, closed_because: null },
        ...{ expires_at: tx.now, next_check_at: null, last_page_check_at: null, created_at: tx.now },
        ...{ paid_at: tx.now, refund_requested_at: null, refunded_at: null },
        ...{ refund_total: 0, refunded_amount: 0, saves_card: 0 },
      })
      .execute()
    await tx.db
      .insertInto('sandbox_checkouts')
      .values({
        ...{ reference: context.ids.secret(32), payment_id: id, service_name: 'Massage', status: 'paid' },
        ...{ refunded_at: null, created_at: tx.now, card: null },
      })
      .execute()
    await tx.db.updateTable('bookings').set({ payment_id: id }).where('id', '=', bookingId).execute()
  })
}

/** Gives a booking a saved card, and marks it as done. */
export async function saveInSandbox(service: TestService, bookingId: string): Promise<void> {
  await payInSandbox(service, bookingId)
  await service.context.db.transaction(async (tx) => {
    await tx.db.updateTable('payments').set({ saves_card: 1 }).where('booking_id', '=', bookingId).execute()
    await tx.db.updateTable('bookings').set({ status: 'completed' }).where('id', '=', bookingId).execute()
  })
}

/** Gives a booking a due fee of 9 euros, which has the ID of the booking. */
export async function oweFee({ context }: TestService, bookingId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const { business_id } = await tx.db
      .selectFrom('bookings')
      .select('business_id')
      .where('id', '=', bookingId)
      .executeTakeFirstOrThrow()
    await tx.db
      .insertInto('payments')
      .values({
        ...{
          id: bookingId,
          business_id,
          booking_id: bookingId,
          provider: 'sandbox',
          kind: 'fee',
          status: 'due',
        },
        ...{ amount: 900, currency: 'EUR', order_digest: '', checkout_reference: null },
        ...{ payment_reference: null, stripe_account_id: null, closed_because: null },
        ...{ expires_at: tx.now, next_check_at: null, last_page_check_at: null, created_at: tx.now },
        ...{
          paid_at: null,
          refund_requested_at: null,
          refunded_at: null,
          refund_total: 0,
          refunded_amount: 0,
        },
        ...{ saves_card: 0, reason: 'Late', occasion: 'reason/late' },
      })
      .execute()
    await tx.db.updateTable('bookings').set({ fee_rules_json: '[]' }).where('id', '=', bookingId).execute()
  })
}
