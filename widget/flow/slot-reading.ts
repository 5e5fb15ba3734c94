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

/** A request sent before the catalogue is known. */
interface EarlyQuestion {
  path: string
  month: string
  askedAtMs: number
  /** Undefined when refused: the next request then reports the error. */
  answer: Promise<Answer<Availability> | undefined>
}

interface Known {
  etag: string | null
  readAtMs: number
}

interface Reading {
  /** Undefined: as they were. */
  slots: Slot[] | undefined
  /** Undefined when the slots are for any staff member. */
  known?: Known
}

/** Slots older than this are read again. In milliseconds. */
const freshMs = 30_000

/** Reads the free slots of the current choice into the state, month by month. */
export class SlotReading {
  private readonly parts: Parts
  private readonly known = new Map<string, Known>()
  /** Only the response to the latest request counts. */
  private question = 0
  private early: EarlyQuestion | undefined

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Drops slots that a new choice, or a held or lost slot, made outdated. */
  forget(): void {
    this.known.clear()
  }

  /** Reads the slots of preselected items in parallel with the catalogue. */
  askEarly(preset: Choice): void {
    this.early = undefined
    if (preset.serviceId === null || preset.locationId === null) return
    const { connection, store, nowMs } = this.parts
    const { month } = store.state
    const path = this.pathOf(month, preset, preset.staffId === anyone ? null : preset.staffId)
    const answer = connection.call<Availability>('GET', path).catch(() => undefined)
    this.early = { path, month, askedAtMs: nowMs(), answer }
  }

  /** Reads a month unless its slots are fresh. With `goOn`, moves to the first free day. */
  async read(month: string, goOn = false): Promise<void> {
    const { store, nowMs } = this.parts
    const read = this.known.get(month)
    if (read && nowMs() - read.readAtMs < freshMs) return
    const question = ++this.question
    store.set({ busy: store.state.slots[month] ? null : 'slots' })
    try {
      for await (const { slots, known } of this.slotsOfMonth(month, read?.etag ?? undefined)) {
        if (question !== this.question) return // outdated response
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

  /** Ends the wait for slots, but not that for a hold. */
  private rest(): void {
    const { store } = this.parts
    if (store.state.busy === 'slots') store.set({ busy: null })
  }

  /** Reads the slots; may use the response to the early request first. */
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
    // read for any staff member: a preview until the slots of the chosen one arrive
    if (person !== null && early?.path === this.pathOf(month, choice, null)) {
      yield { slots: early.slots.filter(({ staffIds }) => staffIds.includes(person)) }
    }
    const answer = await connection.call<Availability>('GET', path, etag === undefined ? {} : { etag })
    yield {
      slots: answer.status === 304 ? undefined : slotsOf(answer.body),
      known: { etag: answer.etag, readAtMs: nowMs() },
    }
  }

  /** Returns the fresh response to the early request, once. */
  private async takeEarly(month: string) {
    const { early } = this
    this.early = undefined
    if (early?.month !== month || this.parts.nowMs() - early.askedAtMs >= freshMs) return undefined
    const answer = await early.answer
    return answer && { ...early, etag: answer.etag, slots: slotsOf(answer.body) }
  }

  /** Moves to the first month with free slots. */
  private async readSoonest(question: number, goOn: boolean): Promise<void> {
    const { connection, store } = this.parts
    const { catalogue, choice, zone, month: shown } = store.state
    const path = `/availability/soonest?${offerOf(choice, personOf(catalogue, choice), store.state.party)}`
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

  /** Selects a day, so that the visitor sees times at once. */
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
    return `/availability?${offerOf(choice, person, store.state.party)}&from=${from}&to=${to}`
  }
}

function offerOf({ serviceId, locationId }: Choice, person: string | null, party: number): string {
  return new URLSearchParams({
    service_id: serviceId ?? '',
    location_id: locationId ?? '',
    ...(person !== null && { staff_id: person }),
    ...(party > 1 && { party_size: String(party) }),
  }).toString()
}
