import {
  type Attributes,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context as TraceContext,
} from '@opentelemetry/api'
import { monotonicMs } from './clock.ts'
import { Problem } from './errors.ts'

/*
 * Spans of requests and of their work, through the API of OpenTelemetry. tracing.ts uses them once an SDK is
 * registered. Attributes are patterns, codes and statements without values: never a URL, a header or an error message.
 */

/** Runs work for a request as a span of its trace. Work outside requests, such as housekeeping, gets no span. */
export async function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (!trace.getActiveSpan()) return work()
  return tracer().startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work()
    } catch (error) {
      markFailed(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

function markFailed(span: Span, error: unknown): void {
  // a refusal is an ordinary end: the slot was taken, and the transaction is rolled back
  if (error instanceof Problem) {
    span.setAttribute('holdfast.problem', error.code)
    return
  }
  const { code, name } = error as { code?: unknown; name?: unknown }
  span.setAttribute('error.type', typeof code === 'string' ? code : String(name))
  span.setStatus({ code: SpanStatusCode.ERROR }) // without its message, which can quote a client's data
}

/** Runs a statement as a span. Its text has placeholders for the values. */
export function tracedStatement<T>(
  system: 'postgresql' | 'sqlite',
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!trace.getActiveSpan()) return work()
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const attributes = { 'db.system.name': system, 'db.operation.name': operation, 'db.query.text': text }
  return traced(operation, attributes, work)
}

/** Returns the ID of the current trace for the log, or undefined without one. */
export function currentTraceId(): string | undefined {
  const span = trace.getActiveSpan()
  return span && traceIdOf(span)
}

function traceIdOf(span: Span): string | undefined {
  const spanContext = span.spanContext()
  return isSpanContextValid(spanContext) ? spanContext.traceId : undefined
}

/** The span of one request, from its headers to its response. */
export class RequestSpan {
  private readonly span: Span
  private readonly context: TraceContext

  /** Continues the trace in the headers (W3C Trace Context), or the current one of the process. */
  constructor(headers: object) {
    const active = context.active()
    const parent = trace.getSpan(active) ? active : remoteParent(headers)
    this.span = tracer().startSpan('request', { kind: SpanKind.SERVER }, parent)
    this.context = trace.setSpan(parent, this.span)
  }

  /** Undefined if the request is not traced. */
  get traceId(): string | undefined {
    return traceIdOf(this.span)
  }

  /** True if the span is exported. Without a registered SDK it needs no attributes. */
  get isRecording(): boolean {
    return this.span.isRecording()
  }

  /** Makes this the current span of `next`. */
  run(next: () => void): void {
    context.with(this.context, next)
  }

  end({ name, attributes, failed }: { name: string; attributes: Attributes; failed: boolean }): void {
    this.span.updateName(name).setAttributes(attributes)
    if (failed) this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.span.end()
  }
}

/** Accepts only the trace from a caller, because a `tracestate` is free text of a stranger. */
function remoteParent(headers: object): TraceContext {
  const remote = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers))
  if (!remote) return ROOT_CONTEXT
  const { traceId, spanId, traceFlags } = remote
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** Returns the current span (W3C Trace Context, section 3.2) for later work, or null if nothing is traced. */
export function currentTraceparent(): string | null {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (!spanContext || !isSpanContextValid(spanContext)) return null
  const { traceId, spanId, traceFlags } = spanContext
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** An outgoing request. */
export interface Outgoing {
  method: string
  url: string
  /** The span that it belongs to. */
  traceparent: string | null
  /** Further attributes of its span. */
  attributes: () => Attributes
}

export interface OutgoingEnd {
  responseStatus: number | null
  error: string | null
  tookMs: number
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

/**
 * Records an outgoing request that has just ended as a span, named by OpenTelemetry's conventions for HTTP clients. Of
 * the URL it shows only host and port, because path and query can be secret.
 */
export function traceExchange({ method, url, traceparent, attributes }: Outgoing, ended: OutgoingEnd): void {
  const endMs = monotonicMs() // the API recognises performance.now()
  const options = { kind: SpanKind.CLIENT, startTime: endMs - ended.tookMs }
  const span = tracer().startSpan(method, options, parentOf(traceparent))
  if (!span.isRecording()) return
  const { protocol, hostname, port } = new URL(url)
  span.setAttributes({
    'http.request.method': method,
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? defaultPorts[protocol] : Number(port),
    ...attributes(),
  })
  markEnd(span, ended)
  span.end(endMs)
}

function markEnd(span: Span, { responseStatus: status, error }: OutgoingEnd): void {
  if (status !== null) span.setAttribute('http.response.status_code', status)
  if (error === null) return
  span.setAttribute('error.type', status !== null && status >= 400 ? String(status) : error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Returns the parent, which may have ended long ago. Its flags say if its trace is recorded. */
function parentOf(traceparent: string | null): TraceContext {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT
  const traceFlags = parseInt(flags, 16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function tracer() {
  return trace.getTracer('holdfast')
}
