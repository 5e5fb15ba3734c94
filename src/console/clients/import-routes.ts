import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { assertOwnPage } from '../../access/authentication-hook.ts'
import { decodeCsv } from '../../base/csv-reader.ts'
import { csvFormOf } from '../../base/csv.ts'
import { Problem } from '../../base/errors.ts'
import { html } from '../../base/html.ts'
import { ownOrigins } from '../../base/public-url.ts'
import { compileQuery } from '../../base/validation.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import { clientCsv } from '../../bookings/client-csv.ts'
import {
  importClients,
  maxImportBytes,
  readClientFile,
  UnreadableClients,
} from '../../bookings/client-import.ts'
import type { Context } from '../../bookings/context.ts'
import { turnsFor } from '../../bookings/costly.ts'
import { type MultipartForm, readMultipart } from '../../http/multipart.ts'
import { seeOther } from '../../pages/page.ts'
import { sendFile } from '../bookings/bookings-routes.ts'
import { atName, findSender, findVisit, pathOf, sendConsolePage } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  type ConsoleRoute,
  notFound,
  page,
  refusedForms,
  type ShownPage,
  tags,
} from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { filePage, importedPage, importPath, plannedOf, planPage } from './import-page.ts'

/*
 * The import and export of a business's clients as CSV. The form carries the file from page to page, so the server never
 * stores it.
 */

const role = 'manager'
const multipart = 'multipart/form-data'
/** A file of Windows-1252 may double in UTF-8, and browsers send CR LF. */
const maxFormBytes = 2 * maxImportBytes + 1024 * 1024
/** More columns than a file may have. */
const maxFormFields = 200

/** The page with the form for a file. */
export function importPageRoute(): ConsoleRoute {
  return {
    path: importPath,
    name: 'ClientImportPage',
    summary: 'The form for a file of clients',
    role,
    show: async (visit) => filePage(visit),
  }
}

/** Registers the form of an import, which is multipart because it has a file. */
export function clientImportRoutes(app: FastifyInstance, context: Context): void {
  const ours = ownOrigins(context.config)
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: maxFormBytes } as const
    scope.addContentTypeParser(multipart, options, (request, body: Buffer, parsed) => {
      const form = readMultipart(body, request.headers['content-type'] ?? '')
      if (form) parsed(null, form)
      else parsed(unsupported())
    })
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 0 }, (_request, _body, parsed) => {
      parsed(unsupported())
    })
    scope.addHook('onRequest', async (request, reply) => {
      assertOwnPage(request, ours)
      if (!request.person) return sendLogIn(context, reply, { next: importPath }) // before a large body is read
      return undefined
    })
    addImport(scope, context)
    done()
  })
}

function unsupported(): Problem {
  return new Problem('unsupported_media_type', 'Send the form with its file as a browser does.')
}

function addImport(scope: FastifyInstance, context: Context): void {
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    importPath,
    {
      bodyLimit: maxFormBytes,
      // the body is a form with a file, which no schema describes
      validatorCompiler: ({ schema, httpPart }) =>
        httpPart === 'body' ? () => true : compileQuery(schema as never),
      schema: {
        operationId: 'useClientImportPage',
        tags,
        summary: 'Plan and run an import of clients',
        description: `Of the role ${role} or a higher one. Sends the file, its columns and the wish to import. Without the wish it answers with a plan.`,
        consumes: [multipart],
        querystring: StrictObject({ business: Type.Optional(Type.String({ maxLength: 500 })) }),
        body: Type.Unsafe<MultipartForm>({ type: 'object' }),
        response: { 200: page, 404: page, 409: page, 422: page, ...refusedForms, ...problems('unavailable') },
      },
    },
    async (request, reply) => {
      const form = readForm(request.body)
      const { fields } = form
      const { business } = request.query
      const found = await findSender(context, request, { at: fields[atName], business })
      if (!found) return sendLogIn(context, reply, { next: importPath })
      const { visit } = found
      const { kept } = visit.texts
      if (found.elsewhere) {
        const body = html`<h1>${kept.otherTitle}</h1>
          <p role="alert">${kept.unnamed}</p>`
        return sendConsolePage(reply.code(409), { visit, title: kept.otherTitle, body })
      }
      if (!hasRole(visit.person, role) || !visit.business)
        return sendConsolePage(reply.code(404), { visit, ...notFound(visit) })
      return answer(context, { ...visit, business: visit.business }, form, reply)
    },
  )
}

function readForm(body: unknown): MultipartForm {
  const isForm = typeof body === 'object' && body !== null && 'fields' in body
  return isForm ? (body as MultipartForm) : { fields: {}, files: {} } // nothing was sent
}

async function answer(
  context: Context,
  visit: BusinessVisit,
  { fields, files }: MultipartForm,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const send = (shown: ShownPage, status = 200) => sendConsolePage(reply.code(status), { visit, ...shown })
  const { file: bytes } = files
  const text = bytes && bytes.length > 0 ? decodeCsv(bytes) : (fields['text'] ?? '')
  if (text === '') return send(filePage(visit, new UnreadableClients('empty')), 422)
  if (text.length > maxFormBytes) return send(filePage(visit, new UnreadableClients('too_many_rows')), 422)
  const replaces = fields['replaces'] === 'on'
  const columns = Object.keys(fields).some((name) => name.startsWith('column.'))
    ? Array.from({ length: maxFormFields }, (_each, index) => fields[`column.${index}`])
    : []
  const { isGone } = visit
  try {
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
      const { book, clients: t, booking, bookings, frame } = texts
      const headings = {
        ...{ first_name: book.firstName, last_name: book.lastName, email: book.email, phone: book.phone },
        ...{ notes: t.notes, tags: t.tags, locale: t.language, time_zone: t.timeZone },
        ...{ booking_count: frame.bookings, no_show_count: t.missed, last_booking_at: t.lastBooking },
        ...{ blocked: booking.blocked, created_at: t.created },
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
