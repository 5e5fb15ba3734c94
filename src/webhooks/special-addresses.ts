import ipaddr from 'ipaddr.js'

/** Where IPv6 addresses of the public network lie (RFC 4291, section 2.4); everything else has a purpose of its own. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** Not in the library's table: documentation (RFC 9637), and the block of protocol assignments (RFC 2928). */
const moreSpecial = ['3fff::/20', '2001::/23'].map((range) => ipaddr.IPv6.parseCIDR(range))
/** An IPv4 address behind a translator (RFC 6052): what counts is the address that it stands for. */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** An IP address as its own text or with a zone, in whatever spelling; undefined when it is none. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [address = ''] = text.split('%')
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined
}

/** The IPv4 address inside a translated one; any other as it is. */
function meant(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || !address.match(translated)) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return true
  return address.match(globalUnicast) && !moreSpecial.some((range) => address.match(range))
}

/**
 * Whether production may deliver to an IP address: it is a public one, or lies in one of the allowed ranges (CIDR).
 * Private, loopback, link-local, multicast and all other special addresses are not public, in any spelling.
 */
export function isAllowedAddress(text: string, allowedRanges: readonly string[]): boolean {
  const given = parse(text)
  if (!given) return false
  const address = meant(given)
  return (
    isPublic(address) ||
    allowedRanges.some((range) => {
      const [base, bits] = ipaddr.parseCIDR(range)
      return address.kind() === base.kind() && address.match(base, bits)
    })
  )
}
