import { monotonicMs } from '../clock.ts'
import { allAtOnce, book, hold, nameOf, unexpectedFaults, type Arena } from './arena.ts'
import { contenders, courses } from './course-rules.ts'
import type { Course } from './race-types.ts'
import type { Round } from './round-sum.ts'

/**
 * Many ask for the same slot at once, and those who get a hold book it. As many as there are places have to get one; what
 * is booked then is judged at the end, by what the service lists.
 */
export async function raceForASlot(arena: Arena, course: Course): Promise<Round> {
  const { begins, wins, name } = courses[course]
  const slot = arena.slots.next()
  const startedMs = monotonicMs()
  const answers = await allAtOnce(
    Array.from({ length: contenders }, (_, index) =>
      hold(arena, arena.ground.services[course], slot(begins[index % begins.length])),
    ),
  )
  const tookMs = monotonicMs() - startedMs
  const granted = answers.filter(({ status }) => status === 201)
  const others = answers.filter(({ status }) => status !== 201)
  const earliestEndMs = Math.min(...granted.map(({ body }) => Date.parse(String(body['expires_at']))))
  if (granted.length > 0) arena.holdSeconds = (earliestEndMs - arena.client.serviceNowMs() + tookMs) / 1000
  const booked = await allAtOnce(granted.map(({ body }) => book(arena, String(body['hold_id']))))
  // a hold that ended meanwhile has rightly freed its place for the next
  const lapsed = arena.client.serviceNowMs() >= earliestEndMs
  const refused = booked.filter(({ status }) => status !== 201)
  return {
    granted: granted.length,
    refused: others.length,
    faults: [
      ...(granted.length === wins || (lapsed && granted.length > wins)
        ? []
        : [`${name}, ${slot()}: ${contenders} asked for ${wins}, and ${granted.length} were granted`]),
      ...unexpectedFaults(others),
      ...(lapsed ? [] : refused.map((answer) => `${name}: a hold could not be booked: ${nameOf(answer)}`)),
    ],
  }
}
