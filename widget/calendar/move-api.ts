import type { Target } from './carried.ts'
import type { Booking } from './grid.ts'

/** A move of an appointment or a block. */
export interface Move {
  id: string
  version: number
  client: string
  isTold: boolean
  block: Booking['block']
  from: Target
  to: Target
}

/** What became of it. */
export type Outcome =
  | { kind: 'moved'; version: number }
  /** Somebody else took that time, or it is not offered; free times nearby. */
  | { kind: 'taken'; near: number[] }
  /** Somebody else changed the appointment first. */
  | { kind: 'changed' }
  | { kind: 'refused' }
  | { kind: 'loggedOut' }
  /** The server could not be reached for a minute. */
  | { kind: 'unreachable' }

interface Answer {
  starts_at?: string
  ends_at?: string
  staff?: { id: string } | null
  alternatives?: { starts_at: string }[]
}

const answerMs = 10_000
/** Longer than "Undo" is shown. */
const tellAfterSeconds = 12
const patienceMs = 60_000

/**
 * Moves an appointment by the API. The mail to the client is written with it and waits: a move that is undone by then is
 * told to nobody, and one whose page is gone is told. It is sent again while nothing answers: the version that it names
 * lets it happen once. `isSlow` hears that it was not done at once.
 */
export async function moveBooking(move: Move, isSlow: () => void): Promise<Outcome> {
  const path = `/api/v1/bookings/${move.id}`
  const { from, to } = move
  const body = JSON.stringify({
    ...(from.fromMs !== to.fromMs && { starts_at: textOf(to.fromMs) }),
    ends_at: textOf(to.toMs),
    ...(from.who !== to.who && { staff_id: to.who }),
    notify: move.isTold,
    notify_after_seconds: tellAfterSeconds,
  })
  const headers = { 'content-type': 'application/json', 'if-match': `"${move.version}"` }
  const response = await insist(path, { method: 'PATCH', headers, body }, isSlow)
  return response ? outcomeOf(response, move) : { kind: 'unreachable' }
}

/** Takes back the mail about a move, or has it sent after all. False: it has been sent, or nothing answers. */
export async function decideTelling(id: string, version: number, isTold: boolean): Promise<boolean> {
  const wish = { version: String(version), tell: isTold ? 'on' : 'off' }
  const body = new URLSearchParams({ at_business: presentBusiness(), ...wish })
  const response = await ask(`/console/bookings/${id}/tell`, { method: 'POST', body, keepalive: true })
  return response?.ok === true
}

/** Moves a block. It is sent again while nothing answers: what is done already is done. */
export async function moveBlock({ id, block, from, to }: Move, isSlow: () => void): Promise<Outcome> {
  const body = new URLSearchParams({
    at_business: presentBusiness(),
    ...{ starts_at: textOf(to.fromMs), ends_at: textOf(to.toMs) },
    ...{ known_starts_at: textOf(from.fromMs), known_ends_at: textOf(from.toMs) },
    ...(block === 'staff' && { staff_id: to.who, known_staff_id: from.who }),
  })
  const response = await insist(`/console/block/${id}/move`, { method: 'POST', body }, isSlow)
  if (!response) return { kind: 'unreachable' }
  if (response.ok) return { kind: 'moved', version: 0 }
  const kinds: Record<number, 'loggedOut' | 'changed'> = { 401: 'loggedOut', 404: 'changed' }
  return { kind: kinds[response.status] ?? 'refused' }
}

/** Asks again and again for a minute; undefined when nothing has answered by then. */
async function insist(path: string, init: RequestInit, isSlow: () => void): Promise<Response | undefined> {
  const deadline = Date.now() + patienceMs
  for (let pauseMs = 500; ; pauseMs = Math.min(pauseMs * 2, 8_000)) {
    const response = await ask(path, init)
    if (response && response.status < 500 && response.status !== 429) return response
    if (Date.now() > deadline) return undefined
    isSlow()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function outcomeOf(response: Response, move: Move): Promise<Outcome> {
  const { status } = response
  if (response.ok) return { kind: 'moved', version: versionOf(response) }
  if (status === 401) return { kind: 'loggedOut' }
  if (status === 412) return (await wasDone(move)) ?? { kind: 'changed' }
  if (status === 404) return { kind: 'changed' }
  if (status !== 409) return { kind: 'refused' }
  const { alternatives = [] } = (await response.json()) as Answer
  return { kind: 'taken', near: alternatives.map(({ starts_at }) => Date.parse(starts_at)) }
}

/** An answer that was lost on its way leaves an appointment that has moved. */
async function wasDone({ id, to, from }: Move): Promise<Outcome | undefined> {
  const response = await ask(`/api/v1/bookings/${id}`, {})
  if (!response?.ok) return undefined
  const { starts_at = '', ends_at = '', staff } = (await response.json()) as Answer
  const isThere = Date.parse(starts_at) === to.fromMs && Date.parse(ends_at) === to.toMs
  const isWith = from.who === to.who || staff?.id === to.who
  return isThere && isWith ? { kind: 'moved', version: versionOf(response) } : undefined
}

async function ask(path: string, init: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(path, { ...init, signal: AbortSignal.timeout(answerMs), cache: 'no-store' })
  } catch {
    return undefined
  }
}

function versionOf({ headers }: Response): number {
  return Number((headers.get('etag') ?? '').replaceAll(/\D/g, ''))
}

/** Of the page: what it sends names it, as another tab may be at another one. */
function presentBusiness(): string {
  return document.querySelector<HTMLElement>('#calendar')?.dataset['business'] ?? ''
}

export function textOf(ms: number): string {
  return new Date(ms).toISOString()
}
