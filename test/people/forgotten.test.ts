import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { addPerson } from '../../src/access/new-person.ts'
import { setPersonDisabled } from '../../src/access/person.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { cookieOf, goodPassword, logInNewPerson, sendForm, setUpAuthenticator } from '../support/person.ts'
import {
  businessOf,
  type Reply,
  startTestService,
  type TestService,
  withoutLimiter,
} from '../support/test-service.ts'

const next = 'an entirely new password'

onOneEngine('sqlite', 'a forgotten password', (engine) => {
  let service: TestService
  let server: MailServer
  let people = 0
  let seen = 0
  const place = () => ({ businessId: businessOf(service.world, 'Salon Spree').id })
  const newPerson = () =>
    logInNewPerson(service, { email: `hedy${(people += 1)}@example.com`, role: 'manager', place: place() })
  beforeAll(async () => {
    server = await startMailServer()
    service = await startTestService(engine, mailVariables(server.url))
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  const wish = (email: string, options = {}) => sendForm(service, '/console/forgotten', { email }, options)
  /** Returns the emails since the last call. */
  const mails = async () => {
    await service.app.mails.settled()
    const fresh = server.mails.slice(seen)
    seen = server.mails.length
    return fresh
  }
  /** Returns the token of the only email. */
  const mailed = async () => {
    const fresh = await mails()
    expect(fresh).toHaveLength(1)
    return /https:\/\/book\.example\/console\/link#(\w+)/.exec(fresh[0]?.text ?? '')?.[1] ?? ''
  }
  const set = (token: string, password = next) => sendForm(service, '/console/link', { token, password })
  const logIn = (email: string, password: string) => sendForm(service, '/console/login', { email, password })

  test('comes back by a link in a mail, which ends all log-ins', async () => {
    const person = await newPerson()
    const page = await service.call('GET', '//console', { headers: { host: 'localhost' } })
    expect(page.body).toContain('href="/console/forgotten"')
    expect((await service.call('GET', '//console/forgotten')).body).toContain('action="/console/forgotten"')
    const reply = await wish(` ${person.email.toUpperCase()} `)
    expect(reply).toMatchObject({ status: 200, body: expect.stringContaining('If we know this address') })
    const token = await mailed()
    expect(server.mails.at(-1)).toMatchObject({ recipients: [person.email] })
    const used = await set(token)
    expect(used).toMatchObject({ status: 303, headers: { location: '/console' } })
    expectProblem(await person.call('GET', '/services'), 'invalid_credentials')
    expect(await logIn(person.email, goodPassword)).toMatchObject({ status: 422 })
    expect(await logIn(person.email, next)).toMatchObject({ status: 303 })
    const audit = (await service.rows('audit_entries')).filter((one) => one['subject_id'] === person.userId)
    expect(audit.map(({ action, actor_type }) => `${String(action)} by ${String(actor_type)}`)).toContain(
      'user.link_mailed by system',
    )
  })

  test('asked for an address that nobody has, or of who is kept out, looks and costs the same', async () => {
    const known = await newPerson()
    const gone = await newPerson()
    await setPersonDisabled(service.context, gone.email, true)
    const asked = async (email: string) => {
      let reply: Reply = { status: 0, body: '', headers: {} }
      const { dueMails } = service.context
      const signal = dueMails.raise.bind(dueMails)
      dueMails.raise = () => undefined // the request does not wake the worker
      const made = await service.statementsOf(async () => {
        reply = await wish(email)
      })
      dueMails.raise = signal
      const { 'x-request-id': _id, date: _date, ...headers } = reply.headers
      return { status: reply.status, body: reply.body as string, headers, statements: withoutLimiter(made) }
    }
    const wanted = await asked(known.email)
    expect(wanted.statements.filter((text) => /insert into "?user_/.test(text))).toHaveLength(1)
    // made after the answer
    expect((await service.rows('user_links')).filter((one) => one.user_id === known.userId)).toEqual([])
    expect(await mails()).toHaveLength(1)
    for (const email of ['nobody@example.com', gone.email, 'not an address', '\0@example.com']) {
      expect(await asked(email)).toEqual(wanted)
      expect(await mails()).toEqual([])
    }
    const kept = await service.rows('user_mails') // only for those who got an email
    expect(kept.every(({ user_id, status }) => user_id !== null && status === 'sent')).toBe(true)
  })

  test('a link works once, also of two at once, and for 30 minutes', async () => {
    const { email } = await newPerson()
    await wish(email)
    const token = await mailed()
    const replies = await Promise.all(
      ['first of two passwords', 'second of two passwords'].map((one) => set(token, one)),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 404])
    await wish(email)
    const late = await mailed()
    service.clock.advance(30 * 60 + 1)
    expect(await set(late)).toMatchObject({
      status: 404,
      body: expect.stringContaining('/console/forgotten'),
    })
  })

  test('a newer link ends the older', async () => {
    const { email } = await newPerson()
    await wish(email)
    const older = await mailed()
    await wish(email)
    const newer = await mailed()
    expect(await set(older)).toMatchObject({ status: 404 })
    expect(await set(newer)).toMatchObject({ status: 303 })
  })

  test('a link is no way in for who was disabled since', async () => {
    const { email } = await newPerson()
    await wish(email)
    const token = await mailed()
    await setPersonDisabled(service.context, email, true)
    expect(await set(token)).toMatchObject({ status: 404 })
  })

  test('the second step is asked for all the same', async () => {
    const person = await newPerson()
    await setUpAuthenticator(service, person)
    await wish(person.email)
    expect(cookieOf(await set(await mailed()))).toMatch(/^holdfast=$/)
    expect((await logIn(person.email, next)).headers['location']).toContain('/console/code')
  })

  test('who has no password yet is told that they were added', async () => {
    const email = 'fresh@example.com'
    await addPerson(service.context, operator, { email, role: 'owner', place: place() })
    await wish(email, { headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de' } })
    const [mail] = await mails()
    expect(mail?.text).toContain('bei Salon Spree als fresh@example.com anmelden')
  })

  test('the token is in no log, and in the database as a digest alone', async () => {
    const { email } = await newPerson()
    await wish(email)
    const token = await mailed()
    const tables = ['user_links', 'mails', 'audit_entries', 'server_secrets']
    const rows = JSON.stringify(await Promise.all(tables.map((table) => service.rows(table))))
    await set(token)
    expect(rows + JSON.stringify(await service.rows('user_mails'))).not.toContain(token)
    expect(rows).not.toContain(email)
    expect(service.logLines.join('\n')).not.toContain(token)
    expect(service.logLines.join('\n')).not.toContain(email)
  })

  test('of several servers one sends it', async () => {
    const variables = mailVariables(server.url)
    const other = await startTestService(engine, variables, { beside: service }).catch(() => undefined)
    const emails = await Promise.all(Array.from({ length: 4 }, async () => (await newPerson()).email))
    await Promise.all(emails.map((email) => wish(email)))
    await Promise.all([service.app.mails.settled(), other?.app.mails.settled()])
    expect((await mails()).map(({ recipients }) => recipients).toSorted()).toEqual(
      emails.map((email) => [email]).toSorted(),
    )
    await other?.app.stop()
  })

  test('a mail that cannot be sent is tried again until its link has ended', async () => {
    const { email } = await newPerson()
    server.answer = () => 451
    await wish(email)
    expect(await mails()).toEqual([])
    server.answer = () => undefined
    service.clock.advance(31)
    expect(await mails()).toHaveLength(1)
    server.answer = () => 451
    await wish(email)
    expect(await mails()).toEqual([])
    server.answer = () => undefined
    service.clock.advance(30 * 60 + 1)
    expect(await mails()).toEqual([])
    const rows = (await service.rows('user_mails')).filter(({ to_email }) => to_email === email)
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['failed', 'sent'])
  })
})

onOneEngine('sqlite', 'wishes for a new password', (engine) => {
  test('are limited for each person and each address, known or not, and by strangers for nobody at home', async () => {
    const server = await startMailServer()
    const variables = { ...mailVariables(server.url), RATE_LIMIT_FACTOR: '1' }
    const service = await startTestService(engine, variables)
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    await logInNewPerson(service, { email: 'hedy@example.com', role: 'owner', place }) // from 127.0.0.1
    const statuses = async (email: string, addresses: string[]) => {
      const all: number[] = []
      for (const remoteAddress of addresses)
        all.push((await sendForm(service, '/console/forgotten', { email }, { remoteAddress })).status)
      return all
    }
    const strangers = Array.from({ length: 5 }, (_none, host) => `198.51.100.${host + 1}`)
    for (const email of ['hedy@example.com', 'nobody@example.com'])
      expect(await statuses(email, strangers)).toEqual([200, 200, 200, 429, 429])
    const home = ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1']
    expect(await statuses('hedy@example.com', home)).toEqual([200, 200, 200, 429])
    const many = Array.from({ length: 19 }, (_none, person) => `person${person}@example.com`)
    for (const email of many) await statuses(email, ['203.0.113.9'])
    expect(await statuses('last@example.com', ['203.0.113.9'])).toEqual([200])
    expect(await statuses('beyond@example.com', ['203.0.113.9'])).toEqual([429])
    await service.app.mails.settled()
    expect(server.mails.length).toBeGreaterThan(0)
    expect(server.mails.length).toBeLessThanOrEqual(6)
    service.clock.advance(3_601)
    expect(await statuses('hedy@example.com', strangers.slice(0, 1))).toEqual([200])
    await service.stop()
    await server.close()
  })

  test('where no mail is set up, lead to who makes a link', async () => {
    const service = await startTestService(engine, { NODE_ENV: 'production' })
    const page = await service.call('GET', '//console/forgotten')
    expect(page.body).toContain('holdfast user link')
    expect(page.body).not.toContain('<form')
    const sent = await sendForm(service, '/console/forgotten', { email: 'hedy@example.com' })
    expect(sent.body).toContain('holdfast user link')
    expect(await service.rows('user_mails')).toEqual([])
    await service.stop()
  })
})
