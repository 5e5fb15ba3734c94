import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { operator } from '../access/actor.ts'
import { OperatorError, UsageError } from '../base/errors.ts'
import { mostPerPage } from '../base/paging.ts'
import { BlockClient } from '../bookings/client-schemas.ts'
import type { Context } from '../bookings/context.ts'
import { namedClient } from '../bookings/client.ts'
import { exportWholeClient } from '../bookings/client-export.ts'
import { eraseClient } from '../bookings/erasure.ts'
import {
  blockClient,
  listBlockedClients,
  presentBlockedClient,
  unblockClient,
} from '../bookings/strangers.ts'
import { showBusiness } from '../catalogue/business.ts'
import { type CliCommand, commandIO, print, printPage, withExistingDatabase } from './command-line.ts'
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
