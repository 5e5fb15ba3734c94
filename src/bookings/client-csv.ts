import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { csvDate, type CsvForm, csvRow, csvStart } from '../base/csv.ts'
import { pagesOf } from '../base/paging.ts'
import { Slices } from '../base/slices.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import { listClients, presentClient } from './client.ts'
import { tagCell } from './client-columns.ts'
import type { Context } from './context.ts'

/** The columns of the list as CSV. An import reads those up to `time_zone`. */
const listedColumns = [
  ...(['first_name', 'last_name', 'email', 'phone', 'notes', 'tags', 'locale', 'time_zone'] as const),
  ...(['booking_count', 'no_show_count', 'last_booking_at', 'blocked', 'created_at'] as const),
] as const

const maxExported = 100_000

interface ClientCsv {
  business_id: string
  headings: Record<(typeof listedColumns)[number], string>
  yes: string
  no: string
  form: CsvForm
  isGone?: () => boolean
}

/**
 * Yields the clients of a business by name as CSV, at most 100,000. Only one page is in memory at a time. Writes an entry in
 * the audit log first.
 */
export async function* clientCsv(
  context: Context,
  actor: Actor,
  { business_id, headings, yes, no, form, isGone = () => false }: ClientCsv,
): AsyncGenerator<string, void> {
  await context.db.transaction(async (tx) => {
    const { id } = await businessForCreation(tx.db, actor.scope, business_id)
    const change = { action: 'business.clients_exported', subjectId: id, businessId: id } as const
    await recordAudit(context, tx, { by: actor, ...change })
  })
  let head =
    csvStart +
    csvRow(
      listedColumns.map((name) => headings[name]),
      form,
    )
  const slices = new Slices()
  const date = (instant: string | null) => (instant === null ? null : csvDate(instant, form))
  let left = maxExported
  for await (const page of pagesOf((part) => listClients(context, actor, { ...part, business_id }))) {
    const rows = await slices.map(page.slice(0, left), (shown) => {
      const client = presentClient(shown)
      return csvRow(
        [
          ...[client.first_name, client.last_name, client.email, client.phone, client.notes],
          ...[tagCell(client.tags), client.locale, client.time_zone],
          ...[client.booking_count, client.no_show_count, date(client.last_booking_at)],
          ...[client.blocked ? yes : no, date(client.created_at)],
        ],
        form,
      )
    })
    yield head + rows.join('')
    head = ''
    left -= page.length
    if (left <= 0 || isGone()) return
    await slices.rest()
  }
}
