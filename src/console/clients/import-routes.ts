import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { csvFormOf } from '../../base/csv.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import { clientCsv } from '../../bookings/client-csv.ts'
import { importClients, readClientFile, UnreadableClients } from '../../bookings/client-import.ts'
import type { Context } from '../../bookings/context.ts'
import { turnsFor } from '../../bookings/costly.ts'
import type { MultipartForm } from '../../http/multipart.ts'
import { seeOther } from '../../pages/page.ts'
import { sendFile } from '../bookings/bookings-routes.ts'
import { findVisit, pathOf, sendConsolePage } from '../frame/console-page.ts'
import { type BusinessVisit, type ConsoleRoute, type ShownPage, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { columnsIn, importedText, importForm, importRole } from '../frame/import-form.ts'
import { filePage, importedPage, importPath, plannedOf, planPage } from './import-page.ts'

/* The import and export of a business's clients as CSV. */

/** The page with the form for a file. */
export function importPageRoute(): ConsoleRoute {
  return {
    path: importPath,
    name: 'ClientImportPage',
    summary: 'The form for a file of clients',
    role: importRole,
    show: async (visit) => filePage(visit),
  }
}

/** Registers the form of an import. */
export function clientImportRoutes(app: FastifyInstance, context: Context): void {
  importForm(app, context, {
    path: importPath,
    operationId: 'useClientImportPage',
    summary: 'Plan and run an import of clients',
    answer,
  })
}

async function answer(
  context: Context,
  visit: BusinessVisit,
  form: MultipartForm,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { fields } = form
  const send = (shown: ShownPage, status = 200) => sendConsolePage(reply.code(status), { visit, ...shown })
  const replaces = fields['replaces'] === 'on'
  const columns = columnsIn(fields)
  const { isGone } = visit
  try {
    const text = importedText(form)
    const file = await readClientFile(text, { columns, isGone })
    const isPlanned = fields['planned'] === plannedOf(file, replaces)
    const apply = fields['do'] === 'import' && isPlanned
    const input = { business_id: visit.business.id, file, replaces, apply, isGone }
    const report = await importClients(context, visit.person, input)
    return await send(apply ? importedPage(visit, report) : planPage(visit, { text, file, replaces, report }))
  } catch (error) {
    if (error instanceof UnreadableClients) return send(filePage(visit, error), 422)
    throw error
  }
}

/** Registers the list of clients as a file. */
export function clientFileRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/console/clients.csv',
    {
      schema: {
        operationId: 'exportConsoleClients',
        tags,
        summary: 'Clients as a file for a spreadsheet, for owners who are logged in',
        description: 'What could be a formula begins with an apostrophe.',
        querystring: StrictObject({ business: Type.Optional(Type.String({ maxLength: 500 })) }),
        response: {
          200: {
            description: 'The file, or the form to log in.',
            content: { 'text/csv': { schema: Type.String() }, 'text/html': { schema: Type.String() } },
          },
          303: Type.Null({ description: 'To the list: for those who may not export.' }),
          ...problems('not_found', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(context, reply, { next: '/console/clients' })
      const { business, person, isGone, locale, texts } = visit
      if (person.role !== 'owner' || !business) return seeOther(reply, pathOf('/console/clients', visit))
      const { book, clients: t, bookings, frame } = texts
      const headings = {
        ...{ first_name: book.firstName, last_name: book.lastName, email: book.email, phone: book.phone },
        ...{ notes: t.notes, tags: t.tags, locale: t.language, time_zone: t.timeZone },
        ...{ booking_count: frame.bookings, no_show_count: t.missed, last_booking_at: t.lastBooking },
        ...{ blocked: t.blocked, created_at: t.created },
      }
      const { yes, no } = bookings.columns
      const end = await turnsFor(context, 'export').take(business.id, isGone)
      try {
        const rows = clientCsv(context, person, {
          ...{ business_id: business.id, headings, yes, no, form: csvFormOf(locale), isGone },
        })
        const first = await rows.next() // a failure comes before the file begins
        return await sendFile(reply, 'clients.csv', withFirst(first.value ?? '', rows), end)
      } catch (error) {
        end()
        throw error
      }
    },
  )
}

async function* withFirst(first: string, others: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  yield first
  yield* others
}
