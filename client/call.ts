import { HoldfastError, isProblem, UnexpectedAnswerError } from './problems.ts'
import { newIdempotencyKey, type Send } from './send-with-retries.ts'

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call with its retries and waits. */
  signal?: AbortSignal | undefined
  /** The `ETag` that you read. If the booking has changed since, the call fails with `version_conflict`. */
  ifMatch?: string | undefined
  /** More headers. */
  headers?: Record<string, string> | undefined
}

/** Options of a call that the server performs once for each key. */
export interface CreateOptions extends CallOptions {
  /** Names the action, for example across a restart of your program. By default, each call has a random key. */
  idempotencyKey?: string | undefined
}

/** The data of a response, or a HoldfastError. */
export interface Call<Data> extends Promise<Data> {
  /** Returns the response as well, for example for its `ETag`. Its body has been read. */
  withResponse(): Promise<{ data: Data; response: Response }>
}

interface Page {
  data: unknown[]
  next_cursor: string | null
}

/** Await it for one page, or iterate over all entries: `for await (const booking of …)`. */
export interface List<OnePage extends Page>
  extends PromiseLike<OnePage>, AsyncIterable<OnePage['data'][number]> {}

/**
 * The service that receives the calls.
 *
 * @internal
 */
interface Service {
  /** Without a slash at the end. */
  url: string
  send: Send
}

/** Entries of a page while a program iterates and asks for no other number. The most that the API returns. */
const iteratedLimit = 100

/**
 * Makes methods from a table of routes. A route consists of an HTTP method, marks and a path. The marks: `b` for a body,
 * `q` for a query, `k` for an `Idempotency-Key`, `l` for a list in pages, `t` for text instead of JSON.
 *
 * @internal
 */
export function methodsOf(
  routes: Record<string, Record<string, string>>,
  service: Service,
): Record<string, Record<string, unknown>> {
  const mapped = <From, To>(of: Record<string, From>, make: (one: From, name: string) => To) =>
    Object.fromEntries(Object.entries(of).map(([name, one]) => [name, make(one, name)]))
  return mapped(routes, (methods, resource) =>
    mapped(methods, (route, name) => methodOf(`${resource}.${name}`, route, service)),
  )
}

function methodOf(name: string, route: string, service: Service): (...given: unknown[]) => unknown {
  const [method = '', marks = '', path = ''] = route.split(' ')
  return (...given) => {
    const filledIn = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => {
      const value = given.shift()
      // an empty part, or dots, would be the address of something else
      if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value)
      throw new TypeError(`${name} needs the ${part} as a string, not ${String(value)}.`)
    })
    const body = marks.includes('b') ? given.shift() : undefined
    const query = (marks.includes('q') ? given.shift() : undefined) as object | undefined
    const options = (given.shift() ?? {}) as CreateOptions
    const call = (search = query) => {
      const request = requestOf(method, `${service.url}/api/v1${filledIn}${searchOf(search)}`, body, options)
      if (marks.includes('k')) {
        request.headers.set('idempotency-key', options.idempotencyKey ?? newIdempotencyKey())
      }
      return exchange(request, service.send, marks.includes('t'))
    }
    return marks.includes('l') ? listOf(call as ReadPage, query) : callOf(call())
  }
}

function requestOf(method: string, url: string, body: unknown, options: CallOptions): Request {
  const { signal, ifMatch, headers } = options
  const isFile = body instanceof Blob
  return new Request(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': isFile ? body.type : 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...headers,
    },
    ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** Repeats the name of a list, and writes the members of an object as `name[member]`. */
function searchOf(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value === undefined || value === null) continue
    // an empty list is sent, so that the server refuses it; without it, the query would find everything
    if (Array.isArray(value))
      for (const one of value.length > 0 ? value : ['']) search.append(name, String(one))
    else if (value instanceof Date) search.append(name, value.toISOString())
    else if (typeof value === 'object') {
      for (const [member, one] of Object.entries(value)) search.append(`${name}[${member}]`, String(one))
    } else search.append(name, `${value as string | number | boolean}`)
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

interface Exchanged {
  data: unknown
  response: Response
}

async function exchange(request: Request, send: Send, isText: boolean): Promise<Exchanged> {
  const response = await send(request)
  const text = await response.text()
  if (response.ok && (isText || text === '')) return { data: text === '' ? undefined : text, response }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnexpectedAnswerError(response)
  }
  if (response.ok) return { data: value, response }
  throw isProblem(value) ? new HoldfastError(value, response) : new UnexpectedAnswerError(response)
}

function callOf(exchanged: Promise<Exchanged>): Call<unknown> {
  const data = dataOf(exchanged)
  return Object.assign(data, {
    withResponse: () => {
      data.catch(() => undefined) // the caller gets the error from the other promise
      return exchanged
    },
  })
}

/** An `await`, not `then`, so that the stack of an error names the caller. */
async function dataOf<Data>(exchanged: Promise<{ data: Data }>): Promise<Data> {
  return (await exchanged).data
}

type ReadPage = (query: object) => Promise<{ data: Page }>

/** Sends nothing until somebody awaits it, for the first page, or iterates. */
function listOf(read: ReadPage, query: object = {}): List<Page> {
  let first: Promise<Page> | undefined
  return {
    then: (fulfilled, rejected) => {
      first ??= dataOf(read(query))
      return first.then(fulfilled, rejected)
    },
    async *[Symbol.asyncIterator]() {
      let next: object = { limit: iteratedLimit, ...query }
      for (;;) {
        const { data } = await read(next)
        yield* data.data
        if (data.next_cursor === null) return
        next = { ...next, cursor: data.next_cursor }
      }
    },
  }
}
