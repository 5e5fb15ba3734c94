import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { clientEmailOf, shownEmail } from '../base/contact-formats.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import { mostPerPage } from '../base/paging.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { mailsOfBookings } from '../mails/mail.ts'
import { optedOutAt } from '../mails/opt-out.ts'
import type { BookingEventType } from '../webhooks/event-payload.ts'
import type { EventBody } from '../webhooks/event-schemas.ts'
import { eventsOfBookings } from '../webhooks/event.ts'
import { presentBooking } from './presented-booking.ts'
import { listBookings } from './booking.ts'
import { type ClientName, listClients, presentClient, showClient } from './client.ts'
import type { Context } from './context.ts'
import { findPaymentsOf, type PaymentRow } from './erasure-queries.ts'
import { findBlockedClient } from './stranger-queries.ts'
import { digestClient } from './strangers.ts'
import { listEntries, presentEntry } from './waitlist.ts'

/**
 * Returns all data about a client at a business, one page of bookings at a time, newest first. Throws
 * validation_failed or not_found (the business).
 */
export async function exportClient(context: Context, actor: Actor, input: ClientName & { cursor?: string }) {
  const business = await context.db.transaction(async (tx) => {
    const found = await businessForCreation(tx.db, actor.scope, input.business_id)
    const { id: businessId } = found
    const change = { action: 'business.client_exported', subjectId: businessId, businessId } as const
    if (input.cursor === undefined) await recordAudit(context, tx, { by: actor, ...change })
    return found
  })
  const { id: business_id, timezone } = business
  const { reads } = context.db
  const clients =
    'email' in input
      ? (
          await listClients(context, actor, {
            business_id,
            email: input.email,
            proven: 'proven',
            limit: mostPerPage,
          })
        ).data
      : [await showClient(context, actor, input.client_id)]
  const address = 'email' in input ? input.email : (clients[0]?.client.email ?? '')
  const email = clientEmailOf(address)
  const digest = await digestClient(context, email)
  const { data: rows, next_cursor } = await listBookings(context, actor, {
    business_id,
    ...('email' in input ? { email: input.email } : { client_id: input.client_id }),
    limit: mostPerPage,
    cursor: input.cursor,
  })
  const events = await eventsOfBookings(reads, rows)
  const mails = await mailsOfBookings(reads, rows)
  const payments = Map.groupBy(
    await findPaymentsOf(
      reads,
      rows.map(({ id }) => id),
    ),
    ({ booking_id }) => booking_id,
  )
  const time = (instant: Instant | null | undefined) => (instant ? formatInstant(instant, timezone) : null)
  return {
    email: shownEmail(address),
    business_id,
    clients: clients.map(presentClient),
    blocked_at: time(await findBlockedClient(reads, { business_id, email, digest })),
    reminders_ended_at: time(await optedOutAt(reads, { business_id, email })),
    bookings: rows.map((booking) => ({
      booking: presentBooking(booking, actor),
      locale: booking.locale,
      time_zone: booking.time_zone,
      events: (events.get(booking.id) ?? []).map(({ id, type, occurred_at, payload }) => ({
        ...{ id, type: type as BookingEventType, occurred_at: formatInstant(occurred_at, timezone) },
        payload: JSON.parse(payload) as Static<typeof EventBody>, // only eventPayload() writes it
      })),
      mails: (mails.get(booking.id) ?? []).map((mail) => presentMail(mail, timezone)),
      payments: (payments.get(booking.id) ?? []).map((payment) => presentPayment(payment, booking)),
    })),
    waitlist: input.cursor === undefined ? await entriesOf(context, actor, { business_id, input }) : [],
    next_cursor,
  }
}

/** Returns the entries of a client on the waiting list. */
async function entriesOf(
  context: Context,
  actor: Actor,
  { business_id, input }: { business_id: string; input: ClientName },
) {
  const client = 'email' in input ? { email: input.email } : { client_id: input.client_id }
  const { data } = await listEntries(context, actor, { business_id, ...client, limit: mostPerPage })
  return data.map((entry) => presentEntry(entry, actor))
}

/** Returns all pages of `exportClient`. */
export async function exportWholeClient(context: Context, actor: Actor, client: ClientName) {
  const { next_cursor, ...whole } = await exportClient(context, actor, client)
  for (let cursor = next_cursor; cursor !== null;) {
    const page = await exportClient(context, actor, { ...client, cursor })
    whole.bookings.push(...page.bookings)
    cursor = page.next_cursor
  }
  return whole
}

type WrittenMail = NonNullable<ReturnType<Awaited<ReturnType<typeof mailsOfBookings>>['get']>>[number]

function presentMail(
  { kind, to_email, to_phone, status, created_at, sent_at }: WrittenMail,
  timezone: string,
) {
  return {
    ...{ kind, to: to_phone ?? to_email, status },
    created_at: formatInstant(created_at, timezone),
    sent_at: sent_at && formatInstant(sent_at, timezone),
  }
}

function presentPayment(payment: PaymentRow, { timezone }: BookingRow) {
  const { provider, amount, currency, status, checkout_reference, payment_reference, created_at } = payment
  return {
    ...{ provider, amount, currency, status, checkout_reference, payment_reference },
    created_at: formatInstant(created_at, timezone),
  }
}
