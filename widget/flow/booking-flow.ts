import type { Availability, Booking, Hold, Service, Slot as WireSlot } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import { codeOf, Refused, Unreachable } from '../api/refusals.ts'
import { monthOf, plusMonths } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import { readCatalogue } from './catalogue-reading.ts'
import { anyone, serviceOf, type Choice, type ListStep, type Step } from './choice-rules.ts'
import { bookingBody, faultsIn, faultsOf, type Draft } from './draft-rules.ts'
import {
  backTo,
  initialState,
  lapsed,
  startedAnew,
  withBooking,
  withCatalogue,
  withChoice,
  withHold,
  withRefusedSlot,
  type FlowState,
} from './flow-state.ts'
import { deadlineOf } from './hold-rules.ts'
import type { Checkouts } from './checkouts.ts'
import { rangeFor, slotOf, slotsOf, type Slot } from './slots.ts'

/** What the flow tells the page. */
export interface FlowEvents {
  held: (hold: Hold) => void
  booked: (booking: Booking) => void
  error: (error: { code: string; message: string }) => void
}

export interface FlowOptions {
  connection: Connection
  checkouts: Checkouts
  preset: Choice
  zone: string
  nowMs: () => number
  events: FlowEvents
}

/** Slots that were read this long ago are read again before they are shown, in milliseconds. */
const freshMs = 30_000

/** One visitor's way to a booking: what they do, what the API says to it, and the state that follows. */
export class BookingFlow {
  state: FlowState
  private readonly options: FlowOptions
  private readonly listeners = new Set<() => void>()
  private readonly known = new Map<string, { etag: string | null; readAtMs: number }>()
  /** Of several answers about slots only that to the last question counts. */
  private question = 0
  private again: () => Promise<void> = () => this.start()

  constructor(options: FlowOptions) {
    this.options = options
    this.state = initialState(options.preset, options.zone, options.nowMs())
    options.connection.onWait = (waitSeconds) => this.set({ waitSeconds })
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Reads what can be booked, or what became of a booking whose deposit was being paid. */
  async start(): Promise<void> {
    await this.attempt(
      () => this.start(),
      async () => {
        this.set({ busy: 'start' })
        const { connection, checkouts } = this.options
        const open = checkouts.take()
        const session = await (open ? connection.resume(open.token) : connection.session())
        const catalogue = await readCatalogue(connection)
        this.replace(withCatalogue(this.state, session, catalogue))
        if (open) {
          this.set({ checkoutUrl: open.url })
          await this.showPaid(open.bookingId)
        } else await this.enterStep()
      },
    )
  }

  choose(step: ListStep, id: string): void {
    this.known.clear()
    this.replace(withChoice(this.state, step, id))
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
      () => this.readMonth(month),
    )
  }

  chooseDate(date: string): void {
    this.set({ date })
  }

  /** Holds a slot; what was held before is released once the new one is held. */
  async chooseSlot(slot: Slot): Promise<void> {
    if (this.state.busy) return
    await this.attempt(
      () => this.chooseSlot(slot),
      () => this.hold(slot),
    )
  }

  /** The same slot once more, after its hold has lapsed. */
  async holdAgain(): Promise<void> {
    if (this.state.wanted) await this.chooseSlot(this.state.wanted)
  }

  write(change: Partial<Draft>): void {
    this.set({ draft: { ...this.state.draft, ...change } })
  }

  /** Called when the deadline of the hold has passed. */
  lapse(): void {
    if (this.state.held && this.state.busy !== 'booking') {
      this.known.clear()
      this.replace(lapsed(this.state))
    }
  }

  async submit(): Promise<void> {
    const service = serviceOf(this.state.catalogue, this.state.choice)
    if (!service || this.state.busy) return
    const faults = faultsIn(this.state.draft, service.custom_fields)
    this.set({ faults, notice: Object.keys(faults).length > 0 ? this.state.notice : null })
    if (Object.keys(faults).length > 0) return
    await this.attempt(
      () => this.submit(),
      () => this.book(service),
    )
  }

  bookAnother(): void {
    this.known.clear()
    this.replace(startedAnew(this.state))
    void this.enterStep()
  }

  /** What failed for want of an answer, once more. */
  async tryAgain(): Promise<void> {
    this.set({ trouble: null })
    await this.again()
  }

  /** The visitor goes: the slot is for others at once. The request may outlive the page. */
  leave(): void {
    const { held } = this.state
    if (!held) return
    this.replace({ ...this.state, held: null, step: 'time', notice: null })
    this.known.clear()
    void this.release(held.id, true)
  }

  /** Slots may have been taken while nobody looked. */
  async lookAgain(): Promise<void> {
    if (this.state.booking?.status === 'pending') {
      // also a page that the browser has kept as it was when it went to the checkout
      this.options.checkouts.take()
      await this.lookAtPayment()
    }
    if (this.state.step !== 'time' || this.state.busy || this.state.trouble) return
    await this.readMonth(this.state.month).catch(() => undefined) // what is shown stays; choosing tells
  }

  private async enterStep(): Promise<void> {
    if (this.state.step !== 'time') return
    await this.attempt(
      () => this.enterStep(),
      () => this.readMonth(this.state.month, true),
    )
  }

  private async readMonth(month: string, goOn = false): Promise<void> {
    const read = this.known.get(month)
    const { nowMs } = this.options
    if (read && nowMs() - read.readAtMs < freshMs) return
    const question = ++this.question
    this.set({ busy: this.state.slots[month] ? null : 'slots' })
    try {
      const slots = await this.slotsOfMonth(month, read?.etag ?? undefined)
      if (question !== this.question) return
      if (slots) this.set({ slots: { ...this.state.slots, [month]: slots } })
      if (goOn) this.showFirstDay(month)
      if (this.freeIn(month) || this.state.soonest !== undefined) return
      await this.readSoonest(question, goOn)
    } finally {
      if (question === this.question && this.state.busy === 'slots') this.set({ busy: null })
    }
  }

  /** Undefined: as they were. */
  private async slotsOfMonth(month: string, etag?: string): Promise<Slot[] | undefined> {
    const { connection, nowMs } = this.options
    const { from, to } = rangeFor(month, dateIn(this.state.zone, nowMs()))
    const path = `/availability?${this.offer()}&from=${from}&to=${to}`
    const answer = await connection.call<Availability>('GET', path, etag === undefined ? {} : { etag })
    this.known.set(month, { etag: answer.etag, readAtMs: nowMs() })
    return answer.status === 304 ? undefined : slotsOf(answer.body)
  }

  /** Where the first month has nothing, the visitor is taken to the one that has. */
  private async readSoonest(question: number, goOn: boolean): Promise<void> {
    const { body } = await this.options.connection.call<WireSlot | null>(
      'GET',
      `/availability/soonest?${this.offer()}`,
    )
    if (question !== this.question) return
    const soonest = body ? slotOf(body) : null
    this.set({ soonest })
    const month = soonest && monthOf(dateIn(this.state.zone, soonest.startsAtMs))
    if (goOn && month && month > this.state.month && month <= plusMonths(this.state.month, 12)) {
      this.set({ month })
      await this.readMonth(month, true)
    }
  }

  /** Whoever comes to the calendar sees times at once. */
  private showFirstDay(month: string): void {
    const { slots, zone, date } = this.state
    const dates = (slots[month] ?? []).map(({ startsAtMs }) => dateIn(zone, startsAtMs))
    const first = dates.find((candidate) => monthOf(candidate) === month)
    if (date === null && first !== undefined) this.set({ date: first })
  }

  private freeIn(month: string): boolean {
    const { slots, zone } = this.state
    return (slots[month] ?? []).some(({ startsAtMs }) => monthOf(dateIn(zone, startsAtMs)) === month)
  }

  private offer(): string {
    const { serviceId, locationId, staffId } = this.state.choice
    return new URLSearchParams({
      service_id: serviceId ?? '',
      location_id: locationId ?? '',
      ...(staffId !== null && staffId !== anyone && { staff_id: staffId }),
    }).toString()
  }

  private async hold(slot: Slot): Promise<void> {
    const before = this.state.held
    this.set({ busy: 'hold', wanted: slot })
    try {
      const held = await this.place(slot)
      if (before) void this.release(before.id)
      this.replace(withHold(this.state, held))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.refused(error)
    }
  }

  private refused(error: Refused): void {
    this.known.clear()
    this.replace(withRefusedSlot(this.state, error.problem))
    this.tell(error)
    if (this.state.step === 'time') void this.lookAgain()
  }

  private async place(slot: Slot) {
    const { serviceId, locationId, staffId } = this.state.choice
    const { body } = await this.options.connection.call<Hold>('POST', '/bookings/hold', {
      body: {
        service_id: serviceId,
        location_id: locationId,
        ...(staffId !== null && staffId !== anyone && { staff_id: staffId }),
        starts_at: slot.startsAt,
      },
    })
    this.known.clear()
    this.options.events.held(body)
    return { id: body.hold_id, slot, deadlineMs: deadlineOf(body.expires_at, this.options.nowMs()) }
  }

  /** A hold that cannot be released lapses by itself, so nobody needs to hear of it. */
  private async release(id: string, keepalive = false): Promise<void> {
    await this.options.connection.call('DELETE', `/bookings/hold/${id}`, { keepalive }).catch(() => undefined)
  }

  private async book(service: Service): Promise<void> {
    this.set({ busy: 'booking' })
    try {
      const held = this.state.held ?? (await this.placeAgain())
      const booking = await this.convert(service, held.id)
      this.options.events.booked(booking)
      if (booking.redirect_url) await this.goToCheckout(booking, booking.redirect_url)
      else this.replace(withBooking(this.state, booking))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.refusedBooking(error, service)
    }
  }

  private async placeAgain() {
    const { wanted } = this.state
    if (!wanted) throw new Unreachable()
    const held = await this.place(wanted)
    this.set({ held })
    return held
  }

  /** A hold that lapsed unnoticed, as behind a lid that was closed, is placed again, once. */
  private async convert(service: Service, holdId: string): Promise<Booking> {
    const { connection } = this.options
    const convert = async (id: string) => {
      const body = bookingBody(id, this.state.draft, service.custom_fields)
      return (await connection.call<Booking>('POST', '/bookings', { body })).body
    }
    try {
      return await convert(holdId)
    } catch (error) {
      if (codeOf(error) === 'hold_converted') {
        return (await connection.call<Booking>('GET', `/bookings/${holdId}`)).body
      }
      if (codeOf(error) !== 'hold_expired' && codeOf(error) !== 'hold_not_found') throw error
      this.set({ held: null })
      return convert((await this.placeAgain()).id)
    }
  }

  private refusedBooking(error: Refused, service: Service): void {
    const { problem } = error
    if (problem.code !== 'validation_failed') {
      this.refused(error)
      return
    }
    const sent = bookingBody('', this.state.draft, service.custom_fields)
    const faults = faultsOf(problem, sent, service.custom_fields)
    const notice = Object.keys(faults).length > 0 ? null : { kind: 'refused' as const, alternatives: [] }
    this.set({ busy: null, faults, notice })
    this.tell(error)
  }

  private async goToCheckout(booking: Booking, url: string): Promise<void> {
    const { connection, checkouts } = this.options
    // the booking keeps its slot while the deposit is paid: leaving the page must not look like giving it up
    this.set({ held: null, booking, checkoutUrl: url })
    checkouts.go({ bookingId: booking.id, token: connection.token ?? '', url })
  }

  private async showPaid(bookingId: string): Promise<void> {
    const { body } = await this.options.connection.call<Booking>('GET', `/bookings/${bookingId}`)
    this.replace(withBooking(this.state, body))
  }

  /** To the checkout once more, for whoever came back without paying. */
  pay(): void {
    const { booking, checkoutUrl } = this.state
    if (booking && checkoutUrl !== null) void this.goToCheckout(booking, checkoutUrl)
  }

  /** Looks whether a deposit has arrived. */
  async lookAtPayment(): Promise<void> {
    const { booking } = this.state
    if (booking) await this.showPaid(booking.id).catch(() => undefined) // the visitor may ask again
  }

  /** Runs what needs an answer; without one there is a sentence, and a button that does `again`. */
  private async attempt(again: () => Promise<void>, run: () => Promise<void>): Promise<void> {
    this.again = again
    try {
      await run()
    } catch (error) {
      this.set({
        busy: null,
        waitSeconds: null,
        trouble: { kind: troubleOf(error), code: codeOf(error) ?? 'unreachable' },
      })
      this.tell(error)
    }
  }

  private tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.options.events.error({ code: codeOf(error) ?? 'unreachable', message })
  }

  private set(change: Partial<FlowState>): void {
    this.replace({ ...this.state, ...change })
  }

  private replace(state: FlowState): void {
    this.state = state
    for (const listener of this.listeners) listener()
  }
}

const misconfigured = [
  'missing_credentials',
  'invalid_credentials',
  'origin_not_allowed',
  'key_type_not_allowed',
]

function troubleOf(error: unknown): 'unreachable' | 'misconfigured' | 'busy' | 'unknown' {
  const code = codeOf(error)
  if (code === null) return error instanceof Unreachable ? 'unreachable' : 'unknown'
  if (code === 'rate_limited') return 'busy'
  return misconfigured.includes(code) ? 'misconfigured' : 'unknown'
}
