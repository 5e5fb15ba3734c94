import type { Hold } from '../api/api-types.ts'
import { Refused } from '../api/refusals.ts'
import type { BookingFlow } from './booking-flow.ts'
import { type CheckoutPage, tabCheckouts } from './checkouts.ts'
import { servicesOf } from './choice-rules.ts'
import { DepositPayment } from './deposit-payment.ts'
import {
  type Asked,
  askedBy,
  bookingBody,
  faultsIn,
  fieldErrorsOf,
  fieldName,
  textsField,
} from './draft-rules.ts'
import {
  expired,
  startedAnew,
  withBooking,
  withHold,
  withRefusedSlot,
  type ItemChange,
  withItem,
} from './late-state.ts'
import type { Repetition } from './flow-state.ts'
import { Reservation } from './reservation.ts'
import { rememberTexts } from './text-memory.ts'
import type { Slot } from './slots.ts'

/** The visitor's actions from the hold on. Loaded while they look at the first step. */
export class LateFlow {
  readonly deposit: DepositPayment
  /** True if the hold was released because the visitor left. */
  hasLeft = false
  private readonly reservation: Reservation
  private readonly flow: BookingFlow

  /** The page's values for the booking. */
  metadata: () => Record<string, string> = () => ({})

  constructor(flow: BookingFlow, page: CheckoutPage) {
    this.flow = flow
    const { store, options, slots } = flow
    const { connection, checkout, nowMs, locale, events } = options
    const held = (hold: Hold) => {
      slots.forget()
      events.held(hold)
    }
    const metadata = () => this.metadata()
    this.reservation = new Reservation({ connection, store, nowMs, locale, metadata, held })
    const checkouts = tabCheckouts(checkout, page)
    this.deposit = new DepositPayment({ connection, store, checkouts, confirmed: events.booked })
  }

  /** Holds a slot, then releases the previous hold. */
  async hold(slot: Slot): Promise<void> {
    const { store } = this.flow
    const before = store.state.held
    try {
      const held = await this.reservation.place(slot)
      if (before) void this.reservation.release(before.id)
      store.replace(withHold(store.state, held))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.refused(error)
    }
  }

  /** Holds the chosen time again, with another repetition. A refusal leaves the hold as it is. */
  async repeat(repeat: Repetition | null): Promise<void> {
    const { state, store } = this.flow
    const { wanted, held: before, repeat: earlier = null } = state
    if (!wanted || state.busy) return
    store.set({ busy: 'hold', repeat })
    await this.flow.attempt(
      () => this.repeat(repeat),
      () => this.hold(wanted),
    )
    if (store.state.held === before) store.set({ busy: null, repeat: earlier })
  }

  /** Called when the deadline of the hold has passed. */
  lapse(): void {
    const { state, slots, store } = this.flow
    if (state.held && state.busy !== 'booking') {
      slots.forget()
      store.replace(expired(state))
    }
  }

  /** Books with the visitor's input. */
  async submit(): Promise<void> {
    const { state, store } = this.flow
    const services = servicesOf(state.catalogue, state.choice)
    if (services.length === 0 || state.busy === 'hold' || state.busy === 'booking') return
    const asked = askedBy(services, state.business)
    const errors = faultsIn(state.draft, asked)
    store.set({ errors, notice: Object.keys(errors).length > 0 ? state.notice : null })
    if (Object.keys(errors).length > 0) return
    await this.flow.attempt(
      () => this.submit(),
      () => this.book(asked),
    )
  }

  /** Changes a service of the visit, or removes it without a change, and searches again. */
  changeItem(at: number, change?: ItemChange): void {
    const { slots, store } = this.flow
    slots.forget()
    store.replace(withItem(store.state, at, change))
    void this.flow.enterStep()
  }

  bookAnother(): void {
    const { slots, store } = this.flow
    slots.forget()
    store.replace(startedAnew(store.state))
    void this.flow.enterStep()
  }

  /** Releases the slot when the visitor leaves. The request may outlive the page. */
  leave(): void {
    const { state, slots, store } = this.flow
    const { held } = state
    if (!held) return
    this.hasLeft = true
    store.replace({ ...state, held: null, step: 'time', notice: null })
    slots.forget()
    void this.reservation.release(held.id, true)
  }

  private refused(error: Refused): void {
    const { slots, store } = this.flow
    slots.forget()
    store.replace(withRefusedSlot(store.state, error.problem))
    this.flow.tell(error)
    if (store.state.step === 'time') void this.flow.lookAgain()
  }

  private async book(asked: Asked): Promise<void> {
    const { store, options } = this.flow
    store.set({ busy: 'booking' })
    try {
      const booking = await this.reservation.book(asked)
      this.rememberTexts()
      options.events.booked(booking)
      if (booking.redirect_url) this.deposit.begin(booking, booking.redirect_url)
      else store.replace(withBooking(store.state, booking))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      await this.refusedBooking(error, asked)
    }
  }

  /** Remembers the answer to the question about text messages, if it was shown. */
  private rememberTexts(): void {
    const { state, options } = this.flow
    const { phone, fields } = state.draft
    if (state.business?.sends_texts && phone.trim() !== '')
      rememberTexts(options.checkout.publishableKey, phone, Boolean(fields[textsField]))
  }

  private async refusedBooking(error: Refused, asked: Asked): Promise<void> {
    const { problem } = error
    if (problem.code !== 'validation_failed') {
      this.refused(error)
      return
    }
    const { draft } = this.flow.state
    const sent = bookingBody('', draft, asked)
    const errors = fieldErrorsOf(problem, sent, asked.custom_fields)
    // the business may have changed its questions meanwhile, and nobody has agreed to a changed text
    const again = await this.flow.options.connection.start('').catch(() => undefined)
    const fields = Object.fromEntries(
      Object.entries(draft.fields).filter(
        ([id, value]) => value !== true || errors[fieldName(id)] !== 'invalid',
      ),
    )
    const { catalogue, business } = this.flow.state
    this.flow.store.set({
      business: again?.business ?? business,
      draft: { ...draft, fields },
      catalogue: { ...catalogue, services: again?.services ?? catalogue.services },
    })
    const notice = Object.keys(errors).length > 0 ? null : { kind: 'refused' as const, alternatives: [] }
    this.flow.store.set({ busy: null, errors, notice })
    this.flow.tell(error)
  }
}

/** Returns the flow's instance, created on first use. */
export function lateFlowOf(flow: BookingFlow, page: CheckoutPage): LateFlow {
  flow.late ??= new LateFlow(flow, page)
  return flow.late
}
