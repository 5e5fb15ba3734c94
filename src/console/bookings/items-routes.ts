import { html } from '../../base/html.ts'
import { readInstants } from '../../base/instants.ts'
import { changeBooking } from '../../bookings/booking.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import type { Context } from '../../bookings/context.ts'
import { faultSummary, filledForm, type FormState, type Typed } from '../../pages/form.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  type RefusedForm,
  type ShownPage,
} from '../frame/console-route.ts'
import { bookingRefusals, catalogueOf, fieldOfBooking, followers } from './book-routes.ts'
import { changeList, changesSince, nearestTimes, tellChoice } from './booking-forms.ts'
import { bookingHead, bookingPath, type BookingView, timeFacts, versionFields } from './booking-page.ts'
import { bookingWords } from './booking-words.ts'
import { changedRows, itemFields, typedItems, wishedItems, withItems, withNamedItem } from './item-fields.ts'
import { presentRows } from './item-list.ts'

/** Refusals for the services of a booking, which has a version. */
const refusals = Object.fromEntries([
  ...Object.keys(bookingRefusals).map((code) => [code, 409] as const),
  ['version_conflict', 412] as const,
])

interface ItemsSetting {
  /** Reads a booking that the person may change. */
  ownView: (context: Context, visit: BusinessVisit, id: string) => Promise<BookingView>
}

/** Returns the route of the form that changes the services of a booking. */
export function itemsRoute(context: Context, { ownView }: ItemsSetting): Omit<ConsoleRoute, 'role'> {
  const path = '/console/bookings/:id/services'
  return {
    path,
    name: 'ConsoleServicesForm',
    summary: 'The form to change the services of a booking',
    show: async (visit, { id }) => {
      const view = await ownView(context, visit, id)
      return itemsPage(context, visit, { view, state: filledForm(presentFields(view)) })
    },
    form: {
      words: bookingWords,
      refusals,
      fieldOf: (pointer) => (pointer.startsWith('/items/0/') ? 'item-0' : fieldOfBooking(pointer)),
      act: async (visit, typed, { id }, once) => {
        const view = await ownView(context, visit, id)
        const catalogue = await catalogueOf(context, visit)
        const { services, locations } = catalogue
        const rows = typedItems(typed, services, 0)
        const location = locations.find((one) => one.id === view.row.location_id)
        const offered = location ? followers(visit, catalogue, location) : []
        const changed = changedRows(typed, { rows, services: offered, first: 0 })
        if (changed) {
          const state = filledForm(withItems(typed, changed, 0))
          return {
            page: await itemsPage(context, visit, { view, state, added: changed.length > rows.length }),
          }
        }
        const target = { id: view.row.id, versions: [Number(typed['version'])] }
        const change = checkedForm(ChangeBooking, {
          items: wishedItems(rows),
          notify: typed['tell'] !== 'no',
        })
        return once(
          () =>
            changeBooking(context, visit.person, {
              target,
              change: readInstants(change, 'starts_at', 'ends_at'),
            }),
          () => ({ path: `/console/bookings/${view.row.id}`, query: { done: 'items' } }),
        )
      },
      again: async (visit, state, { id }) =>
        itemsPage(context, visit, { view: await ownView(context, visit, id), state }),
    },
  }
}

function presentFields({ row }: BookingView): Typed {
  return { ...presentRows(row), tell: 'yes' }
}

async function itemsPage(
  context: Context,
  visit: BusinessVisit,
  {
    view,
    state,
    added = false,
  }: { view: BookingView; state: FormState & Partial<RefusedForm>; added?: boolean },
): Promise<ShownPage> {
  const { texts } = visit
  const catalogue = await catalogueOf(context, visit)
  const rows = typedItems(state.typed, catalogue.services, 0)
  const location = catalogue.locations.find(({ id }) => id === view.row.location_id)
  const services = location ? followers(visit, catalogue, location) : []
  const faults = withNamedItem(visit, { faults: state.faults, refusal: state.refusal }, rows)
  const changes = changesSince(view, state)
  return {
    title: texts.booking.itemsTitle,
    visit: view.visit,
    section: 'bookings',
    body: html`<div class="narrow">
      <h1>${texts.booking.itemsTitle}</h1>
      <div class="card">
        ${bookingHead(view, 2)}
        <dl class="facts">${timeFacts(view)}</dl>
      </div>
      ${faultSummary(
        { typed: state.typed, faults },
        bookingWords(texts),
        html`${changeList(view, changes ?? [])} ${nearestTimes(view, state.refusal)}`,
      )}
      <form method="post" action="${bookingPath(view, 'services')}" class="fields book">
        <button type="submit" name="do" value="save" class="unseen" tabindex="-1" aria-hidden="true"></button>
        ${versionFields(view)}
        ${itemFields(visit, { typed: state.typed, faults }, { catalogue, rows, first: 0, services, added })}
        ${tellChoice(view, state)}
        <div class="buttons">
          <button type="submit" name="do" value="save" class="main">${texts.form.save}</button>
          <a class="button" href="${bookingPath(view)}">${texts.form.back}</a>
        </div>
      </form>
    </div>`,
  }
}
