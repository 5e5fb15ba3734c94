/** @module-tag long */
import { expect, test } from 'vitest'
import { startHoldfast } from '../support/holdfast-process.ts'

/** Reports the end of garbage collection, and the modules of Node loaded by then. */
const telling = `data:text/javascript,${encodeURIComponent(`
  import { constants, PerformanceObserver } from 'node:perf_hooks'
  const { NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: all } = constants
  new PerformanceObserver((seen) => {
    if (!seen.getEntries().some(({ detail }) => detail.flags & all)) return
    console.log('all garbage was collected beside ' + process.moduleLoadList.join())
  }).observe({ entryTypes: ['gc'] })
`)}`

test('an idle server has given back what only its start needed, and has not loaded the HTTP client of Node', async () => {
  const server = startHoldfast(['serve'], { variables: { PORT: '0' }, preloads: [telling] })
  await server.says(/Holdfast serves/)
  const [, loaded = ''] = await server.says(/all garbage was collected beside (.*)\n/)
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toMatch(/undici/)
})
