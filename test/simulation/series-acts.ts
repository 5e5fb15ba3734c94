import { expect } from 'vitest'
import * as holds from './hold-model.ts'
import { randomStart, unknownHolds } from './hold-acts.ts'
import { isPlain, minute, type Answer, type Wanted } from './model.ts'
import { perform } from './perform.ts'
import { claimOf, iso, type World } from './world.ts'

/** All locations of the business are in this zone. */
const zone = 'Europe/Berlin'

/** Returns the times of a daily series by the wall clock, from noon, which no clock change skips. */
function days(start: number, count: number): number[] {
  const first = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone)
  return Array.from({ length: count }, (_, day) => first.add({ days: day }).epochMilliseconds)
}

/** A key holds a service on some days in a row. All are held, or with `skip` those that are free. */
export async function holdSeries(world: World): Promise<void> {
  const { random, model } = world
  const caller = random.of(world.callers.filter(({ session }) => session === undefined))
  const service = random.of(world.services.filter(isPlain))
  const staffId = service.staffIds.length > 0 && random.chance(0.5) ? random.of(service.staffIds) : undefined
  const locationId = random.of(world.locationIds)
  const conflicts = random.of(['refuse', 'skip'] as const)
  const starts = days(randomStart(world), 2 + random.below(3))
  const wishes = starts.map((start): Wanted => ({ service, locationId, start, staffId }))
  const tries = wishes.map((wanted) => ({ wanted, ...holds.expectHold(model, undefined, wanted) }))
  const free = tries.filter(({ status }) => status === 201)
  const isHeld = free.length > 0 && (conflicts === 'skip' || free.length === tries.length)
  const body = {
    ...{ service_id: service.id, location_id: locationId, starts_at: iso(starts[0] ?? 0), conflicts },
    ...(staffId !== undefined && { staff_id: staffId }),
    repeat: { every: 'day', count: starts.length },
  }
  await perform(world, {
    says: `${caller.name} holds a series ${JSON.stringify(body)}`,
    send: () => world.service.call('POST', '/bookings/hold', { token: caller.client.token, body }),
    expected: isHeld ? { status: 201 } : refusal(tries),
    happened: async () => (await unknownHolds(world)).length > 0,
    done: async (reply) => {
      const claims = await Promise.all((await unknownHolds(world)).map((id) => claimOf(world, id)))
      const ordered = claims.toSorted((one, other) => (one.starts_at < other.starts_at ? -1 : 1))
      const series = ordered.map(({ id }) => id)
      expect(
        ordered.map(({ starts_at }) => Date.parse(starts_at)),
        'all that are free',
      ).toEqual(free.map(({ wanted }) => wanted.start))
      if (reply)
        expect((reply.body.series.holds as { hold_id: string }[]).map(({ hold_id }) => hold_id)).toEqual(
          series,
        )
      for (const [index, claim] of ordered.entries()) {
        const { wanted, best } = free[index] as (typeof free)[number]
        const resource = service.staffIds.length > 0 ? claim.resource_id : `${service.id} at ${locationId}`
        const found = best.find((one) => one.resource === resource && (one.seat ?? claim.seat) === claim.seat)
        if (!found) throw new Error('the best free seat was not chosen')
        const end = wanted.start + service.minutes * minute
        const parts = { id: claim.id, resource, session: undefined, wanted, end, series }
        const hold = { ...parts, expires: Date.parse(claim.expires_at), ended: undefined, items: undefined }
        holds.placeHold(model, hold, { chosen: { ...found, seat: claim.seat }, replaced: [] })
      }
    },
  })
}

/** A refused series has the code of its first taken time, else of its first other one. */
function refusal(tries: readonly Answer[]): Answer {
  const refused = tries.filter(({ status }) => status !== 201)
  const taken = refused.find(({ status }) => status === 409) ?? refused[0]
  if (!taken) throw new Error('a refused series has a conflict')
  const orCodes = refused.flatMap(({ code, orCodes: others = [] }) => [code ?? '', ...others])
  return { status: taken.status, ...(taken.code !== undefined && { code: taken.code }), orCodes }
}
