import type { Booking, Hold, Service, Session } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import { codeOf, Refused } from '../api/refusals.ts'
import { dateIn } from '../times/zones.ts'
import { readCatalogue } from './catalogue-reading.ts'
import type { Checkouts, OpenCheckout } from './checkouts.ts'
import { serviceOf, type Choice, type ListStep, type Step } from './choice-rules.ts'
import { DepositPayment } from './deposit-payment.ts'
import type { Draft, DraftRules } from './draft.ts'
import {
  backTo,
  initialState,
  expired,
  startedAnew,
  withBooking,
  withCatalogue,
  withChoice,
  withHold,
  withRefusedSlot,
  type FlowState,
} from './flow-state.ts'
import { FlowStore } from './flow-store.ts'
import { Reservation } from './reservation.ts'
import { SlotReading } from './slot-reading.ts'
import type { Slot } from './slots.ts'
import { troubleOf } from './trouble.ts'

/** Events of the flow for the page. */
interface FlowEvents {
  held: (hold: Hold) => void
  booked: (booking: Booking) => void
  error: (error: { code: string; message: string }) => void
}

/** Where the address of the page for the booking made last is kept, so that a reload does not lose it. */
export interface LinkPlace {
  /** Of the storage of the tab, on websites of others. */
  key: string
  /** Whether the page is Holdfast's own, on which the fragment of the address is free. */
  isOwn: boolean
}

interface FlowOptions {
  connection: Connection
  checkouts: Checkouts
  preset: Choice
  /** The initial time zone. Passed in, because asking the browser is slow. */
  zone: () => string
  /** Where the page of a booking is kept, and that of one made before a reload. */
  place: LinkPlace
  manageUrl: string | null
  nowMs: () => number
  /** The language that the visitor reads (BCP 47). */
  locale: () => string
  events: FlowEvents
}

/** The session is being exchanged: a new one, or that of a booking whose deposit was being paid. */
interface Beginning {
  open: OpenCheckout | undefined
  exchange: Promise<Session>
}

/** One visitor's booking flow: turns their actions and the API's responses into state. */
export class BookingFlow {
  readonly options: FlowOptions
  private readonly store: FlowStore
  private readonly slots: SlotReading
  private readonly reservation: Reservation
  private readonly deposit: DepositPayment
  private beginning: Beginning | undefined
  private again: () => Promise<void> = () => this.start()

  constructor(options: FlowOptions) {
    const { connection, checkouts, preset, zone, manageUrl, nowMs, locale, events } = options
    this.options = options
    this.beginning = this.begin() // runs while the rest is set up
    this.store = new FlowStore({ ...initialState(preset, zone(), nowMs()), manageUrl })
    const { store } = this
    this.slots = new SlotReading({ connection, store, nowMs })
    const held = (hold: Hold) => {
      this.slots.forget()
      events.held(hold)
    }
    this.reservation = new Reservation({ connection, store, nowMs, locale, held })
    this.deposit = new DepositPayment({ connection, store, checkouts, confirmed: events.booked })
    connection.onWait = (waitSeconds) => this.set({ waitSeconds })
  }

  get state(): FlowState {
    return this.store.state
  }

  subscribe(listener: () => void): void {
    this.store.subscribe(listener)
  }

  /** Reads the catalogue, or a booking whose deposit was being paid. */
  async start(): Promise<void> {
    await this.attempt(
      () => this.start(),
      async () => {
        this.set({ busy: 'start' })
        const { connection, preset } = this.options
        const { open, exchange } = this.beginning ?? this.begin()
        this.beginning = undefined
        if (!open) this.slots.askEarly(preset)
        const [session, catalogue] = await Promise.all([exchange, readCatalogue(connection)])
        this.replace(withCatalogue(this.state, session, catalogue))
        if (open) await this.deposit.resume(open)
        else await this.enterStep()
      },
    )
  }

  private begin(): Beginning {
    const { connection, checkouts } = this.options
    const open = checkouts.take()
    const exchange = open ? connection.resume(open.token) : connection.session()
    exchange.catch(() => undefined) // start() reports it
    return { open, exchange }
  }

  choose(step: ListStep, id: string): void {
    this.slots.forget()
    this.replace(withChoice(this.state, step, id))
    void this.enterStep()
  }

  /** Looks for times with room for so many people. */
  setParty(party: number): void {
    this.slots.forget()
    this.set({ party, slots: {}, soonest: undefined })
    void this.enterStep()
  }

  goBack(step: Step): void {
    this.replace(backTo(this.state, step))
    void this.enterStep()
  }

  setZone(zone: string): void {
    const { date, month, wanted } = this.state
    this.replace({
      ...this.state,
      zone,
      date: wanted && date ? dateIn(zone, wanted.startsAtMs) : date,
      month,
    })
  }

  async showMonth(month: string): Promise<void> {
    this.set({ month, date: null, notice: null })
    await this.attempt(
      () => this.showMonth(month),
      () => this.slots.read(month),
    )
  }

  chooseDate(date: string): void {
    this.set({ date })
  }

  /** Holds a slot, then releases the previous hold. */
  async chooseSlot(slot: Slot): Promise<void> {
    if (this.state.busy) return
    await this.attempt(
      () => this.chooseSlot(slot),
      () => this.hold(slot),
    )
  }

  /** Holds the same slot again after its hold expired. */
  async holdAgain(): Promise<void> {
    if (this.state.wanted) await this.chooseSlot(this.state.wanted)
  }

  write(change: Partial<Draft>): void {
    this.set({ draft: { ...this.state.draft, ...change } })
  }

  /** Called when the deadline of the hold has passed. */
  lapse(): void {
    if (this.state.held && this.state.busy !== 'booking') {
      this.slots.forget()
      this.replace(expired(this.state))
    }
  }

  /** Books what was typed; the rules come with the form. */
  async submit(rules: DraftRules): Promise<void> {
    const service = serviceOf(this.state.catalogue, this.state.choice)
    if (!service || this.state.busy) return
    const errors = rules.faultsIn(this.state.draft, service.custom_fields)
    this.set({ errors, notice: Object.keys(errors).length > 0 ? this.state.notice : null })
    if (Object.keys(errors).length > 0) return
    await this.attempt(
      () => this.submit(rules),
      () => this.book(service, rules),
    )
  }

  bookAnother(): void {
    this.slots.forget()
    this.replace(startedAnew(this.state))
    void this.enterStep()
  }

  /** Retries the action that got no response. */
  async tryAgain(): Promise<void> {
    this.set({ trouble: null })
    await this.again()
  }

  /** Releases the slot when the visitor leaves; the request may outlive the page. */
  leave(): void {
    const { held } = this.state
    if (!held) return
    this.replace({ ...this.state, held: null, step: 'time', notice: null })
    this.slots.forget()
    void this.reservation.release(held.id, true)
  }

  /** Reads the slots again, because others may have booked meanwhile. */
  async lookAgain(): Promise<void> {
    await this.deposit.look()
    if (this.state.step !== 'time' || this.state.busy || this.state.trouble) return
    await this.slots.read(this.state.month).catch(() => undefined) // keep the old slots; holding one will tell
  }

  private async enterStep(): Promise<void> {
    if (this.state.step !== 'time') return
    await this.attempt(
      () => this.enterStep(),
      () => this.slots.read(this.state.month, true),
    )
  }

  private async hold(slot: Slot): Promise<void> {
    const before = this.state.held
    this.set({ busy: 'hold', wanted: slot })
    try {
      const held = await this.reservation.place(slot)
      if (before) void this.reservation.release(before.id)
      this.replace(withHold(this.state, held))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.refused(error)
    }
  }

  private refused(error: Refused): void {
    this.slots.forget()
    this.replace(withRefusedSlot(this.state, error.problem))
    this.tell(error)
    if (this.state.step === 'time') void this.lookAgain()
  }

  private async book(service: Service, rules: DraftRules): Promise<void> {
    this.set({ busy: 'booking' })
    try {
      const booking = await this.reservation.book(service, rules)
      this.options.events.booked(booking)
      if (booking.redirect_url) this.deposit.begin(booking, booking.redirect_url)
      else this.replace(withBooking(this.state, booking))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.refusedBooking(error, service, rules)
    }
  }

  private refusedBooking(error: Refused, service: Service, rules: DraftRules): void {
    const { problem } = error
    if (problem.code !== 'validation_failed') {
      this.refused(error)
      return
    }
    const sent = rules.bookingBody('', this.state.draft, service.custom_fields)
    const errors = rules.fieldErrorsOf(problem, sent, service.custom_fields)
    const notice = Object.keys(errors).length > 0 ? null : { kind: 'refused' as const, alternatives: [] }
    this.set({ busy: null, errors, notice })
    this.tell(error)
  }

  /** Opens the checkout again. */
  pay(): void {
    this.deposit.again()
  }

  /** Checks whether the deposit has arrived. */
  async lookAtPayment(): Promise<void> {
    await this.deposit.look()
  }

  /** Runs a request; without a response, shows a message and a button that runs `again`. */
  private async attempt(again: () => Promise<void>, run: () => Promise<void>): Promise<void> {
    this.again = again
    try {
      await run()
    } catch (error) {
      this.set({ busy: null, waitSeconds: null, trouble: troubleOf(error) })
      this.tell(error)
    }
  }

  private tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.options.events.error({ code: codeOf(error) ?? 'unreachable', message })
  }

  private set(change: Partial<FlowState>): void {
    this.store.set(change)
  }

  private replace(state: FlowState): void {
    this.store.replace(state)
  }
}
