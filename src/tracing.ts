import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context as TraceContext,
  type Span,
} from '@opentelemetry/api'
import { monotonicMs } from './clock.ts'
import { Problem } from './errors.ts'

/*
 * Spans of requests and of what they wait for, through the API of OpenTelemetry. Where no SDK is registered
 * (cli/start-tracing.ts), all of this does nothing. Attributes name patterns, codes and statements without their
 * values; no address, no header and no message of an error gets into one.
 */

function tracer() {
  return trace.getTracer('holdfast')
}

function markFailed(span: Span, error: unknown): void {
  // a refusal is an ordinary end: the slot was taken, and the transaction is rolled back
  if (error instanceof Problem) {
    span.setAttribute('holdfast.problem', error.code)
    return
  }
  const { code, name } = error as { code?: unknown; name?: unknown }
  span.setAttribute('error.type', typeof code === 'string' ? code : String(name))
  span.setStatus({ code: SpanStatusCode.ERROR }) // without its message, which can quote what a client sent
}

/**
 * Does a piece of work for a request as a span of its trace. What belongs to no request, such as
 * housekeeping or the reading of the time, makes no span.
 */
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

/** A statement as a span: its text has placeholders where the values are. */
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

/** The id of the trace in progress, for the log; undefined where there is none. */
export function currentTraceId(): string | undefined {
  const span = trace.getActiveSpan()
  return span && traceIdOf(span)
}

function traceIdOf(span: Span): string | undefined {
  const spanContext = span.spanContext()
  return isSpanContextValid(spanContext) ? spanContext.traceId : undefined
}

/** The span of one request, from its headers to its answer. */
export class RequestSpan {
  private readonly span: Span
  private readonly context: TraceContext

  /** Continues the trace that the headers name (W3C Trace Context), or one that is in progress around the server. */
  constructor(headers: object) {
    const active = context.active()
    const parent = trace.getSpan(active) ? active : remoteParent(headers)
    this.span = tracer().startSpan('request', { kind: SpanKind.SERVER }, parent)
    this.context = trace.setSpan(parent, this.span)
  }

  /** Undefined where nothing is traced. */
  get traceId(): string | undefined {
    return traceIdOf(this.span)
  }

  /** Goes on within the span: what is traced from here belongs to it. */
  run(next: () => void): void {
    context.with(this.context, next)
  }

  end(answer: { name: string; attributes: Attributes; failed: boolean }): void {
    this.span.updateName(answer.name).setAttributes(answer.attributes)
    if (answer.failed) this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.span.end()
  }
}

/**
 * Names the span in progress (W3C Trace Context, section 3.2), for work that is done for it later; null where nothing is
 * traced.
 */
export function currentTraceparent(): string | null {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (!spanContext || !isSpanContextValid(spanContext)) return null
  const { traceId, spanId, traceFlags } = spanContext
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** A request to somebody else, the span that it was made for, and what its own span shows besides. */
export interface Outgoing {
  method: string
  url: string
  traceparent: string | null
  attributes: () => Attributes
}

/** How it ended: what tests and logs call `error` too. */
interface Ended {
  responseStatus: number | null
  error: string | null
  tookMs: number
}

/**
 * A request that has just ended, as a span of the trace that it was made for, or of one of its own. The names are those
 * of OpenTelemetry's conventions for HTTP clients. Of the address it shows host and port alone: path and query can be a
 * secret.
 */
export function traceExchange({ method, url, traceparent, attributes }: Outgoing, ended: Ended): void {
  const endMs = monotonicMs() // which the API takes for what it is
  const options = { kind: SpanKind.CLIENT, startTime: endMs - ended.tookMs }
  const span = tracer().startSpan(method, options, laterPart(traceparent))
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

function markEnd(span: Span, { responseStatus: status, error }: Ended): void {
  if (status !== null) span.setAttribute('http.response.status_code', status)
  if (error === null) return
  span.setAttribute('error.type', status !== null && status >= 400 ? String(status) : error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

/** What is done for a span that has long ended belongs to it all the same, and is traced if it was. */
function laterPart(traceparent: string | null): TraceContext {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: parseInt(flags, 16),
    isRemote: true,
  })
}

/** Who calls may say which trace it belongs to, and no more: a `tracestate` is free text of a stranger. */
function remoteParent(headers: object): TraceContext {
  const remote = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers))
  if (!remote) return ROOT_CONTEXT
  const { traceId, spanId, traceFlags } = remote
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
