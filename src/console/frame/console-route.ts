import { hash } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { ownFormsOnly } from '../../access/own-forms-hook.ts'
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
import { emptyState } from './empty-state.ts'
import { inputOfFault, inTypedUnits, type Row } from './form-rows.ts'
import { sendLogIn } from './gate-page.ts'
import { backToForm, type KeptForm, reviewName, typedTexts } from './kept-form.ts'
import { seeOther } from '../../pages/page.ts'
import { inTime, timeOf } from '../../access/test-clock.ts'

/*
 * Serves the pages of the console. Each checks the person and their role, renders a page, and handles the
 * form of that page.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the input of its form survives failures. */
    keepsForm?: true
  }
}

/** A visit to a page about a business. */
export type BusinessVisit = ConsoleVisit & { business: NonNullable<ConsoleVisit['business']> }

/** The parameters in a page's address. */
interface PageAddress {
  /** The ID in a path that contains one, such as a service's. */
  id: string
  query: Record<string, string | undefined>
}

/** A console page, and the action of its form. */
export interface ConsoleRoute {
  /** Contains `/:id` if the page is about one of many. */
  path: string
  /** Name of the page. The form's name has the prefix `use`. */
  name: string
  summary: string
  /** The lowest role that sees it. */
  role: PersonRole
  /** True if the page also exists without a business. */
  withoutBusiness?: boolean
  /** True for a page about accounts and keys, which ignore the clock of a test business. */
  inRealTime?: true
  /** Query parameters in addition to the usual ones. */
  query?: Record<string, TSchema>
  /** Absent if another page contains the form. */
  show?: (visit: BusinessVisit, address: PageAddress) => Promise<ShownPage>
  form?: ConsoleForm
  /** The page if nothing has this ID, instead of the usual one. */
  missing?: (visit: ConsoleVisit) => ShownPage
}

/** The content of a page. */
export type ShownPage = Omit<ConsolePage, 'visit'> & {
  /** In a hub: a visit at another business than that of the address. */
  visit?: ConsoleVisit
}

/** Another page, with a notice. */
interface NextPage {
  path: string
  query?: Record<string, string>
}

/** A file to download. */
interface ShownFile {
  name: string
  text: string
}

/** The result of a form: another page, a page that is shown only once, or a file. */
type FormResult = NextPage | { page: ShownPage } | { file: ShownFile }

/**
 * Does the work of a form once, however often it is sent, and redirects to `next`. A creation happens in one
 * transaction, which `store` completes. A change with a version needs no such care. The form identifies
 * itself by `hidden({ once: visit.once })`; without that, each submission counts as new.
 */
export type Once = <Result>(
  run: (store: StoreResponse<unknown>) => Promise<Result>,
  next: (result: Result) => NextPage,
) => Promise<NextPage>

/** A refused form, with its input and the reason. */
export interface RefusedForm extends FormState {
  refusal: unknown
}

export interface ConsoleForm {
  /** Throws a Problem, whose faults appear at the form's fields. */
  act: (visit: BusinessVisit, typed: Typed, address: PageAddress, once: Once) => Promise<FormResult>
  /** Its fields, for mapping faults. */
  rows?: (visit: BusinessVisit) => readonly Row[]
  /** The same for a form without rows. Faults without a field have an empty name. */
  fieldOf?: (pointer: string, typed: Typed) => string
  /** Texts for its faults; the group `setUp` by default. */
  words?: (texts: ConsoleTexts) => FaultWords
  /** The type of its file. */
  fileType?: 'application/json'
  /** The status of further refusals by code. */
  refusals?: Refusals
  /** Shows the form again, with its input. */
  again: (visit: BusinessVisit, state: RefusedForm, address: PageAddress) => Promise<ShownPage>
}

/** Faults that only the form can find. */
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

/** The answers of a route that sends a file for a spreadsheet. `elsewhere` describes its 303. */
export function fileResponses(elsewhere: string) {
  return {
    200: {
      description: 'The file, or the form to log in.',
      content: { 'text/csv': { schema: Type.String() }, 'text/html': { schema: Type.String() } },
    },
    303: Type.Null({ description: elsewhere }),
    ...problems('not_found'),
  }
}

/** Documentation shared by the routes of all console pages. */
export const tags = ['Console']
export const page = Media('text/html', 'The page.')

/** Responses of a form before its handler runs. */
export const refusedForms = problems('origin_not_allowed', 'payload_too_large', 'unsupported_media_type')

/** For the schema of a route with a form. */
export const formMedia = ['application/x-www-form-urlencoded']

/** Adds form routes, which accept only forms, and only from pages of this server. */
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

/** Validates the input of a form as the API validates bodies. Throws validation_failed. */
export function checkedForm<T extends TSchema>(
  schema: T,
  value: unknown,
  compile: (schema: T) => Validator = compileSchema,
): Static<T> {
  const validate = validators.get(schema) ?? compile(schema)
  validators.set(schema, validate)
  if (!validate(value)) throw validationProblem(fieldErrorsOf(validate.errors ?? []))
  return value as Static<T> // the schema has just accepted it
}

const Short = Type.Optional(Type.String({ maxLength: 500 }))

const PanelPage = Type.Optional(
  Type.String({ maxLength: 600, description: 'The page in the panel, for the script.' }),
)

/** The query parameters of console pages. */
const queryOf = ({ query = {} }: Pick<ConsoleRoute, 'query'>) =>
  StrictObject({ business: Short, done: Short, cursor: Short, open: Short, panel: PanelPage, ...query })

/** Serves console pages. Their forms are accepted only from pages of this server. */
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
      if (!found) return sendLogIn(context, reply, { next: request.url })
      const { visit } = found
      if (found.elsewhere) return sendConsolePage(reply.code(404), { visit, ...notFound(visit) })
      // the address names the business, because another tab may show a different one
      if (query['business'] === undefined && businessOf(visit) !== undefined)
        return seeOther(reply, pathOf(path.replace(':id', encodeURIComponent(id)), visit, query))
      const answer = await inTimeOf(context, { request, route, visit }, () =>
        answerTo(visit, route, async (ofBusiness) => ({
          status: 200,
          page: await route.show(ofBusiness, { id, query }),
        })),
      )
      return sendAnswer(reply, visit, answer)
    },
  )
}

/** Works in the time of a test business, unless the route is about accounts. */
export function inTimeOf<T>(
  context: Context,
  {
    request,
    route,
    visit,
  }: { request: FastifyRequest; route?: Timed; visit: Pick<ConsoleVisit, 'business'> },
  work: () => T,
): T {
  request.testTime = route?.inRealTime || !visit.business ? undefined : timeOf(visit.business)
  return inTime(context, request.testTime, work)
}

type Timed = Pick<ConsoleRoute, 'inRealTime'>

function paramsOf(path: string): { params?: TSchema } {
  return path.includes('/:id') ? { params: StrictObject({ id: Type.String() }) } : {}
}

function addressOf({ params, query }: FastifyRequest): PageAddress {
  const { id = '' } = params as { id?: string }
  const given = Object.entries(query as PageAddress['query']) // as in the schemas
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
      const isReviewed = review !== undefined // it saves nothing, so it may switch to its business
      const found = isReviewed
        ? await findReader(context, request, at ?? business)
        : await findSender(context, request, { at, business })
      const kept = { path: request.url, fields: body }
      if (!found) return sendLogIn(context, reply, { next: request.url, kept })
      if (found.elsewhere) return sendOtherBusiness(reply, { ...found, elsewhere: found.elsewhere, kept })
      const { once: asked = '' } = said
      // work that may already be done is not repeated when the form is sent again
      const visit = isReviewed && isUuid(asked) ? { ...found.visit, once: asked } : found.visit
      const sent = { typed: said, address }
      const once = onceOf(context, { visit, path, ...sent })
      const answer = await inTimeOf(context, { request, route, visit }, () =>
        answerTo(visit, route, (ofBusiness) =>
          isReviewed ? reviewed(ofBusiness, form, sent) : used(ofBusiness, form, { ...sent, once }),
        ),
      )
      if ('page' in answer && answer.status === 404)
        answer.page.body = html`${answer.page.body} ${typedTexts(visit.texts, said)}`
      return sendAnswer(reply, visit, answer)
    },
  )
}

/** Returns the form with the input from before an interruption. */
async function reviewed(
  visit: BusinessVisit,
  form: ConsoleForm,
  { typed, address }: { typed: Typed; address: PageAddress },
): Promise<Answer> {
  const state = { typed: readable(typed), faults: { '': visit.texts.kept.again }, refusal: undefined }
  return { status: 200, page: await form.again(visit, state, address) }
}

/** Explains that a form belongs to another business. Links there, and keeps the input. */
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

/** Performs the action of a form, or shows the form again. */
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

/** Returns faults for characters that neither the API nor a database accepts, such as NUL. */
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
    return JSON.parse(response.body) as NextPage // in the stored format
  }
}

/** Length of an ID. */
const maxOnceLength = 36

/** A page, or the path of another one. */
type Answer =
  NextPage | { type: string; file: ShownFile } | { status: 200 | 404 | RefusedStatus; page: ShownPage }

const maxFields = 3_000

/** Returns the page's explanation of a failure. Rethrows errors that do not concern the form. */
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
  const errors = inTypedUnits(rows(visit), error.parts.errors ?? [], typed)
  if (errors.length > 0)
    return { status, faults: faultsOf(errors, words(texts), (pointer) => fieldOf(pointer, typed)) }
  return { status, faults: { '': words(texts).problem(error.code, error.message) } }
}

/** Refusals that a form shows. Others have a separate page, or the API's response. */
type RefusedStatus = 409 | 412 | 422 | 429

type Refusals = Partial<Record<string, RefusedStatus>>

const refusals: Refusals = {
  validation_failed: 422,
  plan_required: 422,
  webhook_limit_reached: 409,
  catalogue_limit_reached: 409,
  rotation_in_progress: 409,
  test_business: 409,
  idempotency_key_reused: 422,
  idempotency_in_flight: 409,
  rate_limited: 429,
}

/** Returns the requested page, or an explanation that it is for others or does not exist. */
async function answerTo(
  visit: ConsoleVisit,
  { role, withoutBusiness = false, missing = notFound }: ConsoleRoute,
  answer: (visit: BusinessVisit) => Promise<Answer>,
): Promise<Answer> {
  const { texts, person, business } = visit
  if (!hasRole(person, role)) return { status: 404, page: notYours(texts, role) }
  if (!business && !withoutBusiness) return { status: 404, page: noBusiness(texts) }
  try {
    return await answer(visit as BusinessVisit) // or the page allows visits without a business
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return { status: 404, page: missing(visit) }
    throw error
  }
}

function notYours({ setUp, roles }: ConsoleTexts, role: PersonRole): ShownPage {
  const body = html`<h1>${setUp.notYours}</h1>
    ${emptyState('users', setUp.notYoursWhy({ role: roles[role] }))}`
  return { title: setUp.notYours, body }
}

function noBusiness({ frame }: ConsoleTexts): ShownPage {
  return { title: frame.noBusiness, body: html`<h1>${frame.noBusiness}</h1>` }
}

/** Renders the page for an address without content. */
export function notFound(visit: ConsoleVisit): ShownPage {
  const { setUp, kept } = visit.texts
  const { title, text } = kept.nothing
  const body = html`<h1>${title}</h1>
    ${emptyState('search', text, html`<a class="button" href="${pathOf('/console', visit)}">${setUp.toStart}</a>`)}`
  return { title, body }
}

/** Throws not_found, like pages of other businesses. */
export function assertOfBusiness({ business }: BusinessVisit, businessId: string | null): void {
  if (businessId !== business.id) throw new Problem('not_found', 'There is nothing with this id.')
}
