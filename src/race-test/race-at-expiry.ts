import { allAtOnce, book, hold, nameOf, unexpectedFaults, type Arena } from './arena.ts'
import { lapsing, longestWaitSeconds, rivals } from './course-rules.ts'
import { NoVerdict, type Answer } from './race-client.ts'
import type { RaceResult } from './race-types.ts'

/** How far before and after the end of its hold a conversion comes, in milliseconds: the first and the last. */
const spreadMs = 120

interface Outcome {
  winner: 'owner' | 'rival' | 'nobody'
  faults: string[]
}

/**
 * Holds are converted at the moment of their end, and others want their slots at that same moment. Each slot goes to its
 * owner or to one rival, or to nobody, when the one came too late and the others too early; never to two.
 */
export async function raceAtExpiry(arena: Arena): Promise<RaceResult> {
  const race = 'the end of a hold'
  const { holdSeconds = Infinity, client } = arena
  if (holdSeconds > longestWaitSeconds || holdSeconds * 1000 > client.timeLeftMs()) {
    const lasts = Number.isFinite(holdSeconds)
      ? `holds last ${Math.round(holdSeconds)} s here`
      : 'no hold was granted'
    return {
      race,
      skipped: true,
      faults: [],
      tried: 'not tried',
      saw: `${lasts}, and this test waits for ${longestWaitSeconds} s at most; "holdfast race-test --demo" tries it`,
    }
  }
  const outcomes = await allAtOnce(Array.from({ length: lapsing }, (_, index) => raceForOne(arena, index)))
  const won = (by: Outcome['winner']) => outcomes.filter(({ winner }) => winner === by).length
  return {
    race,
    skipped: false,
    tried: `${lapsing} holds booked at the moment of their end, and wanted by ${rivals} others each`,
    saw: `${won('owner')} became bookings, ${won('rival')} went to a rival, ${won('nobody')} to nobody`,
    faults: outcomes.flatMap(({ faults }) => faults),
  }
}

async function raceForOne(arena: Arena, index: number): Promise<Outcome> {
  const slot = arena.slots.next()()
  const held = await hold(arena, arena.ground.services.room, slot)
  if (held.status !== 201) throw new NoVerdict(`a free slot could not be held: ${nameOf(held)}`)
  const offsetMs = (index / (lapsing - 1) - 0.5) * 2 * spreadMs
  await until(arena, Date.parse(String(held.body['expires_at'])) + offsetMs)
  const [converted, ...wanted] = await allAtOnce([
    book(arena, String(held.body['hold_id'])),
    ...Array.from({ length: rivals }, () => hold(arena, arena.ground.services.room, slot)),
  ])
  const granted = wanted.filter(({ status }) => status === 201)
  // so that the list of bookings shows it
  await allAtOnce(granted.map(({ body }) => book(arena, String(body['hold_id']))))
  return judge(slot, { converted, granted, refused: wanted.filter(({ status }) => status !== 201) })
}

function judge(
  slot: string,
  { converted, granted, refused }: { converted: Answer | undefined; granted: Answer[]; refused: Answer[] },
): Outcome {
  const owner = converted?.status === 201
  const tooMany = granted.length + (owner ? 1 : 0) > 1
  return {
    winner: owner ? 'owner' : granted.length > 0 ? 'rival' : 'nobody',
    faults: [
      ...(tooMany
        ? [
            `the end of a hold, ${slot}: ${owner ? 'its owner booked it and ' : ''}${granted.length} others were granted it`,
          ]
        : []),
      ...(owner || converted?.body['code'] === 'hold_expired' || converted === undefined
        ? []
        : unexpectedFaults([converted])),
      ...unexpectedFaults(refused),
    ],
  }
}

async function until({ client }: Arena, serviceMs: number): Promise<void> {
  const waitMs = Math.min(serviceMs - client.serviceNowMs(), client.timeLeftMs())
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
}
