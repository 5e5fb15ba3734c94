import type { Command } from 'commander'
import { styleText } from 'node:util'
import { tokenType } from '../access/token-format.ts'
import { makeDemoWorld } from '../catalogue/make-demo-world.ts'
import { UsageError } from '../errors.ts'
import { configFromEnvironment, withDatabase, writeLines } from './run-command.ts'
import { surroundings } from './surroundings.ts'
import { assertServes, laterDays, offers, openTour, type Tour } from './tour-steps.ts'

interface Options {
  url?: string
  publishableKey?: string
  businessKey?: string
}

interface Keys {
  publishable: string
  business: string
}

/** `holdfast tour`: walks through a booking against a running service and shows each request and answer. */
export function addTour(program: Command): void {
  program
    .command('tour')
    .description('walk session, hold, booking, reschedule, cancel against a running service')
    .option('--url <url>', 'where it runs (default: HOST and PORT of the configuration)')
    .option('--publishable-key <key>', 'of a business; without keys the demo world of DATABASE_URL is used')
    .option('--business-key <key>', 'of the same business, on the plan enterprise')
    .addHelpText('after', '\nExample:\n  $ holdfast tour --url http://127.0.0.1:3000')
    .action(async (options: Options) => {
      const given = givenKeys(options)
      const url = options.url === undefined ? ownAddress() : checkUrl(options.url)
      await assertServes(url) // before the demo world is made for nothing
      const keys = given ?? (await demoKeys())
      await walk(
        openTour(url, (line) => writeLines([line])),
        keys,
      )
      const end = styleText('bold', 'That was it.', { stream: surroundings().stdout })
      writeLines(['', `${end} The booking is cancelled: "holdfast booking list" shows it.`])
    })
}

function givenKeys({ publishableKey, businessKey }: Options): Keys | undefined {
  if (publishableKey === undefined && businessKey === undefined) {
    if (configFromEnvironment().environment !== 'production') return undefined
    throw new UsageError('NODE_ENV is production: give --publishable-key and --business-key.')
  }
  if (publishableKey === undefined || businessKey === undefined) {
    throw new UsageError('Give both --publishable-key and --business-key, or none of them.')
  }
  if (tokenType(publishableKey) !== 'publishable') {
    throw new UsageError('--publishable-key is no publishable key; one begins with cal_pub_.')
  }
  if (tokenType(businessKey) !== 'business') {
    throw new UsageError('--business-key is no business key; one begins with cal_biz_.')
  }
  return { publishable: publishableKey, business: businessKey }
}

async function demoKeys(): Promise<Keys> {
  const { businesses } = await withDatabase((context) => makeDemoWorld(context))
  const [demo] = businesses
  if (!demo) throw new Error('the demo world has no business')
  return { publishable: demo.publishable_key, business: demo.business_key }
}

function checkUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '')
  throw new UsageError(`--url has the form http://127.0.0.1:3000; "${text}" has not.`)
}

function ownAddress(): string {
  const { host, port } = configFromEnvironment()
  if (port === 0)
    throw new UsageError('PORT is 0, which takes any free one: give --url, as the server printed it.')
  const everywhere = host === '0.0.0.0' || host === '::'
  const reachable = everywhere ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

async function walk(tour: Tour, keys: Keys): Promise<void> {
  const session = await tour.step('A widget exchanges its publishable key for a session token', {
    method: 'POST',
    path: '/session',
    token: keys.publishable,
  })
  const token = String(session['session_token'])
  const services = await tour.step('It reads what can be booked', { method: 'GET', path: '/services', token })
  const bookable = offers(services)
  const { answer: slot, place } = await tour.firstOf(
    'It asks for the next free slot',
    bookable.map((ids) => ({
      method: 'GET',
      path: `/availability/soonest?${new URLSearchParams(ids).toString()}`,
      token,
    })),
  )
  const hold = await tour.step('It holds the slot: nobody else can take it now', {
    method: 'POST',
    path: '/bookings/hold',
    token,
    body: { ...bookable[place], starts_at: slot['starts_at'] },
  })
  const booking = await tour.step('The hold becomes a booking', {
    method: 'POST',
    path: '/bookings',
    token,
    body: {
      hold_id: hold['hold_id'],
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      notes: 'From the tour',
    },
  })
  const asBusiness = { path: `/bookings/${String(booking['id'])}`, token: keys.business }
  await tour.step('The business looks at it', { ...asBusiness, method: 'GET' })
  await tour.firstOf(
    'The business moves it to another day',
    laterDays(String(booking['starts_at'])).map((starts_at) => ({
      ...asBusiness,
      method: 'PATCH',
      body: { starts_at },
    })),
  )
  await tour.step('The business cancels it; the slot is free at once', { ...asBusiness, method: 'DELETE' })
}
