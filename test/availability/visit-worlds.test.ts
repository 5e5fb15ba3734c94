import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { explainSlot, showFirstDays } from '../../src/availability/availability.ts'
import { Problem } from '../../src/base/errors.ts'
import { instantFromMs, readInstant } from '../../src/base/instants.ts'
import { placeHold, releaseHold } from '../../src/bookings/hold.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { makeBusiness, makeLocation, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { caller, sessionOf } from '../support/random-world.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const worlds = rounds(25, 2_000)
const date = '2026-12-01'
const startOfDay = Date.parse(`${date}T09:00:00+01:00`)

interface Item {
  service_id: string
  staff_id?: string
  starts?: 'after' | 'with'
}

onOneEngine('sqlite', 'random worlds with visits', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  async function make(salon: OwnBusiness, path: string, body: object): Promise<string> {
    const reply = await service.call('POST', path, { token: salon.key, body })
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
    return reply.body.id as string
  }

  async function makeSalon(random: Random) {
    const salon = await makeBusiness(service)
    const hours = [{ weekday: 'tuesday' as const, opens: '09:00', closes: '13:00' }]
    const place = await makeLocation(service, salon.id, { weeklyHours: hours })
    const staff = await makeStaff(service, salon.id, ['Anna', 'Ben', 'Cleo'].slice(0, 1 + random.below(3)))
    const rooms: string[] = []
    for (const name of ['Room', 'Chairs']) {
      const body = { location_id: place, name, quantity: 1 + random.below(2) }
      rooms.push(await make(salon, '/resources', body))
    }
    const services: string[] = []
    for (const name of ['Cut', 'Colour', 'Sauna'])
      services.push(await make(salon, '/services', randomService(name)))
    if (random.chance(0.4)) {
      const body = { max_gap_minutes: random.of([10, 30]) }
      await service.call('PATCH', `/businesses/${salon.id}`, { token: salon.key, body })
    }
    return { salon, place, staff, services }

    function randomService(name: string) {
      const isUnstaffed = name === 'Sauna'
      const minutes = () => random.of([15, 30, 45])
      const steps = [true, false, true].map((staffed) => ({ minutes: minutes(), staffed }))
      const need = () => ({
        resource_ids: random.of([rooms, rooms.toReversed(), rooms.slice(1)]),
        during: random.of(['all', 'staffed'] as const),
      })
      return {
        ...{ name, location_ids: [place], slot_interval_minutes: random.of([15, 30]) },
        ...(isUnstaffed || random.chance(0.5) ? { duration_minutes: minutes() } : { steps }),
        ...(!isUnstaffed && { staff_ids: staff }),
        ...(!isUnstaffed &&
          random.chance(0.4) && { terms: [{ staff_id: random.of(staff), duration_minutes: minutes() }] }),
        buffer_before_minutes: random.of([0, 0, 5]),
        buffer_after_minutes: random.of([0, 0, 10]),
        ...(random.chance(0.6) && { needs: Array.from({ length: 1 + random.below(2) }, need) }),
      }
    }
  }

  function randomItems(random: Random, { services, staff }: { services: string[]; staff: string[] }): Item[] {
    return Array.from({ length: 1 + random.below(3) }, (_, index) => {
      const service_id = random.of(services)
      const isStaffed = service_id !== services[2]
      return {
        service_id,
        ...(isStaffed && random.chance(0.2) && { staff_id: random.of(staff) }),
        ...(index > 0 && random.chance(0.3) && { starts: 'with' as const }),
      }
    })
  }

  test(
    'what is offered can be held, what is not is refused for the reason that is explained',
    { timeout: 3_600_000 },
    async () => {
      const { context } = service
      const seen = { held: 0, refused: 0 }
      for (const seed of seeds(worlds)) {
        service.statements.length = service.logLines.length = 0
        service.clock.advance(61)
        const random = randomFrom(seed)
        const { salon, place, staff, services } = await makeSalon(random)
        const address = [10, random.below(256), random.below(256), random.below(256)].join('.')
        const from = { address, network: address, widerNetwork: null }
        const hold = (actor: Actor, items: Item[], startsAtMs: number) =>
          placeHold(context, actor, {
            ...{ location_id: place, items, from },
            starts_at: readInstant(instantFromMs(startsAtMs)),
          })
        const key: Actor = {
          ...caller(context.ids.next()),
          type: 'business',
          scope: { businessId: salon.id },
        }
        for (let count = random.below(4); count > 0; count -= 1) {
          const items = randomItems(random, { services, staff })
          await hold(key, items, startOfDay + random.below(16) * 15 * 60_000).catch(onlyProblems)
        }
        const items = randomItems(random, { services, staff })
        const text = items
          .map(({ service_id, staff_id, starts }) => {
            return `${starts === 'with' ? '~' : ''}${service_id}${staff_id === undefined ? '' : `:${staff_id}`}`
          })
          .join()
        const visitor = () => sessionOf(salon.id, context.ids.next())
        const query = { location_id: place, items: text }
        const { days } = await showFirstDays(context, visitor(), { ...query, from: date, to: date })
        const slots = new Map(days[0]?.slots.map((slot) => [Date.parse(slot.starts_at), slot]))
        const label = `seed ${String(seed)} (HOLDFAST_TEST_SEED=${String(seed)})`
        for (let start = startOfDay; start < startOfDay + 4 * 3_600_000; start += 15 * 60_000) {
          const actor = visitor()
          const slot = slots.get(start)
          const starts_at = instantFromMs(start)
          const explained = await explainSlot(context, actor, { ...query, starts_at })
          const placed = await hold(actor, items, start).catch(onlyProblems)
          const at = `${label}: ${text} at ${starts_at}`
          if (placed instanceof Problem) {
            const { item, reason = placed.code } = placed.parts.extensions ?? {}
            expect(slot, `${at}: ${placed.message}`).toBeUndefined()
            expect(explained, at).toMatchObject({ offered: false, reason })
            expect(explained.item ?? 0, at).toBe(item ?? 0)
            seen.refused += 1
            continue
          }
          expect(Date.parse(slot?.ends_at ?? ''), at).toBe(Date.parse(placed.hold.ends_at))
          expect(explained, at).toMatchObject({ offered: true, reason: null })
          await releaseHold(context, actor, placed.hold.id)
          seen.held += 1
        }
      }
      if (worlds > seeds(worlds).length) return
      expect(seen.held, JSON.stringify(seen)).toBeGreaterThan(worlds)
      expect(seen.refused, JSON.stringify(seen)).toBeGreaterThan(worlds)
    },
  )
})

function onlyProblems(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}
