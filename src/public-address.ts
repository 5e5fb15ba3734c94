import type { Config } from './config.ts'

/** The address of this server as clients know it, without a slash at the end. */
export function publicAddress({
  publicUrl,
  host,
  port,
}: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== '') return publicUrl
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
