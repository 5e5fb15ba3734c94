import ipaddr from 'ipaddr.js'

/**
 * What limits count as one client: an IPv4 address, or the /64 of an IPv6 one (a household or server
 * has a whole /64). IPv4-mapped addresses are IPv4.
 */
export function clientNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown' // a forwarded address that is none: all such clients share one count
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = parsed.toByteArray().slice(0, 8)
  return `${ipaddr.fromByteArray([...prefix, ...Array<number>(8).fill(0)]).toString()}/64`
}
