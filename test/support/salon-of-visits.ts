import type { Cluster } from './cluster.ts'
import { type Call, eventually } from './http-client.ts'
import { countRepeat } from './repeats.ts'
import { type Reply, offer } from './test-service.ts'

/** Services of a cluster's first business that are booked together: each takes a person, and the second a room. */
export interface Salon {
  locationId: string
  roomId: string
  staffIds: string[]
  cut: string
  massage: string
  /** Holds a cut and a massage, by anyone who is free unless people are named. */
  hold(turn: number, token: string, startsAt: string, staffIds?: readonly string[]): Promise<Reply>
}

export async function makeSalon(
  cluster: Cluster,
  call: Call,
  { people, rooms }: { people: number; rooms: number },
): Promise<Salon> {
  const { business } = cluster
  const locationId = offer(business, 'Meeting room').location_id
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await eventually('an answer', async () => {
      const answer = await call(cluster.address(0), 'POST', path, { token: business.business_key, body })
      return answer.status === 503 ? countRepeat() : answer
    })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return String(reply.body.id)
  }
  const roomId = await create('/resources', { location_id: locationId, name: 'Room', quantity: rooms })
  const staffIds: string[] = []
  for (let index = 0; index < people; index += 1) {
    staffIds.push(await create('/staff', { name: `Person ${index}` }))
  }
  const offered = {
    location_ids: [locationId],
    staff_ids: staffIds,
    duration_minutes: 30,
    min_notice_minutes: 0,
  }
  const cut = await create('/services', { ...offered, name: 'Cut' })
  const massage = await create('/services', {
    ...{ ...offered, name: 'Massage' },
    needs: [{ resource_ids: [roomId] }],
  })
  return {
    ...{ locationId, roomId, staffIds, cut, massage },
    hold: (turn, token, startsAt, named = []) =>
      call(cluster.address(turn), 'POST', '/bookings/hold', {
        token,
        body: {
          location_id: locationId,
          starts_at: startsAt,
          items: [cut, massage].map((service_id, index) => ({
            service_id,
            ...(named[index] !== undefined && { staff_id: named[index] }),
          })),
        },
      }),
  }
}
