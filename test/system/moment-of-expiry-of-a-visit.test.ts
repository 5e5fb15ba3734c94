/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findErrors } from '../support/checker.ts'
import { clientOf, type Cluster, nodesOfRun, slot, startCluster } from '../support/cluster.ts'
import { openSessions, patientClients, tally } from '../support/http-client.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { offsetOf, possibleAnswers, spreadMs, until } from '../support/moment-of-expiry.ts'
import type { Reply } from '../support/test-service.ts'
import { type ClusterSalon, makeClusterSalon } from '../support/visit-salon.ts'

/*
 * Real time is the subject here, as in moment-of-expiry.test.ts. Owner and rival meet at a visit of which they share only
 * a further thing: the basin, or the person of the second service.
 */
/** The first ones only find the moment. */
const meetings = rounds(2, 50)
const slotsAtOnce = 20
const call = patientClients()

onOneEngine('postgres', 'a visit at the moment of its expiry', (engine) => {
  let cluster: Cluster
  let client: ReturnType<typeof clientOf>
  let salon: ClusterSalon
  let owners: string[]
  let rivals: string[]
  beforeAll(async () => {
    cluster = await startCluster(engine, { HOLD_SECONDS: '1' }, { nodes: nodesOfRun })
    client = clientOf(cluster, call)
    salon = await makeClusterSalon(cluster, call, { people: 4, basins: 1 })
    const key = cluster.business.publishable_key
    const tokens = await openSessions(call, cluster.addresses, { key, count: 2 * slotsAtOnce })
    owners = tokens.slice(0, slotsAtOnce)
    rivals = tokens.slice(slotsAtOnce)
  })
  afterAll(() => cluster.stop())

  /** Lets owner and rival meet at the end of one hold. Returns the answers of both, such as `201, 409 slot_held`. */
  async function meet(round: number, index: number, earlierMs: number): Promise<string> {
    const [first = '', second = '', third = '', fourth = ''] = salon.staffIds
    const startsAt = slot(round * slotsAtOnce + index)
    const hold = await salon.hold(index, owners[index] ?? '', startsAt, [first, second])
    expect(hold.status, JSON.stringify(hold.body)).toBe(201)
    const expiresMs = Date.parse(String(hold.body.expires_at))
    const at = async (offsetMs: number, request: () => Promise<Reply>) => {
      await until(expiresMs + offsetMs - earlierMs)
      return request()
    }
    const wanted = index % 2 ? [third, second] : [third, fourth] // the basin stands in the way of both
    const replies = await Promise.all([
      at(offsetOf(round * slotsAtOnce + index, 7), () =>
        client.convert(index, owners[index] ?? '', String(hold.body.hold_id)),
      ),
      at(offsetOf(round * slotsAtOnce + index, 11), () =>
        salon.hold(index + 1, rivals[index] ?? '', startsAt, wanted),
      ),
    ])
    return replies.flatMap((reply) => Object.keys(tally([reply]))).join(', ')
  }

  test('goes wholly to its owner or wholly to a rival, or to nobody', async () => {
    const answers: string[] = []
    let earlierMs = 0
    for (let round = 0; round < meetings; round += 1) {
      const all = Array.from({ length: slotsAtOnce }, (_, index) => meet(round, index, earlierMs))
      const now = await Promise.all(all)
      answers.push(...now)
      const owned = now.filter((answer) => answer.startsWith('201')).length / slotsAtOnce
      if (owned < 0.3) earlierMs += spreadMs / 2
      if (owned > 0.7) earlierMs -= spreadMs / 2
    }
    const counts = Object.entries(Object.groupBy(answers, (answer) => answer)).map(
      ([answer, times]) => [answer, times?.length ?? 0] as const,
    )
    console.log(`${engine}, visits at the moment of expiry: ${JSON.stringify(Object.fromEntries(counts))}`)
    expect(answers.filter((answer) => !possibleAnswers.includes(answer))).toEqual([])
    expect(await findErrors(cluster.databaseUrl)).toEqual([])
  })
})
