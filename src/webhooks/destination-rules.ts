import { validationProblem, type Problem } from '../errors.ts'

/** In characters (contract: Webhooks). */
export const longestUrl = 2_048

/** A 422 that says what is wrong with the address of a webhook. */
export function wrongUrl(code: 'invalid_format' | 'not_allowed', detail: string): Problem {
  return validationProblem([{ pointer: '/url', code, detail }])
}

/**
 * The parsed address of a webhook. Throws validation_failed when it is none, or none that deliveries can be sent to:
 * http or https, in production https alone, no user info, no fragment.
 */
export function readDestination(text: string, { isProduction }: { isProduction: boolean }): URL {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw wrongUrl('invalid_format', 'must be a whole address such as https://example.com/hooks')
  }
  if (isProduction && url.protocol !== 'https:') throw wrongUrl('not_allowed', 'must begin with https://')
  // an empty user or fragment leaves no trace in the parsed address
  const [authority = ''] = text.replace(/^[^:]*:[/\\]*/, '').split(/[/\\?#]/, 1)
  if (authority.includes('@')) throw wrongUrl('not_allowed', 'must name no user and no password')
  if (text.includes('#')) throw wrongUrl('not_allowed', 'must have no fragment (#…)')
  return url
}

/** Names that mean this very machine, whatever a resolver says (RFC 6761, section 6.3). */
export function isLocalName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname)
}

/** An address literal of a URL without its brackets; undefined for a name. */
export function addressLiteral(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  // the parser has brought every other spelling of an IPv4 address to this one
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined
}
