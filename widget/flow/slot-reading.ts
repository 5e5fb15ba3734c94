import type { Availability, Slot as WireSlot } from '../api/api-types.ts'
import type { Answer, Connection } from '../api/connection.ts'
import { monthOf, plusMonths } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import { anyone, personOf, type Choice } from './choice-rules.ts'
import type { FlowStore } from './flow-store.ts'
import { rangeFor, slotOf, slotsOf, type Slot } from './slots.ts'

interface Parts {
  connection: Connection
  store: FlowStore
  nowMs: () => number
}

/** A question that was asked before all that it depends on was known. */
interface EarlyQuestion {
  path: string
  month: string
  askedAtMs: number
  /** Undefined when it was refused: then it is asked again, and what is wrong is told. */
  answer: Promise<Answer<Availability> | undefined>
}

interface Known {
  etag: string | null
  readAtMs: number
}

interface Reading {
  /** Undefined: as they were. */
  slots: Slot[] | undefined
  /** Undefined when the slots are those of somebody else too. */
  known?: Known
}

/** Slots that were read this long ago are read again before they are shown, in milliseconds. */
const freshMs = 30_000

/** Reads the free slots of what was chosen, month by month, into the state. */
export class SlotReading {
  private readonly parts: Parts
  private readonly known = new Map<string, Known>()
  /** Of several answers about slots only that to the last question counts. */
  private question = 0
  private early: EarlyQuestion | undefined

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** What was read is out of date: something else was chosen, or the visitor has held or lost a slot. */
  forget(): void {
    this.known.clear()
  }

  /** Asks for the slots of what the page has preselected, beside the catalogue rather than after it. */
  askEarly(preset: Choice): void {
    this.early = undefined
    if (preset.serviceId === null || preset.locationId === null) return
    const { connection, store, nowMs } = this.parts
    const { month } = store.state
    const path = this.pathOf(month, preset, preset.staffId === anyone ? null : preset.staffId)
    const answer = connection.call<Availability>('GET', path).catch(() => undefined)
    this.early = { path, month, askedAtMs: nowMs(), answer }
  }

  /** Reads a month, unless that was done a moment ago. With `goOn` the visitor is taken to the first free day. */
  async read(month: string, goOn = false): Promise<void> {
    const { store, nowMs } = this.parts
    const read = this.known.get(month)
    if (read && nowMs() - read.readAtMs < freshMs) return
    const question = ++this.question
    store.set({ busy: store.state.slots[month] ? null : 'slots' })
    try {
      for await (const { slots, known } of this.slotsOfMonth(month, read?.etag ?? undefined)) {
        if (question !== this.question) return // it is not shown, so it is not known either
        if (known) this.known.set(month, known)
        if (slots) store.set({ slots: { ...store.state.slots, [month]: slots } })
        this.rest()
        if (goOn) this.showFirstDay(month)
      }
      if (this.freeIn(month) || store.state.soonest !== undefined) return
      await this.readSoonest(question, goOn)
    } finally {
      if (question === this.question) this.rest()
    }
  }

  /** Nobody waits for slots any more; for a hold that is being placed meanwhile they do. */
  private rest(): void {
    const { store } = this.parts
    if (store.state.busy === 'slots') store.set({ busy: null })
  }

  /** The slots, at first perhaps those that are known from the early question. */
  private async *slotsOfMonth(month: string, etag?: string): AsyncGenerator<Reading> {
    const { connection, nowMs, store } = this.parts
    const { catalogue, choice } = store.state
    const person = personOf(catalogue, choice)
    const path = this.pathOf(month, choice, person)
    const early = await this.takeEarly(month)
    if (early?.path === path) {
      yield { slots: early.slots, known: { etag: early.etag, readAtMs: early.askedAtMs } }
      return
    }
    // asked for anybody, while the visitor has chosen somebody meanwhile: times to look at until theirs are here
    if (person !== null && early?.path === this.pathOf(month, choice, null)) {
      yield { slots: early.slots.filter(({ staffIds }) => staffIds.includes(person)) }
    }
    const answer = await connection.call<Availability>('GET', path, etag === undefined ? {} : { etag })
    yield {
      slots: answer.status === 304 ? undefined : slotsOf(answer.body),
      known: { etag: answer.etag, readAtMs: nowMs() },
    }
  }

  /** The answer to the early question, once, while it is fresh. */
  private async takeEarly(month: string) {
    const { early } = this
    this.early = undefined
    if (early?.month !== month || this.parts.nowMs() - early.askedAtMs >= freshMs) return undefined
    const answer = await early.answer
    return answer && { ...early, etag: answer.etag, slots: slotsOf(answer.body) }
  }

  /** Where the first month has nothing, the visitor is taken to the one that has. */
  private async readSoonest(question: number, goOn: boolean): Promise<void> {
    const { connection, store } = this.parts
    const { catalogue, choice, zone, month: shown } = store.state
    const path = `/availability/soonest?${offerOf(choice, personOf(catalogue, choice))}`
    const { body } = await connection.call<WireSlot | null>('GET', path)
    if (question !== this.question) return
    const soonest = body ? slotOf(body) : null
    store.set({ soonest })
    const month = soonest && monthOf(dateIn(zone, soonest.startsAtMs))
    if (goOn && month && month > shown && month <= plusMonths(shown, 12)) {
      store.set({ month })
      await this.read(month, true)
    }
  }

  /** Whoever comes to the calendar sees times at once. */
  private showFirstDay(month: string): void {
    const { store } = this.parts
    const { slots, zone, date } = store.state
    if (date !== null) return
    const first = slots[month]?.find(({ startsAtMs }) => monthOf(dateIn(zone, startsAtMs)) === month)
    if (first) store.set({ date: dateIn(zone, first.startsAtMs) })
  }

  private freeIn(month: string): boolean {
    const { slots, zone } = this.parts.store.state
    return (slots[month] ?? []).some(({ startsAtMs }) => monthOf(dateIn(zone, startsAtMs)) === month)
  }

  private pathOf(month: string, choice: Choice, person: string | null): string {
    const { nowMs, store } = this.parts
    const { from, to } = rangeFor(month, dateIn(store.state.zone, nowMs()))
    return `/availability?${offerOf(choice, person)}&from=${from}&to=${to}`
  }
}

function offerOf({ serviceId, locationId }: Choice, person: string | null): string {
  return new URLSearchParams({
    service_id: serviceId ?? '',
    location_id: locationId ?? '',
    ...(person !== null && { staff_id: person }),
  }).toString()
}
