import { CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { OperatorError, Problem, type ProblemCode, problemKinds, UsageError } from '../base/errors.ts'
import { redact } from '../base/log.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { CliCommand, commandIO } from './command-line.ts'

const usageExitCode = 2
const seeHelp = 'See --help.'

/**
 * Commands by first word, each loaded on demand. Loading the server's modules alone would double the startup
 * time of the others.
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
  trigger: async () => (await import('./trigger.ts')).registerTrigger,
  'race-test': async () => (await import('./race-test.ts')).registerRaceTest,
  hub: async () => (await import('./hub.ts')).registerHubCommands,
  business: async () => (await import('./business.ts')).registerBusinessCommands,
  user: async () => (await import('./user.ts')).registerUserCommands,
  key: async () => (await import('./key.ts')).registerKeyCommands,
  logs: async () => (await import('./key.ts')).registerLogs,
  service: async () => (await import('./service.ts')).registerServiceCommands,
  location: async () => (await import('./location.ts')).registerLocationCommands,
  staff: async () => (await import('./staff.ts')).registerStaffCommands,
  resource: async () => (await import('./resource.ts')).registerResourceCommands,
  block: async () => (await import('./block.ts')).registerBlockCommands,
  coupon: async () => (await import('./coupon.ts')).registerCouponCommands,
  import: async () => (await import('./catalogue-file.ts')).registerImport,
  export: async () => (await import('./catalogue-file.ts')).registerExport,
  booking: async () => (await import('./booking.ts')).registerBookingCommands,
  waitlist: async () => (await import('./waitlist.ts')).registerWaitlistCommands,
  client: async () => (await import('./client.ts')).registerClientCommands,
  mail: async () => (await import('./mail.ts')).registerMailCommands,
  message: async () => (await import('./mail.ts')).registerMessageCommands,
  payments: async () => (await import('./payments.ts')).registerPaymentCommands,
  'busy-calendar': async () => (await import('./busy-calendar.ts')).registerBusyCalendarCommands,
  feed: async () => (await import('./feed.ts')).registerFeedCommands,
  mcp: async () => (await import('./mcp.ts')).registerMcp,
  webhook: async () => (await import('./webhook.ts')).registerWebhookCommands,
  audit: async () => (await import('./audit.ts')).registerAudit,
  widget: async () => (await import('./widget.ts')).registerWidgetCommands,
  session: async () => (await import('./session.ts')).registerSessionCommands,
  completion: async () => {
    const { registerCompletion } = await import('./completion.ts')
    return (program) => {
      registerCompletion(program, () => createProgram({ firstWord: '', json: false }))
    }
  },
}

/**
 * Runs one `holdfast` command. Reports errors on standard error, as JSON with `--json`, and by the exit code.
 */
export async function runCommandLine(args: string[]): Promise<void> {
  const json = args.includes('--json')
  try {
    const program = await createProgram({ firstWord: args[0] ?? '', json })
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    commandIO().endWith(report(error, json))
  }
}

/**
 * Returns the `holdfast` command with the subcommand named by `firstWord`. For help and unknown words,
 * includes all of them.
 */
async function createProgram({ firstWord, json }: { firstWord: string; json: boolean }): Promise<CliCommand> {
  const program = new CliCommand('holdfast')
    .description('Self-hosted appointment booking: hold a slot, then book it.')
    .version(packageJson.version)
    .examples('serve', 'tour', 'booking list --status confirmed')
    .addHelpText('after', '\nEvery command has --help with an example.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => commandIO().stdout.write(text),
      writeErr: (text) => json || commandIO().stderr.write(text), // prints the help of a group without a command
      outputError: () => undefined, // `report` prints it in one line
    })
  const wanted = commands[firstWord] ? { [firstWord]: commands[firstWord] } : commands
  for (const load of Object.values(wanted)) (await load())(program)
  return program
}

/** An error as the command line reports it. */
interface Told {
  message: string
  /** A sentence that says what to do. */
  fix?: string | undefined
  /** `usage`, `internal`, or a code of the API. */
  code?: string
}

/** Prints the error, with a stack trace if it is a bug. Returns the exit code. */
function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0 // it printed help or the version
  const { message, fix, code } = toldOf(error)
  const { stderr } = commandIO()
  if (json) {
    const told = { message: redact(message), fix: fix && redact(fix), code }
    stderr.write(`${JSON.stringify({ error: told })}\n`)
  } else if (!(error instanceof CommanderError && error.code === 'commander.help')) {
    const isForm = error instanceof CommanderError && fix !== seeHelp
    const said = [message, fix, ...(isForm ? [seeHelp] : [])].filter(Boolean).join(' ')
    stderr.write(`holdfast: ${redact(said)}\n`)
  }
  return isUsage(error) ? usageExitCode : 1
}

function toldOf(error: unknown): Told {
  if (error instanceof CommanderError) return toldOfCommander(error)
  if (error instanceof OperatorError) {
    const { message, fix } = error
    return { message, fix, ...(isUsage(error) && { code: 'usage' }) }
  }
  if (error instanceof Problem) return { message: error.message, code: error.code }
  if (error instanceof DatabaseUnavailable) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return {
      message: `The database is unavailable (${reason}).`,
      fix: 'Retry, or run "holdfast doctor" to find the cause.',
      code: 'unavailable' satisfies ProblemCode,
    }
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : 'unknown error'
  return { message, code: 'internal' satisfies ProblemCode }
}

/**
 * Splits "error: unknown command 'serv'\n(Did you mean serve?)" into message and hint. Commander itself shows
 * the help if the command is missing.
 */
function toldOfCommander({ code, message }: CommanderError): Told {
  if (code === 'commander.help') return { message: 'A command is missing.', fix: seeHelp, code: 'usage' }
  const [first = '', hint = `(${seeHelp})`] = message.replace(/^error: /, '').split('\n')
  return { message: first.replace(/\.?$/, '.'), fix: hint.slice(1, -1), code: 'usage' }
}

/** Returns true if the command line is at fault. */
function isUsage(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof CommanderError) return true
  return error instanceof Problem && [404, 422].includes(problemKinds[error.code].status)
}
