import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { explainSlot, showAvailability } from '../../src/availability/availability.ts'
import { DayCache } from '../../src/availability/busy.ts'
import type { ShownSlot } from '../../src/availability/shown-slot-rules.ts'
import { Problem } from '../../src/base/errors.ts'
import { instantFromMs, readInstant, readInstants } from '../../src/base/instants.ts'
import { placeHold } from '../../src/bookings/hold.ts'
import { aroundTransactions } from '../support/around-transactions.ts'
import type { Context } from '../../src/bookings/context.ts'
import { isWhole, onOneEngine, rounds, tellProgress } from '../support/long.ts'
import { makeRandomWorld, type RandomWorld, sessionOf } from '../support/random-world.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { dateAfter } from '../support/wall-clock.ts'

const worlds = rounds(60, 20_000)
/** Number of slots of each kind that are tested in a world. */
const triesPerWorld = 8

class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/** Returns the outcome of a hold at this moment: undefined if it could be placed. It is then withdrawn at once. */
async function outcome(
  context: Context,
  actor: Actor,
  wanted: RandomWorld['offer'] & { starts_at: string; from: RandomWorld['client'] },
): Promise<Problem | undefined> {
  const db = aroundTransactions(context.db, async (_tx, work) => {
    const result = await work()
    // a group of one on PostgreSQL: refused, or continued alone
    const [member] = Array.isArray(result) ? (result as unknown[]) : [result]
    if (member === undefined || member === 'rival' || member instanceof Error) return result
    throw new RolledBack()
  })
  try {
    await placeHold({ ...context, db }, actor, readInstants(wanted, 'starts_at'))
  } catch (error) {
    if (error instanceof RolledBack) return undefined
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('the transaction was not rolled back')
}

function sample<T>(random: Random, entries: T[]): T[] {
  return entries.length <= triesPerWorld
    ? entries
    : Array.from({ length: triesPerWorld }, () => random.of(entries))
}

onOneEngine('sqlite', 'random worlds', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const dayCache = new DayCache()
  async function slotsOf(world: RandomWorld, actor: Actor): Promise<ShownSlot[]> {
    const query = { ...world.offer, from: dateAfter(world.from, -2), to: dateAfter(world.from, 4) }
    const { days } = await showAvailability({ ...service.context, dayCache }, actor, query)
    return days.flatMap((text) => (JSON.parse(text) as { slots: ShownSlot[] }).slots)
  }

  /** Returns every half hour and a few odd times of the requested days. */
  function otherTimes(random: Random, world: RandomWorld, offered: Set<number>): number[] {
    const start = Date.parse(world.from) - 12 * 3_600_000
    const times = Array.from({ length: 144 }, (_, index) => start + index * 30 * 60_000)
    const odd = Array.from({ length: 10 }, () => start + random.below(72 * 12) * 5 * 60_000)
    return [...times, ...odd].filter((at) => at >= 0 && !offered.has(at))
  }

  test(
    'what is offered can be held, what is not is refused for the reason that is explained',
    { timeout: isWhole ? 7_200_000 : 600_000 },
    async () => {
      const seen = { offered: 0, held: 0, refused: new Map<string, number>() }
      const tell = tellProgress(`random worlds on ${engine}`, worlds)
      for (const seed of seeds(worlds)) {
        tell(seed - 1)
        service.statements.length = service.logLines.length = 0 // in many worlds they would fill the memory
        const random = randomFrom(seed)
        const world = await makeRandomWorld(service.context, random)
        const visitor = sessionOf(world.businessId, service.context.ids.next())
        const own = await holdSomething(random, world, visitor)
        const slots = await slotsOf(world, visitor).catch(onlyNotOffered)
        const offered = new Set(slots.map(({ starts_at }) => Date.parse(starts_at)))
        seen.offered += slots.length
        const label = `seed ${seed} (HOLDFAST_TEST_SEED=${seed})`

        const marked = slots
          .filter(({ held_by_you }) => held_by_you)
          .map(({ starts_at }) => Date.parse(starts_at))
        if (own !== undefined) expect(marked, label).toEqual([own])
        for (const slot of sample(random, slots)) {
          const refusal = await outcome(service.context, visitor, {
            ...world.offer,
            starts_at: slot.starts_at,
            from: world.client,
          })
          expect(refusal?.message, `${label}: ${slot.starts_at} is offered`).toBeUndefined()
          seen.held += 1
        }
        for (const at of sample(random, otherTimes(random, world, offered))) {
          const wanted = { ...world.offer, starts_at: instantFromMs(at) }
          const from = world.client
          const refusal = await outcome(service.context, visitor, { ...wanted, from })
          const { reason, offered: explained } = await explainSlot(service.context, visitor, wanted)
          const given =
            refusal && ((refusal.parts.extensions?.['reason'] as string | undefined) ?? refusal.code)
          expect({ reason, explained }, `${label}: ${wanted.starts_at} is not offered`).toEqual({
            reason: given,
            explained: false,
          })
          seen.refused.set(String(given), (seen.refused.get(String(given)) ?? 0) + 1)
        }
      }
      // worlds without offers, claims or blocks would prove nothing
      if (worlds > seeds(worlds).length) return
      expect(seen.held).toBeGreaterThan(worlds)
      expect([...seen.refused.keys()].toSorted()).toEqual(
        expect.arrayContaining([
          ...['beyond_horizon', 'blocked', 'in_the_past', 'not_offered_here', 'not_on_grid', 'outside_hours'],
          ...['slot_booked', 'slot_held', 'staff_not_available', 'too_soon'],
        ]),
      )
    },
  )

  /** Lets some visitors hold a slot, which they may keep. Returns its start. */
  async function holdSomething(
    random: Random,
    world: RandomWorld,
    visitor: Actor,
  ): Promise<number | undefined> {
    if (random.chance(0.5)) return undefined
    const slots = await slotsOf(world, visitor).catch(onlyNotOffered)
    if (slots.length === 0) return undefined
    const { starts_at } = random.of(slots)
    await placeHold(service.context, visitor, {
      ...world.offer,
      starts_at: readInstant(starts_at),
      from: world.client,
    })
    return Date.parse(starts_at)
  }
})

/** Returns no slots if nothing is offered there at all. */
function onlyNotOffered(error: unknown): ShownSlot[] {
  if (error instanceof Problem && error.code === 'slot_not_offered') return []
  throw error
}
