import type { Command } from 'commander'
import { addGroup } from './command-group.ts'
import { addKeyCreate } from './key-create.ts'
import { addKeyList } from './key-list.ts'
import { addKeyRevoke } from './key-revoke.ts'

/** `holdfast key …`: keys for the API. */
export function addKey(program: Command): void {
  addGroup(program, {
    name: 'key',
    description: 'keys for the API',
    example: 'create --business 0198…',
    commands: [addKeyCreate, addKeyList, addKeyRevoke],
  })
}
