import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import Table from 'cli-table3'
import { Command } from 'commander'
import type { DestinationStream } from 'pino'
import { type Config, environmentVariables, readConfig } from '../base/config.ts'
import { OperatorError } from '../base/errors.ts'
import { formatInstant, isInstant } from '../base/instants.ts'
import type { Context } from '../bookings/context.ts'
import { createContext } from '../operate/open.ts'

/** What a command has of the process that it runs in. */
interface CommandIO {
  /** Asked for on demand: opening it would keep other commands from ending. */
  stdin?: () => NodeJS.ReadableStream & { isTTY?: boolean }
  /** Throws an OperatorError when they cannot be read. */
  variables: () => Record<string, string | undefined>
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  /** Replaces the standard output as the target of the log. */
  logStream?: DestinationStream
  /** Sets the exit code; 0 without a call. */
  endWith: (exitCode: number) => void
}

/** A page as the API's lists give it. */
interface Page<Row> {
  data: Row[]
  next_cursor: string | null
}

/** The columns of a table: each heading with its cell. */
export type Columns<Row> = Record<string, (row: Row) => string>

interface TableTexts<Row> {
  /** Says what is listed, and whose it is. */
  title: string
  columns: Columns<Row>
}

const ofProcess: CommandIO = {
  variables: environmentVariables,
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  // at once: whatever ends the process early, such as a closed pipe, ends it with this code
  endWith: (exitCode) => {
    process.exitCode = exitCode
  },
}

/** Commander hands actions nothing but options; so several commands in one process find their own IO here. */
const replacement = new AsyncLocalStorage<CommandIO>()

const noBorder = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
}

/** The IO of the running command: of the process, unless `runWithin` replaced it. */
export function commandIO(): CommandIO {
  return replacement.getStore() ?? ofProcess
}

/** What to type before a command: as the user has just done it. npm tells what it runs. */
export function calledAs(): string {
  return commandIO().variables()['npm_command'] === 'exec' ? 'npx holdfast' : 'holdfast'
}

/** Runs a command with this IO in place of the process's. */
export function runWithin<T>(io: CommandIO, work: () => Promise<T>): Promise<T> {
  return replacement.run(io, work)
}

/** A command of `holdfast`, with the options that many of them share. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  /** Adds a command that only groups others. */
  group(name: string, description: string, example: string): CliCommand {
    return this.command(name).description(description).examples(`${name} ${example}`)
  }

  withPages(limit?: string): this {
    return this.option(
      '--limit <number>',
      `page size, 1 to 100${limit === undefined ? ' (default: 20)' : ''}`,
      limit,
    ).withCursor()
  }

  withCursor(): this {
    return this.option('--cursor <cursor>', 'show the next page; the previous page ends with its cursor')
  }

  withJson(): this {
    return this.option('--json', 'print JSON, errors too')
  }

  /** Adds examples to the help, each without the leading `holdfast`. */
  examples(...lines: string[]): this {
    const heading = lines.length === 1 ? 'Example:' : 'Examples:'
    return this.addHelpText('after', ['', heading, ...lines.map((line) => `  $ holdfast ${line}`)].join('\n'))
  }
}

/** The configuration from the environment. Throws an OperatorError that names each fault. */
export function configFromEnvironment(): Config {
  return readConfig(commandIO().variables())
}

/** Opens the database for a command. Logs errors only, because the output is the command's result. */
export function openContext(): Promise<Context> {
  return createContext({ ...configFromEnvironment(), logLevel: 'error' }, logReplacement())
}

/** Where a command's log goes, for createContext. */
export function logReplacement(): { logStream?: DestinationStream } {
  const { logStream } = commandIO()
  return logStream ? { logStream } : {}
}

/** Runs work over an open database with an up-to-date schema. A server may run at the same time. */
export async function withDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext()
  try {
    await context.db.migrate()
    return await work(context)
  } finally {
    await context.db.close()
  }
}

/** Like withDatabase, but creates no SQLite file: in the wrong directory, an empty one would look like lost data. */
export async function withExistingDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const { database } = configFromEnvironment()
  if (database.engine === 'sqlite' && !existsSync(database.file)) {
    throw noDatabase(database.file, '; "holdfast serve" and "holdfast migrate" create one')
  }
  return withDatabase(work)
}

/** The error for a missing SQLite file. */
export function noDatabase(file: string, more = ''): OperatorError {
  return new OperatorError(`There is no database at ${file}.`, {
    fix: `Run this where the server runs, or set DATABASE_URL as the server has it${more}.`,
  })
}

/** Prints lines for people, or the data as JSON. */
export function print(data: unknown, json: boolean | undefined, lines: () => string[]): void {
  writeLines(json ? [JSON.stringify(data, asApi, 2)] : lines())
}

/** Writes instants of rows as the API shows times, in UTC. */
function asApi(name: string, value: unknown): unknown {
  return name.endsWith('_at') && typeof value === 'string' && isInstant(value)
    ? formatInstant(value, 'UTC')
    : value
}

/** Prints rows as a table under a title, or as JSON in the shape of a page: these lists have one only. */
export function printTable<Row>(
  rows: Row[],
  json: boolean | undefined,
  { title, columns }: TableTexts<Row>,
): void {
  print({ data: rows, next_cursor: null }, json, () => [title, ...rowLines(rows, columns)])
}

/** Prints one page of a list under a title, and the cursor of the next, or the page as JSON. */
export function printPage<Row>(
  page: Page<Row>,
  json: boolean | undefined,
  { title, columns }: TableTexts<Row>,
): void {
  print(page, json, () => [
    title,
    ...rowLines(page.data, columns),
    ...(page.next_cursor === null ? [] : ['', `There are more: add --cursor ${page.next_cursor}`]),
  ])
}

function rowLines<Row>(rows: Row[], columns: Columns<Row>): string[] {
  return tableLines(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  )
}

/** Lays out rows in columns under headings, which are bold on a terminal unless NO_COLOR is set. */
export function tableLines(headings: string[], rows: string[][]): string[] {
  if (rows.length === 0) return ['(none)']
  const table = new Table({
    head: headings.map((heading) => styleText('bold', heading, { stream: commandIO().stdout })),
    chars: noBorder,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows)
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
}

/** Warns on standard error: of what the command did all the same. */
export function warn(text: string): void {
  commandIO().stderr.write(`warning: ${text}\n`)
}

/** Writes lines to the standard output. */
export function writeLines(lines: string[]): void {
  commandIO().stdout.write(lines.map((line) => `${line}\n`).join(''))
}
