import { lookup, type LookupAddress } from 'node:dns'
import ipaddr from 'ipaddr.js'
import { type Problem, validationProblem } from '../base/errors.ts'
import { pause } from '../database/database.ts'
import type { Context } from './context.ts'

/*
 * The SSRF guard: decides which addresses deliveries may go to. The check at registration only gives early feedback.
 * The protection is the check of each connection's address (send.ts).
 */

/** A name that does not resolve in this time is accepted, because each attempt resolves it again. */
const maxLookupMs = 3_000

/**
 * Throws validation_failed for a URL that deliveries must not go to. In production this includes URLs that lead into
 * the internal network.
 */
export async function checkDestination(
  { config }: Pick<Context, 'config'>,
  text: string,
  {
    resolve = systemResolve,
    example = 'https://example.com/hooks',
  }: { resolve?: Resolve; example?: string } = {},
): Promise<void> {
  const isProduction = config.environment === 'production'
  const { hostname } = readDestination(text, { isProduction, example })
  if (!isProduction) return
  const literal = addressLiteral(hostname)
  const addresses =
    literal === undefined
      ? await addressesOf(isLocalName(hostname) ? 'localhost' : hostname, resolve)
      : [literal]
  if (!addresses.every((address) => isAllowedAddress(address, config.webhookAllowCidr))) {
    throw wrongUrl('not_allowed', 'must not lead to a private, local or otherwise special address')
  }
}

/** Resolves a name. Returns no addresses if that fails. */
async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  const found = resolve(hostname).then(
    (addresses) => addresses.map(({ address }) => address),
    () => [],
  )
  return Promise.race([found, pause(maxLookupMs).then(() => [])])
}

function wrongUrl(code: 'invalid_format' | 'not_allowed', detail: string): Problem {
  return validationProblem([{ pointer: '/url', code, detail }])
}

/**
 * Parses the URL of a webhook or calendar. Throws validation_failed unless it is http or https (in production https)
 * without user info and fragment.
 */
function readDestination(
  text: string,
  { isProduction, example }: { isProduction: boolean; example: string },
): URL {
  const url = URL.parse(text)
  if (!url || !isWebAddress(url, { isProduction: false })) {
    throw wrongUrl('invalid_format', `must be a whole address such as ${example}`)
  }
  if (!isWebAddress(url, { isProduction })) throw wrongUrl('not_allowed', 'must begin with https://')
  // an empty user or fragment leaves no trace in the parsed URL
  const [authority = ''] = text.replace(/^[^:]*:[/\\]*/, '').split(/[/\\?#]/, 1)
  if (authority.includes('@')) throw wrongUrl('not_allowed', 'must name no user and no password')
  if (text.includes('#')) throw wrongUrl('not_allowed', 'must have no fragment (#…)')
  return url
}

/** True for an http or https URL, in production only for https. */
export function isWebAddress({ protocol }: URL, { isProduction }: { isProduction: boolean }): boolean {
  return protocol === 'https:' || (protocol === 'http:' && !isProduction)
}

/** True for a name that means this machine, whatever a resolver returns (RFC 6761, section 6.3). */
function isLocalName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname)
}

/** Returns an address literal of a URL without its brackets, or undefined for a name. */
export function addressLiteral(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  // the parser has converted every other spelling of an IPv4 address to this one
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined
}

/** Finds the addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses)
    })
  })

/** Public IPv6 addresses (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** An IPv4 address behind a translator (RFC 6052). The translated address counts. */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Parses an IP address in any spelling, with or without a zone. Returns undefined if it is invalid. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [address = ''] = text.split('%')
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined
}

/** Returns the IPv4 address inside a translated one, and any other unchanged. */
function translatedFrom(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || !address.match(translated)) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast)
}

/**
 * True if production may deliver to an IP address: a public one, or one in an allowed range (CIDR). Private, loopback,
 * link-local, multicast and all other special addresses are not public, in any spelling.
 */
export function isAllowedAddress(text: string, allowedRanges: readonly string[]): boolean {
  const parsed = parse(text)
  if (!parsed) return false
  const address = translatedFrom(parsed)
  return (
    isPublic(address) ||
    allowedRanges.some((range) => {
      const [base, bits] = ipaddr.parseCIDR(range)
      return address.kind() === base.kind() && address.match(base, bits)
    })
  )
}
