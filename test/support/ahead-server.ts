import { clockFrom } from '../../src/base/clock.ts'
import { readConfig } from '../../src/base/config.ts'
import { createContext } from '../../src/operate/open.ts'
import { createApp } from '../../src/server.ts'
import { withoutLimits } from './server-process.ts'

/** A server with a real socket in this process. Its clock is the machine's until a test moves it ahead. */
export interface AheadServer {
  address: string
  /** Makes everything that the server remembers older. */
  advance(seconds: number): void
  stop(): Promise<void>
}

/** Starts one over a database that others use as well. Tests thus need not wait for things that take seconds there. */
export async function startAheadServer(databaseUrl: string): Promise<AheadServer> {
  let aheadMs = 0
  const config = readConfig({
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'silent',
    DRAIN_SECONDS: '0',
    ...withoutLimits,
  })
  const context = await createContext(config, { clock: clockFrom(() => Date.now() + aheadMs) })
  await context.db.migrate()
  const app = await createApp(context)
  return {
    address: await app.listen(),
    advance: (seconds) => {
      aheadMs += seconds * 1000
    },
    stop: () => app.stop(),
  }
}
