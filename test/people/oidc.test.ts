import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import { issueLink } from '../../src/access/person.ts'
import { mailWorld } from '../support/mail-world.ts'
import { makeBusiness } from '../support/offers.ts'
import { startOidcServer } from '../support/oidc-server.ts'
import {
  addNewPerson,
  goodPassword,
  loggedIn,
  logInNewPerson,
  sendForm,
  setUpAuthenticator,
} from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const PUBLIC_URL = 'https://book.example.com'
const accounts = {
  mary: { email: 'Mary@Example.com', email_verified: true },
  john: { email: 'john@example.com', email_verified: false },
  nobody: { email: 'nobody@example.com', email_verified: true },
  nameless: {},
}

interface Headed {
  headers: Record<string, string | string[] | number | undefined>
}

const cookiesIn = ({ headers }: Headed) => [headers['set-cookie'] ?? ''].flat().join(', ')
const tokenIn = (reply: Headed) => /holdfast=cal_log_\w+/.exec(cookiesIn(reply))?.[0] ?? ''

onOneEngine('sqlite', 'an OpenID provider', (engine) => {
  let provider: Awaited<ReturnType<typeof startOidcServer>>
  beforeAll(async () => {
    provider = await startOidcServer(`${PUBLIC_URL}/console/oidc`, accounts)
  })
  afterAll(() => provider.stop())

  const start = (settings: Record<string, string> = {}) =>
    startTestService(engine, { PUBLIC_URL, ...provider.settings, ...settings })
  const placeOf = ({ world }: TestService) => ({ businessId: businessOf(world, 'Salon Spree').id })
  const begin = async (service: TestService, next = '/console/account') => {
    const reply = await service.call('GET', `//console/oidc/start?next=${encodeURIComponent(next)}`, {
      headers: { host: 'localhost' },
    })
    expect(reply.status).toBe(303)
    const cookie = /holdfast-oidc=[^;]+/.exec(cookiesIn(reply))?.[0] ?? ''
    return { address: String(reply.headers['location']), cookie }
  }
  const comeBack = async (service: TestService, query: string, cookie: string, language = 'en') => {
    const { statusCode, headers, body } = await service.app.server.inject({
      method: 'GET',
      url: `/console/oidc?${query}`,
      headers: { host: 'localhost', cookie, 'accept-language': language },
    })
    return { status: statusCode, headers, body }
  }
  const logIn = async (service: TestService, account: string, language?: string) => {
    const { address, cookie } = await begin(service)
    return comeBack(service, await provider.visit(address, account), cookie, language)
  }

  test('logs in the known person of a verified address, with code, PKCE, state and nonce', async () => {
    const service = await start()
    const mary = await logInNewPerson(service, {
      email: 'mary@example.com',
      role: 'owner',
      place: placeOf(service),
    })
    expect((await service.call('GET', '//console')).body).toContain('Log in with single sign-on')
    const { address } = await begin(service)
    expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', scope: 'openid email' },
      redirect_uri: `${PUBLIC_URL}/console/oidc`,
      state: expect.any(String) as string,
      nonce: expect.any(String) as string,
    })
    const reply = await logIn(service, 'mary')
    expect(reply).toMatchObject({ status: 303, headers: { location: '/console/account' } })
    const person = loggedIn(service, { ...mary, cookie: tokenIn(reply) })
    expect(await person.call('GET', '/users/me')).toMatchObject({ body: { email: 'mary@example.com' } })
    // a second step of the person follows
    await setUpAuthenticator(service, person)
    const second = await logIn(service, 'mary')
    expect(second.headers['location']).toBe('/console/code?next=%2Fconsole%2Faccount')
    const pending = loggedIn(service, { ...mary, cookie: tokenIn(second) })
    expect((await pending.call('GET', '/users/me')).status).toBe(401)
    await service.stop()
  })

  test('proves an address for the first time: the password that a stranger may have set ends', async () => {
    const service = await start()
    const { person } = await addNewPerson(service, {
      email: 'mary@example.com',
      role: 'owner',
      place: placeOf(service),
    })
    const now = service.context.clock.now()
    const password = {
      ...{ password_hash: 'of a stranger', password_set_at: now },
      ...{ totp_secret: 'A', totp_since: now },
    }
    await service.context.db.transaction(({ db }) =>
      db.updateTable('users').set(password).where('id', '=', person.user_id).execute(),
    )
    expect(tokenIn(await logIn(service, 'mary'))).not.toBe('')
    const rows = await service.rows('users')
    expect(rows.find(({ id }) => id === person.user_id)).toMatchObject({
      ...{ password_hash: null, totp_secret: null, totp_since: null },
      email_proved_at: expect.any(String) as string,
    })
    await service.stop()
  })

  test('lets in nobody with an unverified, missing or unknown address, or a disabled account', async () => {
    const service = await start()
    const place = placeOf(service)
    await addNewPerson(service, { email: 'john@example.com', role: 'manager', place })
    const { person } = await addNewPerson(service, { email: 'mary@example.com', role: 'owner', place })
    await service.context.db.transaction(({ db, now }) =>
      db.updateTable('users').set({ disabled_at: now }).where('id', '=', person.user_id).execute(),
    )
    for (const [account, text] of [
      ['john', 'The sign-in provider has not confirmed your email address.'],
      ['nameless', 'The sign-in provider has not confirmed your email address.'],
      ['nobody', 'Nobody here has the address nobody@example.com.'],
      ['mary', 'Nobody here has the address mary@example.com.'],
    ] as const) {
      const reply = await logIn(service, account)
      expect([account, reply.status, tokenIn(reply)]).toEqual([account, 403, ''])
      expect(reply.body).toContain(text)
    }
    expect((await logIn(service, 'john', 'de')).body).toContain(
      'Der Anmeldedienst hat Ihre E-Mail-Adresse nicht',
    )
    await service.stop()
  })

  test('refuses a wrong state, another browser, a replayed code, and a return after ten minutes', async () => {
    const service = await start()
    await addNewPerson(service, { email: 'mary@example.com', role: 'owner', place: placeOf(service) })
    const refused = async (query: string, cookie: string) => {
      const reply = await comeBack(service, query, cookie)
      expect([reply.status, tokenIn(reply)]).toEqual([422, ''])
      expect(reply.body).toContain('This log-in was interrupted or took too long.')
    }
    const one = await begin(service)
    const query = await provider.visit(one.address, 'mary')
    const wrong = new URLSearchParams(query)
    wrong.set('state', 'another')
    await refused(wrong.toString(), one.cookie)
    await refused(query, '')
    await refused(query, `${one.cookie.slice(0, -2)}AA`)
    await refused(query, (await begin(service)).cookie)
    await refused('error=access_denied&state=x', one.cookie)
    await refused('', one.cookie)
    expect(tokenIn(await comeBack(service, query, one.cookie))).not.toBe('')
    await refused(query, one.cookie)
    const late = await begin(service)
    service.clock.advance(600)
    await refused(await provider.visit(late.address, 'mary'), late.cookie)
    const elsewhere = await begin(service, 'https://evil.example.com')
    const back = await comeBack(service, await provider.visit(elsewhere.address, 'mary'), elsewhere.cookie)
    expect(back.headers['location']).toBe('/console')
    const log = service.logLines.join('')
    expect(log).not.toContain(provider.settings.OIDC_CLIENT_SECRET)
    expect(log).not.toContain(new URLSearchParams(query).get('code'))
    await service.stop()
  })

  test('that does not answer is named as the reason, and a server without one has no such pages', async () => {
    const own = await startOidcServer(`${PUBLIC_URL}/console/oidc`, accounts)
    const service = await start(own.settings)
    await own.stop()
    const reply = await service.call('GET', '//console/oidc/start', { headers: { host: 'localhost' } })
    expect([reply.status, String(reply.body).includes('The sign-in provider does not answer.')]).toEqual([
      503,
      true,
    ])
    await service.stop()
    const without = await startTestService(engine, { PUBLIC_URL })
    expect((await without.call('GET', '//console/oidc/start')).status).toBe(404)
    expect((await without.call('GET', '//console')).body).not.toContain('/console/oidc')
    await without.stop()
  })

  test('is the only way in with OIDC_ONLY, beside a link of the command line', async () => {
    const service = await start({ OIDC_ONLY: 'true', OIDC_BUTTON: 'Log in with Example & Co' })
    const place = placeOf(service)
    const { person, link } = await addNewPerson(service, { email: 'mary@example.com', role: 'owner', place })
    const page = await service.call('GET', '//console')
    expect(page.body).toContain('Log in with Example &amp; Co')
    expect(page.body).not.toMatch(/type="password"|forgotten|data-passkey/)
    const use = (token: string) => sendForm(service, '/console/link', { token, password: goodPassword })
    const entered = await use(link?.token ?? '')
    expect(tokenIn(entered)).not.toBe('')
    const refused = await sendForm(service, '/console/login', { email: person.email, password: goodPassword })
    expect([refused.status, tokenIn(refused)]).toEqual([422, ''])
    expect(refused.body).toContain('Passwords are switched off on this server.')
    expect((await sendForm(service, '/console/forgotten', { email: person.email })).body).toContain(
      'switched off',
    )
    expect((await service.call('GET', '//console/forgotten')).body).toContain('switched off')
    expect((await sendForm(service, '/console/passkey', { credential: '{}' })).status).toBe(422)
    const owner = loggedIn(service, { email: '', userId: '', cookie: tokenIn(entered) })
    const { cookie } = owner
    const account = await service.call('GET', '//console/account', { headers: { host: 'localhost', cookie } })
    expect(account.body).toContain('Name and email')
    expect(account.body).not.toMatch(/account\/(password|passkeys)/)
    const added = await owner.call('POST', '/users', { email: 'new@example.com', role: 'manager' })
    const ofOwner = /#(\w+)/.exec(JSON.stringify(added.body))?.[1] ?? ''
    expect([ofOwner === '', (await use(ofOwner)).status]).toEqual([false, 404])
    expect(tokenIn(await logIn(service, 'mary'))).not.toBe('')
    const again = await issueLink(service.context, person.email)
    expect(tokenIn(await use(again.link.token))).not.toBe('')
    await service.stop()
  })
})

onOneEngine('sqlite', 'emails to people with OIDC_ONLY', (engine) => {
  test('lead to single sign-on, and mention no password', async () => {
    const provider = await startOidcServer(`${PUBLIC_URL}/console/oidc`, accounts)
    const settings = { ...provider.settings, OIDC_ONLY: 'true' }
    const world = await mailWorld(engine, { variables: { ...settings, PUBLIC_URL } })
    const place = { businessId: world.business.id }
    const owner = await logInNewPerson(world.service, { email: 'mary@example.com', role: 'owner', place })
    const elsewhere = { businessId: (await makeBusiness(world.service)).id }
    await addNewPerson(world.service, { email: 'john@example.com', role: 'owner', place: elsewhere })
    await world.sent()
    world.fresh()
    for (const email of ['new@example.com', 'john@example.com'])
      await sendForm(world.service, '/console/users/new', { email, role: 'manager', name: 'New' }, owner)
    await world.sent()
    const mails = world.fresh()
    const to = (email: string) => mails.find(({ recipients }) => recipients.includes(email))?.text ?? ''
    expect(to('new@example.com')).toContain('Log in as new@example.com with single sign-on.')
    expect(to('new@example.com')).toMatch(/https:\/\/book\.example\.com\/console\/login\s/)
    expect(to('john@example.com')).toContain('https://book.example.com/console/invitations')
    for (const email of ['new@example.com', 'john@example.com'])
      expect(to(email)).not.toMatch(/password|forgotten|#/)
    await world.stop()
    await provider.stop()
  })
})

test('the settings of a provider belong together', () => {
  const read = (settings: Record<string, string>) => () => readConfig({ NODE_ENV: 'test', ...settings })
  expect(read({ OIDC_ISSUER: 'https://id.example.com' })).toThrow('must be set together')
  expect(read({ OIDC_ONLY: 'true' })).toThrow('OIDC_ISSUER must be set, because OIDC_ONLY is true')
  expect(read({ OIDC_ONLY: 'yes' })).toThrow('OIDC_ONLY must be one of true, false')
})
