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
import { refreshTokens } from './oauth.ts'
import { type Provider, providerOf } from './providers.ts'

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

/**
 * Opens the server of an account. Throws a FetchFailed if HOLDFAST_SECRET has changed, or if this server no longer has
 * the settings of the provider.
 */
export async function openAccount(
  context: Context,
  reader: CalendarReader,
  account: CalendarAccountsTable,
): Promise<CalendarServer> {
  const { kind, user_name: userName, credential_sealed } = account
  const sealer = await context.secret.sealer('calendars')
  const credential = sealer.open(credential_sealed, ownerOf(account))
  if (credential === undefined) throw new FetchFailed('secret_changed')
  if (kind === 'caldav') {
    const dav = new CalDav(reader.http, { userName, password: credential })
    return new CalDavAccount(dav, (file) => reader.times(file))
  }
  const provider = providerOf(context.config, kind)
  if (!provider) throw new FetchFailed('provider_not_set_up')
  return openCloud(reader, provider, tokensOf(context, reader, { account, provider, credential }))
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
  {
    account,
    provider,
    credential,
  }: { account: CalendarAccountsTable; provider: Provider; credential: string },
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
