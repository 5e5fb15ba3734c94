import { readClientAddress } from '../base/client-network.ts'
import { daySeconds } from '../base/instants.ts'
import type { LogInOrigin } from './log-in.ts'
import { isPersonToken } from './token.ts'

/** The parts of a request that its cookie depends on. `protocol` and `host` come from a trusted proxy, if any. */
interface CookieRequest {
  protocol: string
  host: string
  headers: { cookie?: string | undefined }
}

/** The prefix binds a cookie to this host and to https (RFC 6265bis, 4.1.3.2). */
const securedName = '__Host-holdfast'
/** Browsers keep no secured cookie over http, and some not even on localhost. */
const loopbackName = 'holdfast'
const loopback = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** Returns the log-in token from a request's cookie, or undefined without one of the right form. */
export function logInToken(request: CookieRequest): string | undefined {
  const { name } = cookieOf(request)
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = part.split('=', 2)
    if (key?.trim() === name && isPersonToken(value.trim(), 'login')) return value.trim()
  }
  return undefined
}

/**
 * Returns the header that hands a browser a log-in token until it is closed or the server ends the log-in. Null removes
 * the cookie.
 */
export function logInCookie(request: CookieRequest, token: string | null, seconds: number): string {
  const { name, secure } = cookieOf(request)
  const life = token === null ? 0 : seconds
  return `${name}=${token ?? ''}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

const deviceName = 'holdfast-device'
const deviceSeconds = 180 * daySeconds

/** A client's log-in lasts as long as its cookie. */
export const clientSeconds = 30 * daySeconds
const clientName = 'holdfast-client'

/** Returns the token of a client's page, or undefined without one of the right form. */
export function clientToken(request: CookieRequest): string | undefined {
  const token = cookieValue(request, clientCookieName(request))
  return token !== undefined && isPersonToken(token, 'client') ? token : undefined
}

/** Returns the header that hands a browser the token of a client's page at a business. Null removes the cookie. */
export function clientCookie(request: CookieRequest, businessId: string, token: string | null): string {
  const life = token === null ? 0 : clientSeconds
  const secure = cookieOf(request).secure ? '; Secure' : ''
  const path = `/me/${businessId}` // each business has its own
  return `${clientCookieName(request)}=${token ?? ''}; Path=${path}; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`
}

/** With a path, the prefix can bind a cookie to https only (RFC 6265bis, 4.1.3.1). */
function clientCookieName(request: CookieRequest): string {
  return cookieOf(request).secure ? `__Secure-${clientName}` : clientName
}

/** Returns the origin of a request. */
export function originOf(
  request: CookieRequest & { ip: string; id: string; headers: { 'user-agent'?: string | undefined } },
): LogInOrigin {
  return {
    client: readClientAddress(request.ip),
    userAgent: request.headers['user-agent'] ?? '',
    devices: cookieValue(request, deviceCookieName(request)),
    requestId: request.id,
  }
}

/** Returns the header that lets a browser keep its marks (`device.ts`). */
export function deviceCookie(request: CookieRequest, marks: string): string {
  const { secure } = cookieOf(request)
  return `${deviceCookieName(request)}=${marks}; Path=/; Max-Age=${deviceSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

function deviceCookieName(request: CookieRequest): string {
  return cookieOf(request).secure ? `__Host-${deviceName}` : deviceName
}

const passkeyName = 'holdfast-passkey'
/** Longer than a challenge of a passkey is valid. */
const passkeySeconds = 900

/** Returns the secret to which the challenges of a browser are bound. Undefined without one of the right form. */
export function passkeyBrowser(request: CookieRequest): string | undefined {
  const secret = cookieValue(request, passkeyCookieName(request))
  return secret !== undefined && /^[\w-]{22}$/.test(secret) ? secret : undefined
}

/** Returns the header that hands a browser this secret. Scripts and other websites cannot read it. */
export function passkeyCookie(request: CookieRequest, secret: string): string {
  const { secure } = cookieOf(request)
  return `${passkeyCookieName(request)}=${secret}; Path=/; Max-Age=${passkeySeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

function passkeyCookieName(request: CookieRequest): string {
  return cookieOf(request).secure ? `__Host-${passkeyName}` : passkeyName
}

const oidcName = 'holdfast-oidc'

/** Returns the sealed state of a log-in at the OpenID provider. */
export function oidcState(request: CookieRequest): string | undefined {
  return cookieValue(request, oidcCookieName(request))
}

/** Returns the header that keeps this state until the browser comes back. Null removes the cookie. */
export function oidcCookie(request: CookieRequest, sealed: string | null, seconds: number): string {
  const { secure } = cookieOf(request)
  const life = sealed === null ? 0 : seconds
  return `${oidcCookieName(request)}=${sealed ?? ''}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

function oidcCookieName(request: CookieRequest): string {
  return cookieOf(request).secure ? `__Host-${oidcName}` : oidcName
}

function cookieValue({ headers }: CookieRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.find(([key]) => key === name)?.[1]
}

function cookieOf({ protocol, host }: CookieRequest): { name: string; secure: boolean } {
  const isPlain = protocol === 'http' && loopback.test(host)
  return isPlain ? { name: loopbackName, secure: false } : { name: securedName, secure: true }
}
