import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { countWithin } from '../access/authentication-hook.ts'
import type { Context } from '../access/context.ts'
import { programOf, registerProgram } from '../access/program.ts'
import {
  accessSeconds,
  exchangeCode,
  type ProgramTokens,
  refreshTokens,
  revokeToken,
} from '../access/program-grant.ts'
import { askedScopes, isRedirectUri, maxRedirectUris, namesResource } from '../access/program-rules.ts'
import { quotasOfRegistration, quotasOfTokens } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readClientAddress } from '../base/client-network.ts'
import { Problem, problemKinds } from '../base/errors.ts'
import { toMs } from '../base/instants.ts'
import { Media } from '../base/wire.ts'
import { readForms } from '../http/forms.ts'
import { pageTag } from '../http/openapi.ts'
import { oauthPaths, resourceMetadata, resourceUrl, serverMetadata } from './oauth-metadata.ts'

/*
 * OAuth 2.1 for programs of agents: metadata, registration, tokens and revocation. Errors have the format of OAuth
 * (RFC 6749, 5.2), because its libraries read no problem documents.
 */

type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'

/** A refusal in the format of OAuth. */
class OAuthRefusal extends Error {
  readonly code: ErrorCode
  readonly status: number

  constructor(code: ErrorCode, description: string, status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}

/** Not in the API document: libraries of OAuth read the metadata instead. */
const tags = [pageTag]
const json = (description: string) => Media('application/json', description, Type.Object({}))
const refusals = {
  400: json('A refusal in the format of OAuth.'),
  413: json('The request is too long.'),
  415: json('The request has another format.'),
  429: json('Too many requests. `Retry-After` says when to try again.'),
  503: json('The server is too busy.'),
}
const maxRegistrationBytes = 16 * 1024
const metadataSeconds = 300
const maxNameLength = 1_000

/** Registers the endpoints of OAuth that programs use. */
export function oauthRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    addMetadata(app, context)
    addRegistration(app, context, limiter)
    void app.register((scope, _options, done) => {
      readForms(scope)
      addTokens(scope, context, limiter)
      addRevocation(scope, context, limiter)
      done()
    })
  }
}

function addMetadata(app: FastifyInstance, { config }: Context): void {
  const documents = [
    [oauthPaths.resource, 'ProtectedResource', 'Describes /mcp to programs', resourceMetadata(config)],
    [`${oauthPaths.resource}/mcp`, 'Mcp', 'Describes /mcp to programs', resourceMetadata(config)],
    [oauthPaths.server, 'AuthorizationServer', 'Describes the endpoints of OAuth', serverMetadata(config)],
  ] as const
  for (const [path, name, summary, document] of documents)
    app.get(
      path,
      {
        schema: {
          operationId: `describe${name}`,
          tags,
          summary,
          description: 'Metadata of RFC 9728 and RFC 8414.',
          response: { 200: json('The metadata.') },
        },
      },
      (_request, reply) =>
        reply
          .header('cache-control', `public, max-age=${metadataSeconds}`)
          .type('application/json; charset=utf-8')
          .send(JSON.stringify(document)),
    )
}

function addRegistration(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  app.post(
    oauthPaths.register,
    {
      bodyLimit: maxRegistrationBytes,
      schema: {
        operationId: 'registerProgram',
        tags,
        summary: 'Register a program',
        description:
          'Dynamic registration (RFC 7591) of a public program, without a secret. It can do nothing until a person allows it, and is deleted after a day if nobody does.',
        body: Type.Unsafe<unknown>({}),
        response: { 201: json('The registration.'), ...refusals },
      },
      onRequest: counting(context, limiter, quotasOfRegistration),
      errorHandler: answerRefusal('invalid_client_metadata'),
    },
    async (request, reply) => {
      const { createdAt, ...program } = await registerProgram(context, registrationIn(request.body))
      return send(reply.code(201), {
        client_id: program.id,
        client_id_issued_at: Math.floor(toMs(createdAt) / 1000),
        client_name: program.name,
        redirect_uris: program.redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      })
    },
  )
}

/** Reads the metadata of a program. Ignores unknown members, as RFC 7591 asks. */
function registrationIn(body: unknown): { name: string; redirectUris: string[] } {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) throw new OAuthRefusal('invalid_client_metadata', 'Send the metadata as a JSON object.')
  const { redirect_uris: uris, client_name: name = '', grant_types, response_types } = body as Metadata
  const isListOfUris =
    Array.isArray(uris) &&
    uris.length > 0 &&
    uris.length <= maxRedirectUris &&
    uris.every((uri): uri is string => typeof uri === 'string' && isRedirectUri(uri))
  if (!isListOfUris)
    throw new OAuthRefusal(
      'invalid_redirect_uri',
      `redirect_uris must list 1 to ${maxRedirectUris} addresses: https, http on this computer, or the private scheme of a program such as com.example.app:/back.`,
    )
  if (typeof name !== 'string' || name.length > maxNameLength)
    throw new OAuthRefusal('invalid_client_metadata', 'client_name must be a short text.')
  if (!lists(grant_types, 'authorization_code') || !lists(response_types, 'code'))
    throw new OAuthRefusal(
      'invalid_client_metadata',
      'Only the grant type authorization_code with the response type code is supported.',
    )
  return { name, redirectUris: [...new Set(uris)] }
}

interface Metadata {
  redirect_uris?: unknown
  client_name?: unknown
  grant_types?: unknown
  response_types?: unknown
}

function lists(value: unknown, needed: string): boolean {
  return value === undefined || (Array.isArray(value) && value.includes(needed))
}

const Form = Type.Record(Type.String(), Type.String(), { maxProperties: 50 })
type Fields = Record<string, string>

function addTokens(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    oauthPaths.token,
    {
      schema: {
        operationId: 'issueProgramTokens',
        tags,
        summary: 'Exchange a code or a refresh token for tokens',
        description:
          'A code works once, for a minute, with its verifier. A refresh token works once: its reuse ends the grant.',
        consumes: ['application/x-www-form-urlencoded'],
        body: Form,
        response: { 200: json('The tokens.'), ...refusals },
      },
      onRequest: counting(context, limiter, quotasOfTokens),
      errorHandler: answerRefusal('invalid_request'),
    },
    async ({ body }, reply) => {
      const tokens = await tokensFor(context, body)
      if (tokens === undefined)
        throw new OAuthRefusal(
          'invalid_grant',
          'The code or refresh token is unknown, expired, used or revoked, or not of this program. Ask the person again.',
        )
      if (tokens === 'invalid_scope')
        throw new OAuthRefusal('invalid_scope', 'The scope exceeds what the person has allowed.')
      return send(reply, {
        access_token: tokens.access,
        token_type: 'Bearer',
        expires_in: accessSeconds,
        refresh_token: tokens.refresh,
        scope: (askedScopes(tokens.scope) ?? []).join(' '),
      })
    },
  )
}

async function tokensFor(
  context: Context,
  fields: Fields,
): Promise<ProgramTokens | 'invalid_scope' | undefined> {
  const { grant_type: type, resource, redirect_uri: redirectUri, scope } = fields
  if (type === undefined) throw missing('grant_type')
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw new OAuthRefusal(
      'unsupported_grant_type',
      'grant_type must be authorization_code or refresh_token.',
    )
  const programId = await knownProgram(context, fields)
  if (!namesResource(resource, resourceUrl(context.config)))
    throw new OAuthRefusal('invalid_target', `resource must be ${resourceUrl(context.config)}.`)
  if (type === 'authorization_code') {
    const [code, verifier] = [needed(fields, 'code'), needed(fields, 'code_verifier')]
    return exchangeCode(context, { code, programId, redirectUri, verifier })
  }
  const token = needed(fields, 'refresh_token')
  const asked = scope === undefined ? undefined : askedScopes(scope)
  if (scope !== undefined && !asked) return 'invalid_scope'
  return refreshTokens(context, { token, programId, scope: scope === undefined ? undefined : asked?.at(-1) })
}

function needed(fields: Fields, name: string): string {
  const value = fields[name]
  if (value === undefined || value === '') throw missing(name)
  return value
}

function missing(name: string): OAuthRefusal {
  return new OAuthRefusal('invalid_request', `The parameter ${name} is missing.`)
}

/** Returns the ID of a registered program. Throws invalid_client, after which its library registers again. */
async function knownProgram(context: Context, fields: Fields): Promise<string> {
  const program = await programOf(context, needed(fields, 'client_id'))
  if (!program)
    throw new OAuthRefusal('invalid_client', 'There is no such program, or no longer; register again.')
  return program.id
}

function addRevocation(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    oauthPaths.revoke,
    {
      schema: {
        operationId: 'revokeProgramToken',
        tags,
        summary: 'Revoke a token of a program',
        description: 'RFC 7009. A refresh token ends its grant. Unknown tokens get the same answer.',
        consumes: ['application/x-www-form-urlencoded'],
        body: Form,
        response: { 200: json('Done.'), ...refusals },
      },
      onRequest: counting(context, limiter, quotasOfTokens),
      errorHandler: answerRefusal('invalid_request'),
    },
    async ({ body }, reply) => {
      const programId = await knownProgram(context, body)
      await revokeToken(context, { token: needed(body, 'token'), programId })
      return send(reply, {})
    },
  )
}

/** Counts a request before its body is read. */
function counting(context: Context, limiter: RateLimiter, quotasOf: typeof quotasOfTokens) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const client = readClientAddress(request.ip)
    await countWithin(limiter, reply, quotasOf(client, context.config.rateLimitFactor))
  }
}

function send(reply: FastifyReply, body: object): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

/** Answers a refusal in the format of OAuth. `code` is that of an unreadable request. Unknown errors are rethrown. */
function answerRefusal(code: ErrorCode) {
  return (error: Error | FastifyError, _request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = error instanceof OAuthRefusal ? error : refusalOf(error, code)
    if (!refusal) throw error
    if (error instanceof Problem) void reply.headers(error.parts.headers ?? {})
    void send(reply.code(refusal.status), { error: refusal.code, error_description: refusal.message })
  }
}

function refusalOf(error: Error | FastifyError, code: ErrorCode): OAuthRefusal | undefined {
  if (error instanceof Problem) {
    const { status } = problemKinds[error.code]
    const isForNow = status === 429 || status === 503
    if (status >= 500 && !isForNow) return undefined
    return new OAuthRefusal(isForNow ? 'temporarily_unavailable' : code, error.message, status)
  }
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500
  return status < 500 ? new OAuthRefusal(code, 'The request is not readable.', status) : undefined
}
