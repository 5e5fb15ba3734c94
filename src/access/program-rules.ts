import type { ProgramScope } from '../database/tables.ts'
import { programScopes } from './program-types.ts'

/*
 * Rules of OAuth 2.1 for programs: addresses for answers, the rights of a request, and the form of its proof key
 * (RFC 7636).
 */

export const maxRedirectUris = 10
const maxRedirectUriLength = 500
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']
/** Schemes of desktop programs that are not reversed domain names, as RFC 8252 (7.1) asks. */
const knownSchemes = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']
const reversedDomain = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/

/**
 * True for an address to which a browser may carry a code: https, http on this computer, or the private scheme of a
 * program. Without a fragment, user or password.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > maxRedirectUriLength || !/^[!-~]+$/.test(text) || /[#<>"\\]/.test(text)) return false
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return false
  // a host such as `a;b` could end a directive of a policy
  if (url.protocol === 'https:') return /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/.test(url.hostname)
  if (url.protocol === 'http:') return loopbackHosts.includes(url.hostname)
  return knownSchemes.includes(url.protocol) || reversedDomain.test(url.protocol)
}

/** True if a registered address allows another one: the same text, or on this computer any port (RFC 8252, 7.3). */
export function allowsRedirect(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true
  const portless = withoutPort(asked)
  return portless !== undefined && registered.some((one) => withoutPort(one) === portless)
}

function withoutPort(text: string): string | undefined {
  if (!isRedirectUri(text)) return undefined
  const found = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)(.*)$/.exec(text)
  return found ? `${found[1]} ${found[2]}` : undefined
}

/** Returns the program's host, or its private scheme, for people. */
export function redirectHost(uri: string): string {
  const { host, protocol } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : `${protocol}//`
}

/** Returns the source for `form-action` that lets a form lead to an address. */
export function redirectSource(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri)
  // policies know no IPv6 addresses, and private schemes have no origin
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol
}

/** Returns an address with parameters added to its query. */
export function redirectWith(uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`
}

/**
 * Returns the rights that a request names, the highest last. All of them if it names none. Undefined if it names only
 * unknown ones.
 */
export function askedScopes(text: string | undefined): ProgramScope[] | undefined {
  const words = (text ?? '').split(' ').filter((word) => word !== '' && word !== 'offline_access')
  if (words.length === 0) return [...programScopes]
  const known = programScopes.filter((scope) => words.includes(scope))
  const highest = known.at(-1)
  return highest && programScopes.filter((scope) => coversProgramScope(highest, scope))
}

/** True if rights include others. */
export function coversProgramScope(own: ProgramScope, needed: ProgramScope): boolean {
  return programScopes.indexOf(own) >= programScopes.indexOf(needed)
}

const challengePattern = /^[\w-]{43}$/

export function isChallenge(text: string | undefined): text is string {
  return challengePattern.test(text ?? '')
}

/** True if a resource indicator (RFC 8707) names this resource, or is absent. */
export function namesResource(asked: string | undefined, resource: string): boolean {
  if (asked === undefined) return true
  const url = URL.parse(asked)
  return url !== null && url.href.replace(/\/$/, '') === new URL(resource).href.replace(/\/$/, '')
}
