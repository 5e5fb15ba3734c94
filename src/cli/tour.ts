import { styleText } from 'node:util'
import { assertServes, type TourKeys, walkTour } from '../../tools/tour.ts'
import { tokenType } from '../access/token.ts'
import { UsageError } from '../base/errors.ts'
import { seedDemoData } from '../catalogue/demo-world.ts'
import {
  type CliCommand,
  commandIO,
  configFromEnvironment,
  withDatabase,
  writeLines,
} from './command-line.ts'
import { readUrl } from './input.ts'

interface Options {
  url?: string
  publishableKey?: string
  businessKey?: string
}

export function registerTour(program: CliCommand): void {
  program
    .command('tour')
    .description('walk through session, hold, booking, reschedule and cancel against a running server')
    .option('--url <url>', "the server's URL (default: from HOST and PORT)")
    .option('--publishable-key <key>', 'key of a business; without keys, the tour uses the demo businesses')
    .option('--business-key <key>', 'key of the same business; needs the Enterprise plan')
    .examples('tour --url http://127.0.0.1:3000')
    .action(async (options: Options) => {
      const bold = (text: string) => styleText('bold', text, { stream: commandIO().stdout })
      const given = keysIn(options)
      const url = options.url === undefined ? ownAddress() : readUrl(options.url)
      await assertServes(url) // checked first, because an unreachable server needs no demo businesses
      await walkTour(url, given ?? (await demoKeys()), {
        title: (text) => writeLines(['', bold(`# ${text}`)]),
        line: (text) => writeLines([text]),
      })
      writeLines(['', `${bold('Done.')} The booking is cancelled: "holdfast booking list" shows it.`])
    })
}

function keysIn({ publishableKey, businessKey }: Options): TourKeys | undefined {
  if (publishableKey === undefined && businessKey === undefined) {
    if (configFromEnvironment().environment !== 'production') return undefined
    throw new UsageError('NODE_ENV is production: give --publishable-key and --business-key.')
  }
  if (publishableKey === undefined || businessKey === undefined) {
    throw new UsageError('Give both --publishable-key and --business-key, or neither.')
  }
  if (tokenType(publishableKey) !== 'publishable') {
    throw new UsageError('--publishable-key is not a publishable key; one begins with cal_pub_.')
  }
  if (tokenType(businessKey) !== 'business') {
    throw new UsageError('--business-key is not a business key; one begins with cal_biz_.')
  }
  return { publishable: publishableKey, business: businessKey }
}

function ownAddress(): string {
  const { host, port } = configFromEnvironment()
  if (port === 0)
    throw new UsageError('PORT is 0 (any free port): give the URL that the server printed with --url.')
  const everywhere = host === '0.0.0.0' || host === '::'
  const reachable = everywhere ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

async function demoKeys(): Promise<TourKeys> {
  const { businesses } = await withDatabase(seedDemoData)
  const [demo] = businesses
  if (!demo) throw new Error('the demo world has no business')
  return { publishable: demo.publishable_key, business: demo.business_key }
}
