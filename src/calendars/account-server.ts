import type { Context } from '../bookings/context.ts'
import type { CalendarAccountsTable } from '../database/tables.ts'
import type { CalendarReader } from './busy-file.ts'
import { CalDav, CalDavAccount } from './caldav.ts'
import { updateCredential } from './calendar-account-queries.ts'
import { FetchFailed } from './calendar-http.ts'
import type { CalendarServer, FoundAccount } from './calendar-server.ts'
import { CloudApi, type TokenSource } from './cloud-api.ts'
import { GoogleCalendar } from './google-calendar.ts'
import { MicrosoftCalendar, microsoftHeaders } from './microsoft-calendar.ts'
import { refreshTokens, revokeToken } from './oauth.ts'
import { type Provider, type ProviderName, providerOf } from './providers.ts'

/*
 * Opens the server of an account. The password, or the refresh token, is encrypted and goes only to that server or its
 * provider.
 */

type Owner = Pick<CalendarAccountsTable, 'staff_id' | 'address' | 'user_name'>

const ownerOf = ({ staff_id, address, user_name }: Owner) => `${staff_id} ${address} ${user_name}`

/** Encrypts credentials of accounts. Reads the database, so call it outside transactions. */
export async function credentialSealer({
  secret,
}: Pick<Context, 'secret'>): Promise<(credential: string, owner: Owner) => string> {
  const sealer = await secret.sealer('calendars')
  return (credential, owner) => sealer.seal(credential, ownerOf(owner))
}

/** The columns that open an account. */
type Credential = Owner & Pick<CalendarAccountsTable, 'id' | 'kind' | 'credential_sealed' | 'connected_at'>

/** Returns the password or refresh token of an account. Throws a FetchFailed if HOLDFAST_SECRET has changed. */
async function credentialOf({ secret }: Pick<Context, 'secret'>, account: Credential): Promise<string> {
  const credential = (await secret.sealer('calendars')).open(account.credential_sealed, ownerOf(account))
  if (credential === undefined) throw new FetchFailed('secret_changed')
  return credential
}

/** Returns a provider. Throws a FetchFailed if the operator has not set it up. */
export function assertProvider({ config }: Pick<Context, 'config'>, kind: ProviderName): Provider {
  const provider = providerOf(config, kind)
  if (!provider) throw new FetchFailed('provider_not_set_up')
  return provider
}

/**
 * Opens the server of an account. Throws a FetchFailed if HOLDFAST_SECRET has changed, or if this server no longer has
 * the settings of the provider.
 */
export async function openAccount(
  context: Context,
  reader: CalendarReader,
  account: Credential,
): Promise<CalendarServer> {
  const { kind, user_name: userName } = account
  const credential = await credentialOf(context, account)
  if (kind === 'caldav') {
    const dav = new CalDav(reader.http, { userName, password: credential })
    return new CalDavAccount(dav, (file) => reader.times(file))
  }
  const provider = assertProvider(context, kind)
  return openCloud(reader, provider, tokensOf(context, reader, { account, provider, credential }))
}

/** Ends the access that a person granted, if the provider lets programs do that. Throws a FetchFailed. */
export async function endGrant(
  context: Context,
  { http }: Pick<CalendarReader, 'http'>,
  account: Credential & { kind: ProviderName },
): Promise<void> {
  const { revokeUrl } = assertProvider(context, account.kind)
  if (revokeUrl !== undefined) await revokeToken(http, revokeUrl, await credentialOf(context, account))
}

/** A server at a provider, which lists its calendars itself. */
type CloudServer = CalendarServer & { discover(): Promise<FoundAccount> }

/** Opens an account at a provider. */
export function openCloud(
  { http }: Pick<CalendarReader, 'http'>,
  { name, apiUrl: url }: Provider,
  tokens: TokenSource,
): CloudServer {
  return name === 'google'
    ? new GoogleCalendar(new CloudApi(http, { url, tokens }))
    : new MicrosoftCalendar(new CloudApi(http, { url, tokens, headers: microsoftHeaders }))
}

/** Returns the access tokens of an account. A refresh token that the provider replaces is stored. */
function tokensOf(
  context: Context,
  reader: CalendarReader,
  { account, provider, credential }: { account: Credential; provider: Provider; credential: string },
): TokenSource {
  const grant = `${account.id} ${account.connected_at}`
  return {
    get: () =>
      reader.tokens.get(grant, async () => {
        const tokens = await refreshTokens(reader.http, provider, credential)
        const { refreshToken } = tokens
        if (refreshToken !== undefined && refreshToken !== credential) {
          const sealed = (await credentialSealer(context))(refreshToken, account)
          await context.db.transaction((tx) => updateCredential(tx.db, account, sealed))
        }
        return tokens
      }),
    refuse: (token) => reader.tokens.refuse(grant, token),
  }
}
