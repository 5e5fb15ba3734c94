import type { Config } from '../base/config.ts'

/* The providers of calendar accounts whose access a person grants there (OAuth 2.0). */

export const providerNames = ['google', 'microsoft'] as const

export type ProviderName = (typeof providerNames)[number]

/** A provider, as the operator has set it up. */
export interface Provider {
  name: ProviderName
  clientId: string
  clientSecret: string
  /** Address at which a person grants the access. */
  authorizeUrl: string
  /** Address at which codes and refresh tokens become access tokens. */
  tokenUrl: string
  /** Address at which a grant is ended (RFC 7009). Undefined: only the person can end it there. */
  revokeUrl: string | undefined
  /** Address of the API, without a trailing slash. Nothing else gets an access token. */
  apiUrl: string
  scopes: readonly string[]
  /** Further parameters of `authorizeUrl`. */
  asks: Record<string, string>
}

/** For reading the list of calendars, the events of all, and for writing into the person's own calendars. */
const googleScopes = [
  'https://www.googleapis.com/auth/calendar.calendarlist.readonly',
  'https://www.googleapis.com/auth/calendar.events.readonly',
  'https://www.googleapis.com/auth/calendar.events.owned',
]

/** A refresh token, and the person's own calendars. Microsoft has no narrower scope for writing. */
const microsoftScopes = ['offline_access', 'https://graph.microsoft.com/Calendars.ReadWrite']

type Settings = Pick<
  Config,
  | 'googleClientId'
  | 'googleClientSecret'
  | 'googleApiUrl'
  | 'microsoftClientId'
  | 'microsoftClientSecret'
  | 'microsoftTenant'
  | 'microsoftApiUrl'
>

/** Returns a provider; undefined if the operator has not set it up. */
export function providerOf(config: Settings, name: ProviderName): Provider | undefined {
  const provider = name === 'google' ? google(config) : microsoft(config)
  return provider.clientId === '' || provider.clientSecret === '' ? undefined : provider
}

function google({ googleClientId, googleClientSecret, googleApiUrl: other }: Settings): Provider {
  return {
    ...{ name: 'google', clientId: googleClientId, clientSecret: googleClientSecret },
    authorizeUrl: `${other || 'https://accounts.google.com'}/o/oauth2/v2/auth`,
    tokenUrl: `${other || 'https://oauth2.googleapis.com'}/token`,
    revokeUrl: `${other || 'https://oauth2.googleapis.com'}/revoke`,
    apiUrl: `${other || 'https://www.googleapis.com'}/calendar/v3`,
    scopes: googleScopes,
    // without the question, Google gives a refresh token only the first time
    asks: { access_type: 'offline', prompt: 'consent' },
  }
}

function microsoft(config: Settings): Provider {
  const { microsoftClientId, microsoftClientSecret, microsoftTenant, microsoftApiUrl: other } = config
  const logIn = `${other || 'https://login.microsoftonline.com'}/${microsoftTenant}/oauth2/v2.0`
  return {
    ...{ name: 'microsoft', clientId: microsoftClientId, clientSecret: microsoftClientSecret },
    ...{ authorizeUrl: `${logIn}/authorize`, tokenUrl: `${logIn}/token`, revokeUrl: undefined },
    apiUrl: `${other || 'https://graph.microsoft.com'}/v1.0`,
    scopes: microsoftScopes,
    asks: { response_mode: 'query', prompt: 'select_account' },
  }
}
