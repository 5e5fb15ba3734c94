import type { Target } from './carried.ts'
import type { Booking, Visit } from './grid.ts'

/** A move of an appointment or a block. */
export interface Move {
  id: string
  version: number
  client: string
  isTold: boolean
  block: Booking['block']
  /** The items of a visit; its times are those of the whole. */
  visit: Visit | undefined
  from: Target
  to: Target
}

/** The outcome of a move. */
export type Outcome =
  | { kind: 'moved'; version: number }
  /** The time was taken or is not offered. Contains free times nearby. */
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
  items?: { id: string; staff: { id: string } | null }[]
  alternatives?: { starts_at: string }[]
}

const answerMs = 10_000
/** Seconds before the client is notified, longer than "Undo" is visible. */
const tellAfterSeconds = 12
const patienceMs = 60_000

/**
 * Moves an appointment through the API. The email to the client is stored with the move but delayed. If the
 * move is undone by then, no email is sent; if the page is closed, it is. Retries without a response: the
 * version in the request ensures that the move happens once. `isSlow` is called if the first attempt fails.
 */
export async function moveBooking(move: Move, isSlow: () => void): Promise<Outcome> {
  const path = `/api/v1/bookings/${move.id}`
  const { from, to } = move
  const body = JSON.stringify({
    ...(from.fromMs !== to.fromMs && { starts_at: textOf(to.fromMs) }),
    ...(move.visit ? { items: itemsOf(move) } : { ends_at: textOf(to.toMs) }),
    ...(!move.visit && from.who !== to.who && { staff_id: to.who }),
    notify: move.isTold,
    notify_after_seconds: tellAfterSeconds,
  })
  const headers = { 'content-type': 'application/json', 'if-match': `"${move.version}"` }
  const response = await insist(path, { method: 'PATCH', headers, body }, isSlow)
  return response ? outcomeOf(response, move) : { kind: 'unreachable' }
}

/** Names all items, so that each keeps its person, except the one that gets another. */
function itemsOf({ visit, from, to }: Move): { id: string; staff_id?: string }[] {
  return (visit?.items ?? []).map((id) => ({
    id,
    ...(id === visit?.item && from.who !== to.who && { staff_id: to.who }),
  }))
}

/**
 * Withdraws the email about a move, or sends it after all. Returns false if it was already sent or nothing
 * answers.
 */
export async function decideTelling(id: string, version: number, isTold: boolean): Promise<boolean> {
  const wish = { version: String(version), tell: isTold ? 'on' : 'off' }
  const body = new URLSearchParams({ at_business: presentBusiness(), ...wish })
  const response = await ask(`/console/bookings/${id}/tell`, { method: 'POST', body, keepalive: true })
  return response?.ok === true
}

/** Moves a block. Retries without a response, because repeating the move is harmless. */
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

/** Retries for a minute. Returns undefined without a response by then. */
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

/** Checks if the appointment has moved, because only the response may have been lost. */
async function wasDone({ id, to, from, visit }: Move): Promise<Outcome | undefined> {
  const response = await ask(`/api/v1/bookings/${id}`, {})
  if (!response?.ok) return undefined
  const { starts_at = '', ends_at = '', items = [], ...answer } = (await response.json()) as Answer
  // the length of a visit depends on its people
  const isThere = Date.parse(starts_at) === to.fromMs && (visit || Date.parse(ends_at) === to.toMs)
  const { staff } = visit ? (items.find((item) => item.id === visit.item) ?? answer) : answer
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

/** Returns the business of this page. Requests name it, because another tab may have switched business. */
function presentBusiness(): string {
  return document.querySelector<HTMLElement>('#calendar')?.dataset['business'] ?? ''
}

export function textOf(ms: number): string {
  return new Date(ms).toISOString()
}
