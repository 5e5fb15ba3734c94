import type { Booking, ProblemDocument } from '../api/api-types.ts'
import { completed, nextStep, nothingChosen, type MoreItem } from './choice-rules.ts'
import { withoutSlots, withPlace, zoneAt, type FlowState, type HeldSlot } from './flow-state.ts'
import { alternativesIn } from './slots.ts'

/* State transitions from the hold on. */

/** Continues to the details once the slot is held. */
export function withHold(state: FlowState, held: HeldSlot): FlowState {
  return { ...state, busy: null, held, wanted: held.slot, step: 'details', notice: null, errors: {} }
}

/** Records that the hold expired. Its slot may still be free. Keeps the input. */
export function expired(state: FlowState): FlowState {
  return { ...state, held: null, notice: { kind: 'expired', alternatives: [] } }
}

const takenCodes = ['slot_held', 'slot_booked']

/** Records that the slot was refused. Offers alternatives and drops outdated slots. */
export function withRefusedSlot(state: FlowState, problem: ProblemDocument): FlowState {
  const kind = takenCodes.includes(problem.code)
    ? 'taken'
    : problem.code === 'slot_not_offered'
      ? 'notOffered'
      : problem.code === 'hold_limit_reached'
        ? 'tooManyHolds'
        : problem.code === 'booking_limit_reached'
          ? 'tooManyBookings'
          : 'refused'
  return { ...state, busy: null, notice: { kind, alternatives: alternativesIn(problem) } }
}

export function withBooking(state: FlowState, booking: Booking): FlowState {
  const manageUrl = booking.manage_url ?? state.manageUrl
  const zone = zoneAt(state, booking.location)
  return {
    ...state,
    busy: null,
    held: null,
    notice: null,
    trouble: null,
    booking,
    dates: state.held?.dates,
    manageUrl,
    zone,
    step: 'done',
  }
}

/** Starts another booking and keeps the visitor's details. */
export function startedAnew(state: FlowState): FlowState {
  const choice = completed(state.catalogue, nothingChosen, state.preset)
  const draft = { ...state.draft, notes: '', coupon: '', fields: {} }
  return {
    ...withoutSlots(state),
    ...withPlace(state, { ...state, choice }),
    draft,
    booking: null,
    manageUrl: null,
    checkoutUrl: null,
    wanted: null,
    repeat: null,
    step: nextStep(choice),
  }
}

/** A change of one service of the visit. */
export type ItemChange = Partial<Pick<MoreItem, 'staffId' | 'party'>>

/** Changes a service of the visit, or removes it without a change. */
export function withItem(state: FlowState, at: number, change?: ItemChange): FlowState {
  const { catalogue, preset, party, choice: before } = state
  const { serviceId, staffId, more = [] } = before
  const items = [{ serviceId: serviceId ?? '', staffId, party, isWith: false }, ...more].flatMap(
    (item, index) => (index === at ? (change ? [{ ...item, ...change }] : []) : [item]),
  )
  const [first, ...others] = items
  if (!first) return state
  const choice = { ...before, serviceId: first.serviceId, staffId: first.staffId, more: others }
  return {
    ...withoutSlots(state),
    ...withPlace(state, { catalogue, choice: completed(catalogue, choice, preset) }),
    party: first.party,
    notice: null,
  }
}
