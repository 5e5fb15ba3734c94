import type { Config } from './config.ts'

type Parts = Pick<Config, 'publicUrl' | 'host' | 'port'>

/** Returns the URL under which clients reach this server, without a trailing slash. */
export function publicUrl({ publicUrl, host, port }: Parts): string {
  if (publicUrl !== '') return publicUrl
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Returns an address that other machines can load. Null for one of this server without a public URL. */
export function absoluteUrl(publicUrl: string, address: string | null): string | null {
  if (!address?.startsWith('/')) return address
  return publicUrl === '' ? null : `${publicUrl}${address}`
}

/**
 * Returns the origins of the server's own pages, from its public URL and its listening address. Never uses the Host
 * header of a request, which anyone can choose.
 */
export function ownOrigins(parts: Parts): Set<string> {
  const urls = [publicUrl(parts), publicUrl({ ...parts, publicUrl: '' })]
  return new Set(urls.flatMap((url) => URL.parse(url)?.origin ?? []))
}

/** True if other machines can reach the server, through its listening address or its public URL. */
export function isPublic({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>): boolean {
  const hosts = [host, ...(publicUrl === '' ? [] : [new URL(publicUrl).hostname])]
  return hosts.some((name) => !/^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(name))
}
