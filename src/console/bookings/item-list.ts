import { itemsQuery } from '../../availability/visit-query-rules.ts'
import { html, type Html } from '../../base/html.ts'
import type { Instant } from '../../base/instants.ts'
import { type ItemColumns, itemName, itemNames, itemsOf } from '../../database/shown-item-rules.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { face, faceOf } from '../frame/faces.ts'
import { clockText } from '../frame/formats.ts'
import { priceText } from '../frame/prices.ts'

/* The services of a booking that takes the time of several things. */

type ItemsRow = ItemColumns & { item_count: number | null; timezone: string }

/** Returns true for a booking whose people and parties belong to its services. */
export function isVisit({ item_count }: Pick<ItemsRow, 'item_count'>): boolean {
  return item_count !== null
}

/** Renders the services of a booking as lines: face, name, time, person, rooms, and the price at the end. */
export function itemLines(
  visit: ConsoleVisit,
  row: ItemsRow,
  team: readonly { id: string; name: string; image_url: string | null }[],
): Html {
  const { locale, texts } = visit
  const clock = (instant: Instant) => clockText(instant, { timezone: row.timezone, locale })
  return html`${itemsOf(row).map((item) => {
    const { price, party_size, staff, resources, service } = item
    const more = [
      html`${clock(item.starts_at)}–${clock(item.ends_at)}${staff ? html` <bdi>${texts.calendar.withWhom({ name: staff.name })}</bdi>` : ''}`,
      ...resources.map(({ name }) => html`<bdi>${name}</bdi>`),
    ]
    return html`<li>
      ${staff ? faceOf(team.find(({ id }) => id === staff.id) ?? staff) : face(service.name)}
      <div>
        <bdi>${itemName(item)}</bdi>
        <span class="soft">${more.map((part, index) => html`${index === 0 ? '' : ' · '}${part}`)}</span>
      </div>
      ${price ? html`<span class="end">${priceText(visit, { ...price, amount: price.amount * party_size }) ?? ''}</span>` : ''}
    </li>`
  })}`
}

/** Returns the services of a booking with their people, as the query of availability names them. */
export function presentItemsQuery(row: ItemsRow): string {
  const items = itemsOf(row)
  return itemsQuery(
    items.map(({ service, staff, party_size, starts_at }, index) => ({
      ...{ service_id: service.id, party_size },
      ...(staff && { staff_id: staff.id }),
      starts: items[index - 1]?.starts_at === starts_at ? 'with' : 'after',
    })),
  )
}

/** Returns the names of the services of a booking as one text. */
export function titleOf(row: ItemsRow): string {
  return isVisit(row) ? itemNames(itemsOf(row)) : row.service_name
}

/** Returns the names of the people who give the services of a booking. */
export function namesOfPeople(row: ItemsRow): string[] {
  return [...new Set(itemsOf(row).flatMap(({ staff }) => staff?.name ?? []))]
}

/** Returns the name of each service of a booking. */
export function namesOfItems(row: ItemsRow): string[] {
  return itemsOf(row).map(({ service }) => service.name)
}

/** Returns the field values of the form that changes the services of a booking. */
export function presentRows(row: ItemsRow): Record<string, string> {
  const items = itemsOf(row)
  return Object.fromEntries(
    items.flatMap(({ id, service, staff, starts_at, party_size }, index) => [
      [`id-${index}`, id],
      [`item-${index}`, service.id],
      [`who-${index}`, staff?.id ?? ''],
      [`party-${index}`, String(party_size)],
      ...(items[index - 1]?.starts_at === starts_at ? [[`with-${index}`, 'on']] : []),
    ]),
  ) as Record<string, string>
}
