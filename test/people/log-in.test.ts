import { afterAll, beforeAll, expect, test } from 'vitest'
import { offerFirstOwner } from '../../src/access/first-owner.ts'
import { issueLink, setPersonDisabled } from '../../src/access/person.ts'
import { readConsole } from '../support/console.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import {
  addNewPerson,
  cookieOf,
  goodPassword,
  logInNewPerson,
  sameOrigin,
  sendForm,
} from '../support/person.ts'
import {
  businessOf,
  type Reply,
  startTestService,
  type TestService,
  withoutLimiter,
} from '../support/test-service.ts'

onOneEngine('sqlite', 'people', (engine) => {
  let service: TestService
  let businessId: string
  let people = 0
  const newEmail = () => `ada${(people += 1)}@example.com`
  const newPerson = () => addNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
  const newLink = async () => {
    const { person, link } = await newPerson()
    return { email: person.email, token: link?.token ?? '' }
  }
  const logIn = (email: string, password: string, options = {}) =>
    sendForm(service, '/console/login', { email, password }, options)
  const showConsole = (cookie: string) =>
    service.call('GET', '//console', { headers: { host: 'localhost', cookie } })
  beforeAll(async () => {
    service = await startTestService(engine)
    businessId = businessOf(service.world, 'Salon Spree').id
  })
  afterAll(() => service.stop())

  test('set a password by a link, log out, and log in', async () => {
    const { email, token } = await newLink()
    const set = await sendForm(service, '/console/link', { token, password: goodPassword })
    expect(set).toMatchObject({ status: 303, headers: { location: '/console' } })
    const first = cookieOf(set) ?? ''
    expect((await showConsole(first)).body).toContain('Log out')
    const out = await sendForm(service, '/console/logout', {}, { cookie: first })
    expect(out).toMatchObject({ status: 303, headers: { location: '/console' } })
    expect(out.headers['set-cookie']).toContain('Max-Age=0')
    const again = await logIn(` ${email.toUpperCase()} `, goodPassword)
    expect(again.status).toBe(303)
    expect(cookieOf(again)).not.toBe(first)
    expect((await showConsole(cookieOf(again) ?? '')).body).toContain('Log out')
  })

  test('a log-in calls the API of its business, without a key', async () => {
    const { call } = await logInNewPerson(service, {
      email: newEmail(),
      role: 'owner',
      place: { businessId },
    })
    const { status, body } = await call('GET', '/services?limit=100')
    expect(status).toBe(200)
    expect(new Set((body.data as { business_id: string }[]).map((one) => one.business_id))).toEqual(
      new Set([businessId]),
    )
    expect(await call('POST', '/locations', { name: 'Annexe' })).toMatchObject({ status: 201 })
  })

  test('the log-in page names the business that this browser showed last, and none on the word of a stranger', async () => {
    const named = async (cookie: string) => {
      const { body } = await showConsole(cookie)
      return /<p class="of-whom">[^]*?<bdi>([^<]+)<\/bdi>/.exec(String(body))?.[1]
    }
    expect(await named('')).toBeUndefined() // because there are several
    const person = await logInNewPerson(service, {
      email: newEmail(),
      role: 'manager',
      place: { businessId },
    })
    const memory = cookieOf(await showConsole(person.cookie)) ?? ''
    expect(memory).toMatch(new RegExp(`^holdfast-business=${businessId}~`))
    const shown = await showConsole(`${person.cookie}; ${memory}`)
    expect(shown.headers['set-cookie']).toBeUndefined()
    await sendForm(service, '/console/logout', {}, { cookie: person.cookie })
    expect(await named(memory)).toBe('Salon Spree')
    expect((await showConsole(memory)).body).toMatch(/<img src="[^"]*\/docs\/salon-spree\.png" alt=""/)
    const other = businessOf(service.world, 'Lotus Clinic').id
    for (const forged of [other, memory.replace(/^.*~/, `${other}~`), businessId, `${businessId}~`, 'x~'])
      expect(await named(`holdfast-business=${forged}`)).toBeUndefined()
    const { body } = await logIn(person.email, 'not the password')
    expect(body).not.toContain('of-whom') // a typed address decides nothing
  })

  test('after the log-out the cookie opens nothing, on any server', async () => {
    const person = await logInNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
    expect(await person.call('GET', '/services')).toMatchObject({ status: 200 })
    await sendForm(service, '/console/logout', {}, { cookie: person.cookie })
    expectProblem(await person.call('GET', '/services'), 'invalid_credentials')
    expect((await showConsole(person.cookie)).body).toContain('<h1>Log in</h1>')
    const rows = await service.rows('user_logins')
    expect(rows.filter(({ user_id }) => user_id === person.userId)).toMatchObject([
      { ended_at: expect.anything() },
    ])
  })

  test('the cookie is for this host alone, out of reach of scripts and other websites', async () => {
    const headersOf = async (headers: Record<string, string>) => {
      const { token } = await newLink()
      const set = await sendForm(service, '/console/link', { token, password: goodPassword }, { headers })
      return set.headers['set-cookie']
    }
    expect(await headersOf({ ...sameOrigin, host: 'book.example.com' })).toMatch(
      /^__Host-holdfast=cal_log_\w+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(await headersOf({ ...sameOrigin, host: '127.0.0.1:3000' })).toMatch(
      /^holdfast=cal_log_\w+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/,
    )
  })

  test.each(['/console', '/console/link', '/console/account'])(
    '%s opens by a link from anywhere',
    async (path) => {
      const { cookie } = await logInNewPerson(service, {
        email: newEmail(),
        role: 'owner',
        place: { businessId },
      })
      const headers = {
        host: 'localhost',
        cookie,
        'sec-fetch-site': 'cross-site',
        origin: 'https://mail.example',
      }
      expect(await service.call('GET', `/${path}`, { headers })).toMatchObject({ status: 200 })
    },
  )

  test('what another website sends is refused, and nothing is counted as tried', async () => {
    const person = await logInNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://localhost' },
    ]) {
      const { cookie } = person
      for (const path of ['login', 'logout', 'link', 'first', 'place'])
        expectProblem(
          await sendForm(service, `/console/${path}`, {}, { cookie, headers }),
          'origin_not_allowed',
        )
      const call = { headers: { host: 'localhost', cookie, ...headers }, body: { name: 'Forged' } }
      expectProblem(await service.call('POST', '/locations', call), 'origin_not_allowed')
    }
    const withoutWord = { headers: { host: 'localhost', cookie: person.cookie }, body: { name: 'Forged' } }
    expectProblem(await service.call('POST', '/locations', withoutWord), 'origin_not_allowed')
    expect((await service.rows('locations')).filter(({ name }) => name === 'Forged')).toEqual([])
    expect(await person.call('GET', '/services')).toMatchObject({ status: 200 })
    const own = { cookie: person.cookie, headers: { origin: 'http://localhost' } } // from an older browser
    expect(await sendForm(service, '/console/logout', {}, own)).toMatchObject({ status: 303 })
  })

  test('an unknown address, a wrong password and somebody disabled or without a password look alike', async () => {
    const known = await logInNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
    const gone = await logInNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
    await setPersonDisabled(service.context, gone.email, true)
    const { person: fresh } = await newPerson()
    const noReply: Reply = { status: 0, body: '', headers: {} }
    const statements = async (email: string, password: string) => {
      let reply = noReply
      const made = await service.statementsOf(async () => {
        reply = await logIn(email, password)
      })
      const { 'x-request-id': _id, date: _date, 'content-length': _length, ...headers } = reply.headers
      const said = String(reply.body).replaceAll(email, 'EMAIL')
      return {
        status: reply.status,
        said,
        headers,
        statements: withoutLimiter(made),
      }
    }
    const wrong = await statements(known.email, 'quite another password')
    expect(wrong.status).toBe(422)
    expect(wrong.statements.filter((text) => /\busers\b/.test(text))).toHaveLength(2)
    for (const [email, password] of [
      ['nobody@example.com', 'quite another password'],
      [gone.email, goodPassword],
      [fresh.email, goodPassword],
      ['not an address', goodPassword],
      ['\0@example.com', '\0'],
    ] as const)
      expect(await statements(email, password)).toEqual({
        ...wrong,
        said: expect.any(String),
        statements: expect.any(Array),
      })
    const unknown = await statements('nobody@example.com', 'quite another password')
    expect(unknown.said).toBe(wrong.said)
    expect(unknown.statements).toEqual(wrong.statements)
  })

  test('disabling ends log-ins at once, and enabling brings none back', async () => {
    const person = await logInNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
    const other = await startTestService(engine, {}, { beside: service }).catch(() => undefined)
    expect(await person.call('GET', '/services')).toMatchObject({ status: 200 })
    await setPersonDisabled((other ?? service).context, person.email, true)
    expectProblem(await person.call('GET', '/services'), 'invalid_credentials')
    await setPersonDisabled(service.context, person.email, false)
    expectProblem(await person.call('GET', '/services'), 'invalid_credentials')
    expect(await logIn(person.email, goodPassword)).toMatchObject({ status: 303 })
    await other?.app.stop()
  })

  test('a log-in ends after twelve idle hours, and after fourteen days', async () => {
    const { email, call } = await logInNewPerson(service, {
      email: newEmail(),
      role: 'owner',
      place: { businessId },
    })
    const works = async () => (await call('GET', '/services')).status === 200
    service.clock.advance(11 * 3_600)
    expect(await works()).toBe(true)
    service.clock.advance(11 * 3_600)
    expect(await works()).toBe(true)
    service.clock.advance(12 * 3_600 + 400)
    expect(await works()).toBe(false)
    const again = cookieOf(await logIn(email, goodPassword)) ?? ''
    for (let hours = 0; hours < 14 * 24; hours += 8) {
      expect((await showConsole(again)).body).toContain('Log out')
      service.clock.advance(8 * 3_600)
    }
    expect((await showConsole(again)).body).toContain('<h1>Log in</h1>')
  })

  test('a link works once and for 30 minutes; reading its page changes nothing', async () => {
    const { token } = await newLink()
    const page = await service.call('GET', '//console/link')
    expect(page.status).toBe(200)
    expect(await service.call('GET', '//console/link')).toMatchObject({ body: page.body })
    const tooShort = await sendForm(service, '/console/link', { token, password: 'short' })
    expect(tooShort).toMatchObject({ status: 422, body: expect.stringContaining('at least 8 characters') })
    const common = await sendForm(service, '/console/link', { token, password: 'Password123' })
    expect(common).toMatchObject({ status: 422, body: expect.stringContaining('too easy to guess') })
    const [one, other] = await Promise.all(
      ['first of two passwords', 'second of two passwords'].map((password) =>
        sendForm(service, '/console/link', { token, password }),
      ),
    )
    expect([one?.status, other?.status].toSorted()).toEqual([303, 404])
    const late = await newLink()
    service.clock.advance(30 * 60 + 1)
    expect(
      await sendForm(service, '/console/link', { token: late.token, password: goodPassword }),
    ).toMatchObject({
      status: 404,
    })
  })

  test('a new password ends the log-ins and the other links of the person', async () => {
    const person = await logInNewPerson(service, { email: newEmail(), role: 'owner', place: { businessId } })
    const links = [
      await issueLink(service.context, person.email),
      await issueLink(service.context, person.email),
    ]
    const [used, other] = links.map(({ link }) => link.token)
    const password = 'x'.repeat(63) + 'yz'
    expect(await sendForm(service, '/console/link', { token: used ?? '', password })).toMatchObject({
      status: 303,
    })
    expect(await sendForm(service, '/console/link', { token: other ?? '', password })).toMatchObject({
      status: 404,
    })
    expectProblem(await person.call('GET', '/services'), 'invalid_credentials')
    expect(await logIn(person.email, goodPassword)).toMatchObject({ status: 422 })
    expect(await logIn(person.email, password)).toMatchObject({ status: 303 })
  })

  test('neither passwords nor tokens are in the log or, but as digests, in the database', async () => {
    const password = 'a password that occurs nowhere else'
    const { email, token } = await newLink()
    const set = await sendForm(service, '/console/link', { token, password })
    await logIn(email, password)
    await logIn(email, `${password}?`)
    const logInToken = cookieOf(set)?.split('=')[1] ?? 'none'
    const tables = await Promise.all(
      ['users', 'user_logins', 'user_links', 'user_places'].map((table) => service.rows(table)),
    )
    for (const text of [JSON.stringify(tables), service.logLines.join('\n')]) {
      expect(text).not.toContain(password)
      expect(text).not.toContain(token)
      expect(text).not.toContain(logInToken)
    }
    expect(service.logLines.join('\n')).not.toContain(email)
  })

  test('nobody makes a first owner where there are people', async () => {
    expect(await offerFirstOwner(service.context, true)).toBeUndefined()
  })
})

onOneEngine('sqlite', 'tries to log in', (engine) => {
  let service: TestService
  let businessId: string
  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
    businessId = businessOf(service.world, 'Salon Spree').id
  })
  afterAll(() => service.stop())

  test('from one address are slowed down, and keep the person out nowhere else', async () => {
    const email = 'grace@example.com'
    await logInNewPerson(service, { email, role: 'owner', place: { businessId } })
    const tryFrom = (remoteAddress: string, password: string) =>
      sendForm(service, '/console/login', { email, password }, { remoteAddress })
    let hashed = 0
    for (let tries = 0; tries < rounds(100, 1_000); tries += 1) {
      const { status, headers } = await tryFrom('198.51.100.7', `wrong password ${tries}`)
      if (status === 422) hashed += 1
      else expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)])
    }
    expect(hashed).toBe(5)
    expect(await tryFrom('203.0.113.9', goodPassword)).toMatchObject({ status: 303 })
    // nor in a network where the person has logged in, after others have tried from many addresses
    for (let host = 1; host <= 100; host += 1) await tryFrom(`192.0.2.${host}`, 'wrong password')
    expect(await tryFrom('192.0.2.100', 'wrong password')).toMatchObject({ status: 429 })
    expect(await tryFrom('203.0.113.9', goodPassword)).toMatchObject({ status: 303 })
    // nor in a new network, which has a separate attempt
    expect(await tryFrom('192.0.2.200', 'wrong password')).toMatchObject({ status: 422 })
    expect(await tryFrom('192.0.2.200', goodPassword)).toMatchObject({ status: 429 })
    expect(await tryFrom('192.0.2.201', goodPassword)).toMatchObject({ status: 303 })
  })
})

onOneEngine('sqlite', 'the first owner', (engine) => {
  test('is made once, however many use the link at once, and gets everything in development', async () => {
    const service = await startTestService(engine)
    const replaced = await offerFirstOwner(service.context, true)
    const offered = await offerFirstOwner(service.context, true)
    const tokenOf = (offer: typeof offered) => (offer && 'link' in offer ? offer.link.token : '')
    const send = (token: string, name: string) =>
      sendForm(service, '/console/first', {
        token,
        owner_name: name,
        email: `${name}@example.com`,
        password: goodPassword,
      })
    expect(await send(tokenOf(replaced), 'late')).toMatchObject({ status: 404 })
    expect(await send(tokenOf(offered), '')).toMatchObject({ status: 422 })
    const replies = await Promise.all(['ada', 'grace', 'mary'].map((name) => send(tokenOf(offered), name)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 404, 404])
    expect(await service.rows('users')).toHaveLength(1)
    const cookie = replies.map(cookieOf).find(Boolean) ?? ''
    const page = await readConsole(service, '/console', { cookie })
    for (const name of ['Salon Spree', 'Hudson Studio', 'Lotus Clinic', 'Thames Barbers'])
      expect(page.body).toContain(name)
    const [, place = ''] = /name="place" value="([^"]+)"/.exec(String(page.body)) ?? []
    expect(await sendForm(service, '/console/place', { place }, { cookie })).toMatchObject({ status: 303 })
    await service.stop()
  })

  test('is told the command in production, where there are several businesses', async () => {
    const service = await startTestService(engine, { NODE_ENV: 'production' })
    expect(await offerFirstOwner(service.context, true)).toEqual({ couldLink: false })
    expect(await service.rows('user_links')).toEqual([])
    await service.stop()
  })
})
