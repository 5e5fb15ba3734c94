import { hash } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { personRoles } from '../../access/actor.ts'
import { assertOwnPage, isReading } from '../../access/authentication-hook.ts'
import { Problem, validationProblem } from '../../base/errors.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import type { Transaction } from '../../database/database.ts'
import type { PersonRole } from '../../database/tables.ts'
import { bodyLimitBytes, normalise } from '../../http/body.ts'
import { respondOnce, type StoreResponse, storeNothing } from '../../database/idempotency.ts'
import { readForms } from '../../http/forms.ts'
import { compileSchema, fieldErrorsOf, type Validator } from '../../base/validation.ts'
import { Media, problems, StrictObject } from '../../base/wire.ts'
import { html } from '../../pages/page.ts'
import { type ConsolePage, type ConsoleVisit, findVisit, pathOf, sendConsolePage } from './console-page.ts'
import { type Faults, faultsOf, type FaultWords, type FormState, type Typed } from '../../pages/form.ts'
import { sendLogIn } from './gate-page.ts'
import type { ConsoleTexts } from '../../pages/console/texts/en.ts'

/*
 * How the pages of the console are served: each asks who is logged in and whether their role will do, shows a page, and
 * takes the form of that page.
 */

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

interface ConsoleForm {
  /** Throws a Problem; its faults go to the fields of the form. */
  act: (visit: BusinessVisit, typed: Typed, address: PageAddress, once: Once) => Promise<FormResult>
  /** The field of a fault; under an empty name all that belong to none. */
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
          303: Type.Null({ description: 'In a hub: to the same page of the business shown last.' }),
          404: page,
        },
      },
    },
    async (request, reply) => {
      const { id, query } = addressOf(request)
      const visit = await findVisit(context, request, query['business'])
      if (!visit) return sendLogIn(reply, { next: request.url })
      // its form goes to its address, which has to say where: another tab may show another business meanwhile
      if (visit.isRecalled)
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
  return { id, query: query as PageAddress['query'] } // as the schemas say
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
      schema: {
        operationId: `use${name}`,
        tags,
        summary: summaryOf(route),
        description: 'After a fault the page shows the form again, as it was filled in.',
        consumes: formMedia,
        ...paramsOf(path),
        querystring: queryOf(route),
        body: Type.Object({}, { additionalProperties: { type: 'string' }, maxProperties: maxFields }),
        response: {
          200: form.fileType === undefined ? page : pageOrFile(form.fileType),
          303: Type.Null({ description: 'To a page of the console.' }),
          ...{ 404: page, 409: page, 412: page, 422: page },
          ...refusedForms,
        },
      },
    },
    async (request, reply) => {
      const { business = '' } = addressOf(request).query // none is the first one here, whatever was shown last
      const visit = await findVisit(context, request, business)
      if (!visit) return sendLogIn(reply, { next: route.show ? request.url : '/console' })
      const typed = normalise(request.body) as Typed
      const sent = { typed, address: addressOf(request) }
      const once = onceOf(context, { visit, path, ...sent })
      return sendAnswer(
        reply,
        visit,
        await answerTo(visit, route, (ofBusiness) => used(ofBusiness, form, { ...sent, once })),
      )
    },
  )
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
    const result = await form.act(visit, typed, address, once)
    if ('page' in result) return { status: 200, ...result }
    return 'file' in result ? { type: form.fileType ?? 'text/plain', ...result } : result
  } catch (error) {
    const { status, faults } = refusalOf(error, visit, { ...form, typed })
    return { status, page: await form.again(visit, { typed, faults, refusal: error }, address) }
  }
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
        caller_id: sent.visit.person.ownerId,
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
  { texts }: BusinessVisit,
  {
    fieldOf = () => '',
    words = ({ setUp }) => setUp,
    refusals: further,
    typed,
  }: ConsoleForm & { typed: Typed },
): { status: RefusedStatus; faults: Faults } {
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
type RefusedStatus = 409 | 412 | 422

type Refusals = Partial<Record<string, RefusedStatus>>

const refusals: Refusals = {
  validation_failed: 422,
  plan_required: 422,
  webhook_limit_reached: 409,
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
    <p>${setUp.notYoursWhy(roles[role])}</p>`
  return { title: setUp.notYours, body }
}

function noBusiness({ frame }: ConsoleTexts): ShownPage {
  return { title: frame.noBusiness, body: html`<h1>${frame.noBusiness}</h1>` }
}

function notFound(visit: ConsoleVisit): ShownPage {
  const { notFound: title, toStart } = visit.texts.setUp
  const body = html`<h1>${title}</h1>
    <p><a class="button" href="${pathOf('/console', visit)}">${toStart}</a></p>`
  return { title, body }
}

/** Throws not_found, as pages of what is elsewhere do. */
export function assertOfBusiness({ business }: BusinessVisit, businessId: string | null): void {
  if (businessId !== business.id) throw new Problem('not_found', 'There is nothing with this id.')
}
