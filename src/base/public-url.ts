import type { Config } from './config.ts'

type Parts = Pick<Config, 'publicUrl' | 'host' | 'port'>

/** The URL under which clients reach this server, without a slash at its end. */
export function publicUrl({ publicUrl, host, port }: Parts): string {
  if (publicUrl !== '') return publicUrl
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * The origins of the server's own pages: of its public URL, and of the address where it listens. Never that of a
 * request's Host header, which anybody can choose.
 */
export function ownOrigins(parts: Parts): Set<string> {
  const urls = [publicUrl(parts), publicUrl({ ...parts, publicUrl: '' })]
  return new Set(urls.flatMap((url) => URL.parse(url)?.origin ?? []))
}

/** Whether others than this machine reach the server: by the address where it listens, or by its public URL. */
export function isPublic({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>): boolean {
  const hosts = [host, ...(publicUrl === '' ? [] : [new URL(publicUrl).hostname])]
  return hosts.some((name) => !/^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(name))
}
