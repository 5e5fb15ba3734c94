import { hash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/* The authorization server of a stand-in for a provider (RFC 6749, RFC 7636), as both providers document theirs. */

export const client = { id: 'client-of-the-salon', secret: 'secret-of-the-operator' }

interface Code {
  user: string
  challenge: string
  redirectUri: string
}

export class OAuthServer {
  /** The person who is logged in at the provider. Undefined: they refuse. */
  user: string | undefined
  /** Scopes that the person leaves out. */
  leftOut: string[] = []
  /** Gives a new refresh token with each access token, as Microsoft does. */
  rotates = false
  /** Number of refreshed access tokens of each user. */
  readonly refreshed = new Map<string, number>()
  private readonly codes = new Map<string, Code>()
  private readonly refreshTokens = new Map<string, { user: string; scope: string }>()
  private readonly accessTokens = new Map<string, string>()
  private lastScope = ''

  /** Answers the page on which a person grants the access: the browser goes back at once. */
  authorize(url: URL, response: ServerResponse): void {
    const query = url.searchParams
    const redirectUri = query.get('redirect_uri') ?? ''
    const isValid =
      query.get('client_id') === client.id &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256'
    if (!isValid) {
      response.writeHead(400).end('invalid_request')
      return
    }
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    if (this.user === undefined) back.searchParams.set('error', 'access_denied')
    else {
      const code = randomUUID()
      const challenge = query.get('code_challenge') ?? ''
      this.codes.set(code, { user: this.user, challenge, redirectUri })
      back.searchParams.set('code', code)
      this.lastScope = (query.get('scope') ?? '')
        .split(' ')
        .filter((scope) => !this.leftOut.includes(scope))
        .join(' ')
    }
    response.writeHead(302, { location: back.href }).end()
  }

  /** Answers the token endpoint. */
  token(body: string, response: ServerResponse): void {
    const form = new URLSearchParams(body)
    const send = (status: number, answer: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret) {
      send(401, { error: 'invalid_client' })
      return
    }
    const granted = this.grantOf(form)
    if (!granted) {
      send(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' })
      return
    }
    const access_token = `access-${randomUUID()}`
    this.accessTokens.set(access_token, granted.user)
    const isFirst = form.get('grant_type') === 'authorization_code'
    if (!isFirst) this.refreshed.set(granted.user, (this.refreshed.get(granted.user) ?? 0) + 1)
    const refresh_token = `refresh-${randomUUID()}`
    if (isFirst || this.rotates) this.refreshTokens.set(refresh_token, granted)
    send(200, {
      ...{ access_token, expires_in: 3599, token_type: 'Bearer', scope: granted.scope },
      ...((isFirst || this.rotates) && { refresh_token }),
    })
  }

  /** Answers the revocation endpoint: the whole grant of the person ends. */
  endGrant(body: string, response: ServerResponse): void {
    const token = new URLSearchParams(body).get('token') ?? ''
    const user = this.refreshTokens.get(token)?.user ?? this.accessTokens.get(token)
    response.writeHead(user === undefined ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(user === undefined ? { error: 'invalid_token' } : {}))
    if (user !== undefined) this.revoke(user)
  }

  /** Returns true if a refresh token of a user works. */
  isGranted(user: string): boolean {
    return [...this.refreshTokens.values()].some((one) => one.user === user)
  }

  private grantOf(form: URLSearchParams): { user: string; scope: string } | undefined {
    if (form.get('grant_type') === 'refresh_token')
      return this.refreshTokens.get(form.get('refresh_token') ?? '')
    const code = this.codes.get(form.get('code') ?? '')
    this.codes.delete(form.get('code') ?? '')
    const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url')
    const isValid = code?.challenge === challenge && code.redirectUri === form.get('redirect_uri')
    return code && isValid ? { user: code.user, scope: this.lastScope } : undefined
  }

  /** Returns the user whose token a request has. */
  userOf({ headers }: IncomingMessage): string | undefined {
    return this.accessTokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
  }

  /** Ends all access tokens, as after an hour. */
  expire(): void {
    this.accessTokens.clear()
  }

  /** Ends the access, as a person does in their account. */
  revoke(user: string): void {
    for (const tokens of [this.refreshTokens, this.accessTokens] as Map<string, unknown>[])
      for (const [token, owner] of tokens)
        if (owner === user || (owner as { user?: string }).user === user) tokens.delete(token)
  }
}

/** Returns the text of a body. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
