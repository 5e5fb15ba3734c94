import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { hidden, type Typed } from '../../pages/form.ts'
import type { ConsoleTexts } from './texts.ts'
import { atName } from './console-page.ts'

/*
 * The input of a form that failed because the session expired, another tab switched business, or the server
 * failed. The error page carries the input back to its form, and the person sends it again. It is never sent
 * automatically, and never accepted from another website.
 */

/** A form as it was sent. */
export interface KeptForm {
  /** The address to which it was sent. */
  path: string
  fields: Typed
}

/** The field that makes a form show its input instead of submitting it. */
export const reviewName = 'review'

const prefix = 'kept.'

/** For the schema of a form that carries another one. */
export const carriesForm = { patternProperties: { '^kept\\.': { type: 'string' } } }

/** Size limit of a console form, plus the carried one. */
export const carryingLimitBytes = 128 * 1024

/** Renders fields that carry a form through another one. */
export function carriedFields({ path, fields }: KeptForm): Html {
  const named = Object.entries(fields).map(([name, value]) => [`${prefix}${name}`, value] as const)
  return hidden({ next: path, ...Object.fromEntries(named) })
}

/** Returns the form that another one carries; undefined if there is none. */
export function carriedForm(body: Record<string, unknown>, path: string): KeptForm | undefined {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), String(value)] as const] : [],
  )
  return fields.length === 0 ? undefined : { path, fields: Object.fromEntries(fields) }
}

/** Renders a button that shows a form again with its input, at the business `at`. */
export function backToForm({ path, fields }: KeptForm, button: string, at?: string): Html {
  return html`<form method="post" action="${at === undefined ? path : pathAt(path, at)}">
    ${hidden({ ...fields, [reviewName]: 'on', ...(at !== undefined && { [atName]: at }) })}
    <button type="submit" class="main">${button}</button>
  </form>`
}

function pathAt(path: string, business: string): string {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  if (searchParams.has('business')) searchParams.set('business', business)
  const query = searchParams.toString()
  return query === '' ? pathname : `${pathname}?${query}`
}

/**
 * Renders the input for copying, if its form cannot be restored. Omits fields that the pages themselves
 * added.
 */
export function typedTexts({ kept: words }: ConsoleTexts, fields: Typed): Html {
  const texts = Object.entries(fields).filter(([name, value]) => !ownFields.has(name) && isTyped(value))
  if (texts.length === 0) return html``
  return html`<details>
    <summary>${words.typed}</summary>
    <ul>
      ${texts.map(([, value]) => html`<li dir="auto">${value}</li>`)}
    </ul>
  </details>`
}

const ownFields = new Set([atName, reviewName, 'once', 'version', 'start', 'seen', 'do', 'tell'])

function isTyped(value: string): boolean {
  return value !== '' && value !== 'on' && !isUuid(value)
}

/** Responds with the page of a form and its input. `cookie` is that of the log-in. */
export async function showKeptForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { form: { path, fields }, cookie }: { form: KeptForm; cookie: string },
): Promise<FastifyReply> {
  const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = request.headers
  const page = await request.server.inject({
    method: 'POST',
    url: path,
    headers: { ...headers, cookie: `${cookie}; ${headers.cookie ?? ''}`, 'x-request-id': request.id },
    remoteAddress: request.socket.remoteAddress ?? request.ip,
    payload: new URLSearchParams({ ...fields, [reviewName]: 'on' }).toString(),
  })
  for (const name of passedOn) {
    const value = page.headers[name]
    if (value !== undefined) void reply.header(name, value)
  }
  return reply.code(page.statusCode).send(page.body)
}

const passedOn = [
  ...['content-type', 'content-security-policy', 'cache-control', 'referrer-policy'],
  ...['x-content-type-options', 'location', 'set-cookie'],
]
