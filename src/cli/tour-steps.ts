import { styleText } from 'node:util'
import { lastFour } from '../access/token-format.ts'
import { OperatorError } from '../errors.ts'
import { surroundings } from './surroundings.ts'

/** A request of the tour; its path is relative to `/api/v1`. */
export interface TourRequest {
  method: string
  path: string
  token: string
  body?: Record<string, unknown>
}

type Answer = Record<string, unknown>

/** Sends requests and shows each with its answer. */
export interface Tour {
  /** One request that has to succeed. Throws an OperatorError that says what came back. */
  step(title: string, request: TourRequest): Promise<Answer>
  /**
   * The first of several requests that succeeds with an answer, and its place among them: some services may have no
   * free slot, some slots be taken.
   */
  firstOf(title: string, requests: TourRequest[]): Promise<{ answer: Answer; place: number }>
}

const answerTimeoutMs = 10_000

/** A tour of the service at this address, which shows what it does line by line. */
export function openTour(url: string, print: (line: string) => void): Tour {
  const firstOf: Tour['firstOf'] = async (title, requests) => {
    print(`\n${styleText('bold', `# ${title}`, { stream: surroundings().stdout })}`)
    let last: { status: number; answer: Answer | null } | undefined
    for (const [index, request] of requests.entries()) {
      last = await sendRequest(url, request)
      const { status, answer } = last
      const done = status < 300 ? answer : null
      const lines = done || index === requests.length - 1 ? answerLines(last) : [refusalLine(last)]
      for (const line of [...requestLines(request), ...lines]) print(line)
      if (done) return { answer: done, place: index }
    }
    throw new OperatorError(whyItEnds(last?.answer ?? undefined))
  }
  return { firstOf, step: async (title, request) => (await firstOf(title, [request])).answer }
}

/** Throws an OperatorError when no Holdfast answers at the address. */
export async function assertServes(url: string): Promise<void> {
  const { status } = await answerOf(url, '/healthz', {})
  if (status !== 200) throw noServer(url, `the answer is ${status}`)
}

async function sendRequest(url: string, { method, path, token, body }: TourRequest) {
  return answerOf(url, `/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
}

async function answerOf(url: string, path: string, request: RequestInit) {
  try {
    const response = await fetch(url + path, { ...request, signal: AbortSignal.timeout(answerTimeoutMs) })
    return { status: response.status, answer: (await response.json()) as Answer | null } // an object or null, by contract
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw noServer(url, cause instanceof SyntaxError ? 'the answer is not JSON' : reasonOf(cause))
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  // an address with several families has an error for each, and no message of its own
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

function noServer(url: string, reason: string): OperatorError {
  return new OperatorError(
    `No Holdfast answers at ${url} (${reason}). Start it with "npm start" in another terminal, or give --url.`,
  )
}

/** What the last answer means for whoever takes the tour. */
function whyItEnds(answer: Answer | undefined): string {
  switch (answer?.['code']) {
    case undefined:
      return 'The tour ends here: no service that needs neither a deposit nor answers has a free slot.'
    case 'invalid_credentials':
      return (
        'The tour ends here: the server does not know the key. It uses another database than this command: set ' +
        'DATABASE_URL as the server has it, or give --publishable-key and --business-key.'
      )
    case 'plan_required':
      return 'The tour ends here: the business key works on the plan enterprise only. Take a business on it.'
    default:
      return `The tour ends here: the last answer was ${String(answer?.['code'])}: ${String(answer?.['detail'])}`
  }
}

function requestLines({ method, path, token, body }: TourRequest): string[] {
  return [
    `> ${method} /api/v1${path}`,
    `> Authorization: Bearer ${shortToken(token)}`,
    ...(body ? [`> ${JSON.stringify(body)}`] : []),
  ]
}

function shortToken(token: string): string {
  return `${token.slice(0, 8)}…${lastFour(token)}`
}

function answerLines({ status, answer }: { status: number; answer: Answer | null }): string[] {
  const text = JSON.stringify(answer, (name, value: unknown) => shortened(name, value), 2)
  return [`< ${status}`, ...text.split('\n').map((line) => `< ${line}`)]
}

/** A refusal, or no answer, after which the next request is tried. */
function refusalLine({ status, answer }: { status: number; answer: Answer | null }): string {
  return answer === null
    ? `< ${status} null`
    : `< ${status} ${String(answer['code'])}: ${String(answer['detail'])}`
}

/** A token by its ends only; of a list the first entry alone, and how many more there are. */
function shortened(name: string, value: unknown): unknown {
  if (name === 'session_token' && typeof value === 'string') return shortToken(value)
  if (!Array.isArray(value) || value.length < 2) return value
  const list = value as unknown[] // its entries are shown as they are
  return [list[0], `… and ${list.length - 1} more`]
}

/** A session on the lowest plan may make 30 requests a minute. */
const mostOffers = 20

interface ServiceShown {
  id: string
  deposit: unknown
  location_ids: string[]
  custom_fields: { required: boolean }[]
}

/** Services that need neither a deposit nor answers, each with its locations: the ids by which slots are asked for. */
export function offers(services: Answer): { service_id: string; location_id: string }[] {
  const list = services['data'] as ServiceShown[] // the list that the API gives
  return list
    .filter(
      ({ deposit, custom_fields }) => deposit === null && !custom_fields.some((field) => field.required),
    )
    .flatMap(({ id, location_ids }) => location_ids.map((location_id) => ({ service_id: id, location_id })))
    .slice(0, mostOffers)
}

/** The same time on the days after, one of which will be free. */
export function laterDays(startsAt: string): string[] {
  const start = Temporal.Instant.from(startsAt)
  return [1, 2, 3, 4, 5].map((days) => start.add({ hours: 24 * days }).toString())
}
