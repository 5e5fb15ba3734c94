import type { Answer, RaceClient } from './race-client.ts'
import type { Slots } from './race-ground.ts'
import type { RaceGround } from './race-types.ts'

/** Where races are held. */
export interface Arena {
  client: RaceClient
  ground: RaceGround
  slots: Slots
  /** The ids of bookings of which the service said that they are there. */
  acknowledged: string[]
  /** How long a hold lasts, in seconds, as the last one told; unknown before the first. */
  holdSeconds?: number
}

const racer = { first_name: 'Race', last_name: 'Test', email: 'race-test@example.com' }

/** Asks for a hold of one of the services. */
export async function hold({ client, ground }: Arena, serviceId: string, startsAt: string): Promise<Answer> {
  return client.send('POST', '/bookings/hold', {
    service_id: serviceId,
    location_id: ground.locationId,
    starts_at: startsAt,
  })
}

/** Asks for a hold to become a booking, and notes the booking. */
export async function book(arena: Arena, holdId: string): Promise<Answer> {
  const answer = await arena.client.send('POST', '/bookings', { hold_id: holdId, client: racer })
  if (answer.status === 201) arena.acknowledged.push(String(answer.body['id']))
  return answer
}

/**
 * All at once. When one fails, the others are waited for all the same, so that nothing is under way any more; then the
 * failure is thrown.
 */
export async function allAtOnce<T>(requests: Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(requests)
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

/** An answer as people read it: status and code. */
export function nameOf({ status, body }: Answer): string {
  const code = body['code'] as string | undefined // of a problem document
  return code === undefined ? String(status) : `${status} ${code}`
}

/** What is wrong with answers that are none of the refusals of a taken slot. */
export function unexpectedFaults(answers: Answer[]): string[] {
  return answers
    .filter(({ status }) => status !== 409)
    .map(
      (answer) =>
        `unexpected answer ${nameOf(answer)}: ${String(answer.body['detail'])} (request ${String(answer.body['request_id'])})`,
    )
}
