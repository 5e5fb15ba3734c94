import type { Operation } from './plan.ts'

/** A request, before it is bytes. */
export interface Request {
  method: 'GET' | 'POST' | 'PATCH'
  /** With /api/v1. */
  path: string
  token: string
  /** The address of the client, as a trusted proxy in front would name it. */
  network: string
  body?: object
}

/** What the requests are about: made once, the same for all contenders. */
export interface World {
  businessKey: string
  publishableKey: string
  locationId: string
  serviceIds: string[]
  /** Midnight (UTC) from which on there are slots. */
  firstSlotMs: number
  /** How many slots were taken when the world was made. */
  slotsUsed: number
  /** Bookings that are there to be shown and moved. */
  bookingIds: string[]
  /** Holds that are there to be converted. */
  holds: HeldSlot[]
}

export interface Session {
  token: string
  network: string
}

export interface HeldSlot {
  id: string
  session: Session
}

const slotMs = 15 * 60_000
/** Bookings are moved to years in which nothing is held, whatever their services. */
const farAwayMs = 7_300 * 86_400_000

/** Makes the requests of each operation. No two holds want the same slot, and each visitor has an address of its own. */
export class Requests {
  readonly world: World
  private slots: number
  private visitors: number

  constructor(world: World, salt = 0) {
    this.world = world
    this.slots = world.slotsUsed
    this.visitors = salt * 1_000_000
  }

  session(): Request {
    this.visitors += 1
    const [a, b, c] = [this.visitors >> 16, this.visitors >> 8, this.visitors].map((part) => part & 255)
    const network = `10.${a}.${b}.${c}`
    return { method: 'POST', path: '/api/v1/session', token: this.world.publishableKey, network }
  }

  hold({ token, network }: Session): Request {
    const { serviceIds, locationId, firstSlotMs } = this.world
    // each at a time of its own, as a session's hold replaces another of its own at the same time
    const starts_at = new Date(firstSlotMs + this.slots * slotMs).toISOString()
    const service_id = serviceIds[this.slots % serviceIds.length] ?? ''
    this.slots += 1
    const body = { service_id, location_id: locationId, starts_at }
    return { method: 'POST', path: '/api/v1/bookings/hold', token, network, body }
  }

  convert({ id, session: { token, network } }: HeldSlot): Request {
    const client = {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      phone: '+4930123456',
    }
    return { method: 'POST', path: '/api/v1/bookings', token, network, body: { hold_id: id, client } }
  }

  show(turn: number): Request {
    return this.byKey('GET', `/bookings/${this.booking(turn)}`)
  }

  list(): Request {
    return this.byKey('GET', '/bookings?limit=25')
  }

  reschedule(turn: number): Request {
    const { starts_at } = this.hold({ token: '', network: '' }).body as { starts_at: string }
    const moved = new Date(Date.parse(starts_at) + farAwayMs).toISOString()
    return { ...this.byKey('PATCH', `/bookings/${this.booking(turn)}`), body: { starts_at: moved } }
  }

  availability(turn: number): Request {
    const { serviceIds, locationId, firstSlotMs } = this.world
    const date = new Date(firstSlotMs).toISOString().slice(0, 10)
    const query = new URLSearchParams({
      service_id: serviceIds[turn % serviceIds.length] ?? '',
      location_id: locationId,
      from: date,
      to: date,
    })
    return this.byKey('GET', `/availability?${query.toString()}`)
  }

  /** The single request of an operation that needs no other one before. */
  reading(operation: Exclude<Operation, 'session' | 'hold' | 'convert' | 'flow'>, turn: number): Request {
    if (operation === 'list') return this.list()
    return this[operation](turn)
  }

  private booking(turn: number): string {
    const { bookingIds } = this.world
    return bookingIds[turn % bookingIds.length] ?? ''
  }

  private byKey(method: Request['method'], path: string): Request {
    return { method, path: `/api/v1${path}`, token: this.world.businessKey, network: '10.0.0.1' }
  }
}
