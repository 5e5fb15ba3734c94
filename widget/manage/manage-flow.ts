import type { ProblemDocument } from '../api/api-types.ts'
import type { Notice } from '../flow/flow-state.ts'
import { nothingChosen } from '../flow/choice-rules.ts'
import { alternativesIn, rangeFor, slotsByDate, slotsOf, type Slot } from '../flow/slots.ts'
import { monthOf, plusMonths } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import { offerCalendarFile } from '../views/offer-file.ts'
import type { TimesFlow, TimesState } from '../views/view.ts'
import type { Cancellation, ManageApi, Managed } from './manage-api.ts'

/** The state of the page. */
export interface ManageState {
  /** `ended`: the link is invalid or has expired. */
  phase: 'loading' | 'shown' | 'ended' | 'unreachable'
  managed: Managed | null
  etag: string | null
  mode: 'view' | 'times' | 'confirm' | 'cancel' | 'card'
  /** True once the client has left the first view. Each view then takes the focus. */
  isLater: boolean
  isWorking: boolean
  notice: 'moved' | 'refundComing' | 'changed' | 'notAllowed' | 'unreachable' | null
  times: TimesState
}

interface Parts {
  api: ManageApi
  nowMs: () => number
  zone: string
  /** True if the page showed another booking before. */
  isLater?: boolean
  changed: () => void
}

/** Months to search for a first free slot. */
const maxMonths = 3

/** A client's actions on a booking. Only `move`, `cancel` and `removeCard`, which buttons call, change it. */
export class ManageFlow implements TimesFlow {
  state: ManageState
  private readonly parts: Parts
  /** Only the response to the latest request for slots counts. */
  private question = 0

  constructor(parts: Parts) {
    this.parts = parts
    this.state = {
      phase: 'loading',
      managed: null,
      etag: null,
      mode: 'view',
      isLater: parts.isLater ?? false,
      isWorking: false,
      notice: null,
      times: timesFrom(parts.zone, parts.nowMs()),
    }
  }

  async load(notice: ManageState['notice'] = null): Promise<void> {
    const reply = await this.parts.api.show()
    if (reply.kind === 'ok') {
      const { body: managed, etag } = reply
      const location = { ...managed.booking.location, active: true }
      const { times: before, phase } = this.state
      const times = {
        ...before,
        // a physical location's own zone, or the client's zone for an online one
        zone: phase === 'shown' || location.online_url ? before.zone : location.timezone,
        catalogue: { services: [], locations: [location], staff: [] },
        choice: { ...nothingChosen, locationId: location.id },
      }
      this.set({ phase: 'shown', managed, etag, mode: 'view', isWorking: false, notice, times })
    } else if (reply.kind === 'refused') {
      this.set({ phase: 'ended', isWorking: false })
    } else if (this.state.phase === 'shown') {
      this.set({ isWorking: false, notice: 'unreachable' })
    } else {
      this.set({ phase: 'unreachable', isWorking: false })
    }
  }

  async tryAgain(): Promise<void> {
    this.set({ phase: 'loading' })
    await this.load()
  }

  show(mode: 'view' | 'cancel' | 'card'): void {
    this.set({ mode, notice: null })
  }

  /**
   * Opens the month of the appointment. Selects its day if that has free slots, otherwise the first free day.
   */
  async chooseTime(): Promise<void> {
    const { times, managed } = this.state
    const now = dateIn(times.zone, this.parts.nowMs())
    const own = dateIn(times.zone, Date.parse(managed?.booking.starts_at ?? ''))
    const wanted = own > now ? own : now
    this.set({ mode: 'times', notice: null, times: { ...times, notice: null, wanted: null, slots: {} } })
    const first = monthOf(wanted)
    for (let months = 0; months < maxMonths; months += 1) {
      const month = plusMonths(first, months)
      await this.showMonth(month)
      if (this.state.mode !== 'times' || this.state.times.month !== month) return
      const days = this.freeDays(month)
      const day = days.find((one) => one >= wanted) ?? days[0]
      if (day !== undefined) {
        this.chooseDate(day)
        return
      }
    }
    await this.showMonth(first)
  }

  private freeDays(month: string): string[] {
    const { slots, zone } = this.state.times
    return [...slotsByDate(slots[month] ?? [], zone).keys()].filter((day) => monthOf(day) === month)
  }

  async showMonth(month: string): Promise<void> {
    this.setTimes({ month, date: null })
    const { slots, zone } = this.state.times
    if (slots[month]) return
    const question = ++this.question
    this.setTimes({ busy: 'slots' })
    const reply = await this.parts.api.slots(rangeFor(month, dateIn(zone, this.parts.nowMs())))
    if (question !== this.question) return
    this.setTimes({ busy: null })
    if (reply.kind === 'ok') {
      const ownMs = Date.parse(this.state.managed?.booking.starts_at ?? '')
      const others = slotsOf(reply.body).filter(({ startsAtMs }) => startsAtMs !== ownMs)
      this.setTimes({ slots: { ...this.state.times.slots, [month]: others } })
    } else if (reply.kind === 'unreachable') {
      this.set({ mode: 'view', notice: 'unreachable' })
    } else if (reply.problem.code === 'slot_not_offered') {
      // the service is no longer offered there
      this.setTimes({ slots: { ...this.state.times.slots, [month]: [] }, soonest: null })
    } else {
      await this.load()
    }
  }

  chooseDate(date: string): void {
    this.setTimes({ date })
  }

  setZone(zone: string): void {
    this.setTimes({ zone, date: null })
  }

  /** Asks for confirmation before the move. */
  chooseSlot(slot: Slot): Promise<void> {
    this.setTimes({ wanted: slot, notice: null })
    this.set({ mode: 'confirm' })
    return Promise.resolve()
  }

  goBack(): void {
    this.set({ mode: 'times' })
  }

  /** Does nothing, because this flow holds no slots. */
  holdAgain(): Promise<void> {
    return Promise.resolve()
  }

  async move(): Promise<void> {
    const { wanted } = this.state.times
    if (!wanted || this.state.isWorking) return
    this.set({ isWorking: true })
    const reply = await this.parts.api.move(wanted.startsAt, this.state.etag)
    if (reply.kind === 'ok') await this.load('moved')
    else if (reply.kind === 'refused') await this.refused(reply.problem)
    else await this.lookWhetherDone('moved')
  }

  async cancel(wanted: Cancellation): Promise<void> {
    if (this.state.isWorking) return
    const refunds = ['full', 'part'].includes(this.state.managed?.policy.refund ?? 'none')
    this.set({ isWorking: true })
    const reply = await this.parts.api.cancel(wanted, this.state.etag)
    const notice = refunds ? 'refundComing' : null
    if (reply.kind === 'ok') await this.load(notice)
    else if (reply.kind === 'refused') await this.refused(reply.problem)
    else await this.lookWhetherDone(notice)
  }

  async removeCard(): Promise<void> {
    if (this.state.isWorking) return
    this.set({ isWorking: true })
    const status = await this.parts.api.removeCard()
    await this.load(status === 204 ? null : status === 409 ? 'notAllowed' : 'unreachable')
  }

  /** Checks if the booking has a new version, because only the response may have been lost. */
  private async lookWhetherDone(notice: ManageState['notice']): Promise<void> {
    const { etag } = this.state
    await this.load('unreachable')
    if (this.state.etag !== etag) this.set({ notice })
  }

  async offerFile(): Promise<void> {
    const text = await this.parts.api.file()
    if (text === undefined) this.set({ notice: 'unreachable' })
    else offerCalendarFile(text)
  }

  private async refused(problem: ProblemDocument): Promise<void> {
    const kind = kindOf(problem)
    if (kind === undefined) {
      await this.load(problem.code === 'version_conflict' ? 'changed' : 'notAllowed')
      return
    }
    const alternatives = alternativesIn(problem)
    const { month, date } = this.state.times
    this.set({ mode: 'times', isWorking: false })
    this.setTimes({ slots: {}, notice: { kind, alternatives } })
    await this.showMonth(month)
    if (date !== null) this.chooseDate(date)
  }

  private setTimes(change: Partial<TimesState>): void {
    this.set({ times: { ...this.state.times, ...change } })
  }

  private set(change: Partial<ManageState>): void {
    const isLater = this.state.isLater || (change.mode ?? this.state.mode) !== this.state.mode
    this.state = { ...this.state, ...change, isLater }
    this.parts.changed()
  }
}

/** Returns the kind of notice for a refusal that another time would avoid. */
function kindOf({ code }: ProblemDocument): Notice['kind'] | undefined {
  if (code === 'slot_held' || code === 'slot_booked') return 'taken'
  return code === 'slot_not_offered' ? 'notOffered' : undefined
}

function timesFrom(zone: string, nowMs: number): TimesState {
  return {
    step: 'time',
    busy: null,
    month: monthOf(dateIn(zone, nowMs)),
    date: null,
    zone,
    slots: {},
    soonest: undefined,
    wanted: null,
    notice: null,
    catalogue: { services: [], locations: [], staff: [] },
    choice: nothingChosen,
  }
}
