/** @module-tag long */
import { beforeAll, describe, expect } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { findErrors } from '../support/checker.ts'
import type { Cluster } from '../support/cluster.ts'
import { longestGapMs, moreHolds, startWatched, tellGaps } from '../support/failover.ts'
import { httpClients } from '../support/http-client.ts'
import { isWhole, longTest } from '../support/long.ts'
import { startNotedLoad } from '../support/noted-load.ts'
import { canRunPatroni, type PatroniCluster, startPatroni } from '../support/patroni.ts'
import { engines } from '../support/test-service.ts'

/*
 * Two servers over three PostgreSQL servers, one of which Patroni promotes, with the file of
 * docs/guides/high-availability.md. Clients repeat requests with their Idempotency-Key until there is an answer. Runs
 * in the whole form only, because leases expire unintentionally on a busy machine.
 */

const call = httpClients()

/** Faults of the primary. */
const faults: Record<string, (patroni: PatroniCluster) => Promise<void>> = {
  'loses its machine': (patroni) => patroni.killPrimary(),
  'is killed, while its Patroni lives': (patroni) => patroni.killPostgres(),
  'hands over': (patroni) => patroni.switchOver(),
}

describe.runIf(isWhole && engines.includes('postgres') && canRunPatroni())(
  'under Patroni, a primary that',
  () => {
    let patroni: PatroniCluster
    let cluster: Cluster
    beforeAll(async () => {
      const guide = blocksOf(documentAt('docs/guides/high-availability.md'))
      patroni = await startPatroni(guide.find(({ text }) => text.startsWith('scope:'))?.text ?? '')
      const watched = await startWatched(call, patroni)
      cluster = watched.cluster
      return watched.stop
    })

    for (const [name, fault] of Object.entries(faults)) {
      longTest(`${name} loses nothing that was acknowledged`, { timeout: 900_000 }, async () => {
        const gapsMs: number[] = []
        const load = await startNotedLoad(cluster, call, { clients: 32, pauseMs: 100, repeats: true })
        for (let round = 0; round < 5; round += 1) {
          await moreHolds(load)
          const sinceMs = performance.now()
          await fault(patroni)
          await moreHolds(load)
          gapsMs.push(longestGapMs(load, sinceMs))
          await patroni.becomeWhole()
        }
        await load.stop()
        expect(load.unexpected).toEqual([])
        expect(await findErrors(await patroni.primaryUrl(), load.acknowledged)).toEqual([])
        for (const { process } of cluster.servers) expect(process.stderr()).toBe('')
        tellGaps(name, gapsMs, [load])
      })
    }
  },
)
