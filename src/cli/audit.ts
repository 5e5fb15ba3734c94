import { operator } from '../access/actor.ts'
import { AuditQuery } from '../access/audit-schemas.ts'
import { listAudit } from '../access/audit.ts'
import { type CliCommand, printPage, withExistingDatabase } from './command-line.ts'
import { checkedQuery, given, shownTime } from './input.ts'
import { ownerOfList } from './list-owner.ts'
import { readListScope } from './list-scope.ts'

interface Options {
  business?: string
  from?: string
  to?: string
  actor?: string
  subject?: string
  limit: string
  cursor?: string
  json?: boolean
}

const optionNames = { actor: '--actor', subject: '--subject', limit: '--limit', cursor: '--cursor' }

export function registerAudit(program: CliCommand): void {
  program
    .command('audit')
    .description('list who changed what in the last 400 days, newest first')
    .option('--business <name or id>', 'only this business')
    .option('--from <time>', 'only changes since this time, such as 2026-12-01 or "2026-12-01 09:00"')
    .option('--to <time>', 'only changes before this time')
    .option('--actor <id>', 'only changes by this key or person')
    .option('--subject <id>', 'only changes to this object, such as a booking')
    .withPages('100')
    .withJson()
    .examples('audit --business "Salon Spree" --from 2026-12-01', 'audit --subject 0199…')
    .action(async ({ business, from, to, actor, subject, limit, cursor, json }: Options) => {
      const { owner, page } = await withExistingDatabase(async (context) => {
        const { fields, faults } = await readListScope(context, { business }, { from, to })
        const body = { ...fields, ...given({ limit, actor, subject, cursor }) }
        const query = checkedQuery(AuditQuery, body, optionNames, faults)
        return {
          owner: await ownerOfList(context, business),
          page: await listAudit(context, operator, query),
        }
      })
      printPage(page, json, {
        title: owner.titleOf('Changes'),
        columns: {
          AT: ({ at }) => shownTime(at),
          BY: ({ actor: by }) => [by.type, by.name ?? by.id ?? ''].join(' ').trim(),
          FROM: ({ address }) => address ?? '',
          ACTION: ({ action }) => action,
          SUBJECT: ({ subject: { id } }) => id,
          ...owner.column,
        },
      })
    })
}
