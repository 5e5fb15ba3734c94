import { Option, type Command } from 'commander'
import { planNames } from '../access/plans.ts'
import { changeBusiness, type BusinessUpdate } from '../catalogue/manage-businesses.ts'
import { businessLines } from './business-show.ts'
import { print, withDatabase } from './run-command.ts'

interface Options extends BusinessUpdate {
  /** False when `--no-brand` is given. */
  brand: boolean
  json?: boolean
}

/** `holdfast business update`: changes a business's name, plan, time zone or brand. */
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
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast business update 0198… --plan enterprise --brand-name "Salon Spree"' +
        '\n  $ holdfast business update 0198… --no-brand',
    )
    .action(async (id: string, { json, brand, ...update }: Options) => {
      const none = brand ? {} : { brandName: null, brandColor: null, brandLogoUrl: null }
      const changed = await withDatabase((context) => changeBusiness(context, id, { ...none, ...update }))
      print(changed, { json, lines: () => businessLines(changed) })
    })
}
