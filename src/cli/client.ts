import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { operator } from '../access/actor.ts'
import { decodeCsv } from '../base/csv-reader.ts'
import { csvFormOf } from '../base/csv.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { mostPerPage } from '../base/paging.ts'
import { BlockClient } from '../bookings/client-schemas.ts'
import type { Context } from '../bookings/context.ts'
import { namedClient } from '../bookings/client.ts'
import { type ClientColumn, clientColumns, type ImportedField } from '../bookings/client-columns.ts'
import { clientCsv } from '../bookings/client-csv.ts'
import {
  type ClientFile,
  type ClientImportReport,
  importClients,
  maxImportBytes,
  readClientFile,
  UnreadableClients,
} from '../bookings/client-import.ts'
import { exportWholeClient } from '../bookings/client-export.ts'
import { eraseClient } from '../bookings/erasure.ts'
import {
  blockClient,
  listBlockedClients,
  presentBlockedClient,
  unblockClient,
} from '../bookings/strangers.ts'
import { showBusiness } from '../catalogue/business.ts'
import {
  type CliCommand,
  commandIO,
  print,
  printPage,
  tableLines,
  withExistingDatabase,
  writeLines,
} from './command-line.ts'
import { checkedCreation, given, readInteger, shownTime } from './input.ts'

interface Options {
  business: string
  json?: boolean
}

interface DataOptions extends Options {
  booking?: string
}

interface EraseOptions extends DataOptions {
  yes?: boolean
}

interface ListOptions extends Options {
  limit: string
  cursor?: string
}

const optionNames = { email: 'The email address' }

export function registerClientCommands(program: CliCommand): void {
  const group = program.group(
    'client',
    "block clients; export and erase a client's data",
    'block ada@example.com --business "Salon Spree"',
  )
  registerBlock(group)
  registerUnblock(group)
  registerList(group)
  registerExport(group)
  registerErase(group)
  registerImport(group)
  registerExportList(group)
}

interface ImportOptions extends Options {
  apply?: boolean
  replace?: boolean
  column?: string[]
}

const importNames: Record<ClientColumn, string> = {
  ...{ first_name: 'first name', last_name: 'last name', full_name: 'full name', email: 'email' },
  ...{ phone: 'phone', notes: 'notes', tags: 'tags', locale: 'language', time_zone: 'time zone' },
  ...{ note: 'into the notes', ignore: '–' },
}

function registerImport(group: CliCommand): void {
  group
    .command('import <file>')
    .description('print the plan of an import of clients from CSV ("-" is standard input); --apply runs it')
    .requiredOption('--business <name or id>', 'the business')
    .option('--apply', 'import the clients')
    .option('--replace', 'replace values that differ; without it, the present ones stay')
    .option('--column <heading=meaning...>', `the meaning of a column: ${clientColumns.join(', ')}`)
    .withJson()
    .examples(
      'client import clients.csv --business "Salon Spree"',
      'client import clients.csv --business "Salon Spree" --column "Customer since=note" --apply',
    )
    .action(
      async (path: string, { business, apply = false, replace = false, column, json }: ImportOptions) => {
        const text = decodeCsv(readBytes(path))
        const { file, report } = await withExistingDatabase(async (context) => {
          const { id: business_id } = await showBusiness(context, business)
          const file = await readColumns(text, column ?? []).catch((error: unknown) => {
            if (error instanceof UnreadableClients) throw new UsageError(`${path}: ${error.message}.`)
            throw error
          })
          const input = { business_id, file, replaces: replace, apply }
          return { file, report: await importClients(context, operator, input) }
        })
        print(report, json, () => importLines(file, report))
      },
    )
}

function readBytes(path: string): Uint8Array {
  try {
    const bytes = readFileSync(path === '-' ? 0 : path)
    if (bytes.length > maxImportBytes) throw new UsageError(`${path} has more than ${maxImportBytes} bytes.`)
    return bytes
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

async function readColumns(text: string, named: readonly string[]): Promise<ClientFile> {
  const file = await readClientFile(text)
  const columns: (string | undefined)[] = []
  for (const one of named) {
    const at = one.lastIndexOf('=')
    const index = file.head.indexOf(one.slice(0, at).trim())
    const meaning = clientColumns.find((column) => column === one.slice(at + 1).trim())
    if (at === -1 || index === -1) throw new UsageError(`--column: the file has no heading of "${one}".`)
    if (!meaning) throw new UsageError(`--column: the meaning must be one of ${clientColumns.join(', ')}.`)
    columns[index] = meaning
  }
  return named.length === 0 ? file : readClientFile(text, { columns })
}

function importLines({ head, columns }: ClientFile, report: ClientImportReport): string[] {
  const { dry_run, created, changed, unchanged, repeated, failed, kept_count } = report
  const more = (count: number, shown: number) => (count > shown ? [`  and ${count - shown} more`] : [])
  const fields = (list: readonly ImportedField[]) => list.map((field) => importNames[field]).join(', ')
  return [
    ...(dry_run ? ['Nothing was changed; --apply imports. The plan:'] : []),
    ...tableLines(
      ['COLUMN', 'MEANING'],
      head.map((heading, index) => [heading, importNames[columns[index] ?? 'ignore']]),
    ),
    `new: ${created}, changed: ${changed}, unchanged: ${unchanged}, repeated rows: ${repeated}, failed: ${failed}`,
    ...report.problems.map(
      ({ row, field, detail }) =>
        `row ${row}: ${field === undefined ? '' : `${importNames[field]} `}${detail}`,
    ),
    ...more(failed, report.problems.length),
    ...report.changes.map(({ row, name, fields: list }) => `row ${row}: ${name} (${fields(list)})`),
    ...more(changed, report.changes.length),
    ...report.kept.map(({ row, field }) => `row ${row}: ${importNames[field]} differs and stays`),
    ...more(kept_count, report.kept.length),
  ]
}

function registerExportList(group: CliCommand): void {
  group
    .command('export-list')
    .description('print all clients of a business as CSV, as the console exports them')
    .requiredOption('--business <name or id>', 'the business')
    .examples('client export-list --business "Salon Spree" > clients.csv')
    .action(async ({ business }: Options) => {
      await withExistingDatabase(async (context) => {
        const { id: business_id } = await showBusiness(context, business)
        const parts = clientCsv(context, operator, {
          ...{ business_id, headings: listHeadings, yes: 'yes', no: 'no', form: csvFormOf('en') },
        })
        for await (const part of parts) writeLines([part.replace(/\r\n$/, '')])
      })
    })
}

const listHeadings = {
  ...{ first_name: 'First name', last_name: 'Last name', email: 'Email', phone: 'Phone', notes: 'Notes' },
  ...{ tags: 'Tags', locale: 'Language', time_zone: 'Time zone', booking_count: 'Bookings' },
  ...{
    no_show_count: 'No-shows',
    last_booking_at: 'Latest booking',
    blocked: 'Blocked',
    created_at: 'Added',
  },
}

function registerExport(group: CliCommand): void {
  group
    .command('export [email]')
    .description('print everything stored about a client as JSON')
    .option('--booking <id>', 'a booking of the client, instead of the email address')
    .requiredOption('--business <name or id>', 'the business')
    .withJson()
    .examples('client export ada@example.com --business "Salon Spree"')
    .action(async (email: string | undefined, { business, booking }: DataOptions) => {
      const exported = await withExistingDatabase(async (context) =>
        exportWholeClient(context, operator, await dataClient(context, { email, booking, business })),
      )
      print(exported, true, () => [])
    })
}

function registerErase(group: CliCommand): void {
  group
    .command('erase [email]')
    .description("erase a client's data for good; bookings stay without the client")
    .option('--booking <id>', 'a booking of the client, instead of the email address')
    .requiredOption('--business <name or id>', 'the business')
    .option('--yes', 'erase without confirmation')
    .withJson()
    .examples(
      'client erase ada@example.com --business "Salon Spree"',
      'client erase ada@example.com --business "Salon Spree" --yes',
    )
    .action(async (email: string | undefined, { business, booking, yes = false, json }: EraseOptions) => {
      const erased = await withExistingDatabase(async (context) => {
        const { name } = await showBusiness(context, business)
        const client = await dataClient(context, { email, booking, business })
        const whom = email ?? `the client of booking ${booking}`
        if (!yes) await confirm(`Erase ${whom} from all data of ${name}? This cannot be undone.`)
        const { business_id, ...counts } = await eraseClient(context, operator, client)
        if (Object.values(counts).every((count) => count === 0))
          throw new OperatorError(`${name} has no data about ${whom}: nothing was erased.`)
        return { business_id, ...counts }
      })
      const { bookings, events, mails } = erased
      print(erased, json, () => [`erased from ${bookings} bookings, ${events} events and ${mails} emails`])
    })
}

/**
 * Asks for confirmation on a terminal. Throws a UsageError without a terminal and an OperatorError for any
 * answer but yes.
 */
async function confirm(question: string): Promise<void> {
  const input = commandIO().stdin?.()
  if (!input?.isTTY) throw new UsageError('This is not a terminal: add --yes to erase without confirmation.')
  const terminal = createInterface({ input, output: commandIO().stderr })
  try {
    const ended = once(terminal, 'close').then(() => '') // Ctrl+C, Ctrl+D
    const answer = await Promise.race([terminal.question(`${question} Type yes: `), ended])
    if (answer.trim().toLowerCase() !== 'yes') throw new OperatorError('Nothing was erased.')
  } finally {
    terminal.close()
  }
}

function registerBlock(group: CliCommand): void {
  group
    .command('block <email>')
    .description('keep a client from booking; existing bookings stay, and keys can still book for them')
    .requiredOption('--business <name or id>', 'the business')
    .withJson()
    .examples('client block ada@example.com --business "Salon Spree"')
    .action(async (email: string, { business, json }: Options) => {
      const blocked = await withExistingDatabase(async (context) =>
        presentBlockedClient(
          await blockClient(context, operator, await clientOf(context, { email, business })),
        ),
      )
      print(blocked, json, () => [
        `client ${blocked.email} has been blocked since ${shownTime(blocked.blocked_at)}`,
      ])
    })
}

function registerUnblock(group: CliCommand): void {
  group
    .command('unblock <email>')
    .description('let a blocked client book again')
    .requiredOption('--business <name or id>', 'the business')
    .withJson()
    .examples('client unblock ada@example.com --business "Salon Spree"')
    .action(async (email: string, { business, json }: Options) => {
      const client = await withExistingDatabase(async (context) => {
        const found = await clientOf(context, { email, business })
        await unblockClient(context, operator, found)
        return found
      })
      print(client, json, () => [`client ${client.email} is not blocked`])
    })
}

/** Throws a UsageError for an unknown business or an invalid email address. */
async function clientOf(context: Context, { email, business }: { email: string; business: string }) {
  const business_id = (await showBusiness(context, business)).id
  const { email: checked } = checkedCreation(BlockClient, { business_id, email }, optionNames)
  return { business_id, email: checked }
}

/**
 * Finds a client by email address or by a booking; a booking also finds clients without an address. Throws a
 * UsageError or not_found.
 */
async function dataClient(
  context: Context,
  named: { email: string | undefined; booking: string | undefined; business: string },
) {
  const { email, booking, business } = named
  if ((email === undefined) === (booking === undefined))
    throw new UsageError('Name the client by email address or by --booking.')
  if (email !== undefined) return clientOf(context, { email, business })
  const business_id = (await showBusiness(context, business)).id
  return namedClient(context, operator, { ...given({ booking_id: booking }), business_id })
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description("list a business's blocked clients by email address")
    .requiredOption('--business <name or id>', 'the business')
    .withPages('100')
    .withJson()
    .examples('client list --business "Salon Spree"')
    .action(async ({ business, limit: asked, cursor, json }: ListOptions) => {
      const { name, page } = await withExistingDatabase(async (context) => {
        const { id: business_id, name } = await showBusiness(context, business)
        const limit = readInteger(asked, '--limit', [1, mostPerPage])
        const query = { business_id, limit, cursor }
        return { name, page: await listBlockedClients(context, operator, query) }
      })
      printPage(page, json, {
        title: `Blocked clients of ${name}:`,
        columns: {
          EMAIL: ({ email }) => email,
          'BLOCKED SINCE': ({ blocked_at }) => shownTime(blocked_at),
        },
      })
    })
}
