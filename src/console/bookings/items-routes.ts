import { isStaff } from '../../access/actor.ts'
import { html } from '../../base/html.ts'
import { readInstants } from '../../base/instants.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { changeBooking } from '../../bookings/booking.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import type { Context } from '../../bookings/context.ts'
import type { CustomField } from '../../catalogue/catalogue-types.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
import { type Faults, faultSummary, filledForm, type FormState, type Typed } from '../../pages/form.ts'
import {
  assertNoFaults,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  type RefusedForm,
  type ShownPage,
} from '../frame/console-route.ts'
import { answerFields, answersOf, refusedAnswers } from '../../pages/answer-fields.ts'
import { questionsOf, warningBox } from './book-page.ts'
import { assertUsual, catalogueOf, changeRefusals, fieldOfBooking, followers } from './book-routes.ts'
import { changeList, changesSince, nearestTimes, tellChoice } from './booking-forms.ts'
import { bookingHead, bookingPath, type BookingView, versionFields } from './booking-page.ts'
import { answerWords, bookingWords } from './booking-words.ts'
import {
  changedRows,
  itemFields,
  type ItemRow,
  lengthOfItems,
  partyFaults,
  queryOfItems,
  typedItems,
  wishedItems,
  withItems,
  withNamedItem,
} from './item-fields.ts'
import { presentRows } from './item-list.ts'

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
      refusals: changeRefusals,
      fieldOf: (pointer) => (pointer.startsWith('/items/0/') ? 'item-0' : fieldOfBooking(pointer)),
      act: async (visit, typed, { id }, once) => {
        const view = await ownView(context, visit, id)
        const catalogue = await catalogueOf(context, visit)
        const rows = typedItems(typed, catalogue.services, 0)
        const services = addable(visit, view, catalogue)
        const changed = changedRows(typed, { rows, services, first: 0 })
        if (changed) {
          const state = filledForm(withItems(typed, changed, 0))
          return {
            page: await itemsPage(context, visit, { view, state, added: changed.length > rows.length }),
          }
        }
        const fields = newQuestions(view, catalogue, rows)
        const change = changeOf(view, { typed, rows, fields })
        await warnOfServices(context, visit, { view, typed, rows })
        const target = { id: view.row.id, versions: [Number(typed['version'])] }
        return once(
          () =>
            changeBooking(context, visit.person, { target, change }).catch((error: unknown) => {
              throw refusedAnswers(error, { fields, answers: change.custom_field_values ?? [] })
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

/** Returns the services that the person may add. */
function addable(visit: BusinessVisit, { row }: BookingView, catalogue: WholeCatalogue): Service[] {
  const location = catalogue.locations.find(({ id }) => id === row.location_id)
  return location ? followers(visit, catalogue, location) : []
}

/** Returns the questions that the booking has not asked yet. */
function newQuestions(
  { row }: BookingView,
  { services }: WholeCatalogue,
  rows: readonly ItemRow[],
): CustomField[] {
  const present = new Set(itemsOf(row).map(({ service }) => service.id))
  const asked = services.filter(({ id }) => present.has(id)).flatMap((service) => service.custom_fields)
  return questionsOf(rows).filter(({ id }) => !asked.some((field) => field.id === id))
}

/** Returns the change that the form asks for. Throws a FormFault or validation_failed. */
function changeOf(
  view: BookingView,
  { typed, rows, fields }: { typed: Typed; rows: readonly ItemRow[]; fields: CustomField[] },
) {
  const { visit, row } = view
  assertNoFaults({ ...partyFaults(visit, rows, 0), ...foreignFault(view, rows) })
  const answers = presentBooking(row, visit.person).custom_field_values.map(({ field_id, value }) => ({
    field_id,
    value,
  }))
  const change = checkedForm(ChangeBooking, {
    items: wishedItems(rows),
    ...(fields.length > 0 && { custom_field_values: [...answers, ...answersOf(fields, typed)] }),
    notify: typed['tell'] !== 'no',
  })
  return readInstants(change, 'starts_at', 'ends_at')
}

/** Returns a fault if the person would give somebody else's time. The form does not offer it. */
function foreignFault({ visit: { person, texts }, row }: BookingView, rows: readonly ItemRow[]): Faults {
  if (!isStaff(person)) return {}
  const present = itemsOf(row)
  const isForeign = rows.some(({ id, service, who }) => {
    const kept = present.find((item) => item.id === id)
    const isKept = kept !== undefined && (who === '' || who === kept.staff?.id)
    return service.staff_ids.length > 0 && who !== person.staffId && !isKept
  })
  return isForeign ? { '': texts.booking.itemsOthers } : {}
}

/** Warns of services at an unusual time. The start stays, so only hours and blocks count. */
async function warnOfServices(
  context: Context,
  visit: BusinessVisit,
  { view: { row }, typed, rows }: { view: BookingView; typed: Typed; rows: readonly ItemRow[] },
): Promise<void> {
  if (row.status === 'cancelled') return // the operation refuses it
  const { location_id, starts_at } = row
  await assertUsual(context, visit, {
    ...{ act: 'move', time: { location_id, starts_at, items: queryOfItems(rows) }, changes: row.id },
    ...{ minutes: lengthOfItems(rows), typed, itemNames: rows.map(({ service }) => service.name) },
  })
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
  const services = addable(visit, view, catalogue)
  const { anyway: _, ...named } = withNamedItem(visit, { faults: state.faults, refusal: state.refusal }, rows)
  const changes = changesSince(view, state)
  return {
    title: texts.booking.itemsTitle,
    visit: view.visit,
    section: 'bookings',
    panel: true,
    body: html`<div class="narrow">
      <h1>${texts.booking.itemsTitle}</h1>
      <div class="card">${bookingHead(view, 2)}</div>
      ${faultSummary(
        { typed: state.typed, faults: named },
        bookingWords(texts),
        html`${changeList(view, changes ?? [])} ${nearestTimes(view, state.refusal)}`,
      )}
      <form method="post" action="${bookingPath(view, 'services')}" class="fields book">
        <button type="submit" name="do" value="save" class="unseen" tabindex="-1" aria-hidden="true"></button>
        ${versionFields(view)}
        ${itemFields(visit, { typed: state.typed, faults: named }, { catalogue, rows, first: 0, services, added })}
        ${answerFields(answerWords(texts), state, { fields: newQuestions(view, catalogue, rows) })}
        ${tellChoice(view, state, 'changed')} ${warningBox(state, texts.booking.itemsAnyway)}
        <div class="buttons">
          <button type="submit" name="do" value="save" class="main">${texts.form.save}</button>
          <a class="button" href="${bookingPath(view)}">${texts.form.back}</a>
        </div>
      </form>
    </div>`,
  }
}
