import { Option } from 'commander'
import { effectivePlan } from '../access/actor.ts'
import { keyNamed, type KeyRequest, type KeyRow, listKeys, revokeKey } from '../access/key.ts'
import { listKeyRequests } from '../access/key-requests.ts'
import { lastFour, tokenType } from '../access/token.ts'
import { UsageError } from '../base/errors.ts'
import { readInstant, type Instant } from '../base/instants.ts'
import { type KeyScope, keyScopes } from '../base/key-scopes.ts'
import { createKey, scopesOf } from '../catalogue/business-keys.ts'
import { listBusinesses, listHubs, showBusiness, showHub } from '../catalogue/business.ts'
import type { Context } from '../bookings/context.ts'
import {
  type CliCommand,
  print,
  printTable,
  warn,
  withDatabase,
  withExistingDatabase,
} from './command-line.ts'
import { given, inOptions, readBound, repeated } from './input.ts'
import type { PlanName } from '../database/tables.ts'

interface CreateOptions {
  type: 'business' | 'publishable'
  hub?: string
  business?: string
  allowedOrigin?: string[]
  allowFrames?: boolean
  label?: string
  scope?: KeyScope[]
  expiresAt?: string
  json?: boolean
}

export function registerKeyCommands(program: CliCommand): void {
  const group = program.group('key', 'manage API keys', 'create --business "Salon Spree"')
  registerCreate(group)
  registerList(group)
  registerRevoke(group)
}

function registerCreate(group: CliCommand): void {
  group
    .command('create')
    .description('create a key and print it; it is never shown again')
    .option('--hub <name or id>', 'create a hub key for this hub')
    .option('--business <name or id>', 'create a key for this business')
    .addOption(
      new Option('--type <type>', 'type of key for a business')
        .choices(['business', 'publishable'])
        .default('business'),
    )
    .option(
      '--allowed-origin <origin>',
      'publishable keys: website that may use it; repeatable (default: any)',
      repeated,
    )
    .option('--allow-frames', 'also let these websites show the booking page in a frame')
    .option(
      '--scope <scope>',
      `business and hub keys: part of the API that it may use, ${keyScopes.join(', ')}; repeatable (default: all)`,
      scopeIn,
    )
    .option('--expires-at <time>', 'end of the key, such as 2027-02-01 (default: never)')
    .option('--label <text>', 'what the key is for, shown in lists')
    .withJson()
    .examples(
      'key create --business "Salon Spree" --type publishable --allowed-origin https://www.example.com',
      'key create --hub 0198… --label "Reports every night" --scope read:bookings',
    )
    .action(async (options: CreateOptions) => {
      const checked = keyRequest(options)
      const { id, key } = await withDatabase(async (context) => {
        const request = { ...checked, ...(await endOf(context, options)) }
        const created = await inOptions({}, () => createKey(context, request))
        await warnOfPlan(context, request)
        return created
      })
      print({ id, key }, options.json, () => [
        `key ${id}`,
        key,
        checked.type === 'publishable'
          ? "You may publish it in a website's source. It is not shown again."
          : 'Keep it safe: it is not shown again.',
      ])
    })
}

function keyRequest({
  type,
  hub,
  business,
  allowedOrigin,
  allowFrames = false,
  label,
  scope: scopes,
}: CreateOptions): KeyRequest {
  if ((hub === undefined) === (business === undefined)) {
    throw new UsageError('Give either --hub or --business.')
  }
  if (allowedOrigin && (hub !== undefined || type !== 'publishable')) {
    throw new UsageError('--allowed-origin is for publishable keys: add --type publishable.')
  }
  if (allowFrames && !allowedOrigin) {
    throw new UsageError('--allow-frames needs --allowed-origin.')
  }
  if (scopes && hub === undefined && type === 'publishable') {
    throw new UsageError('--scope is for business and hub keys: their sessions act for one visitor.')
  }
  if (hub !== undefined) return { type: 'hub', hubId: hub, ...given({ label, scopes }) }
  const common = { businessId: business ?? '', ...given({ label }) }
  if (type === 'business') return { type, ...common, ...given({ scopes }) }
  return { type, ...common, allowFrames, ...(allowedOrigin && { allowedOrigins: allowedOrigin }) }
}

/** Reads the end of a key. Wall times are in the zone of its business. */
async function endOf(
  context: Context,
  { business, expiresAt }: CreateOptions,
): Promise<{ expiresAt?: Instant }> {
  if (expiresAt === undefined) return {}
  const timezone = business === undefined ? undefined : (await showBusiness(context, business)).timezone
  return { expiresAt: readInstant(readBound(expiresAt, '--expires-at', timezone)) }
}

/** Collects `--scope`. Throws for unknown scopes. */
function scopeIn(text: string, before: KeyScope[] = []): KeyScope[] {
  const scope = keyScopes.find((known) => known === text)
  if (scope === undefined) throw new UsageError(`--scope must be one of ${keyScopes.join(', ')}.`)
  return [...new Set([...before, scope])]
}

/** Warns if the plan is below Enterprise, which business and hub keys need for every request. */
async function warnOfPlan(context: Context, request: KeyRequest): Promise<void> {
  if (request.type === 'publishable') return
  const { kind, plan } =
    request.type === 'hub'
      ? { kind: 'hub', plan: (await showHub(context, request.hubId)).plan }
      : { kind: 'business', plan: await planOf(context, request.businessId) }
  if (plan !== 'enterprise') warn(`the key works only on the Enterprise plan (this ${kind}: ${plan})`)
}

async function planOf(context: Context, businessId: string): Promise<PlanName> {
  const { plan, hub_plan } = await showBusiness(context, businessId)
  return effectivePlan(plan, hub_plan)
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list keys without their secret part, newest first')
    .option('--hub <name or id>', 'only this hub')
    .option('--business <name or id>', 'only this business')
    .withJson()
    .examples('key list --business "Salon Spree"')
    .action(async ({ hub, business, json }: { hub?: string; business?: string; json?: boolean }) => {
      if (hub !== undefined && business !== undefined) {
        throw new UsageError('Give --hub or --business, not both.')
      }
      const { keys, title, names } = await withExistingDatabase((context) =>
        findKeys(context, { hub, business }),
      )
      const shown = keys.map(({ allowed_origins_json: origins, allow_frames, scopes_json, ...key }) => ({
        ...key,
        allow_frames: allow_frames === 1,
        scopes: scopesOf({ type: key.type, scopes_json }),
        allowed_origins: origins === null ? null : (JSON.parse(origins) as string[]), // JSON that createKey wrote
      }))
      printTable(shown, json, {
        title,
        columns: {
          ID: ({ id }) => id,
          TYPE: ({ type }) => type,
          'ENDS IN': ({ last_four }) => last_four,
          LABEL: ({ label }) => label ?? '',
          ...(names && {
            OF: ({ business_id, hub_id }: (typeof shown)[number]) =>
              names.get(business_id ?? hub_id ?? '') ?? '',
          }),
          STATE: stateOf,
          'LAST USED': ({ last_used_at }) => last_used_at ?? 'never',
          SCOPES: ({ scopes }) => scopes?.join(' ') ?? '',
          'ALLOWED ORIGINS': ({ allowed_origins, type }) =>
            allowed_origins?.join(' ') ?? (type === 'publishable' ? 'any' : ''),
        },
      })
    })
}

function stateOf({ revoked_at, expires_at }: Pick<KeyRow, 'revoked_at' | 'expires_at'>): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`
  return expires_at === null ? 'active' : `active until ${expires_at}`
}

/**
 * Returns the keys of a hub, of a business or of all. For all, also returns the names of their owners by ID.
 */
async function findKeys(
  context: Context,
  { hub, business }: { hub: string | undefined; business: string | undefined },
) {
  const list = (filter: { hubId?: string; businessId?: string }) =>
    listKeys(context, { hubId: undefined, businessId: undefined, ...filter })
  if (hub !== undefined) {
    const { id, name } = await showHub(context, hub)
    return { keys: await list({ hubId: id }), title: `Keys of the hub ${name}:` }
  }
  if (business !== undefined) {
    const { id, name } = await showBusiness(context, business)
    return { keys: await list({ businessId: id }), title: `Keys of ${name}:` }
  }
  const owners = [...(await listHubs(context)), ...(await listBusinesses(context, undefined))]
  const names = new Map(owners.map(({ id, name }) => [id, name]))
  return { keys: await list({}), title: 'All keys:', names }
}

function registerRevoke(group: CliCommand): void {
  group
    .command('revoke <id>')
    .description('revoke a key and its sessions; running servers follow within five seconds')
    .withJson()
    .examples('key revoke 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const {
        allowed_origins_json: _1,
        scopes_json: _2,
        ...revoked
      } = await withExistingDatabase((context) => {
        if (tokenType(id) !== undefined) {
          throw new UsageError(
            `This is a key, not its ID; "holdfast key list" shows the ID of the key that ends in ${lastFour(id)}.`,
          )
        }
        return revokeKey(context, id)
      })
      const { type, last_four, revoked_at } = revoked
      print(revoked, json, () => [
        `${type} key ${revoked.id} (…${last_four}) was revoked at ${revoked_at ?? ''}`,
      ])
    })
}

/** Registers the list of a key's latest requests. */
export function registerLogs(program: CliCommand): void {
  program
    .command('logs')
    .description('list the last 100 requests of a key, newest first; a request appears within two seconds')
    .requiredOption('--key <id>', 'ID of the key, as in "holdfast key list"')
    .withJson()
    .examples('logs --key 0198…')
    .action(async ({ key, json }: { key: string; json?: boolean }) => {
      const { named, requests } = await withExistingDatabase(async (context) => {
        const named = await keyNamed(context, key)
        return { named, requests: await listKeyRequests(context, named.id) }
      })
      const shown = requests.map(({ id: _1, api_key_id: _2, ...request }) => request)
      printTable(shown, json, {
        title: `Requests of the ${named.type} key that ends in ${named.last_four}:`,
        columns: {
          AT: ({ at }) => at,
          METHOD: ({ method }) => method,
          PATH: ({ path }) => path,
          STATUS: ({ status }) => String(status),
          CODE: ({ code }) => code ?? '',
          MS: ({ milliseconds }) => String(milliseconds),
        },
      })
    })
}
