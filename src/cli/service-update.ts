import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { serviceKind } from '../catalogue/catalogue-kinds.ts'
import { changeInCatalogue } from '../catalogue/change-catalogue.ts'
import { ChangeService } from '../catalogue/service-input-schemas.ts'
import { writableServices } from '../catalogue/writable-kinds.ts'
import { UsageError } from '../errors.ts'
import { existingThing, given, repeated } from './catalogue-options.ts'
import { checkedChange, inOptions } from './check-input.ts'
import { print, withExistingDatabase } from './run-command.ts'
import {
  addServiceOptions,
  serviceFields,
  serviceOptionNames,
  type ServiceOptions,
} from './service-options.ts'

interface Options extends ServiceOptions {
  name?: string
  active?: boolean
  json?: boolean
}

/** `holdfast service update`: changes a service, takes it off the offer, or brings it back. */
export function addServiceUpdate(service: Command): void {
  addServiceOptions(
    service
      .command('update <id>')
      .description('change a service; "none" clears --description, --max-advance-days, --price and --deposit')
      .option('--name <name>', 'its new name')
      .option('--duration <minutes>', 'how long it takes')
      .option(
        '--location <name or id>',
        'where it is given, in place of where it was; repeat for more',
        repeated,
      ),
  )
    .option('--no-staff', 'it needs nobody')
    .option('--active', 'bring it back')
    .option('--no-active', 'take it off the offer; its bookings stay')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast service update 0198… --duration 60 --price "70 EUR"' +
        '\n  $ holdfast service update 0198… --deposit none --no-active',
    )
    .action(async (id: string, { name, active, json, staff, ...options }: Options) => {
      const changed = await withExistingDatabase(async (context) => {
        const { business_id } = await existingThing(context, serviceKind, id)
        const fields = await serviceFields(
          context,
          business_id,
          staff === undefined ? options : { ...options, staff },
        )
        const body = { ...given({ name, active }), ...fields }
        if (Object.keys(body).length === 0)
          throw new UsageError('Nothing to change: give --duration or another option of --help.')
        const change = checkedChange(ChangeService, body, serviceOptionNames)
        return inOptions(serviceOptionNames, () =>
          changeInCatalogue(context, operator, { kind: writableServices, id, change }),
        )
      })
      print(changed, {
        json,
        lines: () => [`service ${changed.id}  ${changed.name}${changed.active ? '' : '  (inactive)'}`],
      })
    })
}
