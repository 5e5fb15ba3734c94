import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { FieldError } from './errors.ts'

/** The source of a request, in the three sizes that limits count. */
export interface ClientAddress {
  /** The address itself, without its port. Null if it is invalid. */
  readonly address: string | null
  /**
   * The network that limits count as one client: an IPv4 address or an IPv6 /64, because a household or server has a
   * whole /64. IPv4-mapped addresses are IPv4. All malformed forwarded addresses share the network `unknown`.
   */
  readonly network: string
  /** The /48 of an IPv6 address, whose holder has 65,536 networks of /64. Null for IPv4. */
  readonly widerNetwork: string | null
}

/** Caches the latest addresses, because parsing takes several times as long as a lookup. */
const addresses = new LRUCache<string, ClientAddress>({ max: 2_000 })
/** Longer texts are no addresses, and a client may send kilobytes. */
const maxCachedLength = 64

/** Reads the address that a request comes from. */
export function readClientAddress(text: string): ClientAddress {
  const known = addresses.get(text)
  if (known) return known
  const address = clientAddressOf(addressOf(text))
  if (text.length <= maxCachedLength) addresses.set(text, address)
  return address
}

function clientAddressOf(parsed: ipaddr.IPv4 | ipaddr.IPv6 | undefined): ClientAddress {
  if (!parsed) return { address: null, network: 'unknown', widerNetwork: null }
  const address = parsed.toString()
  return parsed.kind() === 'ipv4'
    ? { address, network: address, widerNetwork: null }
    : { address, network: networkOf(parsed, 64), widerNetwork: networkOf(parsed, 48) }
}

/** Finds the faults of an address range (CIDR). */
export function networkErrors(text: string): FieldError[] {
  const isRange = text.includes(':')
    ? ipaddr.IPv6.isValidCIDR(text)
    : ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
  if (isRange) return widthErrors(text)
  const hint = ipaddr.isValid(text) ? `; for one address: ${text}/${text.includes(':') ? 128 : 32}` : ''
  const detail = `must be an address range such as 203.0.113.0/24 or 2001:db8:1::/48${hint}`
  return [{ pointer: '', code: 'invalid_format', detail }]
}

/** Usual networks of proxies: this machine and private networks, including those of containers. */
const nearRanges = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]

/** True for an address of this machine or a private network. */
export function isNear(address: string | null): boolean {
  return liesIn(address, nearRanges)
}

/** Minimum prefix lengths for a business's trusted ranges. A wider range would trust strangers. */
const minBits = { ipv4: 8, ipv6: 32 }

function widthErrors(range: string): FieldError[] {
  const [network, bits] = ipaddr.parseCIDR(range)
  const least = minBits[network.kind()]
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress()) {
    const detail = 'must name IPv4 addresses as such: 203.0.113.0/24, not ::ffff:203.0.113.0/120'
    return [{ pointer: '', code: 'invalid_format', detail }]
  }
  if (bits >= least) return []
  return [{ pointer: '', code: 'out_of_range', detail: `must not be wider than /${least}` }]
}

/** True if one of the ranges contains the address. */
export function liesIn(address: string | null, ranges: readonly string[]): boolean {
  if (address === null) return false
  const parsed = ipaddr.process(address)
  return ranges.some((range) => {
    const [network, bits] = readRange(range)
    return network.kind() === parsed.kind() && parsed.match(network, bits)
  })
}

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Caches the latest ranges, because parsing one throws and catches an error inside the library. */
const parsedRanges = new LRUCache<string, Range>({ max: 1_000 })

function readRange(text: string): Range {
  const known = parsedRanges.get(text)
  if (known) return known
  const range = ipaddr.parseCIDR(text)
  parsedRanges.set(text, range)
  return range
}

/** Accepts the port that some proxies forward as well: `192.0.2.7:443`, `[2001:db8::7]:443`. */
function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const prefix = address.toByteArray().slice(0, bits / 8)
  const bytes = [...prefix, ...Array<number>(16 - prefix.length).fill(0)]
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}
