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
import { emptyDraft, type Draft, type Faults } from './draft-rules.ts'
import { slotOf, type Slot } from './slots.ts'
import type { Trouble } from './trouble.ts'

/** A slot that is held for the visitor, until the deadline by the clock of this device. */
export interface HeldSlot {
  id: string
  slot: Slot
  deadlineMs: number
}

/** Something to tell in the middle of the flow, with other times to choose where there are any. */
export interface Notice {
  kind: 'taken' | 'not_offered' | 'lapsed' | 'too_many_holds' | 'too_many_bookings' | 'refused'
  alternatives: Slot[]
}

/** Everything that the widget shows follows from this. */
export interface FlowState {
  step: Step
  /** What is under way, for which the visitor waits. */
  busy: 'start' | 'slots' | 'hold' | 'booking' | null
  business: Session['business'] | null
  showBranding: boolean
  catalogue: Catalogue
  preset: Choice
  choice: Choice
  /** The zone in which times are shown. */
  zone: string
  month: string
  date: string | null
  /** The slots of the months that were asked for; by the month. */
  slots: Record<string, Slot[]>
  /** The first free slot at all, when the month that is shown has none; null: there is none. */
  soonest: Slot | null | undefined
  /** The slot that was chosen last, also when its hold has lapsed. */
  wanted: Slot | null
  held: HeldSlot | null
  draft: Draft
  faults: Faults
  notice: Notice | null
  trouble: Trouble | null
  /** The widget waits this long because of a limit. */
  waitSeconds: number | null
  booking: Booking | null
  /** Where the deposit of the booking is paid. */
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
    zone,
    month: monthOf(dateIn(zone, nowMs)),
    date: null,
    slots: {},
    soonest: undefined,
    wanted: null,
    held: null,
    draft: emptyDraft,
    faults: {},
    notice: null,
    trouble: null,
    waitSeconds: null,
    booking: null,
    checkoutUrl: null,
  }
}

/** The catalogue has arrived: the flow begins at the first step at which there is something to choose. */
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

/** One of a list was chosen: what depends on it is open again. */
export function withChoice(state: FlowState, step: Step, id: string): FlowState {
  const key = { service: 'serviceId', location: 'locationId', staff: 'staffId' }[
    step as 'service'
  ] as keyof Choice
  const chosen = { ...without(state.choice, step), [key]: id }
  const choice = completed(state.catalogue, chosen, state.preset)
  return { ...withoutSlots(state), choice, step: nextStep(choice), notice: null, faults: {} }
}

/** Slots of another choice are of no use. */
function withoutSlots(state: FlowState): FlowState {
  return { ...state, slots: {}, soonest: undefined, date: null }
}

/** Back to an earlier step; what was typed stays. */
export function backTo(state: FlowState, step: Step): FlowState {
  if (step === 'time') return { ...state, step, notice: null, date: dateOfWanted(state) ?? state.date }
  return { ...state, step, notice: null }
}

function dateOfWanted({ wanted, zone }: FlowState): string | null {
  return wanted && dateIn(zone, wanted.startsAtMs)
}

/** The slot is held: the visitor may write their details. */
export function withHold(state: FlowState, held: HeldSlot): FlowState {
  return { ...state, busy: null, held, wanted: held.slot, step: 'details', notice: null, faults: {} }
}

/** The hold has lapsed: its slot may still be free, and what was typed stays. */
export function lapsed(state: FlowState): FlowState {
  return { ...state, held: null, notice: { kind: 'lapsed', alternatives: [] } }
}

const takenCodes = ['slot_held', 'slot_booked']

/** The service refused a slot: others are offered where the visitor is, and the list of slots is out of date. */
export function withRefusedSlot(state: FlowState, problem: ProblemDocument): FlowState {
  const alternatives = (problem.alternatives ?? []).map(slotOf)
  const kind = takenCodes.includes(problem.code)
    ? 'taken'
    : problem.code === 'slot_not_offered'
      ? 'not_offered'
      : problem.code === 'hold_limit_reached'
        ? 'too_many_holds'
        : problem.code === 'booking_limit_reached'
          ? 'too_many_bookings'
          : 'refused'
  return { ...state, busy: null, notice: { kind, alternatives } }
}

export function withBooking(state: FlowState, booking: Booking): FlowState {
  return { ...state, busy: null, held: null, notice: null, trouble: null, booking, step: 'done' }
}

/** From the confirmation to a new booking: whoever books again need not type again who they are. */
export function startedAnew(state: FlowState): FlowState {
  const choice = completed(state.catalogue, nothingChosen, state.preset)
  const draft = { ...state.draft, notes: '', fields: {} }
  return {
    ...withoutSlots(state),
    choice,
    draft,
    booking: null,
    checkoutUrl: null,
    wanted: null,
    step: nextStep(choice),
  }
}
