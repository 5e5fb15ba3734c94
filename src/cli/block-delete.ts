import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { deleteBlock } from '../catalogue/manage-blocks.ts'
import { print, withExistingDatabase } from './run-command.ts'

/** `holdfast block delete`: lets a blocked time be booked again. */
export function addBlockDelete(block: Command): void {
  block
    .command('delete <id>')
    .description('let a blocked time be booked again')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast block delete 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withExistingDatabase((context) => deleteBlock(context, operator, id))
      print({ id }, { json, lines: () => [`block ${id} is deleted`] })
    })
}
