/*
 * The measured operations, as a table. Each is requested like a client of the API would. The load process (load.ts)
 * runs it and knows only the public API.
 */

/** The storage of a service, and its number of servers. */
export const engines = ['sqlite', 'postgres', 'two-servers'] as const
export type Engine = (typeof engines)[number]

/** A request before serialisation. */
export interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the `root` of the ground. */
  path: string
  token: string
  /** The address of the client, as a trusted proxy in front would name it. */
  network: string
  body?: object
}

/** Sends a request and returns the body of its answer. Throws for any other status. */
export type Send = <T>(request: Request, statuses?: number[]) => Promise<T>

/** The subject of the requests: one business with services of two people each, at any time of any day. */
export interface World {
  /** A ledger of Floyd Engine, which is measured next to Holdfast. Undefined at Holdfast. */
  ledgerId?: string
  businessKey: string
  publishableKey: string
  locationId: string
  serviceIds: string[]
  /** The people of each service. */
  staffIds: string[][]
  /** Midnight (UTC) at which slots begin, in milliseconds. */
  firstSlotMs: number
}

/** A location with the services of a visit. */
interface Salon {
  locationId: string
  serviceIds: string[]
}

/** A visitor with a session. */
export interface Visitor {
  token: string
  network: string
}

export interface Held {
  id: string
  visitor: Visitor
}

/** A slot as a hold names it. */
export interface Slot {
  service_id: string
  location_id: string
  starts_at: string
  /** Undefined: anybody. */
  staff_id?: string
}

/** Results of a race for one slot. */
export const [won, refused, refusedWithOthers] = ['won', 'refused', 'refused, with other times'] as const

export const slotMs = 15 * 60_000
const dayMs = 86_400_000
/** The visits of two years fill a salon. */
const visitsOfSalon = 12_000
/** Bookings are moved to days that no other request uses. */
const laterMs = 700 * 86_400_000

/** The load of one database. No two requests want the same slot, and each visitor has a different address. */
export class Ground {
  readonly world: World
  /** Path of the API. */
  readonly root: string = '/api/v1'
  private slots = 0
  private hotSlots = 0
  private visits = 0
  private readonly salons: Promise<Salon>[] = []
  moves = 0
  private visitors = 0

  constructor(world: World) {
    this.world = world
  }

  async visitor(send: Send): Promise<Visitor> {
    this.visitors += 1
    const [a, b, c] = [this.visitors >> 16, this.visitors >> 8, this.visitors].map((part) => part & 255)
    const network = `10.${a}.${b}.${c}`
    const token = this.world.publishableKey
    const session = await send<{ session_token: string }>({
      method: 'POST',
      path: '/session',
      token,
      network,
    })
    return { token: session.session_token, network }
  }

  /** Returns the next slot: all services at one time, then at the next. */
  slot(): Slot {
    const { serviceIds, locationId, firstSlotMs } = this.world
    const turn = this.slots++
    return {
      service_id: serviceIds[turn % serviceIds.length] ?? '',
      location_id: locationId,
      starts_at: new Date(firstSlotMs + Math.floor(turn / serviceIds.length) * slotMs).toISOString(),
    }
  }

  /** Chooses the slot that all clients of the round want: another of the day before all others. */
  beginRound(): void {
    this.hotSlots += 1
  }

  /** Returns the slot that all clients of this round want, with one person. */
  protected hotSlot(): Required<Slot> {
    const { serviceIds, staffIds, locationId, firstSlotMs } = this.world
    const starts_at = new Date(firstSlotMs - (1 + (this.hotSlots % 90)) * slotMs).toISOString()
    return {
      ...{ service_id: serviceIds[0] ?? '', location_id: locationId },
      ...{ starts_at, staff_id: staffIds[0]?.[0] ?? '' },
    }
  }

  /** Wants the slot of this round. Returns the result. */
  async race(send: Send, visitor: Visitor): Promise<string> {
    const answer = await send<{ hold_id?: string; alternatives?: unknown[] }>(
      { method: 'POST', path: '/bookings/hold', ...visitor, body: this.hotSlot() },
      [201, 409],
    )
    if (answer.hold_id !== undefined) return won
    return answer.alternatives?.length ? refusedWithOthers : refused
  }

  async hold(send: Send, visitor: Visitor, slot: object = this.slot()): Promise<Held> {
    const held = await send<{ hold_id: string }>(
      { method: 'POST', path: '/bookings/hold', ...visitor, body: slot },
      [201],
    )
    return { id: held.hold_id, visitor }
  }

  show(send: Send, { id }: Held): Promise<unknown> {
    return send(this.byKey('GET', `/bookings/${id}`))
  }

  release(send: Send, { id, visitor }: Held): Promise<unknown> {
    return send({ method: 'DELETE', path: `/bookings/hold/${id}`, ...visitor })
  }

  cancel(send: Send, { id }: Held): Promise<unknown> {
    return send(this.byKey('DELETE', `/bookings/${id}`))
  }

  async book(send: Send, { id, visitor }: Held): Promise<Held> {
    const client = {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: `ada.${visitor.network}@example.com`, // bookings for one client take turns
      phone: '+4930123456',
    }
    await send({ method: 'POST', path: '/bookings', ...visitor, body: { hold_id: id, client } })
    return { id, visitor }
  }

  /**
   * Returns a salon that opens from nine to six: three services that ten people give, two of which need one of three
   * rooms. Creates each once.
   */
  private salonOf(send: Send, number = 0): Promise<Salon> {
    const create = async (path: string, body: object) =>
      (await send<{ id: string }>(this.byKey('POST', path, body), [201])).id
    const make = async () => {
      const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
      const location_id = await create('/locations', {
        ...{ name: 'Salon', timezone: 'UTC' },
        weekly_hours: days.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' })),
      })
      const rooms = await Promise.all(
        [1, 2, 3].map((room) => create('/resources', { name: `Room ${room}`, location_id, quantity: 1 })),
      )
      const staff_ids = await Promise.all(
        Array.from({ length: 10 }, (_, person) => create('/staff', { name: `Person ${person}` })),
      )
      const serviceIds: string[] = []
      for (const name of ['Cut', 'Massage', 'Facial']) {
        serviceIds.push(
          await create('/services', {
            ...{ name, duration_minutes: 30, location_ids: [location_id], staff_ids },
            max_advance_days: 730,
            ...(name !== 'Cut' && { needs: [{ resource_ids: rooms }] }),
          }),
        )
      }
      return { locationId: location_id, serviceIds }
    }
    return (this.salons[number] ??= make())
  }

  /** Returns the next visit of three services with two rooms. Three visits share a time, six times a day. */
  async visit(send: Send) {
    const visit = this.visits++
    const { locationId, serviceIds } = await this.salonOf(send, Math.floor(visit / visitsOfSalon))
    const turn = Math.floor((visit % visitsOfSalon) / 3)
    // its own salon has no other visits, so they begin tomorrow
    const firstDayMs = Math.ceil(Date.now() / dayMs) * dayMs
    const startsAt = firstDayMs + Math.floor(turn / 6) * dayMs + (36 + (turn % 6) * 6) * slotMs
    return {
      location_id: locationId,
      starts_at: new Date(startsAt).toISOString(),
      items: serviceIds.map((service_id) => ({ service_id })),
    }
  }

  /** Returns the request for the slots of such a visit. */
  async slotsOfVisit(send: Send, days: number): Promise<Request> {
    const { locationId, serviceIds } = await this.salonOf(send)
    const dateOf = (day: number) => new Date(this.world.firstSlotMs + day * dayMs).toISOString().slice(0, 10)
    const query = {
      ...{ items: serviceIds.join(','), location_id: locationId },
      ...{ from: dateOf(0), to: dateOf(days - 1) },
    }
    return this.byKey('GET', `/availability?${new URLSearchParams(query).toString()}`)
  }

  /** Sends a request with the key of the business. */
  byKey(method: Request['method'], path: string, body?: object): Request {
    return { method, path, token: this.world.businessKey, network: '10.255.0.1', ...(body && { body }) }
  }

  slotsOf(turn: number, days: number): Request {
    const { serviceIds, locationId, firstSlotMs } = this.world
    const dateOf = (day: number) => new Date(firstSlotMs + day * 86_400_000).toISOString().slice(0, 10)
    const service = serviceIds[turn % serviceIds.length] ?? ''
    const query = { service_id: service, location_id: locationId, from: dateOf(0), to: dateOf(days - 1) }
    return this.byKey('GET', `/availability?${new URLSearchParams(query).toString()}`)
  }
}

/** A measured operation. `Thing` is the thing that a request needs first: a session, a hold, a booking. */
interface Operation<Thing = unknown> {
  name: string
  /** Description for readers of the table. */
  about: string
  /** A creation: measured without an `Idempotency-Key`, and with one, as our clients send it. */
  keyed?: true
  /** Inserts one row of `claims`, as pgbench can. */
  isInsert?: true
  /** Number of things that the requests share. Without a number each request uses up a separate one. */
  shared?: number
  /** Created again for each round, because a visitor has at most ten active holds. */
  perRound?: true
  /** Creates a thing. */
  prepare?: (fixture: Ground, send: Send) => Promise<Thing>
  request: (fixture: Ground, send: Send, made: { thing: Thing; turn: number }) => Promise<unknown>
}

/** Preserves the type of each operation's things, while the table contains all operations. */
function operation<Thing>(one: Operation<Thing>): Operation {
  return one as Operation
}

const visitor = (fixture: Ground, send: Send) => fixture.visitor(send)
const held = async (fixture: Ground, send: Send) => fixture.hold(send, await fixture.visitor(send))
const booked = async (fixture: Ground, send: Send) => fixture.book(send, await held(fixture, send))

/** The measured operations, in the order of the table. */
export const operations: Operation[] = [
  operation({
    name: 'session',
    about: 'POST /session: a session token for a visitor',
    shared: 0,
    request: (fixture, send) => fixture.visitor(send),
  }),
  operation({
    name: 'hold',
    about: 'POST /bookings/hold, by 1,000 sessions',
    keyed: true,
    isInsert: true,
    shared: 1_000,
    perRound: true,
    prepare: visitor,
    request: (fixture, send, { thing }) => fixture.hold(send, thing),
  }),
  operation({
    name: 'hold-by-key',
    about: 'POST /bookings/hold, all by one key',
    keyed: true,
    isInsert: true,
    shared: 0,
    request: (fixture, send) => send(fixture.byKey('POST', '/bookings/hold', fixture.slot())),
  }),
  operation({
    name: 'visit',
    about: 'POST /bookings/hold of three services with two rooms, by 1,000 sessions',
    shared: 1_000,
    perRound: true,
    prepare: visitor,
    request: async (fixture, send, { thing }) => fixture.hold(send, thing, await fixture.visit(send)),
  }),
  operation({
    name: 'hot-slot',
    about: 'POST /bookings/hold, 1,000 sessions want one slot; nearly all are refused',
    shared: 1_000,
    prepare: visitor,
    request: (fixture, send, { thing }) => fixture.race(send, thing),
  }),
  operation({
    name: 'convert',
    about: 'POST /bookings: a hold becomes a booking',
    keyed: true,
    prepare: held,
    request: (fixture, send, { thing }) => fixture.book(send, thing),
  }),
  operation({
    name: 'flow',
    about: 'session, hold, booking: three requests of one visitor',
    keyed: true,
    shared: 0,
    request: (fixture, send) => booked(fixture, send),
  }),
  operation({
    name: 'release',
    about: 'DELETE /bookings/hold/{id}',
    prepare: held,
    request: (fixture, send, { thing }) => fixture.release(send, thing),
  }),
  operation({
    name: 'show',
    about: 'GET /bookings/{id}, one of 300, with a key',
    shared: 300,
    prepare: booked,
    request: (fixture, send, { thing }) => fixture.show(send, thing),
  }),
  operation({
    name: 'list',
    about: 'GET /bookings?limit=25, with a key',
    shared: 0,
    request: (fixture, send) => send(fixture.byKey('GET', '/bookings?limit=25')),
  }),
  operation({
    name: 'reschedule',
    about: 'PATCH /bookings/{id}: one of 300 to another time',
    shared: 300,
    prepare: booked,
    request: (fixture, send, { thing }) => {
      // a different time for each: two bookings of one service must not overlap
      const later = new Date(fixture.world.firstSlotMs + laterMs + fixture.moves++ * slotMs).toISOString()
      return send(fixture.byKey('PATCH', `/bookings/${thing.id}`, { starts_at: later }))
    },
  }),
  operation({
    name: 'cancel',
    about: 'DELETE /bookings/{id}, with a key',
    prepare: booked,
    request: (fixture, send, { thing }) => fixture.cancel(send, thing),
  }),
  operation({
    name: 'day',
    about: 'GET /availability: one day of a service with two people',
    shared: 0,
    request: (fixture, send, { turn }) => send(fixture.slotsOf(turn, 1)),
  }),
  operation({
    name: 'month',
    about: 'GET /availability: 30 days of it',
    shared: 0,
    request: (fixture, send, { turn }) => send(fixture.slotsOf(turn, 30)),
  }),
  operation({
    name: 'visit-month',
    about: 'GET /availability: 30 days of three services with two rooms, ten people',
    shared: 0,
    request: async (fixture, send) => send(await fixture.slotsOfVisit(send, 30)),
  }),
]
