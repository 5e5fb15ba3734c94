import { allAtOnce, book, hold, unexpectedFaults, type Arena } from './arena.ts'
import { movers } from './course-rules.ts'
import { NoVerdict } from './race-client.ts'
import type { Round } from './round-sum.ts'

/** Several bookings are moved to the same free slot at once: one of them arrives, and the others stay where they were. */
export async function raceToMove(arena: Arena): Promise<Round> {
  const { client, slots } = arena
  const ids = await allAtOnce(Array.from({ length: movers }, () => bookAlone(arena)))
  const target = slots.next()()
  const answers = await allAtOnce(
    ids.map((id) => client.send('PATCH', `/bookings/${id}`, { starts_at: target })),
  )
  const moved = answers.filter(({ status }) => status === 200)
  const others = answers.filter(({ status }) => status !== 200)
  return {
    granted: moved.length,
    refused: others.length,
    faults: [
      ...(moved.length === 1
        ? []
        : [`moving, ${target}: ${movers} bookings were moved to one place, and ${moved.length} arrived`]),
      ...unexpectedFaults(others),
    ],
  }
}

async function bookAlone(arena: Arena): Promise<string> {
  const held = await hold(arena, arena.ground.services.room, arena.slots.next()())
  const booked = held.status === 201 ? await book(arena, String(held.body['hold_id'])) : held
  if (booked.status === 201) return String(booked.body['id'])
  throw new NoVerdict(`a free slot could not be booked: ${booked.status} ${String(booked.body['code'])}`)
}
