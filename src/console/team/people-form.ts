import { html, type Html } from '../../base/html.ts'
import type { Location, StaffMember } from '../../catalogue/location-and-staff-schemas.ts'
import { choice, type FormState } from '../../pages/form.ts'
import {
  type Codec,
  fieldsOf,
  ids,
  inColumns,
  type Offered,
  optional,
  type Rows,
  text,
} from '../frame/form-rows.ts'
import { shownFields, shownRows } from '../frame/shown-form.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { hoursRows } from './hours-form.ts'
import { zoneNames } from './zone-names.ts'

/* The forms of staff members and locations, with their hours. */

/** The services and locations of a business. */
interface StaffChoices {
  services: Offered[]
  locations: Offered[]
}

export function staffRows(language: ConsoleLanguage, choices?: StaffChoices): Rows<StaffMember> {
  const { staff: words } = language.texts
  return [
    ['name', text({ required: true, max: 200 }), words.name],
    ['email', optional({ type: 'email', max: 254 }), words.email, words.emailHint],
    ['description', optional({ rows: 2, max: 5_000 }), words.description, words.descriptionHint],
    ['location_ids', ids(choices?.locations ?? [], { least: 2 }), words.locations, words.locationsHint],
    ...hoursRows(language, words.asLocation, { usual: [], whose: 'person' }), // their page suggests those of the location
    ...shownRows(language.texts, 'face'),
  ]
}

/** The checkboxes of services, which are not a field of the staff member. */
export const servicesName = 'service_ids'

export function staffFields(language: ConsoleLanguage, state: FormState, choices: StaffChoices): Html {
  const rows = staffRows(language, choices)
  const at = fieldsOf(rows, state)
  const { services: label } = language.texts.staff
  return inColumns(
    html`<section class="card">${at('name', 'email', 'description')}</section>
      ${ids(choices.services).input(state, { name: servicesName, label })} ${at('location_ids')}`,
    html`${at('weekly_hours', 'date_overrides')}
      <section class="card folds">${shownFields(language, state, rows)}</section>`,
  )
}

/** Renders the fields of a location. */
export function locationFields(language: ConsoleLanguage, state: FormState): Html {
  const at = fieldsOf(locationRows(language), state)
  return inColumns(
    html`<section class="card">${at('name', 'address', 'timezone', 'online_url')}</section>
      ${at('date_overrides')}`,
    at('weekly_hours'),
  )
}

export function locationRows(language: ConsoleLanguage): Rows<Location> {
  const { locations: words } = language.texts
  return [
    ['name', text({ required: true, max: 200 }), words.name],
    ['address', optional({ rows: 2, max: 500 }), words.address, words.addressHint],
    ...hoursRows(language, words.always),
    ['timezone', zone(language), words.zone, words.zoneHint],
    ['online_url', optional({ type: 'url', max: 2_048 }), words.online, words.onlineHint],
  ]
}

/**
 * Returns the codec of a time zone, listed by city first, as people search for it. A script replaces a guess
 * by the browser's zone.
 */
export function zone({ locale }: Pick<ConsoleLanguage, 'locale'>, { isGuess = false } = {}): Codec {
  return {
    ...optional({ usual: undefined }),
    input: (state, parts) => {
      const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', state.typed[parts.name] ?? ''])
      const { compare } = new Intl.Collator(locale)
      const nameOf = zoneNames(locale)
      const options = [...zones]
        .map((one) => [one, nameOf(one)] as const)
        .toSorted(([, one], [, other]) => compare(one, other))
      const shown = choice(state, { ...parts, options })
      return isGuess ? html`<div data-guess-zone>${shown}</div>` : shown
    },
  }
}
