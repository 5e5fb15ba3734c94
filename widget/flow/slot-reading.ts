import type { Availability, BookingStart, FirstTimes } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import { codeOf, isTooMany } from '../api/refusals.ts'
import { middleOf, monthOf, plusDays, plusMonths } from '../times/civil-dates.ts'
import { dateIn } from '../times/zones.ts'
import { anyone, itemsOf, itemsText, personOf, type Choice, type Preset } from './choice-rules.ts'
import type { FlowStore } from './flow-store.ts'
import { firstSlotsOf, knownSlots, rangeFor, slotOf, slotsOf, type Slot } from './slots.ts'

interface Parts {
  connection: Connection
  store: FlowStore
  nowMs: () => number
}

interface Answer {
  etag: string | null
  slots: Slot[] | null
}

interface Known {
  etag: string | null
  readAtMs: number
}

/** Age in milliseconds from which slots are read again. Much lower for visitors who return to the page. */
const freshMs = 30_000
const freshOnReturnMs = 3_000

/**
 * Reads the free slots of the current choice into the state: the first ones without a session, then month by
 * month.
 */
export class SlotReading {
  private readonly parts: Parts
  private readonly known = new Map<string, Known>()
  private freshMs = freshMs
  private first: { times: FirstTimes; readAtMs: number } | undefined
  /** Only the response to the latest request counts. */
  private question = 0

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Drops slots that became outdated by a new choice, or by a held or lost slot. */
  forget(): void {
    this.known.clear()
    this.first = undefined
  }

  /** Reads the initial data of the page. Ignores choices that are not offered. */
  async start({ services = [], ...choice }: Preset): Promise<BookingStart> {
    const { connection, store } = this.parts
    const { serviceId, staffId, more = [], locationId } = choice
    const { party } = store.state
    const items =
      more.length > 0
        ? [{ ...choice, serviceId: serviceId ?? '', party }, ...more]
        : serviceId === null
          ? services.map((name) => ({ serviceId: name, staffId }))
          : []
    const query =
      items.length > 1
        ? queryOf({ location: locationId, items: itemsText(items) })
        : startOf(
            { ...choice, serviceId: items[0]?.serviceId ?? serviceId },
            staffId === anyone ? null : staffId,
            party,
          )
    try {
      return this.keep(await connection.start(query))
    } catch (error) {
      const code = codeOf(error)
      if (query === '' || (code !== 'not_found' && code !== 'validation_failed')) throw error
      return this.keep(await connection.start(''))
    }
  }

  private keep(start: BookingStart): BookingStart {
    const { first: times } = start
    this.first = times ? { times, readAtMs: this.parts.nowMs() } : undefined
    return start
  }

  /**
   * Shows the first times of the choice. Reads the month if there already is a session, or if the page shows
   * another day.
   */
  async enter(): Promise<void> {
    const { connection, store } = this.parts
    const question = ++this.question
    const times = await this.firstTimes().catch((error: unknown) => {
      if (question === this.question) throw error
      return null
    })
    if (question !== this.question) return // outdated response
    const { zone, date, slots } = store.state
    const soonest = times?.soonest ? slotOf(times.soonest) : null
    store.set({ first: times ? firstSlotsOf(times) : undefined, soonest })
    const month = soonest && monthOf(dateIn(zone, soonest.startsAtMs))
    if (month && date === null && !slots[store.state.month] && month > store.state.month)
      store.set({ month: month <= plusMonths(store.state.month, 12) ? month : store.state.month })
    this.showFirstDay()
    this.rest()
    const shown = store.state
    const isKnown = shown.date === null ? !soonest : this.knows(shown.date)
    if (connection.isOpen || !isKnown) await this.read(shown.month, true)
  }

  /**
   * Refreshes the slots for a returning visitor. The old ones stay until the response arrives, or if it
   * fails.
   */
  async refresh(): Promise<void> {
    const { month, slots } = this.parts.store.state
    this.freshMs = freshOnReturnMs
    try {
      await this.enter()
      if (slots[month]) await this.read(month)
    } catch {
      // placing a hold will report the failure
    } finally {
      this.freshMs = freshMs
    }
  }

  private async firstTimes(): Promise<FirstTimes | null> {
    const { store, nowMs } = this.parts
    const { catalogue, choice, party, slots, month, first } = store.state
    const person = personOf(catalogue, choice)
    const place = { location: choice.locationId }
    const { times, readAtMs = 0 } = this.first ?? {}
    const items = this.items()
    const isSame =
      times?.service_id === choice.serviceId &&
      times.location_id === choice.locationId &&
      (items === null
        ? times.items === undefined &&
          (times.staff_id === person || times.staff_id === choice.staffId) &&
          times.party_size === party
        : times.items === items)
    if (isSame && nowMs() - readAtMs < this.freshMs) return times
    if (!slots[month] && !first) store.set({ busy: 'slots' })
    try {
      const query = items === null ? startOf(choice, person, party) : queryOf({ ...place, items })
      return this.keep(await this.parts.connection.start(query)).first
    } finally {
      this.rest()
    }
  }

  /** Returns the services of a visit as the API names them; null for one. */
  private items(): string | null {
    const { catalogue, choice, party } = this.parts.store.state
    const items = itemsOf(catalogue, choice, party)
    return items.length > 1 ? itemsText(items) : null
  }

  /** Returns true if the times of a day are known, so that nothing has to be read. */
  knows(date: string): boolean {
    const { state } = this.parts.store
    const month = monthOf(date)
    if (state.slots[month]) return true
    return (knownSlots(state, month) ?? []).some(({ startsAtMs }) => dateIn(state.zone, startsAtMs) === date)
  }

  /** Reads a month unless its slots are fresh. With `goOn`, moves to the first free day. */
  async read(month: string, goOn = false): Promise<void> {
    const { store, nowMs } = this.parts
    const read = this.known.get(month)
    if (read && nowMs() - read.readAtMs < this.freshMs) return
    const question = ++this.question
    if (store.state.busy !== 'hold') store.set({ busy: store.state.slots[month] ? null : 'slots' })
    try {
      const { from, to } = rangeFor(month, dateIn(store.state.zone, nowMs()))
      const { etag, slots } = await this.slotsBetween(from, to, read?.etag)
      if (question !== this.question) return // outdated response
      this.known.set(month, { etag, readAtMs: nowMs() })
      if (slots) store.set({ slots: { ...store.state.slots, [month]: slots } })
      this.rest()
      if (goOn) this.showFirstDay()
      const { soonest, zone } = store.state
      const next = soonest && monthOf(dateIn(zone, soonest.startsAtMs))
      if (goOn && next && next !== month && this.freeDates().length === 0) {
        store.set({ month: next, date: null })
        await this.read(next, true)
      }
    } catch (error) {
      if (question === this.question) throw error
    } finally {
      if (question === this.question) this.rest()
    }
  }

  /** Ignores the pending response, because nobody waits for it. */
  stop(): void {
    this.question += 1
    this.rest()
  }

  /** Ends the wait for slots, but not the wait for a hold. */
  private rest(): void {
    const { store } = this.parts
    if (store.state.busy === 'slots') store.set({ busy: null })
  }

  /** Selects a day, so that the visitor sees times at once: the page's choice, or the next free day. */
  private showFirstDay(): void {
    const { store } = this.parts
    const { date, preset } = store.state
    const dates = this.freeDates()
    const wanted = date ?? preset.date ?? ''
    if (date !== null && (dates.includes(date) || !store.state.slots[monthOf(date)])) return
    store.set({ date: dates.find((day) => day >= wanted) ?? dates[0] ?? null })
  }

  /** Returns the known free dates of the month shown. */
  private freeDates(): string[] {
    const { slots, zone, month, first } = this.parts.store.state
    const read = slots[month]?.map(({ startsAtMs }) => dateIn(zone, startsAtMs))
    return (read ?? first?.dates ?? []).filter((date) => monthOf(date) === month)
  }

  /**
   * Reads slots in a range. Returns none if the etag shows that they are unchanged. Splits the range in
   * halves if one response cannot hold it.
   */
  private async slotsBetween(from: string, to: string, etag: string | null = null): Promise<Answer> {
    const { connection, store } = this.parts
    const { catalogue, choice, party } = store.state
    const person = personOf(catalogue, choice)
    const items = this.items()
    const path = `/availability?${queryOf({
      ...(items === null && { service_id: choice.serviceId ?? '' }),
      location_id: choice.locationId ?? '',
      ...(items === null ? { staff_id: person, party_size: party > 1 ? String(party) : null } : { items }),
      from,
      to,
    })}`
    try {
      const answer = await connection.call<Availability>('GET', path, { etag })
      return { etag: answer.etag, slots: answer.status === 304 ? null : slotsOf(answer.body) }
    } catch (error) {
      if (from === to || !isTooMany(error)) throw error
      const middle = middleOf(from, to)
      const first = await this.slotsBetween(from, middle)
      const rest = await this.slotsBetween(plusDays(middle, 1), to)
      return { etag: null, slots: [...(first.slots ?? []), ...(rest.slots ?? [])] }
    }
  }
}

function startOf({ serviceId, locationId }: Choice, person: string | null, party: number): string {
  return queryOf({
    service: serviceId,
    location: locationId,
    staff: person,
    party_size: party > 1 ? String(party) : null,
  })
}

function queryOf(parts: Record<string, string | null>): string {
  const given = Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return new URLSearchParams(given).toString()
}
