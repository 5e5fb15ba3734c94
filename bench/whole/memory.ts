import { monotonicMs } from '../../src/clock.ts'
import { pause } from '../../src/database/database.ts'
import { Load } from './load.ts'
import { startNodes, type Setting } from './nodes.ts'
import { residentMegabytes } from './processor.ts'
import type { World } from './requests.ts'

/** Megabytes that one process has resident. */
export interface Memory {
  idle: number
  /** The most while 128 clients book. */
  under128: number
  /** By the line through the second half of the load; absent where that was too short to tell. */
  growthInTenMinutes?: number
  watchedSeconds: number
}

/** Over a shorter time, the collections of garbage hide what grows. */
export const leastWatchedSeconds = 300
const idleMs = 3_000
const connections = 128
const roundMs = 2_000

/** Loads a fresh process with whole flows over 128 connections and watches its memory. Undefined without /proc. */
export async function measureMemory(
  setting: Setting,
  { template, world }: { template: string; world: World },
  { seconds, interrupted }: { seconds: number; interrupted: AbortSignal },
): Promise<Memory | undefined> {
  const url = await setting.stores.make(template)
  const [node] = await startNodes(setting, url)
  if (!node) throw new Error('there is no node')
  const load = await Load.start(world, 2)
  let watch: NodeJS.Timeout | undefined
  try {
    await pause(idleMs)
    const idle = residentMegabytes(node.pid)
    if (idle === undefined) return undefined
    const seen: [seconds: number, megabytes: number][] = []
    const startedMs = monotonicMs()
    watch = setInterval(() => {
      seen.push([(monotonicMs() - startedMs) / 1000, residentMegabytes(node.pid) ?? NaN])
    }, 250)
    while (monotonicMs() - startedMs < seconds * 1000) {
      interrupted.throwIfAborted()
      await load.run({ addresses: [node.address], operation: 'flow', concurrency: connections, roundMs })
    }
    const growthInTenMinutes = slope(seen.slice(Math.floor(seen.length / 2))) * 600
    return {
      idle,
      under128: Math.max(...seen.map(([, megabytes]) => megabytes)),
      ...(seconds >= leastWatchedSeconds && { growthInTenMinutes }),
      watchedSeconds: seconds,
    }
  } finally {
    clearInterval(watch)
    await load.stop()
    await node.stop()
    await setting.stores.drop(url)
  }
}

/** Of the straight line that fits the points best. */
function slope(points: [number, number][]): number {
  const mean = (values: number[]) => values.reduce((total, value) => total + value, 0) / values.length
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const above = points.reduce((total, [x, y]) => total + (x - meanX) * (y - meanY), 0)
  return above / points.reduce((total, [x]) => total + (x - meanX) ** 2, 0)
}
