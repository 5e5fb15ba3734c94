/**
 * Who owns which time of which resource, as the contract says it (sections 6 and 7) and as simply as
 * it can be said: everything in lists, every question answered by looking at all of it.
 */

export interface ModelService {
  id: string
  minutes: number
  bufferBefore: number
  bufferAfter: number
  capacity: number
  staffIds: string[]
}

/** Times are in milliseconds since 1970. */
export interface Wanted {
  service: ModelService
  locationId: string
  start: number
  staffId: string | undefined
}

export type Status = 'pending' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled'

export interface Candidate {
  /** The id of a staff member, or service and location of an unstaffed service. */
  resource: string
  seat: number
  givesUp: string[]
}

interface Claim {
  id: string
  resource: string
  seat: number
  occurrence: string
  from: number
  to: number
  owner: string | undefined
  /** Undefined: booked. */
  expires: number | undefined
}

export interface ModelHold {
  id: string
  /** The session that may replace it; undefined when it is a key's. */
  session: string | undefined
  wanted: Wanted
  end: number
  expires: number
  ended: 'released' | 'converted' | undefined
}

export interface ModelBooking {
  id: string
  wanted: Wanted
  resource: string
  start: number
  end: number
  status: Status
  events: string[]
}

export type Answer = { status: number; code?: string }

const minute = 60_000

export class Model {
  now: number
  claims: Claim[] = []
  readonly holds: ModelHold[] = []
  readonly bookings: ModelBooking[] = []

  constructor(now: number) {
    this.now = now
  }

  activeClaims(): Claim[] {
    return this.claims.filter(({ expires }) => expires === undefined || expires > this.now)
  }

  /** What a hold must be answered; where it is 201, the equally good seats of which it must have one. */
  expectHold(
    session: string | undefined,
    wanted: Wanted,
  ): Answer & { best: Candidate[]; replaced: string[] } {
    const replaced = this.openHolds(session).filter((hold) => this.overlaps(hold, wanted))
    const ids = replaced.map(({ id }) => id)
    const span = taken(wanted.service, wanted.start, wanted.start + wanted.service.minutes * minute)
    const resources = resourcesOf(wanted)
    const free = resources.flatMap((resource) =>
      this.freeSeats({ wanted, resource, span, session, except: ids }),
    )
    if (free.length === 0) {
      return { ...this.refusal({ resources, span, session, except: ids }), best: [], replaced: [] }
    }
    const ranks = free.map((one) => this.rank(one, wanted))
    const [lowest] = ranks.toSorted()
    return { status: 201, best: free.filter((_, index) => ranks[index] === lowest), replaced: ids }
  }

  placeHold(hold: ModelHold, chosen: Candidate, replaced: string[]): void {
    for (const id of [...replaced, ...chosen.givesUp]) this.endHold(id, 'released')
    this.holds.push(hold)
    this.claim(hold.id, hold.wanted, { ...chosen, end: hold.end }, hold)
  }

  release(session: string | undefined, hold: ModelHold): Answer {
    if (session !== undefined && hold.session !== session) return { status: 404, code: 'hold_not_found' }
    if (hold.ended === 'converted') return { status: 409, code: 'hold_converted' }
    if (hold.ended === undefined && hold.expires > this.now) this.endHold(hold.id, 'released')
    return { status: 204 }
  }

  convert(session: string | undefined, hold: ModelHold): Answer {
    if (session !== undefined && hold.session !== session) return { status: 404, code: 'hold_not_found' }
    if (hold.ended === 'converted') return { status: 409, code: 'hold_converted' }
    if (hold.ended === 'released') return { status: 404, code: 'hold_not_found' }
    if (hold.expires <= this.now) return { status: 404, code: 'hold_expired' }
    const claim = this.claims.find(({ id }) => id === hold.id)
    if (!claim) throw new Error('an active hold has a claim')
    hold.ended = 'converted'
    Object.assign(claim, { owner: undefined, expires: undefined })
    const { id, wanted, end } = hold
    const { resource } = claim
    const booking = { id, wanted, resource, start: wanted.start, end, status: 'confirmed' as const }
    this.bookings.push({ ...booking, events: ['booking.created'] })
    return { status: 201 }
  }

  /** Applies a change; `seatOf` tells which seat the service has chosen, once the change is known to succeed. */
  change(
    booking: ModelBooking,
    wanted: { start?: number; end?: number; status?: Status },
  ): Answer & { apply: (seat: number) => void; seats: number[] } {
    const start = wanted.start ?? booking.start
    const end = wanted.end ?? start + (booking.end - booking.start)
    const status = wanted.status ?? booking.status
    const moved = start !== booking.start || end !== booking.end
    const nothing = { apply: () => undefined, seats: [] }
    if (!moved && status === booking.status) return { status: 200, ...nothing }
    const target = { ...booking.wanted, start }
    const needsSeat = status !== 'cancelled' && (moved || booking.status === 'cancelled')
    const span = taken(target.service, start, end)
    const question = {
      wanted: target,
      span,
      session: undefined,
      except: [booking.id],
      resource: booking.resource,
    }
    const seats = needsSeat ? this.freeSeats(question).map(({ seat }) => seat) : []
    if (needsSeat && seats.length === 0) {
      return { ...this.refusal({ ...question, resources: [booking.resource] }), ...nothing }
    }
    const apply = (seat: number) => {
      if (needsSeat || status === 'cancelled') {
        this.claims = this.claims.filter(({ id }) => id !== booking.id)
      }
      if (needsSeat) this.claim(booking.id, target, { resource: booking.resource, seat, end })
      booking.events.push(...eventsOf(booking.status, status, moved))
      Object.assign(booking, { start, end, status })
    }
    return { status: 200, apply, seats }
  }

  private openHolds(session: string | undefined): ModelHold[] {
    return this.holds.filter(
      (hold) => session !== undefined && hold.session === session && !hold.ended && hold.expires > this.now,
    )
  }

  private overlaps(hold: ModelHold, wanted: Wanted): boolean {
    return hold.wanted.start < wanted.start + wanted.service.minutes * minute && wanted.start < hold.end
  }

  private inTheWay(question: { resources: string[]; span: Span; except: string[] }): Claim[] {
    return this.activeClaims().filter(
      (claim) =>
        question.resources.includes(claim.resource) &&
        !question.except.includes(claim.id) &&
        claim.from < question.span.to &&
        question.span.from < claim.to,
    )
  }

  private freeSeats(question: {
    wanted: Wanted
    resource: string
    span: Span
    session: string | undefined
    except: string[]
  }): Candidate[] {
    const { wanted, resource, session } = question
    const around = this.inTheWay({ ...question, resources: [resource] })
    const free: Candidate[] = []
    for (let seat = 0; seat < wanted.service.capacity; seat += 1) {
      const against = around.filter(
        (claim) => claim.seat === seat || claim.occurrence !== occurrenceOf(wanted, resource),
      )
      if (against.every((claim) => isOwn(claim, session))) {
        free.push({ resource, seat, givesUp: against.map(({ id }) => id) })
      }
    }
    return free
  }

  private refusal(question: {
    resources: string[]
    span: Span
    session: string | undefined
    except: string[]
  }): Answer {
    const others = this.inTheWay(question).filter((claim) => !isOwn(claim, question.session))
    const booked = others.every(({ expires }) => expires === undefined)
    return { status: 409, code: booked ? 'slot_booked' : 'slot_held' }
  }

  /** Sorts as text: without giving up a hold, fewest bookings of that day, lowest id. */
  private rank({ resource, givesUp }: Candidate, { start }: Wanted): string {
    const day = (time: number) => new Date(time).toISOString().slice(0, 10)
    const bookings = this.bookings.filter(
      (one) => one.resource === resource && one.status !== 'cancelled' && day(one.start) === day(start),
    )
    return [givesUp.length > 0 ? 1 : 0, String(bookings.length).padStart(4, '0'), resource].join(' ')
  }

  private claim(
    id: string,
    wanted: Wanted,
    at: { resource: string; seat: number; end: number },
    hold?: ModelHold,
  ): void {
    this.claims.push({
      id,
      resource: at.resource,
      seat: at.seat,
      occurrence: occurrenceOf(wanted, at.resource),
      ...taken(wanted.service, wanted.start, at.end),
      owner: hold?.session,
      expires: hold?.expires,
    })
  }

  private endHold(id: string, ended: 'released'): void {
    const hold = this.holds.find((one) => one.id === id)
    if (hold) hold.ended = ended
    this.claims = this.claims.filter((claim) => claim.id !== id)
  }
}

interface Span {
  from: number
  to: number
}

function taken(service: ModelService, start: number, end: number): Span {
  return { from: start - service.bufferBefore * minute, to: end + service.bufferAfter * minute }
}

function isOwn(claim: Claim, session: string | undefined): boolean {
  return session !== undefined && claim.expires !== undefined && claim.owner === session
}

export function resourcesOf({ service, locationId, staffId }: Wanted): string[] {
  if (service.staffIds.length === 0) return [`${service.id} at ${locationId}`]
  return service.staffIds.filter((id) => staffId === undefined || id === staffId)
}

function occurrenceOf({ service, locationId, start }: Wanted, resource: string): string {
  return service.staffIds.length === 0 ? resource : `${service.id} at ${locationId} from ${start}`
}

function eventsOf(before: Status, after: Status, moved: boolean): string[] {
  if (after !== before && after === 'cancelled') return ['booking.cancelled']
  if (after !== before && after === 'completed') {
    return moved ? ['booking.updated', 'booking.completed'] : ['booking.completed']
  }
  return ['booking.updated']
}
