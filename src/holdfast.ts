import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addBookingCancel } from './cli/booking-cancel.ts'
import { addBookingComplete } from './cli/booking-complete.ts'
import { addBookingList } from './cli/booking-list.ts'
import { addBookingReschedule } from './cli/booking-reschedule.ts'
import { addBookingShow } from './cli/booking-show.ts'
import { addBusinessCreate } from './cli/business-create.ts'
import { addBusinessList } from './cli/business-list.ts'
import { addBusinessShow } from './cli/business-show.ts'
import { addBusinessUpdate } from './cli/business-update.ts'
import { addDemo } from './cli/demo.ts'
import { addDoctor } from './cli/doctor.ts'
import { addHubCreate } from './cli/hub-create.ts'
import { addHubList } from './cli/hub-list.ts'
import { addHubUpdate } from './cli/hub-update.ts'
import { addKeyCreate } from './cli/key-create.ts'
import { addKeyList } from './cli/key-list.ts'
import { addKeyRevoke } from './cli/key-revoke.ts'
import { addMigrate } from './cli/migrate.ts'
import { addServe } from './cli/serve.ts'
import { addSessionCreate } from './cli/session-create.ts'
import { addTour } from './cli/tour.ts'
import { DatabaseUnavailable } from './database/database.ts'
import { OperatorError, Problem, problemKinds, UsageError } from './errors.ts'
import { redact } from './log.ts'

const usageExitCode = 2

/** The `holdfast` command with all that it can do. */
function createProgram(): Command {
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
  addServe(program)
  addMigrate(program)
  addDemo(program)
  addDoctor(program)
  addTour(program)
  for (const group of groups) {
    const parent = program.command(group.name).description(group.description)
    parent.addHelpText('after', `\nExample:\n  $ holdfast ${group.name} ${group.example}`)
    for (const add of group.commands) add(parent)
  }
  return program
}

const groups = [
  {
    name: 'hub',
    description: 'platforms with many businesses',
    example: 'list',
    commands: [addHubCreate, addHubList, addHubUpdate],
  },
  {
    name: 'business',
    description: 'those who offer services',
    example: 'create "Salon Spree" --timezone Europe/Berlin',
    commands: [addBusinessCreate, addBusinessList, addBusinessShow, addBusinessUpdate],
  },
  {
    name: 'key',
    description: 'keys for the API',
    example: 'create --business 0198…',
    commands: [addKeyCreate, addKeyList, addKeyRevoke],
  },
  {
    name: 'booking',
    description: 'what clients have booked',
    example: 'list --status confirmed',
    commands: [addBookingList, addBookingShow, addBookingReschedule, addBookingCancel, addBookingComplete],
  },
  {
    name: 'session',
    description: 'tokens as a widget has them',
    example: 'create --business 0198…',
    commands: [addSessionCreate],
  },
]

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** A reader such as `head` that has seen enough closes the pipe: no fault of the command. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit()
  throw error
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
