import { hash, randomBytes } from 'node:crypto'
import type { LoggedIn } from './person.ts'
import { sendForm } from './person.ts'
import type { Reply, TestService } from './test-service.ts'

/** The address to which the program of the tests lets browsers return. */
export const returnTo = 'https://agent.example.com/callback'

/** A program that has registered itself, and its proof key. */
export interface TestProgram {
  id: string
  verifier: string
  challenge: string
}

export const register = (service: TestService, metadata: object): Promise<Reply> =>
  service.call('POST', '//oauth/register', { body: metadata })

export async function registerProgram(
  service: TestService,
  metadata: object = { client_name: 'Agent', redirect_uris: [returnTo] },
): Promise<TestProgram> {
  const { status, body } = await register(service, metadata)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const verifier = randomBytes(32).toString('base64url')
  return {
    id: (body as { client_id: string }).client_id,
    verifier,
    challenge: hash('sha256', verifier, 'base64url'),
  }
}

/** Returns the query of a program's request. Undefined removes a parameter. */
export function requestOf(
  { id, challenge }: TestProgram,
  changed: Record<string, string | undefined> = {},
): string {
  const all: Record<string, string | undefined> = {
    ...{ response_type: 'code', client_id: id, redirect_uri: returnTo, state: 'a state' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', ...changed },
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given).toString()
}

interface Decision {
  businessId: string
  scope?: string
  changed?: Record<string, string | undefined>
  decision?: string
}

/** Sends the form of the page as a person. */
export function decide(
  service: TestService,
  { cookie }: Pick<LoggedIn, 'cookie'>,
  program: TestProgram,
  { businessId, scope = 'manage', changed, decision = 'allow' }: Decision,
): Promise<Reply> {
  const fields = { request: requestOf(program, changed), business: businessId, scope, decision }
  return sendForm(service, '/console/authorize', fields, { cookie })
}

/** Lets a person allow a program, and returns the code. */
export async function codeFor(...given: Parameters<typeof decide>): Promise<string> {
  const reply = await decide(...given)
  const code = URL.parse(reply.headers['location'] ?? '')?.searchParams.get('code') ?? undefined
  if (code === undefined) throw new Error(`${reply.status} ${String(reply.body).slice(0, 2_000)}`)
  return code
}

/** Sends a form to an endpoint of OAuth. */
export function sendOAuth(
  service: TestService,
  path: string,
  fields: Record<string, string>,
): Promise<Reply> {
  return service.call('POST', `/${path}`, {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

export interface TestTokens {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
}

export const exchange = (
  service: TestService,
  { id, verifier }: Pick<TestProgram, 'id' | 'verifier'>,
  code: string,
  changed: Record<string, string> = {},
): Promise<Reply> =>
  sendOAuth(service, '/oauth/token', {
    ...{ grant_type: 'authorization_code', client_id: id, code, redirect_uri: returnTo },
    ...{ code_verifier: verifier, ...changed },
  })

export const refresh = (service: TestService, id: string, token: string, more: Record<string, string> = {}) =>
  sendOAuth(service, '/oauth/token', {
    ...{ grant_type: 'refresh_token', client_id: id, refresh_token: token, ...more },
  })

/** Lets a person allow a new program, and returns both with its tokens. */
export async function connectProgram(
  service: TestService,
  person: Pick<LoggedIn, 'cookie'>,
  decision: Decision,
): Promise<{ program: TestProgram; tokens: TestTokens }> {
  const program = await registerProgram(service)
  const reply = await exchange(service, program, await codeFor(service, person, program, decision))
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  return { program, tokens: reply.body as TestTokens }
}

/** Sends a message to `/mcp` with a token. */
export function mcp(
  service: TestService,
  token: string | undefined,
  method: string,
  params = {},
): Promise<Reply> {
  return service.call('POST', '//mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params },
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })
}

/** Calls a tool, and returns its structured content. */
export async function callTool(
  service: TestService,
  token: string,
  name: string,
  args: object = {},
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the wire gives
): Promise<any> {
  const { body } = await mcp(service, token, 'tools/call', { name, arguments: args })

  return body.result?.structuredContent ?? body
}

export async function toolNames(service: TestService, token: string): Promise<string[]> {
  const { body } = await mcp(service, token, 'tools/list')
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}
