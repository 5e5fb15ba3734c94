import { expect } from 'vitest'
import { type Cluster, startCluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import type { Call } from './http-client.ts'
import type { NotedLoad } from './noted-load.ts'
import { startReceiver } from './receiver.ts'
import type { TestDatabase } from './test-database.ts'
import { allEvents } from './webhooks.ts'

/** Starts two servers over a replicated database, and a receiver of all events. */
export async function startWatched(
  call: Call,
  { url, stop }: { url: string; stop: TestDatabase['drop'] },
): Promise<{ cluster: Cluster; stop: () => Promise<void> }> {
  const receiver = await startReceiver()
  const variables = { NODE_ENV: 'test' } // production would not deliver to loopback
  const cluster = await startCluster('postgres', variables, { database: { url, drop: stop } })
  const token = cluster.business.business_key
  const body = { url: receiver.address, events: allEvents }
  expect((await call(cluster.address(0), 'POST', '/webhooks', { token, body })).status).toBe(201)
  return {
    cluster,
    stop: async () => {
      await cluster.stop()
      await receiver.stop()
    },
  }
}

/** Resolves when a hundred more holds have been acknowledged. */
export function moreHolds({ heldAtMs }: NotedLoad): Promise<true> {
  const before = heldAtMs.length
  return eventually('holds', () => heldAtMs.length > before + 100 || undefined)
}

/** Returns the longest time without an acknowledged hold since then. */
export function longestGapMs({ heldAtMs }: NotedLoad, sinceMs: number): number {
  const times = [sinceMs, ...heldAtMs.filter((timeMs) => timeMs > sinceMs)]
  return Math.max(...times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? timeMs)))
}

/** Prints the figures of the guide "High availability". */
export function tellGaps(name: string, gapsMs: number[], loads: NotedLoad[]): void {
  const sorted = gapsMs.toSorted((left, right) => left - right)
  const [middle, longest] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
  const sum = (count: (load: NotedLoad) => number) => loads.reduce((total, load) => total + count(load), 0)
  const [acknowledged, refused] = [sum((load) => load.acknowledged.size), sum((load) => load.refused.length)]
  process.stderr.write(
    `${name}: ${gapsMs.length} rounds, ${acknowledged} acknowledged, ${refused} refused or broken; ` +
      `without a hold for ${middle.toFixed(0)} ms (median), ${longest.toFixed(0)} ms (longest)\n`,
  )
}
