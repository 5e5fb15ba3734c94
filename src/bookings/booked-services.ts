import { agreedFeesText } from '../catalogue/booking-fee-rules.ts'
import type { Money } from '../catalogue/catalogue-types.ts'
import type { StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import { findOfferingAsOf, findStaffOf, type Offering } from '../catalogue/offering.ts'
import { moveUntilOf } from '../catalogue/request-rules.ts'
import { prepaymentFor, priceFor } from '../catalogue/service-rules.ts'
import type { Transaction } from '../database/database.ts'
import { type Discount, discountOf } from '../database/discount-rules.ts'
import { type BookingRow, shownOf } from '../database/shown-booking.ts'
import { itemsText, type ShownItem } from '../database/shown-item-rules.ts'
import type { BookingsTable, VisitItemsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import type { ConvertibleHold } from './conversion-queries.ts'
import { strictestFields, termsFields } from './custom-field-rules.ts'
import { findVisitItems } from './visit-queries.ts'

/* The services that a hold books, as they are at its conversion: their questions, prices and names. */

/** The services of a hold. */
export interface Booked {
  /** In order, with the number of people of each. */
  services: [BookedService, ...BookedService[]]
  /** Undefined if it takes one claim, for one service. */
  items: VisitItemsTable[] | undefined
}

interface BookedService extends Offering {
  people: number
  /** The agreed price for one person. */
  price: Money | null
}

/** Returns the services at the moment of the conversion. Changes since the hold apply. */
export async function bookedServices(
  context: Context,
  tx: Transaction,
  hold: ConvertibleHold,
): Promise<Booked> {
  if (hold.claim_count === 1) {
    const offering = await offeringOf(context, tx, hold)
    const price = priceFor(offering.service, hold.staff_id)
    return { services: [{ ...offering, people: hold.party_size, price }], items: undefined }
  }
  const items = await findVisitItems(tx.reads, hold)
  const services: BookedService[] = []
  for (const { service_id, party_size: people, ...item } of items) {
    services.push({
      ...(await offeringOf(context, tx, { ...hold, service_id })),
      ...{ people, price: agreedOf(item) },
    })
  }
  const [first, ...others] = services
  if (!first) throw new Error('the items of a hold are missing') // written with it
  return { services: [first, ...others], items }
}

function agreedOf({
  agreed_amount: amount,
  agreed_currency: currency,
}: Pick<VisitItemsTable, 'agreed_amount' | 'agreed_currency'>): Money | null {
  return amount === null || currency === null ? null : { amount, currency }
}

/** The questions of a booking's services, and the amount to pay in advance. */
export type Terms = ReturnType<typeof termsOf>

export function termsOf(
  { services }: Booked,
  { business_id: id, business_terms: ofBusiness }: ConvertibleHold,
  isOfSession: boolean,
) {
  const fields = [
    ...services.flatMap(({ service }) => service.custom_fields),
    ...termsFields({ id, terms: ofBusiness }, isOfSession),
  ]
  return {
    client_fields: strictestFields(services.map(({ service }) => service.client_fields)),
    custom_fields: fields.filter(({ id }, index) => fields.findIndex((other) => other.id === id) === index),
    deposit: prepaymentFor(services),
    fees: agreedFeesText(services.map(({ service }) => service)),
    serviceName: services.map(({ service }) => service.name).join(' + '),
  }
}

/** Returns the services with what all their people pay. */
export function pricesOf({ services }: Booked) {
  return services.map(({ service, people, price }) => ({
    serviceId: service.id,
    price: price && { ...price, amount: price.amount * people },
  }))
}

/** Returns a payment of at most the price that remains; undefined if nothing remains. */
export function withinPrice(
  asked: NonNullable<Terms['deposit']>,
  booked: Booked,
  discount: Discount,
): Terms['deposit'] {
  const services = pricesOf(booked)
  const full = services.reduce((sum, { price }) => sum + (price?.amount ?? 0), 0)
  const left = full - discountOf(discount, services)
  const amount = Math.min(asked.amount, left)
  if (asked.kind === 'card') return asked
  return amount > 0 ? { ...asked, amount, kind: amount === left ? 'full' : asked.kind } : undefined
}

async function offeringOf(
  context: Context,
  tx: Transaction,
  hold: Pick<ConvertibleHold, 'business_id' | 'service_id' | 'location_id' | 'catalogue_version'>,
): Promise<Offering> {
  const { business_id: businessId, service_id: serviceId, location_id: locationId } = hold
  const ids = { businessId, serviceId, locationId, version: hold.catalogue_version }
  const { service, location, ...rest } = await findOfferingAsOf(context, tx, ids)
  if (!service || !location) throw new Error('the service or location of a hold is missing') // services and locations are never deleted
  return { service, location, ...rest }
}

/** Returns a new booking with the names that it shows. */
export async function withNames(
  tx: Transaction,
  booking: BookingsTable,
  { services, items }: Booked,
): Promise<BookingRow> {
  const { staff_id: staffId, business_id: businessId } = booking
  const [{ service, location, staff: eligible }] = services
  const named = async (staff: StaffMember[], id: string | null) =>
    // the staff member may have left the service since the hold
    staff.find((one) => one.id === id) ?? (id && (await findStaffOf(tx.reads, businessId, id)))
  const member = await named(eligible, staffId)
  const shownItems: ShownItem[] = []
  for (const [index, item] of (items ?? []).entries()) {
    const part = services[index]
    if (!part) continue
    const person = await named(part.staff, item.staff_id)
    const resourceIds = JSON.parse(item.resource_ids_json) as string[] // written by insertVisitItems
    shownItems.push({
      ...{ id: item.id, starts_at: item.starts_at, ends_at: item.ends_at, party_size: item.party_size },
      service: { ...part.service, reschedule_until_minutes: moveUntilOf(part.service) },
      staff: person ? { id: person.id, name: person.name } : null,
      price: part.price,
      resources: part.resources
        .filter(({ id }) => resourceIds.includes(id))
        .map(({ id, name }) => ({ id, name })),
    })
  }
  return {
    ...booking,
    ...shownOf('service', service),
    reschedule_until_minutes: moveUntilOf(service),
    price_amount: booking.agreed_amount,
    price_currency: booking.agreed_currency || null,
    ...shownOf('location', location),
    ...shownOf('staff', member || undefined),
    ...shownOf('payment', undefined),
    items_json: items ? itemsText(shownItems) : null,
  }
}
