import { inject } from 'vitest'
import { deleteKeys, keysOf, withRedis } from './redis-server.ts'

/** A separate part of the tests' Redis. */
export interface TestRedis {
  /** For REDIS_URL and REDIS_KEY_PREFIX. */
  url: string
  prefix: string
  keys(): Promise<string[]>
  /**
   * Returns the remaining milliseconds of a key, by its name without the prefix. Negative without an expiry or without
   * the key.
   */
  lifeOf(key: string): Promise<number>
  drop(): Promise<void>
}

let counter = 0

export function createTestRedis(): TestRedis {
  const url = inject('redisUrl')
  if (url === null) throw new Error('there is no Redis; the suite should not run')
  counter += 1
  const prefix = `holdfast-test-${process.pid}-${counter}:`
  return {
    url,
    prefix,
    keys: () => keysOf(url, prefix),
    lifeOf: (key) => withRedis(url, (redis) => redis.pttl(prefix + key)),
    drop: () => deleteKeys(url, prefix),
  }
}
