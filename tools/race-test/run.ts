import { monotonicMs } from '../../src/base/clock.ts'
import { UsageError } from '../../src/base/errors.ts'
import { Inconclusive, RaceClient } from './client.ts'
import { assertOneService, cleanUp, createFixture, noFixture, signsOfUse, Slots } from './fixture.ts'
import { contenders, doubleBookings, movers, placesOf, roundsFor, type Scenario, scenarios } from './rules.ts'
import {
  type Arena,
  raceAtExpiry,
  raceForASlot,
  type RaceResult,
  raceToMove,
  type Round,
} from './scenarios.ts'

export interface RaceTestOptions {
  urls: string[]
  key: string
  /** True to also test a service that seems to be in production. */
  evenInUse: boolean
  stopping: AbortSignal
}

export interface RaceReport {
  rounds: number
  races: RaceResult[]
  requests: number
  seconds: number
  /** Number of bookings that were cancelled in the clean-up. */
  cancelled: number
  /** Created objects that could not be removed. */
  leftovers: string[]
}

/** Duration of sending requests in milliseconds. With the clean-up, the test stays below a minute. */
const raceMs = 42_000
/** Latest start of a round, in milliseconds. */
const lastRoundMs = 18_000

const scenarioNames = Object.keys(scenarios) as Scenario[]

/**
 * Races for slots of a service over HTTP. Judges by its responses and its list of bookings if a slot was sold
 * twice. Always cleans up. Throws Inconclusive, with leftovers in its message, if the test could not run.
 * Throws UsageError if the service seems to be in production.
 */
export async function runRaceTest(options: RaceTestOptions): Promise<RaceReport> {
  const startedMs = monotonicMs()
  const client = new RaceClient({ ...options, lastsMs: raceMs })
  const fixture = noFixture()
  try {
    await assertMayTest(client, options)
    let found: Pick<RaceReport, 'races' | 'rounds'>
    try {
      const rounds = affordableRounds(client)
      const created = await createFixture(client, fixture)
      await assertOneService(client, options.urls, created)
      const slots = new Slots(client.serviceNowMs())
      found = await race({ client, fixture: created, slots, acknowledged: [] }, rounds)
    } catch (error) {
      const { leftovers } = await cleanUp(client, fixture)
      if (leftovers.length === 0) throw error
      const reason = error instanceof Error ? error.message : 'unknown'
      throw new Inconclusive(`${reason}. Could not be removed: ${leftovers.join('; ')}`, { cause: error })
    }
    const cleaned = await cleanUp(client, fixture)
    return { ...found, ...cleaned, requests: client.sent, seconds: (monotonicMs() - startedMs) / 1000 }
  } finally {
    await client.close()
  }
}

async function assertMayTest(client: RaceClient, { urls, evenInUse }: RaceTestOptions): Promise<void> {
  const signs = await signsOfUse(client, urls)
  if (signs.length === 0 || evenInUse) return
  throw new UsageError(
    `This service seems to be in production: ${signs.join('; ')}. The test books and cancels slots at a new location with new ` +
      'staff and services. Visitors of the booking page see these during the test. They remain inactive afterwards, and the ' +
      'bookings remain cancelled. It is better to test a separate business: "holdfast business create "Race test" --timezone UTC", ' +
      'then "holdfast key create --business <id>". Add --yes to continue here.',
  )
}

function affordableRounds(client: RaceClient): number {
  const rounds = roundsFor(client.requestsLeft)
  if (rounds > 0) return rounds
  throw new Inconclusive(
    `the key may make only ${client.requestsLeft} more requests now, and a round needs more. Wait a minute (or an ` +
      'hour), or raise the limits of the business with "holdfast business update --limit-per-minute"',
  )
}

async function race(arena: Arena, maxRounds: number): Promise<Pick<RaceReport, 'races' | 'rounds'>> {
  const startedMs = monotonicMs()
  const perScenario = scenarioNames.map((scenario) => ({ scenario, rounds: [] as Round[] }))
  const moves: Round[] = []
  let atExpiry: RaceResult | undefined
  let count = 0
  const clean = () =>
    [...perScenario.flatMap(({ rounds }) => rounds), ...moves].every(({ findings }) => findings.length === 0)
  // one round exposes a service that sells twice; more would only leave more behind
  while (count < maxRounds && monotonicMs() - startedMs < lastRoundMs && clean()) {
    count += 1
    for (const { scenario, rounds } of perScenario) rounds.push(await raceForASlot(arena, scenario))
    moves.push(await raceToMove(arena))
    atExpiry ??= await raceAtExpiry(arena)
  }
  const races = [
    ...perScenario.map(({ scenario, rounds }) => {
      const { name, about } = scenarios[scenario]
      return summary(rounds, { race: name, tried: `${contenders} at once, ${about}`, verb: 'granted' })
    }),
    summary(moves, { race: 'moving', tried: `${movers} bookings to one free slot at once`, verb: 'moved' }),
    ...(atExpiry ? [atExpiry] : []),
    await judgeBookings(arena),
  ]
  return { rounds: count, races }
}

function summary(
  rounds: Round[],
  { race, tried, verb }: { race: string; tried: string; verb: string },
): RaceResult {
  const granted = rounds.reduce((sum, round) => sum + round.granted, 0)
  const refused = rounds.reduce((sum, round) => sum + round.refused, 0)
  return {
    race,
    tried: `${tried}, ${rounds.length} ${rounds.length === 1 ? 'time' : 'times'}`,
    saw: `${granted} ${verb}, ${refused} refused`,
    skipped: false,
    findings: rounds.flatMap(({ findings }) => findings),
  }
}

/** Checks the service's list of bookings: no double booking, and no acknowledged booking is missing. */
async function judgeBookings({ client, fixture, acknowledged }: Arena): Promise<RaceResult> {
  const bookings = await client.listBookings(fixture.locationId)
  const listed = new Set(bookings.filter(({ status }) => status !== 'cancelled').map(({ id }) => id))
  const capacities = new Map(
    scenarioNames.map((scenario) => [fixture.services[scenario], placesOf(scenarios[scenario])]),
  )
  return {
    race: 'list of bookings',
    skipped: false,
    tried: 'compared with seats, staff and responses',
    saw: `${listed.size} bookings, ${acknowledged.length} of them acknowledged`,
    findings: [
      ...doubleBookings(bookings, capacities),
      ...acknowledged
        .filter((id) => !listed.has(id))
        .map((id) => `booking ${id} was acknowledged but is missing`),
    ],
  }
}
