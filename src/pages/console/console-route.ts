import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { personRoles } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import type { Context } from '../../bookings/context.ts'
import type { PersonRole } from '../../database/tables.ts'
import { normalise } from '../../http/body.ts'
import { Media, StrictObject } from '../../http/wire.ts'
import { html } from '../page.ts'
import { addForms, formMedia, refusedForms } from './console-form.ts'
import { type ConsolePage, type ConsoleVisit, findVisit, pathOf, sendConsolePage } from './console-page.ts'
import { type Faults, faultsOf, type FormState, type Typed } from './form.ts'
import { sendLogIn } from './gate-page.ts'
import type { ConsoleTexts } from './texts/en.ts'

/*
 * How the pages of the console are served: each asks who is logged in and whether their role will do, shows a page, and
 * takes the form of that page.
 */

/** A visit to a page about a business. */
export type BusinessVisit = ConsoleVisit & { business: NonNullable<ConsoleVisit['business']> }

/** What the address of a page carries. */
interface PageAddress {
  /** Of a path that ends with one, such as a service's. */
  id: string
  query: Record<string, string | undefined>
}

/** A page of the console, and what its form does. */
export interface ConsoleRoute {
  /** Ends with `/:id` where the page is about one of many. */
  path: string
  /** Of the page; that of the form has the prefix `use`. */
  name: string
  summary: string
  /** The lowest role that sees it. */
  role: PersonRole
  /** Whether there is a page without a business. */
  withoutBusiness?: boolean
  show: (visit: BusinessVisit, address: PageAddress) => Promise<ShownPage>
  form?: ConsoleForm
}

/** What a page shows. */
type ShownPage = Omit<ConsolePage, 'visit'>

/** What becomes of a form: another page, with a notice there; or a page at once, for what is shown only once. */
type FormResult = { path: string; query?: Record<string, string> } | { page: ShownPage }

interface ConsoleForm {
  /** Throws a Problem; its faults go to the fields of the form. */
  act: (visit: BusinessVisit, typed: Typed, address: PageAddress) => Promise<FormResult>
  /** The field of a fault; under an empty name all that belong to none. */
  fieldOf?: (pointer: string) => string
  /** Shows the form again, with what was typed. */
  again: (visit: BusinessVisit, state: FormState, address: PageAddress) => Promise<ShownPage>
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

const tags = ['Console']
const page = Media('text/html', 'The page.')
const Short = Type.Optional(Type.String({ maxLength: 500 }))

/** The query that pages of the console know. */
const queryOfPages = {
  business: Short,
  done: Short,
  cursor: Short,
  open: Short,
}

/** Serves pages of the console. Their forms are taken from pages of this server alone. */
export function consoleRoutes(app: FastifyInstance, context: Context, routes: ConsoleRoute[]): void {
  for (const route of routes) addPage(app, context, route)
  addForms(app, context, (scope) => {
    for (const { form, ...route } of routes) if (form) addForm(scope, context, { ...route, form })
  })
}

function addPage(app: FastifyInstance, context: Context, route: ConsoleRoute): void {
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
        querystring: StrictObject(queryOfPages),
        response: { 200: page, 404: page },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(reply, { next: request.url })
      const answer = await answerTo(visit, route, async (ofBusiness) => ({
        status: 200,
        page: await route.show(ofBusiness, addressOf(request)),
      }))
      return sendAnswer(reply, visit, answer)
    },
  )
}

function paramsOf(path: string): { params?: TSchema } {
  return path.endsWith('/:id') ? { params: StrictObject({ id: Type.String() }) } : {}
}

function addressOf({ params, query }: FastifyRequest): PageAddress {
  const { id = '' } = params as { id?: string }
  return { id, query: query as PageAddress['query'] } // as the schemas say
}

function addForm(
  scope: FastifyInstance,
  context: Context,
  route: Required<Pick<ConsoleRoute, 'form'>> & Omit<ConsoleRoute, 'form'>,
): void {
  const { path, name, summary, form } = route
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    path,
    {
      schema: {
        operationId: `use${name}`,
        tags,
        summary: `The form of: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
        description: 'After a fault the page shows the form again, as it was filled in.',
        consumes: formMedia,
        ...paramsOf(path),
        querystring: StrictObject(queryOfPages),
        body: Type.Object({}, { additionalProperties: { type: 'string' }, maxProperties: maxFields }),
        response: {
          200: page,
          303: Type.Null({ description: 'To a page of the console.' }),
          404: page,
          409: page,
          422: page,
          ...refusedForms,
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, addressOf(request).query['business'])
      if (!visit) return sendLogIn(reply, { next: request.url })
      const typed = normalise(request.body) as Typed
      const sent = { typed, address: addressOf(request) }
      return sendAnswer(
        reply,
        visit,
        await answerTo(visit, route, (ofBusiness) => used(ofBusiness, form, sent)),
      )
    },
  )
}

function sendAnswer(reply: FastifyReply, visit: ConsoleVisit, answer: Answer): FastifyReply {
  if ('path' in answer) return seeOther(reply, pathOf(answer.path, visit, answer.query))
  return sendConsolePage(reply.code(answer.status), { ...answer.page, visit })
}

/** Does what a form asks for, or shows it again. */
async function used(
  visit: BusinessVisit,
  form: ConsoleForm,
  { typed, address }: { typed: Typed; address: PageAddress },
): Promise<Answer> {
  try {
    const result = await form.act(visit, typed, address)
    return 'path' in result ? result : { status: 200, ...result }
  } catch (error) {
    const { status, faults } = refusalOf(error, visit, form)
    return { status, page: await form.again(visit, { typed, faults }, address) }
  }
}

/** A page, or the path of another one. */
type Answer = Extract<FormResult, { path: string }> | { status: 200 | 404 | RefusedStatus; page: ShownPage }

const maxFields = 3_000

function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}

/** What the page says of a failure; throws what is none of the form. */
function refusalOf(
  error: unknown,
  { texts }: BusinessVisit,
  { fieldOf = () => '' }: ConsoleForm,
): { status: RefusedStatus; faults: Faults } {
  if (error instanceof FormFault) return { status: 422, faults: error.faults }
  if (!(error instanceof Problem) || !(error.code in refusals)) throw error
  const status = refusals[error.code] ?? 422
  const errors = error.parts.errors ?? []
  if (errors.length > 0) return { status, faults: faultsOf(errors, texts.setUp, fieldOf) }
  return { status, faults: { '': texts.setUp.problem(error.code, error.message) } }
}

/** The refusals that a form shows; the others are a page of their own, or the reply of the API. */
type RefusedStatus = 409 | 422

const refusals: Partial<Record<string, RefusedStatus>> = {
  validation_failed: 422,
  plan_required: 422,
  webhook_limit_reached: 409,
  rotation_in_progress: 409,
}

/** What a visitor sees: what they asked for, or that it is for others, or that there is nothing. */
async function answerTo(
  visit: ConsoleVisit,
  { role, withoutBusiness = false }: Pick<ConsoleRoute, 'role' | 'withoutBusiness'>,
  answer: (visit: BusinessVisit) => Promise<Answer>,
): Promise<Answer> {
  const { texts, person, business } = visit
  if (personRoles.indexOf(person.role) < personRoles.indexOf(role))
    return { status: 404, page: notYours(texts, role) }
  if (!business && !withoutBusiness) return { status: 404, page: notFound(visit) }
  try {
    return await answer(visit as BusinessVisit) // or of a page that asked for visits without one
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return { status: 404, page: notFound(visit) }
    throw error
  }
}

function notYours({ setUp, roles }: ConsoleTexts, role: PersonRole): ShownPage {
  const body = html`<h1>${setUp.notYours}</h1>
    <p>${setUp.notYoursWhy(roles[role])}</p>`
  return { title: setUp.notYours, body }
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
