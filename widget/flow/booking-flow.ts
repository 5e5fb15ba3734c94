import type { Booking, BookingStart, Hold } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import { codeOf, Unreachable } from '../api/refusals.ts'
import { monthOf } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import type { ListStep, Preset, Step } from './choice-rules.ts'
import type { Draft } from './draft.ts'
import { backTo, initialState, withChoice, withStart, type FlowState, type WantedZone } from './flow-state.ts'
import { FlowStore } from './flow-store.ts'
import type { LateFlow } from './late-flow.ts'
import { type CheckoutPlace, type OpenCheckout, takeCheckout } from './open-checkout.ts'
import { SlotReading } from './slot-reading.ts'
import type { Slot } from './slots.ts'
import { troubleOf } from './trouble.ts'

/** Events of the flow for the page. */
interface FlowEvents {
  held: (hold: Hold) => void
  booked: (booking: Booking) => void
  error: (error: { code: string; message: string }) => void
}

/** Storage of the latest booking's page address, so that a reload does not lose it. */
export interface LinkPlace {
  /** Key in the storage of the tab, on other websites. */
  key: string
  /** True on Holdfast's own page, whose URL fragment is free. */
  isOwn: boolean
}

interface FlowOptions {
  connection: Connection
  /** Loads the code that holds and books. */
  later: () => Promise<{ lateFlowOf: (flow: BookingFlow) => LateFlow }>
  checkout: CheckoutPlace
  preset: Preset
  /** The state of the visit before a reload. */
  kept?: Partial<FlowState>
  /** Passed as a function, because asking the browser is slow. */
  zone: () => WantedZone
  /** Storage for the address of a booking's page, and the address from before a reload. */
  place: LinkPlace
  manageUrl: string | null
  nowMs: () => number
  /** The visitor's language (BCP 47). */
  locale: () => string
  events: FlowEvents
}

/** A request for the initial data, and the booking whose deposit was being paid, if any. */
interface Beginning {
  open: OpenCheckout | undefined
  reading: Promise<BookingStart>
}

/** One visitor's booking flow: turns their actions and the API's responses into state. */
export class BookingFlow {
  readonly options: FlowOptions
  readonly store: FlowStore
  readonly slots: SlotReading
  /** Holds and books. Undefined until its script has loaded. */
  late: LateFlow | undefined
  /** The steps so far. Some may be over before the script that records them in the history has loaded. */
  readonly trail: Step[] = []
  private beginning: Beginning | undefined
  private again: () => Promise<void> = () => this.start()

  constructor(options: FlowOptions) {
    const { connection, preset, zone, manageUrl, nowMs } = options
    this.options = options
    const { month, ...kept } = options.kept ?? {}
    const initial = initialState(preset, zone(), nowMs())
    this.store = new FlowStore({ ...initial, ...kept, step: 'service', manageUrl })
    if (month && month > initial.month) this.set({ month })
    const { store, trail } = this
    store.subscribe(() => {
      const { step, business } = this.state
      if (business && step !== trail.at(-1)) trail.push(step)
    })
    this.slots = new SlotReading({ connection, store, nowMs })
    connection.onWait = (waitSeconds) => this.set({ waitSeconds })
    this.beginning = this.begin() // runs while the language loads
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
        const { open, reading } = this.beginning ?? this.begin()
        this.beginning = undefined
        this.replace(withStart(this.state, await reading))
        if (open) await (await this.loadLate()).deposit.resume(open)
        else void this.enterStep()
      },
    )
  }

  private begin(): Beginning {
    const { connection, checkout, preset, kept } = this.options
    const open = takeCheckout(checkout)
    if (open) connection.resume(open.token)
    const reading = this.slots.start({ ...preset, ...kept?.choice })
    reading.catch(() => undefined) // start() reports it
    return { open, reading }
  }

  choose(step: ListStep, id: string): void {
    this.slots.forget()
    this.replace(withChoice(this.state, step, id))
    void this.enterStep()
  }

  /** Searches for times with room for a number of people. */
  setParty(party: number): void {
    if (party === this.state.party) return
    this.slots.forget()
    this.set({ party, slots: {}, first: undefined, soonest: undefined })
    void this.enterStep()
  }

  /** Asks for a further service, also for somebody who comes along. */
  askForMore(isAlong: boolean): void {
    this.set({ isAlong })
    this.goBack('more')
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
      isZoneChosen: true,
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

  /** Shows the times of a day. They are known for the first free day; for others, reads the month. */
  chooseDate(date: string): void {
    this.set({ date })
    if (this.slots.knows(date)) return
    void this.attempt(
      async () => this.chooseDate(date),
      () => this.slots.read(monthOf(date), true),
    )
  }

  /** Holds a slot, then releases the previous hold. */
  async chooseSlot(slot: Slot): Promise<void> {
    const { busy } = this.state
    if (busy === 'hold' || busy === 'booking') return
    await this.attempt(
      () => this.chooseSlot(slot),
      async () => {
        this.slots.stop() // stops reading further times, which the visitor no longer needs
        this.set({ busy: 'hold', wanted: slot })
        await (await this.loadLate()).hold(slot)
      },
    )
  }

  /** Holds the same slot again after its hold expired. */
  async holdAgain(): Promise<void> {
    if (this.state.wanted) await this.chooseSlot(this.state.wanted)
  }

  write(change: Partial<Draft>): void {
    this.set({ draft: { ...this.state.draft, ...change } })
  }

  private async loadLate(): Promise<LateFlow> {
    const { lateFlowOf } = await this.options.later().catch(() => {
      throw new Unreachable()
    })
    return lateFlowOf(this)
  }

  /** Repeats the action that got no response. */
  async tryAgain(): Promise<void> {
    this.set({ trouble: null })
    await this.again()
  }

  /** Reads the slots again, because others may have booked in the meantime. */
  async lookAgain(): Promise<void> {
    await this.late?.deposit.look()
    if (this.state.step !== 'time' || this.state.busy || this.state.trouble) return
    await this.slots.refresh()
  }

  async enterStep(): Promise<void> {
    if (this.state.step !== 'time') return
    await this.attempt(
      () => this.enterStep(),
      () => this.slots.enter(),
    )
  }

  /** Runs a request. Without a response, shows a message and a button that calls `again`. */
  async attempt(again: () => Promise<void>, run: () => Promise<void>): Promise<void> {
    this.again = again
    try {
      await run()
    } catch (error) {
      this.set({ busy: null, waitSeconds: null, trouble: troubleOf(error, this.state.business === null) })
      this.tell(error)
    }
  }

  tell(error: unknown): void {
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
