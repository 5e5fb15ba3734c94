import { operator } from '../../src/access/actor.ts'
import { addPerson, type PersonRequest } from '../../src/access/new-person.ts'
import { totpCode } from '../../src/access/totp.ts'
import type { Reply, TestService } from './test-service.ts'

export const goodPassword = 'correct horse battery staple'

/** Headers that a browser on a page of the service sends. */
export const sameOrigin = { 'sec-fetch-site': 'same-origin' }

const form = { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' }

/** Sends a form of the console, as its page does. */
export function sendForm(
  service: TestService,
  path: string,
  fields: Record<string, string>,
  { cookie, headers = sameOrigin, remoteAddress }: FormOptions = {},
): Promise<Reply> {
  return service.call('POST', `/${path}`, {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { ...form, ...headers, ...(cookie !== undefined && { cookie }) },
    ...(remoteAddress !== undefined && { remoteAddress }),
  })
}

interface FormOptions {
  cookie?: string
  headers?: Record<string, string>
  remoteAddress?: string
}

/** Returns the cookie of an answer as a browser sends it back, or undefined without one. */
export function cookieOf({ headers }: Reply): string | undefined {
  return headers['set-cookie']?.split(';', 1)[0]
}

/** A person who is logged in to the service. */
export interface LoggedIn {
  email: string
  userId: string
  /** For the header `Cookie`. */
  cookie: string
  /** Sends an API request from a page of the console. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

/** Adds a person as the operator does. They must be new, or have proved their address. */
export async function addNewPerson(service: TestService, request: PersonRequest) {
  const { person, link } = await addPerson(service.context, operator, request)
  if (!person) throw new Error(`${request.email} was invited`)
  return { person, link }
}

/** Adds a person, who sets a password with the link and is logged in. */
export async function logInNewPerson(service: TestService, request: PersonRequest): Promise<LoggedIn> {
  const { person, link } = await addNewPerson(service, request)
  const set = await sendForm(service, '/console/link', { token: link?.token ?? '', password: goodPassword })
  return loggedIn(service, { email: person.email, userId: person.user_id, cookie: cookieOf(set) ?? '' })
}

/** Returns a person with the cookie of a log-in. */
export function loggedIn(service: TestService, person: Omit<LoggedIn, 'call'>): LoggedIn {
  return {
    ...person,
    call: (method, path, body, headers = {}) =>
      service.call(method, path, {
        headers: { host: 'localhost', cookie: person.cookie, ...sameOrigin, ...headers },
        ...(body !== undefined && { body }),
      }),
  }
}

/** Sets up an authenticator. Returns its codes, each for a separate time, and the recovery codes. */
export async function setUpAuthenticator(
  service: TestService,
  { cookie }: Pick<LoggedIn, 'cookie'>,
  password = goodPassword,
): Promise<{ secret: string; nextCode: () => string; recovery: string[] }> {
  const post = (path: string, fields = {}) =>
    sendForm(service, `/console/account/${path}`, fields, { cookie })
  const begun = await post('second-step', { 'password-to-begin': password })
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(String(begun.body))?.[1]?.replaceAll(' ', '') ?? ''
  const nextCode = () => {
    service.clock.advance(30)
    return totpCode(secret, Math.floor(service.clock.nowMs() / 30_000))
  }
  const confirmed = await post('second-step/confirm', { code: nextCode() })
  const codes = String(confirmed.body).matchAll(/<code>([a-z2-7-]{19})<\/code>/g)
  return { secret, nextCode, recovery: [...codes].map(([, one]) => one ?? '') }
}
