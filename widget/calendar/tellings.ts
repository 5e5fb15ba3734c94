import type { Target } from './carried.ts'
import { textOf } from './move-api.ts'

/*
 * A move is committed at once, without a mail: one that waited in this page would be lost with it, and a mail that went out
 * at once would have to be corrected after "Undo". When nobody has undone it, the client is told of it. What is to be told is
 * kept in the storage of the browser until the server has it, so that it outlives the page, a crash, and a network that is
 * away; the server takes each once.
 */

export interface Telling {
  id: string
  /** That the move made. */
  version: number
  /** What the client knows. */
  known: Target
  /** Whether `known.who` is a person. */
  hasPerson: boolean
  /** Not before, so that there is time to undo it. */
  dueMs: number
}

const key = 'holdfast-tellings'

function kept(): Telling[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]') as Telling[]
  } catch {
    return []
  }
}

function keep(tellings: Telling[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(tellings.slice(-50)))
  } catch {
    // no storage: told as long as the page lives
  }
}

function isSame(one: Telling, other: Telling): boolean {
  return one.id === other.id && one.version === other.version
}

export function addTelling(telling: Telling): void {
  dropTelling(telling)
  keep([...kept(), telling])
}

export function dropTelling(telling: Telling): void {
  keep(kept().filter((one) => !isSame(one, telling)))
}

/** Tells now, also while the page goes. */
export async function sendTelling(telling: Telling): Promise<void> {
  const { id, version, known, hasPerson } = telling
  const body = new URLSearchParams({
    version: String(version),
    starts_at: textOf(known.fromMs),
    ends_at: textOf(known.toMs),
    ...(hasPerson && { staff_id: known.who }),
  })
  try {
    const { status } = await fetch(`/console/bookings/${id}/tell`, { method: 'POST', body, keepalive: true })
    if (status < 500 && status !== 401 && status !== 429) dropTelling(telling)
  } catch {
    // kept, and sent again by `sendDue`
  }
}

/** Sends what an earlier page could not. */
export function sendDue(): void {
  for (const telling of kept()) if (telling.dueMs < Date.now()) void sendTelling(telling)
}
