import type { Command } from 'commander'
import { addGroup } from './command-group.ts'
import { addHubCreate } from './hub-create.ts'
import { addHubList } from './hub-list.ts'
import { addHubUpdate } from './hub-update.ts'

/** `holdfast hub …`: platforms with many businesses. */
export function addHub(program: Command): void {
  addGroup(program, {
    name: 'hub',
    description: 'platforms with many businesses',
    example: 'list',
    commands: [addHubCreate, addHubList, addHubUpdate],
  })
}
