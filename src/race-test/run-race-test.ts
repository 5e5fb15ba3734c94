import { monotonicMs } from '../clock.ts'
import { UsageError } from '../errors.ts'
import type { Arena } from './arena.ts'
import { cleanUp } from './clean-up.ts'
import { contenders, courses, movers, roundsFor } from './course-rules.ts'
import { doubleBookings } from './double-booking-rules.ts'
import { listBookings } from './list-bookings.ts'
import { raceAtExpiry } from './race-at-expiry.ts'
import { NoVerdict, RaceClient } from './race-client.ts'
import { raceForASlot } from './race-for-a-slot.ts'
import { assertOneService, makeGround, noGround, Slots } from './race-ground.ts'
import { raceToMove } from './race-to-move.ts'
import { RoundSum } from './round-sum.ts'
import type { Course, RaceReport, RaceResult } from './race-types.ts'
import { signsOfUse } from './signs-of-use.ts'

/** What is tested, and what may be done for it. */
export interface RaceTestOptions {
  urls: string[]
  key: string
  /** Also where people seem to rely on the service. */
  evenInUse: boolean
  stopping: AbortSignal
}

/** How long requests are made and how long rounds begin, in milliseconds: with the cleaning up it stays below a minute. */
const raceMs = 42_000
const beginMs = 18_000

const courseNames = Object.keys(courses) as Course[]

/**
 * Races for slots of a service over HTTP, and judges by its answers and by what it lists afterwards whether one was sold
 * twice. Takes away what it made, whatever happens. Throws a NoVerdict (with what is left, in its message) when it could
 * not be tried, a UsageError where people seem to rely on the service.
 */
export async function runRaceTest(options: RaceTestOptions): Promise<RaceReport> {
  const startedMs = monotonicMs()
  const client = new RaceClient({ ...options, lastsMs: raceMs })
  const ground = noGround()
  try {
    await assertMayTest(client, options)
    let found: Pick<RaceReport, 'races' | 'rounds'>
    try {
      const rounds = affordableRounds(client)
      const made = await makeGround(client, ground)
      await assertOneService(client, options.urls, made)
      const slots = new Slots(client.serviceNowMs())
      found = await race({ client, ground: made, slots, acknowledged: [] }, rounds)
    } catch (error) {
      const { leftovers } = await cleanUp(client, ground)
      throw leftovers.length === 0 ? error : withLeftovers(error, leftovers)
    }
    const cleaned = await cleanUp(client, ground)
    return { ...found, ...cleaned, requests: client.sent, seconds: (monotonicMs() - startedMs) / 1000 }
  } finally {
    await client.close()
  }
}

async function assertMayTest(client: RaceClient, { urls, evenInUse }: RaceTestOptions): Promise<void> {
  const signs = await signsOfUse(client, urls)
  if (signs.length === 0 || evenInUse) return
  throw new UsageError(
    `People may rely on this service: ${signs.join('; ')}. The test books and cancels slots of a location, staff and ` +
      'services of its own; they stay, inactive, and its bookings stay, cancelled. Add --yes to go on.',
  )
}

function affordableRounds(client: RaceClient): number {
  const rounds = roundsFor(client.requestsLeft)
  if (rounds > 0) return rounds
  throw new NoVerdict(
    `the key may make only ${client.requestsLeft} more requests now, and a round needs more. Wait a minute (or an ` +
      'hour), or raise the limits of the business with "holdfast business update --limit-per-minute"',
  )
}

function withLeftovers(error: unknown, leftovers: string[]): NoVerdict {
  const reason = error instanceof Error ? error.message : 'unknown'
  return new NoVerdict(`${reason}. Could not be taken away: ${leftovers.join('; ')}`, { cause: error })
}

async function race(arena: Arena, most: number): Promise<Pick<RaceReport, 'races' | 'rounds'>> {
  const beganMs = monotonicMs()
  const inCourses = courseNames.map((course) => ({ course, sum: sumOf(course) }))
  const moves = new RoundSum('moving', `${movers} bookings to one free slot at once`, 'moved')
  const sums = [...inCourses.map(({ sum }) => sum), moves]
  let atExpiry: RaceResult | undefined
  let rounds = 0
  // a service that sells twice is known by one round; more of them would only leave more behind
  while (
    rounds < most &&
    monotonicMs() - beganMs < beginMs &&
    sums.every(({ faults }) => faults.length === 0)
  ) {
    rounds += 1
    for (const { course, sum } of inCourses) sum.add(await raceForASlot(arena, course))
    moves.add(await raceToMove(arena))
    atExpiry ??= await raceAtExpiry(arena)
  }
  const looked = await lookAtBookings(arena)
  return { rounds, races: [...sums.map((sum) => sum.result()), ...(atExpiry ? [atExpiry] : []), looked] }
}

function sumOf(course: Course): RoundSum {
  const { name, about } = courses[course]
  return new RoundSum(name, `${contenders} at once, ${about}`, 'granted')
}

/** What the service itself lists: nothing sold twice, and all of what it acknowledged. */
async function lookAtBookings({ client, ground, acknowledged }: Arena): Promise<RaceResult> {
  const bookings = await listBookings(client, ground.locationId)
  const listed = new Set(bookings.filter(({ status }) => status !== 'cancelled').map(({ id }) => id))
  const capacities = new Map(courseNames.map((course) => [ground.services[course], courses[course].capacity]))
  return {
    race: 'what is booked',
    skipped: false,
    tried: 'the list of bookings, compared with places, people and answers',
    saw: `${listed.size} bookings, ${acknowledged.length} of them acknowledged`,
    faults: [
      ...doubleBookings(bookings, capacities),
      ...acknowledged
        .filter((id) => !listed.has(id))
        .map((id) => `booking ${id} was acknowledged and is not there`),
    ],
  }
}
