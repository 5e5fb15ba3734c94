import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { Load, type Outcome } from './load.ts'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { postgresFor, startTarget, thisCheckout } from './targets.ts'

/*
 * The effect of a mail server on clients who book. Compares visitors of a service without emails with those of services
 * whose mail server is fast, slow, silent, or unavailable.
 */

const pace = { perSecond: 40, atOnce: 32 }
const slowMs = 2_000

/** A mail server that a service may have. */
interface Receiver {
  name: string
  /** Undefined: the service sends no emails. */
  url: string | undefined
  /** Number of accepted emails. */
  taken: () => number
  close: () => void
}

/** Prints for each engine and mail server the times of visitors: a session, a hold, a booking. */
export async function measureBesideMails({ engines, rounds, seconds }: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  console.log(
    `${pace.perSecond} visitors a second (session, hold, booking), beside mail servers. ` +
      `Medians of ${rounds} turns of ${seconds} s.`,
  )
  const rows: object[] = []
  for (const engine of engines) rows.push(...(await rowsOf(engine, postgresUrl, { rounds, seconds })))
  console.table(rows)
}

async function rowsOf(
  engine: Engine,
  postgresUrl: string | undefined,
  { rounds, seconds }: Pick<Plan, 'rounds' | 'seconds'>,
): Promise<object[]> {
  await using undo = new AsyncDisposableStack()
  const load = new Load()
  undo.defer(() => load.stop())
  const receivers = [nobody, await quick(0), await quick(slowMs), await silent(), await away()]
  const services: { receiver: Receiver; run: () => Promise<Outcome>; seen: Outcome[] }[] = []
  for (const [number, receiver] of receivers.entries()) {
    undo.defer(receiver.close)
    const settings: Record<string, string> =
      receiver.url === undefined ? {} : { SMTP_URL: receiver.url, MAIL_FROM: 'Bench <bench@example.com>' }
    const target = await startTarget(thisCheckout, engine, { postgresUrl, number, settings })
    undo.defer(() => target.stop())
    const { name, addresses, worlds } = target
    const [world] = worlds
    if (!world) throw new Error('the target has no business')
    const order = { target: name, world, addresses, operation: 'flow', keyed: true, bare: false, ...pace }
    const run = () => load.run({ ...order, seconds })
    await run() // code that has run often is faster
    services.push({ receiver, run, seen: [] })
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, seen } of services) seen.push(await run())
  }
  return services.map(({ receiver, seen }) => {
    const failed = seen.flatMap(({ errors }) => Object.values(errors)).reduce((sum, one) => sum + one, 0)
    if (failed > 0) process.exitCode = 1
    return {
      engine,
      'mail server': receiver.name,
      'p50 ms': median(seen.map(({ p50Ms }) => p50Ms)).toFixed(1),
      'p99 ms': median(seen.map(({ p99Ms }) => p99Ms)).toFixed(1),
      failed,
      'mails taken': receiver.taken(),
    }
  })
}

const nobody: Receiver = { name: 'none', url: undefined, taken: () => 0, close: () => undefined }

/** Accepts every email after a while. */
async function quick(afterMs: number): Promise<Receiver> {
  let taken = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData: (stream, _session, done) => {
      stream.resume().on('end', () => {
        taken += 1
        setTimeout(done, afterMs)
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const name = afterMs === 0 ? 'quick' : `takes ${afterMs / 1000} s a mail`
  return { name, url: urlOf(server.server), taken: () => taken, close: () => server.close() }
}

/** Accepts connections and never answers. */
async function silent(): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { name: 'silent', url: urlOf(server), taken: () => 0, close }
}

/** Nobody listens there. */
async function away(): Promise<Receiver> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = urlOf(server)
  server.close()
  return { name: 'away', url, taken: () => 0, close: () => undefined }
}

function urlOf(server: Pick<Server, 'address'>): string {
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}
