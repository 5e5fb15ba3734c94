import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf, OAuthServer } from './oauth-server.ts'

/* The part that the stand-ins for providers share. They are written from the providers' documentation. */

/** A request that a stand-in answers. */
export interface CloudRequest {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  user: string
  body: Record<string, unknown>
}

export interface CloudAnswer {
  status: number
  body?: object
  headers?: Record<string, string>
}

/** An event as people see it. */
export interface CloudEvent {
  /** The booking or item of Holdfast; undefined for an event of a person. */
  item: string | undefined
  title: string
  description: string
  /** Such as 2026-07-10T10:00:00Z. */
  startsAt: string
  endsAt: string
}

/** A stand-in for a provider of calendars. */
export interface CloudServer {
  url: string
  oauth: OAuthServer
  /** Answers instead of the API. */
  refuses: ((request: CloudRequest) => CloudAnswer | undefined) | undefined
  /** Requests to the API that arrived, such as `PUT /calendar/v3/calendars/a/events/b`. */
  requests: string[]
  /** Creates a person with the calendars Work (their first) and Home. Returns the IDs. */
  makeUser(email: string): { work: string; home: string }
  /** Stores an event that a person makes, in the form of the provider's API. */
  put(calendar: string, name: string, event: { startsAt: string; endsAt: string; more?: object }): void
  /** Moves an event of Holdfast, as a person does. Returns false if it is not there. */
  move(calendar: string, item: string, times: { startsAt: string; endsAt: string }): boolean
  /** Deletes an event by its name, or by its item. */
  remove(calendar: string, name: string): void
  events(calendar: string): CloudEvent[]
  /** Forgets all tokens of changes: the next use of one is answered with 410. */
  forgetTokens(): void
  /** Reads the clock of the provider. */
  nowMs: () => number
  /** Number of events on a page. */
  pageSize: number
  stop(): Promise<void>
}

/** Starts the HTTP server of a stand-in. */
export async function startCloud(paths: {
  authorize: string
  token: string
  /** Undefined: the provider has none. */
  revoke?: string
  answer: (request: CloudRequest) => CloudAnswer | Promise<CloudAnswer>
}): Promise<Pick<CloudServer, 'url' | 'oauth' | 'refuses' | 'requests' | 'nowMs' | 'stop'>> {
  const oauth = new OAuthServer()
  const cloud = {
    url: '',
    oauth,
    refuses: undefined,
    requests: [],
    nowMs: Date.now,
  } as unknown as CloudServer
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const url = new URL(incoming.url ?? '/', cloud.url)
    const text = await bodyOf(incoming)
    if (url.pathname === paths.authorize) {
      oauth.authorize(url, response)
      return
    }
    if (url.pathname === paths.token) {
      oauth.token(text, response)
      return
    }
    const { method = 'GET', headers } = incoming
    cloud.requests.push(`${method} ${url.pathname}`)
    if (url.pathname === paths.revoke) {
      oauth.endGrant(text, response)
      return
    }
    const user = oauth.userOf(incoming)
    const body = (text === '' ? {} : JSON.parse(text)) as CloudRequest['body']
    const request = { method, url, headers, body, user: user ?? '' }
    const answer =
      cloud.refuses?.(request) ??
      (user === undefined
        ? { status: 401, body: { error: { code: 401, errors: [{ reason: 'authError' }] } } }
        : await paths.answer(request))
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body))
  }
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cloud.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  cloud.stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return cloud
}
