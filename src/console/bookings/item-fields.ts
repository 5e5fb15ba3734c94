import { itemsQuery } from '../../availability/visit-query-rules.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { maxItems } from '../../bookings/hold-schemas.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import { lowestPrice, minutesOf } from '../../catalogue/service-rules.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import {
  choice,
  type Faults,
  field,
  focusIf,
  type FormState,
  hidden,
  numberOf,
  tick,
  type Typed,
} from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { lengthText } from '../frame/formats.ts'
import { priceText, servicePriceText } from '../frame/prices.ts'

/* The services of a visit as rows of a form. Buttons that submit it add and remove rows. */

/** A row: a service with its person. */
export interface ItemRow {
  /** The id of a service that the booking has already. */
  id?: string
  service: Service
  /** Empty for anyone. */
  who: string
  /** True if it starts together with the one before. */
  isWith: boolean
  /** Number of people, for a service that several can share. Absent for invalid input. */
  party?: number
}

/** Reads the number of people for a service that several can share. Undefined for one person alone, and for invalid input. */
export function readParty({ capacity }: Service, text: string | undefined): number | undefined {
  const party = capacity > 1 ? numberOf(text ?? '1') : null
  return typeof party === 'number' && party > 0 && party <= capacity ? party : undefined
}

/** Returns the rows of a form from number `first` on. Leaves out services that do not exist. */
export function typedItems(typed: Typed, services: readonly Service[], first: number): ItemRow[] {
  const rows: ItemRow[] = []
  for (let index = first; index < maxItems && `item-${index}` in typed; index += 1) {
    const service = services.find(({ id }) => id === typed[`item-${index}`])
    const { [`id-${index}`]: id = '', [`who-${index}`]: who = '', [`party-${index}`]: people } = typed
    if (!service) continue
    const party = readParty(service, people)
    const mayKeep = isUuid(id) && isUuid(who) // somebody who no longer gives the service
    rows.push({
      ...(isUuid(id) && { id }),
      service,
      who: mayKeep || service.staff_ids.includes(who) ? who : '',
      isWith: typed[`with-${index}`] === 'on',
      ...(party !== undefined && { party }),
    })
  }
  return rows
}

/** Replaces the rows in the fields of a form. */
export function withItems(typed: Typed, rows: readonly ItemRow[], first: number): Typed {
  const others = Object.entries(typed).filter(
    ([name]) => !/^(?:(?:item|who|with|id|party)-\d+|add|drop)$/.test(name),
  )
  const own = rows.flatMap(({ id, service, who, isWith, party }, position) => {
    const index = position + first
    return [
      ...(id === undefined ? [] : [[`id-${index}`, id]]),
      ...[
        [`item-${index}`, service.id],
        [`who-${index}`, who],
      ],
      ...(isWith && index > 0 ? [[`with-${index}`, 'on']] : []),
      ...(party === undefined ? [] : [[`party-${index}`, String(party)]]),
    ]
  })
  return Object.fromEntries([...others, ...own]) as Typed
}

/** Adds or removes the row that the form names. Undefined if it names none. */
export function changedRows(
  typed: Typed,
  { rows, services, first }: { rows: readonly ItemRow[]; services: readonly Service[]; first: number },
): ItemRow[] | undefined {
  const { drop } = typed
  if (drop !== undefined) return rows.filter((_row, position) => String(position + first) !== drop)
  if (typed['do'] !== 'add') return undefined
  const service = services.find(({ id }) => id === typed['add'])
  if (!service || rows.length + first >= maxItems) return [...rows]
  const before = rows.at(-1)?.who ?? typed['who'] ?? ''
  return [...rows, { service, who: service.staff_ids.includes(before) ? before : '', isWith: false }]
}

/** Formats the length and price of a service, given by a person or anyone: "30 min · €35". */
export function offerText(visit: ConsoleVisit, service: Service, who = ''): string {
  const length = lengthText(visit, minutesOf(service, who || null))
  const price = servicePriceText(visit, service, who)
  return price === undefined ? length : `${length} · ${price}`
}

interface ItemFields {
  catalogue: WholeCatalogue
  rows: readonly ItemRow[]
  /** The number of the first row. */
  first: number
  /** Services that can be added. */
  services: readonly Service[]
  /** The position of a new row, which gets the focus. */
  added?: boolean
}

/** Renders the rows, and the choice of a further service. */
export function itemFields(
  visit: ConsoleVisit,
  state: FormState,
  { catalogue, rows, first, services, added = false }: ItemFields,
): Html {
  const { book } = visit.texts
  const isFull = rows.length + first >= maxItems
  return html`${rows.map((row, position) =>
    itemRow(visit, state, {
      ...{ row, catalogue },
      index: position + first,
      isNew: added && position === rows.length - 1,
      isOnly: rows.length + first === 1,
    }),
  )}
  ${
    isFull || services.length === 0
      ? ''
      : html`<div class="beside">
          ${choice(
            { ...state, typed: {} },
            {
              ...{ name: 'add', label: book.addService },
              options: [
                ['', '–'] as const,
                ...services.map((service) => {
                  const { id, name, category } = service
                  return [id, `${name} · ${offerText(visit, service)}`, category ?? ''] as const
                }),
              ],
            },
          )}
          <button type="submit" name="do" value="add" formnovalidate>${book.add}</button>
        </div>`
  }`
}

interface OneRow {
  row: ItemRow
  catalogue: WholeCatalogue
  index: number
  isNew: boolean
  isOnly: boolean
}

function itemRow(
  visit: ConsoleVisit,
  state: FormState,
  { row, catalogue, index, isNew, isOnly }: OneRow,
): Html {
  const { book } = visit.texts
  const { service, who, id } = row
  const { staffId, role } = visit.person
  const people = catalogue.staff.filter(
    (one) =>
      (one.active && service.staff_ids.includes(one.id) && (role !== 'staff' || one.id === staffId)) ||
      (one.id === who && id !== undefined),
  )
  const mayBeAnyone = id === undefined && role !== 'staff'
  const fault = state.faults[`item-${index}`]
  return html`<fieldset class="item-row" ${focusIf(isNew)} ${isNew ? html`tabindex="-1"` : ''}>
    <legend><bdi>${service.name}</bdi></legend>
    ${hidden({ [`item-${index}`]: service.id, ...(id !== undefined && { [`id-${index}`]: id }) })}
    ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
    <p class="soft">${offerText(visit, service, who)}</p>
    ${service.capacity > 1 ? partyField(visit, state, index) : ''}
    ${
      service.staff_ids.length === 0
        ? ''
        : choice(
            { ...state, typed: { [`who-${index}`]: who } },
            {
              ...{ name: `who-${index}`, label: book.who },
              options: [
                ...(mayBeAnyone ? [['', book.anyone] as const] : []),
                ...people.map((one) => [one.id, one.name] as const),
              ],
            },
          )
    }
    ${index === 0 ? '' : tick(state, `with-${index}`, book.together)}
    ${
      isOnly
        ? ''
        : html`<button type="submit" name="drop" value="${index}" formnovalidate>
            ${book.drop} <span class="unseen">${service.name}</span>
          </button>`
    }
  </fieldset>`
}

function partyField({ texts }: ConsoleVisit, state: FormState, index: number): Html {
  const name = `party-${index}`
  const typed = { [name]: '1', ...state.typed }
  return field({ ...state, typed }, { name, label: texts.book.howMany, type: 'number', required: true })
}

/** Returns faults for numbers of people that a service does not allow. */
export function partyFaults({ texts }: ConsoleVisit, rows: readonly ItemRow[], first: number): Faults {
  const wrong = rows.flatMap(({ service: { capacity }, party }, position) =>
    capacity > 1 && party === undefined
      ? [[`party-${position + first}`, texts.book.badParty({ most: capacity })] as const]
      : [],
  )
  return Object.fromEntries(wrong)
}

/** Returns rows as the operations want them. */
export function wishedItems(rows: readonly ItemRow[]) {
  return rows.map(({ id, service, who, isWith, party }, index) => ({
    ...(id !== undefined && { id }),
    ...{ service_id: service.id, starts: isWith && index > 0 ? ('with' as const) : ('after' as const) },
    ...(who !== '' && { staff_id: who }),
    ...(party !== undefined && { party_size: party }),
  }))
}

/** Returns rows as the query of availability names them. */
export function queryOfItems(rows: readonly ItemRow[]): string {
  return itemsQuery(wishedItems(rows))
}

/** Returns the length of a visit without pauses, in minutes. */
export function lengthOfItems(rows: readonly ItemRow[]): number {
  let sum = 0
  let group = 0
  for (const [index, { service, who, isWith }] of rows.entries()) {
    const minutes = minutesOf(service, who || null)
    if (isWith && index > 0) group = Math.max(group, minutes)
    else {
      sum += group
      group = minutes
    }
  }
  return sum + group
}

/** Formats the price of all services for all their people. Undefined if none has a price. */
export function totalOfItems(visit: ConsoleVisit, rows: readonly ItemRow[]): string | undefined {
  const prices = rows.flatMap(({ service, who, party = 1 }) => {
    const { price, isFrom } = lowestPrice(service, who || null)
    return price ? [{ currency: price.currency, amount: price.amount * party, isFrom }] : []
  })
  const [first] = prices
  if (!first) return undefined
  const total = { ...first, amount: prices.reduce((sum, { amount }) => sum + amount, 0) }
  return priceText(
    visit,
    total,
    prices.some(({ isFrom }) => isFrom),
  )
}

/** Names the service in a refusal of a visit. Leaves other faults unchanged. */
export function withNamedItem(
  { texts }: ConsoleVisit,
  { faults, refusal }: { faults: FormState['faults']; refusal?: unknown },
  rows: readonly ItemRow[],
): FormState['faults'] {
  const { ['']: text } = faults
  const item = refusal instanceof Problem ? refusal.parts.extensions?.['item'] : undefined
  const row = typeof item === 'number' ? rows[item] : undefined
  if (!row || text === undefined) return faults
  return { ...faults, '': texts.book.ofItem({ service: row.service.name, text }) }
}
