import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addBusinessCreate } from './cli/business-create.ts'
import { addDemo } from './cli/demo.ts'
import { addHubCreate } from './cli/hub-create.ts'
import { addKeyCreate } from './cli/key-create.ts'
import { addMigrate } from './cli/migrate.ts'
import { addServe } from './cli/serve.ts'
import { OperatorError, UsageError } from './errors.ts'
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
  addHubCreate(program.command('hub').description('platforms with many businesses'))
  addBusinessCreate(program.command('business').description('those who offer services'))
  addKeyCreate(program.command('key').description('keys for the API'))
  return program
}

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Tells people what went wrong; the stack of what nobody foresaw too. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // it has said why
  const known = error instanceof OperatorError
  const text = known
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : 'unknown error'
  process.stderr.write(`holdfast: ${redact(text)}\n`)
  return error instanceof UsageError ? usageExitCode : 1
}
