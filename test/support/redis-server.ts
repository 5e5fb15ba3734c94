import { Redis } from 'ioredis'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { spawnWatched } from './watched.ts'

const LOCAL_SERVER = 'redis://127.0.0.1:6379'

interface RedisServer {
  url: string
  /** Its origin, in words for the person who runs the tests. */
  origin: string
  stop(): Promise<void>
}

/**
 * Finds a Redis server for the tests, or starts an installed one. Returns null if there is none on this machine. If
 * TEST_REDIS_URL names a server, no other is tried.
 */
export async function findRedis(env: NodeJS.ProcessEnv): Promise<RedisServer | null> {
  const given = env['TEST_REDIS_URL']
  if (given) {
    if (!(await answers(given))) throw new Error('TEST_REDIS_URL cannot be used for tests: no Redis answers')
    return { url: given, origin: 'the server of TEST_REDIS_URL', stop: () => Promise.resolve() }
  }
  if (await answers(LOCAL_SERVER)) {
    return { url: LOCAL_SERVER, origin: `the server at ${LOCAL_SERVER}`, stop: () => Promise.resolve() }
  }
  const directories = (env['PATH'] ?? '').split(delimiter)
  const program = directories.map((directory) => join(directory, 'redis-server')).find(existsSync)
  return program === undefined ? null : startRedis(program)
}

/** Starts a separate server on a free port, which stores nothing. */
async function startRedis(program: string): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-redis-'))
  const port = await freePort()
  const settings = { port, bind: '127.0.0.1', dir: directory, save: '', appendonly: 'no' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawnWatched(program, args)
  child.stderr.resume() // a full pipe would stop it
  const ended = once(child, 'close')
  const url = `redis://127.0.0.1:${port}`
  await eventually('an answer of the started Redis', async () => (await answers(url)) || undefined)
  return {
    url,
    origin: `a server started from ${program}`,
    stop: async () => {
      child.kill()
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await withRedis(url, (redis) => redis.ping())
    return true
  } catch {
    return false
  }
}

/** Connects for the duration of `use`. Rejects if no Redis answers. */
export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 30_000 })
  redis.on('error', () => undefined) // connect() rejects with it
  try {
    await redis.connect()
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}

/** Returns the keys with a prefix. */
export function keysOf(url: string, prefix: string): Promise<string[]> {
  return withRedis(url, async (redis) => {
    const found: string[] = []
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      found.push(...(keys as string[]))
    }
    return found
  })
}

export async function deleteKeys(url: string, prefix: string): Promise<void> {
  const keys = await keysOf(url, prefix)
  if (keys.length > 0) await withRedis(url, (redis) => redis.del(...keys))
}
