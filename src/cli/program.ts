import { CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { OperatorError, Problem, problemKinds, UsageError } from '../base/errors.ts'
import { redact } from '../base/log.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { CliCommand, commandIO } from './command-line.ts'

const usageExitCode = 2

/**
 * The commands, by first word. Each is loaded on demand: the server's modules alone would double the start time of the
 * others.
 */
const commands: Record<string, () => Promise<(program: CliCommand) => void>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  demo: async () => (await import('./demo.ts')).registerDemo,
  setup: async () => (await import('./setup.ts')).registerSetup,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  backup: async () => (await import('./backup.ts')).registerBackup,
  restore: async () => (await import('./backup.ts')).registerRestore,
  copy: async () => (await import('./copy.ts')).registerCopy,
  tour: async () => (await import('./tour.ts')).registerTour,
  'race-test': async () => (await import('./race-test.ts')).registerRaceTest,
  hub: async () => (await import('./hub.ts')).registerHubCommands,
  business: async () => (await import('./business.ts')).registerBusinessCommands,
  key: async () => (await import('./key.ts')).registerKeyCommands,
  service: async () => (await import('./service.ts')).registerServiceCommands,
  location: async () => (await import('./location.ts')).registerLocationCommands,
  staff: async () => (await import('./staff.ts')).registerStaffCommands,
  block: async () => (await import('./block.ts')).registerBlockCommands,
  import: async () => (await import('./catalogue-file.ts')).registerImport,
  export: async () => (await import('./catalogue-file.ts')).registerExport,
  booking: async () => (await import('./booking.ts')).registerBookingCommands,
  client: async () => (await import('./client.ts')).registerClientCommands,
  payments: async () => (await import('./payments.ts')).registerPaymentCommands,
  webhook: async () => (await import('./webhook.ts')).registerWebhookCommands,
  session: async () => (await import('./session.ts')).registerSessionCommands,
}

/** Runs one command of `holdfast`. Reports errors on standard error and by the exit code. */
export async function runCommandLine(args: string[]): Promise<void> {
  try {
    await (await createProgram(args[0])).parseAsync(args, { from: 'user' })
  } catch (error) {
    commandIO().endWith(report(error))
  }
}

/** The `holdfast` command with the one that `firstWord` names, or with all for help and unknown words. */
async function createProgram(firstWord = ''): Promise<CliCommand> {
  const program = new CliCommand('holdfast')
    .description('Self-hosted appointment booking: hold a slot, then book it.')
    .version(packageJson.version)
    .showHelpAfterError('(see --help)')
    .examples('serve', 'tour', 'booking list --status confirmed')
    .addHelpText('after', '\nEvery command has --help with an example.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => commandIO().stdout.write(text),
      writeErr: (text) => commandIO().stderr.write(text),
    })
  const wanted = commands[firstWord] ? { [firstWord]: commands[firstWord] } : commands
  for (const load of Object.values(wanted)) (await load())(program)
  return program
}

/** Prints the error, with a stack if it is a bug. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // it has said why
  commandIO().stderr.write(`holdfast: ${redact(textOf(error))}\n`)
  return isUsage(error) ? usageExitCode : 1
}

function textOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof Problem) return error.message
  if (error instanceof DatabaseUnavailable) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return `The database is unavailable (${reason}). Retry; "holdfast doctor" may say more.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : 'unknown error'
}

/** Whether the command line is at fault. */
function isUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof Problem && [404, 422].includes(problemKinds[error.code].status)
}
