import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The claims of an account at the provider. */
export interface OidcAccount {
  email?: string
  email_verified?: boolean
}

/** The part of oidc-provider that the tests use. It has no types of its own. */
interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
}

interface GrantContext {
  oidc: {
    provider: { Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> } }
    client: { clientId: string }
    session: { accountId: string }
  }
}

/** A real OpenID provider (oidc-provider), at which the person of `account` is logged in by any visit. */
export async function startOidcServer(returnUrl: string, accounts: Record<string, OidcAccount>) {
  // @ts-expect-error TS7016 -- the package has no types
  const { Provider } = (await import('oidc-provider')) as {
    Provider: new (issuer: string, settings: object) => Provider
  }
  const state = { account: '' }
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/'))
      void provider.interactionFinished(request, response, { login: { accountId: state.account } })
    else provider.callback()(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { client_id: 'holdfast', client_secret: 'the secret of the client' }
  const provider: Provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [returnUrl] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts[id] }),
    }),
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const { clientId } = oidc.client
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  /** Follows the provider's redirects as a browser does, until it leads back. Returns the query of the return. */
  const visit = async (address: string, account: string): Promise<string> => {
    state.account = account
    const jar = new Map<string, string>()
    let url = address
    for (let steps = 0; steps < 6 && !url.startsWith(returnUrl); steps += 1) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
      for (const one of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
        jar.set(name, value)
      }
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`${answer.status} ${await answer.text()}`)
      url = new URL(location, issuer).href
    }
    return url.slice(returnUrl.length + 1)
  }
  const settings = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client.client_id,
    OIDC_CLIENT_SECRET: client.client_secret,
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { settings, visit, stop }
}
