import { hash } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { personRoles } from '../../access/actor.ts'
import { assertOwnPage, isReading } from '../../access/authentication-hook.ts'
import { asLine, asText, isLine, isText } from '../../base/contact-formats.ts'
import { Problem, validationProblem } from '../../base/errors.ts'
import { html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import type { Transaction } from '../../database/database.ts'
import type { PersonRole } from '../../database/tables.ts'
import { normalise } from '../../base/normalise.ts'
import { bodyLimitBytes } from '../../http/body.ts'
import { readForms } from '../../http/forms.ts'
import { recordOwner, respondOnce, type StoreResponse, storeNothing } from '../../database/idempotency.ts'
import { compileSchema, fieldErrorsOf, type Validator } from '../../base/validation.ts'
import { Media, problems, StrictObject } from '../../base/wire.ts'
import { type Faults, faultsOf, type FaultWords, type FormState, type Typed } from '../../pages/form.ts'
import type { ConsoleTexts } from './texts.ts'
import {
  atName,
  atOf,
  businessOf,
  type ConsolePage,
  type ConsoleVisit,
  type Elsewhere,
  findReader,
  findSender,
  pathOf,
  sendConsolePage,
} from './console-page.ts'
import { inputOfFault, type Row } from './form-rows.ts'
import { sendLogIn } from './gate-page.ts'
import { backToForm, type KeptForm, reviewName, typedTexts } from './kept-form.ts'

/*
 * How the pages of the console are served: each asks who is logged in and whether their role will do, shows a page, and
 * takes the form of that page.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What was typed into its form is kept through failures. */
    keepsForm?: true
  }
}

/** A visit to a page about a business. */
export type BusinessVisit = ConsoleVisit & { business: NonNullable<ConsoleVisit['business']> }

/** What the address of a page carries. */
interface PageAddress {
  /** Of a path that holds one, such as a service's. */
  id: string
  query: Record<string, string | undefined>
}

/** A page of the console, and what its form does. */
export interface ConsoleRoute {
  /** Holds `/:id` where the page is about one of many. */
  path: string
  /** Of the page; that of the form has the prefix `use`. */
  name: string
  summary: string
  /** The lowest role that sees it. */
  role: PersonRole
  /** Whether there is a page without a business. */
  withoutBusiness?: boolean
  /** What its address can carry besides the usual. */
  query?: Record<string, TSchema>
  /** Absent where another page has the form. */
  show?: (visit: BusinessVisit, address: PageAddress) => Promise<ShownPage>
  form?: ConsoleForm
  /** Instead of the usual page where there is nothing with this id. */
  missing?: (visit: ConsoleVisit) => ShownPage
}

/** What a page shows. */
export type ShownPage = Omit<ConsolePage, 'visit'> & {
  /** In a hub: of another business than the address names. */
  visit?: ConsoleVisit
}

/** Another page, with a notice there. */
interface NextPage {
  path: string
  query?: Record<string, string>
}

/** A file to keep. */
interface ShownFile {
  name: string
  text: string
}

/** What becomes of a form: another page; or a page at once, for what is shown only once; or a file. */
type FormResult = NextPage | { page: ShownPage } | { file: ShownFile }

/**
 * Does the work of a form once, however often it is sent, and leads on to `next`. What creates does so in one transaction,
 * which it ends with `store`; what changes a version needs not. The form names itself by `hidden({ once: visit.once })`;
 * without that it is always another one.
 */
export type Once = <Result>(
  run: (store: StoreResponse<unknown>) => Promise<Result>,
  next: (result: Result) => NextPage,
) => Promise<NextPage>

/** A form that was refused: with what was typed, and why. */
export interface RefusedForm extends FormState {
  refusal: unknown
}

export interface ConsoleForm {
  /** Throws a Problem; its faults go to the fields of the form. */
  act: (visit: BusinessVisit, typed: Typed, address: PageAddress, once: Once) => Promise<FormResult>
  /** Its fields, where faults find theirs. */
  rows?: (visit: BusinessVisit) => readonly Row[]
  /** The same of a form without rows; under an empty name all that belong to none. */
  fieldOf?: (pointer: string, typed: Typed) => string
  /** How it says what is wrong; else with the group `setUp` of the texts. */
  words?: (texts: ConsoleTexts) => FaultWords
  /** The type of the file that it gives. */
  fileType?: 'application/json'
  /** The status for further refusals, by their codes. */
  refusals?: Refusals
  /** Shows the form again, with what was typed. */
  again: (visit: BusinessVisit, state: RefusedForm, address: PageAddress) => Promise<ShownPage>
}

/** Faults that only the form knows of. */
export class FormFault extends Error {
  readonly faults: Faults

  constructor(faults: Faults) {
    super('the form has faults')
    this.faults = faults
  }
}

/** Throws a FormFault if there are any. */
export function assertNoFaults(faults: Faults): void {
  if (Object.keys(faults).length > 0) throw new FormFault(faults)
}

/** What the routes of all pages of the console say of themselves. */
export const tags = ['Console']
export const page = Media('text/html', 'The page.')

/** What a form answers before its route is asked. */
export const refusedForms = problems('origin_not_allowed', 'payload_too_large', 'unsupported_media_type')

/** For the schema of a route that takes a form. */
export const formMedia = ['application/x-www-form-urlencoded']

/** Leads on to another page, with GET. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}

/** Takes forms, from pages of this server alone. The pages themselves open from anywhere, such as from a link in a mail. */
export function ownFormsOnly(scope: FastifyInstance, ours: ReadonlySet<string>, limitBytes?: number): void {
  readForms(scope, limitBytes)
  scope.addHook('onRequest', (request, _reply, next) => {
    try {
      if (!isReading(request)) assertOwnPage(request, ours)
      next()
    } catch (error) {
      next(error as Error)
    }
  })
}

/** Adds routes of forms: they take forms alone, and from pages of this server alone. */
export function addForms(
  app: FastifyInstance,
  context: Context,
  add: (scope: FastifyInstance) => void,
): void {
  const ours = ownOrigins(context.config)
  void app.register((scope, _options, done) => {
    ownFormsOnly(scope, ours, bodyLimitBytes)
    add(scope)
    done()
  })
}

const validators = new WeakMap<TSchema, Validator>()

/** What a form says, checked as the API checks its bodies. Throws validation_failed. */
export function checkedForm<T extends TSchema>(
  schema: T,
  value: unknown,
  compile: (schema: T) => Validator = compileSchema,
): Static<T> {
  const validate = validators.get(schema) ?? compile(schema)
  validators.set(schema, validate)
  if (!validate(value)) throw validationProblem(fieldErrorsOf(validate.errors ?? []))
  return value as Static<T> // it fits the schema
}

const Short = Type.Optional(Type.String({ maxLength: 500 }))

/** The query that pages of the console know. */
const queryOf = ({ query = {} }: Pick<ConsoleRoute, 'query'>) =>
  StrictObject({ business: Short, done: Short, cursor: Short, open: Short, ...query })

/** Serves pages of the console. Their forms are taken from pages of this server alone. */
export function consoleRoutes(app: FastifyInstance, context: Context, routes: ConsoleRoute[]): void {
  for (const { show, ...route } of routes) if (show) addPage(app, context, { ...route, show })
  addForms(app, context, (scope) => {
    for (const { form, ...route } of routes) if (form) addForm(scope, context, { ...route, form })
  })
}

function addPage(
  app: FastifyInstance,
  context: Context,
  route: ConsoleRoute & Required<Pick<ConsoleRoute, 'show'>>,
): void {
  const { path, name, summary } = route
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    path,
    {
      schema: {
        operationId: `show${name}`,
        tags,
        summary: `${summary}, for people`,
        description: `Of the role ${route.role} or a higher one. Whoever is not logged in gets the form to log in.`,
        ...paramsOf(path),
        querystring: queryOf(route),
        response: {
          200: page,
          303: Type.Null({
            description: 'Where a person has several businesses: to the address that names one.',
          }),
          404: page,
        },
      },
    },
    async (request, reply) => {
      const { id, query } = addressOf(request)
      const found = await findReader(context, request, query['business'])
      if (!found) return sendLogIn(reply, { next: request.url })
      const { visit } = found
      if (found.elsewhere) return sendConsolePage(reply.code(404), { visit, ...notFound(visit) })
      // another tab may show another business, so that of a page stands in its address
      if (query['business'] === undefined && businessOf(visit) !== undefined)
        return seeOther(reply, pathOf(path.replace(':id', encodeURIComponent(id)), visit, query))
      const answer = await answerTo(visit, route, async (ofBusiness) => ({
        status: 200,
        page: await route.show(ofBusiness, { id, query }),
      }))
      return sendAnswer(reply, visit, answer)
    },
  )
}

function paramsOf(path: string): { params?: TSchema } {
  return path.includes('/:id') ? { params: StrictObject({ id: Type.String() }) } : {}
}

function addressOf({ params, query }: FastifyRequest): PageAddress {
  const { id = '' } = params as { id?: string }
  const given = Object.entries(query as PageAddress['query']) // as the schemas say
  return { id, query: Object.fromEntries(given.map(([name, text]) => [name, text && asLine(text)])) }
}

function addForm(
  scope: FastifyInstance,
  context: Context,
  route: ConsoleRoute & Required<Pick<ConsoleRoute, 'form'>>,
): void {
  const { path, name, form } = route
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    path,
    {
      config: { keepsForm: true },
      schema: {
        operationId: `use${name}`,
        tags,
        summary: summaryOf(route),
        description:
          'After a fault the page shows the form again, as it was filled in. It names its business (`at_business`): 409 where that is not the present one, and nothing is saved.',
        consumes: formMedia,
        ...paramsOf(path),
        querystring: queryOf(route),
        body: Type.Object({}, { additionalProperties: { type: 'string' }, maxProperties: maxFields }),
        response: {
          200: form.fileType === undefined ? page : pageOrFile(form.fileType),
          303: Type.Null({ description: 'To a page of the console.' }),
          ...{ 404: page, 409: page, 412: page, 422: page, 429: page },
          ...refusedForms,
        },
      },
    },
    async (request, reply) => {
      const address = addressOf(request)
      const body = request.body as Typed
      const { [atName]: at, [reviewName]: review, ...said } = normalise(body) as Typed
      const { business } = address.query
      const isReviewed = review !== undefined // it saves nothing, so it may lead to its business
      const found = isReviewed
        ? await findReader(context, request, at ?? business)
        : await findSender(context, request, { at, business })
      const kept = { path: request.url, fields: body }
      if (!found) return sendLogIn(reply, { next: request.url, kept })
      if (found.elsewhere) return sendOtherBusiness(reply, { ...found, elsewhere: found.elsewhere, kept })
      const { once: asked = '' } = said
      // what was sent and perhaps saved is not done twice when it is sent again
      const visit = isReviewed && isUuid(asked) ? { ...found.visit, once: asked } : found.visit
      const sent = { typed: said, address }
      const once = onceOf(context, { visit, path, ...sent })
      const answer = await answerTo(visit, route, (ofBusiness) =>
        isReviewed ? reviewed(ofBusiness, form, sent) : used(ofBusiness, form, { ...sent, once }),
      )
      if ('page' in answer && answer.status === 404)
        answer.page.body = html`${answer.page.body} ${typedTexts(visit.texts, said)}`
      return sendAnswer(reply, visit, answer)
    },
  )
}

/** The form again, with what was typed before something came between. */
async function reviewed(
  visit: BusinessVisit,
  form: ConsoleForm,
  { typed, address }: { typed: Typed; address: PageAddress },
): Promise<Answer> {
  const state = { typed: readable(typed), faults: { '': visit.texts.kept.again }, refusal: undefined }
  return { status: 200, page: await form.again(visit, state, address) }
}

/** That a form belongs to another business than the present one; leads there, with what was typed. */
function sendOtherBusiness(
  reply: FastifyReply,
  { visit, elsewhere, kept }: { visit: ConsoleVisit; elsewhere: Elsewhere; kept: KeptForm },
): FastifyReply {
  const { kept: words } = visit.texts
  const { place, name } = elsewhere
  const present = visit.business?.name ?? visit.places.find(({ isPresent }) => isPresent)?.name ?? ''
  const isNamed = kept.fields[atName] !== undefined
  const why = name !== undefined ? words.other({ name }) : isNamed ? words.otherUnknown : words.unnamed
  const isReached = name !== undefined || !isNamed
  const there = place
    ? words.goThere({ name: name ?? place.name })
    : words.showHere({ name: name ?? present })
  const way = isReached ? backToForm(kept, there, place ? undefined : atOf(visit)) : ''
  const body = html`<h1>${words.otherTitle}</h1>
    <p role="alert">${why}</p>
    <p>${words.present({ name: present })}</p>
    ${way} ${typedTexts(visit.texts, kept.fields)}
    <p><a href="${pathOf('/console', visit)}">${visit.texts.setUp.toStart}</a></p>`
  return sendConsolePage(reply.code(409), { visit, title: words.otherTitle, body, areFormsNamed: false })
}

function summaryOf({ summary, show }: ConsoleRoute): string {
  if (!show) return summary
  const lower = `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`
  return lower.startsWith('the form') ? `Use ${lower}` : `The form of: ${lower}`
}

function pageOrFile(type: string) {
  const content = { [type]: { schema: Type.Unknown() }, 'text/html': { schema: Type.String() } }
  return { description: 'The file, or a page.', content }
}

function sendAnswer(reply: FastifyReply, visit: ConsoleVisit, answer: Answer): FastifyReply {
  if ('file' in answer)
    return reply
      .headers({
        'content-disposition': `attachment; filename="${answer.file.name}"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      .type(`${answer.type}; charset=utf-8`)
      .send(answer.file.text)
  if ('path' in answer) return seeOther(reply, pathOf(answer.path, visit, answer.query))
  return sendConsolePage(reply.code(answer.status), { visit, ...answer.page })
}

/** Does what a form asks for, or shows it again. */
async function used(
  visit: BusinessVisit,
  form: ConsoleForm,
  { typed, address, once }: { typed: Typed; address: PageAddress; once: Once },
): Promise<Answer> {
  try {
    assertNoFaults(unreadableFaults(typed, form.words?.(visit.texts) ?? visit.texts.setUp))
    const result = await form.act(visit, typed, address, once)
    if ('page' in result) return { status: 200, ...result }
    return 'file' in result ? { type: form.fileType ?? 'text/plain', ...result } : result
  } catch (error) {
    const { status, faults } = refusalOf(error, visit, { ...form, typed })
    return {
      status,
      page: await form.again(visit, { typed: readable(typed), faults, refusal: error }, address),
    }
  }
}

/** Faults of what no field of the API takes, and no database: such as NUL. */
function unreadableFaults(typed: Typed, words: FaultWords): Faults {
  const faults = Object.entries(typed).flatMap(([name, text]) =>
    isText(text) && isLine(name) ? [] : [[asLine(name), words.fault('invalid_format', unreadable)] as const],
  )
  return Object.fromEntries(faults)
}

const unreadable = 'must be text without control characters'

function readable(typed: Typed): Typed {
  const fields = Object.entries(typed).filter(([name]) => isLine(name))
  return Object.fromEntries(fields.map(([name, text]) => [name, isText(text) ? text : asText(text)]))
}

function onceOf(
  context: Context,
  sent: { visit: ConsoleVisit; path: string; typed: Typed; address: PageAddress },
): Once {
  const { once, ...said } = sent.typed
  return async (run, next) => {
    if (once === undefined || once === '') return next(await run(storeNothing))
    const { response } = await respondOnce(context, {
      key: {
        caller_id: recordOwner(sent.visit.person),
        route: `POST ${sent.path}`,
        idempotency_key: once.slice(0, maxOnceLength),
      },
      digest: hash('sha256', JSON.stringify([sent.address, said])),
      run: async (store) => {
        const done = { stored: 0 }
        const storeAndNote = async (tx: Transaction, result: unknown) => {
          await store(tx, result)
          done.stored += 1
        }
        const result = await run(Object.assign(storeAndNote, { look: (tx: Transaction) => store.look(tx) }))
        if (done.stored === 0) await context.db.transaction((tx) => store(tx, result))
        return result
      },
      present: (result) => ({ status: 303, etag: null, body: JSON.stringify(next(result)) }),
    })
    return JSON.parse(response.body) as NextPage // as was stored
  }
}

/** Of an id. */
const maxOnceLength = 36

/** A page, or the path of another one. */
type Answer =
  NextPage | { type: string; file: ShownFile } | { status: 200 | 404 | RefusedStatus; page: ShownPage }

const maxFields = 3_000

/** What the page says of a failure; throws what is none of the form. */
function refusalOf(
  error: unknown,
  visit: BusinessVisit,
  {
    rows = () => [],
    fieldOf = (pointer) => inputOfFault(rows(visit), pointer, typed),
    words = ({ setUp }) => setUp,
    refusals: further,
    typed,
  }: ConsoleForm & { typed: Typed },
): { status: RefusedStatus; faults: Faults } {
  const { texts } = visit
  if (error instanceof FormFault) return { status: 422, faults: error.faults }
  const status = error instanceof Problem ? { ...refusals, ...further }[error.code] : undefined
  if (!(error instanceof Problem) || status === undefined) throw error
  if (error.code.startsWith('idempotency_')) return { status, faults: { '': texts.setUp.sentBefore } }
  const errors = error.parts.errors ?? []
  if (errors.length > 0)
    return { status, faults: faultsOf(errors, words(texts), (pointer) => fieldOf(pointer, typed)) }
  return { status, faults: { '': words(texts).problem(error.code, error.message) } }
}

/** The refusals that a form shows; the others are a page of their own, or the reply of the API. */
type RefusedStatus = 409 | 412 | 422 | 429

type Refusals = Partial<Record<string, RefusedStatus>>

const refusals: Refusals = {
  validation_failed: 422,
  plan_required: 422,
  webhook_limit_reached: 409,
  catalogue_limit_reached: 409,
  rotation_in_progress: 409,
  idempotency_key_reused: 422,
  idempotency_in_flight: 409,
}

/** What a visitor sees: what they asked for, or that it is for others, or that there is nothing. */
async function answerTo(
  visit: ConsoleVisit,
  { role, withoutBusiness = false, missing = notFound }: ConsoleRoute,
  answer: (visit: BusinessVisit) => Promise<Answer>,
): Promise<Answer> {
  const { texts, person, business } = visit
  if (personRoles.indexOf(person.role) < personRoles.indexOf(role))
    return { status: 404, page: notYours(texts, role) }
  if (!business && !withoutBusiness) return { status: 404, page: noBusiness(texts) }
  try {
    return await answer(visit as BusinessVisit) // or of a page that asked for visits without one
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return { status: 404, page: missing(visit) }
    throw error
  }
}

function notYours({ setUp, roles }: ConsoleTexts, role: PersonRole): ShownPage {
  const body = html`<h1>${setUp.notYours}</h1>
    <p>${setUp.notYoursWhy({ role: roles[role] })}</p>`
  return { title: setUp.notYours, body }
}

function noBusiness({ frame }: ConsoleTexts): ShownPage {
  return { title: frame.noBusiness, body: html`<h1>${frame.noBusiness}</h1>` }
}

/** For an address at which there is nothing. */
export function notFound(visit: ConsoleVisit): ShownPage {
  const { notFound: title, toStart } = visit.texts.setUp
  const body = html`<h1>${title}</h1>
    <p><a class="button" href="${pathOf('/console', visit)}">${toStart}</a></p>`
  return { title, body }
}

/** Throws not_found, as pages of what is elsewhere do. */
export function assertOfBusiness({ business }: BusinessVisit, businessId: string | null): void {
  if (businessId !== business.id) throw new Problem('not_found', 'There is nothing with this id.')
}
