import { startHoldfast, type Ending, type HoldfastProcess, type ProcessOptions } from './holdfast-process.ts'

/** A server in a separate process, with a real socket. */
export interface ServerProcess {
  process: HoldfastProcess
  /** Its URL, such as http://127.0.0.1:41234. */
  address: string
  /** Stops it gracefully and resolves with its end. */
  stop(): Promise<Ending>
  /** Kills it, whatever it is doing. */
  kill(): Promise<Ending>
}

/** Keeps limits out of the way of tests whose requests all come from one address. */
export const withoutLimits = { RATE_LIMIT_FACTOR: '10000' }

/** Starts a server on a free port and waits until it serves. It runs in production mode, which adds no data. */
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
