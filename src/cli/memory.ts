import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'

/* Bounds on V8's memory. bin/holdfast.js starts with a small heap; docs/benchmark.md has the figures. */

/**
 * As much as a busy server puts to good use. With 32 MB or more it holds another 50 to 100 MB and answers no
 * faster.
 */
const enoughNewSpaceBytes = 16 * 1024 * 1024

/** Heap limit below which V8 collects old objects earlier than the setting here would. */
const roomyHeapBytes = 1024 * 1024 * 1024

/**
 * Lets V8's space for new objects grow while it is too small; bin/holdfast.js starts it with growth disabled.
 * V8 shrinks the space again when load is low. Also collects old objects once they take twice the memory of
 * those in use. By default V8 waits for up to four times as much.
 */
export function boundMemory(): void {
  if (getHeapStatistics().heap_size_limit > roomyHeapBytes) setFlagsFromString('--heap-growing-percent=100')
  let grows = false
  const adapt = () => {
    const newSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    const isSmall = newSpace !== undefined && newSpace.space_size < enoughNewSpaceBytes
    if (isSmall === grows) return
    grows = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`) // 2 is V8's default
  }
  adapt()
  new PerformanceObserver(adapt).observe({ entryTypes: ['gc'] })
}

/** Time after which the work of startup is done. */
const quietMs = 1_000

/**
 * Frees the memory that only startup needed. V8 does so by itself under load, but an idle server would keep
 * it. Takes about 0.15 s. Never fails: on a Node without an inspector, the memory stays in use.
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
