import { operator } from '../access/actor.ts'
import { BlockClient } from '../bookings/client-schemas.ts'
import type { Context } from '../bookings/context.ts'
import { exportWholeClient } from '../bookings/client-export.ts'
import { eraseClient } from '../bookings/erasure.ts'
import {
  blockClient,
  listBlockedClients,
  presentBlockedClient,
  unblockClient,
} from '../bookings/strangers.ts'
import { showBusiness } from '../catalogue/business.ts'
import { type CliCommand, print, printPage, withExistingDatabase } from './command-line.ts'
import { checkedCreation, given, readInteger, shownTime } from './input.ts'

interface Options {
  business: string
  json?: boolean
}

interface ListOptions extends Options {
  limit: string
  cursor?: string
}

const optionNames = { email: 'The e-mail' }

/** `holdfast client …` */
export function registerClientCommands(program: CliCommand): void {
  const group = program.group(
    'client',
    'block clients; give and erase what is kept about one',
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
    .command('export <email>')
    .description('print all that is kept about a client, as JSON')
    .requiredOption('--business <name or id>', 'the business')
    .withJson()
    .examples('client export ada@example.com --business "Salon Spree"')
    .action(async (email: string, { business }: Options) => {
      const exported = await withExistingDatabase(async (context) =>
        exportWholeClient(context, operator, await clientOf(context, { email, business })),
      )
      print(exported, true, () => [])
    })
}

function registerErase(group: CliCommand): void {
  group
    .command('erase <email>')
    .description(
      'erase a client from all that is kept; bookings stay, without their client. It cannot be undone',
    )
    .requiredOption('--business <name or id>', 'the business')
    .withJson()
    .examples('client erase ada@example.com --business "Salon Spree"')
    .action(async (email: string, { business, json }: Options) => {
      const erased = await withExistingDatabase(async (context) =>
        eraseClient(context, operator, await clientOf(context, { email, business })),
      )
      const { bookings, events, mails } = erased
      print(erased, json, () => [`erased from ${bookings} bookings, ${events} events and ${mails} mails`])
    })
}

function registerBlock(group: CliCommand): void {
  group
    .command('block <email>')
    .description('block a client; existing bookings stay, and keys can still book for them')
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
        `client ${blocked.email} is blocked since ${shownTime(blocked.blocked_at)}`,
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

/** Throws a UsageError for an unknown business or an e-mail that is not valid. */
async function clientOf(context: Context, { email, business }: { email: string; business: string }) {
  const business_id = (await showBusiness(context, business)).id
  const { email: checked } = checkedCreation(BlockClient, { business_id, email }, optionNames)
  return { business_id, email: checked }
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list the blocked clients of a business by e-mail')
    .requiredOption('--business <name or id>', 'the business')
    .withPages('100')
    .withJson()
    .examples('client list --business "Salon Spree"')
    .action(async ({ business, limit: asked, cursor, json }: ListOptions) => {
      const { name, page } = await withExistingDatabase(async (context) => {
        const { id: business_id, name } = await showBusiness(context, business)
        const limit = String(readInteger(asked, '--limit', [1, 100]))
        const query = { business_id, limit, ...given({ cursor }) }
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
