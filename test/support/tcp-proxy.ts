import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** The treatment of traffic by a proxy. */
export type ProxyMode =
  | 'forward'
  /** Connections are accepted and stay open, but nothing passes in either direction. */
  | 'hang'
  /** New connections are closed at once, and the present ones are dropped. */
  | 'refuse'
  /** Every connection is reset as soon as its client sends something. */
  | 'reset'

/** Stands between a server and its database and simulates network faults. */
export interface TcpProxy {
  /** The URL of the database through the proxy. */
  url: string
  set(mode: ProxyMode): void
  /** Delays each answer of the database, at first by 0. */
  delay(milliseconds: number): void
  /** Redirects connections from now on. */
  pointAt(databaseUrl: string): void
  /**
   * Cuts the next connection whose client sends this text, either before the database receives it or after. In the
   * latter case its answer is lost. Resolves when that has happened. With `of`, it waits for a transaction in which the
   * client sent that too, because background loops have their own.
   */
  cutAt(text: string, when: 'before' | 'after', of?: string): Promise<void>
  close(): Promise<void>
}

interface Cut {
  text: string
  when: 'before' | 'after'
  of: string
  done: () => void
}

interface Link {
  client: Socket
  database: Socket
  /** Everything that the client sent since its last commit. */
  said: string
  /** Set if the next answer is to be lost. */
  onAnswer?: () => void
}

export async function startProxy(databaseUrl: string): Promise<TcpProxy> {
  let target = new URL(databaseUrl)
  const links = new Set<Link>()
  let mode: ProxyMode = 'forward'
  let cut: Cut | undefined
  let delayMs = 0

  function fromClient(link: Link, bytes: Buffer): void {
    if (mode === 'hang') return
    if (mode === 'reset') {
      end(link)
      return
    }
    link.said += bytes.toString('latin1')
    const due = cut && bytes.includes(cut.text) && link.said.includes(cut.of) ? cut : undefined
    if (bytes.includes('commit')) link.said = ''
    if (due) cut = undefined
    if (due?.when === 'before') {
      end(link)
      due.done()
      return
    }
    if (due) link.onAnswer = due.done
    link.database.write(bytes)
  }

  function fromDatabase(link: Link, bytes: Buffer): void {
    if (mode === 'hang') return
    if (link.onAnswer) {
      // the answer confirms that the database has done it, but its client never learns that
      end(link)
      link.onAnswer()
      return
    }
    if (delayMs === 0) link.client.write(bytes)
    else setTimeout(() => link.client.write(bytes), delayMs)
  }

  function end(link: Link): void {
    links.delete(link)
    link.client.resetAndDestroy()
    link.database.destroy()
  }

  // half open: a farewell is answered only if something still answers
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (mode === 'refuse') {
      client.resetAndDestroy()
      return
    }
    const database = connect(Number(target.port || 5432), target.hostname)
    const link: Link = { client, database, said: '' }
    links.add(link)
    client.on('data', (bytes: Buffer) => fromClient(link, bytes))
    database.on('data', (bytes: Buffer) => fromDatabase(link, bytes))
    for (const socket of [client, database]) {
      socket.on('error', () => end(link))
      for (const farewell of ['end', 'close'] as const) {
        socket.on(farewell, () => {
          if (mode !== 'hang') end(link)
        })
      }
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    set: (next) => {
      mode = next
      // data lost during a hang stays lost, because a network does not deliver dropped packets later
      if (next !== 'hang' && next !== 'reset') for (const link of [...links]) end(link)
    },
    delay: (milliseconds) => {
      delayMs = milliseconds
    },
    pointAt: (next) => {
      target = new URL(next)
    },
    cutAt: (text, when, of = '') =>
      new Promise((done) => {
        cut = { text, when, of, done }
      }),
    close: async () => {
      for (const link of [...links]) end(link)
      server.close()
      await once(server, 'close')
    },
  }
}
