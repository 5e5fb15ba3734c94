import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'

/* What V8 keeps of the memory. bin/holdfast.js has it start small; docs/benchmark.md has the figures. */

/** As much as a busy server uses well: with 32 MB or more it holds 50 to 100 MB more, and answers no faster. */
const enoughNewSpaceBytes = 16 * 1024 * 1024

/** With less than this in all, V8 itself collects old objects earlier than it is told to here. */
const roomyHeapBytes = 1024 * 1024 * 1024

/**
 * Lets V8's space for new objects grow, as bin/holdfast.js forbade, while it is not large enough; V8 itself shrinks it again
 * when little happens. Old objects are collected once they take twice what those in use did: by itself V8 waits for up to
 * four times as much.
 */
export function boundMemory(): void {
  if (getHeapStatistics().heap_size_limit > roomyHeapBytes) setFlagsFromString('--heap-growing-percent=100')
  let grows = false
  const adapt = () => {
    const newSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    const isSmall = newSpace !== undefined && newSpace.space_size < enoughNewSpaceBytes
    if (isSmall === grows) return
    grows = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`) // 2 is V8's own
  }
  adapt()
  new PerformanceObserver(adapt).observe({ entryTypes: ['gc'] })
}

/** When what a start asks for is over. */
const quietMs = 1_000

/**
 * Gives back what only the start has needed: by itself V8 does so when a server is busy, and an idle one would keep it. It
 * takes about 0.15 s. Never fails: a Node without an inspector keeps it.
 */
export async function dropWhatStartLeft(): Promise<void> {
  await pause(quietMs, undefined, { ref: false })
  try {
    const { Session } = await import('node:inspector/promises')
    const session = new Session()
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
    session.disconnect()
  } catch {
    return
  }
}
