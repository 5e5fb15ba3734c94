import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tracingPackages } from '../../src/cli/serve.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { longTest } from '../support/long.ts'
import { type HoldfastProcess, project, startHoldfast } from '../support/holdfast-process.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`
/** Loaded before the program. Hides the SDK. */
const withoutSdk = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (!/^@opentelemetry.(?!api)/.test(specifier)) return next(specifier, context)
    throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})`)}`

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(() => collector.close())

async function serve(variables: Record<string, string>, preloads: string[] = []) {
  const server = startHoldfast(['serve'], {
    variables: { PORT: '0', DRAIN_SECONDS: '0', LOG_LEVEL: 'debug', ...variables }, // health checks, too
    preloads,
  })
  const [, address = ''] = await server.says(/^Holdfast serves (\S+)$/m)
  return { server, address }
}

async function stop(server: HoldfastProcess): Promise<void> {
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
}

function logLines(server: HoldfastProcess): Record<string, unknown>[] {
  const lines = server
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a request is followed by its id from its answer to the log and to the trace at the collector', async () => {
  const { server, address } = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=opensesame',
  })
  const headers = { traceparent, authorization: 'Bearer cal_biz_nobody' }
  const reply = await fetch(`${address}/api/v1/services`, { headers })
  const ready = await fetch(`${address}/readyz`)
  await stop(server) // sends the remaining spans
  const id = reply.headers.get('x-request-id')
  const line = logLines(server).find(({ request_id }) => request_id === id)
  expect(line).toMatchObject({ trace_id: traceId, route: '/api/v1/services', status: 401 })
  const span = collector.spans().find(({ attributes }) => attributes['holdfast.request_id'] === id)
  expect(span).toMatchObject({ traceId, name: 'GET /api/v1/services', parentSpanId: 'b7ad6b7169203331' })
  const readyId = ready.headers.get('x-request-id')
  const other = collector.spans().find(({ attributes }) => attributes['holdfast.request_id'] === readyId)
  expect(other?.traceId).toBe(logLines(server).find(({ request_id }) => request_id === readyId)?.trace_id)
  const statements = collector.spans().filter((each) => each.traceId === other?.traceId && each !== other)
  expect(statements.map(({ attributes }) => attributes['db.system.name'])).toContain('sqlite')
  expect(collector.resource()['service.name']).toBe('holdfast')
  expect(collector.headers[0]).toMatchObject({ 'x-collector-key': 'opensesame' })
  expect(server.stdout()).not.toContain('opensesame')
})

test('the service has a name that OTEL_SERVICE_NAME replaces, and tells nothing of its host or command line', async () => {
  const { server, address } = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_SERVICE_NAME: 'bookings-eu',
  })
  await fetch(`${address}/healthz`)
  await stop(server)
  expect(collector.resource()['service.name']).toBe('bookings-eu')
  expect(Object.keys(collector.resource()).toSorted()).toEqual(['service.name', 'service.version'])
})

longTest('OTEL_TRACES_SAMPLER decides what is sent', async () => {
  const { server, address } = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await fetch(`${address}/healthz`)
  await fetch(`${address}/readyz`, { headers: { traceparent } })
  await stop(server)
  expect(new Set(collector.spans().map((span) => span.traceId))).toEqual(new Set([traceId]))
})

test('without OTEL_EXPORTER_OTLP_ENDPOINT nothing is sent, and no line of the log has a trace', async () => {
  const { server, address } = await serve({ OTEL_SERVICE_NAME: 'x' })
  await fetch(`${address}/healthz`, { headers: { traceparent } })
  await stop(server)
  expect(logLines(server).find(({ route }) => route === '/healthz')).toMatchObject({ status: 200 })
  expect(server.stdout()).not.toContain('trace_id')
  expect(collector.bodies).toEqual([])
})

longTest('without the SDK the log says what to install, and the service runs on', async () => {
  const { server, address } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address }, [withoutSdk])
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
  await stop(server)
  const warning = logLines(server).find(({ level }) => level === 'warn')
  expect(warning?.msg).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT is set, but .* not installed/)
  for (const [name, version] of Object.entries(tracingPackages)) {
    expect(warning?.install).toContain(` ${name}@${version}`)
  }
  expect(collector.bodies).toEqual([])
})

longTest(
  'a collector that is away is told in the log, and keeps neither requests nor the stop waiting',
  async () => {
    await collector.close()
    const { server, address } = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    })
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    await server.says(/traces could not be sent/) // spans are sent every five seconds
    await fetch(`${address}/healthz`)
    await stop(server)
    collector = await startCollector()
  },
)

test('the versions that the log names are the ones that these tests run with', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(devDependencies).toMatchObject(tracingPackages)
})
