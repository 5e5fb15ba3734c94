import type { Attributes } from '@opentelemetry/api'
import type { Outgoing, OutgoingEnd, RequestSpan } from './spans.ts'

/*
 * Spans of requests and of their work, if traces are exported (cli/serve.ts). Otherwise all functions here do nothing,
 * and the API of OpenTelemetry is not loaded.
 */

let spans: typeof import('./spans.ts') | undefined

/** Loads the code that creates spans. Call it before the server is created. */
export async function openTracing(): Promise<void> {
  spans = await import('./spans.ts')
}

const untraced: Pick<RequestSpan, 'traceId' | 'isRecording' | 'run' | 'end'> = {
  traceId: undefined,
  isRecording: false,
  run: (next) => {
    next()
  },
  end: () => undefined,
}

/** The span of one request, from its headers to its response. */
export type TracedRequest = typeof untraced

/** Begins the span of a request. It continues the trace in the headers (W3C Trace Context). */
export function traceRequest(headers: object): TracedRequest {
  return spans ? new spans.RequestSpan(headers) : untraced
}

/** Runs work for a request as a span of its trace. Work outside requests, such as housekeeping, gets no span. */
export function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return spans ? spans.traced(name, attributes, work) : work()
}

/** Runs a statement as a span. Its text has placeholders for the values. */
export function tracedStatement<T>(
  system: 'postgresql' | 'sqlite',
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  return spans ? spans.tracedStatement(system, text, work) : work()
}

/** Returns the ID of the current trace for the log, or undefined without one. */
export function currentTraceId(): string | undefined {
  return spans?.currentTraceId()
}

/** Returns the current span (W3C Trace Context, section 3.2) for later work, or null if nothing is traced. */
export function currentTraceparent(): string | null {
  return spans?.currentTraceparent() ?? null
}

/** Records an outgoing request that has just ended as a span. */
export function traceExchange(outgoing: Outgoing, ended: OutgoingEnd): void {
  spans?.traceExchange(outgoing, ended)
}
