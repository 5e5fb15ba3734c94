import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { DatabaseUnavailable } from './database/database.ts'
import { OperatorError, Problem, problemKinds, UsageError } from './errors.ts'
import { redact } from './log.ts'

const usageExitCode = 2

/**
 * What can be done, by its first word. A command is loaded when it is asked for: the server's parts alone would
 * double the time that each of the others takes to start.
 */
const commands: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./cli/serve.ts')).addServe,
  migrate: async () => (await import('./cli/migrate.ts')).addMigrate,
  demo: async () => (await import('./cli/demo.ts')).addDemo,
  doctor: async () => (await import('./cli/doctor.ts')).addDoctor,
  backup: async () => (await import('./cli/backup.ts')).addBackup,
  restore: async () => (await import('./cli/restore.ts')).addRestore,
  tour: async () => (await import('./cli/tour.ts')).addTour,
  'race-test': async () => (await import('./cli/race-test.ts')).addRaceTest,
  hub: async () => (await import('./cli/hub.ts')).addHub,
  business: async () => (await import('./cli/business.ts')).addBusiness,
  key: async () => (await import('./cli/key.ts')).addKey,
  service: async () => (await import('./cli/service.ts')).addService,
  location: async () => (await import('./cli/location.ts')).addLocation,
  staff: async () => (await import('./cli/staff.ts')).addStaff,
  block: async () => (await import('./cli/block.ts')).addBlock,
  import: async () => (await import('./cli/import.ts')).addImport,
  export: async () => (await import('./cli/export.ts')).addExport,
  booking: async () => (await import('./cli/booking.ts')).addBooking,
  payments: async () => (await import('./cli/payments.ts')).addPayments,
  webhook: async () => (await import('./cli/webhook.ts')).addWebhook,
  session: async () => (await import('./cli/session.ts')).addSession,
}

/** The `holdfast` command with what the first word asks for; with all that it can do when that is help, or a mistake. */
async function createProgram(firstWord = ''): Promise<Command> {
  const program = new Command('holdfast')
    .description('Self-hosted appointment booking: hold a slot, then book it.')
    .version(packageJson.version)
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast serve\n  $ holdfast tour\n  $ holdfast booking list --status confirmed' +
        '\n\nEvery command has --help with an example.',
    )
    .exitOverride()
  const wanted = commands[firstWord] ? { [firstWord]: commands[firstWord] } : commands
  for (const load of Object.values(wanted)) (await load())(program)
  return program
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
try {
  await (await createProgram(process.argv[2])).parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/**
 * A reader such as `head` that has seen enough closes the pipe: no fault of the command. A server goes on without its
 * reader; to end here would cut off what is in flight.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (process.argv[2] !== 'serve') process.exit()
}

/** Tells people what went wrong; the stack of what nobody foresaw too. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // it has said why
  process.stderr.write(`holdfast: ${redact(textOf(error))}\n`)
  return isUsage(error) ? usageExitCode : 1
}

function textOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof Problem) return error.message
  if (error instanceof DatabaseUnavailable) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return `The database cannot be used now (${reason}). Try again; "holdfast doctor" may say more.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : 'unknown error'
}

/** Whether another command line would have done: something unknown or impossible was asked for. */
function isUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof Problem && [404, 422].includes(problemKinds[error.code].status)
}
