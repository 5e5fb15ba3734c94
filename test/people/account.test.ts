import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueLink } from '../../src/access/person.ts'
import { base32, totpAddress, totpCode, totpStep } from '../../src/access/totp.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  cookieOf,
  goodPassword,
  type LoggedIn,
  loggedIn,
  logInNewPerson,
  sendForm,
  setUpAuthenticator,
} from '../support/person.ts'
import { modulesOf, qrModules } from '../support/qr-code.ts'
import { businessOf, type Reply, startTestService, type TestService } from '../support/test-service.ts'

// RFC 6238, appendix B: the last six of its eight digits
const secretOfRfc = base32(Buffer.from('12345678901234567890'))

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
])('at %i seconds the code is %s', (seconds, code) => {
  const step = Math.floor(seconds / 30)
  expect(totpCode(secretOfRfc, step)).toBe(code)
  const at = (nowSeconds: number, lastStep = 0) =>
    totpStep(secretOfRfc, code, { nowMs: nowSeconds * 1000, lastStep })
  expect([at(seconds), at(seconds - 30), at(seconds + 30)]).toEqual([step, step, step])
  expect([at(seconds - 90), at(seconds + 90), at(seconds, step)]).toEqual([undefined, undefined, undefined])
})

onOneEngine('postgres', "a person's account", (engine) => {
  let service: TestService
  let people = 0
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const newPerson = () =>
    logInNewPerson(service, {
      email: `mary${(people += 1)}@example.com`,
      role: 'owner',
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
  const logIn = (email: string, password = goodPassword) =>
    sendForm(service, '/console/login', { email, password })
  const post = ({ cookie }: LoggedIn, path: string, fields = {}) =>
    sendForm(service, `/console/account/${path}`, fields, { cookie })
  const works = async ({ call }: LoggedIn) => (await call('GET', '/services')).status === 200
  const again = async (person: LoggedIn) => {
    const cookie = cookieOf(await logIn(person.email)) ?? ''
    return loggedIn(service, { ...person, cookie })
  }
  const setUp = async (person: LoggedIn) => {
    const made = await setUpAuthenticator(service, person)
    expect(made.recovery).toHaveLength(10)
    return made
  }
  const sendCode = (cookie: string, code: string) => sendForm(service, '/console/code', { code }, { cookie })

  test('lists the log-ins of its person, and ends all others', async () => {
    const here = await newPerson()
    const there = await again(here)
    const page = await service.call('GET', '//console/account', {
      headers: { host: 'localhost', cookie: here.cookie },
    })
    expect(String(page.body).match(/class="log-in"/g)).toHaveLength(2)
    expect(String(page.body).match(/this browser · /g)).toHaveLength(1)
    expect(await post(here, 'end-others')).toMatchObject({ status: 200 })
    expect([await works(here), await works(there)]).toEqual([true, false])
  })

  test('takes a new password with the present one only, and ends all other log-ins', async () => {
    const here = await newPerson()
    const there = await again(here)
    const { link } = await issueLink(service.context, here.email)
    const next = 'an entirely new password'
    expect(await post(here, 'password', { password: 'not this one', next })).toMatchObject({ status: 422 })
    expect(await post(here, 'password', { password: goodPassword, next: 'short' })).toMatchObject({
      status: 422,
    })
    expect(await works(there)).toBe(true)
    expect(await post(here, 'password', { password: goodPassword, next })).toMatchObject({ status: 200 })
    expect([await works(here), await works(there)]).toEqual([true, false])
    expect(await logIn(here.email)).toMatchObject({ status: 422 })
    expect(await logIn(here.email, next)).toMatchObject({ status: 303 })
    expect(await sendForm(service, '/console/link', { token: link.token, password: next })).toMatchObject({
      status: 404,
    })
  })

  test('folds each change that needs the password, and keeps a refused one open', async () => {
    const here = await newPerson()
    const opened = ({ body }: Reply) =>
      Array.from(
        String(body).matchAll(/<details class="opens" name="change" (open)?>[^]*?action="([^"]+)"/g),
        ([, open, action = '']) => [action.replace('/console/account/', ''), open],
      )
    const headers = { host: 'localhost', cookie: here.cookie }
    const page = await service.call('GET', '//console/account', { headers })
    expect(opened(page)).toEqual([
      ['password', undefined],
      ['passkeys/new', undefined],
      ['second-step', undefined],
    ])
    const wrong = 'not this one'
    const refused = [
      await post(here, 'password', { password: wrong, next: 'an entirely new password' }),
      await post(here, 'password', { password: goodPassword, next: 'short' }),
      await post(here, 'second-step', { 'password-to-begin': wrong }),
    ]
    const openOf = (reply: Reply) => opened(reply).flatMap(([action, open]) => (open ? [action] : []))
    expect(refused.map(openOf)).toEqual([['password'], ['password'], ['second-step']])
    await setUp(here)
    const ends = await post(here, 'second-step/end', { 'password-to-end': wrong })
    expect(openOf(ends)).toEqual(['second-step/end'])
    const codes = await post(here, 'second-step/codes', { 'password-for-codes': wrong })
    expect(openOf(codes)).toEqual(['second-step/codes'])
  })

  test('shows the key of an authenticator as a QR code and as text, in a page that nothing keeps', async () => {
    const here = await newPerson()
    const refused = await post(here, 'second-step', { 'password-to-begin': 'not this one' })
    expect([refused.status, String(refused.body).includes('<p class="code">')]).toEqual([422, false])
    const page = await post(here, 'second-step', { 'password-to-begin': goodPassword })
    const [, shown = ''] = /<p class="code"><code>([A-Z2-7 ]+)</.exec(String(page.body)) ?? []
    const address = totpAddress(shown.replaceAll(' ', ''), here.email)
    expect(qrModules(page.body)).toEqual(modulesOf(address))
    expect(page.body).toContain('aria-label="QR code of the key below"')
    expect(page.headers['cache-control']).toBe('no-store')
  })

  test('asks for a code once an authenticator is confirmed; a password alone opens nothing', async () => {
    const here = await newPerson()
    const there = await again(here)
    const { nextCode } = await setUp(here)
    expect([await works(here), await works(there)]).toEqual([true, false])
    const first = await logIn(here.email)
    expect(first).toMatchObject({ status: 303, headers: { location: '/console/code?next=%2Fconsole' } })
    const pending = cookieOf(first) ?? ''
    expectProblem(
      await loggedIn(service, { ...here, cookie: pending }).call('GET', '/services'),
      'invalid_credentials',
    )
    expect(await sendCode(pending, '000000')).toMatchObject({ status: 422 })
    const code = nextCode()
    const second = await sendCode(pending, `${code.slice(0, 3)} ${code.slice(3)}`)
    expect(second).toMatchObject({ status: 303, headers: { location: '/console' } })
    expect(cookieOf(second)).not.toBe(pending)
    expect(await works(loggedIn(service, { ...here, cookie: cookieOf(second) ?? '' }))).toBe(true)
    // neither the code nor the first token works twice
    const other = cookieOf(await logIn(here.email)) ?? ''
    expect(await sendCode(other, code)).toMatchObject({ status: 422 })
    expect(await sendCode(pending, nextCode())).toMatchObject({
      status: 303,
      headers: { location: '/console' },
    })
    expect(
      (await service.call('GET', '//console', { headers: { host: 'localhost', cookie: pending } })).body,
    ).toContain('<h1>Log in</h1>')
  })

  test('makes new recovery codes, with the password: those before end, the authenticator stays', async () => {
    const here = await newPerson()
    const { recovery, nextCode } = await setUp(here)
    const ask = (password: string) => post(here, 'second-step/codes', { 'password-for-codes': password })
    expect((await ask('not the password')).status).toBe(422)
    const { status, body } = await ask(goodPassword)
    const codes = Array.from(String(body).matchAll(/<code>([a-z2-7-]{19})<\/code>/g), ([, one = '']) => one)
    expect([status, codes.length, codes.some((one) => recovery.includes(one))]).toEqual([200, 10, false])
    const tried = async (code: string) =>
      (await sendCode(cookieOf(await logIn(here.email)) ?? '', code)).status
    expect(await tried(recovery[0] ?? '')).toBe(422)
    expect(await tried(codes[0] ?? '')).toBe(303)
    expect(await tried(nextCode())).toBe(303)
    const without = await newPerson()
    const none = await post(without, 'second-step/codes', { 'password-for-codes': goodPassword })
    expect(String(none.body)).not.toMatch(/<code>/)
  })

  test('takes each recovery code once, also of two tries at once', async () => {
    const here = await newPerson()
    const { recovery } = await setUp(here)
    const cookies = [cookieOf(await logIn(here.email)) ?? '', cookieOf(await logIn(here.email)) ?? '']
    const replies: Reply[] = await Promise.all(cookies.map((cookie) => sendCode(cookie, recovery[0] ?? '')))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 422])
    const codes = await service.rows('user_recovery_codes')
    expect(JSON.stringify(codes)).not.toContain(recovery[1])
  })

  test('the second step may take ten minutes', async () => {
    const here = await newPerson()
    const { nextCode } = await setUp(here)
    const pending = cookieOf(await logIn(here.email)) ?? ''
    service.clock.advance(600)
    const late = await sendCode(pending, nextCode())
    expect(late).toMatchObject({ status: 303, headers: { location: '/console' } })
    expect(cookieOf(late)).toBeUndefined()
  })

  test('a link for a new password is no way around the second step, unless the operator says so', async () => {
    const here = await newPerson()
    await setUp(here)
    const setBy = async (endsSecondStep: boolean) => {
      const { link } = await issueLink(service.context, here.email, { endsSecondStep })
      return sendForm(service, '/console/link', { token: link.token, password: goodPassword })
    }
    expect(cookieOf(await setBy(false))).toMatch(/^holdfast=$/)
    expect((await logIn(here.email)).headers.location).toContain('/console/code')
    expect(cookieOf(await setBy(true))).toMatch(/^holdfast=cal_log_/)
    expect((await logIn(here.email)).headers.location).toBe('/console')
  })

  test('does without the second step with the password only', async () => {
    const here = await newPerson()
    await setUp(here)
    const end = (password: string) => post(here, 'second-step/end', { 'password-to-end': password })
    expect(await end('not this one')).toMatchObject({ status: 422 })
    expect((await logIn(here.email)).headers.location).toContain('/console/code')
    expect(await end(goodPassword)).toMatchObject({ status: 200 })
    expect((await logIn(here.email)).headers.location).toBe('/console')
    expect((await service.rows('user_recovery_codes')).filter((one) => one.user_id === here.userId)).toEqual(
      [],
    )
  })

  test('shows and changes nothing for who is not logged in', async () => {
    const nobody = loggedIn(service, { email: '', userId: '', cookie: 'holdfast=' })
    for (const [path, fields] of [
      ['end-others', {}],
      ['password', { password: goodPassword, next: goodPassword }],
      ['second-step', { 'password-to-begin': goodPassword }],
      ['second-step/confirm', { code: '000000' }],
      ['second-step/end', { 'password-to-end': goodPassword }],
    ] as const)
      expect(await post(nobody, path, fields)).toMatchObject({
        status: 303,
        headers: { location: '/console/account' },
      })
    expect((await service.call('GET', '//console/account')).body).toContain('<h1>Log in</h1>')
  })
})

onOneEngine('postgres', 'codes of the second step', (engine) => {
  test('are limited for the person, whatever address they come from', async () => {
    const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    const person = await logInNewPerson(service, { email: 'mary@example.com', role: 'owner', place })
    const { nextCode } = await setUpAuthenticator(service, person)
    const fields = { email: person.email, password: goodPassword }
    const cookie = cookieOf(await sendForm(service, '/console/login', fields)) ?? ''
    const statuses: number[] = []
    for (let host = 1; host <= 8; host += 1) {
      const remoteAddress = `198.51.100.${host}`
      const { status } = await sendForm(
        service,
        '/console/code',
        { code: '000000' },
        { cookie, remoteAddress },
      )
      statuses.push(status)
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429, 429])
    service.clock.advance(61)
    expect(await sendForm(service, '/console/code', { code: nextCode() }, { cookie })).toMatchObject({
      status: 303,
    })
    await service.stop()
  })
})
