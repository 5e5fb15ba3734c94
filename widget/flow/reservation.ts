import type { Booking, Hold } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import { codeOf, Unreachable } from '../api/refusals.ts'
import { itemsOf, servicesOf } from './choice-rules.ts'
import { type Asked, bookingBody } from './draft-rules.ts'
import type { FlowState, HeldSlot } from './flow-state.ts'
import type { FlowStore } from './flow-store.ts'
import { deadlineOf } from './hold-rules.ts'
import { isZone, ownZoneName } from '../times/zones.ts'
import { namesPeople } from './item-rules.ts'
import { slotItemOf, type Slot } from './slots.ts'

interface Parts {
  connection: Connection
  store: FlowStore
  nowMs: () => number
  /** The visitor's language, for emails. */
  locale: () => string
  /** Values of the page to keep with the booking. */
  metadata: () => Record<string, string>
  /** Called for each placed hold. */
  held: (hold: Hold) => void
}

/** Maximum length in the API. */
const maxLocaleLength = 35

/** Holds a slot for the visitor, then books it. */
export class Reservation {
  private readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  async place(slot: Slot): Promise<HeldSlot> {
    const { connection, store, nowMs, held } = this.parts
    const { body } = await connection.call<Hold>('POST', '/bookings/hold', {
      body: { ...wishIn(store.state), starts_at: slot.startsAt, ...repeatIn(store.state) },
    })
    held(body)
    const taken = {
      ...slot,
      endsAtMs: Date.parse(body.ends_at),
      ...(body.items && { items: body.items.map(slotItemOf) }),
    }
    const { series } = body
    const starts = (all: readonly { starts_at: string }[]) => all.map((one) => Date.parse(one.starts_at))
    return {
      ...{ id: body.hold_id, slot: taken, deadlineMs: deadlineOf(body.expires_at, nowMs()) },
      ...(series && { dates: starts(series.holds), skipped: starts(series.skipped) }),
    }
  }

  /** Ignores failures, because the hold expires by itself. */
  async release(id: string, keepalive = false): Promise<void> {
    const { connection } = this.parts
    await connection.call('DELETE', `/bookings/hold/${id}`, { keepalive }).catch(() => undefined)
  }

  /**
   * Books the held slot. Places an expired hold again, once, because a sleeping device does not notice the
   * expiry.
   */
  async book(service: Asked): Promise<Booking> {
    const held = this.parts.store.state.held ?? (await this.placeAgain())
    try {
      return await this.convert(service, held.id)
    } catch (error) {
      if (codeOf(error) === 'hold_converted') {
        return (await this.parts.connection.call<Booking>('GET', `/bookings/${held.id}`)).body
      }
      if (codeOf(error) !== 'hold_expired' && codeOf(error) !== 'hold_not_found') throw error
      this.parts.store.set({ held: null })
      return this.convert(service, (await this.placeAgain()).id)
    }
  }

  private async convert(service: Asked, holdId: string): Promise<Booking> {
    const { connection, store, locale, metadata } = this.parts
    const { draft, repeat } = store.state
    // a series has no coupon
    const sent = bookingBody(holdId, repeat ? { ...draft, coupon: '' } : draft, service)
    const values = metadata()
    const isAny = Object.keys(values).length > 0
    const body = { ...sent, ...ownPlace(locale()), ...(isAny && { metadata: values }) }
    return (await connection.call<Booking>('POST', '/bookings', { body })).body
  }

  private async placeAgain(): Promise<HeldSlot> {
    const { store } = this.parts
    const { wanted } = store.state
    if (!wanted) throw new Unreachable()
    const held = await this.place(wanted)
    store.set({ held })
    return held
  }
}

/** Returns the chosen services, people and place as the API names them. */
export function wishIn({ catalogue, choice, party }: FlowState): object {
  const items = itemsOf(catalogue, choice, party).map(
    ({ serviceId, staffId, party: party_size, isWith }) => ({
      service_id: serviceId,
      ...(staffId !== null && { staff_id: staffId }),
      party_size,
      ...(isWith && { starts: 'with' }),
    }),
  )
  return { ...(namesPeople(catalogue, choice) ? { items } : items[0]), location_id: choice.locationId }
}

/** Returns the visitor's language and time zone, for messages. */
export function ownPlace(locale: string): object {
  const zone = ownZoneName()
  return { ...(locale.length <= maxLocaleLength && { locale }), ...(isZone(zone) && { time_zone: zone }) }
}

/** Returns the most appointments that the services allow at once. */
export function mostRepeats({ catalogue, choice }: Pick<FlowState, 'catalogue' | 'choice'>): number {
  const services = servicesOf(catalogue, choice)
  return services.some(({ payment }) => payment !== 'none')
    ? 1
    : Math.min(...services.map(({ max_repeats = 1 }) => max_repeats))
}

/** Returns the repetition of a hold, if the services allow it. Leaves out times that are not free. */
function repeatIn({ repeat, ...state }: FlowState): object {
  if (!repeat || repeat.count > mostRepeats(state)) return {}
  return { repeat: { every: 'week', ...repeat }, conflicts: 'skip' }
}
