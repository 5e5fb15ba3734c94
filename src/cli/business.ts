import type { Command } from 'commander'
import { addBusinessCreate } from './business-create.ts'
import { addBusinessList } from './business-list.ts'
import { addBusinessShow } from './business-show.ts'
import { addBusinessUpdate } from './business-update.ts'
import { addGroup } from './command-group.ts'

/** `holdfast business …`: those who offer services. */
export function addBusiness(program: Command): void {
  addGroup(program, {
    name: 'business',
    description: 'those who offer services',
    example: 'create "Salon Spree" --timezone Europe/Berlin',
    commands: [addBusinessCreate, addBusinessList, addBusinessShow, addBusinessUpdate],
  })
}
