import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace'
import { openTracing } from '../../src/base/tracing.ts'
import { afterEachFile } from './after-file.ts'

/** Later files in the same worker run without spans. */
afterEachFile(() => {
  trace.disable()
  context.disable()
  propagation.disable()
})

/** Ended spans, in the process of the tests. */
interface CollectedSpans {
  all(): ReadableSpan[]
  /** Returns them as they would be sent. */
  text(): string
  forget(): void
}

/** Registers an SDK that keeps its spans. Once in a test file, because its parts are global. */
export async function collectSpans(): Promise<CollectedSpans> {
  await openTracing()
  const exporter = new InMemorySpanExporter()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  )
  return {
    all: () => exporter.getFinishedSpans(),
    text: () => new TextDecoder().decode(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans())),
    forget: () => {
      exporter.reset()
    },
  }
}
