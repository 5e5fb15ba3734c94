import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPublicService } from '../support/browser.ts'
import { formValues } from '../support/console.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { nextStart } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, type TestService } from '../support/test-service.ts'

/*
 * The official client of the protocol goes the whole way by itself: discovery, registration, proof key, exchange and
 * refresh. It checks the issuer and the resource.
 */

const returnUrl = 'http://127.0.0.1:49152/callback'

/** The memory of a program, and the address to which it sends the browser of its person. */
function memory() {
  const kept: { address?: URL; client?: object; tokens?: object; verifier?: string; ended: string[] } = {
    ended: [],
  }
  const provider: OAuthClientProvider = {
    redirectUrl: returnUrl,
    clientMetadata: { client_name: 'The official client', redirect_uris: [returnUrl] },
    state: () => 'of the program',
    clientInformation: () => kept.client as { client_id: string } | undefined,
    saveClientInformation: (client) => {
      kept.client = client
    },
    tokens: () => kept.tokens as { access_token: string; token_type: string } | undefined,
    saveTokens: (tokens) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (address) => {
      kept.address = address
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    invalidateCredentials: (what) => {
      kept.ended.push(what)
      if (what === 'all' || what === 'client') delete kept.client
      if (what === 'all' || what === 'tokens') delete kept.tokens
    },
  }
  return { kept, provider }
}

onOneEngine('sqlite', 'the official client', (engine) => {
  let service: TestService
  let address: string
  let owner: LoggedIn
  beforeAll(async () => {
    ;({ service, address } = await startPublicService(engine))
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  /** Opens the page to which the program sends its person, and allows it. */
  const allow = async (page: URL, scope: string): Promise<URL> => {
    const path = `${page.pathname}${page.search}`
    const { body } = await service.call('GET', `/${path}`, {
      headers: { cookie: owner.cookie, host: 'localhost' },
    })
    const fields = formValues(String(body).replaceAll('&amp;', '&'), '/console/authorize')
    const reply = await sendForm(
      service,
      '/console/authorize',
      { ...fields, scope, decision: 'allow' },
      owner,
    )
    return new URL(reply.headers['location'] ?? '')
  }

  test('connects, books, renews its tokens, and asks again after it was disconnected', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const { kept, provider } = memory()
    const open = () => new StreamableHTTPClientTransport(new URL('/mcp', address), { authProvider: provider })
    const newClient = () => new Client({ name: 'test', version: '1' })
    const connect = async (scope: string) => {
      const transport = open()
      await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError)
      expect(kept.address?.searchParams.get('resource')).toBe(`${address}/mcp`)
      const back = await allow(kept.address ?? new URL(address), scope)
      expect(`${back.origin}${back.pathname}`).toBe(returnUrl)
      expect(back.searchParams.get('state')).toBe('of the program')
      await transport.finishAuth(back.searchParams)
      const client = newClient()
      await client.connect(open())
      return client
    }
    const client = await connect('book')
    expect(kept.client).toMatchObject({ token_endpoint_auth_method: 'none' })
    const tools = (await client.listTools()).tools.map(({ name }) => name)
    expect(tools).toEqual(expect.arrayContaining(['list_services', 'confirm_booking']))
    expect(tools).not.toContain('block_time')
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>
    const held = await call('hold_slot', { ...offer(salon, 'Haircut'), starts_at: nextStart() })
    const booked = await call('confirm_booking', { hold_id: held['hold_id'], client: ada })
    expect(booked).toMatchObject({ status: 'confirmed' })

    const before = kept.tokens
    service.clock.advance(3_600)
    expect(await call('get_booking', { id: booked['id'] })).toMatchObject({ client: ada })
    expect(kept.tokens).not.toEqual(before)
    expect(kept.ended).toEqual([])
    await client.close()

    const [grant] = await service.rows('program_grants')
    await sendForm(service, `/console/account/programs/${String(grant?.['id'])}/remove`, {}, owner)
    const again = await connect('read')
    expect((await again.listTools()).tools.map(({ name }) => name)).not.toContain('confirm_booking')
    await again.close()
    expect(await service.rows('programs')).toHaveLength(1) // it registered once
  })
})
