import type { Command } from 'commander'
import { addBlockCreate } from './block-create.ts'
import { addBlockDelete } from './block-delete.ts'
import { addBlockList } from './block-list.ts'
import { addGroup } from './command-group.ts'

/** `holdfast block …`: times that nobody can book. */
export function addBlock(program: Command): void {
  addGroup(program, {
    name: 'block',
    description: 'times that nobody can book',
    example: 'create --staff 0198… --from "2026-12-01 09:00" --to "2026-12-01 12:00"',
    commands: [addBlockCreate, addBlockList, addBlockDelete],
  })
}
