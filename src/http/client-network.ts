import ipaddr from 'ipaddr.js'

/**
 * What limits count as one client: an IPv4 address, or the /64 of an IPv6 one (a household or server
 * has a whole /64). IPv4-mapped addresses are IPv4.
 */
export function clientNetworkOf(text: string): string {
  const parsed = addressOf(text)
  if (!parsed) return 'unknown' // a forwarded address that is none: all such clients share one count
  return parsed.kind() === 'ipv4' ? parsed.toString() : networkOf(parsed, 64)
}

/** Where a request comes from, in the three sizes that count. */
export function readClientAddress(text: string): {
  /** The address itself, without its port; null when it is none. */
  address: string | null
  network: string
  /** The /48 of an IPv6 address, null for IPv4: whoever is given a /48 has 65,536 networks /64. */
  widerNetwork: string | null
} {
  const parsed = addressOf(text)
  return {
    address: parsed?.toString() ?? null,
    network: clientNetworkOf(text),
    widerNetwork: parsed?.kind() === 'ipv6' ? networkOf(parsed, 48) : null,
  }
}

function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = withoutPort(text)
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const kept = address.toByteArray().slice(0, bits / 8)
  const bytes = [...kept, ...Array<number>(16 - kept.length).fill(0)]
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}

/** Some proxies forward the port as well: `192.0.2.7:443`, `[2001:db8::7]:443`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
