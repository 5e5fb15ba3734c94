import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodesOfRun, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { patientClients } from '../support/http-client.ts'
import { engines, offer, type Reply } from '../support/test-service.ts'

const call = patientClients({ connections: 4 })

/** The cached catalogue of one server is not offered once another server has changed it. */
describe.runIf(engines.includes('postgres'))('a change of the catalogue on another server', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster('postgres', {}, { nodes: nodesOfRun })
  })
  afterAll(() => cluster.stop())

  const startsAt = slot(5)
  const date = startsAt.slice(0, 10)
  const at = (server: number, method: string, path: string, body?: object): Promise<Reply> =>
    call(cluster.address(server), method, path, {
      token: cluster.business.business_key,
      ...(body && { body }),
    })
  const asked = () => offer(cluster.business, 'Meeting room')
  const slotsAt = async (server: number) => {
    const query = new URLSearchParams({ ...asked(), from: date, to: date }).toString()
    return (await at(server, 'GET', `/availability?${query}`)).body.days[0].slots as unknown[]
  }
  const session = async () => {
    const { publishable_key: token } = cluster.business
    return String((await call(cluster.address(1), 'POST', '/session', { token })).body.session_token)
  }
  const holdAt = (server: number, token: string) =>
    call(cluster.address(server), 'POST', '/bookings/hold', {
      token,
      body: { ...asked(), starts_at: startsAt },
    })

  const changes: [what: string, change: object, back: object][] = [
    ['hours', { weekly_hours: [] }, { weekly_hours: null }],
    [
      'a date',
      {
        date_overrides: [
          { date, hours: [] },
          { date: before(date), hours: [] },
        ],
      },
      { date_overrides: [] },
    ],
  ]
  test.each(changes)('%s counts at the very next question and hold', async (_what, change, back) => {
    const path = `/locations/${asked().location_id}`
    const token = await session()
    for (let round = 0; round < 5; round += 1) {
      expect((await slotsAt(1)).length).toBeGreaterThan(0) // cached from here on
      expect((await at(0, 'PATCH', path, change)).status).toBe(200)
      expect(await slotsAt(1)).toEqual([])
      expect((await at(0, 'PATCH', path, back)).status).toBe(200)
      expect((await at(0, 'PATCH', path, change)).status).toBe(200)
      expect(await holdAt(1, token)).toMatchObject({ status: 422, body: { reason: 'outside_hours' } })
      expect((await at(0, 'PATCH', path, back)).status).toBe(200)
      const held = await holdAt(1, token)
      expect(held.status).toBe(201)
      await at(0, 'DELETE', `/bookings/hold/${held.body.hold_id}`)
    }
  })

  test('a deleted service is gone, and offered again when it is back', async () => {
    const path = `/services/${asked().service_id}`
    const token = await session()
    expect((await slotsAt(1)).length).toBeGreaterThan(0)
    await at(0, 'DELETE', path)
    expect(await holdAt(1, token)).toMatchObject({ status: 422, body: { reason: 'not_offered_here' } })
    await at(0, 'PATCH', path, { active: true })
    expect(await holdAt(1, token)).toMatchObject({ status: 201 })
  })
})

/** Returns the date before, whose hours could reach past midnight. */
function before(date: string): string {
  return Temporal.PlainDate.from(date).subtract({ days: 1 }).toString()
}
