import type { Command } from 'commander'
import { serviceKind } from '../catalogue/catalogue-kinds.ts'
import { addCatalogueList } from './catalogue-list.ts'
import { addGroup } from './command-group.ts'
import { moneyText } from './money-text.ts'
import { addServiceCreate } from './service-create.ts'
import { addServiceUpdate } from './service-update.ts'

/** `holdfast service …`: what can be booked. */
export function addService(program: Command): void {
  addGroup(program, {
    name: 'service',
    description: 'what can be booked',
    example: 'create Massage --business 0198… --duration 45 --location Mitte',
    commands: [addServiceCreate, addServiceList, addServiceUpdate],
  })
}

function addServiceList(service: Command): void {
  addCatalogueList(service, {
    kind: serviceKind,
    many: 'services',
    columns: {
      MINUTES: ({ duration_minutes }) => String(duration_minutes),
      CAPACITY: ({ capacity }) => String(capacity),
      PRICE: ({ price }) => moneyText(price),
      DEPOSIT: ({ deposit }) => moneyText(deposit),
    },
  })
}
