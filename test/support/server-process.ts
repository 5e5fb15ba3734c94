import { startHoldfast, type Ending, type HoldfastProcess, type ProcessOptions } from './holdfast-process.ts'

/** A server in a process of its own, with a real socket. */
export interface ServerProcess {
  process: HoldfastProcess
  /** Where it listens, such as http://127.0.0.1:41234. */
  address: string
  /** Asks it to stop, and tells how it ended. */
  stop(): Promise<Ending>
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<Ending>
}

/** What keeps limits out of the way of tests whose requests all come from one address. */
export const withoutLimits = { RATE_LIMIT_FACTOR: '10000' }

/** Starts a server on a free port and waits until it serves. Production: it adds no data of its own. */
export async function startServer(
  databaseUrl: string,
  variables: Record<string, string> = {},
  options: Omit<ProcessOptions, 'variables'> = {},
): Promise<ServerProcess> {
  const server = startHoldfast(['serve'], {
    ...options,
    variables: {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      ...withoutLimits,
      ...variables,
    },
  })
  const [, address = ''] = await server.says(/^Holdfast serves (http:\S+)$/m)
  const end = (signal: NodeJS.Signals) => {
    server.signal(signal)
    return server.ended
  }
  return { process: server, address, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}
