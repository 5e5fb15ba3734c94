import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PersonActor } from '../../access/actor.ts'
import { placesOf } from '../../access/log-in.ts'
import { type Program, programOf } from '../../access/program.ts'
import { allowProgram } from '../../access/program-grant.ts'
import {
  allowsRedirect,
  askedScopes,
  isChallenge,
  namesResource,
  redirectHost,
  redirectWith,
} from '../../access/program-rules.ts'
import { resourceUrl } from '../../agents/oauth-metadata.ts'
import { readClientAddress } from '../../base/client-network.ts'
import { publicUrl } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { listBusinessesInScope } from '../../catalogue/business.ts'
import type { ProgramScope } from '../../database/tables.ts'
import { seeOther } from '../../pages/page.ts'
import { addForms, formMedia as consumes, page, refusedForms, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { textsOf } from '../frame/texts.ts'
import { authorizePath, type EnteredBusiness, sendConsent, sendUnusable } from './authorize-page.ts'

/** Longer addresses do not survive the log-in. */
const maxQueryLength = 3_500
const maxBusinesses = 100

/**
 * Registers the page on which a person allows a program to act for them (RFC 6749, 4.1). A browser goes to the program
 * only after a click of the person. Anybody can register a program: a redirect by itself would let links to this server
 * lead elsewhere (RFC 9700, 4.11.2).
 */
export function authorizeRoutes(app: FastifyInstance, context: Context): void {
  app.get(
    authorizePath,
    {
      schema: {
        operationId: 'showConsent',
        tags,
        summary: 'Ask a person to allow a program',
        description: 'The authorization endpoint of OAuth 2.1, with PKCE (S256). After the log-in.',
        querystring: Type.Object({}, { additionalProperties: true }), // programs add parameters
        response: { 200: page, 400: page },
      },
    },
    async (request, reply) => {
      const asked = await readRequest(context, request.url.split('?', 2)[1] ?? '')
      if ('refusal' in asked) return sendUnusable(reply, asked.refusal)
      const { person } = request
      if (!person) return sendLogIn(context, reply, { next: `${authorizePath}?${asked.query}` })
      return showConsent(context, reply, { asked, person })
    },
  )
  addForms(app, context, (scope) => addDecision(scope, context))
}

function addDecision(scope: FastifyInstance, context: Context): void {
  scope.post(
    authorizePath,
    {
      schema: {
        operationId: 'decideAboutProgram',
        tags,
        summary: 'Allow or refuse a program',
        description: 'The form of that page. Leads the browser back to the program.',
        consumes,
        body: Type.Object({}, { additionalProperties: { type: 'string' }, maxProperties: 20 }),
        response: {
          200: page,
          303: Type.Null({ description: 'To the program, with a code or an error.' }),
          400: page,
          422: page,
          ...refusedForms,
        },
      },
    },
    async (request, reply) => {
      const sent = request.body as Record<string, string>
      const asked = await readRequest(context, sent['request'] ?? '')
      if ('refusal' in asked) return sendUnusable(reply, asked.refusal)
      if (!request.person) return sendLogIn(context, reply, { next: `${authorizePath}?${asked.query}` })
      if (sent['decision'] !== 'allow')
        return seeOther(reply, answer(context, asked, { error: 'access_denied' }))
      return allow(context, [request, reply], { asked, person: request.person, sent })
    },
  )
}

async function allow(
  context: Context,
  [request, reply]: [FastifyRequest, FastifyReply],
  { asked, person, sent }: { asked: Asked; person: PersonActor; sent: Record<string, string> },
): Promise<FastifyReply> {
  const businesses = await businessesOf(context, person)
  const business = businesses.find(({ businessId }) => businessId === sent['business'])
  const scope = asked.scopes.find((one) => one === sent['scope'])
  if (!business || !scope) {
    const { choose } = textsOf(request).consent
    const chosen = { business: sent['business'] ?? '', scope: sent['scope'] ?? '' }
    return showConsent(context, reply.code(422), { asked, person, chosen, message: choose })
  }
  const { address } = readClientAddress(request.ip)
  const code = await allowProgram(
    context,
    { ...person, via: { address, requestId: request.id } },
    {
      programId: asked.program.id,
      ...{ placeId: business.placeId, businessId: business.businessId, scope },
      ...{ redirectUri: asked.redirectUri, challenge: asked.challenge },
    },
  )
  if (code === undefined) return sendUnusable(reply, { code: 'invalid_client' })
  return seeOther(reply, answer(context, asked, { code }))
}

async function showConsent(
  context: Context,
  reply: FastifyReply,
  {
    asked,
    person,
    ...refused
  }: {
    asked: Asked
    person: PersonActor
    chosen?: { business: string; scope: string }
    message?: string
  },
): Promise<FastifyReply> {
  const { program, redirectUri, scopes, query } = asked
  const businesses = await businessesOf(context, person)
  return sendConsent(reply, {
    ...{ program: program.name, redirectUri, scopes, query, email: person.email, businesses },
    ...refused,
  })
}

/** A valid request of a program. */
interface Asked {
  program: Program
  redirectUri: string
  challenge: string
  scopes: ProgramScope[]
  state: string | undefined
  query: string
}

type Refusal = Parameters<typeof sendUnusable>[1]

/** Reads the parameters of a request. Without a known program and address, nothing leads back. */
async function readRequest(context: Context, query: string): Promise<Asked | { refusal: Refusal }> {
  const parameters = new URLSearchParams(query)
  const value = (name: string) => parameters.get(name) ?? undefined
  const program = await programOf(context, value('client_id') ?? '')
  const redirectUri =
    value('redirect_uri') ?? (program?.redirectUris.length === 1 ? program.redirectUris[0] : '')
  if (
    !program ||
    !redirectUri ||
    !allowsRedirect(program.redirectUris, redirectUri) ||
    query.length > maxQueryLength
  )
    return { refusal: { code: 'invalid_client' } }
  const [state, challenge, scopes] = [value('state'), value('code_challenge'), askedScopes(value('scope'))]
  const error = errorIn(parameters, { scopes, resource: resourceUrl(context.config) })
  if (error === undefined && isChallenge(challenge) && scopes)
    return { program, redirectUri, challenge, scopes, state, query: parameters.toString() }
  const code = error ?? 'invalid_request'
  const back = answer(context, { redirectUri, state }, { error: code })
  return { refusal: { code, back, host: redirectHost(redirectUri) } }
}

function errorIn(
  parameters: URLSearchParams,
  { scopes, resource }: { scopes: ProgramScope[] | undefined; resource: string },
): string | undefined {
  const names = [...parameters.keys()]
  if (new Set(names).size < names.length) return 'invalid_request' // RFC 6749, 3.1
  const type = parameters.get('response_type')
  if (type !== 'code') return type === null ? 'invalid_request' : 'unsupported_response_type'
  if ((parameters.get('response_mode') ?? 'query') !== 'query') return 'invalid_request'
  if (parameters.get('code_challenge_method') !== 'S256') return 'invalid_request'
  if (!isChallenge(parameters.get('code_challenge') ?? undefined)) return 'invalid_request'
  if (!namesResource(parameters.get('resource') ?? undefined, resource)) return 'invalid_target'
  return scopes ? undefined : 'invalid_scope'
}

/** Returns the address of the program with an answer, and the issuer (RFC 9207). */
function answer(
  { config }: Context,
  { redirectUri, state }: Pick<Asked, 'redirectUri' | 'state'>,
  answered: { code: string } | { error: string },
): string {
  return redirectWith(redirectUri, { ...answered, state, iss: publicUrl(config) })
}

/** Lists the businesses that a person may enter, each once, with a membership for it. */
async function businessesOf(context: Context, person: PersonActor): Promise<EnteredBusiness[]> {
  const entered = new Map<string, EnteredBusiness>()
  for (const { id: placeId, name, isPresent, scope } of await placesOf(context, person)) {
    const rows =
      'businessId' in scope
        ? [{ id: scope.businessId, name }]
        : (await listBusinessesInScope(context, { ...person, scope }, { limit: maxBusinesses })).data
    for (const { id: businessId, name } of rows)
      if (!entered.has(businessId) || 'businessId' in scope)
        entered.set(businessId, { placeId, businessId, name, isPresent })
  }
  return [...entered.values()]
}
