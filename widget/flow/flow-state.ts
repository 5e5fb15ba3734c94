import type { Booking, BookingStart, Business, Location } from '../api/api-types.ts'
import { monthOf } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import {
  completed,
  locationOf,
  namedIn,
  nextStep,
  nothingChosen,
  without,
  type Catalogue,
  type Choice,
  type Preset,
  type Step,
} from './choice-rules.ts'
import { emptyDraft, type Draft, type Faults } from './draft.ts'
import type { FirstSlots, Slot } from './slots.ts'
import type { Trouble } from './trouble.ts'

/** A held slot. The deadline is by the clock of this device. */
export interface HeldSlot {
  id: string
  slot: Slot
  deadlineMs: number
  /** The starts of a series. Absent for one appointment. */
  dates?: number[]
  /** The starts that were not free. */
  skipped?: number[]
}

/** A repetition: every so many weeks, so many times. */
export interface Repetition {
  interval: number
  count: number
}

/** A message during the flow, with alternative times if there are any. */
export interface Notice {
  kind: 'taken' | 'notOffered' | 'expired' | 'tooManyHolds' | 'tooManyBookings' | 'refused'
  alternatives: Slot[]
}

/** The time zone that the website chose, or that of the visitor. */
export interface WantedZone {
  zone: string
  isChosen: boolean
}

/** The complete state of the widget. */
export interface FlowState {
  step: Step
  /** The request for which the visitor is waiting. */
  busy: 'start' | 'slots' | 'hold' | 'booking' | null
  business: Business | null
  showBranding: boolean
  /** True if the server sends emails. */
  sendsMail: boolean
  catalogue: Catalogue
  preset: Preset
  choice: Choice
  /** The number of people of the first service. */
  party: number
  /** True if the service to add is for somebody who comes along. */
  isAlong: boolean
  /** The time zone for display. */
  zone: string
  /** The visitor's time zone. */
  ownZone: string
  /** True if the website or the visitor chose the zone for display. */
  isZoneChosen: boolean
  month: string
  date: string | null
  /** Slots by month, for months that have been read. */
  slots: Record<string, Slot[]>
  /** Slots to show before a month has been read. */
  first: FirstSlots | undefined
  /** The first free slot if the current month has none; null if there is none at all. */
  soonest: Slot | null | undefined
  /** The slot chosen last, even after its hold expired. */
  wanted: Slot | null
  held: HeldSlot | null
  /** Absent for one appointment. */
  repeat?: Repetition | null
  draft: Draft
  errors: Faults
  notice: Notice | null
  trouble: Trouble | null
  /** The wait in seconds at a rate limit. */
  waitSeconds: number | null
  booking: Booking | null
  /** The starts of a booked series. Absent for one appointment. */
  dates?: number[] | undefined
  /** The manage page of the latest booking, even after a reload. */
  manageUrl: string | null
  /** The checkout of the booking's deposit. */
  checkoutUrl: string | null
}

export function initialState(preset: Preset, { zone, isChosen }: WantedZone, nowMs: number): FlowState {
  const today = dateIn(zone, nowMs)
  return {
    step: 'service',
    busy: 'start',
    business: null,
    showBranding: false,
    sendsMail: false,
    catalogue: { services: [], locations: [], staff: [] },
    preset,
    choice: nothingChosen,
    party: 1,
    isAlong: false,
    zone,
    ownZone: zone,
    isZoneChosen: isChosen,
    month: monthOf(preset.date && preset.date > today ? preset.date : today),
    date: null,
    slots: {},
    first: undefined,
    soonest: undefined,
    wanted: null,
    held: null,
    draft: emptyDraft,
    errors: {},
    notice: null,
    trouble: null,
    waitSeconds: null,
    booking: null,
    manageUrl: null,
    checkoutUrl: null,
  }
}

/** Starts the flow at the first step with a real choice. */
export function withStart(state: FlowState, start: BookingStart): FlowState {
  const { services, locations, staff } = start
  const isOpen = (id: string) => locations.some((location) => location.id === id)
  const catalogue = {
    services: services.filter(({ location_ids }) => location_ids.some(isOpen)),
    locations,
    staff,
  }
  const preset = namedIn(catalogue, state.preset)
  const choice = completed(catalogue, state.choice, preset)
  return {
    ...state,
    preset,
    busy: null,
    trouble: null,
    business: start.business,
    showBranding: start.show_branding,
    sendsMail: Boolean(start.sends_mail),
    catalogue,
    ...withPlace(state, { catalogue, choice }),
    step: nextStep(choice),
  }
}

/** Applies a choice and clears the choices that depend on it. */
export function withChoice(state: FlowState, step: Step, id: string): FlowState {
  const key = { service: 'serviceId', location: 'locationId', staff: 'staffId' }[
    step as 'service'
  ] as keyof Choice
  const chosen =
    step === 'more'
      ? withMore(state.choice, id, state.isAlong)
      : { ...without(state.choice, step), [key]: id }
  const choice = completed(state.catalogue, chosen, state.preset)
  return {
    ...withoutSlots(state),
    ...withPlace(state, { ...state, choice }),
    party: step === 'service' ? 1 : state.party,
    step: nextStep(choice),
    notice: null,
    errors: {},
  }
}

function withMore({ more = [], ...choice }: Choice, serviceId: string, isWith: boolean): Choice {
  return { ...choice, more: [...more, { serviceId, staffId: null, party: 1, isWith }] }
}

/** Applies a choice. Shows a physical location's own time zone, and the visitor's zone for an online one. */
export function withPlace(state: FlowState, { catalogue, choice }: Pick<FlowState, 'catalogue' | 'choice'>) {
  return { choice, zone: zoneAt(state, locationOf(catalogue, choice)) }
}

export function zoneAt(
  { zone, ownZone, isZoneChosen }: FlowState,
  place: Pick<Location, 'timezone' | 'online_url'> | undefined,
): string {
  if (isZoneChosen) return zone
  return place && !place.online_url ? place.timezone : ownZone
}

/** Drops the slots of another choice. */
export function withoutSlots(state: FlowState): FlowState {
  return { ...state, slots: {}, first: undefined, soonest: undefined, date: null }
}

/** Returns to an earlier step; keeps the input. */
export function backTo(state: FlowState, step: Step): FlowState {
  if (step === 'time') return { ...state, step, notice: null, date: dateOfWanted(state) ?? state.date }
  return { ...state, step, notice: null }
}

function dateOfWanted({ wanted, zone }: FlowState): string | null {
  return wanted && dateIn(zone, wanted.startsAtMs)
}
