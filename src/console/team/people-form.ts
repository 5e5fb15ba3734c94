import { html, type Html } from '../../base/html.ts'
import type { Location, StaffMember } from '../../catalogue/location-and-staff-schemas.ts'
import { choice, field, type FormState, tick, ticked, tickedOf, ticks, type Typed } from '../../pages/form.ts'
import { shownFields, shownOf, typedShown } from '../frame/shown-form.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { hoursFieldOf, hoursFields, hoursOf, typedHours } from './hours-form.ts'

/* The forms of staff members and of locations: who and where, with their hours. */

interface Choice {
  id: string
  name: string
  active: boolean
}

export function typedStaff(member: StaffMember, serviceIds: string[]): Typed {
  return {
    name: member.name,
    email: member.email ?? '',
    description: member.description ?? '',
    ...typedShown(member),
    ...tickedOf('location.', member.location_ids),
    ...tickedOf('service.', serviceIds),
    ...typedHours(member),
  }
}

export function staffOf(typed: Typed): Record<string, unknown> {
  return {
    name: typed['name'],
    email: typed['email'] || null,
    ...('description' in typed && { description: typed['description'] || null }),
    ...shownOf(typed),
    location_ids: ticked(typed, 'location.'),
    ...hoursOf(typed),
  }
}

export function staffFieldOf(pointer: string, typed: Typed): string {
  return pointer.startsWith('/location_ids')
    ? 'locations'
    : (hoursFieldOf(pointer, typed) ?? pointer.slice(1))
}

/** What a staff member can do, and where. */
interface StaffChoices {
  services: Choice[]
  locations: Choice[]
}

export function staffFields(
  language: ConsoleLanguage,
  state: FormState,
  { services, locations }: StaffChoices,
): Html {
  const { staff: words } = language.texts
  return html`${field(state, { name: 'name', label: words.name, required: true, max: 200 })}
  ${field(state, { name: 'email', label: words.email, type: 'email', hint: words.emailHint, max: 254 })}
  ${field(state, { name: 'description', label: words.description, hint: words.descriptionHint, rows: 2, max: 5_000 })}
  ${boxes(state, { group: 'services', prefix: 'service.', label: words.services, all: services, least: 1 })}
  ${boxes(state, {
    ...{ group: 'locations', prefix: 'location.', label: words.locations, hint: words.locationsHint },
    ...{ all: locations, least: 2 },
  })}
  ${hoursFields(language, state, words.asLocation)} ${shownFields(language, state)}`
}

interface Boxes {
  group: string
  prefix: string
  label: string
  hint?: string
  all: Choice[]
  /** With fewer there is nothing to choose. */
  least: number
}

function boxes(state: FormState, { group, prefix, label, hint, all, least }: Boxes): Html {
  const shown = all.filter(({ id, active }) => active || state.typed[`${prefix}${id}`] === 'on')
  const kept = shown.filter(({ id }) => state.typed[`${prefix}${id}`] === 'on')
  if (shown.length < least)
    return html`${kept.map(({ id }) => html`<input type="hidden" name="${prefix}${id}" value="on" />`)}`
  return ticks(state, {
    name: group,
    label,
    ...(hint !== undefined && { hint }),
    boxes: shown.map(({ id, name }) => tick(state, `${prefix}${id}`, html`<bdi>${name}</bdi>`)),
  })
}

export function typedLocation(location: Location): Typed {
  return {
    name: location.name,
    address: location.address ?? '',
    timezone: location.timezone,
    online_url: location.online_url ?? '',
    ...typedHours(location),
  }
}

export function locationOf(typed: Typed): Record<string, unknown> {
  return {
    name: typed['name'],
    address: typed['address'] || null,
    ...(typed['timezone'] && { timezone: typed['timezone'] }),
    online_url: typed['online_url'] || null,
    ...hoursOf(typed),
  }
}

export function locationFieldOf(pointer: string, typed: Typed): string {
  return hoursFieldOf(pointer, typed) ?? pointer.slice(1)
}

export function locationFields(language: ConsoleLanguage, state: FormState): Html {
  const { locations: words } = language.texts
  return html`${field(state, { name: 'name', label: words.name, required: true, max: 200 })}
  ${field(state, { name: 'address', label: words.address, hint: words.addressHint, rows: 2, max: 500 })}
  ${hoursFields(language, state, words.always)} ${zoneField(language, state, { hint: words.zoneHint })}
  ${field(state, { name: 'online_url', label: words.online, hint: words.onlineHint, type: 'url', max: 2_048 })}`
}

/** A time zone, by its city first, as people look for it. A script puts that of the browser in the place of a guess. */
export function zoneField(
  { texts: { locations: words } }: ConsoleLanguage,
  state: FormState,
  { isGuess = false, hint }: { isGuess?: boolean; hint?: string } = {},
): Html {
  const present = state.typed['timezone'] ?? ''
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', present])
  const options = [...zones]
    .map((zone) => [zone, zoneName(zone)] as const)
    .toSorted(([, one], [, other]) => (one < other ? -1 : 1))
  const field = choice(state, {
    ...{ name: 'timezone', label: words.zone, options },
    ...(hint !== undefined && { hint }),
  })
  return isGuess ? html`<div data-guess-zone>${field}</div>` : field
}

/** Such as "Berlin (Europe)" for Europe/Berlin. */
export function zoneName(zone: string): string {
  const [city = '', ...regions] = zone.replaceAll('_', ' ').split('/').toReversed()
  return regions.length === 0 ? city : `${city} (${regions.toReversed().join('/')})`
}
