import { Option, type Command } from 'commander'
import { planNames } from '../access/plans.ts'
import { changeBusiness, type BusinessUpdate } from '../catalogue/manage-businesses.ts'
import { UsageError } from '../errors.ts'
import { unlessNone } from './catalogue-options.ts'
import { printBusiness } from './print-business.ts'
import { withExistingDatabase } from './run-command.ts'

interface Options extends Omit<BusinessUpdate, 'maxBookingsPerClient' | 'trustedNetworks'> {
  maxBookingsPerClient?: string
  trustedNetworks?: string
  /** False when `--no-brand` is given. */
  brand: boolean
  /** False when `--no-limits` is given. */
  limits: boolean
  json?: boolean
}

const noBrand = { brandName: null, brandColor: null, brandLogoUrl: null }
const noLimits = { limitPerMinute: null, limitPerHour: null }

/** `holdfast business update`: changes what can be changed of a business. */
export function addBusinessUpdate(business: Command): void {
  business
    .command('update <id>')
    .description('change a business; a plan takes effect within five seconds, also on running servers')
    .option('--name <name>', 'its new name')
    .addOption(new Option('--plan <plan>', 'its new plan').choices(planNames))
    .option('--timezone <zone>', 'its new time zone, such as Europe/Berlin')
    .option('--brand-name <name>', 'white label: the name that the widget shows')
    .option('--brand-color <colour>', 'white label: a colour such as #1a2b3c')
    .option('--brand-logo-url <url>', 'white label: the address of a picture')
    .option('--no-brand', 'take the white label away')
    .option('--limit-per-minute <requests>', 'enterprise: so many requests a minute for each key')
    .option('--limit-per-hour <requests>', 'enterprise: so many requests an hour for each key')
    .option('--no-limits', 'go back to the limits of the plan')
    .option(
      '--max-bookings-per-client <bookings>',
      'bookings ahead for one client, 1 to 100; "none": any number',
    )
    .option(
      '--trusted-networks <ranges>',
      'address ranges (CIDR, comma-separated) that no cap counts; "none" clears',
    )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast business update 0198… --plan enterprise --brand-name "Salon Spree"' +
        '\n  $ holdfast business update 0198… --limit-per-minute 1200 --limit-per-hour 40000' +
        '\n  $ holdfast business update 0198… --trusted-networks 203.0.113.7/32 --max-bookings-per-client none' +
        '\n  $ holdfast business update 0198… --no-brand --no-limits',
    )
    .action(async (id: string, { json, brand, limits, ...options }: Options) => {
      const { maxBookingsPerClient: bookings, trustedNetworks: networks, ...given } = options
      const update: BusinessUpdate = {
        ...(!brand && noBrand),
        ...(!limits && noLimits),
        ...given,
        ...(bookings !== undefined && { maxBookingsPerClient: unlessNone(bookings, String) }),
        ...(networks !== undefined && { trustedNetworks: unlessNone(networks, String) }),
      }
      if (Object.keys(update).length === 0) {
        throw new UsageError('Nothing to change: give --name, --plan or another option of --help.')
      }
      const changed = await withExistingDatabase((context) => changeBusiness(context, id, update))
      printBusiness(changed, json)
    })
}
