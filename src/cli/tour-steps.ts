import { styleText } from 'node:util'
import { systemClock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { instantFromMs } from '../instants.ts'

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
  /** The first of several requests that succeeds: some slots may be taken. */
  firstOf(title: string, requests: TourRequest[]): Promise<Answer>
}

const answerTimeoutMs = 10_000

export function openTour(url: string, print: (line: string) => void): Tour {
  const send = async (request: TourRequest) => {
    const { status, answer } = await sendRequest(url, request)
    show(print, request, { status, answer })
    return { status, answer }
  }
  const firstOf: Tour['firstOf'] = async (title, requests) => {
    print(`\n${styleText('bold', `# ${title}`, { stream: process.stdout })}`)
    for (const request of requests) {
      const { status, answer } = await send(request)
      if (status < 300) return answer
    }
    throw new OperatorError(
      'The tour ends here: no request of this step succeeded; the last answer says why.',
    )
  }
  return { firstOf, step: (title, request) => firstOf(title, [request]) }
}

async function sendRequest(url: string, { method, path, token, body }: TourRequest) {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      signal: AbortSignal.timeout(answerTimeoutMs),
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, answer: (await response.json()) as Answer } // a JSON object, by contract
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new OperatorError(
      `No Holdfast answers at ${url} (${cause}). Start it with "npm start", or give --url.`,
    )
  }
}

function show(
  print: (line: string) => void,
  request: TourRequest,
  reply: { status: number; answer: Answer },
): void {
  print(`> ${request.method} /api/v1${request.path}`)
  print(`> Authorization: Bearer ${request.token.slice(0, 8)}…${request.token.slice(-4)}`)
  if (request.body) print(`> ${JSON.stringify(request.body)}`)
  print(`< ${reply.status}`)
  const shown = { ...reply.answer }
  if (typeof shown['session_token'] === 'string')
    shown['session_token'] = `${shown['session_token'].slice(0, 8)}…`
  for (const line of JSON.stringify(shown, null, 2).split('\n')) print(`< ${line}`)
}

const quarterHourMs = 900_000
const daysTried = [7, 8, 9, 10, 11, 12, 13]

interface ServiceShown {
  id: string
  deposit: unknown
  location_ids: string[]
  custom_fields: { required: boolean }[]
}

/** Holds to try: of services that need neither a deposit nor answers, at the same time of the coming days. */
export function offers(services: Answer): Record<string, unknown>[] {
  const list = services['data'] as ServiceShown[] // the list that the API gives
  const simple = list.filter(
    ({ deposit, custom_fields }) => deposit === null && !custom_fields.some((field) => field.required),
  )
  const soonMs = Math.ceil(systemClock.nowMs() / quarterHourMs) * quarterHourMs
  return simple.flatMap(({ id, location_ids }) =>
    location_ids.flatMap((location_id) =>
      daysTried.map((days) => ({
        service_id: id,
        location_id,
        starts_at: instantFromMs(soonMs + days * 86_400_000).replace('.000', ''),
      })),
    ),
  )
}
