import { expect } from 'vitest'
import { entryPath } from '../../src/access/entry-link.ts'
import { RequestWorker } from '../../src/bookings/request.ts'
import { WaitlistWorker } from '../../src/bookings/waitlist-sweep.ts'
import { sendForm } from '../support/person.ts'
import { randomFault, sufferFault } from './failing-statements.ts'
import { awaitDeposit, creation, quarters } from './hold-acts.ts'
import * as holds from './hold-model.ts'
import { hasDeposit, isPlain, minute, type ModelEntry, type ModelOffer, type Wanted } from './model.ts'
import { perform } from './perform.ts'
import type { Candidate } from './slot-model.ts'
import * as waiting from './waiting-model.ts'
import { claimOf, iso, type World } from './world.ts'

/* Clients on the waiting list, the offers that a sweep makes them, and requests without an answer. */

const zone = 'Europe/Berlin'
/** Starts of plain services are this far apart. */
const grid = 5 * minute
/** A business is swept at most twice a minute, and again a minute after a sweep that died. */
const sweepSeconds = 31
const leaseSeconds = 61

export async function joinList(world: World): Promise<void> {
  const { random, model, callers } = world
  const caller = random.of(callers)
  const service = random.of(world.services.filter(isPlain))
  const staffId = service.staffIds.length > 0 && random.chance(0.3) ? random.of(service.staffIds) : undefined
  const email = `${random.of(['ada', 'ben'])}@example.com`
  const [day = 0] = quarters(world)
  const first = day + random.below(6) * 15 * minute
  const last = first + random.below(3) * 15 * minute
  const wanted = { service, locationId: random.of(world.locationIds), start: first, staffId }
  const body = {
    ...{ service_id: service.id, location_id: wanted.locationId },
    ...(staffId !== undefined && { staff_id: staffId }),
    ...{ from: iso(day).slice(0, 10), to: iso(day).slice(0, 10), after: clock(first), before: clock(last) },
    client: { first_name: 'Ada', last_name: 'Lovelace', email },
  }
  const isSession = caller.session !== undefined
  await perform(world, {
    ...creation(world, caller, { path: '/waitlist', body }),
    says: `${caller.name} joins the waiting list ${JSON.stringify(body)}`,
    expected: waiting.expectEntry(model, email, isSession),
    happened: async () => (await unknownEntry(world)) !== undefined,
    done: async () => {
      const id = (await unknownEntry(world)) ?? ''
      const starts = Array.from({ length: (last - first) / grid + 1 }, (_, index) => first + index * grid)
      model.entries.push({
        ...{ id, wanted, starts, status: 'waiting', unanswered: 0, offers: [] },
        counted: isSession ? email : undefined,
      })
    },
  })
}

/** Returns a time by the clock on the wall. */
function clock(time: number): string {
  return Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).toString().slice(11, 16)
}

async function unknownEntry({ service, model, business }: World): Promise<string | undefined> {
  const { reads } = service.context.db
  const query = reads.selectFrom('waitlist_entries').select('id').where('business_id', '=', business.id)
  const rows = await query.execute()
  return rows.find(({ id }) => !model.entries.some((entry) => entry.id === id))?.id
}

/**
 * A server compares the list with the free times, perhaps with a failing statement. Exactly those who can get an offer
 * have one then, in the order in which they joined. If the server fails in between, another goes on later.
 */
export async function sweep(world: World): Promise<void> {
  const { random, model, log, service } = world
  if (!model.entries.some(waiting.isActive)) return
  pass(world, sweepSeconds)
  const fault = random.chance(0.2) ? randomFault(random) : undefined
  log.push(`the waiting list is swept${fault ? `; a statement fails: ${fault.how}` : ''}`)
  const run = async () => {
    const worker = new WaitlistWorker(service.context)
    await worker.settled()
    await worker.stop()
  }
  if (fault) {
    await sufferFault(fault, run)
    await followOffers(world, { isWhole: false })
    pass(world, leaseSeconds)
    await run()
  } else await run()
  await followOffers(world, { isWhole: true })
}

function pass({ service, model }: World, seconds: number): void {
  service.clock.advance(seconds)
  model.now = service.clock.nowMs()
}

/** Applies the offers in the table to the model, which names each. */
async function followOffers(world: World, { isWhole }: { isWhole: boolean }): Promise<void> {
  const { model } = world
  let made = await unknownOffers(world)
  // a sweep that failed before its first offer may have settled none
  if (isWhole || made.length > 0) waiting.settleOffers(model)
  for (;;) {
    const next = waiting.nextOffer(model)
    const row = next && made.find(({ entry_id }) => entry_id === next.entry.id)
    if (!next || !row) {
      if (isWhole || !next) expect([next?.entry.id, made], 'offers').toEqual([undefined, []])
      expect(made, 'offers in another order').toEqual([])
      return
    }
    made = made.filter((one) => one !== row)
    expect(Date.parse(row.starts_at), 'the offered time').toBe(next.wanted.start)
    await place(world, { ...next, id: row.id, expires: waiting.offerLasts(model), byHand: false })
  }
}

async function unknownOffers({ service, model, business }: World) {
  const { reads } = service.context.db
  const query = reads.selectFrom('waitlist_offers').selectAll().where('business_id', '=', business.id)
  const rows = await query.execute()
  return rows.filter(({ id }) => !model.holds.some((hold) => hold.id === id))
}

interface Placed {
  entry: ModelEntry
  wanted: Wanted
  best: Candidate[]
  id: string
  expires: number
  byHand: boolean
}

async function place(world: World, { entry, wanted, best, id, expires, byHand }: Placed): Promise<void> {
  const { service } = wanted
  const claim = await claimOf(world, id)
  expect(Date.parse(claim.expires_at), 'the end of the offer').toBe(expires)
  const resource = service.staffIds.length > 0 ? claim.resource_id : `${service.id} at ${wanted.locationId}`
  const found = best.find((one) => one.resource === resource && (one.seat ?? claim.seat) === claim.seat)
  if (!found) throw new Error('the best free seat was not chosen')
  const end = wanted.start + service.minutes * minute
  const hold = { id, resource, session: entry.id, wanted, end, expires, ended: undefined, items: undefined }
  holds.placeHold(world.model, hold, { chosen: { ...found, seat: claim.seat }, replaced: [] })
  const staffId = service.staffIds.length > 0 ? resource : undefined
  entry.offers.push({
    ...{ id, start: wanted.start, end, staffId, byHand },
    ...{ decided: undefined, status: 'open' },
  })
  entry.status = 'offered'
}

/** The client takes or declines an offer, or leaves the list, by the link in the email. */
export async function answerOffer(world: World): Promise<void> {
  const { random, model, service } = world
  const offers = model.entries.flatMap((entry) => entry.offers.map((offer) => ({ entry, offer })))
  if (offers.length === 0) return
  const open = offers.filter(({ offer }) => offer.status === 'open')
  const { entry, offer } = random.of(open.length > 0 && random.chance(0.85) ? open : offers)
  const path = await entryPath(service.context, entry.id)
  const how = random.of(['take', 'take', 'decline', 'leave'] as const)
  const send = () => sendForm(service, `${path}/${how}`, how === 'leave' ? {} : { offer: offer.id })
  const says = `the client of ${entry.id} wants to ${how} ${offer.id}`
  if (how === 'take') return take(world, { entry, offer, says, send, path })
  const before = entry.status
  await perform(world, {
    ...{ says, send, expected: { status: 303 } },
    happened: async () => (await statusOf(world, entry)) !== before,
    done: (reply) => {
      const isOpen = offer.status === 'open'
      const now = how === 'leave' ? '' : isOpen ? '?now=declined' : '?now=gone'
      if (reply) expect(reply.headers['location']).toBe(path + now)
      if (how === 'leave') waiting.endEntry(model, entry)
      else if (isOpen) waiting.refuseOffer(model, entry, 'declined')
    },
  })
}

async function take(
  world: World,
  {
    entry,
    offer,
    path,
    ...act
  }: { entry: ModelEntry; offer: ModelOffer; path: string } & Pick<
    Parameters<typeof perform>[1],
    'says' | 'send'
  >,
): Promise<void> {
  const { model, key } = world
  const hold = waiting.holdOf(model, offer)
  const isTaken = hold !== undefined && offer.status === 'open' && holds.statusOf(model, hold) === 'active'
  await perform(world, {
    ...{ ...act, expected: { status: 303 } },
    happened: async () => isTaken && (await key.show(offer.id)).status === 200,
    done: async (reply) => {
      const location = reply?.headers['location']
      if (!isTaken) return expect(location).toBe(`${path}?now=gone`)
      holds.convert(model, hold, entry.id, offer.byHand)
      waiting.takeOffer(model, entry, offer)
      if (!hasDeposit(hold)) {
        if (reply) expect(location).toBe(path)
        return
      }
      await awaitDeposit(world, hold.id, undefined)
      const reference = model.bookings.find(({ id }) => id === hold.id)?.payment?.reference ?? ''
      if (reply) expect(location).toBe(world.stripe.sessions.get(reference)?.url)
    },
  })
}

async function statusOf({ key, service }: World, { id }: ModelEntry): Promise<string> {
  const { body } = await service.call('GET', `/waitlist/${id}`, { token: key.token })
  return String(body.status)
}

/** The business passes an offer on, or takes a client off the list. */
export async function passOn(world: World): Promise<void> {
  const { random, model, service, key } = world
  if (model.entries.length === 0) return
  const active = model.entries.filter(waiting.isActive)
  const entry = random.of(active.length > 0 && random.chance(0.85) ? active : model.entries)
  const isSkip = random.chance(0.7)
  const before = entry.status
  const { token } = key
  await perform(world, {
    says: `${isSkip ? 'the offer of' : 'from the list goes'} ${entry.id}`,
    send: () =>
      isSkip
        ? service.call('POST', `/waitlist/${entry.id}/skip`, { token, body: {} })
        : service.call('DELETE', `/waitlist/${entry.id}`, { token }),
    expected: { status: isSkip ? 200 : 204 },
    happened: async () => (await statusOf(world, entry)) !== before,
    done: (reply) => {
      if (!isSkip) waiting.endEntry(model, entry)
      else if (waiting.openOffer(entry)) waiting.refuseOffer(model, entry, 'skipped')
      if (isSkip && reply) expect(reply.body.status).toBe(entry.status)
    },
  })
}

/** The business offers a waiting client some time, whatever the order and the wishes. */
export async function offerByHand(world: World): Promise<void> {
  const { random, model, service, key } = world
  const waits = model.entries.filter(({ status }) => status === 'waiting')
  if (waits.length === 0) return
  const entry = random.of(waits)
  const wanted = { ...entry.wanted, start: random.of(quarters(world)) }
  const { best, replaced: _, ...expected } = holds.expectHold(model, undefined, wanted)
  await perform(world, {
    says: `${entry.id} is offered ${iso(wanted.start)} by hand`,
    send: () =>
      service.call('POST', `/waitlist/${entry.id}/offer`, {
        token: key.token,
        body: { starts_at: iso(wanted.start) },
      }),
    expected: { ...expected, status: expected.status === 201 ? 200 : expected.status },
    happened: async () => (await unknownOffers(world)).length > 0,
    done: async () => {
      const [row] = await unknownOffers(world)
      const expires = waiting.offerLasts(model)
      await place(world, { ...{ entry, wanted, best, expires, byHand: true }, id: row?.id ?? '' })
    },
  })
}

/** A server reminds of requests, and ends those without an answer. One statement may fail, and another server goes on. */
export async function checkRequests(world: World): Promise<void> {
  const { random, model, log, service } = world
  const fault = random.chance(0.2) ? randomFault(random) : undefined
  log.push(`requests are checked${fault ? `; a statement fails: ${fault.how}` : ''}`)
  const run = () => new RequestWorker(service.context).check()
  if (fault) await sufferFault(fault, run)
  await run()
  const ended = waiting.unanswered(model)
  if (ended.length === 0) return
  // several that end at once have no order
  const rows = await service.context.db.reads
    .selectFrom('events')
    .select('booking_id')
    .where('type', '=', 'booking.cancelled')
    .where(
      'booking_id',
      'in',
      ended.map(({ id }) => id),
    )
    .orderBy('position')
    .execute()
  const order = rows.map(({ booking_id }) => booking_id)
  expect(order.toSorted(), 'each ends once').toEqual(ended.map(({ id }) => id).toSorted())
  const rank = (booking: { id: string }) => order.indexOf(booking.id)
  waiting.endUnanswered(
    model,
    ended.toSorted((one, other) => rank(one) - rank(other)),
  )
}
