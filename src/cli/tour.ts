import type { Command } from 'commander'
import { styleText } from 'node:util'
import { makeDemoWorld } from '../catalogue/make-demo-world.ts'
import { UsageError } from '../errors.ts'
import { configFromEnvironment, withDatabase } from './run-command.ts'
import { offers, openTour, type Tour } from './tour-steps.ts'

interface Options {
  url?: string
  publishableKey?: string
  businessKey?: string
}

/** `holdfast tour`: walks through a booking against a running service and shows each request and answer. */
export function addTour(program: Command): void {
  program
    .command('tour')
    .description('walk session, hold, booking, reschedule, cancel against a running service')
    .option('--url <url>', 'where it runs (default: http://127.0.0.1 and PORT)')
    .option('--publishable-key <key>', 'of a business; without keys the demo world of DATABASE_URL is used')
    .option('--business-key <key>', 'of the same business')
    .addHelpText('after', '\nExample:\n  $ holdfast tour --url http://127.0.0.1:3000')
    .action(async (options: Options) => {
      const keys = await keysOf(options)
      const url = options.url ?? `http://127.0.0.1:${configFromEnvironment().port}`
      const tour = openTour(url, (line) => process.stdout.write(`${line}\n`))
      await walk(tour, keys)
      process.stdout.write(`\n${styleText('bold', 'That was it.', { stream: process.stdout })}\n`)
    })
}

async function keysOf({
  publishableKey,
  businessKey,
}: Options): Promise<{ publishable: string; business: string }> {
  if (publishableKey !== undefined && businessKey !== undefined) {
    return { publishable: publishableKey, business: businessKey }
  }
  if (publishableKey !== undefined || businessKey !== undefined) {
    throw new UsageError('Give both --publishable-key and --business-key, or none of them.')
  }
  if (configFromEnvironment().environment === 'production') {
    throw new UsageError('NODE_ENV is production: give --publishable-key and --business-key.')
  }
  const { businesses } = await withDatabase((context) => makeDemoWorld(context))
  const [demo] = businesses
  if (!demo) throw new Error('the demo world has no business')
  return { publishable: demo.publishable_key, business: demo.business_key }
}

async function walk(tour: Tour, keys: { publishable: string; business: string }): Promise<void> {
  const session = await tour.step('A widget exchanges its publishable key for a session token', {
    method: 'POST',
    path: '/session',
    token: keys.publishable,
  })
  const token = String(session['session_token'])
  const services = await tour.step('It reads what can be booked', { method: 'GET', path: '/services', token })
  const hold = await tour.firstOf(
    'It holds a slot: nobody else can take it now',
    offers(services).map((body) => ({ method: 'POST', path: '/bookings/hold', token, body })),
  )
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
  const path = `/bookings/${String(booking['id'])}`
  const later = Temporal.Instant.from(String(booking['starts_at'])).add({ hours: 24 }).toString()
  const asBusiness = { path, token: keys.business }
  await tour.step('The business looks at it', { ...asBusiness, method: 'GET' })
  await tour.step('The business moves it by a day', {
    ...asBusiness,
    method: 'PATCH',
    body: { starts_at: later },
  })
  await tour.step('The business cancels it; the slot is free at once', { ...asBusiness, method: 'DELETE' })
}
