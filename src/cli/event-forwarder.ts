import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../../tools/connection-faults.ts'
import { systemClock } from '../base/clock.ts'
import { serviceSignature, standardSignature } from '../webhooks/signature.ts'

/** Endpoints of a forwarder. */
interface Forwarder {
  /** The server with the events. */
  url: string
  /** A business or hub key. */
  key: string
  /** The receiver, as of a webhook. */
  forwardTo: string
  /** Signs the deliveries. */
  secret: string
  /** The types of forwarded events. */
  types: readonly string[]
  /** Starts after this event instead of now. */
  after?: string | undefined
  write: (line: string) => void
  /** Called when no later event will be missed. */
  begins: () => void
  /** Ends the forwarder. */
  signal: AbortSignal
}

interface Event {
  id: string
  type: string
  payload: object
}

/** A refusal that repeating the request does not change. */
export class Refused extends Error {}

const pollMs = 1_000
const timeoutMs = 10_000
const perPage = 100
/** Pauses after failures in a row. The last repeats. */
const pausesMs = [500, 1_000, 2_000, 4_000]

/** Returns the secret for the deliveries of a key. It stays the same between runs. */
export function secretOf(key: string): string {
  return `whsec_${createHmac('sha256', key).update('webhook listen').digest('base64')}`
}

/**
 * Passes each new event of a running server to a receiver, the oldest first, signed like deliveries of a webhook. Waits
 * for a server or receiver that restarts, and misses no event. Any answer counts as received. Ends only by the signal.
 * Throws Refused if the server does not accept the key.
 */
export async function forwardEvents(forwarder: Forwarder): Promise<void> {
  const feed = new Feed(forwarder)
  try {
    let after = forwarder.after ?? (await feed.newest())
    forwarder.begins()
    while (!forwarder.signal.aborted) {
      const events = await feed.following(after)
      for (const event of events) {
        await deliver(forwarder, event)
        after = event.id
      }
      if (events.length < perPage) await sleep(pollMs, undefined, { signal: forwarder.signal })
    }
  } catch (error) {
    if (!forwarder.signal.aborted) throw error
  }
}

class Feed {
  private readonly forwarder: Forwarder

  constructor(forwarder: Forwarder) {
    this.forwarder = forwarder
  }

  /** Returns the ID of the last event; undefined before the first. */
  async newest(): Promise<string | undefined> {
    return (await this.read({ order: 'newest', limit: '1' }))[0]?.id
  }

  following(after: string | undefined): Promise<Event[]> {
    return this.read({ limit: String(perPage), ...(after !== undefined && { after }) })
  }

  /** Reads events, and repeats it as long as the server is away. */
  private async read(query: Record<string, string>): Promise<Event[]> {
    const { url, key, types, signal } = this.forwarder
    const wanted = new URLSearchParams([...Object.entries(query), ...types.map((type) => ['type', type])])
    const response = await untilAnswered(this.forwarder, url, async () => {
      const answer = await fetch(`${url}/api/v1/events?${wanted.toString()}`, {
        headers: { authorization: `Bearer ${key}` },
        redirect: 'error', // the key must not reach another server
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      const body = (await answer.json().catch(() => ({}))) as { data?: Event[]; detail?: string }
      const isBusy = answer.status === 429 || answer.status >= 500
      if (isBusy) throw new Error(`it answered ${answer.status}`)
      if (!answer.ok) throw new Refused(`${url} refuses: ${body.detail ?? answer.status}`)
      return body
    })
    return response.data ?? []
  }
}

/** Sends an event, and repeats it until the receiver answers. */
async function deliver(forwarder: Forwarder, { id, type, payload }: Event): Promise<void> {
  const { forwardTo, secret, signal, write } = forwarder
  const body = JSON.stringify(payload)
  const { status } = await untilAnswered(forwarder, forwardTo, async () => {
    const timestamp = Math.floor(systemClock.nowMs() / 1000)
    const answer = await fetch(forwardTo, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': standardSignature([secret], { id, timestamp, body }),
        'x-service-signature': serviceSignature(secret, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body?.cancel()
    return answer
  })
  write(`${type} ${id}: ${status}`)
}

/** Repeats work that fails on the way to an address. Reports the first failure and the success after it. */
async function untilAnswered<T>({ write, signal }: Forwarder, address: string, work: () => Promise<T>) {
  for (let failures = 0; ; failures += 1) {
    try {
      const result = await work()
      if (failures > 0) write(`${address} answers again`)
      return result
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Refused) throw error
      if (failures === 0) write(`${address} is waited for: ${reasonOf(error)}`)
      await sleep(pausesMs[failures] ?? pausesMs.at(-1), undefined, { signal })
    }
  }
}
