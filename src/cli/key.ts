import { Option } from 'commander'
import { effectivePlan } from '../access/actor.ts'
import { type KeyRequest, listKeys, revokeKey } from '../access/key.ts'
import { lastFour, tokenType } from '../access/token.ts'
import { UsageError } from '../base/errors.ts'
import { createKey } from '../catalogue/business-keys.ts'
import { showBusiness, showHub } from '../catalogue/business.ts'
import type { Context } from '../bookings/context.ts'
import {
  type CliCommand,
  print,
  printTable,
  warn,
  withDatabase,
  withExistingDatabase,
} from './command-line.ts'
import { repeated } from './input.ts'
import type { PlanName } from '../database/tables.ts'

interface CreateOptions {
  type: 'business' | 'publishable'
  hub?: string
  business?: string
  allowedOrigin?: string[]
  json?: boolean
}

/** `holdfast key …` */
export function registerKeyCommands(program: CliCommand): void {
  const group = program.group('key', 'manage API keys', 'create --business 0198…')
  registerCreate(group)
  registerList(group)
  registerRevoke(group)
}

function registerCreate(group: CliCommand): void {
  group
    .command('create')
    .description('create a key; it is shown only once')
    .option('--hub <id>', 'create a hub key for this hub')
    .option('--business <id>', 'create a key for this business')
    .addOption(
      new Option('--type <type>', 'type of a key for a business')
        .choices(['business', 'publishable'])
        .default('business'),
    )
    .option(
      '--allowed-origin <origin>',
      'publishable keys: website that may use it; repeatable (default: any)',
      repeated,
    )
    .withJson()
    .examples(
      'key create --business 0198… --type publishable --allowed-origin https://www.example.com',
      'key create --hub 0198…',
    )
    .action(async (options: CreateOptions) => {
      const { id, key } = await withDatabase(async (context) => {
        const request = keyRequest(options)
        const created = await createKey(context, request)
        await warnOfPlan(context, request)
        return created
      })
      print({ id, key }, options.json, () => [`key ${id}`, key, 'Keep it safe: it is shown only now.'])
    })
}

function keyRequest({ type, hub, business, allowedOrigin }: CreateOptions): KeyRequest {
  if ((hub === undefined) === (business === undefined)) {
    throw new UsageError('Give either --hub or --business.')
  }
  if (allowedOrigin && (hub !== undefined || type !== 'publishable')) {
    throw new UsageError('--allowed-origin is for publishable keys: add --type publishable.')
  }
  if (hub !== undefined) return { type: 'hub', hubId: hub.toLowerCase() }
  const businessId = (business ?? '').toLowerCase()
  if (type === 'business') return { type, businessId }
  return { type, businessId, ...(allowedOrigin && { allowedOrigins: allowedOrigin }) }
}

/** Business and hub keys need Enterprise for every request. */
async function warnOfPlan(context: Context, request: KeyRequest): Promise<void> {
  if (request.type === 'publishable') return
  const { kind, plan } =
    request.type === 'hub'
      ? { kind: 'hub', plan: (await showHub(context, request.hubId)).plan }
      : { kind: 'business', plan: await planOf(context, request.businessId) }
  if (plan !== 'enterprise') warn(`the key works only on plan enterprise (this ${kind}: ${plan})`)
}

async function planOf(context: Context, businessId: string): Promise<PlanName> {
  const { plan, hub_plan } = await showBusiness(context, businessId)
  return effectivePlan(plan, hub_plan)
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list keys, newest first; never shows a whole key')
    .option('--hub <id>', 'only of this hub')
    .option('--business <id>', 'only of this business')
    .withJson()
    .examples('key list --business 0198…')
    .action(async ({ hub, business, json }: { hub?: string; business?: string; json?: boolean }) => {
      if (hub !== undefined && business !== undefined) {
        throw new UsageError('Give --hub or --business, not both.')
      }
      const keys = await withExistingDatabase(async (context) =>
        listKeys(context, {
          hubId: hub === undefined ? undefined : (await showHub(context, hub)).id,
          businessId: business === undefined ? undefined : (await showBusiness(context, business)).id,
        }),
      )
      const shown = keys.map(({ allowed_origins_json: origins, ...key }) => ({
        ...key,
        allowed_origins: origins === null ? null : (JSON.parse(origins) as string[]), // createKey wrote it
      }))
      printTable(shown, json, {
        ID: ({ id }) => id,
        TYPE: ({ type }) => type,
        'ENDS IN': ({ last_four }) => last_four,
        OF: ({ business_id, hub_id }) => business_id ?? hub_id ?? '',
        STATE: ({ revoked_at }) => (revoked_at === null ? 'active' : `revoked ${revoked_at}`),
        'ALLOWED ORIGINS': ({ allowed_origins, type }) =>
          allowed_origins?.join(' ') ?? (type === 'publishable' ? 'any' : ''),
      })
    })
}

function registerRevoke(group: CliCommand): void {
  group
    .command('revoke <id>')
    .description('revoke a key, and the sessions of a publishable key, on all servers within five seconds')
    .withJson()
    .examples('key revoke 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { allowed_origins_json: _, ...revoked } = await withExistingDatabase((context) => {
        if (tokenType(id) !== undefined) {
          throw new UsageError(
            `This is a key itself, not its id; "holdfast key list" shows the id of the one that ends in ${lastFour(id)}.`,
          )
        }
        return revokeKey(context, id)
      })
      const { type, last_four, revoked_at } = revoked
      print(revoked, json, () => [
        `${type} key ${revoked.id} (…${last_four}) is revoked since ${revoked_at ?? ''}`,
      ])
    })
}
