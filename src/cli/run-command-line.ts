import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { DatabaseUnavailable } from '../database/database.ts'
import { OperatorError, Problem, problemKinds, UsageError } from '../errors.ts'
import { redact } from '../log.ts'
import { surroundings } from './surroundings.ts'

const usageExitCode = 2

/**
 * What can be done, by its first word. A command is loaded when it is asked for: the server's parts alone would
 * double the time that each of the others takes to start.
 */
const commands: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  demo: async () => (await import('./demo.ts')).addDemo,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./restore.ts')).addRestore,
  tour: async () => (await import('./tour.ts')).addTour,
  'race-test': async () => (await import('./race-test.ts')).addRaceTest,
  hub: async () => (await import('./hub.ts')).addHub,
  business: async () => (await import('./business.ts')).addBusiness,
  key: async () => (await import('./key.ts')).addKey,
  service: async () => (await import('./service.ts')).addService,
  location: async () => (await import('./location.ts')).addLocation,
  staff: async () => (await import('./staff.ts')).addStaff,
  block: async () => (await import('./block.ts')).addBlock,
  import: async () => (await import('./import.ts')).addImport,
  export: async () => (await import('./export.ts')).addExport,
  booking: async () => (await import('./booking.ts')).addBooking,
  payments: async () => (await import('./payments.ts')).addPayments,
  webhook: async () => (await import('./webhook.ts')).addWebhook,
  session: async () => (await import('./session.ts')).addSession,
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
    .configureOutput({
      writeOut: (text) => surroundings().stdout.write(text),
      writeErr: (text) => surroundings().stderr.write(text),
    })
  const wanted = commands[firstWord] ? { [firstWord]: commands[firstWord] } : commands
  for (const load of Object.values(wanted)) (await load())(program)
  return program
}

/** Runs one command of `holdfast`. What goes wrong is told on the standard error and by the exit code. */
export async function runCommandLine(args: string[]): Promise<void> {
  try {
    await (await createProgram(args[0])).parseAsync(args, { from: 'user' })
  } catch (error) {
    surroundings().endWith(report(error))
  }
}

/** Tells people what went wrong; the stack of what nobody foresaw too. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // it has said why
  surroundings().stderr.write(`holdfast: ${redact(textOf(error))}\n`)
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
