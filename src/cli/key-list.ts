import type { Command } from 'commander'
import { listKeys } from '../access/manage-keys.ts'
import { showBusiness, showHub } from '../catalogue/manage-businesses.ts'
import { UsageError } from '../errors.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

/** `holdfast key list`: shows which keys there are. */
export function addKeyList(key: Command): void {
  key
    .command('list')
    .description('show which keys there are, the newest first; a key itself cannot be read again')
    .option('--hub <id>', 'only those of this hub')
    .option('--business <id>', 'only those of this business')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast key list --business 0198…')
    .action(async (options: { hub?: string; business?: string; json?: boolean }) => {
      const { hub, business } = options
      if (hub !== undefined && business !== undefined) {
        throw new UsageError('Give --hub or --business, not both: a key is of one of them.')
      }
      const keys = await withExistingDatabase(async (context) =>
        listKeys(context, {
          hubId: hub === undefined ? undefined : (await showHub(context, hub)).id,
          businessId: business === undefined ? undefined : (await showBusiness(context, business)).id,
        }),
      )
      const data = keys.map(({ allowed_origins_json: origins, ...key }) => ({
        ...key,
        allowed_origins: origins === null ? null : (JSON.parse(origins) as string[]), // issueKey wrote it
      }))
      print(data, {
        json: options.json,
        lines: () =>
          tableLines(
            ['ID', 'TYPE', 'ENDS IN', 'OF', 'STATE', 'ALLOWED ORIGINS'],
            data.map((row) => [
              row.id,
              row.type,
              row.last_four,
              row.business_id ?? row.hub_id ?? '',
              row.revoked_at === null ? 'in force' : `revoked ${row.revoked_at}`,
              row.allowed_origins?.join(' ') ?? (row.type === 'publishable' ? 'any' : ''),
            ]),
          ),
      })
    })
}
