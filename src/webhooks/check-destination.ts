import type { Context } from '../context.ts'
import { pause } from '../database/database.ts'
import { addressLiteral, isLocalName, readDestination, wrongUrl } from './destination-rules.ts'
import { systemResolve, type Resolve } from './resolve-name.ts'
import { isAllowedAddress } from './special-addresses.ts'

/** A name that is not resolved by then is accepted: each attempt looks again. */
const longestLookupMs = 3_000

/**
 * Throws validation_failed for an address that deliveries may not be sent to: in production one that leads into the
 * inner network. It only tells those who register early; what protects is the check of each connection.
 */
export async function checkDestination(
  { config }: Pick<Context, 'config'>,
  text: string,
  resolve: Resolve = systemResolve,
): Promise<void> {
  const isProduction = config.environment === 'production'
  const { hostname } = readDestination(text, { isProduction })
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

/** The addresses of a name; none where it has none at this moment. */
async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  const found = resolve(hostname).then(
    (addresses) => addresses.map(({ address }) => address),
    () => [],
  )
  return Promise.race([found, pause(longestLookupMs).then(() => [])])
}
