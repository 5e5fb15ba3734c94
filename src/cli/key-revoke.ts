import type { Command } from 'commander'
import { revokeKey } from '../access/manage-keys.ts'
import { lastFour, tokenType } from '../access/token-format.ts'
import { UsageError } from '../errors.ts'
import { print, withExistingDatabase } from './run-command.ts'

/** `holdfast key revoke`: ends a key, and with a publishable key its sessions. */
export function addKeyRevoke(key: Command): void {
  key
    .command('revoke <id>')
    .description('end a key within five seconds on all servers; a publishable key takes its sessions with it')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast key revoke 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { allowed_origins_json: _, ...revoked } = await withExistingDatabase((context) => {
        if (tokenType(id) !== undefined) {
          throw new UsageError(
            `This is a key itself, not its id; "holdfast key list" shows the id of the one that ends in ${lastFour(id)}.`,
          )
        }
        return revokeKey(context, id)
      })
      print(revoked, {
        json,
        lines: () => [
          `${revoked.type} key ${revoked.id} (…${revoked.last_four}) is revoked since ${revoked.revoked_at ?? ''}`,
        ],
      })
    })
}
