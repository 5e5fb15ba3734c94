import { context, propagation, trace } from '@opentelemetry/api'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { pause } from '../database/database.ts'

/** The SDK of OpenTelemetry, in the versions that are tested. Whoever wants traces installs it beside Holdfast. */
export const tracingPackages = {
  '@opentelemetry/context-async-hooks': '3.1.0',
  '@opentelemetry/core': '3.1.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
  '@opentelemetry/resources': '3.1.0',
  '@opentelemetry/sdk-trace': '3.1.0',
}

/** What is not sent by then is lost: a stopping process does not wait for a collector that does not answer. */
const longestFlushMs = 1_000

const nothing = () => Promise.resolve()

/**
 * Sends spans to the collector at OTEL_EXPORTER_OTLP_ENDPOINT, when that is set and the SDK is installed;
 * without the SDK, a line of the log says what to install. Gives what sends the last ones.
 */
export async function startTracing({
  config,
  log,
}: Pick<Context, 'config' | 'log'>): Promise<() => Promise<void>> {
  if (config.otlpEndpoint === '') return nothing
  const sdk = await loadSdk()
  if (!sdk) {
    const packages = Object.entries(tracingPackages).map(([name, version]) => `${name}@${version}`)
    log.warn(
      { install: `npm install --no-save ${packages.join(' ')}` },
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry SDK is not installed: no traces are sent',
    )
    return nothing
  }
  const tellFailure = (error: unknown) => {
    log.warn({ err: error }, 'traces could not be sent')
  }
  sdk.core.setGlobalErrorHandler(tellFailure)
  const { resourceFromAttributes, detectResources, envDetector } = sdk.resources
  const own = resourceFromAttributes({ 'service.name': 'holdfast', 'service.version': packageJson.version })
  const provider = new sdk.trace.TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES; no other detector: command lines and hosts are nobody's business
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config, sdk.trace),
    // the exporter reads the standard variables itself
    spanProcessors: [new sdk.trace.BatchSpanProcessor({ exporter: new sdk.exporter.OTLPTraceExporter() })],
  })
  context.setGlobalContextManager(new sdk.hooks.AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new sdk.core.W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  log.info('traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT')
  return () => Promise.race([provider.shutdown().catch(tellFailure), pause(longestFlushMs)])
}

/** Undefined when one of the packages is not there. */
async function loadSdk() {
  try {
    const [hooks, core, exporter, resources, trace] = await Promise.all([
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
    ])
    return { hooks, core, exporter, resources, trace }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** Which traces are kept, by the standard names of samplers. */
function samplerOf(
  { tracesSampler, tracesSamplerArg }: Config,
  sdk: typeof import('@opentelemetry/sdk-trace'),
) {
  const roots = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(tracesSamplerArg),
  }
  const name = tracesSampler.replace('parentbased_', '') as keyof typeof roots // the rest of each of its names
  const root = roots[name]()
  return tracesSampler === name ? root : new sdk.ParentBasedSampler({ root })
}
