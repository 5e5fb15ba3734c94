import ipaddr from 'ipaddr.js'
import type { Fault } from '../errors.ts'

/** What is wrong with an address range (CIDR). */
export function networkFaults(text: string): Fault[] {
  const isRange = text.includes(':')
    ? ipaddr.IPv6.isValidCIDR(text)
    : ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
  if (isRange) return []
  const hint = ipaddr.isValid(text) ? `; for one address: ${text}/${text.includes(':') ? 128 : 32}` : ''
  const detail = `must be an address range such as 203.0.113.0/24 or 2001:db8:1::/48${hint}`
  return [{ pointer: '', code: 'invalid_format', detail }]
}

/** Whether an address lies in one of the ranges. */
export function liesIn(address: string | null, ranges: readonly string[]): boolean {
  if (address === null) return false
  const parsed = ipaddr.process(address)
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range)
    return network.kind() === parsed.kind() && parsed.match(network, bits)
  })
}
