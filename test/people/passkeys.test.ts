import { expect, test } from 'vitest'
import { jobs } from '../../src/server.ts'
import { passkeySite } from '../../src/access/passkey.ts'
import { issueLink, setPersonDisabled } from '../../src/access/person.ts'
import { Authenticator, type Deviation } from '../support/authenticator.ts'
import {
  cookieOf,
  goodPassword,
  type LoggedIn,
  loggedIn,
  logInNewPerson,
  sendForm,
  setUpAuthenticator,
} from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, type Reply, startTestService, type TestService } from '../support/test-service.ts'

const site = { host: 'book.example.com', origin: 'https://book.example.com' }
const publicUrl = { PUBLIC_URL: site.origin }

type Options = { challenge: string; user: { id: string } }

const newPerson = (service: TestService, email = 'mary@example.com', role: 'owner' | 'manager' = 'owner') =>
  logInNewPerson(service, {
    ...{ email, role },
    place: { businessId: businessOf(service.world, 'Salon Spree').id },
  })

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&')

/** Returns the options that the page for a new passkey hands its script. */
async function optionsOfNew(service: TestService, { cookie }: LoggedIn): Promise<Options> {
  const fields = { 'password-for-passkey': goodPassword }
  const page = await sendForm(service, '/console/account/passkeys/new', fields, { cookie })
  const [, text = ''] = /data-new-passkey="([^"]+)"/.exec(String(page.body)) ?? []
  return JSON.parse(unescaped(text)) as Options
}

const sendNew = (service: TestService, { cookie }: LoggedIn, credential: string, name = 'Phone') =>
  sendForm(service, '/console/account/passkeys', { credential, name }, { cookie })

async function addPasskey(service: TestService, person: LoggedIn): Promise<Authenticator> {
  const authenticator = new Authenticator(site)
  const added = await sendNew(service, person, authenticator.create(await optionsOfNew(service, person)))
  expect(added).toMatchObject({ status: 200 })
  return authenticator
}

/** Asks for a challenge as the script of the log-in page does. */
async function begin(service: TestService): Promise<{ options: Options; cookie: string }> {
  const reply = await sendForm(service, '/console/passkey/options', {})
  expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  return { options: reply.body as Options, cookie: cookieOf(reply) ?? '' }
}

const logIn = (service: TestService, credential: string, cookie: string, more: Record<string, string> = {}) =>
  sendForm(service, '/console/passkey', { credential, ...more }, { cookie })

const tokenIn = (reply: Reply) => {
  const cookies = [reply.headers['set-cookie'] ?? ''].flat().join(', ')
  return /holdfast=cal_log_\w+/.exec(cookies)?.[0] ?? ''
}

onOneEngine('sqlite', 'a passkey', (engine) => {
  const service = () => startTestService(engine, publicUrl)

  test('logs its person in, and counts as the second step', async () => {
    const here = await service()
    const person = await newPerson(here)
    await setUpAuthenticator(here, person)
    const authenticator = await addPasskey(here, person)
    for (let times = 0; times < 2; times += 1) {
      const { options, cookie } = await begin(here)
      expect(options).toMatchObject({
        rpId: site.host,
        userVerification: 'required',
      })
      expect(options).not.toHaveProperty('allowCredentials') // the authenticator knows its person
      const reply = await logIn(here, authenticator.get(options), cookie, { next: '/console/account' })
      expect(reply).toMatchObject({ status: 303, headers: { location: '/console/account' } })
      const again = loggedIn(here, { ...person, cookie: tokenIn(reply) })
      expect(await again.call('GET', '/users/me')).toMatchObject({
        status: 200,
        body: { email: person.email },
      })
    }
    const [row] = await here.rows('passkeys')
    expect(row).toMatchObject({ name: 'Phone', host: site.host, counter: 2 })
    await here.stop()
  })

  test('is refused with a foreign origin, host or browser, without verification, and with another handle', async () => {
    const here = await service()
    const [mary, john] = [await newPerson(here), await newPerson(here, 'john@example.com')]
    const [ofMary, ofJohn] = [await addPasskey(here, mary), await addPasskey(here, john)]
    const { userHandle } = ofJohn
    const deviations: Deviation[] = [
      { origin: 'https://evil.example.com' },
      { origin: 'http://book.example.com' },
      { host: 'example.com' },
      { isVerified: false },
      { userHandle },
      { userHandle: '' },
      { type: 'webauthn.create' },
      { challenge: 'AAAA' },
    ]
    for (const deviation of deviations) {
      const { options, cookie } = await begin(here)
      const reply = await logIn(here, ofMary.get(options, deviation), cookie)
      expect([deviation, reply.status, tokenIn(reply)]).toEqual([deviation, 422, ''])
      expect(reply.body).toContain('This passkey did not work')
    }
    const [one, other] = [await begin(here), await begin(here)]
    expect((await logIn(here, ofMary.get(one.options), other.cookie)).status).toBe(422)
    expect((await logIn(here, ofMary.get(one.options), 'holdfast=')).status).toBe(422)
    const answer = JSON.parse(ofMary.get(one.options)) as { id: string; rawId: string }
    const ofOther = JSON.parse(ofJohn.get(one.options)) as typeof answer
    // the signature of one person for the passkey of another
    const mixed = { ...ofOther, id: answer.id, rawId: answer.rawId }
    expect((await logIn(here, JSON.stringify(mixed), one.cookie)).status).toBe(422)
    for (const text of [
      '',
      '{',
      'null',
      '{"response":null}',
      '{"id":"\\u0000","response":{"clientDataJSON":"e30"}}',
    ])
      expect((await logIn(here, text, one.cookie)).status).toBe(422)
    expect((await logIn(here, ofMary.get(one.options), one.cookie)).status).toBe(303)
    await here.stop()
  })

  test('answers a challenge once, within ten minutes, even if two requests run at once', async () => {
    const here = await service()
    const authenticator = await addPasskey(here, await newPerson(here))
    const { options, cookie } = await begin(here)
    const credential = authenticator.get(options)
    const replies = await Promise.all([1, 2, 3].map(() => logIn(here, credential, cookie)))
    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 422, 422])
    expect((await logIn(here, credential, cookie)).status).toBe(422)
    const late = await begin(here)
    here.clock.advance(600)
    expect((await logIn(here, authenticator.get(late.options), late.cookie)).status).toBe(422)
    const job = jobs.find(({ name }) => name === 'used challenges of passkeys')
    here.clock.advance(1)
    expect(await job?.deleteBatch(here.context, 100)).toBe(2)
    expect(await here.rows('used_challenges')).toEqual([])
    await here.stop()
  })

  test('whose counter does not grow is a copy, which is refused', async () => {
    const here = await service()
    const authenticator = await addPasskey(here, await newPerson(here))
    const send = async (counter: number) => {
      const { options, cookie } = await begin(here)
      return (await logIn(here, authenticator.get(options, { counter }), cookie)).status
    }
    expect([
      await send(0),
      await send(0),
      await send(7),
      await send(7),
      await send(0),
      await send(8),
    ]).toEqual([303, 303, 303, 422, 422, 303])
    await here.stop()
  })

  test('is added with the password only, for this log-in, once, and verified', async () => {
    const here = await service()
    const [mary, john] = [await newPerson(here), await newPerson(here, 'john@example.com')]
    const wrong = { 'password-for-passkey': 'not this one' }
    const refused = await sendForm(here, '/console/account/passkeys/new', wrong, mary)
    expect([refused.status, String(refused.body).includes('data-new-passkey')]).toEqual([422, false])
    const options = await optionsOfNew(here, mary)
    expect(options).toMatchObject({
      rp: { id: site.host },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    for (const deviation of [
      { origin: 'https://evil.example.com' },
      { host: 'example.com' },
      { isVerified: false },
    ])
      expect(await sendNew(here, mary, new Authenticator(site).create(options, deviation))).toMatchObject({
        status: 422,
      })
    const authenticator = new Authenticator(site)
    const credential = authenticator.create(options)
    expect((await sendNew(here, john, credential)).status).toBe(422) // the challenge of another log-in
    expect((await sendNew(here, mary, credential, ' ')).status).toBe(422)
    expect((await sendNew(here, mary, credential)).status).toBe(200)
    expect((await sendNew(here, mary, credential)).status).toBe(422)
    // a credential that another person has
    const taken = authenticator.create(await optionsOfNew(here, john))
    expect((await sendNew(here, john, taken)).status).toBe(422)
    expect(await here.rows('passkeys')).toHaveLength(1)
    await here.stop()
  })

  test('is listed, renamed and removed by its person only', async () => {
    const here = await service()
    const [mary, john] = [await newPerson(here), await newPerson(here, 'john@example.com')]
    const authenticator = await addPasskey(here, mary)
    const [{ id } = { id: '' }] = (await here.rows('passkeys')) as { id: string }[]
    const change = (person: LoggedIn, path: string, fields = {}) =>
      sendForm(here, `/console/account/passkeys/${id}${path}`, fields, person)
    await change(john, '', { name: 'Mine' })
    await change(john, '/remove')
    expect(await here.rows('passkeys')).toMatchObject([{ name: 'Phone' }])
    expect((await change(mary, '', { name: ' https://spam.example ' })).status).toBe(422)
    expect((await change(mary, '', { name: 'Blue <b>phone</b>' })).body).toContain('Blue &lt;b&gt;phone')
    const removed = await change(mary, '/remove')
    expect(removed.body).toContain('The passkey is removed')
    expect(await here.rows('passkeys')).toEqual([])
    const { options, cookie } = await begin(here)
    expect((await logIn(here, authenticator.get(options), cookie)).status).toBe(422)
    const audit = (await here.rows('audit_entries')) as { action: string; actor_name: string }[]
    expect(audit.filter(({ action }) => action.includes('passkey'))).toMatchObject([
      { action: 'user.passkey_added', actor_name: 'mary' },
      { action: 'user.passkey_removed', actor_name: 'mary' },
    ])
    await here.stop()
  })

  test('ends with a password by a link, and with the access of its person', async () => {
    const here = await service()
    const mary = await newPerson(here)
    await addPasskey(here, mary)
    // a changed password keeps it, and the page says so
    const next = 'an entirely new password'
    const changed = await sendForm(here, '/console/account/password', { password: goodPassword, next }, mary)
    expect(changed.body).toContain('Your passkeys still work.')
    expect(await here.rows('passkeys')).toHaveLength(1)
    const page = await here.call('GET', '//console/link')
    expect(page.body).toContain('removes your passkeys')
    const { link } = await issueLink(here.context, mary.email)
    const set = await sendForm(here, '/console/link', { token: link.token, password: goodPassword })
    expect([set.status, await here.rows('passkeys')]).toEqual([303, []])
    const again = loggedIn(here, { ...mary, cookie: tokenIn(set) })
    await addPasskey(here, again)
    await setPersonDisabled(here.context, mary.email, true)
    expect(await here.rows('passkeys')).toEqual([])
    // an owner disables a person who works nowhere else
    const [ada, bob] = [
      await newPerson(here, 'ada@example.com'),
      await newPerson(here, 'bob@example.com', 'manager'),
    ]
    const ofBob = await addPasskey(here, bob)
    const { body } = await ada.call('GET', '/users')
    const { id } = (body as { data: { id: string; email: string }[] }).data.find(
      (one) => one.email === bob.email,
    ) ?? {
      id: '',
    }
    await ada.call('PATCH', `/users/${id}`, { disabled: true })
    expect(await here.rows('passkeys')).toEqual([])
    await ada.call('PATCH', `/users/${id}`, { disabled: false })
    const { options, cookie } = await begin(here)
    expect((await logIn(here, ofBob.get(options), cookie)).status).toBe(422)
    await here.stop()
  })

  test('belongs to the host of PUBLIC_URL: under another one it neither works nor is offered', async () => {
    const here = await service()
    const mary = await newPerson(here)
    const authenticator = await addPasskey(here, mary)
    expect((await here.call('GET', '//console')).body).toContain('data-passkey="book.example.com"')
    const moved = await startTestService(engine, { PUBLIC_URL: 'https://new.example.com' }, { beside: here })
    expect((await moved.call('GET', '//console')).body).not.toContain('data-passkey')
    const page = await moved.call('GET', '//console/account', {
      headers: { host: 'localhost', cookie: mary.cookie },
    })
    expect(page.body).toContain('works at book.example.com only')
    const { options, cookie } = await begin(moved)
    const there = { host: 'new.example.com', origin: 'https://new.example.com' }
    expect((await logIn(moved, authenticator.get(options, there), cookie)).status).toBe(422)
    await moved.stop()
    await here.stop()
  })

  test('is one of at most twenty', async () => {
    const here = await service()
    const mary = await newPerson(here)
    await addPasskey(here, mary)
    const [row] = await here.rows('passkeys')
    await here.context.db.transaction(async ({ db }) => {
      for (let ordinal = 1; ordinal < 20; ordinal += 1)
        await db
          .insertInto('passkeys')
          .values({ ...row, id: here.context.ids.next(), ordinal, credential_id: `more-${ordinal}` } as never)
          .execute()
    })
    const page = await sendNew(here, mary, new Authenticator(site).create(await optionsOfNew(here, mary)))
    expect([page.status, String(page.body).includes('You have 20 passkeys')]).toEqual([422, true])
    await here.stop()
  })
})

onOneEngine('sqlite', 'attempts with passkeys', (engine) => {
  test('are limited by address, and come from pages of this server only', async () => {
    const here = await startTestService(engine, { ...publicUrl, RATE_LIMIT_FACTOR: '1' })
    const statuses = new Set<number>()
    for (let times = 0; times < 40; times += 1)
      statuses.add((await logIn(here, '{}', `holdfast-passkey=${'a'.repeat(22)}`)).status)
    expect(statuses).toEqual(new Set([422, 429]))
    const foreign = { headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.com' } }
    expect((await sendForm(here, '/console/passkey/options', {}, foreign)).status).toBe(403)
    expect((await sendForm(here, '/console/passkey', { credential: '{}' }, foreign)).status).toBe(403)
    await here.stop()
  })
})

test('passkeys need a host name, which the loopback address borrows', () => {
  const of = (url: string) => passkeySite({ publicUrl: url, host: '127.0.0.1', port: 3000, oidcOnly: false })
  expect(of('https://Book.Example.com/')).toEqual({
    host: 'book.example.com',
    origin: 'https://book.example.com',
  })
  expect(of('')).toEqual({ host: 'localhost', origin: 'http://localhost:3000' })
  expect(of('http://[::1]:3000')).toEqual({ host: 'localhost', origin: 'http://localhost:3000' })
  expect(of('https://192.0.2.7')).toBeUndefined()
})
