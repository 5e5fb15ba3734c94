import { minute, type Answer, type Claim, type Model, type ModelService, type Wanted } from './model.ts'

/* The allocation of resources over time. */

export interface Candidate {
  /** The ID of a staff member, or service and location of an unstaffed service. */
  resource: string
  /** Undefined for any of alike seats: their number alone decides. */
  seat: number | undefined
  /** The session's holds that block only this seat. */
  givesUp: string[]
}

/** A time, its caller, and the claims that end before. */
interface SlotQuestion {
  from: number
  to: number
  session: string | undefined
  except: string[]
}

export function activeClaims(model: Model): Claim[] {
  return model.claims.filter(({ expires }) => expires === undefined || expires > model.now)
}

/** Returns the free seats of a resource. A session may give up its own holds for one. */
export function freeSeats(
  model: Model,
  { wanted, resource, ...question }: SlotQuestion & { wanted: Wanted; resource: string },
): Candidate[] {
  const around = inTheWay(model, { ...question, resources: [resource] })
  if (wanted.service.staffIds.length === 0) return alikeSeats(around, { wanted, resource, ...question })
  const free: Candidate[] = []
  for (let seat = 0; seat < wanted.service.capacity; seat += 1) {
    const against = around.filter(
      (claim) => claim.seats.includes(seat) || claim.occurrence !== occurrenceOf(wanted, resource),
    )
    if (against.every((claim) => isOwn(claim, question.session))) {
      free.push({ resource, seat, givesUp: [...new Set(against.map(({ id }) => id))] })
    }
  }
  return free
}

/** Counts the claims of each minute. Tries to keep the session's holds, then gives them up. */
function alikeSeats(
  around: Claim[],
  { wanted, resource, ...question }: SlotQuestion & { wanted: Wanted; resource: string },
): Candidate[] {
  const own = around.filter((claim) => isOwn(claim, question.session))
  for (const givenUp of [[], own]) {
    const rest = around.filter((claim) => !givenUp.includes(claim))
    let most = 0
    for (let at = question.from; at < question.to; at += minute) {
      const taken = rest.filter(({ from, to }) => from <= at && at < to)
      most = Math.max(most, taken.flatMap(({ seats }) => seats).length)
    }
    if (most < wanted.service.capacity) {
      return [{ resource, seat: undefined, givesUp: givenUp.map(({ id }) => id) }]
    }
  }
  return []
}

export function refusal(model: Model, question: SlotQuestion & { resources: string[] }): Answer {
  const others = inTheWay(model, question).filter((claim) => !isOwn(claim, question.session))
  const booked = others.every(({ expires }) => expires === undefined)
  return { status: 409, code: booked ? 'slot_booked' : 'slot_held' }
}

export function take(
  model: Model,
  claim: { id: string; wanted: Wanted; resource: string; seat: number; end: number },
  hold: { session: string | undefined; expires: number } | undefined,
): void {
  const { id, wanted, resource, seat, end } = claim
  model.claims.push({
    ...{ id, resource, seats: [seat], occurrence: occurrenceOf(wanted, resource) },
    ...taken(wanted.service, wanted.start, end),
    ...{ owner: hold?.session, expires: hold?.expires },
  })
}

export function free(model: Model, id: string): void {
  model.claims = model.claims.filter((claim) => claim.id !== id)
}

/**
 * Returns those who work during a slot. A key may ignore blocks if nobody else works then. Empty if a session cannot have
 * the slot.
 */
export function unblocked(
  model: Model,
  resources: string[],
  { from, to, session }: Omit<SlotQuestion, 'except'>,
) {
  const working = resources.filter((id) => !isBlocked(model, id, { from, to }))
  return working.length === 0 && session === undefined ? resources : working
}

export function isBlocked({ blocks }: Model, id: string, span: { from: number; to: number }): boolean {
  return blocks.some(({ target, from, to }) => target === id && from < span.to && span.from < to)
}

/** Returns the time of a slot with its buffers. */
export function taken(service: ModelService, start: number, end: number): { from: number; to: number } {
  return { from: start - service.bufferBefore * minute, to: end + service.bufferAfter * minute }
}

export function resourcesOf({ service, locationId, staffId }: Wanted): string[] {
  if (service.staffIds.length === 0) return [`${service.id} at ${locationId}`]
  return service.staffIds.filter((id) => staffId === undefined || id === staffId)
}

function occurrenceOf({ service, locationId, start }: Wanted, resource: string): string {
  return service.staffIds.length === 0 ? resource : `${service.id} at ${locationId} from ${String(start)}`
}

export function isOwn(claim: Claim, session: string | undefined): boolean {
  return session !== undefined && claim.expires !== undefined && claim.owner === session
}

function inTheWay(
  model: Model,
  { resources, except, from, to }: SlotQuestion & { resources: string[] },
): Claim[] {
  return activeClaims(model).filter(
    (claim) =>
      resources.includes(claim.resource) && !except.includes(claim.id) && claim.from < to && from < claim.to,
  )
}
