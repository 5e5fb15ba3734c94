import type { TSchema } from 'typebox'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { mostPerPage } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import {
  type CatalogueItem,
  type CatalogueKind,
  changeInCatalogue,
  createInCatalogue,
  type CreationInput,
  listCatalogue,
  showOfCatalogue,
  type WritableKind,
} from '../../catalogue/catalogue.ts'
import { type StoreResponse, storeNothing } from '../../database/idempotency.ts'
import { compileCreation } from '../../base/validation.ts'
import {
  type Faults,
  faultsOf,
  faultSummary,
  filledForm,
  type FormState,
  hidden,
  type Typed,
} from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import type { ConsoleTexts } from './texts.ts'
import { doneNotice, pathOf, type SectionId } from './console-page.ts'
import {
  assertNoFaults,
  assertOfBusiness,
  type BusinessVisit,
  checkedForm,
  type ConsoleForm,
  type ConsoleRoute,
} from './console-route.ts'
import { fillRows, inputOfFault, inTypedUnits, readRows, type Row as FormRow } from './form-rows.ts'

/* Lists of services, staff members, locations and resources, and the page with the form of one item. */

/** The last part of the address of a page for a new item. */
const newId = 'new'

export function listPage<Row extends { id: string; name: string }, Shown>(
  context: Context,
  { person, business }: BusinessVisit,
  { kind, cursor }: { kind: CatalogueKind<Row, Shown>; cursor: string | undefined },
) {
  return listCatalogue(context, person, {
    kind,
    query: { business_id: business.id, limit: mostPerPage, cursor },
  })
}

/** Renders the link to the form of a new item. A page has one main button. */
export function addButton(visit: BusinessVisit, path: string, text: string, isMain = true): Html {
  return html`<a class="button${isMain ? ' main' : ''}" href="${pathOf(`${path}/${newId}`, visit)}"
    >${icon('add')} ${text}</a
  >`
}

/** Texts for deactivating and reactivating an item. */
type ActivityWords = ConsoleTexts['services']['activity']

interface ListRow {
  id: string
  name: string
  path: string
  /** The sign before the name, such as a face. */
  mark?: Html
  about: Html
  /** The texts at the end of the row, such as a length and a price. */
  ends?: (string | undefined)[]
  /** HTML after the row, such as a menu. */
  more?: Html
  active: boolean
}

/** Renders the rows. Inactive ones come last. */
export function rowsOf(visit: BusinessVisit, { inactive }: ActivityWords, rows: ListRow[]): Html {
  const row = ({ id, name, path, mark = html``, about, ends = [], more = html``, active }: ListRow) =>
    html`<li class="item" data-id="${id}">
      ${mark}
      <a href="${pathOf(path, visit)}"><bdi>${name}</bdi></a>
      <span class="soft">${active ? about : inactive}</span>
      ${active ? ends.map((end) => html`<span class="end">${end ?? ''}</span>`) : ''} ${active ? more : ''}
    </li>`
  const inOrder = [...rows.filter(({ active }) => active), ...rows.filter(({ active }) => !active)]
  return html`<ul class="rows">
    ${inOrder.map(row)}
  </ul>`
}

/** A page with the form of one item, new or existing. */
interface ItemPage<Row extends CatalogueItem & { name: string }, Creation, Change extends object> {
  path: string
  name: string
  summary: string
  section: SectionId
  /** The group of its texts. */
  words: 'services' | 'staff' | 'locations' | 'resources'
  /** The page that lists them. */
  list: string
  kind: WritableKind<Row, Creation, Change> & CatalogueKind<Row, unknown>
  create: TSchema
  change: TSchema
  /** Returns the initial values of a new item. */
  fresh: (visit: BusinessVisit) => Promise<Typed>
  rows: (visit: BusinessVisit) => readonly FormRow[]
  /** Returns values of an item in addition to its rows. */
  more?: (visit: BusinessVisit, row: Row) => Promise<Typed>
  fields: (visit: BusinessVisit, state: FormState) => Promise<Html>
  /** Returns further notices, by the parameter `done`. */
  notices?: (texts: ConsoleTexts) => Record<string, string>
  /** Renders what follows the form of an existing item. */
  below?: (visit: BusinessVisit, row: Row) => Promise<Html>
  /** Returns faults that the operation does not find. */
  faults: (visit: BusinessVisit, typed: Typed) => Faults
  /** Checks that need the database. Throws a FormFault. */
  check?: (visit: BusinessVisit, id: string, typed: Typed) => Promise<void>
  /** Returns true if the page has a notice about the saved item. */
  stays?: (visit: BusinessVisit, typed: Typed) => Promise<boolean>
  /** Returns parameters for the list's notice. */
  saved?: (id: string, typed: Typed) => Record<string, string>
  /** Saves further data with the item. */
  after?: (visit: BusinessVisit, id: string, typed: Typed) => Promise<void>
}

export function itemPage<
  Row extends CatalogueItem & { name: string },
  Creation extends CreationInput,
  Change extends object,
>(context: Context, page: ItemPage<Row, Creation, Change>): ConsoleRoute {
  const { kind } = page
  const find = async (visit: BusinessVisit, id: string) => {
    const row = (await showOfCatalogue(context, visit.person, { kind, id })) as Row // managers see all of it
    assertOfBusiness(visit, row.business_id)
    return row
  }
  const filled = async (visit: BusinessVisit, row: Row) => ({
    ...fillRows(page.rows(visit), row),
    ...(await page.more?.(visit, row)),
  })
  const pageOf = async (
    visit: BusinessVisit,
    { state, row, done }: { state: FormState; row: Row | undefined; done?: string | undefined },
  ) => {
    const { texts } = visit
    const { new: newTitle, activity } = texts[page.words]
    const title = row?.name ?? newTitle
    return {
      title,
      section: page.section,
      body: html`<p><a class="back" href="${pathOf(page.list, visit)}">${texts.setUp.back}</a></p>
        <h1><bdi>${title}</bdi></h1>
        ${doneNotice({ ...texts.setUp.done, ...activity.done, ...page.notices?.(texts) }, done)}
        ${faultSummary(state, texts.setUp)}
        ${row && !row.active ? html`<p class="alert">${activity.isInactive}</p>` : ''}
        <form method="post" class="fields wide-fields">
          ${hidden({ once: visit.once })} ${await page.fields(visit, state)}
          <div class="actions save"><button type="submit" class="main">${texts.setUp.save}</button></div>
        </form>
        ${(row && (await page.below?.(visit, row))) ?? ''} ${row ? activityForm(activity, row.active) : ''}`,
    }
  }
  return {
    path: `${page.path}/:id`,
    name: page.name,
    summary: page.summary,
    role: 'manager',
    show: async (visit, { id, query }) => {
      const row = id === newId ? undefined : await find(visit, id)
      const state = filledForm(row ? await filled(visit, row) : await page.fresh(visit))
      return pageOf(visit, { state, row, done: query['done'] })
    },
    form: {
      rows: page.rows,
      act: savingOf(context, page, find),
      again: async (visit, state, { id }) => {
        const row = id === newId ? undefined : await find(visit, id)
        return pageOf(visit, { state, row })
      },
    },
  }
}

/** Saves an item from its form, or activates or deactivates it. */
function savingOf<
  Row extends CatalogueItem & { name: string },
  Creation extends CreationInput,
  Change extends object,
>(
  context: Context,
  page: ItemPage<Row, Creation, Change>,
  find: (visit: BusinessVisit, id: string) => Promise<Row>,
): ConsoleForm['act'] {
  const { kind } = page
  return async (visit, typed, { id }, once) => {
    if (id !== newId) await find(visit, id)
    const { active } = typed
    if (active !== undefined && id !== newId) {
      const change = { active: active === 'on' } as unknown as Change // each kind has this field
      await changeInCatalogue(context, visit.person, { kind, id, change })
      return {
        path: `${page.path}/${id}`,
        query: { done: active === 'on' ? 'activated' : 'deactivated' },
      }
    }
    assertSound(visit, { page, id, typed })
    await page.check?.(visit, id, typed)
    const save = async (store: StoreResponse<unknown>) => {
      const saved = await saveItem(context, visit, {
        page,
        id,
        body: readRows(page.rows(visit), typed),
        store,
      })
      await page.after?.(visit, saved.id, typed)
      return saved
    }
    const stays = await page.stays?.(visit, typed)
    const next = (saved: { id: string }) => ({
      path: stays === true ? `${page.path}/${saved.id}` : page.list,
      query: { done: stays === true ? 'savedBut' : 'saved', ...page.saved?.(id, typed) },
    })
    return id === newId ? once(save, next) : next(await save(storeNothing))
  }
}

function saveItem<
  Row extends CatalogueItem & { name: string },
  Creation extends CreationInput,
  Change extends object,
>(
  context: Context,
  { person, business }: BusinessVisit,
  {
    page: { kind, create, change },
    id,
    body,
    store,
  }: {
    page: ItemPage<Row, Creation, Change>
    id: string
    body: Record<string, unknown>
    store: StoreResponse<unknown>
  },
): Promise<Row> {
  const checked = checkedItem({ create, change }, { id, body, businessId: business.id })
  if (id !== newId) return changeInCatalogue(context, person, { kind, id, change: checked as Change }) // as in its schema
  return createInCatalogue(context, person, { kind, input: checked as Creation }, store)
}

function checkedItem(
  { create, change }: { create: TSchema; change: TSchema },
  { id, body, businessId }: { id: string; body: Record<string, unknown>; businessId: string },
): unknown {
  if (id !== newId) return checkedForm(change, body)
  return checkedForm(create, { ...body, business_id: businessId }, compileCreation)
}

/** Throws a FormFault if the form itself finds faults, together with those that the API would find. */
function assertSound(
  visit: BusinessVisit,
  {
    page,
    id,
    typed,
  }: {
    page: Pick<ItemPage<never, unknown, object>, 'create' | 'change' | 'faults' | 'rows'>
    id: string
    typed: Typed
  },
): void {
  const faults = page.faults(visit, typed)
  const rows = page.rows(visit)
  if (Object.keys(faults).length === 0) return // otherwise the operation finds them
  try {
    checkedItem(page, { id, body: readRows(rows, typed), businessId: visit.business.id })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const inputOf = (pointer: string) => inputOfFault(rows, pointer, typed)
    const errors = inTypedUnits(rows, error.parts.errors ?? [], typed)
    Object.assign(faults, { ...faultsOf(errors, visit.texts.setUp, inputOf), ...faults })
  }
  assertNoFaults(faults)
}

/** Renders the button to deactivate an item, which another click undoes. */
function activityForm(words: ActivityWords, isActive: boolean): Html {
  return html`<form method="post">
    <input type="hidden" name="active" value="${isActive ? '' : 'on'}" />
    <button type="submit">${isActive ? words.deactivate : words.activate}</button>
    <p class="soft">${isActive ? words.deactivateHint : ''}</p>
  </form>`
}
