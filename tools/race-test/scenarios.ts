import { monotonicMs } from '../../src/base/clock.ts'
import { Inconclusive, type RaceClient, type RaceResponse } from './client.ts'
import type { Fixture, Slots } from './fixture.ts'
import {
  contenders,
  expiringHolds,
  maxWaitSeconds,
  movers,
  rivals,
  type Scenario,
  scenarios,
} from './rules.ts'

/** State shared by the races. */
export interface Arena {
  client: RaceClient
  fixture: Fixture
  slots: Slots
  /** IDs of bookings that the service acknowledged. */
  acknowledged: string[]
  /** Duration of a hold in seconds, measured on the last one. */
  holdSeconds?: number
}

/** The result of one round of a race. */
export interface Round {
  granted: number
  refused: number
  /** Description of each broken promise. */
  findings: string[]
}

/** The result of all rounds of a race. */
export interface RaceResult {
  race: string
  tried: string
  /** The observation, or the reason for skipping the race. */
  saw: string
  skipped: boolean
  findings: string[]
}

interface ExpiryOutcome {
  winner: 'owner' | 'rival' | 'nobody'
  findings: string[]
}

const racer = { first_name: 'Race', last_name: 'Test', email: 'race-test@example.com' }

/** Maximum distance of a conversion from the expiry of its hold, in milliseconds. */
const spreadMs = 120

/**
 * Sends concurrent requests for the same slot, then books each hold. Exactly as many contenders as there are
 * seats must get a hold. The list of bookings is judged at the end.
 */
export async function raceForASlot(arena: Arena, scenario: Scenario): Promise<Round> {
  const { offsets, wins, name } = scenarios[scenario]
  const slot = arena.slots.next()
  const startedMs = monotonicMs()
  const responses = await allAtOnce(
    Array.from({ length: contenders }, (_, index) =>
      hold(arena, scenario, slot(offsets[index % offsets.length])),
    ),
  )
  const tookMs = monotonicMs() - startedMs
  const granted = responses.filter(({ status }) => status === 201)
  const others = responses.filter(({ status }) => status !== 201)
  const earliestEndMs = Math.min(...granted.map(({ body }) => Date.parse(String(body['expires_at']))))
  if (granted.length > 0) arena.holdSeconds = (earliestEndMs - arena.client.serviceNowMs() + tookMs) / 1000
  const booked = await allAtOnce(granted.map(({ body }) => book(arena, String(body['hold_id']))))
  // a hold that expired meanwhile has rightly freed its seat
  const expired = arena.client.serviceNowMs() >= earliestEndMs
  const refused = booked.filter(({ status }) => status !== 201)
  return {
    granted: granted.length,
    refused: others.length,
    findings: [
      ...(granted.length === wins || (expired && granted.length > wins)
        ? []
        : [
            `${name}, ${slot()}: ${contenders} clients requested ${wins}, and ${granted.length} were granted`,
          ]),
      ...unexpectedResponses(others),
      ...(expired
        ? []
        : refused.map((response) => `${name}: a hold could not be booked: ${nameOf(response)}`)),
    ],
  }
}

/** Moves several bookings to the same free slot at once. One must arrive, and the others must stay. */
export async function raceToMove(arena: Arena): Promise<Round> {
  const { client, slots } = arena
  const ids = await allAtOnce(Array.from({ length: movers }, () => bookFreeSlot(arena)))
  const target = slots.next()()
  const responses = await allAtOnce(
    ids.map((id) => client.send('PATCH', `/bookings/${id}`, { starts_at: target })),
  )
  const moved = responses.filter(({ status }) => status === 200)
  const others = responses.filter(({ status }) => status !== 200)
  return {
    granted: moved.length,
    refused: others.length,
    findings: [
      ...(moved.length === 1
        ? []
        : [`moving, ${target}: ${movers} bookings were moved to one seat, and ${moved.length} arrived`]),
      ...unexpectedResponses(others),
    ],
  }
}

async function bookFreeSlot(arena: Arena): Promise<string> {
  const held = await hold(arena, 'room', arena.slots.next()())
  const booked = held.status === 201 ? await book(arena, String(held.body['hold_id'])) : held
  if (booked.status === 201) return String(booked.body['id'])
  throw new Inconclusive(`a free slot could not be booked: ${nameOf(booked)}`)
}

/**
 * Converts holds at the moment they expire, while rivals request their slots. Each slot goes to its owner or
 * to one rival, never to both. It goes to nobody if the owner was too late and the rivals too early.
 */
export async function raceAtExpiry(arena: Arena): Promise<RaceResult> {
  const race = 'expiry of a hold'
  const { holdSeconds = Infinity, client } = arena
  if (holdSeconds > maxWaitSeconds || holdSeconds * 1000 > client.timeLeftMs()) {
    const why = Number.isFinite(holdSeconds)
      ? `holds last ${Math.round(holdSeconds)} s here`
      : 'no hold was granted'
    const saw = `${why}, and this race waits at most ${maxWaitSeconds} s; to run it: "holdfast race-test --demo"`
    return { race, skipped: true, findings: [], tried: 'not run', saw }
  }
  const outcomes = await allAtOnce(
    Array.from({ length: expiringHolds }, (_, index) => raceForExpiringHold(arena, index)),
  )
  const won = (by: ExpiryOutcome['winner']) => outcomes.filter(({ winner }) => winner === by).length
  return {
    race,
    skipped: false,
    tried: `${expiringHolds} holds booked at the moment they expire, with ${rivals} rivals each`,
    saw: `${won('owner')} became bookings, ${won('rival')} went to a rival, ${won('nobody')} to nobody`,
    findings: outcomes.flatMap(({ findings }) => findings),
  }
}

async function raceForExpiringHold(arena: Arena, index: number): Promise<ExpiryOutcome> {
  const { client } = arena
  const slot = arena.slots.next()()
  const held = await hold(arena, 'room', slot)
  if (held.status !== 201) throw new Inconclusive(`a free slot could not be held: ${nameOf(held)}`)
  const offsetMs = (index / (expiringHolds - 1) - 0.5) * 2 * spreadMs
  const untilMs = Date.parse(String(held.body['expires_at'])) + offsetMs
  const waitMs = Math.min(untilMs - client.serviceNowMs(), client.timeLeftMs())
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  const [converted, ...wanted] = await allAtOnce([
    book(arena, String(held.body['hold_id'])),
    ...Array.from({ length: rivals }, () => hold(arena, 'room', slot)),
  ])
  const granted = wanted.filter(({ status }) => status === 201)
  // books it, so that the list of bookings shows it
  await allAtOnce(granted.map(({ body }) => book(arena, String(body['hold_id']))))
  return judgeExpiry(slot, { converted, granted, refused: wanted.filter(({ status }) => status !== 201) })
}

interface ExpiryResponses {
  converted: RaceResponse | undefined
  granted: RaceResponse[]
  refused: RaceResponse[]
}

function judgeExpiry(slot: string, { converted, granted, refused }: ExpiryResponses): ExpiryOutcome {
  const owner = converted?.status === 201
  const tooMany = granted.length + (owner ? 1 : 0) > 1
  const winners = `${owner ? 'its owner booked it and ' : ''}${granted.length} others got a hold`
  return {
    winner: owner ? 'owner' : granted.length > 0 ? 'rival' : 'nobody',
    findings: [
      ...(tooMany ? [`expiry of a hold, ${slot}: ${winners}`] : []),
      ...(owner || converted?.body['code'] === 'hold_expired' || converted === undefined
        ? []
        : unexpectedResponses([converted])),
      ...unexpectedResponses(refused),
    ],
  }
}

function hold({ client, fixture }: Arena, scenario: Scenario, startsAt: string): Promise<RaceResponse> {
  const service = { service_id: fixture.services[scenario] }
  return client.send('POST', '/bookings/hold', {
    ...(scenarios[scenario].rooms === undefined ? service : { items: [service, service] }),
    location_id: fixture.locationId,
    starts_at: startsAt,
  })
}

/** Converts a hold and records the booking as acknowledged. */
async function book(arena: Arena, holdId: string): Promise<RaceResponse> {
  const response = await arena.client.send('POST', '/bookings', { hold_id: holdId, client: racer })
  if (response.status === 201) arena.acknowledged.push(String(response.body['id']))
  return response
}

/** Like Promise.all, but waits for every request before it throws, so that nothing is pending afterwards. */
async function allAtOnce<T>(requests: Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(requests)
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

/** Returns findings for responses other than the refusal of a taken slot. */
function unexpectedResponses(responses: RaceResponse[]): string[] {
  return responses
    .filter(({ status }) => status !== 409)
    .map(
      (response) =>
        `unexpected response ${nameOf(response)}: ${String(response.body['detail'])} (request ${String(response.body['request_id'])})`,
    )
}

/** Returns the status and problem code. */
function nameOf({ status, body }: RaceResponse): string {
  const code = body['code'] as string | undefined // member of a problem document
  return code === undefined ? String(status) : `${status} ${code}`
}
