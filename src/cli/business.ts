import { Option } from 'commander'
import { effectivePlan, planNames } from '../access/actor.ts'
import { networksIn } from '../catalogue/business-rules.ts'
import {
  type BusinessUpdate,
  changeBusiness,
  createBusiness,
  listBusinesses,
  showBusiness,
} from '../catalogue/business.ts'
import type { PlanName } from '../database/tables.ts'
import {
  type CliCommand,
  print,
  printTable,
  tableLines,
  warn,
  withDatabase,
  withExistingDatabase,
} from './command-line.ts'
import { assertChanges, given, unlessNone } from './input.ts'

type Business = Awaited<ReturnType<typeof showBusiness>>

interface CreateOptions {
  plan: PlanName
  timezone: string
  hub?: string
  brandName?: string
  brandColor?: string
  brandLogoUrl?: string
  json?: boolean
}

interface UpdateOptions extends Omit<BusinessUpdate, 'maxBookingsPerClient' | 'trustedNetworks'> {
  maxBookingsPerClient?: string
  trustedNetworks?: string
  /** False after `--no-brand`. */
  brand: boolean
  /** False after `--no-limits`. */
  limits: boolean
  json?: boolean
}

const noBrand = { brandName: null, brandColor: null, brandLogoUrl: null }
const noLimits = { limitPerMinute: null, limitPerHour: null }

/** `holdfast business …` */
export function registerBusinessCommands(program: CliCommand): void {
  const group = program.group(
    'business',
    'manage businesses',
    'create "Salon Spree" --timezone Europe/Berlin',
  )
  registerCreate(group)
  registerList(group)
  registerShow(group)
  registerUpdate(group)
}

function registerCreate(group: CliCommand): void {
  withBrand(
    group
      .command('create <name>')
      .description('create a business, in a hub or on its own')
      .requiredOption('--timezone <zone>', 'time zone, such as Europe/Berlin')
      .addOption(new Option('--plan <plan>', 'plan').choices(planNames).default('enterprise'))
      .option('--hub <id>', 'hub ID'),
  )
    .withJson()
    .examples('business create "Salon Spree" --timezone Europe/Berlin --plan growth')
    .action(async (name: string, { plan, timezone, hub, json, ...brand }: CreateOptions) => {
      const { trusted_networks_json: _, ...created } = await withDatabase((context) =>
        createBusiness(context, { name, plan, timezone, ...brand, ...given({ hubId: hub }) }),
      )
      print({ ...created, trusted_networks: [] }, json, () => [
        `business ${created.id}  ${created.name}  (${created.plan}, ${created.timezone})`,
      ])
    })
}

function withBrand(command: CliCommand): CliCommand {
  return command
    .option('--brand-name <name>', 'white label: name that the widget shows')
    .option('--brand-color <colour>', 'white label: colour such as #1a2b3c')
    .option('--brand-logo-url <url>', 'white label: address of a logo')
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list businesses with the plan in effect')
    .option('--hub <id>', 'only of this hub')
    .withJson()
    .examples('business list --hub 0198…')
    .action(async ({ hub, json }: { hub?: string; json?: boolean }) => {
      const rows = await withExistingDatabase((context) => listBusinesses(context, hub))
      printTable(rows.map(presentBusiness), json, {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        PLAN: ({ plan_in_effect }) => plan_in_effect,
        'TIME ZONE': ({ timezone }) => timezone,
        HUB: ({ hub_name }) => hub_name ?? '',
      })
    })
}

function registerShow(group: CliCommand): void {
  group
    .command('show <id>')
    .description('show one business')
    .withJson()
    .examples('business show 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      printBusiness(await withExistingDatabase((context) => showBusiness(context, id)), json)
    })
}

function registerUpdate(group: CliCommand): void {
  withBrand(
    group
      .command('update <id>')
      .description('change a business; a plan takes effect within five seconds, also on running servers')
      .option('--name <name>', 'new name')
      .addOption(new Option('--plan <plan>', 'new plan').choices(planNames))
      .option('--timezone <zone>', 'new time zone, such as Europe/Berlin'),
  )
    .option('--no-brand', 'remove the white label')
    .option('--limit-per-minute <requests>', 'Enterprise plan: requests a minute for each key')
    .option('--limit-per-hour <requests>', 'Enterprise plan: requests an hour for each key')
    .option('--no-limits', 'use the limits of the plan')
    .option(
      '--max-bookings-per-client <bookings>',
      'upcoming bookings per client, 1 to 100; "none": no limit',
    )
    .option(
      '--trusted-networks <ranges>',
      'networks exempt from the caps of addresses, such as 192.0.2.0/24; replaces the list (comma-separated; "none" clears it)',
    )
    .withJson()
    .examples(
      'business update 0198… --plan enterprise --brand-name "Salon Spree"',
      'business update 0198… --limit-per-minute 1200 --limit-per-hour 40000',
      'business update 0198… --trusted-networks 203.0.113.7/32 --max-bookings-per-client none',
      'business update 0198… --no-brand --no-limits',
    )
    .action(async (id: string, { json, brand, limits, ...options }: UpdateOptions) => {
      const { maxBookingsPerClient: bookings, trustedNetworks: networks, ...same } = options
      const update: BusinessUpdate = {
        ...(!brand && noBrand),
        ...(!limits && noLimits),
        ...same,
        ...(bookings !== undefined && { maxBookingsPerClient: unlessNone(bookings, String) }),
        ...(networks !== undefined && { trustedNetworks: unlessNone(networks, String) }),
      }
      assertChanges(update, '--name, --plan or another option of --help')
      const changed = await withExistingDatabase((context) => changeBusiness(context, id, update))
      if (networks !== undefined) warnOfEveryone(networksIn(changed.trusted_networks_json))
      printBusiness(changed, json)
    })
}

function warnOfEveryone(networks: string[]): void {
  for (const network of networks.filter((range) => range.endsWith('/0'))) {
    warn(`${network} is every address: no cap of addresses holds any more`)
  }
}

function printBusiness(row: Business, json: boolean | undefined): void {
  const business = presentBusiness(row)
  const { plan, plan_in_effect: inEffect } = business
  print(business, json, () =>
    tableLines(
      ['BUSINESS', business.id],
      [
        ['name', business.name],
        ['plan', inEffect === plan ? plan : `${plan}, in effect ${inEffect} by its hub`],
        ['time zone', business.timezone],
        ['hub', business.hub_id === null ? '' : `${business.hub_name ?? ''} (${business.hub_id})`],
        ['brand name', business.brand_name ?? ''],
        ['brand colour', business.brand_color ?? ''],
        ['brand logo', business.brand_logo_url ?? ''],
        ['requests a minute', limitText(business.limit_per_minute)],
        ['requests an hour', limitText(business.limit_per_hour)],
        ['bookings per client', String(business.max_bookings_per_client ?? 'no limit')],
        ['trusted networks', business.trusted_networks.join(', ')],
      ],
    ),
  )
}

/** A business as `--json` prints it: its hub may decide the plan in effect. */
function presentBusiness({ trusted_networks_json, ...business }: Business) {
  const trusted_networks = networksIn(trusted_networks_json)
  return { ...business, trusted_networks, plan_in_effect: effectivePlan(business.plan, business.hub_plan) }
}

function limitText(limit: number | null): string {
  return limit === null ? 'as in its plan' : `${limit} for each key`
}
