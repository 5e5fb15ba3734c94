import { hash } from 'node:crypto'
import type { Actor, PersonActor } from '../access/actor.ts'
import { publicUrl } from '../base/public-url.ts'
import { plusSeconds } from '../base/instants.ts'
import type { Context } from '../bookings/context.ts'
import { checkDestination } from '../webhooks/addresses.ts'
import { assertProvider, credentialSealer, openCloud } from './account-server.ts'
import type { CalendarReader } from './busy-file.ts'
import { CalDav } from './caldav.ts'
import { assertMayConnect, storeConnected } from './calendar-account.ts'
import type { CalendarAccountRow } from './calendar-account-queries.ts'
import type { CalendarAccountConnection } from './calendar-account-schemas.ts'
import { FetchFailed, faultOf } from './calendar-http.ts'
import type { FoundAccount } from './calendar-server.ts'
import { fieldsIn, parseJson, textIn } from './json-answers.ts'
import { authorizationUrl, exchangeCode, type Tokens } from './oauth.ts'
import type { Provider, ProviderName } from './providers.ts'

/*
 * Connects calendar accounts: with a password at a CalDAV server, or with a grant at a provider (OAuth 2.0 code flow with
 * PKCE).
 *
 * The state of a grant is encrypted for the person and their log-in. So nobody can finish the grant of somebody else. It
 * carries the verifier, so nothing is stored before the grant.
 */

const exampleUrl = 'https://caldav.example.com'

/**
 * Logs in at a CalDAV server, lists the calendars and stores the account. At first, its first calendar keeps the staff
 * member busy, and none receives bookings. A known account gets the new password and is read and written again.
 * Throws validation_failed, calendar_limit_reached, and a FetchFailed if the server does not take it.
 */
export async function connectCalendarAccount(
  context: Context,
  actor: Actor,
  { staff_id, url, user_name: userName, password }: CalendarAccountConnection,
  { http }: Pick<CalendarReader, 'http'>,
): Promise<CalendarAccountRow> {
  await assertMayConnect(context, actor, staff_id)
  await checkDestination(context, url, { example: exampleUrl })
  const found = await new CalDav(http, { userName, password }).discover(url).catch((error: unknown) => {
    throw new FetchFailed(faultOf(error).problem)
  })
  const credential_sealed = (await credentialSealer(context))(password, {
    ...{ staff_id, address: found.address, user_name: userName },
  })
  const account = { kind: 'caldav', staff_id, credential_sealed, found: { ...found, userName } } as const
  return storeConnected(context, actor, account)
}

/** Path at which the browser returns from a provider. The operator registers it there. */
export function returnPath(kind: ProviderName): string {
  return `/console/calendars/${kind}`
}

function redirectUri({ config }: Pick<Context, 'config'>, kind: ProviderName): string {
  return `${publicUrl(config)}${returnPath(kind)}`
}

/** A person has this long to grant the access. */
const grantSeconds = 900

const stateSealer = ({ secret }: Pick<Context, 'secret'>) => secret.sealer('calendar grants')
const ownerOf = ({ userId, logInId }: PersonActor) => `${userId} ${logInId}`

/**
 * Begins to connect an account at a provider. Returns the address at which the person grants the access. Throws
 * validation_failed, and a FetchFailed if the operator has not set up the provider.
 */
export async function startGrant(
  context: Context,
  actor: PersonActor,
  { kind, staff_id }: { kind: ProviderName; staff_id: string },
): Promise<string> {
  const provider = assertProvider(context, kind)
  await assertMayConnect(context, actor, staff_id)
  const verifier = context.ids.bytes(32).toString('base64url')
  const until = plusSeconds(context.clock.now(), grantSeconds)
  const sealer = await stateSealer(context)
  const state = sealer.seal(JSON.stringify({ kind, staff_id, verifier, until }), ownerOf(actor))
  const challenge = hash('sha256', verifier, 'base64url')
  return authorizationUrl(provider, { state, challenge, redirectUri: redirectUri(context, kind) })
}

/** The answer of a provider, as it is in the address to which the browser returns. */
interface GrantAnswer {
  kind: ProviderName
  state: string | undefined
  /** Undefined if the person or the provider refused. */
  code: string | undefined
}

/**
 * Connects the account for which a person granted the access, like `connectCalendarAccount`. Throws validation_failed,
 * calendar_limit_reached, and a FetchFailed.
 */
export async function finishGrant(
  context: Context,
  actor: PersonActor,
  { kind, state = '', code }: GrantAnswer,
  reader: Pick<CalendarReader, 'http'>,
): Promise<CalendarAccountRow> {
  const provider = assertProvider(context, kind)
  const begun = (await stateSealer(context)).open(state, ownerOf(actor))
  const fields = fieldsIn(parseJson(begun ?? '{}'))
  const [staff_id, verifier] = [textIn(fields, 'staff_id'), textIn(fields, 'verifier')]
  const isValid = fields['kind'] === kind && (textIn(fields, 'until') ?? '') > context.clock.now()
  if (!isValid || staff_id === undefined || verifier === undefined) throw new FetchFailed('grant_expired')
  if (code === undefined) throw new FetchFailed('grant_refused')
  await assertMayConnect(context, actor, staff_id)
  const { credential, found } = await granted(context, reader, { provider, code, verifier }).catch(
    (error: unknown) => {
      throw new FetchFailed(faultOf(error).problem)
    },
  )
  if (found.calendars.length === 0) throw new FetchFailed('no_calendars')
  const credential_sealed = (await credentialSealer(context))(credential, {
    ...{ staff_id, address: found.address, user_name: found.userName },
  })
  return storeConnected(context, actor, { kind, staff_id, credential_sealed, found })
}

/** Exchanges the code of a grant and lists the calendars. */
async function granted(
  context: Context,
  reader: Pick<CalendarReader, 'http'>,
  { provider, ...grant }: { provider: Provider; code: string; verifier: string },
): Promise<{ credential: string; found: FoundAccount }> {
  const tokens = await exchangeCode(reader.http, provider, {
    ...grant,
    redirectUri: redirectUri(context, provider.name),
  })
  const credential = assertComplete(provider, tokens)
  const source = { get: () => Promise.resolve(tokens.accessToken), refuse: () => Promise.resolve() }
  return { credential, found: await openCloud(reader, provider, source).discover() }
}

/** Returns the refresh token. People may leave out single permissions. */
function assertComplete({ scopes }: Provider, { scopes: granted, refreshToken }: Tokens): string {
  const lower = granted?.map((scope) => scope.toLowerCase())
  const needed = scopes.filter((scope) => scope !== 'offline_access') // the refresh token shows it
  const isComplete = needed.every((scope) => lower?.some((one) => isSameScope(one, scope)) ?? true)
  if (!isComplete || refreshToken === undefined) throw new FetchFailed('access_incomplete')
  return refreshToken
}

/** Compares scopes. Microsoft may omit the host of Graph. */
function isSameScope(granted: string, scope: string): boolean {
  const wanted = scope.toLowerCase()
  return granted === wanted || `https://graph.microsoft.com/${granted}` === wanted
}
