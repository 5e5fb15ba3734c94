import { createHash, type Hash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { isUuid } from '../base/ids.ts'
import type { WidgetActor } from '../access/actor.ts'
import { Session } from '../access/session-schemas.ts'
import { brandedBusinessOf } from '../access/key.ts'
import { type OfferQuery, Slot } from '../availability/availability-schemas.ts'
import { findSoonest, showFirstDays } from '../availability/availability.ts'
import { dateOf, dayOf } from '../availability/hours-rules.ts'
import { askedItemsErrors, itemsQuery, readAskedItems } from '../availability/visit-query-rules.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { exampleIds, exampleTimes } from '../base/examples.ts'
import { Slices } from '../base/slices.ts'
import { mailRouteOf } from '../mails/mail-route.ts'
import { sendsOffers } from '../mails/waitlist-outbox.ts'
import { hasCoupons } from '../bookings/coupon.ts'
import type { Context } from '../bookings/context.ts'
import { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import { businessFields, legalFields } from '../catalogue/business-schemas.ts'
import { shownMembers } from '../catalogue/field-schemas.ts'
import { Service } from '../catalogue/service-schemas.ts'
import { locationKind, serviceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { slugOf } from '../catalogue/slug-rules.ts'
import { findWholeCatalogue } from '../catalogue/offering.ts'
import { type Tagged, tagOf } from '../http/conditional.ts'
import { Nullable, Ruled, ShownId, StrictObject } from '../base/wire.ts'

/* Initial data of a booking page: the catalogue as a session sees it, and the first times. */

/** The service, staff member and location that the page shows. */
const startParameters = {
  service: Type.Optional(
    Type.String({ maxLength: 60, description: 'An id or slug; absent: the only service, if there is one.' }),
  ),
  staff: Type.Optional(Type.String({ maxLength: 60, description: 'An id or slug; absent: anyone.' })),
  location: Type.Optional(
    Type.String({
      maxLength: 60,
      description:
        'An id, or its name as a slug (`mitte` of "Mitte"); absent: the only location of the service.',
    }),
  ),
  party_size: Type.Optional(
    Type.Unsafe<number>({
      ...Type.String(),
      format: 'party-size',
      maxLength: 3,
      description: 'If absent: 1.',
      examples: ['2'],
    }),
  ),
  items: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'Services of a visit in place of `service`, `staff` and `party_size`, as in `GET /availability`, by id or slug: `cut:anna,~colour*2`.',
      examples: ['cut:anna,colour'],
    }),
  ),
}

export const StartQuery = Ruled(StrictObject(startParameters), (query: Partial<Record<string, unknown>>) =>
  'items' in query
    ? ['service', 'staff', 'party_size']
        .filter((name) => name in query)
        .map((name) => ({
          pointer: `/${name}`,
          code: 'not_allowed',
          detail: 'must be left out, as items says it',
        }))
    : [],
)

/** The response. Parts that a session also gets are described with its routes. */
export const BookingStart = Type.Object(
  {
    show_branding: Session.properties.show_branding,
    sends_mail: Type.Optional(
      Type.Literal(true, { description: 'This server sends mails, such as a confirmation to the client.' }),
    ),
    business: Type.Object({
      ...Session.properties.business.properties,
      phone: Nullable(Type.String(), { description: 'That clients may call.' }),
      reply_to_email: Nullable(Type.String(), { description: 'Where clients write to.' }),
      ...shownMembers({ cover_url: businessFields.cover_url, ...legalFields }),
      sends_texts: Type.Optional(
        Type.Literal(true, {
          description: 'Clients who agree to it (`text_consent`) get text messages about their bookings.',
        }),
      ),
      sends_offers: Type.Optional(
        Type.Literal(true, {
          description: 'The waiting list is open: clients get its offers by email or text message.',
        }),
      ),
      takes_coupons: Type.Optional(
        Type.Literal(true, {
          description: 'A booking can have a `coupon`. Absent if the business has none.',
        }),
      ),
    }),
    services: Type.Array(Service, { description: 'Active ones in their order, at most 1,000.' }),
    locations: Type.Array(Location, { description: 'Active ones by name, at most 1,000.' }),
    staff: Type.Array(StaffMember, { description: 'Active ones in their order, at most 1,000.' }),
    first: Nullable(
      Type.Object({
        service_id: ShownId,
        location_id: ShownId,
        staff_id: Nullable(ShownId, { description: 'Null: anyone.' }),
        party_size: Type.Integer(),
        items: Type.Optional(
          Type.String({
            description: 'The services of a visit, with ids; `service_id` is the first. Only if asked for.',
          }),
        ),
        soonest: Nullable(Slot, { description: 'The next free slot within 366 days.' }),
        slots: Type.Array(Slot, { description: 'All that are free on the date of the soonest one.' }),
        next: Type.Array(Slot, {
          description:
            'At most four to offer first: of the next free dates within two weeks the first slot each; of fewer dates, more of each.',
        }),
        dates: Type.Array(Type.String({ format: 'date' }), {
          description:
            'Dates with free slots, of the month of the soonest one, and near its end of five weeks; local to the location.',
        }),
      }),
      {
        description:
          'The first times of the service that the page shows; null as long as the service or the location is to be chosen.',
      },
    ),
  },
  {
    title: 'BookingStart',
    description: 'What a booking page begins with.',
    examples: [
      {
        show_branding: false,
        business: {
          id: exampleIds.business,
          name: 'Salon Spree',
          timezone: 'Europe/Berlin',
          brand_name: 'Salon Spree',
          brand_color: '#1f6f5c',
          brand_logo_url: 'https://example.com/salon-spree.png',
          phone: '+49 30 1234',
          reply_to_email: 'hello@salon-spree.example',
          cover_url: null,
          imprint_url: 'https://example.com/imprint',
          privacy_url: 'https://example.com/privacy',
          terms: null,
          terms_language: null,
        },
        services: [],
        locations: [],
        staff: [],
        first: {
          service_id: exampleIds.service,
          location_id: exampleIds.location,
          staff_id: null,
          party_size: 1,
          soonest: {
            starts_at: exampleTimes.startsAt,
            ends_at: exampleTimes.endsAt,
            staff_ids: [exampleIds.staff],
            seats_left: 1,
          },
          slots: [],
          next: [],
          dates: [exampleTimes.startsAt.slice(0, 10)],
        },
      },
    ],
  },
)

/** The names of an item in links. */
export interface Linked {
  id: string
  slug?: string | null
}

/** The catalogue that a publishable key can book, and the same as JSON for a session. */
export interface Offered {
  services: (Linked & { name: string; description: string | null; image_url: string | null } & {
    location_ids: string[]
    staff_ids: string[]
  })[]
  locations: (Linked & Location)[]
  staff: (Linked & { name: string; image_url: string | null })[]
  /**
   * The whole response if nothing is chosen. All responses share one buffer, because it can have many
   * megabytes.
   */
  body: Buffer
  /** Number of bytes that are the same in every response. */
  sharedBytes: number
  /** Digest of those bytes. */
  digest: Hash
  /** The last response with times, because many visitors request the same one. */
  last?: { first: string; body: Buffer }
}

/** Returns the catalogue that a publishable key can book, cached for at most five seconds. */
export async function findOffered(context: Context, key: WidgetActor): Promise<Offered> {
  const found = await context.cache.getTogether(offeredKey(key), () => readOffered(context, key))
  if (!found) throw new Error('a credential has no business') // businesses are never deleted
  return found
}

const offeredKey = ({ scope, plan }: WidgetActor) => `offered:${scope.businessId}:${plan}`

async function readOffered(context: Context, key: WidgetActor): Promise<Offered | undefined> {
  const { showBranding: show_branding, business } = await brandedBusinessOf(context, key)
  const whole = await findWholeCatalogue(context.db.reads, business.id)
  if (!whole) return undefined
  const active = <Item extends { active: boolean }>(items: Item[]) => items.filter((item) => item.active)
  const [services, places, staff] = [active(whole.services), active(whole.locations), active(whole.staff)]
  const visitor = visitorOf(key)
  const { locale: _, text_kinds_json, ...shown } = business
  const sendsTexts = context.config.smsUrl !== '' && text_kinds_json !== '[]'
  const route = await mailRouteOf(context, context.db.reads, business.id)
  const slices = new Slices() // without a client, because others may share the result
  const json = await slices.json({
    show_branding,
    ...(route === 'smtp' && { sends_mail: true }),
    business: {
      ...shown,
      ...(sendsTexts && { sends_texts: true }),
      ...((await sendsOffers(context, context.db.reads, business.id)) && { sends_offers: true }),
      ...((await hasCoupons(context, business.id)) && { takes_coupons: true }),
    },
    services: await slices.map(services, (one) => serviceKind.present(one, visitor)),
    locations: await slices.map(places, (one) => locationKind.present(one, visitor)),
    staff: await slices.map(staff, (one) => staffKind.present(one, visitor)),
  })
  const shared = json.slice(0, -1)
  const body = Buffer.from(shared + firstMember('null'))
  const sharedBytes = body.length - firstMember('null').length
  const digest = createHash('sha256').update(body.subarray(0, sharedBytes))
  const locations = places.map((place) => ({ ...place, slug: slugOf(place.name) }))
  return { services, locations, staff, body, sharedBytes, digest }
}

/** The end of the response. */
const firstMember = (first: string) => `,"first":${first}}`

/** Returns an actor with the view of a new session of the key. */
function visitorOf(key: WidgetActor): WidgetActor {
  return { ...key, type: 'session' }
}

/** Finds the item that a link names by ID or slug. */
export function named<Item extends Linked>(items: readonly Item[], name: string): Item | undefined {
  const id = isUuid(name) ? name.toLowerCase() : undefined
  return items.find((item) => (id === undefined ? item.slug === name.toLowerCase() : item.id === id))
}

interface Asked {
  items?: string
  service?: string
  staff?: string
  location?: string
  party_size?: number
}

/** Longer responses are assembled one at a time. */
const longBytes = 1024 * 1024

/**
 * Returns the initial data of a booking page as JSON, with the view of a new session. At most five seconds
 * old. Throws not_found for a service, person or location that the key does not offer. Throws
 * validation_failed for too large a party, and MemberGone.
 */
export async function bookingStart(
  context: Context,
  key: WidgetActor,
  asked: Asked,
  isGone?: () => boolean,
): Promise<Tagged> {
  const { offered, first } = await startNow(context, key, asked).catch((error: unknown) => {
    if (!isAboutRemoved(error)) throw error
    context.cache.forget(offeredKey(key)) // an item was removed after the catalogue was cached
    return startNow(context, key, asked)
  })
  const { body, sharedBytes } = offered
  const end = Buffer.from(firstMember(first))
  const etag = tagOf(offered.digest.copy().update(end))
  if (first === 'null') return { etag, body: () => body }
  if (sharedBytes > longBytes) await new Slices(isGone).rest()
  const make = () => ({ first, body: Buffer.concat([body.subarray(0, sharedBytes), end]) })
  return {
    etag,
    body: () => {
      const last = offered.last?.first === first ? offered.last : make()
      if (sharedBytes > longBytes) offered.last = last
      return last.body
    },
  }
}

/** Returns true if the availability rules no longer know an item of the cached catalogue. */
function isAboutRemoved(error: unknown): boolean {
  if (!(error instanceof Problem)) return false
  if (error.code === 'slot_not_offered') return true // an inactive item
  if (error.code === 'not_found') return error.parts.extensions?.['item'] !== undefined
  if (error.code !== 'validation_failed') return false
  const about = ['/service_id', '/location_id', '/staff_id', '/items']
  return (error.parts.errors ?? []).some(({ pointer }) => about.includes(pointer))
}

async function startNow(
  context: Context,
  key: WidgetActor,
  asked: Asked,
): Promise<{ offered: Offered; first: string }> {
  const offered = await findOffered(context, key)
  if (asked.items !== undefined) return visitNow(context, key, { offered, items: asked.items, ...asked })
  const service = oneOf(offered.services, asked.service, 'service')
  const places = offered.locations.filter(({ id }) => service?.location_ids.includes(id))
  const location = oneOf(service ? places : offered.locations, asked.location, 'location')
  const people = service ? offered.staff.filter(({ id }) => service.staff_ids.includes(id)) : offered.staff
  const member = asked.staff === undefined ? undefined : oneOf(people, asked.staff, 'staff member')
  const partySize = asked.party_size ?? 1
  if (!service || !location) return { offered, first: 'null' }
  const first = await firstTimes(context, key, {
    ...{ service_id: service.id, location_id: location.id, party_size: partySize },
    ...(member && { staff_id: member.id }),
  })
  return { offered, first: first?.text ?? 'null' }
}

/** Does the same for several services. */
async function visitNow(
  context: Context,
  key: WidgetActor,
  asked: { offered: Offered; items: string; location?: string },
): Promise<{ offered: Offered; first: string }> {
  const { offered } = asked
  const { items, services } = namedItems(offered, asked.items)
  const places = offered.locations.filter(({ id }) =>
    services.every(({ location_ids }) => location_ids.includes(id)),
  )
  const location = oneOf(places, asked.location, 'location')
  if (!location) return { offered, first: 'null' }
  const first = await firstTimes(context, key, { location_id: location.id, items })
  return { offered, first: first?.text ?? 'null' }
}

/** Returns items with IDs for those with IDs or slugs. Throws not_found or validation_failed. */
function namedItems({ services, staff }: Offered, text: string) {
  const asked = readAskedItems(text).map(({ service_id, staff_id, ...item }) => {
    const service = oneOf(services, service_id, 'service')
    const member = staff_id === undefined ? undefined : oneOf(staff, staff_id, 'staff member')
    return {
      service,
      item: { ...item, service_id: service?.id ?? '', ...(member && { staff_id: member.id }) },
    }
  })
  const items = itemsQuery(asked.map(({ item }) => item))
  const [error] = askedItemsErrors(items)
  if (error) throw validationProblem([{ ...error, pointer: '/items' }])
  return { items, services: asked.flatMap(({ service }) => service ?? []) }
}

/** Returns the named item, or the only one. */
function oneOf<Item extends Linked>(
  items: readonly Item[],
  name: string | undefined,
  noun: string,
): Item | undefined {
  if (name === undefined) return items.length === 1 ? items[0] : undefined
  const found = named(items, name)
  if (!found) throw new Problem('not_found', `There is no ${noun} with this id or slug to be booked.`)
  return found
}

/** Returns the soonest slot, all slots of its date and the free dates of its month, as JSON. */
function firstTimes(context: Context, key: WidgetActor, offer: Static<typeof OfferQuery>) {
  const visitor = visitorOf(key)
  return context.cache.getTogether(`first-times:${Object.values(offer).join(':')}`, async () => {
    const soonest = await findSoonest(context, visitor, offer)
    const from = soonest?.starts_at.slice(0, 'yyyy-mm-dd'.length)
    const last = from && endOfMonth(from)
    const shown = from && (await showFirstDays(context, visitor, { ...offer, from, to: later(last, from) }))
    const days = shown ? shown.days : []
    const free = days.filter(({ slots }) => slots.length > 0)
    const [item] = offer.items === undefined ? [] : readAskedItems(offer.items)
    const first = {
      ...{ service_id: item?.service_id, party_size: item?.party_size ?? 1, ...offer },
      staff_id: item?.staff_id ?? offer.staff_id ?? null,
      soonest,
      slots: days[0]?.slots ?? [],
      next: spread(free.map(({ slots }) => slots)),
      dates: free.map(({ date }) => date),
    }
    return { text: JSON.stringify(first) }
  })
}

const maxNext = 4
/** With fewer days left in a month, five weeks are shown instead. */
const daysLeft = 13
const daysAhead = 34

/** Returns the end of the month, or near it a date in five weeks. */
function later(endOfMonth = '', from: string): string {
  const soon = dateOf(dayOf(from) + daysLeft)
  return soon > endOfMonth ? dateOf(dayOf(from) + daysAhead) : endOfMonth
}

/** Picks a few slots from several days: the same number from each, spread from morning to evening. */
function spread<Slot>(days: Slot[][]): Slot[] {
  const shown = days.slice(0, maxNext)
  const each = Math.ceil(maxNext / shown.length)
  const slots = shown.flatMap((slots) => {
    const step = Math.max(1, Math.floor(slots.length / each))
    return slots.filter((_, index) => index % step === 0).slice(0, each)
  })
  return slots.slice(0, maxNext)
}

function endOfMonth(date: string): string {
  const [year = 0, month = 0] = date.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 'yyyy-mm-dd'.length)
}
