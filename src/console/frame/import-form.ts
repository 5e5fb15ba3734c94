import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { assertOwnPage } from '../../access/authentication-hook.ts'
import { decodeCsv } from '../../base/csv-reader.ts'
import { Problem } from '../../base/errors.ts'
import { html } from '../../base/html.ts'
import { ownOrigins } from '../../base/public-url.ts'
import { compileQuery } from '../../base/validation.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import { maxImportBytes, UnreadableClients } from '../../bookings/client-import.ts'
import type { Context } from '../../bookings/context.ts'
import { type MultipartForm, readMultipart } from '../../http/multipart.ts'
import { atName, findSender, sendConsolePage } from './console-page.ts'
import { type BusinessVisit, notFound, page, refusedForms, tags } from './console-route.ts'
import { sendLogIn } from './gate-page.ts'

/*
 * The form of an import, which is multipart because it has a file. The form carries the file from page to page, so the
 * server never stores it.
 */

/** Imports are for people of this role or a higher one. */
export const importRole = 'manager'
const multipart = 'multipart/form-data'
/** A file of Windows-1252 may double in UTF-8, and browsers send CR LF. */
const maxFormBytes = 2 * maxImportBytes + 1024 * 1024
/** More columns than a file may have. */
const maxFormFields = 200

interface ImportForm {
  path: string
  operationId: string
  summary: string
  answer: (
    context: Context,
    visit: BusinessVisit,
    form: MultipartForm,
    reply: FastifyReply,
  ) => Promise<FastifyReply>
}

/** Registers the form of an import. */
export function importForm(app: FastifyInstance, context: Context, form: ImportForm): void {
  const ours = ownOrigins(context.config)
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: maxFormBytes } as const
    scope.addContentTypeParser(multipart, options, (request, body: Buffer, parsed) => {
      const read = readMultipart(body, request.headers['content-type'] ?? '')
      if (read) parsed(null, read)
      else parsed(unsupported())
    })
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 0 }, (_request, _body, parsed) => {
      parsed(unsupported())
    })
    scope.addHook('onRequest', async (request, reply) => {
      assertOwnPage(request, ours)
      if (!request.person) return sendLogIn(context, reply, { next: form.path }) // before a large body is read
      return undefined
    })
    addForm(scope, context, form)
    done()
  })
}

function unsupported(): Problem {
  return new Problem('unsupported_media_type', 'Send the form with its file as a browser does.')
}

function addForm(
  scope: FastifyInstance,
  context: Context,
  { path, operationId, summary, answer }: ImportForm,
): void {
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    path,
    {
      bodyLimit: maxFormBytes,
      // the body is a form with a file, which no schema describes
      validatorCompiler: ({ schema, httpPart }) =>
        httpPart === 'body' ? () => true : compileQuery(schema as never),
      schema: {
        operationId,
        tags,
        summary,
        description: `Of the role ${importRole} or a higher one. Sends the file, its columns and the wish to import. Without the wish it answers with a plan.`,
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
      if (!found) return sendLogIn(context, reply, { next: path })
      const { visit } = found
      const { kept } = visit.texts
      if (found.elsewhere) {
        const body = html`<h1>${kept.otherTitle}</h1>
          <p role="alert">${kept.unnamed}</p>`
        return sendConsolePage(reply.code(409), { visit, title: kept.otherTitle, body })
      }
      if (!hasRole(visit.person, importRole) || !visit.business)
        return sendConsolePage(reply.code(404), { visit, ...notFound(visit) })
      return answer(context, { ...visit, business: visit.business }, form, reply)
    },
  )
}

function readForm(body: unknown): MultipartForm {
  const isForm = typeof body === 'object' && body !== null && 'fields' in body
  return isForm ? (body as MultipartForm) : { fields: {}, files: {} } // nothing was sent
}

/** Returns the chosen meanings of the columns. None before the first choice. */
export function columnsIn(fields: MultipartForm['fields']): (string | undefined)[] {
  return Object.keys(fields).some((name) => name.startsWith('column.'))
    ? Array.from({ length: maxFormFields }, (_each, index) => fields[`column.${index}`])
    : []
}

/** Returns the text of an uploaded file, or of the one that the form carries. Throws UnreadableClients. */
export function importedText({ fields, files: { file: bytes } }: MultipartForm): string {
  const text = bytes && bytes.length > 0 ? decodeCsv(bytes) : (fields['text'] ?? '')
  if (text === '') throw new UnreadableClients('empty')
  if (text.length > maxFormBytes) throw new UnreadableClients('too_many_rows')
  return text
}
