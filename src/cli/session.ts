import type { Command } from 'commander'
import { addGroup } from './command-group.ts'
import { addSessionCreate } from './session-create.ts'

/** `holdfast session …`: tokens as a widget has them. */
export function addSession(program: Command): void {
  addGroup(program, {
    name: 'session',
    description: 'tokens as a widget has them',
    example: 'create --business 0198…',
    commands: [addSessionCreate],
  })
}
