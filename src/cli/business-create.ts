import { Option, type Command } from 'commander'
import { planNames } from '../access/plans.ts'
import { createBusiness } from '../catalogue/create-business.ts'
import type { PlanName } from '../database/tables.ts'
import { print, withDatabase } from './run-command.ts'

interface Options {
  plan: PlanName
  timezone: string
  hub?: string
  brandName?: string
  brandColor?: string
  brandLogoUrl?: string
  json?: boolean
}

/** `holdfast business create`: makes a business, alone or in a hub. */
export function addBusinessCreate(business: Command): void {
  business
    .command('create <name>')
    .description('make a business')
    .requiredOption('--timezone <zone>', 'its time zone, such as Europe/Berlin')
    .addOption(new Option('--plan <plan>', 'its plan').choices(planNames).default('enterprise'))
    .option('--hub <id>', 'the hub that it belongs to')
    .option('--brand-name <name>', 'white label: the name that the widget shows')
    .option('--brand-color <colour>', 'white label: a colour such as #1a2b3c')
    .option('--brand-logo-url <url>', 'white label: the address of a picture')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast business create "Salon Spree" --timezone Europe/Berlin --plan growth',
    )
    .action(async (name: string, options: Options) => {
      const { plan, timezone, hub, brandName, brandColor, brandLogoUrl, json } = options
      const created = await withDatabase((context) =>
        createBusiness(context, {
          name,
          plan,
          timezone,
          ...(hub !== undefined && { hubId: hub }),
          ...(brandName !== undefined && { brandName }),
          ...(brandColor !== undefined && { brandColor }),
          ...(brandLogoUrl !== undefined && { brandLogoUrl }),
        }),
      )
      const { trusted_networks_json: _, ...shown } = created
      print(
        { ...shown, trusted_networks: [] },
        {
          json,
          lines: () => [`business ${created.id}  ${created.name}  (${created.plan}, ${created.timezone})`],
        },
      )
    })
}
