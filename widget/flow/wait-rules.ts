import type { ProblemDocument } from '../api/api-types.ts'
import { lastDayOf, monthOf, plusDays } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import { locationOf, servicesOf } from './choice-rules.ts'
import type { Faults } from './draft.ts'
import { type Asked, askedBy, bookingBody, faultsIn, fieldErrorsOf } from './draft-rules.ts'
import type { FlowState } from './flow-state.ts'
import { ownPlace, wishIn } from './reservation.ts'

/* The waiting list: the days and times that fit, and the request. */

/** The days and times that fit a visitor. Empty texts and an empty set do not limit. */
export interface Wishes {
  from: string
  to: string
  /** Weekdays as the API names them. */
  weekdays: ReadonlySet<string>
  after: string
  before: string
}

/** Monday first. */
export const weekdayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** The most days of a window in the API. */
const maxDays = 62
const usualDays = 28

/** Returns true if the visitor can wait for the chosen services, and offers can reach them. */
export function canWait({ catalogue, choice, business }: FlowState): boolean {
  const services = servicesOf(catalogue, choice)
  return !!business?.sends_offers && services.length > 0 && services.every(({ waitlist }) => waitlist)
}

/** Returns the next four weeks, or the month that the visitor looks at. */
export function firstWishes(state: FlowState, nowMs: number): Wishes {
  const today = todayOf(state, nowMs)
  const isNow = state.month <= monthOf(today)
  return {
    from: isNow ? today : `${state.month}-01`,
    to: isNow ? plusDays(today, usualDays - 1) : lastDayOf(state.month),
    ...{ weekdays: new Set(), after: '', before: '' },
  }
}

/** Returns the date at the chosen place. */
export function todayOf({ catalogue, choice, zone }: FlowState, nowMs: number): string {
  return dateIn(locationOf(catalogue, choice)?.timezone ?? zone, nowMs)
}

/** Returns the last date that may follow the first. */
export function latestTo(from: string): string {
  return plusDays(from, maxDays - 1)
}

/** Returns what the form asks. A phone number is voluntary. */
export function waitAsks({ catalogue, choice }: FlowState): Asked {
  const { client_fields: uses } = askedBy(servicesOf(catalogue, choice), null)
  const phone = uses.phone === 'required' ? 'optional' : uses.phone
  return { client_fields: { ...uses, phone }, custom_fields: [] }
}

/** Returns the faults that the API would refuse. */
export function waitFaults(state: FlowState, wishes: Wishes, nowMs: number): Faults {
  const { from, to, after, before } = wishes
  const isTo = to >= from && to <= latestTo(from || to) && to >= todayOf(state, nowMs)
  return {
    ...(from === '' && { from: 'required' as const }),
    ...(to === '' ? { to: 'required' as const } : from !== '' && !isTo && { to: 'invalid' as const }),
    ...(after !== '' && before !== '' && before < after && { before: 'invalid' as const }),
    ...faultsIn(state.draft, waitAsks(state)),
  }
}

/** Returns the body of `POST /waitlist`. */
export function waitBody(state: FlowState, { weekdays, ...wishes }: Wishes, locale: string) {
  const { client, text_consent } = bookingBody('', state.draft, waitAsks(state))
  const window = Object.entries(wishes).filter(([, text]) => text !== '')
  return {
    ...wishIn(state),
    ...Object.fromEntries(window),
    ...(weekdays.size > 0 && { weekdays: weekdayNames.filter((name) => weekdays.has(name)) }),
    client,
    ...(text_consent !== undefined && { text_consent }),
    ...ownPlace(locale),
  }
}

/** Returns the errors of a refused request by field. */
export function waitErrorsOf(problem: ProblemDocument, { draft, ...state }: FlowState): Faults {
  const asked = waitAsks({ draft, ...state })
  const errors = fieldErrorsOf(problem, bookingBody('', draft, asked), [])
  for (const { pointer } of problem.errors ?? []) {
    const [name = ''] = /(?<=^\/)(from|to|after|before)$/.exec(pointer) ?? []
    if (name) errors[name] = 'invalid'
  }
  return errors
}
