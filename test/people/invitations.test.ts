import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { addPerson } from '../../src/access/new-person.ts'
import { issueLink } from '../../src/access/person.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { commandLine } from '../support/command-line.ts'
import { readConsole, textOf } from '../support/console.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
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
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const attackers = 'a password of the attacker'
const own = 'a password of Victor himself'

interface Shown {
  id: string
  email: string
  status: string
  place_name: string
}

onOneEngine('sqlite', 'an account and a second business', (engine) => {
  let server: MailServer
  let service: TestService
  let [ownerA, ownerB, hubOwner]: LoggedIn[] = []
  let people = 0
  const idOf = (name: string) => businessOf(service.world, name).id
  const newEmail = () => `victor${(people += 1)}@b.example`
  const a = () => ownerA ?? fail()
  const b = () => ownerB ?? fail()
  beforeAll(async () => {
    server = await startMailServer()
    service = await startTestService(engine, mailVariables(server.url))
    const add = (email: string, place: { businessId: string } | { hubId: string }) =>
      logInNewPerson(service, { email, role: 'owner', place })
    ownerA = await add('a@a.example', { businessId: idOf('Salon Spree') })
    ownerB = await add('b@b.example', { businessId: idOf('Lotus Clinic') })
    hubOwner = await add('hub@hub.example', { hubId: service.world.hub.id })
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  const set = (token: string, password: string) => sendForm(service, '/console/link', { token, password })
  const logIn = (email: string, password: string) => sendForm(service, '/console/login', { email, password })
  const tokenIn = (text: unknown) => /(?:link|email)#(\w+)/.exec(String(text))?.[1] ?? ''
  const mailsTo = async (email: string) => {
    await service.app.mails.settled()
    return server.to(email)
  }
  /** Lets A's owner add a foreign address, set its password with the received link, and set up a second step. */
  const squat = async (email: string, owner = a()) => {
    const { body } = await owner.call('POST', '/users', { email, role: 'manager' })
    const cookie = cookieOf(await set(tokenIn(body.link.url), attackers)) ?? ''
    const squatter = loggedIn(service, { email, userId: body.person_id, cookie })
    await setUpAuthenticator(service, squatter, attackers)
    return squatter
  }
  const placesOf = async (userId: string) =>
    (await service.rows('user_places')).filter((one) => one.user_id === userId)
  const invitationsOf = async (person: LoggedIn) =>
    (await person.call('GET', '/users/me/invitations')).body.data as Shown[]
  const forget = async (email: string) => {
    await sendForm(service, '/console/forgotten', { email })
    return tokenIn((await mailsTo(email)).at(-1)?.text)
  }

  test.each([
    ['the owner of another business', () => b()],
    ['the owner of the hub', () => hubOwner ?? fail()],
  ])('set up by an owner enters no other business when %s adds it', async (_who, adder) => {
    const email = newEmail()
    const squatter = await squat(email)
    const place = adder() === b() ? {} : { business_id: idOf('Hudson Studio') }
    const added = await adder().call('POST', '/users', { email, role: 'owner', ...place })
    expect(added).toMatchObject({ status: 202, body: { email, status: 'open' } })
    expect(added.body).not.toHaveProperty('link')
    // the password alone shows and accepts nothing, in any way
    expect(await invitationsOf(squatter)).toEqual([])
    expectProblem(await squatter.call('POST', `/users/me/invitations/${added.body.id}/accept`), 'not_found')
    const page = await readConsole(service, '/console/invitations', squatter)
    expect(page.body).not.toContain(added.body.id)
    const posted = await sendForm(service, `/console/invitations/${added.body.id}/accept`, {}, squatter)
    expect(posted.status).toBe(404)
    expect(await placesOf(squatter.userId)).toHaveLength(1)
    // the email goes to the mailbox, and leads to a page behind the log-in
    const [mail] = await mailsTo(email)
    expect(mail?.text).toContain('/console/invitations')
    expect(mail?.text).not.toContain('cal_lnk_')
    // the owner of the mailbox takes over the account: the other's password, second step, log-ins and links end
    const { link } = await issueHanded(email)
    const claimed = await set(await forget(email), own)
    expect(claimed).toMatchObject({ status: 303, headers: { location: '/console/invitations' } })
    expectProblem(await squatter.call('GET', '/services'), 'invalid_credentials')
    expect(await logIn(email, attackers)).toMatchObject({ status: 422 })
    expect(await set(link, attackers)).toMatchObject({ status: 404 })
    expect(
      (await service.rows('user_recovery_codes')).filter((one) => one.user_id === squatter.userId),
    ).toEqual([])
    const victor = loggedIn(service, { ...squatter, cookie: cookieOf(claimed) ?? '' })
    expect(textOf(await readConsole(service, '/console/invitations', victor))).toContain('Accept')
    const accepted = await victor.call('POST', `/users/me/invitations/${added.body.id}/accept`)
    expect(accepted).toMatchObject({ status: 200, body: { email, role: 'owner', email_proved: true } })
    expect(await placesOf(squatter.userId)).toHaveLength(2)
    expect((await victor.call('GET', '/businesses/' + String(accepted.body.business_id))).status).toBe(200)
    expectProblem(await victor.call('POST', `/users/me/invitations/${added.body.id}/accept`), 'not_found')
  })

  /** Returns a link that an owner delivers, as on a server without email. */
  const issueHanded = async (email: string) => {
    const { makeLink, linkTokens } = await import('../../src/access/person-link.ts')
    const tokens = await linkTokens(service.context)
    const user = (await service.rows('users')).find((one) => one.email === email)
    const link = await service.context.db.transaction((tx) =>
      makeLink(service.context, tx, { userId: String(user?.id), proves: false, tokens }),
    )
    return { link: link.token }
  }

  test('an owner who hands over a link ends the proof of an address', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const { body } = await b().call('POST', '/users', { email, role: 'manager' })
    expect(await invitationsOf(person)).toMatchObject([{ id: body.id }])
    const { link } = await issueHanded(email)
    const cookie = cookieOf(await set(link, attackers)) ?? ''
    const taken = loggedIn(service, { ...person, cookie })
    expect(await invitationsOf(taken)).toEqual([])
    expectProblem(await taken.call('POST', `/users/me/invitations/${body.id}/accept`), 'not_found')
    // nor does the operator add it directly while its owner is unknown
    const added = await addPerson(service.context, operator, {
      ...{ email, role: 'owner', place: { businessId: idOf('Thames Barbers') } },
    })
    expect(added.person).toBeUndefined()
    expect(await placesOf(person.userId)).toHaveLength(1)
  })

  test('accepting ends links that were handed over before', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const { link } = await issueHanded(email)
    const { body } = await b().call('POST', '/users', { email, role: 'manager' })
    expect(await person.call('POST', `/users/me/invitations/${body.id}/accept`)).toMatchObject({
      status: 200,
    })
    expect(await set(link, attackers)).toMatchObject({ status: 404 })
    expect(await logIn(email, goodPassword)).toMatchObject({ status: 303 })
  })

  test('a handed link and an acceptance at once leave no account in two businesses with that password', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const { body } = await b().call('POST', '/users', { email, role: 'manager' })
    const { link } = await issueHanded(email)
    const [used, accepted] = await Promise.all([
      set(link, attackers),
      person.call('POST', `/users/me/invitations/${body.id}/accept`),
    ])
    const isTaken = used.status === 303
    expect(isTaken && accepted.status === 200).toBe(false)
    expect(await placesOf(person.userId)).toHaveLength(isTaken ? 1 : 2)
  })

  test('the command line makes an account of an unproved address join only by a new password', async () => {
    const email = newEmail()
    const squatter = await squat(email)
    const holdfast = commandLine(service.databaseUrl)
    const create = ['user', 'create', email, '--role', 'owner', '--json', '--business'] as const
    const ran = await holdfast.run(...create, 'Lotus Clinic')
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('somebody else may have set up') })
    const made = JSON.parse(ran.stdout) as { link: { url: string } }
    expect(made).toMatchObject({
      id: null,
      invitation: { of: 'Lotus Clinic' },
      link: { url: expect.any(String) },
    })
    expect(await placesOf(squatter.userId)).toHaveLength(1)
    expect(await invitationsOf(squatter)).toEqual([])
    const used = await set(tokenIn(made.link.url), own)
    expect(used).toMatchObject({ status: 303, headers: { location: '/console/invitations' } })
    expectProblem(await squatter.call('GET', '/services'), 'invalid_credentials')
    const victor = loggedIn(service, { ...squatter, cookie: cookieOf(used) ?? '' })
    const [invitation] = await invitationsOf(victor)
    const accepted = await sendForm(
      service,
      `/console/invitations/${String(invitation?.id)}/accept`,
      {},
      victor,
    )
    expect(accepted).toMatchObject({ status: 303, headers: { location: '/console' } })
    expect(textOf(await readConsole(service, '/console', victor))).toContain('Lotus Clinic')
    // a proved address joins at once
    const again = JSON.parse((await holdfast.run(...create, 'Thames Barbers')).stdout) as object
    expect(again).toMatchObject({ id: victor.userId, invitation: null, link: null })
  })

  test('who works nowhere any more logs in to accept', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const { body: page } = await a().call('GET', '/users?limit=100')
    const { id } = (page.data as Shown[]).find((one) => one.email === email) ?? { id: '' }
    await a().call('PATCH', `/users/${id}`, { disabled: true })
    expect(await logIn(email, goodPassword)).toMatchObject({ status: 422 })
    const { body } = await b().call('POST', '/users', { email, role: 'manager' })
    const entered = await logIn(email, goodPassword)
    expect(entered).toMatchObject({ status: 303, headers: { location: '/console/invitations' } })
    const again = loggedIn(service, { ...person, cookie: cookieOf(entered) ?? '' })
    expectProblem(await again.call('GET', '/services'), 'invalid_credentials')
    await sendForm(service, `/console/invitations/${String(body.id)}/accept`, {}, again)
    expect(await again.call('GET', '/services')).toMatchObject({ status: 200 })
    expect((await again.call('GET', '/businesses/' + idOf('Salon Spree'))).status).not.toBe(200)
  })

  test('an invitation is withdrawn, declined, sent again, and expires after 14 days', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const add = async () => (await b().call('POST', '/users', { email, role: 'manager' })).body as Shown
    const accept = ({ id }: Shown) => person.call('POST', `/users/me/invitations/${id}/accept`)
    const first = await add()
    expect(await add()).toMatchObject({ id: first.id }) // a second one replaces it
    const path = `/invitations/${first.id}`
    expectProblem(await a().call('DELETE', path), 'not_found')
    expectProblem(await a().call('POST', `${path}/resend`), 'not_found')
    expect(await b().call('DELETE', path)).toMatchObject({ status: 204 })
    expectProblem(await b().call('DELETE', path), 'not_found')
    expectProblem(await accept(first), 'not_found')
    const second = await add()
    expect(await person.call('POST', `/users/me/invitations/${second.id}/decline`)).toMatchObject({
      status: 204,
    })
    expectProblem(await accept(second), 'not_found')
    const third = await add()
    service.clock.advance(14 * 86_400 + 1)
    const back = cookieOf(await logIn(email, goodPassword)) ?? ''
    const later = loggedIn(service, { ...person, cookie: back })
    const ownerBack = loggedIn(service, {
      ...b(),
      cookie: cookieOf(await logIn(b().email, goodPassword)) ?? '',
    })
    ownerB = ownerBack
    ownerA = loggedIn(service, { ...a(), cookie: cookieOf(await logIn(a().email, goodPassword)) ?? '' })
    expect(await invitationsOf(later)).toEqual([])
    expectProblem(await later.call('POST', `/users/me/invitations/${third.id}/accept`), 'not_found')
    const { body } = await b().call('GET', '/invitations')
    expect((body.data as Shown[]).find(({ id }) => id === third.id)).toMatchObject({ status: 'expired' })
    const before = (await mailsTo(email)).length
    expect(await b().call('POST', `/invitations/${third.id}/resend`)).toMatchObject({
      status: 202,
      body: { status: 'open' },
    })
    expect(await mailsTo(email)).toHaveLength(before + 1)
    expect(await later.call('POST', `/users/me/invitations/${third.id}/accept`)).toMatchObject({
      status: 200,
    })
    expectErrors(await b().call('POST', '/users', { email, role: 'manager' }), '/email')
  })

  test('an invitation ends with the right of whoever made it, and is for its address alone', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const leaving = await logInNewPerson(service, {
      ...{ email: newEmail(), role: 'owner', place: { businessId: idOf('Lotus Clinic') } },
    })
    const { body } = await leaving.call('POST', '/users', { email, role: 'owner' })
    expectProblem(await a().call('POST', `/users/me/invitations/${body.id}/accept`), 'not_found')
    const { body: page } = await b().call('GET', '/users?limit=100')
    const place = (page.data as Shown[]).find((one) => one.email === leaving.email)
    await b().call('PATCH', `/users/${String(place?.id)}`, { disabled: true })
    expectProblem(await person.call('POST', `/users/me/invitations/${body.id}/accept`), 'not_found')
    expect(await placesOf(person.userId)).toHaveLength(1)
  })

  test('a new address proves itself by a mailed link, to the person who is logged in', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const next = newEmail()
    const patch = (body: object) => person.call('PATCH', '/users/me', body)
    expectErrors(await patch({ email: next }), '/password')
    expectErrors(await patch({ email: next, password: 'wrong password' }), '/password')
    expectErrors(await patch({ name: 'see https://evil.example' }), '/name')
    expect(await patch({ name: 'Victor B.', email: next, password: goodPassword })).toMatchObject({
      status: 200,
      body: { name: 'Victor B.', email, new_email: next },
    })
    const token = tokenIn((await mailsTo(next)).at(-1)?.text)
    const older = await issueLink(service.context, email)
    // the mailbox proves nothing for other people, or without a log-in
    const confirm = (cookie?: string) =>
      sendForm(service, '/console/email', { token }, cookie === undefined ? {} : { cookie })
    expect((await confirm()).status).toBe(422)
    expect((await confirm(b().cookie)).status).toBe(404)
    expect((await person.call('GET', '/users/me')).body).toMatchObject({ email })
    expect((await confirm(person.cookie)).status).toBe(200)
    expect((await confirm(person.cookie)).status).toBe(404)
    expect((await person.call('GET', '/users/me')).body).toMatchObject({
      ...{ email: next, email_proved: true, new_email: null },
    })
    expect(await set(older.link.token, attackers)).toMatchObject({ status: 404 })
    expect(await logIn(email, goodPassword)).toMatchObject({ status: 422 })
    expect(await logIn(next, goodPassword)).toMatchObject({ status: 303 })
    // another person's address is not revealed before its mailbox answers
    expect(await patch({ email: b().email, password: goodPassword })).toMatchObject({ status: 200 })
    const taken = tokenIn((await mailsTo(b().email)).at(-1)?.text)
    const refused = await sendForm(service, '/console/email', { token: taken }, person)
    expect([refused.status, textOf(refused)]).toEqual([404, expect.stringContaining('Another account')])
  })

  test('an address that its squatter gave up can be added anew', async () => {
    const email = newEmail()
    const squatter = await squat(email)
    const { body: invitation } = await b().call('POST', '/users', { email, role: 'manager' })
    const elsewhere = newEmail()
    await squatter.call('PATCH', '/users/me', { email: elsewhere, password: attackers })
    const token = tokenIn((await mailsTo(elsewhere)).at(-1)?.text)
    expect((await sendForm(service, '/console/email', { token }, squatter)).status).toBe(200)
    expect(await invitationsOf(squatter)).toEqual([])
    const listed = async () => (await b().call('GET', '/invitations')).body.data as Shown[]
    expect((await listed()).find(({ id }) => id === invitation.id)).toMatchObject({ status: 'expired' })
    expectProblem(await b().call('POST', `/invitations/${invitation.id}/resend`), 'not_found')
    expect(await b().call('POST', '/users', { email, role: 'manager' })).toMatchObject({ status: 201 })
    expect((await listed()).some(({ id }) => id === invitation.id)).toBe(false)
  })

  test('a person proves their address while they keep password and second step', async () => {
    const email = newEmail()
    const { body } = await a().call('POST', '/users', { email, role: 'manager' })
    const cookie = cookieOf(await set(tokenIn(body.link.url), own)) ?? ''
    const person = loggedIn(service, { email, userId: body.person_id, cookie })
    await setUpAuthenticator(service, person, own)
    expect((await sendForm(service, '/console/account/prove', {}, person)).status).toBe(200)
    const token = tokenIn((await mailsTo(email)).at(-1)?.text)
    expect((await sendForm(service, '/console/email', { token }, person)).status).toBe(200)
    expect((await person.call('GET', '/users/me')).body).toMatchObject({
      ...{ email_proved: true, has_second_step: true },
    })
    expect(cookieOf(await set(await forget(email), goodPassword))).toMatch(/^holdfast=$/) // the code is required
  })

  test('whom the hub keeps out, an owner of the business cannot let in again', async () => {
    const email = newEmail()
    await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const hub = hubOwner ?? fail()
    const hubBack = loggedIn(service, {
      ...hub,
      cookie: cookieOf(await logIn(hub.email, goodPassword)) ?? '',
    })
    const { body: page } = await a().call('GET', '/users?limit=100')
    const { id } = (page.data as Shown[]).find((one) => one.email === email) ?? { id: '' }
    const patch = (who: LoggedIn, disabled: boolean) => who.call('PATCH', `/users/${id}`, { disabled })
    expect((await patch(a(), true)).status).toBe(200) // first the business, then the hub
    expect((await patch(hubBack, true)).status).toBe(200)
    expectErrors(await patch(a(), false), '/disabled')
    expectErrors(await a().call('POST', '/users', { email, role: 'manager' }), '/email')
    const refused = await sendForm(service, `/console/users/${id}`, { disabled: '' }, a())
    expect([refused.status, textOf(refused)]).toEqual([422, expect.stringContaining('hub owner')])
    expect((await patch(hubBack, false)).status).toBe(200)
    expect((await patch(a(), true)).status).toBe(200)
    expect((await patch(a(), false)).status).toBe(200)
  })

  test('owners correct the names of their own people, not of who also works elsewhere', async () => {
    const email = newEmail()
    const person = await logInNewPerson(service, {
      ...{ email, role: 'manager', place: { businessId: idOf('Salon Spree') } },
    })
    const { body: page } = await a().call('GET', '/users?limit=100')
    const { id } = (page.data as Shown[]).find((one) => one.email === email) ?? { id: '' }
    const rename = (name: string) => a().call('PATCH', `/users/${id}`, { name })
    expect(await rename('Victor')).toMatchObject({ status: 200, body: { name: 'Victor' } })
    expectErrors(await rename('www.evil.example'), '/name')
    const { body } = await b().call('POST', '/users', { email, role: 'manager' })
    await person.call('POST', `/users/me/invitations/${body.id}/accept`)
    expectErrors(await rename('Mallory'), '/name')
    // a link that this owner emails ends none of theirs
    const theirs = await issueLink(service.context, email)
    expect((await sendForm(service, `/console/users/${id}/link`, {}, a())).status).toBe(303)
    expect(await set(theirs.link.token, own)).toMatchObject({ status: 303 })
  })

  test('people are listed page by page', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await a().call('GET', `/users?limit=2${after}`)
      seen.push(...(body.data as Shown[]).map(({ email }) => email))
      cursor = body.next_cursor as string | null
    }
    const { body } = await a().call('GET', '/users?limit=100')
    expect(seen).toEqual((body.data as Shown[]).map(({ email }) => email))
    expect(seen.length).toBeGreaterThan(4)
    for (const wrong of ['x', 'WyJwZW9wbGUiXQ'])
      expectErrors(await a().call('GET', `/users?cursor=${wrong}`), '/cursor')
  })
})

function fail(): never {
  throw new Error('nobody is logged in')
}

onOneEngine('sqlite', 'mails that people have sent', (engine) => {
  test('are bounded for an address, at every business, and for each business', async () => {
    const server = await startMailServer()
    const service = await startTestService(engine, { ...mailVariables(server.url), RATE_LIMIT_FACTOR: '1' })
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    const owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    const elsewhere = { businessId: businessOf(service.world, 'Lotus Clinic').id }
    const victim = await logInNewPerson(service, { email: 'v@example.com', role: 'owner', place: elsewhere })
    const invited = await owner.call('POST', '/users', { email: victim.email, role: 'manager' })
    const { id } = invited.body as Shown
    const many = await Promise.all(
      Array.from({ length: 10 }, () => owner.call('POST', `/invitations/${id}/resend`)),
    )
    const statuses = many.map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(2)
    expect(statuses.filter((status) => status === 429)).toHaveLength(8)
    const form = await sendForm(service, `/console/users/invitations/${id}/resend`, {}, owner)
    expect([form.status, textOf(form)]).toEqual([429, expect.stringContaining('Too many emails')])
    // the links of new accounts are returned, not sent, so they count for nothing
    for (let added = 0; added < 61; added += 1) {
      const body = { email: `new-${added}@example.com`, role: 'manager' }
      expect((await owner.call('POST', '/users', body)).status).toBe(201)
    }
    const trials: number[] = []
    for (let sent = 0; sent < 5; sent += 1)
      trials.push((await sendForm(service, '/console/mails/server', { do: 'test' }, owner)).status)
    expect(trials).toEqual([303, 303, 303, 429, 429])
    await service.app.mails.settled()
    expect(server.to(victim.email)).toHaveLength(3)
    service.clock.advance(3_601)
    expect(await owner.call('POST', `/invitations/${id}/resend`)).toMatchObject({ status: 202 })
    await service.stop()
    await server.close()
  })
})
