import { type Instant, readInstant } from '../../base/instants.ts'
import type { CustomField, Location, Service } from '../../catalogue/catalogue-types.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import { html, type Html } from '../page.ts'
import { faultBox, type FormFault, inputField, selectField, textField } from './console-form.ts'
import { type ConsoleVisit, pathOf } from './console-page.ts'

/* The form to book for a client: first the service, then everything else. */

/** What the fields say, by their names. */
export type Filled = Record<string, string>

/** A free time near a wanted one. */
export interface NearTime {
  starts_at: string
  staff_ids: string[]
}

/** What the form shows. */
export interface BookForm {
  visit: ConsoleVisit
  catalogue: WholeCatalogue
  service: Service
  location: Location
  filled: Filled
  fault?: FormFault | undefined
  /** Why the time is not offered to clients; it can be booked all the same. */
  warning?: string | undefined
  near?: readonly NearTime[] | undefined
  /** Earlier clients; undefined where nobody was searched for. */
  found?: readonly FoundClient[] | undefined
}

interface FoundClient {
  first_name: string
  last_name: string
  email: string
  phone: string | null
}

/** The services to choose from, as links that keep what is known already. */
export function serviceChoice(
  visit: ConsoleVisit,
  services: readonly Service[],
  known: Record<string, string | undefined>,
): Html {
  const t = visit.texts.book
  return html`<h1>${t.chooseService}</h1>
    ${services.length === 0 ? html`<p>${t.noServices}</p>` : ''}
    <ul class="agenda choices">
      ${services.map(
        (service) =>
          html`<li>
            <a class="button" href="${pathOf('/console/book', visit, { ...known, service: service.id })}"
              ><bdi>${service.name}</bdi></a
            >
            <span class="soft">${t.minutes(service.duration_minutes)}</span>
          </li>`,
      )}
    </ul>`
}

/** The form itself. */
export function bookForm(form: BookForm): Html {
  const { visit, service, filled, fault } = form
  const t = visit.texts.book
  const again = pathOf('/console/book', visit, { start: filled.start, location: filled.location })
  return html`<h1>${t.title}: <bdi>${service.name}</bdi></h1>
    <p class="soft">${t.minutes(service.duration_minutes)} · <a href="${again}">${t.otherService}</a></p>
    <form method="post" action="${pathOf('/console/book', visit)}" class="fields book">
      <button type="submit" name="do" value="book" class="unseen" tabindex="-1" aria-hidden="true"></button>
      ${hidden({ once: filled.once, start: filled.start, service: service.id })}
      ${faultBox(fault, nearTimes(form))} ${warningBox(form)} ${whenFields(form)}
      <fieldset>
        <legend>${t.client}</legend>
        ${visit.person.role === 'staff' ? '' : lookUp(form)} ${clientFields(form)}
      </fieldset>
      ${service.custom_fields.map((field) => answerField(form, field))}
      ${textField(visit.texts.form, {
        id: 'notes',
        label: t.notes,
        value: filled.notes ?? '',
        fault: fault?.fields.notes,
        maxLength: 1000,
      })}
      <label class="choice"
        ><input type="checkbox" name="tell" value="on" ${filled.tell === 'on' ? html`checked` : ''} />
        ${t.tell}</label
      >
      <button type="submit" name="do" value="book" class="main">${t.send}</button>
    </form>`
}

function hidden(values: Record<string, string | undefined>): Html[] {
  return Object.entries(values).map(([name, value]) =>
    value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}" />`,
  )
}

/** Free times as buttons that send the form with them. */
function nearTimes({ visit, near, location, catalogue }: BookForm): Html {
  if (!near || near.length === 0) return html``
  const t = visit.texts.book
  return html`<p>${t.near}</p>
    <p class="near">
      ${near.map(({ starts_at, staff_ids }) => {
        const member = catalogue.staff.find(({ id }) => id === staff_ids[0])
        const text = momentOf(readInstant(starts_at), location.timezone, visit.locale)
        return html`<button
          type="submit"
          name="at"
          value="${[starts_at, ...staff_ids.slice(0, 1)].join(' ')}"
        >
          ${text}${member ? html` · <bdi>${member.name}</bdi>` : ''}
        </button>`
      })}
    </p>`
}

/** "Mon 23 Nov, 9:30". */
export function momentOf(instant: Instant, timeZone: string, locale: string): string {
  const format = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  } as const
  return new Intl.DateTimeFormat(locale, { ...format, timeZone }).format(Date.parse(instant))
}

function warningBox({ visit, warning, near, location, catalogue, filled, ...form }: BookForm): Html {
  if (warning === undefined) return html``
  const t = visit.texts.book
  return html`<div class="alert" role="alert">
    <p>${warning}</p>
    <label class="choice"
      ><input type="checkbox" name="anyway" value="on" ${filled.anyway === 'on' ? html`checked` : ''} />
      ${t.anyway}</label
    >
    ${nearTimes({ ...form, visit, near, location, catalogue, filled })}
  </div>`
}

function whenFields({ visit, catalogue, service, location, filled, fault }: BookForm): Html {
  const t = visit.texts.book
  const texts = visit.texts.form
  const places = catalogue.locations.filter(({ id, active }) => active && service.location_ids.includes(id))
  const isStaff = visit.person.role === 'staff'
  const people = catalogue.staff.filter(
    ({ id, active }) => active && service.staff_ids.includes(id) && (!isStaff || id === visit.person.staffId),
  )
  return html`${
      places.length > 1
        ? selectField(texts, {
            id: 'location',
            label: t.location,
            value: location.id,
            options: places.map(({ id, name }) => [id, name] as const),
          })
        : hidden({ location: location.id })
    }
    ${
      service.staff_ids.length === 0
        ? ''
        : selectField(texts, {
            id: 'who',
            label: t.who,
            value: filled.who ?? '',
            fault: fault?.fields.staff_id,
            options: [
              ...(isStaff ? [] : [['', t.anyone] as const]),
              ...people.map(({ id, name }) => [id, name] as const),
            ],
          })
    }
    <div class="pair">
      ${inputField(texts, { id: 'date', label: t.date, type: 'date', value: filled.date ?? '', required: true, fault: fault?.fields.date })}
      ${inputField(texts, { id: 'time', label: t.time, type: 'time', value: filled.time ?? '', required: true, fault: fault?.fields.time })}
    </div>`
}

function lookUp({ visit, filled, found, fault }: BookForm): Html {
  const t = visit.texts.book
  return html`<div>
      <label for="q">${t.findClient}</label>
      <div class="pair">
        <input
          id="q"
          name="q"
          type="search"
          value="${filled.q ?? ''}"
          maxlength="100"
          dir="auto"
          autocomplete="off"
        />
        <button type="submit" name="do" value="find" formnovalidate>${t.find}</button>
      </div>
      ${fault?.fields.q === undefined ? '' : html`<p class="hint"><span class="fault">${fault.fields.q}</span></p>`}
    </div>
    ${
      found === undefined
        ? ''
        : found.length === 0
          ? html`<p role="status">${t.nobodyFound}</p>`
          : html`<p class="near" role="status">
              ${found.map(
                ({ first_name, last_name, email, phone }) =>
                  html`<button type="submit" name="pick" value="${email}" formnovalidate>
                    <bdi>${first_name} ${last_name}</bdi> ·
                    <bdi>${email}</bdi>${phone === null ? '' : html` · <bdi>${phone}</bdi>`}
                  </button>`,
              )}
            </p>`
    }`
}

function clientFields({ visit, filled, fault }: BookForm): Html {
  const t = visit.texts.book
  const field = (id: string, label: string, more: object = {}) =>
    inputField(visit.texts.form, {
      id,
      label,
      value: filled[id] ?? '',
      fault: fault?.fields[`client/${id}`],
      autocomplete: 'off',
      required: true,
      maxLength: 100,
      ...more,
    })
  return html`<div class="pair">${field('first_name', t.firstName)} ${field('last_name', t.lastName)}</div>
    <div class="pair">
      ${field('email', t.email, { type: 'email', maxLength: 254 })}
      ${field('phone', t.phone, { type: 'tel', maxLength: 32, required: false })}
    </div>`
}

/** The name of the field of an answer. */
export function answerName({ id }: Pick<CustomField, 'id'>, choice?: number): string {
  return choice === undefined ? `answer-${id}` : `answer-${id}-${choice}`
}

const inputTypes: Partial<Record<CustomField['type'], string>> = {
  number: 'number',
  date: 'date',
  email: 'email',
  phone: 'tel',
  url: 'url',
}

function answerField({ visit, filled, fault }: BookForm, field: CustomField): Html {
  const id = answerName(field)
  const texts = visit.texts.form
  const { label, required, options = [] } = field
  const value = filled[id] ?? ''
  const common = { id, label, value, required, fault: fault?.fields[id] }
  if (field.type === 'textarea') return textField(texts, { ...common, maxLength: 5000 })
  if (field.type === 'select')
    return selectField(texts, {
      ...common,
      options: [['', visit.texts.book.chooseOne] as const, ...options.map((one) => [one, one] as const)],
    })
  const box = (name: string, text: string) =>
    html`<label class="choice"
      ><input type="checkbox" name="${name}" value="on" ${filled[name] === 'on' ? html`checked` : ''} />
      <bdi>${text}</bdi></label
    >`
  if (field.type === 'boolean') return box(id, label)
  if (field.type === 'multi_select')
    return html`<fieldset>
      <legend>${label}</legend>
      ${options.map((one, index) => box(answerName(field, index), one))}
      ${common.fault === undefined ? '' : html`<p class="hint"><span class="fault">${common.fault}</span></p>`}
    </fieldset>`
  return inputField(texts, { ...common, type: inputTypes[field.type] ?? 'text', maxLength: 500 })
}
