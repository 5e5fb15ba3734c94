import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { listCatalogue, type CatalogueKind } from '../catalogue/list-catalogue.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { UsageError } from '../errors.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

interface Options {
  business?: string
  limit?: string
  cursor?: string
  json?: boolean
}

/** A column of a list: its heading, and what stands in it. */
export type Columns<Row> = Record<string, (row: Row) => string>

/** Adds the command `list` for one kind of thing in the catalogue. */
export function addCatalogueList<Row extends { id: string; name: string; active: boolean }>(
  group: Command,
  { kind, many, columns }: { kind: CatalogueKind<Row, unknown>; many: string; columns: Columns<Row> },
): void {
  group
    .command('list')
    .description(`show ${many} by name, inactive ones too`)
    .option('--business <id>', 'only those of this business')
    .option('--limit <number>', 'at most so many, 1 to 100', '100')
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
    .option('--json', 'print data instead of text')
    .addHelpText('after', `\nExample:\n  $ holdfast ${group.name()} list --business 0198…`)
    .action(async ({ business, limit = '', cursor, json }: Options) => {
      const page = await withExistingDatabase(async (context) => {
        const id = business === undefined ? undefined : (await showBusiness(context, business)).id
        const query = {
          limit: checkLimit(limit),
          ...(id !== undefined && { business_id: id }),
          ...(cursor !== undefined && { cursor }),
        }
        return listCatalogue(context, operator, { kind: { ...kind, present: (row: Row) => row }, query })
      })
      const shown: Columns<Row> = { ID: ({ id }) => id, NAME: ({ name }) => name, ...columns, STATE: stateOf }
      print(page, {
        json,
        lines: () => [
          ...tableLines(
            Object.keys(shown),
            page.data.map((row) => Object.values(shown).map((cell) => cell(row))),
          ),
          ...(page.next_cursor === null ? [] : ['', `There are more: add --cursor ${page.next_cursor}`]),
        ],
      })
    })
}

function stateOf({ active }: { active: boolean }): string {
  return active ? 'active' : 'inactive'
}

function checkLimit(text: string): string {
  if (/^([1-9]\d?|100)$/.test(text)) return text
  throw new UsageError(`--limit is a whole number from 1 to 100; "${text}" is none.`)
}
