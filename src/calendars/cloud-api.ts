import { monotonicMs } from '../base/clock.ts'
import { type CalendarHttp, FetchFailed } from './calendar-http.ts'
import { type Fields, fieldsIn, listIn, parseJson, textIn } from './json-answers.ts'

/*
 * Calls the API of a provider with access tokens.
 *
 * Guarantees: a refused token is refreshed once. Tokens go to the API's origin only. A reading ends within its time and
 * its number of pages.
 */

/** Total time of a reading in milliseconds: less than the lease of a calendar. */
const readingMs = 40_000
const requestMs = 20_000
const maxPages = 40

/** Returns the access token of an account. */
export interface TokenSource {
  get(): Promise<string>
  /** Makes the next call of `get` request another token. */
  refuse(token: string): Promise<void>
}

/** A request to the API. */
interface ApiCall {
  body?: Fields
  headers?: Record<string, string>
  /** Further statuses that the caller understands. 200, 201, 202 and 204 always succeed. */
  takes?: readonly number[]
  /** Monotonic time of its end in milliseconds. */
  untilMs?: number
}

interface ApiAnswer {
  status: number
  fields: Fields
}

/** Reasons of a 403 that means 429. */
const ofRate = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded'])

/** Calls one API as one account. Its methods throw a FetchFailed, or the error of the connection. */
export class CloudApi {
  readonly url: string
  private readonly http: CalendarHttp
  private readonly tokens: TokenSource
  private readonly headers: Record<string, string>

  constructor(
    http: CalendarHttp,
    { url, tokens, headers = {} }: { url: string; tokens: TokenSource; headers?: Record<string, string> },
  ) {
    this.http = http
    this.url = url
    this.tokens = tokens
    this.headers = headers
  }

  /** Sends a request to an address of the API. */
  async call(method: string, address: string, call: ApiCall = {}): Promise<ApiAnswer> {
    const url = new URL(address)
    if (url.origin !== new URL(this.url).origin) throw new FetchFailed('invalid_response')
    const token = await this.tokens.get()
    const answer = await this.send(method, url, { ...call, token })
    if (answer.status !== 401) return answer
    await this.tokens.refuse(token)
    const again = await this.send(method, url, { ...call, token: await this.tokens.get() })
    if (again.status === 401) throw new FetchFailed('access_revoked')
    return again
  }

  /**
   * Yields the pages of a list. `next` returns the address of the following page. Ends with `too_many_times` after 40
   * pages.
   */
  async *pages(
    first: string,
    next: (fields: Fields) => string | undefined,
    call: ApiCall = {},
  ): AsyncGenerator<ApiAnswer> {
    let address: string | undefined = first
    for (let page = 0; address !== undefined; page += 1) {
      if (page === maxPages) throw new FetchFailed('too_many_times')
      const answer = await this.call('GET', address, call)
      yield answer
      address = next(answer.fields)
    }
  }

  private async send(
    method: string,
    url: URL,
    { body, headers, takes = [], untilMs = Infinity, token }: ApiCall & { token: string },
  ): Promise<ApiAnswer> {
    const withinMs = Math.min(requestMs, untilMs - monotonicMs())
    if (withinMs <= 0) throw new FetchFailed('timeout')
    const { status, text, header } = await this.http.request(url, {
      ...{ method, authorization: `Bearer ${token}`, isDirect: true, withinMs: Math.ceil(withinMs) },
      headers: {
        ...{ accept: 'application/json', ...this.headers },
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if ([200, 201, 202, 204].includes(status)) return { status, fields: fieldsIn(parseJson(text)) }
    if (status === 401 || takes.includes(status)) return { status, fields: {} }
    const isRate = status === 403 && reasonsIn(text).some((reason) => ofRate.has(reason))
    throw new FetchFailed(isRate ? 'status_429' : `status_${status}`, undefined, header('retry-after'))
  }
}

/** Returns the end of a reading that begins now, for its calls. */
export function readingUntil(): number {
  return monotonicMs() + readingMs
}

/** Returns the reasons of Google's error (`error.errors[].reason`). */
function reasonsIn(text: string): string[] {
  try {
    const error = fieldsIn(fieldsIn(JSON.parse(text))['error'])
    return listIn(error, 'errors').flatMap((one) => textIn(one, 'reason') ?? [])
  } catch {
    return []
  }
}
