import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { addressLiteral } from './destination-rules.ts'
import { systemResolve } from './resolve-name.ts'
import type { SendingSettings } from './sending-types.ts'
import { isAllowedAddress } from './special-addresses.ts'

/** Thrown instead of connecting to an address of the inner network. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed'
}

/**
 * Connections to receivers, kept for a few seconds. In production no other address is connected to than public ones and
 * those in WEBHOOK_ALLOW_CIDR. What is checked is what the connection is made to: a name that is resolved differently a
 * moment later changes nothing.
 */
export function guardedAgent({
  timeoutMs,
  isUnguarded,
  allowedRanges,
}: Omit<SendingSettings, 'version'>): Dispatcher {
  const mayConnect = (address: string) => isUnguarded || isAllowedAddress(address, allowedRanges)
  const connector = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: checkedLookup(mayConnect) })
  const connect: buildConnector.connector = (options, callback) => {
    // an address literal never passes the look-up
    const literal = addressLiteral(bracketed(options.hostname))
    if (literal !== undefined && !mayConnect(literal)) {
      callback(new AddressNotAllowed(), null)
      return
    }
    connector(options, (...result) => {
      const [error, socket] = result
      if (error === null && !mayConnect(socket.remoteAddress ?? '')) {
        socket.destroy()
        callback(new AddressNotAllowed(), null)
        return
      }
      callback(...result)
    })
  }
  return new Agent({ connect, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
}

/** The connector is told an IPv6 address without the brackets that it has in a URL. */
function bracketed(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}

function checkedLookup(mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    systemResolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        // one forbidden address among others is a trap, not a mistake
        if (!first || !addresses.every(({ address }) => mayConnect(address))) {
          callback(new AddressNotAllowed(), '', 0)
        } else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error('no address'), '', 0)
      },
    )
  }
}
