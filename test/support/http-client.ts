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

/** One request over a real socket. The path is relative to /api/v1 unless it begins with `//`. */
export type Call = (address: string, method: string, path: string, options?: CallOptions) => Promise<Reply>

/**
 * Clients with connections of their own, kept alive between requests; as many at once as are needed.
 * Undici's own fetch goes with its own Agent.
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

/** The same, patient with what an overloaded server refuses by 503: then nothing has happened, and it asks to try again. */
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
      // many at once may be more than a busy machine can do within a server's limits: such a refusal asks to try again
      const reply = await eventually('a session', async () => {
        const answer = await call(address, 'POST', '/session', { token: key })
        return answer.status === 503 ? countRepeat() : answer
      })
      if (reply.status !== 201) throw new Error(`no session: ${JSON.stringify(reply.body)}`)
      return reply.body.session_token as string
    }),
  )
}

/** How often each answer was given: `201`, or status and code such as `409 slot_held`. */
export function tally(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const answer = status < 400 ? String(status) : `${status} ${String(body?.code)}`
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}
