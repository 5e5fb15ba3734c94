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
import { OperatorError, Problem, problemKinds, UsageError } from './errors.ts'
import { redact } from './log.ts'

const usageExitCode = 2

/** The `holdfast` command with all that it can do. */
function createProgram(): Command {
  const program = new Command('holdfast')
    .description('Self-hosted appointment booking: hold a slot, then book it.')
    .version(packageJson.version)
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
  addServe(program)
  addMigrate(program)
  addDemo(program)
  addDoctor(program)
  addTour(program)
  group(program, 'hub', 'platforms with many businesses', [addHubCreate, addHubList, addHubUpdate])
  group(program, 'business', 'those who offer services', [
    addBusinessCreate,
    addBusinessList,
    addBusinessShow,
    addBusinessUpdate,
  ])
  group(program, 'key', 'keys for the API', [addKeyCreate, addKeyList, addKeyRevoke])
  group(program, 'booking', 'what clients have booked', [
    addBookingList,
    addBookingShow,
    addBookingReschedule,
    addBookingCancel,
    addBookingComplete,
  ])
  group(program, 'session', 'tokens as a widget has them', [addSessionCreate])
  return program
}

function group(
  program: Command,
  name: string,
  description: string,
  commands: ((parent: Command) => void)[],
): void {
  const parent = program.command(name).description(description)
  for (const add of commands) add(parent)
}

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Tells people what went wrong; the stack of what nobody foresaw too. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // it has said why
  const known = error instanceof OperatorError || error instanceof Problem
  const text = known
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : 'unknown error'
  process.stderr.write(`holdfast: ${redact(text)}\n`)
  return isUsage(error) ? usageExitCode : 1
}

/** Whether another command line would have done: something unknown or impossible was asked for. */
function isUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof Problem && [404, 422].includes(problemKinds[error.code].status)
}
