import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { BlocksQuery } from '../catalogue/block-schemas.ts'
import { cursorOfBlock, listBlocks } from '../catalogue/manage-blocks.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { presentBlock } from '../catalogue/present-block.ts'
import { pageOf } from '../wire.ts'
import { given } from './catalogue-options.ts'
import { checkedCreation } from './check-input.ts'
import { shownTime } from './local-time.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

interface Options {
  business?: string
  location?: string
  staff?: string
  from?: string
  to?: string
  limit?: string
  cursor?: string
  json?: boolean
}

const names = { business_id: '--business', location_id: '--location', staff_id: '--staff' }

/** `holdfast block list`: shows blocks by their start. */
export function addBlockList(block: Command): void {
  block
    .command('list')
    .description('show blocks by their start')
    .option('--business <id>', 'only those of this business')
    .option('--location <id>', 'only those of this location')
    .option('--staff <id>', 'only those of this staff member')
    .option('--from <time>', 'that end after this time, such as 2026-12-01T00:00:00Z')
    .option('--to <time>', 'that start before this time')
    .option('--limit <number>', 'at most so many, 1 to 100')
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast block list --business 0198… --from 2026-12-01T00:00:00Z')
    .action(async ({ business, location, staff, json, ...same }: Options) => {
      const { rows, limit } = await withExistingDatabase(async (context) => {
        const business_id = business === undefined ? undefined : (await showBusiness(context, business)).id
        const asked = { ...same, ...given({ business_id, location_id: location, staff_id: staff }) }
        return listBlocks(context, operator, checkedCreation(BlocksQuery, asked, names))
      })
      const page = pageOf(rows, limit, { present: presentBlock, cursor: cursorOfBlock })
      print(page, {
        json,
        lines: () => [
          ...tableLines(
            ['ID', 'FROM', 'TO', 'OF', 'REASON'],
            page.data.map((row) => [
              row.id,
              shownTime(row.starts_at),
              shownTime(row.ends_at),
              row.location_id === null ? `staff ${row.staff_id ?? ''}` : `location ${row.location_id}`,
              row.reason ?? '',
            ]),
          ),
          ...(page.next_cursor === null ? [] : ['', `There are more: add --cursor ${page.next_cursor}`]),
        ],
      })
    })
}
