import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { OperatorError, UsageError } from '../errors.ts'
import { faultOfDelivery } from '../webhooks/signature.ts'
import { writeLines } from './run-command.ts'

interface Options {
  port: string
  secret?: string
  status: string
}

const longestBody = 1_048_576
const mostRemembered = 10_000

/** `holdfast webhook listen`: receives deliveries, verifies them and prints them, for trying things out. */
export function addWebhookListen(webhook: Command): void {
  webhook
    .command('listen')
    .description('receive deliveries on this machine, verify and print them, until it is interrupted')
    .requiredOption('--port <number>', 'TCP port on 127.0.0.1; 0 takes any free one')
    .option('--secret <secret>', 'of the webhook; without it nothing is verified')
    .option('--status <code>', 'what is answered, to see how failures are treated', '200')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast webhook listen --port 4000 --secret whsec_…' +
        '\n  $ holdfast webhook create --business 0198… --url http://127.0.0.1:4000/',
    )
    .action(async (options: Options) => {
      const port = readNumber(options.port, '--port', [0, 65_535])
      const status = readNumber(options.status, '--status', [200, 599])
      const address = await listen(port, status, options.secret)
      writeLines([`Listening on ${address}`])
    })
}

function readNumber(text: string, option: string, [least, most]: [number, number]): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (value >= least && value <= most) return value
  throw new UsageError(`${option} must be a whole number from ${least} to ${most}.`)
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > longestBody) throw new Error('the body is too large')
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
  if (seen.size < mostRemembered) seen.add(id)
  const sample = headers['x-service-test'] === 'true' ? ', a sample' : ''
  return ['', `${id} (${verdict}${again}${sample})`, ...indented(body)]
}

/** JSON as people read it; control characters of anything else cannot act on a terminal. */
function indented(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split('\n')
  } catch {
    return [JSON.stringify(body)]
  }
}
