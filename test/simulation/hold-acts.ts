import { expect } from 'vitest'
import type { Reply } from '../support/test-service.ts'
import * as holds from './hold-model.ts'
import { hasDeposit, isPlain, minute, type ModelHold, type Wanted } from './model.ts'
import { checkoutLife, newPayment } from './payment-model.ts'
import { perform, type Act } from './perform.ts'
import { claimOf, claimsOf, iso, type Caller, type World } from './world.ts'

/**
 * Returns a quarter of an hour within two hours around noon, mostly of one day, so that holds meet. Rarely in the past.
 */
export function randomStart({ random, model }: World): number {
  const day = 86_400_000
  if (random.chance(0.02)) return Math.floor((model.now - random.below(day)) / minute) * minute
  const quarter = random.of(quarters({ model }))
  return quarter + (random.chance(0.15) ? day : 0)
}

/** Returns the quarters of an hour of the day on which most happens. */
export function quarters({ model }: Pick<World, 'model'>): number[] {
  const day = 86_400_000
  const next = (Math.ceil(model.now / day) + 1) * day
  return Array.from({ length: 8 }, (_, index) => next + (11 * 4 + index) * 15 * minute)
}

export async function holdSlot(world: World): Promise<void> {
  const { random, model } = world
  const caller = random.of(world.callers)
  const service = random.of(world.services.filter(isPlain))
  const staffId = service.staffIds.length > 0 && random.chance(0.3) ? random.of(service.staffIds) : undefined
  const wanted: Wanted = {
    ...{ service, locationId: random.of(world.locationIds), start: randomStart(world), staffId },
  }
  const expected = holds.expectHold(model, caller.session, wanted)
  const offer = { service_id: service.id, location_id: wanted.locationId }
  const body = { ...offer, starts_at: iso(wanted.start), ...(staffId !== undefined && { staff_id: staffId }) }
  await perform(world, {
    ...creation(world, caller, { path: '/bookings/hold', body }),
    says: `${caller.name} holds ${JSON.stringify({ ...body, service: service.minutes })}`,
    expected,
    happened: async () => (await unknownHolds(world)).length > 0,
    done: async (reply) => {
      const [id = ''] = await unknownHolds(world)
      const expires = Math.ceil(model.now / 1000) * 1000 + 600_000
      if (reply)
        expect([reply.body.hold_id, Date.parse(reply.body.expires_at as string)]).toEqual([id, expires])
      const claim = await claimOf(world, id)
      // the service uses the unstaffed resource's own ID
      const resource =
        service.staffIds.length > 0 ? claim.resource_id : `${service.id} at ${wanted.locationId}`
      const best = expected.best.find((one) => {
        return one.resource === resource && (one.seat ?? claim.seat) === claim.seat
      })
      if (!best) throw new Error('the best free seat was not chosen')
      const chosen = { ...best, seat: claim.seat }
      const end = wanted.start + service.minutes * minute
      const parts = { id, resource, session: caller.session, wanted, end, expires }
      const hold = { ...parts, ended: undefined, items: undefined }
      holds.placeHold(model, hold, { chosen, replaced: expected.replaced })
    },
  })
}

/** Returns the holds that the model does not know. */
export async function unknownHolds({ service, model, business }: World): Promise<string[]> {
  const { reads } = service.context.db
  const rows = await reads.selectFrom('claims').selectAll().where('business_id', '=', business.id).execute()
  const first = rows.filter(({ visit_id }) => visit_id === null)
  return first.map(({ id }) => id).filter((id) => !model.holds.some((hold) => hold.id === id))
}

/** Sends a creation, sometimes with an Idempotency-Key. Then it is repeated after a failure, and its answer is kept. */
export function creation(
  world: World,
  caller: Caller,
  { path, body }: { path: string; body: unknown },
): Pick<Act, 'send' | 'isRepeated'> {
  const key = world.random.chance(0.4) ? `key ${String(world.log.length)}` : undefined
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  const send = async (): Promise<Reply> => {
    const reply = await world.service.call('POST', path, { token: caller.client.token, body, headers })
    if (key !== undefined && reply.status === 201) world.kept.push({ caller, path, body, key, reply })
    return reply
  }
  return { send, isRepeated: key !== undefined }
}

/** Returns a hold, mostly an active one. */
function someHold({ random, model }: World): ModelHold | undefined {
  const active = model.holds.filter((hold) => holds.statusOf(model, hold) === 'active')
  const among = active.length > 0 && random.chance(0.75) ? active : model.holds.slice(-6)
  return among.length > 0 ? random.of(among) : undefined
}

/** Returns a caller, mostly the owner of the hold. */
function someoneFor(world: World, hold: ModelHold): Caller {
  const owner = world.callers.find(({ session }) => session !== undefined && session === hold.session)
  return owner && world.random.chance(0.8) ? owner : world.random.of(world.callers)
}

export async function convertHold(world: World): Promise<void> {
  const { model } = world
  const hold = someHold(world)
  if (!hold) return
  const caller = someoneFor(world, hold)
  const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
  await perform(world, {
    ...creation(world, caller, { path: '/bookings', body: { hold_id: hold.id, client } }),
    says: `${caller.name} books ${hold.id}`,
    expected: holds.expectConversion(model, caller.session, hold),
    happened: async () => (await world.key.show(hold.id)).status === 200,
    done: async (reply) => {
      for (const one of holds.seriesOf(model, hold)) holds.convert(model, one, caller.session)
      if (hasDeposit(hold) && !hold.series) await awaitDeposit(world, hold.id, reply)
    },
  })
}

/** A checkout of an earlier attempt is reused while this much of its life is left. */
const minLifeSeconds = 30.5 * minute

export async function awaitDeposit(world: World, id: string, reply: Reply | undefined): Promise<void> {
  const { service, model, stripe } = world
  const { reads } = service.context.db
  const query = reads.selectFrom('payments').selectAll().where('booking_id', '=', id)
  const due = await query.where('status', '=', 'due').executeTakeFirstOrThrow()
  const reference = due.checkout_reference ?? ''
  if (reply) expect(reply.body.redirect_url).toBe(stripe.sessions.get(reference)?.url)
  const expires = Date.parse(due.expires_at)
  expect(expires).toBeLessThanOrEqual(model.now + checkoutLife)
  expect(expires).toBeGreaterThanOrEqual(model.now + minLifeSeconds)
  const booking = model.bookings.find((one) => one.id === id)
  if (booking) booking.payment = newPayment({ id: due.id, reference, expires })
}

export async function releaseHold(world: World): Promise<void> {
  const { model } = world
  const hold = someHold(world)
  if (!hold) return
  const caller = someoneFor(world, hold)
  const wasActive = holds.statusOf(model, hold) === 'active'
  await perform(world, {
    says: `${caller.name} releases ${hold.id}`,
    send: () => caller.client.release(hold.id),
    expected: holds.expectRelease(caller.session, hold),
    happened: async () => wasActive && (await world.key.showHold(hold.id)).body.status === 'released',
    done: () => {
      holds.release(model, hold)
    },
  })
}

export async function showHold(world: World): Promise<void> {
  const { model } = world
  const hold = someHold(world)
  if (!hold) return
  const caller = someoneFor(world, hold)
  const isSeen = caller.session === undefined || caller.session === hold.session
  await perform(world, {
    says: `${caller.name} looks at ${hold.id}`,
    send: () => caller.client.showHold(hold.id),
    expected: isSeen ? { status: 200 } : { status: 404, code: 'hold_not_found' },
    done: (reply) => {
      if (reply) expect(reply.body.status).toBe(holds.statusOf(model, hold))
    },
  })
}

/** A further claim of a visit is no hold, even for those who know its ID. */
export async function meddleWithFurther(world: World): Promise<void> {
  const { random, model, callers } = world
  const visits = model.holds.filter(({ items, ended }) => items && !ended)
  if (visits.length === 0) return
  const hold = random.of(visits)
  const [, further] = await claimsOf(world, hold.id)
  const { client, name } = random.of(callers)
  if (!further) return
  const [says, tries] = random.of([
    ['looks at', () => client.showHold(further.id)],
    ['books', () => client.book(further.id)],
    ['releases', () => client.release(further.id)],
  ] as const)
  await perform(world, {
    says: `${name} ${says} a part of ${hold.id}`,
    send: tries,
    expected: { status: 404, code: 'hold_not_found' },
  })
}

/** Repeats a request with the same key, which gets the same answer and does nothing. A different request is refused. */
export async function repeatRequest(world: World): Promise<void> {
  if (world.kept.length === 0) return
  const { caller, path, body, key, reply: first } = world.random.of(world.kept)
  const isOther = world.random.chance(0.2)
  const sent = isOther ? { ...(body as object), notes: 'another' } : body
  if (isOther && path !== '/bookings') return
  await perform(world, {
    says: `${caller.name} repeats ${key}${isOther ? ' for something else' : ''}`,
    send: () =>
      world.service.call('POST', path, {
        token: caller.client.token,
        body: sent,
        headers: { 'idempotency-key': key },
      }),
    expected: isOther ? { status: 422, code: 'idempotency_key_reused' } : { status: 201 },
    done: (reply) => {
      if (!reply) return
      expect(reply.headers['idempotent-replayed']).toBe('true')
      expect(reply.body).toEqual(first.body)
      expect(reply.headers['etag']).toBe(first.headers['etag'])
    },
  })
}
