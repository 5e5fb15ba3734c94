import pg from 'pg'
import { pause, type Listening } from './database.ts'

/** A server listens on one channel alone, for what commands announce: it has so many connections for that. */
export const listeningConnections = 1

const connectTimeoutMs = 2_200
/** Between the loss of the connection and the next one. */
const reconnectMs = 1_000

/** Listens on a channel of PostgreSQL with a connection of its own, and connects again whenever that is lost. */
export function listenOnPostgres(url: string, channel: string, onNotice: () => void): Listening {
  const stopping = new AbortController()
  let current: pg.Client | undefined
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
        application_name: 'holdfast listener',
      })
      current = client
      await listenUntilLost(client, channel, onNotice)
      await paused(stopping.signal)
    }
  })()
  return {
    close: () => {
      stopping.abort()
      current?.connection.stream.destroy() // a server that does not answer keeps nobody waiting
      return running
    },
  }
}

/** Resolves when the connection is lost, or could not be made. Who polls beside it misses nothing. */
async function listenUntilLost(client: pg.Client, channel: string, onNotice: () => void): Promise<void> {
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  client.on('notification', onNotice)
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
    onNotice() // what was announced before nobody has heard
    await lost
  } catch {
    // not there yet, or not any more: the next try follows
  } finally {
    client.connection.stream.destroy()
  }
}

async function paused(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([pause(reconnectMs), aborted])
}
