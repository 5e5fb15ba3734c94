import { monotonicMs } from '../base/clock.ts'
import { type CalendarHttp, FetchFailed } from './calendar-http.ts'
import { fieldsIn, parseJson, textIn } from './json-answers.ts'
import type { Provider } from './providers.ts'

/* A small client of OAuth 2.0 (RFC 6749): the code flow with PKCE (RFC 7636), refreshing, revoking (RFC 7009). */

/** The result of a grant. */
export interface Tokens {
  accessToken: string
  /** Absent if the one in use stays. */
  refreshToken: string | undefined
  /** The granted scopes; undefined if they are the requested ones. */
  scopes: string[] | undefined
  expiresInSeconds: number
}

interface Grant {
  state: string
  /** SHA-256 of the verifier. */
  challenge: string
  redirectUri: string
}

/** Returns the address at which a person grants the access. */
export function authorizationUrl(
  { authorizeUrl, clientId, scopes, asks }: Provider,
  { state, challenge, redirectUri }: Grant,
): string {
  const parameters = {
    ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: scopes.join(' ') },
    ...{ state, code_challenge: challenge, code_challenge_method: 'S256', ...asks },
  }
  return `${authorizeUrl}?${new URLSearchParams(parameters).toString()}`
}

/** Exchanges the code of a grant. Throws a FetchFailed. */
export function exchangeCode(
  http: CalendarHttp,
  provider: Provider,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<Tokens> {
  return requestTokens(http, provider, {
    ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri },
  })
}

/** Exchanges a refresh token. Throws a FetchFailed: `access_revoked` if the person or the provider ended the access. */
export function refreshTokens(http: CalendarHttp, provider: Provider, refreshToken: string): Promise<Tokens> {
  return requestTokens(http, provider, { grant_type: 'refresh_token', refresh_token: refreshToken })
}

/** Ends the grant of a refresh token, also if it is over. Throws a FetchFailed. */
export async function revokeToken(http: CalendarHttp, revokeUrl: string, token: string): Promise<void> {
  const { status, text, header } = await http.request(new URL(revokeUrl), {
    ...{ method: 'POST', body: new URLSearchParams({ token }).toString(), isDirect: true },
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  })
  if (status === 200) return
  const isOver = status === 400 && textIn(fieldsIn(parseJson(text)), 'error') === 'invalid_token'
  if (!isOver) throw new FetchFailed(`status_${status}`, undefined, header('retry-after'))
}

const defaultSeconds = 3_600

async function requestTokens(
  http: CalendarHttp,
  { tokenUrl, clientId, clientSecret }: Provider,
  grant: Record<string, string>,
): Promise<Tokens> {
  const { status, text, header } = await http.request(new URL(tokenUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret }).toString(),
    isDirect: true,
  })
  if (status >= 500 || status === 429)
    throw new FetchFailed(`status_${status}`, undefined, header('retry-after'))
  const answer = fieldsIn(parseJson(text))
  if (status !== 200) {
    const isOver = ['invalid_grant', 'interaction_required'].includes(textIn(answer, 'error') ?? '')
    throw new FetchFailed(isOver ? 'access_revoked' : 'provider_not_set_up')
  }
  const accessToken = textIn(answer, 'access_token')
  if (accessToken === undefined) throw new FetchFailed('invalid_response')
  return {
    accessToken,
    refreshToken: textIn(answer, 'refresh_token'),
    scopes: textIn(answer, 'scope')?.split(' '),
    expiresInSeconds: Number(answer['expires_in']) || defaultSeconds,
  }
}

/** Access tokens end this long before their time. */
const reserveMs = 60_000
const maxTokens = 2_000

/** The access tokens of this process, by the grant to which they belong. */
export class AccessTokens {
  private readonly known = new Map<string, { token: Promise<Tokens>; untilMs: number }>()

  /** Returns the token of a grant, or requests one. Simultaneous callers share one request. */
  async get(grant: string, request: () => Promise<Tokens>): Promise<string> {
    const known = this.known.get(grant)
    if (known && known.untilMs > monotonicMs()) return (await known.token).accessToken
    const entry = { token: request(), untilMs: Infinity }
    this.known.delete(grant)
    this.known.set(grant, entry)
    for (const oldest of this.known.keys()) {
      if (this.known.size <= maxTokens) break
      this.known.delete(oldest)
    }
    try {
      const { accessToken, expiresInSeconds } = await entry.token
      entry.untilMs = monotonicMs() + expiresInSeconds * 1000 - reserveMs
      return accessToken
    } catch (error) {
      if (this.known.get(grant) === entry) this.known.delete(grant)
      throw error
    }
  }

  /** Forgets a token that the provider refuses, unless there is another one meanwhile. */
  async refuse(grant: string, accessToken: string): Promise<void> {
    const known = this.known.get(grant)
    const tokens = await known?.token.catch(() => undefined)
    if (tokens?.accessToken === accessToken && this.known.get(grant) === known) this.known.delete(grant)
  }
}
