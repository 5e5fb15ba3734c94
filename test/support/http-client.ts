import { Agent, fetch } from 'undici'
import { afterEachFile } from './after-file.ts'
import { eventually } from './eventually.ts'
import { countRepeat } from './repeats.ts'
import type { CallOptions, Reply } from './test-service.ts'

export { eventually }

const agents = new Set<Agent>()

afterEachFile(async () => {
  await Promise.all([...agents].map((agent) => agent.destroy()))
  agents.clear()
})

/** Sends one request over a real socket. The path is relative to /api/v1 unless it begins with `//`. */
export type Call = (address: string, method: string, path: string, options?: CallOptions) => Promise<Reply>

/**
 * Returns a client with as many connections as needed, kept alive between requests. Undici's own fetch needs its own
 * Agent.
 */
export function httpClients(options: Agent.Options = {}): Call {
  const dispatcher = new Agent({ pipelining: 1, headersTimeout: 120_000, ...options })
  agents.add(dispatcher)
  return async (address, method, path, { token, body, rawBody, headers = {} } = {}) => {
    const url = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(address + url, {
      dispatcher,
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
      headers: Object.fromEntries(response.headers),
    }
  }
}

/** Does the same, but retries a 503 of an overloaded server, which has done nothing and asks to retry. */
export function patientClients(options: Agent.Options = {}): Call {
  const call = httpClients(options)
  return (...request) =>
    eventually('an answer of a busy server', async () => {
      const reply = await call(...request)
      return reply.status === 503 ? countRepeat() : reply
    })
}

/** Exchanges a publishable key for sessions, over all addresses in turn. */
export async function openSessions(
  call: Call,
  addresses: string[],
  { key, count }: { key: string; count: number },
): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const address = addresses[index % addresses.length] ?? ''
      // many at once may exceed the limits of a server on a busy machine, which then asks to retry
      const reply = await eventually('a session', async () => {
        const answer = await call(address, 'POST', '/session', { token: key })
        return answer.status === 503 ? countRepeat() : answer
      })
      if (reply.status !== 201) throw new Error(`no session: ${JSON.stringify(reply.body)}`)
      return reply.body.session_token as string
    }),
  )
}

/** Counts the answers by status and code, such as `201` or `409 slot_held`. */
export function tally(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const answer = status < 400 ? String(status) : `${status} ${String(body?.code)}`
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}
