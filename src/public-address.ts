import type { Config } from './config.ts'

type Parts = Pick<Config, 'publicUrl' | 'host' | 'port'>

/** The address of this server as clients know it, without a slash at the end. */
export function publicAddress({ publicUrl, host, port }: Parts): string {
  if (publicUrl !== '') return publicUrl
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * The origins that the server's own pages have: under its public address, and under the one where it listens. Never
 * that of a request's Host, which a stranger may choose.
 */
export function ownOrigins(parts: Parts): Set<string> {
  const both = [parts, { ...parts, publicUrl: '' }]
  return new Set(both.flatMap((one) => URL.parse(publicAddress(one))?.origin ?? []))
}
