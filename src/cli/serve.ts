import type { Command } from 'commander'
import type { App } from '../app.ts'
import { isInUse, makeDemoWorldIfEmpty, type DemoWorld } from '../catalogue/make-demo-world.ts'
import { misspelledVariables, readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { createContext } from '../create-context.ts'
import { OperatorError } from '../errors.ts'
import { checkDeposits } from '../payments/check-deposits.ts'
import { makeCurrentWidget } from './current-widget.ts'
import { demoLines } from './demo.ts'
import { firstBookingLines } from './first-booking.ts'
import { logReplacement, writeLines } from './run-command.ts'
import { startTracing } from './start-tracing.ts'
import { surroundings } from './surroundings.ts'

/** The process ends at the latest this long after it was asked to, whatever hangs. */
const longestStopMs = 9_800

/** `holdfast serve`: runs the service until it is told to stop. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service (npm start)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast serve\n  $ PORT=8080 DATABASE_URL=postgres://localhost/holdfast holdfast serve',
    )
    .action(serve)
}

async function serve(): Promise<void> {
  const variables = surroundings().variables()
  const context = await createContext(readConfig(variables), logReplacement())
  for (const warning of misspelledVariables(variables)) context.log.warn(warning)
  const stopTracing = await startTracing(context)
  await makeCurrentWidget(context)
  const { app, ...found } = await start(context)
  for (const { detail, fix } of await checkDeposits(context)) context.log.warn({ fix }, detail)
  stopOnSignal(app, stopTracing)
  const address = await listen(app)
  context.log.info({ address, engine: context.db.engine, environment: context.config.environment }, 'serving')
  writeLines(['', ...welcome(context, address, found), ''])
}

/** What was found in the database: a world that was just made, or whether there was any business before. */
interface Found {
  world: DemoWorld | undefined
  inUse: boolean
}

async function start(context: Context): Promise<Found & { app: App }> {
  try {
    context.db.lockForServer()
    const ran = await context.db.migrate()
    if (ran.length > 0) context.log.info({ migrations: ran }, 'the schema was brought up to date')
    const seeds = context.config.environment === 'development'
    const world = seeds ? await makeDemoWorldIfEmpty(context) : undefined
    const { createApp } = await import('../app.ts') // late: "holdfast --help" does without the whole server
    return { world, inUse: await isInUse(context), app: await createApp(context) }
  } catch (error) {
    await context.db.close()
    throw error
  }
}

async function listen(app: App): Promise<string> {
  try {
    return await app.listen()
  } catch (error) {
    await app.stop()
    const { host, port } = app.context.config
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new OperatorError(
        `PORT: another program already listens on ${host}:${port}. Set PORT to a free one.`,
      )
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new OperatorError(`HOST and PORT: cannot listen on ${host}:${port} (${code}).`)
    }
    throw error
  }
}

function welcome(context: Context, address: string, { world, inUse }: Found): string[] {
  const head = `Holdfast serves ${address}`
  if (world) {
    return [
      head,
      '',
      'The database was empty, so it now holds a demo world. Its keys are shown only now (npx holdfast demo makes new ones):',
      '',
      ...demoLines(world),
      '',
      'A first booking: paste these lines into another terminal.',
      '',
      ...firstBookingLines(address, world, context.clock.now()),
    ]
  }
  if (inUse) return [head]
  return [
    head,
    '',
    'There is no business yet. Make one, and keys for it:',
    '  npx holdfast business create "My business" --timezone Europe/Berlin',
    '  npx holdfast key create --business <id>',
    '  npx holdfast key create --business <id> --type publishable',
    'A platform with many businesses begins with: npx holdfast hub create "My platform"',
  ]
}

/** SIGTERM and SIGINT stop the server; a second one changes nothing (a launcher may pass on what the terminal sent). */
function stopOnSignal(app: App, stopTracing: () => Promise<void>): void {
  const { log } = app.context
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping: what is in flight finishes')
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, longestStopMs).unref()
    app
      .stop()
      .then(stopTracing)
      .then(
        () => {
          log.info('stopped')
          process.exit(0)
        },
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
