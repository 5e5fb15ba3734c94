import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors, readContents } from '../support/checker.ts'
import { clientOf, nodesOfRun, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { patientClients, openSessions, tally } from '../support/http-client.ts'
import { onOneEngine, rounds as roundsOf } from '../support/long.ts'

const rounds = roundsOf(1, 20)
const sessions = 200
const conversions = 50
const call = patientClients()

onOneEngine('postgres', 'many who want one slot at once', (engine) => {
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let tokens: string[]
  beforeAll(async () => {
    cluster = await startCluster(engine, {}, { nodes: nodesOfRun })
    client = clientOf(cluster, call)
    const key = cluster.business.publishable_key
    tokens = await openSessions(call, cluster.addresses, { key, count: sessions })
  })
  afterAll(() => cluster.stop())

  test.each([
    { service: 'Meeting room', winners: 1, what: 'a room' },
    { service: 'Yoga class', winners: 8, what: 'a class of 8 seats' },
    { service: 'Haircut', winners: 2, what: 'any of 2 staff members' },
  ])('of 200 who hold $what, exactly $winners win and 409 tells the rest', async ({ service, winners }) => {
    for (let round = 0; round < rounds; round += 1) {
      const replies = await Promise.all(
        tokens.map((token, turn) => client.hold(turn, token, slot(round * 12 + 6), service)), // at midday: both work
      )
      expect(tally(replies)).toEqual({ '201': winners, '409 slot_held': sessions - winners })
    }
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })

  test('one hold that is converted 50 times at once is one booking with one event', async () => {
    const token = tokens[0] ?? ''
    const booked: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const hold = await client.hold(round, token, slot(1000 + round))
      const replies = await Promise.all(
        Array.from({ length: conversions }, (_, turn) =>
          client.convert(turn, token, String(hold.body.hold_id)),
        ),
      )
      expect(tally(replies)).toEqual({ '201': 1, '409 hold_converted': conversions - 1 })
      booked.push(String(hold.body.hold_id))
    }
    const { bookings, events } = await readContents(cluster.databaseUrl)
    expect(bookings.map(({ id }) => id).toSorted()).toEqual(booked.toSorted())
    expect(events.map(({ booking_id }) => booking_id).toSorted()).toEqual(booked.toSorted())
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })
})
