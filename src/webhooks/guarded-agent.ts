import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import type { Context } from '../context.ts'
import { addressLiteral } from './destination-rules.ts'
import { isAllowedAddress } from './special-addresses.ts'

/** Thrown instead of connecting to an address of the inner network. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed'
}

/** Finds the addresses of a name: the resolver of the system, or a test's. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** The real thing: the resolver of the system. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses)
    })
  })

/** Of a request that never came to a connection. */
const notBegun: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
}

/** What requests to receivers go over. */
export type Sends = Pick<Dispatcher, 'dispatch'>

interface Guard {
  timeoutMs: number
  resolve: Resolve
  mayConnect: (address: string) => boolean
}

/**
 * Connections to receivers, kept for a few seconds. In production no other address is connected to than public ones and
 * those in WEBHOOK_ALLOW_CIDR. What is checked is what the connection is made to: a name that is resolved differently a
 * moment later changes nothing. The client is loaded with the first request: a server without webhooks does without.
 */
export function guardedAgent(
  { config, log }: Pick<Context, 'config' | 'log'>,
  { timeoutMs, resolve = systemResolve }: { timeoutMs: number; resolve?: Resolve },
): Sends & { destroy: () => Promise<void> } {
  const mayConnect = (address: string) =>
    config.environment !== 'production' || isAllowedAddress(address, config.webhookAllowCidr)
  let opening: Promise<Agent> | undefined
  let agent: Agent | undefined
  const open = async () => (agent = await openAgent({ timeoutMs, resolve, mayConnect }))
  return {
    dispatch: (options, handler) => {
      if (agent) return agent.dispatch(options, handler)
      opening ??= open()
      opening.then(
        (opened) => opened.dispatch(options, handler),
        (error: unknown) => {
          log.error({ err: error }, 'the HTTP client of webhooks cannot be loaded')
          opening = undefined // the next request tries again
          handler.onResponseError?.(notBegun, new Error('no HTTP client', { cause: error }))
        },
      )
      return true
    },
    destroy: async () => {
      await (await opening)?.destroy()
    },
  }
}

async function openAgent({ timeoutMs, resolve, mayConnect }: Guard): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  const connector = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    lookup: checkedLookup(resolve, mayConnect),
  })
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

function checkedLookup(resolve: Resolve, mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
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
