import type { Booking, ProblemDocument, Session } from '../api/api-types.ts'
import { monthOf } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import {
  completed,
  nextStep,
  nothingChosen,
  without,
  type Catalogue,
  type Choice,
  type Step,
} from './choice-rules.ts'
import { emptyDraft, type Draft, type Faults } from './draft.ts'
import { slotOf, type Slot } from './slots.ts'
import type { Trouble } from './trouble.ts'

/** A held slot; the deadline is by the clock of this device. */
export interface HeldSlot {
  id: string
  slot: Slot
  deadlineMs: number
}

/** A message during the flow, with alternative times if there are any. */
export interface Notice {
  kind: 'taken' | 'notOffered' | 'expired' | 'tooManyHolds' | 'tooManyBookings' | 'refused'
  alternatives: Slot[]
}

/** The complete state of the widget. */
export interface FlowState {
  step: Step
  /** The request that the visitor waits for. */
  busy: 'start' | 'slots' | 'hold' | 'booking' | null
  business: Session['business'] | null
  showBranding: boolean
  catalogue: Catalogue
  preset: Choice
  choice: Choice
  /** How many people come. */
  party: number
  /** The display time zone. */
  zone: string
  month: string
  date: string | null
  /** Slots by month, for months that were read. */
  slots: Record<string, Slot[]>
  /** The first free slot when the current month has none; null if there is none at all. */
  soonest: Slot | null | undefined
  /** The slot chosen last, even after its hold expired. */
  wanted: Slot | null
  held: HeldSlot | null
  draft: Draft
  errors: Faults
  notice: Notice | null
  trouble: Trouble | null
  /** The wait at a rate limit. */
  waitSeconds: number | null
  booking: Booking | null
  /** The page of the booking made last, also after a reload. */
  manageUrl: string | null
  /** The checkout of the booking's deposit. */
  checkoutUrl: string | null
}

export function initialState(preset: Choice, zone: string, nowMs: number): FlowState {
  return {
    step: 'service',
    busy: 'start',
    business: null,
    showBranding: false,
    catalogue: { services: [], locations: [], staff: [] },
    preset,
    choice: nothingChosen,
    party: 1,
    zone,
    month: monthOf(dateIn(zone, nowMs)),
    date: null,
    slots: {},
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
export function withCatalogue(state: FlowState, session: Session, catalogue: Catalogue): FlowState {
  const choice = completed(catalogue, nothingChosen, state.preset)
  return {
    ...state,
    busy: null,
    trouble: null,
    business: session.business,
    showBranding: session.show_branding,
    catalogue,
    choice,
    step: nextStep(choice),
  }
}

/** Applies a choice, and clears the choices that depend on it. */
export function withChoice(state: FlowState, step: Step, id: string): FlowState {
  const key = { service: 'serviceId', location: 'locationId', staff: 'staffId' }[
    step as 'service'
  ] as keyof Choice
  const chosen = { ...without(state.choice, step), [key]: id }
  const choice = completed(state.catalogue, chosen, state.preset)
  return {
    ...withoutSlots(state),
    choice,
    party: step === 'service' ? 1 : state.party,
    step: nextStep(choice),
    notice: null,
    errors: {},
  }
}

/** Drops the slots of another choice. */
function withoutSlots(state: FlowState): FlowState {
  return { ...state, slots: {}, soonest: undefined, date: null }
}

/** Returns to an earlier step; keeps the input. */
export function backTo(state: FlowState, step: Step): FlowState {
  if (step === 'time') return { ...state, step, notice: null, date: dateOfWanted(state) ?? state.date }
  return { ...state, step, notice: null }
}

function dateOfWanted({ wanted, zone }: FlowState): string | null {
  return wanted && dateIn(zone, wanted.startsAtMs)
}

/** Continues to the details once the slot is held. */
export function withHold(state: FlowState, held: HeldSlot): FlowState {
  return { ...state, busy: null, held, wanted: held.slot, step: 'details', notice: null, errors: {} }
}

/** The hold expired: its slot may still be free. Keeps the input. */
export function expired(state: FlowState): FlowState {
  return { ...state, held: null, notice: { kind: 'expired', alternatives: [] } }
}

const takenCodes = ['slot_held', 'slot_booked']

/** The slot was refused: offers alternatives, and drops the outdated slots. */
export function withRefusedSlot(state: FlowState, problem: ProblemDocument): FlowState {
  const alternatives = (problem.alternatives ?? []).map(slotOf)
  const kind = takenCodes.includes(problem.code)
    ? 'taken'
    : problem.code === 'slot_not_offered'
      ? 'notOffered'
      : problem.code === 'hold_limit_reached'
        ? 'tooManyHolds'
        : problem.code === 'booking_limit_reached'
          ? 'tooManyBookings'
          : 'refused'
  return { ...state, busy: null, notice: { kind, alternatives } }
}

export function withBooking(state: FlowState, booking: Booking): FlowState {
  const manageUrl = booking.manage_url ?? state.manageUrl
  return { ...state, busy: null, held: null, notice: null, trouble: null, booking, manageUrl, step: 'done' }
}

/** Starts another booking; keeps the visitor's details. */
export function startedAnew(state: FlowState): FlowState {
  const choice = completed(state.catalogue, nothingChosen, state.preset)
  const draft = { ...state.draft, notes: '', fields: {} }
  return {
    ...withoutSlots(state),
    choice,
    draft,
    booking: null,
    manageUrl: null,
    checkoutUrl: null,
    wanted: null,
    step: nextStep(choice),
  }
}
