/** @module-tag long */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { builtServer, demoWorld } from '../support/holdfast-process.ts'
import { clientOf, slot, type Cluster } from '../support/cluster.ts'
import { httpClients, tally } from '../support/http-client.ts'
import { startServer, withoutLimits, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf, engines } from '../support/test-service.ts'
import { testIn } from '../support/long.ts'

const anHourAhead = 'data:text/javascript,const now=Date.now;Date.now=()=>now()+3600000'
const call = httpClients()

describe.runIf(engines.includes('postgres'))('two servers, one of them with a clock an hour ahead', () => {
  let database: TestDatabase
  let servers: ServerProcess[]
  let cluster: Cluster
  beforeAll(async () => {
    database = await createTestDatabase('postgres')
    const world = await demoWorld(database.url)
    const variables = { ...withoutLimits, HOLD_SECONDS: '3' }
    servers = await Promise.all([
      startServer(database.url, variables),
      startServer(database.url, variables, { preloads: [anHourAhead], program: builtServer }),
    ])
    const address = (turn: number) => servers[turn % 2]?.address ?? ''
    cluster = { business: businessOf(world, 'Salon Spree'), address } as unknown as Cluster
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await database.drop()
  })

  for (const placing of [0, 1]) {
    testIn(placing === 1)(
      `a hold placed on server ${placing} ends on both within a second of its time`,
      async () => {
        const client = clientOf(cluster, call)
        const key = cluster.business.publishable_key
        const session = await call(cluster.address(placing), 'POST', '/session', { token: key })
        const sessionMs = Date.parse(String(session.body.expires_at)) - Date.now()
        expect(Math.abs(sessionMs - 3_600_000)).toBeLessThan(600_000)
        const token = String(session.body.session_token)

        const hold = await client.hold(placing, token, slot(placing))
        expect(tally([hold])).toEqual({ '201': 1 })
        const expiresMs = Date.parse(String(hold.body.expires_at))
        expect(expiresMs - Date.now()).toBeLessThan(600_000)
        const statuses = () =>
          Promise.all(
            [0, 1].map(async (turn) => {
              const shown = await call(
                cluster.address(turn),
                'GET',
                `/bookings/hold/${String(hold.body.hold_id)}`,
                { token },
              )
              return shown.body.status as string
            }),
          )
        // real time is the subject: one request is answered a second before the end, and another sent a second after it
        let askedMs: number
        do {
          askedMs = Date.now()
          const shown = await statuses()
          if (Date.now() < expiresMs - 1_000) expect(shown).toEqual(['active', 'active'])
          if (askedMs > expiresMs + 1_000) expect(shown).toEqual(['expired', 'expired'])
          await new Promise((resolve) => setTimeout(resolve, 100))
        } while (askedMs <= expiresMs + 1_000)
        expect(tally([await client.hold(placing + 1, token, slot(placing))])).toEqual({ '201': 1 })
      },
    )
  }
})
