import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors, readRows } from '../support/checker.ts'
import { book, clientOf, nodesOfRun, slot, startCluster, type Cluster } from '../support/cluster.ts'
import { patientClients, openSessions, tally } from '../support/http-client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { type Reply } from '../support/test-service.ts'

const cap = 10
const pairs = rounds(10, 80)
const greedyRounds = rounds(2, 10)
const call = patientClients()

onOneEngine('postgres', 'requests that cross each other', (engine) => {
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let tokens: string[]
  /** Sessions that use up their caps. */
  let greedy: string[]
  beforeAll(async () => {
    // the cap on holds is 1 × 10, and all other limits are out of reach
    cluster = await startCluster(
      engine,
      {
        MAX_HOLDS_PER_SESSION: '1',
        RATE_LIMIT_FACTOR: String(cap),
        MAX_BOOKINGS_PER_IP_PER_HOUR: '10000',
        MAX_BOOKINGS_PER_IP_PER_DAY: '10000',
      },
      { nodes: nodesOfRun },
    )
    const { id, business_key: token } = cluster.business
    const anyNumber = { token, body: { max_bookings_per_client: null } }
    expect(await call(cluster.address(0), 'PATCH', `/businesses/${id}`, anyNumber)).toMatchObject({
      status: 200,
    })
    client = clientOf(cluster, call)
    const key = cluster.business.publishable_key
    tokens = await openSessions(call, cluster.addresses, { key, count: 2 * pairs + 2 * greedyRounds })
    greedy = tokens.splice(2 * pairs)
  })
  afterAll(() => cluster.stop())

  /** Sends both requests of every pair at once, over all servers. Joins each pair's two answers. */
  async function cross(one: (pair: number) => Promise<Reply>, other: (pair: number) => Promise<Reply>) {
    const answers = await Promise.all(
      Array.from({ length: pairs }, async (_, pair) => {
        const both = await Promise.all(
          pair % 2 ? [one(pair), other(pair)] : [other(pair), one(pair)].toReversed(),
        ) // each goes first in half of the pairs
        return both.flatMap((reply) => Object.keys(tally([reply]))).join(', ')
      }),
    )
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
    return Object.groupBy(answers, (answer) => answer)
  }

  const tokenOf = (pair: number) => tokens[pair] ?? ''
  const rivalOf = (pair: number) => tokens[pairs + pair] ?? ''

  test('a session that places 30 holds at once gets as many as its cap', async () => {
    for (let round = 0; round < greedyRounds; round += 1) {
      const token = greedy[round] ?? ''
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, turn) => client.hold(turn, token, slot(round * 30 + turn))),
      )
      expect(tally(replies)).toEqual({ '201': cap, '429 hold_limit_reached': 30 - cap })
    }
    expect(
      await readRows(cluster.databaseUrl, 'select count(*) as holds from claims where ended_at is null'),
    ).toMatchObject([{ holds: expect.toSatisfy((holds) => Number(holds) === greedyRounds * cap) as unknown }])
  })

  test('a session that places 30 overlapping holds at once never has two that overlap', async () => {
    for (let round = 0; round < greedyRounds; round += 1) {
      const token = greedy[greedyRounds + round] ?? ''
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, turn) =>
          client.hold(turn, token, slot(500 + round, (turn % 2) * 15), 'Haircut'),
        ),
      )
      expect(tally(replies)).toEqual({ '201': 30 })
    }
    const overlapping = `
      select one.id from claims as one
        join claims as other on other.owner_id = one.owner_id and other.id <> one.id
         and other.starts_at < one.ends_at and one.starts_at < other.ends_at
       where one.ended_at is null and other.ended_at is null`
    expect(await readRows(cluster.databaseUrl, overlapping)).toEqual([])
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })

  test('of two bookings that move into one slot at once, one gets it and the other stays', async () => {
    const ids = await Promise.all(tokens.map((token, index) => book(client, token, slot(1000 + index))))
    const move = (pair: number, turn: number, id = '') =>
      client.change(turn, id, { starts_at: slot(2000 + pair) })
    const answers = await cross(
      (pair) => move(pair, pair, ids[pair]),
      (pair) => move(pair, pair + 1, ids[pairs + pair]),
    )
    expect(Object.keys(answers)).toSatisfy((kinds: string[]) =>
      kinds.every((kind) => ['200, 409 slot_booked', '409 slot_booked, 200'].includes(kind)),
    )
  })

  test('two bookings that swap their slots at once never overlap, and nothing fails', async () => {
    const ids = await Promise.all(tokens.map((token, index) => book(client, token, slot(3000 + index))))
    const answers = await cross(
      (pair) => client.change(pair, ids[pair] ?? '', { starts_at: slot(3000 + pairs + pair) }),
      (pair) => client.change(pair + 1, ids[pairs + pair] ?? '', { starts_at: slot(3000 + pair) }),
    )
    expect(Object.keys(answers)).toEqual(['409 slot_booked, 409 slot_booked'])
  })

  test('of a release and a conversion of one hold, exactly one wins', async () => {
    const holds = await Promise.all(
      Array.from({ length: pairs }, (_, pair) => client.hold(pair, tokenOf(pair), slot(4000 + pair))),
    )
    const idOf = (pair: number) => String(holds[pair]?.body.hold_id)
    const answers = await cross(
      (pair) => client.convert(pair, tokenOf(pair), idOf(pair)),
      (pair) => client.release(pair + 1, tokenOf(pair), idOf(pair)),
    )
    expect(Object.keys(answers)).toSatisfy((kinds: string[]) =>
      kinds.every((kind) => ['201, 409 hold_converted', '404 hold_not_found, 204'].includes(kind)),
    )
  })

  test('of a cancelled booking that comes back and a rival who holds its slot, exactly one wins', async () => {
    const ids = await Promise.all(
      Array.from({ length: pairs }, async (_, pair) => {
        const id = await book(client, tokenOf(pair), slot(5000 + pair))
        await client.cancel(pair, id)
        return id
      }),
    )
    const answers = await cross(
      (pair) => client.change(pair, ids[pair] ?? '', { status: 'confirmed' }),
      (pair) => client.hold(pair + 1, rivalOf(pair), slot(5000 + pair)),
    )
    expect(Object.keys(answers)).toSatisfy((kinds: string[]) =>
      kinds.every((kind) => ['200, 409 slot_booked', '409 slot_held, 201'].includes(kind)),
    )
  })
})
