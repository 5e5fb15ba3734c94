import type { Configuration } from 'openid-client'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from './context.ts'
import { deleteEmailChangeOf } from './invitation-queries.ts'
import { beginLogIn, type Limited, type LogInOrigin } from './log-in.ts'
import { deleteLinksOf, endLogInsOf, lockUserByEmail, updateUser } from './person-queries.ts'
import { endPasskeysOf, endSecondStepOf, recordOfPerson, typedEmail } from './person.ts'
import { endGrants } from './program-grant.ts'
import { quotasOfLogIn } from './rate-limit-rules.ts'
import type { RateLimiter } from './rate-limits.ts'
import { newToken } from './token.ts'

/*
 * Log-in with an OpenID Connect provider: the code flow with PKCE, state and nonce. Only a known email address gets in,
 * and only if the provider says that it is verified.
 *
 * Guarantees: requests to the provider end within ten seconds and read at most 256 KB. Logs name the kind of a failure
 * only, because errors of the library hold answers with tokens.
 */

/** The browser must come back within this time. */
export const oidcSeconds = 600
export const oidcReturnPath = '/console/oidc'
const timeoutSeconds = 10
const maxAnswerBytes = 256 * 1024
/** Metadata is read again after this time. */
const metadataMs = 3_600_000
const maxNextLength = 1_000

/** Loaded late, because most servers have no provider. */
const openIdClient = () => import('openid-client')

/** The reason why a log-in at the provider failed. */
export class OidcRefused extends Error {
  readonly reason: 'unavailable' | 'expired' | 'unverified'

  constructor(reason: OidcRefused['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** The state of a log-in, which its browser keeps sealed. */
interface Pending {
  state: string
  nonce: string
  verifier: string
  next: string
  expiresMs: number
}

/** The provider of OIDC_ISSUER. */
export class OidcProvider {
  private readonly context: Context
  private found: { client: Promise<Configuration>; untilMs: number } | undefined

  constructor(context: Context) {
    this.context = context
  }

  /** Returns the address of the provider's log-in, and the sealed state for a cookie. Throws OidcRefused. */
  async begin(next: string): Promise<{ address: string; sealed: string }> {
    const { context } = this
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await openIdClient()
    const client = await this.client()
    const [state, nonce, verifier] = [1, 2, 3].map(() => context.ids.bytes(32).toString('base64url'))
    const pending = {
      ...{ state, nonce, verifier, next: next.length > maxNextLength ? '/console' : next },
      expiresMs: context.clock.nowMs() + oidcSeconds * 1_000,
    }
    const address = buildAuthorizationUrl(client, {
      redirect_uri: this.returnUrl(),
      scope: 'openid email',
      ...{ state: state ?? '', nonce: nonce ?? '' },
      code_challenge: await calculatePKCECodeChallenge(verifier ?? ''),
      code_challenge_method: 'S256',
    })
    const sealer = await context.secret.sealer('oidc')
    return { address: address.href, sealed: sealer.seal(JSON.stringify(pending), 'browser') }
  }

  /**
   * Exchanges the code with which the browser came back. Returns the verified address and the next page. `query` is that
   * of the return. Throws OidcRefused.
   */
  async finish(query: string, sealed: string): Promise<{ email: string; next: string }> {
    const sealer = await this.context.secret.sealer('oidc')
    const text = sealer.open(sealed, 'browser')
    if (text === undefined) throw new OidcRefused('expired')
    const { state, nonce, verifier, next, expiresMs } = JSON.parse(text) as Pending // only this server seals it
    if (expiresMs <= this.context.clock.nowMs()) throw new OidcRefused('expired')
    const client = await this.client()
    const { authorizationCodeGrant, fetchUserInfo } = await openIdClient()
    try {
      const tokens = await authorizationCodeGrant(client, new URL(`${this.returnUrl()}?${query}`), {
        ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
      })
      let claims: Record<string, unknown> | undefined = tokens.claims()
      if (claims?.email === undefined)
        claims = await fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? '')
      const { email, email_verified } = claims
      if (typeof email !== 'string' || email_verified !== true) throw new OidcRefused('unverified')
      return { email: typedEmail(email), next }
    } catch (error) {
      throw this.refusalOf(error)
    }
  }

  private returnUrl(): string {
    return `${publicUrl(this.context.config)}${oidcReturnPath}`
  }

  /** Returns the client with the metadata of the provider. Throws OidcRefused. */
  private async client(): Promise<Configuration> {
    const nowMs = this.context.clock.nowMs()
    if (!this.found || this.found.untilMs <= nowMs)
      this.found = { client: this.discover(), untilMs: nowMs + metadataMs }
    const { client } = this.found
    try {
      return await client
    } catch (error) {
      if (this.found.client === client) this.found = undefined
      this.refusalOf(error)
      throw new OidcRefused('unavailable')
    }
  }

  private async discover(): Promise<Configuration> {
    const { config } = this.context
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that nobody uses it by mistake
    const { allowInsecureRequests, ClientSecretBasic, customFetch, discovery } = await openIdClient()
    const isPlain = config.oidcIssuer.startsWith('http:')
    return discovery(
      new URL(config.oidcIssuer),
      config.oidcClientId,
      undefined,
      ClientSecretBasic(config.oidcClientSecret),
      {
        timeout: timeoutSeconds,
        [customFetch]: fetchBounded,
        ...(isPlain && { execute: [allowInsecureRequests] }),
      },
    )
  }

  /** Logs the kind of a failure. Rethrows errors of this server's database. */
  private refusalOf(error: unknown): OidcRefused {
    if (error instanceof OidcRefused) return error
    const { code, error: answer, status, name } = error as Record<string, unknown>
    this.context.log.warn({ code, answer, status, name }, 'a log-in at the OpenID provider failed')
    const isAway =
      name === 'TimeoutError' || name === 'TypeError' || code === 'OAUTH_TIMEOUT' || Number(status) >= 500
    return new OidcRefused(isAway || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' ? 'unavailable' : 'expired')
  }
}

/** Sends a request and reads its whole answer, up to the limit. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const answer = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).length
    if (bytes > maxAnswerBytes) throw new TypeError('the answer of the OpenID provider is too large')
    chunks.push(chunk as Uint8Array)
  }
  const isEmpty = answer.status === 204 || answer.status === 304
  return new Response(isEmpty ? null : Buffer.concat(chunks), {
    ...{ status: answer.status, statusText: answer.statusText, headers: answer.headers },
  })
}

type ProviderLogIn =
  | { outcome: 'in' | 'code'; token: string; email: string }
  /** Nobody with this address may log in. */
  | { outcome: 'unknown' }

/** Counts the return of a browser from the provider, which costs a request to it. */
export async function limitedReturns(
  context: Context,
  limiter: RateLimiter,
  origin: LogInOrigin,
): Promise<Limited | undefined> {
  const quotas = quotasOfLogIn(origin.client, undefined, context.config.rateLimitFactor)
  const { allowed, retryAfterSeconds } = await limiter.count(quotas)
  return allowed ? undefined : { outcome: 'limited', retryAfterSeconds }
}

/**
 * Logs in the person of an address that the provider has verified. A second step follows if the person has one. The first
 * proof of an address ends password, passkeys and second step. Another person may have set up the account.
 */
export function logInByProvider(
  context: Context,
  { email, origin }: { email: string; origin: LogInOrigin },
): Promise<ProviderLogIn> {
  const token = newToken('login', context.ids)
  return context.db.transaction(async (tx): Promise<ProviderLogIn> => {
    const user = await lockUserByEmail(tx.db, email)
    if (!user || user.disabled_at) return { outcome: 'unknown' }
    const { id: userId, name } = user
    const isFirstProof = user.email_proved_at === null
    const needsCode = user.totp_since !== null && !isFirstProof
    if (isFirstProof) {
      const via = { address: origin.client.address, requestId: origin.requestId }
      const by = { type: 'person', userId, name, via } as const
      await endSecondStepOf(context, tx, { by, userId })
      await endPasskeysOf(context, tx, { by, userId })
      await endGrants(context, tx, { by, userId })
      await endLogInsOf(tx.db, userId, { now: tx.now })
      await deleteLinksOf(tx.db, userId)
      await deleteEmailChangeOf(tx.db, userId)
      await updateUser(tx.db, userId, {
        ...{ email_proved_at: tx.now, password_hash: null, password_set_at: null },
      })
      await recordOfPerson(context, tx, { by, action: 'user.address_proved', userId })
    }
    const isIn = await beginLogIn(context, tx, { userId, token, origin, needsCode })
    if (!isIn) return { outcome: 'unknown' }
    return { outcome: needsCode ? 'code' : 'in', token, email }
  })
}
