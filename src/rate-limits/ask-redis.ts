import { Redis } from 'ioredis'

/** Asks a Redis once whether it takes commands. Undefined when it does, else what is wrong, without the address. */
export async function askRedis(url: string, withinMs: number): Promise<string | undefined> {
  const redis = new Redis(url, {
    connectionName: 'holdfast doctor',
    lazyConnect: true,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  let first: Error | undefined
  redis.on('error', (error) => (first ??= error)) // says more than that the connection was closed
  try {
    await redis.connect()
    await redis.ping()
    return undefined
  } catch (error) {
    return first?.message ?? (error instanceof Error ? error.message : 'unknown error')
  } finally {
    redis.disconnect()
  }
}
