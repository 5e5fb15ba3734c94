import { expect, test } from 'vitest'
import { startHoldfast } from '../support/holdfast-process.ts'

/** Says when all garbage was collected, and at SIGUSR2 which modules are loaded. */
const telling = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  import { constants, PerformanceObserver } from 'node:perf_hooks'
  const { NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: all } = constants
  new PerformanceObserver((seen) => {
    for (const { detail } of seen.getEntries()) if (detail.flags & all) console.log('all garbage was collected')
  }).observe({ entryTypes: ['gc'] })
  const { cache } = createRequire('/')
  process.on('SIGUSR2', () => {
    console.log('loaded: ' + JSON.stringify([...process.moduleLoadList, ...Object.keys(cache)]))
  })
`)}`

test('an idle server has given back what only its start needed, and has not loaded what few need', async () => {
  const server = startHoldfast(['serve'], { variables: { PORT: '0' }, preloads: [telling] })
  const [, address = ''] = await server.says(/Holdfast serves (\S+)/)
  await server.says(/all garbage was collected/)
  const loaded = async (seen: number) => {
    server.signal('SIGUSR2')
    await server.says(new RegExp(`(loaded: [^]*){${seen}}\\n`))
    const { groups } = /^loaded: (?<list>.*)$(?![^]*^loaded: )/m.exec(server.stdout()) ?? {}
    return JSON.parse(groups?.['list'] ?? '') as string[]
  }
  const rare = /(undici|swagger|yaml|stripe|nodemailer|redis)[/@.\w-]*$/i
  const atRest = await loaded(1)
  expect(atRest.some((name) => name.endsWith('fastify.js'))).toBe(true)
  expect(atRest.filter((name) => rare.test(name))).toEqual([])
  expect((await fetch(`${address}/openapi.json`)).status).toBe(200)
  expect((await loaded(2)).filter((name) => rare.test(name))).not.toEqual([])
})
