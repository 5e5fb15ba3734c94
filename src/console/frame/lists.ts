import { html, type Html } from '../../base/html.ts'
import type { Actor } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import type { Instant } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { type CatalogueKind, listWholeCatalogue } from '../../catalogue/catalogue.ts'
import { icon } from '../../pages/icons.ts'
import { type ConsoleVisit, pathOf } from './console-page.ts'
import { dayHeading, wallFields } from './formats.ts'

/** Maximum number of locations, staff members or services offered in a form. */
const maxOffered = 500

/** Lists the items of a business, or of all that the person can access, up to the limit of forms. */
export function listItems<Row extends { id: string; name: string }, Shown>(
  context: Context,
  actor: Actor,
  of: { kind: CatalogueKind<Row, Shown>; businessId: string | undefined },
): Promise<Shown[]> {
  return listWholeCatalogue(context, actor, { ...of, most: maxOffered })
}

/**
 * Returns a page of a list. Returns the first one if the cursor belongs to another list, because addresses
 * may be old.
 */
export async function pageOrFirst<Page>(
  cursor: string | undefined,
  list: (cursor: string | undefined) => Promise<Page>,
): Promise<Page> {
  try {
    return await list(cursor)
  } catch (error) {
    if (cursor === undefined || !(error instanceof Problem)) throw error
    return list(undefined)
  }
}

/** Items of a list on one day, with its heading. */
interface OfDay<Item> {
  heading: string
  items: Item[]
}

/** Divides the items of a list by day, in their order. `at` returns the time of an item and its zone. */
export function byDay<Item>(
  items: readonly Item[],
  { now, locale, at }: { now: Instant; locale: string; at: (item: Item) => readonly [Instant, string] },
): OfDay<Item>[] {
  const days: (OfDay<Item> & { date: string })[] = []
  for (const item of items) {
    const [time, timezone] = at(item)
    const { date } = wallFields(time, timezone)
    if (days.at(-1)?.date !== date)
      days.push({ date, heading: dayHeading(time, now, { timezone, locale }), items: [] })
    days.at(-1)?.items.push(item)
  }
  return days
}

/** Renders the search of a list. One in the panel needs another ID than that of the page. */
export function searchField(label: string, q: string, id = 'list-q'): Html {
  return html`<div class="find">
    ${icon('search')} <label for="${id}" class="unseen">${label}</label>
    <input
      id="${id}"
      name="q"
      type="search"
      value="${q}"
      placeholder="${label}"
      maxlength="100"
      dir="auto"
      autocomplete="off"
    />
  </div>`
}

/** Renders the head of a list: its name, its main action, and a menu of the others. */
export function listHead(
  { texts }: ConsoleVisit,
  { title, main = html``, more = [] }: { title: string; main?: Html | string; more?: Html[] },
): Html {
  return html`<div class="head">
    <h1>${title}</h1>
    ${main}
    ${
      more.length === 0
        ? ''
        : html`<details class="menu at-end">
            <summary class="button" title="${texts.frame.menu}">
              ${icon('more')}<span class="unseen">${texts.frame.menu}</span>
            </summary>
            <ul>
              ${more.map((link) => html`<li>${link}</li>`)}
            </ul>
          </details>`
    }
  </div>`
}

/** Renders the link to the next page of a list, with its filters. */
export function nextPage(
  visit: ConsoleVisit,
  path: string,
  cursor: string | null,
  kept: Record<string, string | undefined> = {},
): Html {
  if (cursor === null) return html``
  return html`<p>
    <a class="button" href="${pathOf(path, visit, { ...kept, cursor })}">${visit.texts.setUp.next}</a>
  </p>`
}
