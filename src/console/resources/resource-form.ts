import { html, type Html } from '../../base/html.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import type { BookableResource } from '../../catalogue/resource-schemas.ts'
import { choice, type FormState, hidden } from '../../pages/form.ts'
import { type Codec, fieldsOf, number, type Rows, text } from '../frame/form-rows.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { hoursRows } from '../team/hours-form.ts'

/* The form of a room or of equipment. */

export function resourceRows(language: ConsoleLanguage, locations: Location[] = []): Rows<BookableResource> {
  const { resources: words } = language.texts
  return [
    ['name', text({ required: true, max: 200 }), words.name],
    ['quantity', number({ required: true }), words.quantity, words.quantityHint],
    ['location_id', place(locations), words.location, words.locationHint],
    ...hoursRows(language, words.asLocation),
  ]
}

/** The location of an existing resource, which never changes. */
const placedName = 'placed'

/** Returns the codec of the location: a choice for a new resource, a text for an existing one. */
function place(locations: Location[]): Codec {
  return {
    read: (typed, name) => (name in typed ? typed[name] : undefined),
    show: (value) => ({ [placedName]: (value ?? '') as string }),
    input: (state, { name, label, hint }) => {
      const placed = state.typed[placedName] ?? ''
      if (placed !== '') {
        const { name: shown } = locations.find(({ id }) => id === placed) ?? { name: '' }
        return html`${hidden({ [placedName]: placed })}
          <p>${label}: <bdi>${shown}</bdi></p>`
      }
      const open = locations.filter(({ active }) => active)
      const [only] = open
      if (only && open.length === 1 && state.faults[name] === undefined) return hidden({ [name]: only.id })
      return choice(state, { name, label, hint, options: open.map((one) => [one.id, one.name] as const) })
    },
  }
}

export function resourceFields(language: ConsoleLanguage, state: FormState, locations: Location[]): Html {
  return fieldsOf(resourceRows(language, locations), state)()
}
