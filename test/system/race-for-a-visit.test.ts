/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors, readRows } from '../support/checker.ts'
import { clientOf, type Cluster, nodesOfRun, slot, startCluster } from '../support/cluster.ts'
import { openSessions, patientClients, tally } from '../support/http-client.ts'
import { onOneEngine, rounds as roundsOf } from '../support/long.ts'
import { type ClusterSalon, makeClusterSalon } from '../support/visit-salon.ts'

const rounds = roundsOf(1, 20)
const sessions = 200
const people = 12
const call = patientClients()

onOneEngine('postgres', 'many who want visits that share a basin', (engine) => {
  let cluster: Cluster
  let tokens: string[]
  beforeAll(async () => {
    cluster = await startCluster(engine, {}, { nodes: nodesOfRun })
    const key = cluster.business.publishable_key
    tokens = await openSessions(call, cluster.addresses, { key, count: sessions })
  })
  afterAll(() => cluster.stop())

  const claims = (salon: ClusterSalon) =>
    readRows(
      cluster.databaseUrl,
      `select seat from claims where ended_at is null and resource_id = '${salon.basin}' order by seat`,
    )

  test.each([
    { basins: 1, what: 'one basin' },
    { basins: 5, what: 'five alike basins' },
  ])('of 200 who want a cut and a colour with $what, exactly $basins get both', async ({ basins }) => {
    const salon = await makeClusterSalon(cluster, call, { people, basins })
    for (let round = 0; round < rounds; round += 1) {
      const startsAt = slot(round * 12 + 6)
      const replies = await Promise.all(tokens.map((token, turn) => salon.hold(turn, token, startsAt)))
      expect(tally(replies)).toEqual({ '201': basins, '409 slot_held': sessions - basins })
      expect((await claims(salon)).slice(-basins)).toHaveLength(basins)
      const client = clientOf(cluster, call)
      for (const [turn, reply] of replies.entries()) {
        if (reply.status === 201) await client.release(turn, tokens[turn] ?? '', String(reply.body.hold_id))
      }
      expect(await claims(salon)).toEqual([])
    }
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })

  test('visits that want the same people in another order end, all or nothing', async () => {
    const salon = await makeClusterSalon(cluster, call, { people: 2, basins: 2 })
    const [one = '', other = ''] = salon.staffIds
    for (let round = 0; round < rounds; round += 1) {
      const startsAt = slot(round * 12 + 6)
      const replies = await Promise.all(
        tokens
          .slice(0, 40)
          .map((token, turn) => salon.hold(turn, token, startsAt, turn % 2 ? [one, other] : [other, one])),
      )
      // one cuts while the other colours, and then the other way round
      expect(tally(replies)).toEqual({ '201': 2, '409 slot_held': 38 })
    }
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })
})
