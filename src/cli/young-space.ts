import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves of the space for new objects, after which it doubles at most once more. V8 lets it grow to 64 MiB, which saves little more time. */
const enoughBytes = 16 * 1024 * 1024

/**
 * The launcher (bin/holdfast.js) has kept the space for new objects small so far; under load, a larger one saves time. It
 * doubles when a collection finds that much is kept, until it is large enough.
 */
export function growYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=2') // the default of V8
  const observer = new PerformanceObserver(() => {
    if (youngSpaceBytes() < enoughBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** What the space for new objects takes now. */
export function youngSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
