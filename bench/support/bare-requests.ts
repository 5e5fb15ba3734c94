import { randomUUID } from 'node:crypto'
import { request, type Dispatcher } from 'undici'
import { monotonicMs } from '../../src/clock.ts'
import type { Instant } from '../../src/instants.ts'
import { eventPayload } from '../../src/webhooks/event-payload.ts'
import { exchange, targetOf } from '../../src/webhooks/exchange.ts'
import { guardedAgent } from '../../src/webhooks/guarded-agent.ts'

/*
 * Requests like those of deliveries with nothing behind them: no database, no signature, no second thread.
 */

/** For one request. */
const timeoutMs = 10_000

/** As many bytes as a delivery has, to a path that is as long. */
function bareSending(address: string) {
  const [id, at] = [randomUUID(), '2030-01-01T00:00:00.000Z' as Instant]
  const subject = { id, business_id: id, status: 'confirmed' as const, starts_at: at, ends_at: at }
  const client = { client_first_name: 'client-0', client_last_name: 'Lovelace' }
  const service = { id, name: 'Bench' }
  const location = { id, name: 'Here', timezone: 'Europe/Berlin' }
  const booking = { ...subject, ...client, client_email: 'ada@example.com', service, location }
  const url = `${address}/${id}/0`
  return {
    url,
    to: targetOf(url),
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Holdfast/bench',
      'X-Service-Signature': 'x'.repeat(71),
      'webhook-id': id,
      'webhook-timestamp': 'x'.repeat(10),
      'webhook-signature': 'x'.repeat(47),
    },
    body: eventPayload('booking.created', booking, at),
  }
}

/** A way to make one request. */
export type Bare = (sending: ReturnType<typeof bareSending>, dispatcher: Dispatcher) => Promise<void>

/** As anybody would make it with the HTTP client. */
export const byClient: Bare = async ({ url, headers, body }, dispatcher) => {
  const answer = await request(url, { method: 'POST', headers, body, dispatcher })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`a bare request was answered ${answer.statusCode}`)
}

const stopping = new Set<() => void>()

/** As a delivery makes it: below `request`, which makes a stream of each answer. */
export const byExchange: Bare = async ({ to, headers, body }, dispatcher) => {
  const means = { dispatcher, timeoutMs, stopping, nowMs: monotonicMs }
  const exchanged = await exchange({ to, headers, body }, means)
  if (exchanged?.error !== null) throw new Error(`a bare exchange failed: ${exchanged?.error}`)
}

/** How many milliseconds it takes to make so many requests, so many at once, over connections like those of deliveries. */
export async function bareMs(
  address: string,
  bare: Bare,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<number> {
  const dispatcher = guardedAgent({ timeoutMs, isUnguarded: true, allowedRanges: [] })
  const sending = bareSending(address)
  const startedMs = monotonicMs()
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while ((left -= 1) >= 0) await bare(sending, dispatcher)
    }),
  )
  const tookMs = monotonicMs() - startedMs
  await dispatcher.destroy()
  return tookMs
}
