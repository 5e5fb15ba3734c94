import { OperatorError } from '../src/base/errors.ts'

/** Output of the tour. */
interface TourOutput {
  title: (text: string) => void
  line: (text: string) => void
}

export interface TourKeys {
  publishable: string
  business: string
}

/** A request of the tour. `path` is relative to `/api/v1`. */
interface TourRequest {
  method: string
  path: string
  token: string
  body?: Record<string, unknown>
}

type Body = Record<string, unknown>

interface TourResponse {
  status: number
  body: Body | null
}

interface ServiceShown {
  id: string
  deposit: unknown
  location_ids: string[]
  custom_fields: { required: boolean }[]
}

const timeoutMs = 10_000
/** Maximum number of offers to try. A session on the lowest plan may send 30 requests per minute. */
const maxOffers = 20

/** Books, moves and cancels over the public API. Prints each request and response. */
export async function walkTour(url: string, keys: TourKeys, output: TourOutput): Promise<void> {
  const tour = new Tour(url, output)
  const session = await tour.step('A widget exchanges its publishable key for a session token', {
    method: 'POST',
    path: '/session',
    token: keys.publishable,
  })
  const token = String(session['session_token'])
  const services = await tour.step('It reads the services', { method: 'GET', path: '/services', token })
  const bookable = offers(services)
  const { body: slot, index } = await tour.firstOf(
    'It requests the next free slot',
    bookable.map((ids) => ({
      method: 'GET',
      path: `/availability/soonest?${new URLSearchParams(ids).toString()}`,
      token,
    })),
  )
  const hold = await tour.step('It holds the slot: nobody else can take it now', {
    method: 'POST',
    path: '/bookings/hold',
    token,
    body: { ...bookable[index], starts_at: slot['starts_at'] },
  })
  const booking = await tour.step('The hold becomes a booking', {
    method: 'POST',
    path: '/bookings',
    token,
    body: {
      hold_id: hold['hold_id'],
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      notes: 'From the tour',
    },
  })
  const asBusiness = { path: `/bookings/${String(booking['id'])}`, token: keys.business }
  await tour.step('The business reads it', { ...asBusiness, method: 'GET' })
  await tour.firstOf(
    'The business moves it to another day',
    laterDays(String(booking['starts_at'])).map((starts_at) => ({
      ...asBusiness,
      method: 'PATCH',
      body: { starts_at },
    })),
  )
  await tour.step('The business cancels it; the slot is free at once', { ...asBusiness, method: 'DELETE' })
}

/**
 * Returns service and location IDs to search for slots, for services without a deposit or required answers.
 */
function offers(services: Body): { service_id: string; location_id: string }[] {
  const list = services['data'] as ServiceShown[] // the list in the API's format
  return list
    .filter(
      ({ deposit, custom_fields }) => deposit === null && !custom_fields.some((field) => field.required),
    )
    .flatMap(({ id, location_ids }) => location_ids.map((location_id) => ({ service_id: id, location_id })))
    .slice(0, maxOffers)
}

/** Returns the same time on the next five days, one of which should be free. */
function laterDays(startsAt: string): string[] {
  const start = Temporal.Instant.from(startsAt)
  return [1, 2, 3, 4, 5].map((days) => start.add({ hours: 24 * days }).toString())
}

/** Sends requests and prints each with its response. */
class Tour {
  private readonly url: string
  private readonly output: TourOutput

  constructor(url: string, output: TourOutput) {
    this.url = url
    this.output = output
  }

  /** Sends a request that must succeed. Throws an OperatorError that quotes the response. */
  async step(title: string, request: TourRequest): Promise<Body> {
    return (await this.firstOf(title, [request])).body
  }

  /**
   * Sends requests until one succeeds with a body. A service may have no free slot, or the slot may be taken.
   */
  async firstOf(title: string, requests: TourRequest[]): Promise<{ body: Body; index: number }> {
    this.output.title(title)
    let last: TourResponse | undefined
    for (const [index, request] of requests.entries()) {
      const { method, path, token, body: sent } = request
      last = await fetchJson(this.url, `/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(sent && { 'content-type': 'application/json' }) },
        ...(sent && { body: JSON.stringify(sent) }),
      })
      const body = last.status < 300 ? last.body : null
      const lines = body || index === requests.length - 1 ? responseLines(last) : [refusalLine(last)]
      for (const line of [...requestLines(request), ...lines]) this.output.line(line)
      if (body) return { body, index }
    }
    throw new OperatorError(`The tour ends here: ${whyItEnds(last?.body ?? undefined)}`)
  }
}

function requestLines({ method, path, token, body }: TourRequest): string[] {
  return [
    `> ${method} /api/v1${path}`,
    `> Authorization: Bearer ${shortToken(token)}`,
    ...(body ? [`> ${JSON.stringify(body)}`] : []),
  ]
}

function responseLines({ status, body }: TourResponse): string[] {
  const text = JSON.stringify(body, (name, value: unknown) => shortened(name, value), 2)
  return [`< ${status}`, ...text.split('\n').map((line) => `< ${line}`)]
}

/** Shortens a token to its ends, and a list to its first entry and the number of the others. */
function shortened(name: string, value: unknown): unknown {
  if (name === 'session_token' && typeof value === 'string') return shortToken(value)
  if (!Array.isArray(value) || value.length < 2) return value
  return [value[0] as unknown, `… and ${value.length - 1} more`]
}

function shortToken(token: string): string {
  return `${token.slice(0, 8)}…${token.slice(-4)}`
}

function refusalLine({ status, body }: TourResponse): string {
  return body === null ? `< ${status} null` : `< ${status} ${String(body['code'])}: ${String(body['detail'])}`
}

function whyItEnds(body: Body | undefined): string {
  switch (body?.['code']) {
    case undefined:
      return 'no service without a deposit and required answers has a free slot.'
    case 'invalid_credentials':
      return (
        "the server does not know the key. It uses a different database: set DATABASE_URL to the server's value, " +
        'or give --publishable-key and --business-key.'
      )
    case 'plan_required':
      return 'the business key needs the Enterprise plan. Use a business on that plan.'
    default:
      return `the last response was ${String(body?.['code'])}: ${String(body?.['detail'])}`
  }
}

/** Throws an OperatorError unless Holdfast answers at the URL. */
export async function assertServes(url: string): Promise<void> {
  const { status } = await fetchJson(url, '/healthz', {})
  if (status !== 200) throw noServer(url, `the response is ${status}`)
}

async function fetchJson(url: string, path: string, request: RequestInit): Promise<TourResponse> {
  try {
    const response = await fetch(url + path, { ...request, signal: AbortSignal.timeout(timeoutMs) })
    return { status: response.status, body: (await response.json()) as Body | null } // the API returns objects or null
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw noServer(url, cause instanceof SyntaxError ? 'the response is not JSON' : reasonOf(cause))
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  // a host with several IP addresses has an error for each, and no message itself
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

function noServer(url: string, reason: string): OperatorError {
  return new OperatorError(
    `No Holdfast answers at ${url} (${reason}). Start it with "npm start" in another terminal, or give --url.`,
  )
}
