import ipaddr from 'ipaddr.js'

/**
 * What limits count as one client: an IPv4 address, or the /64 of an IPv6 one (a household or server
 * has a whole /64). IPv4-mapped addresses are IPv4.
 */
export function clientNetworkOf(text: string): string {
  const address = withoutPort(text)
  if (!ipaddr.isValid(address)) return 'unknown' // a forwarded address that is none: all such clients share one count
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = parsed.toByteArray().slice(0, 8)
  return `${ipaddr.fromByteArray([...prefix, ...Array<number>(8).fill(0)]).toString()}/64`
}

/** Some proxies forward the port as well: `192.0.2.7:443`, `[2001:db8::7]:443`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
