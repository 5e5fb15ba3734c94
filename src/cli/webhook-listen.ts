import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Option } from 'commander'
import { tokenType } from '../access/token.ts'
import { systemClock } from '../base/clock.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { bookingEventTypes, type EventType } from '../webhooks/event-payload.ts'
import { faultOfDelivery } from '../webhooks/signature.ts'
import { type CliCommand, commandIO, writeLines } from './command-line.ts'
import { forwardEvents, Refused, secretOf } from './event-forwarder.ts'
import { readInteger, readUrl } from './input.ts'

interface ListenOptions {
  port?: string
  secret?: string
  status: string
  forwardTo?: string
  url?: string
  key?: string
  event?: EventType[]
  after?: string
}

const maxBodyBytes = 1_048_576
const maxRemembered = 10_000

export function registerListen(group: CliCommand): void {
  group
    .command('listen')
    .description('receive, verify and print deliveries on this machine, or forward events to your program')
    .option('--port <number>', 'TCP port on 127.0.0.1; 0 picks a free one')
    .option('--secret <secret>', "the webhook's secret; without it, nothing is verified")
    .option('--status <code>', 'status to return; 500 tests retries', '200')
    .option(
      '--forward-to <address>',
      'your program; each new event of a running server is sent there, signed',
    )
    .option('--url <url>', 'with --forward-to: the server')
    .option('--key <key>', 'with --forward-to: a business or hub key (default: HOLDFAST_KEY)')
    .addOption(
      new Option('--event <names...>', 'with --forward-to: event types (default: all)').choices(
        bookingEventTypes,
      ),
    )
    .option('--after <event>', 'with --forward-to: starts after this event instead of now')
    .examples(
      'webhook listen --port 4000 --secret whsec_…',
      'webhook create --business 0198… --url http://127.0.0.1:4000/',
      'webhook listen --forward-to http://127.0.0.1:4000/hooks --url http://127.0.0.1:3000',
    )
    .addHelpText(
      'after',
      '\nForwarding needs no webhook. It waits while the server or your program restarts, and misses no event.' +
        '\nThe secret belongs to the key, unless you give --secret. Pass the key in HOLDFAST_KEY.',
    )
    .action(async (options: ListenOptions) => {
      if ((options.port === undefined) === (options.forwardTo === undefined))
        throw new UsageError('Give either --port or --forward-to.')
      if (options.forwardTo !== undefined) return forward(options.forwardTo, options)
      const port = readInteger(options.port ?? '', '--port', [0, 65_535])
      const status = readInteger(options.status, '--status', [200, 599])
      writeLines([`Listening on ${await listen(port, status, options.secret)}`])
    })
}

async function forward(to: string, { url, key, secret, event, after }: ListenOptions): Promise<void> {
  const given = key ?? commandIO().variables()['HOLDFAST_KEY'] ?? ''
  const type = tokenType(given)
  if (url === undefined) throw new UsageError('--forward-to needs the --url of the server.')
  if (given === '') throw new UsageError('Give --key or set HOLDFAST_KEY.')
  if (type !== 'business' && type !== 'hub') throw new UsageError('The key must be a business or hub key.')
  if (!/^https?:$/.test(URL.parse(to)?.protocol ?? ''))
    throw new UsageError(`--forward-to "${to}" must be an address like http://127.0.0.1:4000/hooks.`)
  const source = readUrl(url)
  const signedBy = secret ?? secretOf(given)
  const forwarder = {
    ...{ url: source, key: given, forwardTo: to, secret: signedBy, after },
    types: event ?? bookingEventTypes,
    write: (line: string) => writeLines([line]),
    begins: () =>
      writeLines([
        `Forwarding events of ${source} to ${to}`,
        ...(secret ? [] : [`The secret is ${signedBy}`]),
      ]),
    signal: endOfProgram(),
  }
  try {
    await forwardEvents(forwarder)
  } catch (error) {
    throw error instanceof Refused ? new OperatorError(error.message) : error
  }
}

/** Returns a signal that aborts on SIGINT and SIGTERM. */
function endOfProgram(): AbortSignal {
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort())
  return ending.signal
}

async function listen(port: number, status: number, secret: string | undefined): Promise<string> {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        writeLines(linesOf(request, body, { secret, seen }))
        response.writeHead(status).end()
      },
      () => response.writeHead(413).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new OperatorError(`Cannot listen on 127.0.0.1:${port} (${error.code ?? error.message}).`))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has an AddressInfo
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function linesOf(
  { headers }: IncomingMessage,
  body: string,
  { secret, seen }: { secret: string | undefined; seen: Set<string> },
): string[] {
  const id = String(headers['webhook-id'] ?? 'without id')
  const fault =
    secret === undefined ? undefined : faultOfDelivery(secret, { headers, body }, systemClock.nowMs())
  const verdict =
    secret === undefined ? 'not verified' : fault === undefined ? 'verified' : `REFUSED: ${fault}`
  const again = seen.has(id) ? ', seen before' : ''
  if (seen.size < maxRemembered) seen.add(id)
  const sample = headers['x-service-test'] === 'true' ? ', a sample' : ''
  return ['', `${id} (${verdict}${again}${sample})`, ...indented(body)]
}

/** Indents JSON and quotes any other body, because its control characters must not reach the terminal. */
function indented(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split('\n')
  } catch {
    return [JSON.stringify(body)]
  }
}
