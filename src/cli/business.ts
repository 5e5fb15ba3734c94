import { Option } from 'commander'
import { effectivePlan, planNames } from '../access/actor.ts'
import { ChangeMailSettings } from '../catalogue/business-schemas.ts'
import { withMailSettings } from '../catalogue/mail-settings-rules.ts'
import { catalogueLimits } from '../catalogue/limit-rules.ts'
import { networksIn } from '../catalogue/business-rules.ts'
import {
  changeBusiness,
  createBusiness,
  listBusinesses,
  showBusiness,
  showHub,
} from '../catalogue/business.ts'
import type { BusinessesTable, PlanName } from '../database/tables.ts'
import {
  type CliCommand,
  print,
  printTable,
  tableLines,
  withDatabase,
  withExistingDatabase,
} from './command-line.ts'
import {
  readBookingsPerClient,
  readCatalogueLimit,
  readColor,
  readGap,
  readLogoUrl,
  readName,
  readNetworks,
  readOfferMinutes,
  readPhone,
  readRequestLimit,
  readRetentionDays,
  readSlug,
  readTimeZone,
} from './business-options.ts'
import {
  assertChanges,
  assertNoFaults,
  checkedChange,
  given,
  inOptions,
  numberIn,
  readFields,
  unlessNone,
} from './input.ts'

type Business = Awaited<ReturnType<typeof showBusiness>>

interface BrandOptions {
  brandName?: string
  brandColor?: string
  brandLogoUrl?: string
}

interface CreateOptions extends BrandOptions {
  plan: PlanName
  timezone: string
  hub?: string
  test?: boolean
  json?: boolean
}

interface MailOptions {
  locale?: string
  replyTo?: string
  notify?: string
  reminders?: string
  quietHours?: string
  texts?: string
}

interface UpdateOptions extends BrandOptions, MailOptions {
  name?: string
  plan?: PlanName
  timezone?: string
  limitPerMinute?: string
  limitPerHour?: string
  maxServices?: string
  maxLocations?: string
  maxStaff?: string
  maxResources?: string
  maxGap?: string
  offerMinutes?: string
  maxBookingsPerClient?: string
  retentionDays?: string
  phone?: string
  slug?: string
  trustedNetworks?: string
  /** False after `--no-brand`. */
  brand: boolean
  /** False after `--no-limits`. */
  limits: boolean
  json?: boolean
}

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
      .description('create a business, in a hub or independent')
      .requiredOption('--timezone <zone>', 'time zone, such as Europe/Berlin')
      .addOption(new Option('--plan <plan>', 'plan').choices(planNames).default('enterprise'))
      .option('--hub <name or id>', 'the hub')
      .option('--test', 'a business for tests: a movable clock, and no emails, texts or charges'),
  )
    .withJson()
    .examples('business create "Salon Spree" --timezone Europe/Berlin --plan growth')
    .action(async (name: string, { plan, timezone, hub, test, json, ...brand }: CreateOptions) => {
      const { fields, faults } = await readFields({
        name: () => readName(name),
        timezone: () => readTimeZone(timezone),
        ...brandReaders(brand, undefined),
      })
      assertNoFaults(faults)
      const created = await withDatabase((context) =>
        createBusiness(context, { name, timezone, ...fields, plan, ...given({ hubId: hub, test }) }),
      )
      print(presentColumns(created), json, () => [
        `business ${created.id}  ${created.name}  (${created.plan}, ${created.timezone})`,
      ])
    })
}

function withBrand(command: CliCommand): CliCommand {
  return command
    .option('--brand-name <name>', 'white label: name shown in the widget')
    .option('--brand-color <colour>', 'white label: colour such as #1a2b3c')
    .option('--brand-logo-url <url>', 'white label: URL of a logo')
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list businesses with the plan in effect')
    .option('--hub <name or id>', 'only this hub')
    .withJson()
    .examples('business list --hub "Salons of Europe"')
    .action(async ({ hub, json }: { hub?: string; json?: boolean }) => {
      const { owner, rows } = await withExistingDatabase(async (context) => {
        const owner = hub === undefined ? undefined : await showHub(context, hub)
        return { owner, rows: await listBusinesses(context, owner?.id) }
      })
      const shown = rows.map(presentBusiness)
      printTable(shown, json, {
        title: owner ? `Businesses of the hub ${owner.name}:` : 'All businesses:',
        columns: {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          PLAN: ({ plan_in_effect }) => plan_in_effect,
          'TIME ZONE': ({ timezone }) => timezone,
          ...(!owner && { HUB: ({ hub_name }: (typeof shown)[number]) => hub_name ?? '' }),
        },
      })
    })
}

function registerShow(group: CliCommand): void {
  group
    .command('show <business>')
    .description('show a business')
    .withJson()
    .examples('business show "Salon Spree"')
    .action(async (id: string, { json }: { json?: boolean }) => {
      printBusiness(await withExistingDatabase((context) => showBusiness(context, id)), json)
    })
}

function registerUpdate(group: CliCommand): void {
  withMail(
    withBrand(
      group
        .command('update <business>')
        .description('change a business; running servers apply a new plan within five seconds')
        .option('--name <name>', 'new name')
        .addOption(new Option('--plan <plan>', 'new plan').choices(planNames))
        .option('--timezone <zone>', 'new time zone, such as Europe/Berlin; its locations keep theirs'),
    ),
  )
    .option('--no-brand', 'remove the white label')
    .option('--limit-per-minute <requests>', 'Enterprise plan: requests per minute for each key')
    .option('--limit-per-hour <requests>', 'Enterprise plan: requests per hour for each key')
    .option('--no-limits', 'use the limits of the plan')
    .option('--max-services <count>', 'maximum number of services; "none": the limit of the plan')
    .option('--max-locations <count>', 'maximum number of locations; "none": the limit of the plan')
    .option('--max-staff <count>', 'maximum number of staff members; "none": the limit of the plan')
    .option('--max-resources <count>', 'maximum number of resources; "none": the limit of the plan')
    .option('--max-gap <minutes>', 'longest pause between two services of one visit, 0 to 120')
    .option('--offer-minutes <minutes>', 'how long a client on the waiting list may answer, 15 to 1440')
    .option(
      '--max-bookings-per-client <bookings>',
      'upcoming bookings per client, 1 to 100; "none": no limit',
    )
    .option(
      '--trusted-networks <ranges>',
      'networks exempt from the caps per IP address, such as 192.0.2.0/24; replaces the list (comma-separated; "none" clears it)',
    )
    .option('--phone <number>', 'phone number for clients; "none" clears it')
    .option('--slug <name>', 'name in links to the booking page, such as salon-spree; "none" clears it')
    .option(
      '--retention-days <days>',
      'erase clients this many days after a booking, 1 to 3650; "none": never',
    )
    .withJson()
    .examples(
      'business update "Salon Spree" --plan enterprise --brand-name "Salon Spree"',
      'business update 0198… --limit-per-minute 1200 --limit-per-hour 40000',
      'business update 0198… --trusted-networks 203.0.113.7/32 --max-bookings-per-client none',
      'business update 0198… --no-brand --no-limits',
      'business update 0198… --notify desk@example.com --reminders 24,2 --quiet-hours 21:00-08:00',
    )
    .action(async (id: string, { json, brand, limits, ...options }: UpdateOptions) => {
      const { locale, replyTo, notify, reminders, quietHours, texts, ...others } = options
      const mail = readMail(given({ locale, replyTo, notify, reminders, quietHours, texts }))
      const { fields, faults } = await readFields(updateReaders(others, { brand, limits }))
      assertChanges({ ...mail, ...fields, ...faults }, '--name, --plan or another option of --help')
      assertNoFaults(faults)
      const changed = await withExistingDatabase((context) =>
        inOptions({}, () => changeBusiness(context, id, { ...fields, ...mail })),
      )
      printBusiness(changed, json)
    })
}

/** Reads a text, or returns `otherwise` if it is undefined. */
function read<T, Otherwise>(text: string | undefined, reader: (text: string) => T, otherwise: Otherwise) {
  return text === undefined ? otherwise : reader(text)
}

function brandReaders<Otherwise>(
  { brandName, brandColor, brandLogoUrl }: BrandOptions,
  otherwise: Otherwise,
) {
  return {
    brand_name: () => read(brandName, readName, otherwise),
    brand_color: () => read(brandColor, readColor, otherwise),
    brand_logo_url: () => read(brandLogoUrl, readLogoUrl, otherwise),
  }
}

function updateReaders(
  options: Omit<UpdateOptions, keyof MailOptions | 'brand' | 'limits' | 'json'>,
  { brand, limits }: Pick<UpdateOptions, 'brand' | 'limits'>,
) {
  const clearable = <T>(text: string | undefined, reader: (text: string) => T) =>
    text === undefined ? undefined : unlessNone(text, reader)
  const limit = (text: string | undefined) => read(text, readRequestLimit, limits ? undefined : null)
  return {
    name: () => read(options.name, readName, undefined),
    plan: () => options.plan,
    timezone: () => read(options.timezone, readTimeZone, undefined),
    ...brandReaders(options, brand ? undefined : null),
    limit_per_minute: () => limit(options.limitPerMinute),
    limit_per_hour: () => limit(options.limitPerHour),
    max_services: () => clearable(options.maxServices, readCatalogueLimit),
    max_locations: () => clearable(options.maxLocations, readCatalogueLimit),
    max_staff: () => clearable(options.maxStaff, readCatalogueLimit),
    max_resources: () => clearable(options.maxResources, readCatalogueLimit),
    max_gap_minutes: () => read(options.maxGap, readGap, undefined),
    offer_minutes: () => read(options.offerMinutes, readOfferMinutes, undefined),
    max_bookings_per_client: () => clearable(options.maxBookingsPerClient, readBookingsPerClient),
    retention_days: () => clearable(options.retentionDays, readRetentionDays),
    phone: () => clearable(options.phone, readPhone),
    slug: () => clearable(options.slug, readSlug),
    trusted_networks: () => clearable(options.trustedNetworks, readNetworks),
  }
}

function withMail(command: CliCommand): CliCommand {
  return command
    .option('--locale <tag>', 'language of its emails, such as de or en-GB')
    .option('--reply-to <email>', 'address for replies to its emails; "none" clears it')
    .option(
      '--notify <emails>',
      'email addresses to notify of each booking (comma-separated; "none": nobody)',
    )
    .option('--reminders <hours>', 'hours before the start to remind clients, such as 24,2; "none": never')
    .option(
      '--quiet-hours <times>',
      'no reminders between these local times, such as 21:00-08:00; "none" clears it',
    )
    .option(
      '--texts <kinds>',
      'messages that also go as a text: confirmed, changed, cancelled, reminder; or "none"',
    )
}

const mailOptionNames = {
  reply_to_email: '--reply-to',
  notify_emails: '--notify',
  reminder_hours: '--reminders',
  quiet_hours: '--quiet-hours',
  text_kinds: '--texts',
}

/** Reads the email options. Throws a UsageError that names every fault. */
function readMail({ locale, replyTo, notify, reminders, quietHours, texts }: MailOptions) {
  const parts = (text: string) => text.split(',').map((part) => part.trim())
  const [from, to, ...more] = quietHours?.split(/\s*[-–]\s*/) ?? []
  const body = given({
    locale,
    reply_to_email: replyTo === undefined ? undefined : unlessNone(replyTo, String),
    notify_emails: notify === undefined ? undefined : unlessNone(notify, parts),
    reminder_hours:
      reminders === undefined
        ? undefined
        : (unlessNone(reminders, (text) =>
            parts(text).map((part) => numberIn(part, '--reminders', 'hours from 1 to 720, such as 24,2')),
          ) ?? []),
    quiet_hours:
      quietHours === undefined
        ? undefined
        : unlessNone(quietHours, () => ({ from: from ?? '', to: more.length > 0 ? '' : (to ?? '') })),
    text_kinds: texts === undefined ? undefined : (unlessNone(texts, parts) ?? []),
  })
  return checkedChange(ChangeMailSettings, body, mailOptionNames)
}

function printBusiness(row: Business, json: boolean | undefined): void {
  const business = presentBusiness(row)
  const { plan, plan_in_effect: inEffect } = business
  print(business, json, () =>
    tableLines(
      ['BUSINESS', business.id],
      [
        ['name', business.name],
        ['plan', inEffect === plan ? plan : `${plan}; ${inEffect} in effect through its hub`],
        ['time zone', business.timezone],
        ['hub', business.hub_id === null ? '' : `${business.hub_name ?? ''} (${business.hub_id})`],
        ['brand name', business.brand_name ?? ''],
        ['brand colour', business.brand_color ?? ''],
        ['brand logo', business.brand_logo_url ?? ''],
        ['requests per minute', limitText(business.limit_per_minute)],
        ['requests per hour', limitText(business.limit_per_hour)],
        ['maximum services', String(business.max_services ?? catalogueLimits[inEffect].services)],
        ['maximum locations', String(business.max_locations ?? catalogueLimits[inEffect].locations)],
        ['maximum staff', String(business.max_staff ?? catalogueLimits[inEffect].staff)],
        ['maximum resources', String(business.max_resources ?? catalogueLimits[inEffect].resources)],
        ['longest pause in a visit', `${business.max_gap_minutes} minutes`],
        ['time to answer an offer', `${business.offer_minutes} minutes`],
        ['bookings per client', String(business.max_bookings_per_client ?? 'no limit')],
        ['trusted networks', business.trusted_networks.join(', ')],
        [
          'clients are erased',
          business.retention_days === null ? 'never' : `${business.retention_days} days after a booking`,
        ],
        ['phone', business.phone ?? ''],
        ['name in links', business.slug ?? ''],
        ['language of emails', business.locale],
        ['replies to', business.reply_to_email ?? ''],
        ['notified of bookings', business.notify_emails.join(', ')],
        ['reminders', business.reminder_hours.map((hours) => `${hours} h before`).join(', ')],
        [
          'quiet hours',
          business.quiet_hours ? `${business.quiet_hours.from}–${business.quiet_hours.to}` : '',
        ],
        ['also as text messages', business.text_kinds.join(', ')],
      ],
    ),
  )
}

/** Returns a business in the format of `--json`. Its hub may decide the plan in effect. */
function presentBusiness(row: Business) {
  const { hub_plan, hub_name, ...own } = row
  const business = { ...presentColumns(own), hub_name, hub_plan }
  return { ...business, plan_in_effect: effectivePlan(business.plan, business.hub_plan) }
}

/** Parses the JSON columns into lists. */
function presentColumns({ trusted_networks_json, ...row }: BusinessesTable) {
  return { ...withMailSettings(row), trusted_networks: networksIn(trusted_networks_json) }
}

function limitText(limit: number | null): string {
  return limit === null ? 'limit of its plan' : `${limit} for each key`
}
