import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { createInCatalogue } from '../catalogue/change-catalogue.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { CreateService } from '../catalogue/service-input-schemas.ts'
import { writableServices } from '../catalogue/writable-kinds.ts'
import { repeated } from './catalogue-options.ts'
import { checkedCreation, inOptions } from './check-input.ts'
import { print, withExistingDatabase } from './run-command.ts'
import {
  addServiceOptions,
  serviceFields,
  serviceOptionNames,
  type ServiceOptions,
} from './service-options.ts'

interface Options extends ServiceOptions {
  business: string
  json?: boolean
}

/** `holdfast service create`: adds a service to a business. */
export function addServiceCreate(service: Command): void {
  addServiceOptions(
    service
      .command('create <name>')
      .description('add a service; custom fields come by "holdfast import"')
      .requiredOption('--business <id>', 'whose it is')
      .requiredOption('--duration <minutes>', 'how long it takes')
      .requiredOption('--location <name or id>', 'where it is given; repeat for more', repeated),
  )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast service create Massage --business 0198… --duration 45 --location Mitte --staff "Anna Weber"' +
        '\n  $ holdfast service create "Yoga class" --business 0198… --duration 60 --location Mitte --capacity 8 --price "15 EUR"',
    )
    .action(async (name: string, { business, json, ...options }: Options) => {
      const made = await withExistingDatabase(async (context) => {
        const { id } = await showBusiness(context, business)
        const body = { business_id: id, name, ...(await serviceFields(context, id, options)) }
        const input = checkedCreation(CreateService, body, serviceOptionNames)
        return inOptions(serviceOptionNames, () =>
          createInCatalogue(context, operator, { kind: writableServices, input }),
        )
      })
      print(made, { json, lines: () => [`service ${made.id}  ${made.name}`] })
    })
}
