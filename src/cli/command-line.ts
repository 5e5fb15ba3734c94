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

/** The streams, variables and exit code that a command uses. */
interface CommandIO {
  /** Opened on demand, because an open standard input would keep other commands from ending. */
  stdin?: () => NodeJS.ReadableStream & { isTTY?: boolean }
  /** Throws an OperatorError if the variables cannot be read. */
  variables: () => Record<string, string | undefined>
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  /** Receives the log instead of standard output. */
  logStream?: DestinationStream
  /** Sets the exit code. Without a call, it is 0. */
  endWith: (exitCode: number) => void
}

/** A page in the format of the API's lists. */
interface Page<Row> {
  data: Row[]
  next_cursor: string | null
}

/** Table columns: each heading with a function that returns the cell. */
export type Columns<Row> = Record<string, (row: Row) => string>

interface TableTexts<Row> {
  /** Names the listed rows and their owner. */
  title: string
  columns: Columns<Row>
}

const ofProcess: CommandIO = {
  variables: environmentVariables,
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  // set immediately: an early end, such as a closed pipe, then has this exit code
  endWith: (exitCode) => {
    process.exitCode = exitCode
  },
}

/**
 * Commander passes actions nothing but options, so concurrent commands in one process get their IO from here.
 */
const replacement = new AsyncLocalStorage<CommandIO>()

const noBorder = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
}

/** Returns the IO of the running command: that of the process, unless `runWithin` replaced it. */
export function commandIO(): CommandIO {
  return replacement.getStore() ?? ofProcess
}

/**
 * Returns the words to type before a command, matching how the user started this one. npm sets npm_command.
 */
export function calledAs(): string {
  return commandIO().variables()['npm_command'] === 'exec' ? 'npx holdfast' : 'holdfast'
}

/** Runs a command with the given IO instead of the process's. */
export function runWithin<T>(io: CommandIO, work: () => Promise<T>): Promise<T> {
  return replacement.run(io, work)
}

/** A `holdfast` command, with builders for options that many commands share. */
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
    return this.option('--cursor <cursor>', 'show the page at this cursor, which the previous page ends with')
  }

  withJson(): this {
    return this.option('--json', 'print JSON, including errors')
  }

  /** Adds examples to the help. They omit the leading `holdfast`. */
  examples(...lines: string[]): this {
    const heading = lines.length === 1 ? 'Example:' : 'Examples:'
    return this.addHelpText('after', ['', heading, ...lines.map((line) => `  $ holdfast ${line}`)].join('\n'))
  }
}

/** Reads the configuration from the environment. Throws an OperatorError that names each fault. */
export function configFromEnvironment(): Config {
  return readConfig(commandIO().variables())
}

/** Opens the database for a command. Logs only errors, because the output is the command's result. */
export function openContext(): Promise<Context> {
  return createContext({ ...configFromEnvironment(), logLevel: 'error' }, logReplacement())
}

/** Returns the log stream for createContext if the command has one. */
export function logReplacement(): { logStream?: DestinationStream } {
  const { logStream } = commandIO()
  return logStream ? { logStream } : {}
}

/** Runs work on an open database with an up-to-date schema. A server may run at the same time. */
export async function withDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext()
  try {
    await context.db.migrate()
    return await work(context)
  } finally {
    await context.db.close()
  }
}

/**
 * Like withDatabase, but never creates a SQLite file: in the wrong directory, an empty one would look like
 * lost data.
 */
export async function withExistingDatabase<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const { database } = configFromEnvironment()
  if (database.engine === 'sqlite' && !existsSync(database.file)) {
    throw noDatabase(database.file, '; "holdfast serve" and "holdfast migrate" create one')
  }
  return withDatabase(work)
}

/** Returns the error for a missing SQLite file. */
export function noDatabase(file: string, more = ''): OperatorError {
  return new OperatorError(`There is no database at ${file}.`, {
    fix: `Run this in the server's directory, or set DATABASE_URL to the server's value${more}.`,
  })
}

/** Prints lines for people, or the data as JSON. */
export function print(data: unknown, json: boolean | undefined, lines: () => string[]): void {
  writeLines(json ? [JSON.stringify(data, asApi, 2)] : lines())
}

/** Formats a row's instants as the API does, in UTC. */
function asApi(name: string, value: unknown): unknown {
  return name.endsWith('_at') && typeof value === 'string' && isInstant(value)
    ? formatInstant(value, 'UTC')
    : value
}

/**
 * Prints rows as a table under a title, or as JSON in the format of a page. These lists have one page only.
 */
export function printTable<Row>(
  rows: Row[],
  json: boolean | undefined,
  { title, columns }: TableTexts<Row>,
): void {
  print({ data: rows, next_cursor: null }, json, () => [title, ...rowLines(rows, columns)])
}

/**
 * Prints one page of a list under a title, followed by the next page's cursor. With JSON, prints the page as
 * it is.
 */
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

/** Lays out rows in columns under headings. Headings are bold on a terminal unless NO_COLOR is set. */
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

/** Prints a warning to standard error when the command succeeded nevertheless. */
export function warn(text: string): void {
  commandIO().stderr.write(`warning: ${text}\n`)
}

/** Writes lines to standard output. */
export function writeLines(lines: string[]): void {
  commandIO().stdout.write(lines.map((line) => `${line}\n`).join(''))
}
