import { bookingPageKey } from '../../access/page-key.ts'
import { html, type Html } from '../../base/html.ts'
import type { Instant } from '../../base/instants.ts'
import { listBookings } from '../../bookings/booking.ts'
import type { Context } from '../../bookings/context.ts'
import { locationKind, serviceKind, staffKind } from '../../catalogue/catalogue-kinds.ts'
import type { Location, StaffMember } from '../../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { listItems } from '../frame/lists.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import type { BusinessVisit } from '../frame/console-route.ts'

/* Progress from nothing to the first booking. It is derived from existing data, so nothing is stored. */

/** Steps that have a page, in their order. */
const startSteps = ['hours', 'holidays', 'service', 'people', 'page'] as const
export type StartStep = (typeof startSteps)[number]

/** The data that a business has so far. Active items only. */
export interface Progress {
  locations: Location[]
  services: Service[]
  staff: StaffMember[]
  /** The newest one. */
  booking: { starts_at: Instant; timezone: string } | undefined
  /** Key of its booking page; undefined if that is closed. */
  pageKey: string | undefined
}

type Items = Omit<Progress, 'booking' | 'pageKey'>

/** Reads the progress of a business. */
export async function readProgress(
  context: Context,
  { person, business: { id: businessId } }: Pick<BusinessVisit, 'person' | 'business'>,
): Promise<Progress> {
  const [locations, services, staff, booking, pageKey] = await Promise.all([
    listItems(context, person, { kind: locationKind, businessId }),
    listItems(context, person, { kind: serviceKind, businessId }),
    listItems(context, person, { kind: staffKind, businessId }) as Promise<StaffMember[]>, // owners see all of it
    newestBooking(context, person, businessId),
    bookingPageKey(context, businessId),
  ])
  return { ...activeOf({ locations, services, staff }), booking, pageKey }
}

async function newestBooking(context: Context, person: BusinessVisit['person'], business_id: string) {
  const { data } = await listBookings(context, person, { business_id, limit: 1 })
  return data[0]
}

function activeOf({ locations, services, staff }: Items): Items {
  return {
    locations: locations.filter(({ active }) => active),
    services: services.filter(({ active }) => active),
    staff: staff.filter(({ active }) => active),
  }
}

/** Returns the path of a step. */
export function stepPath(step: StartStep, visit: ConsoleVisit): string {
  return pathOf(`/console/start/${step}`, visit)
}

/** Returns the path of the test booking. */
export function testPath(visit: ConsoleVisit): string {
  return pathOf('/console/start/page', visit, { open: 'test' })
}

/** Returns the step after another. Unneeded pages never get in the way. */
export function nextStep(step: StartStep): StartStep {
  return startSteps[startSteps.indexOf(step) + 1] ?? 'page'
}

/** Renders the steps with their state. */
export function stepList(visit: ConsoleVisit, progress: Progress, present?: StartStep): Html {
  const { start } = visit.texts
  const { locations, services, staff, booking, pageKey } = progress
  const isBookable = locations.length > 0 && services.length > 0 && pageKey !== undefined
  const isDone = {
    hours: locations.length > 0,
    holidays: locations.some(({ date_overrides }) => date_overrides.length > 0),
    service: services.length > 0,
    people: staff.length > 0,
    page: isBookable,
  }
  const item = (done: boolean, text: Html, isPresent = false) =>
    html`<li class="${done ? 'is-done' : ''}" ${isPresent ? html`aria-current="step"` : ''}>
      ${text}${done ? html` <span class="unseen">(${start.done})</span>` : ''}
    </li>`
  const link = (step: StartStep, text: string) => html`<a href="${stepPath(step, visit)}">${text}</a>`
  return html`<ol class="steps">
    ${item(true, html`<span>${start.steps.business}</span>`)}
    ${startSteps.map((step) => item(isDone[step], link(step, start.steps[step]), step === present))}
    ${item(
      booking !== undefined,
      isBookable
        ? html`<a href="${testPath(visit)}">${start.steps.booking}</a>`
        : link('page', start.steps.booking),
    )}
  </ol>`
}

/** Renders the panel above an owner's calendar until the first booking, unless they have hidden it. */
export async function startPanel(
  context: Context,
  visit: ConsoleVisit,
  {
    catalogue,
    cookie,
    address,
  }: { catalogue: Items; cookie: string | undefined; address: Record<string, string> },
): Promise<Html> {
  const { person, business, texts } = visit
  if (person.role !== 'owner' || !business || (cookie ?? '').includes(hidingCookie(business.id)))
    return html``
  const booking = await newestBooking(context, person, business.id)
  if (booking) return html``
  const items = activeOf(catalogue)
  const isReady = Object.values(items).every((kind: unknown[]) => kind.length > 0)
  const hide = html`<form method="post" action="${pathOf('/console/start/hide', visit, address)}">
    <button type="submit">${texts.start.hide}</button>
  </form>`
  if (isReady)
    return html`<div class="card start head">
      <p>${texts.start.ready} <a href="${testPath(visit)}">${texts.start.testBooking}</a></p>
      ${hide}
    </div>`
  return html`<section class="card start" aria-labelledby="start">
    <h2 id="start">${texts.start.panel}</h2>
    ${stepList(visit, { ...items, booking, pageKey: await bookingPageKey(context, business.id) })} ${hide}
  </section>`
}

/** Returns the cookie that hides the steps in one browser. */
export function hidingCookie(businessId: string): string {
  return `holdfast-start-${businessId}=hidden`
}
