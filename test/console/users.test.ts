import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { addPerson } from '../../src/access/new-person.ts'
import { setPersonDisabled } from '../../src/access/person.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { readConsole, textOf, useForm } from '../support/console.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { mailVariables } from '../support/mail-world.ts'
import { goodPassword, type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const list = '/console/users'

interface User {
  id: string
  person_id: string
  email: string
  role: string
  staff_id: string | null
  disabled_at: string | null
  last_log_in_at: string | null
}

onOneEngine('sqlite', 'the page of the people who may log in', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let anna = ''
  const salon = () => businessOf(service.world, 'Salon Spree')
  const place = () => ({ businessId: salon().id })
  beforeAll(async () => {
    service = await startTestService(engine, { NODE_ENV: 'production' }) // without email
    anna = salon().staff.find(({ name }) => name === 'Anna Weber')?.id ?? ''
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place: place() })
  })
  afterAll(() => service.stop())

  const show = (path = list, person = owner, language = 'en') =>
    readConsole(service, path, person, { 'accept-language': language })
  const send = (path: string, fields: Record<string, string> = {}, { cookie } = owner) =>
    sendForm(service, path, fields, { cookie })
  const users = async () => ((await owner.call('GET', '/users')).body as unknown as { data: User[] }).data
  const userOf = async (email: string) => {
    const found = (await users()).find((one) => one.email === email)
    if (!found) throw new Error(`no ${email}`)
    return found
  }
  const linkIn = (body: unknown) => /\/console\/link#(\w+)/.exec(String(body))?.[1] ?? ''

  test('an owner who is alone is told what to do; the menu leads there', async () => {
    const page = await show()
    expect(textOf(page)).toContain('You are the only one so far.')
    expect(page.body).toContain('href="/console/users/new"')
    expect((await show('/console')).body).toContain('href="/console/users"')
    expect((await show('/console/people')).body).toContain('href="/console/users"')
  })

  test('adds a person, and shows the link once where there is no mail', async () => {
    const fields = { email: 'Anna@example.com', name: 'Anna', role: 'staff', staff_id: anna }
    const added = await useForm(service, owner, { page: `${list}/new`, action: `${list}/new`, fields })
    expect(added.status).toBe(200)
    const token = linkIn(added.body)
    expect(textOf(added)).toContain('Pass it on to anna@example.com securely')
    expect(await userOf('anna@example.com')).toMatchObject({ role: 'staff', staff_id: anna })
    expect(textOf(await show())).toMatch(/Anna anna@example.com staff · Anna Weber · no password yet/)
    expect((await show()).body).not.toContain(token)
    const set = await sendForm(service, '/console/link', { token, password: goodPassword })
    expect(set.status).toBe(303)
    expect(textOf(await show())).toMatch(/Anna Weber · last log-in Nov 20, 2026/)
    const again = await send(`${list}/new`, fields)
    expect(again.status).toBe(422)
    expect(textOf(again)).toContain('This address is already here')
    expect((await users()).filter(({ email }) => email === 'anna@example.com')).toHaveLength(1)
  })

  test('a new user is staff, and gets the calendar of the team member with their name', async () => {
    expect((await show(`${list}/new`)).body).toMatch(/<option value="staff" selected/)
    const ben = salon().staff.find(({ name }) => name === 'Ben Fischer')?.id ?? ''
    const fields = { email: 'ben@example.com', name: 'ben', role: 'staff', staff_id: '' }
    const proposed = await send(`${list}/new`, fields)
    expect(proposed.status).toBe(422)
    expect(proposed.body).toContain(`<option value="${ben}" selected`)
    const ofAnna = await show(`${list}/new?staff=${anna}`)
    expect(ofAnna.body).toContain('value="Anna Weber"')
    expect(ofAnna.body).toContain(`<option value="${anna}" selected`)
    expect((await show(`/console/people/${anna}`)).body).toContain(`/console/users/new?staff=${anna}`)
  })

  test('keeps what was typed beside its faults, in German too', async () => {
    const fields = { email: 'new@example.com', name: '<b>Neu & "neu"', role: 'staff', staff_id: '' }
    const { status, body } = await send(`${list}/new`, fields)
    expect(status).toBe(422)
    expect(body).toContain('value="&lt;b&gt;Neu &amp; &quot;neu&quot;"')
    expect(body).toMatch(/id="staff_id-fault">Choose a team member/)
    const german = await sendForm(service, `${list}/new`, fields, {
      cookie: owner.cookie,
      headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de' },
    })
    expect(german.body).toMatch(/id="staff_id-fault">Wählen Sie ein Teammitglied/)
    expect(await users()).not.toContainEqual(expect.objectContaining({ email: 'new@example.com' }))
  })

  test('changes the role and the calendar of a person, keeps them out and lets them in again', async () => {
    const person = await logInNewPerson(service, {
      email: 'ben@example.com',
      role: 'manager',
      place: place(),
    })
    const { id } = await userOf(person.email)
    const path = `${list}/${id}`
    expect(await send(path, { role: 'staff', staff_id: anna })).toMatchObject({
      status: 303,
      headers: { location: `${path}?done=saved` },
    })
    expect(await userOf(person.email)).toMatchObject({ role: 'staff', staff_id: anna })
    expect(await send(path, { role: 'owner', staff_id: '' })).toMatchObject({ status: 303 })
    expect(await userOf(person.email)).toMatchObject({ role: 'owner', staff_id: null })
    expect(await send(path, { disabled: 'on' })).toMatchObject({
      headers: { location: `${path}?done=disabled` },
    })
    expectProblem(await person.call('GET', '/services'), 'invalid_credentials')
    expect(textOf(await show(`${path}?done=disabled`))).toMatch(/Blocked\.[^]*Unblock/)
    expect(await send(`${path}/link`)).toMatchObject({ status: 422 })
    expect(await send(path, { disabled: '' })).toMatchObject({
      headers: { location: `${path}?done=enabled` },
    })
    expect(await person.call('GET', '/services')).toMatchObject({ status: 200 })
    await setPersonDisabled(service.context, person.email, true)
    expect(textOf(await show(path))).toContain('holdfast user enable')
  })

  test('the last owner can neither be kept out nor become anything else', async () => {
    const { id } = await userOf('owner@example.com')
    for (const fields of [{ disabled: 'on' }, { role: 'manager', staff_id: '' }]) {
      const refused = await send(`${list}/${id}`, fields)
      expect(refused.status).toBe(422)
      expect(textOf(refused)).toContain('Make another person an owner first.')
    }
    expect(await userOf('owner@example.com')).toMatchObject({ role: 'owner', disabled_at: null })
  })

  test('makes a new link, which ends the older; not for who also works elsewhere', async () => {
    const { id } = await userOf('anna@example.com')
    const older = linkIn((await send(`${list}/${id}/link`)).body)
    const newer = linkIn((await send(`${list}/${id}/link`)).body)
    const set = (token: string) => sendForm(service, '/console/link', { token, password: goodPassword })
    expect([(await set(older)).status, (await set(newer)).status]).toEqual([404, 303])
    const elsewhere = { businessId: businessOf(service.world, 'Lotus Clinic').id }
    await addPerson(service.context, operator, { email: 'anna@example.com', role: 'owner', place: elsewhere })
    const refused = await send(`${list}/${id}/link`)
    expect(refused.status).toBe(422)
    expect(textOf(refused)).toContain('This person also works elsewhere')
    expect(linkIn(refused.body)).toBe('')
    const { body } = await owner.call('GET', `/audit?subject=${(await userOf('anna@example.com')).person_id}`)
    const made = (body.data as { action: string; actor: { id: string } }[]).filter(
      ({ action }) => action === 'user.link_made',
    )
    expect(made.map(({ actor }) => actor.id)).toEqual([owner.userId, owner.userId])
  })

  test('is for owners, and about their own people alone', async () => {
    const manager = await logInNewPerson(service, {
      email: 'eve@example.com',
      role: 'manager',
      place: place(),
    })
    const { id } = await userOf('anna@example.com')
    for (const path of [list, `${list}/new`, `${list}/${id}`])
      expect(await show(path, manager)).toMatchObject({
        status: 404,
        body: expect.not.stringContaining('anna@example.com'),
      })
    for (const path of [`${list}/new`, `${list}/${id}`, `${list}/${id}/link`])
      expect(await send(path, { email: 'x@example.com', role: 'owner' }, manager)).toMatchObject({
        status: 404,
      })
    expect((await show('/console', manager)).body).not.toContain('href="/console/users"')
    const lotus = { businessId: businessOf(service.world, 'Lotus Clinic').id }
    const other = await logInNewPerson(service, { email: 'lotus@example.com', role: 'owner', place: lotus })
    expect(textOf(await show(list, other))).not.toContain('owner@example.com')
    const { id: own } = await userOf('owner@example.com')
    expect(await show(`${list}/${own}`, other)).toMatchObject({ status: 404 })
    for (const path of [`${list}/${own}`, `${list}/${own}/link`, `${list}/nonsense`])
      expect(await send(path, { role: 'manager' }, other)).toMatchObject({ status: 404 })
    expect((await service.call('GET', `/${list}`, { headers: { host: 'localhost' } })).body).toContain(
      '<h1>Log in</h1>',
    )
  })

  test('an owner of a hub adds people to all businesses or to one', async () => {
    const { hub } = service.world
    const boss = await logInNewPerson(service, {
      email: 'hub@example.com',
      role: 'owner',
      place: { hubId: hub.id },
    })
    const page = await show(`${list}/new`, boss)
    expect(textOf(page)).toContain(`${hub.name}: all businesses`)
    const [, at = ''] = /name="at_business" value="([^"]+)"/.exec(String(page.body)) ?? []
    const add = (fields: Record<string, string>) => send(`${list}/new`, { at_business: at, ...fields }, boss)
    const all = await add({ email: 'all@example.com', role: 'manager', business_id: '' })
    expect(all.status).toBe(200)
    const one = await add({ email: 'one@example.com', role: 'manager', business_id: at })
    expect(one.status).toBe(200)
    const { body } = await boss.call('GET', '/users')
    const rows = body.data as { email: string; hub_id: string | null; business_id: string | null }[]
    expect(rows.find(({ email }) => email === 'all@example.com')?.hub_id).toBe(hub.id)
    expect(rows.find(({ email }) => email === 'one@example.com')?.business_id).toEqual(expect.any(String))
  })
})

onOneEngine('sqlite', 'people who are added where there is mail', (engine) => {
  let server: MailServer
  let service: TestService
  let owner: LoggedIn
  beforeAll(async () => {
    server = await startMailServer()
    service = await startTestService(engine, mailVariables(server.url))
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  test('get the link by mail, once for a form that is sent twice, and a new one when they need it', async () => {
    const { body } = await readConsole(service, `${list}/new`, owner)
    const once = /name="once" value="([^"]+)"/.exec(String(body))?.[1] ?? ''
    const fields = { email: 'mia@example.com', name: 'Mia', role: 'manager', once }
    const sent = await Promise.all(
      [1, 2].map(() => sendForm(service, `${list}/new`, fields, { cookie: owner.cookie })),
    )
    expect(sent.map(({ status }) => status)).toContain(303)
    expect(sent.map((reply) => String(reply.body)).join('')).not.toContain('/console/link#')
    await service.app.mails.settled()
    expect(server.to('mia@example.com')).toHaveLength(1)
    const [mail] = server.to('mia@example.com')
    expect(mail?.headers['subject']).toBe('Your account at Salon Spree')
    const tokenOf = (text = '') => /\/console\/link#(\w+)/.exec(text)?.[1] ?? ''
    const set = await sendForm(service, '/console/link', {
      token: tokenOf(mail?.text),
      password: goodPassword,
    })
    expect(set.status).toBe(303)
    const { body: users } = await owner.call('GET', '/users')
    const id = (users.data as User[]).find(({ email }) => email === 'mia@example.com')?.id ?? ''
    const asked = await sendForm(service, `${list}/${id}/link`, {}, { cookie: owner.cookie })
    expect(asked).toMatchObject({ status: 303, headers: { location: `${list}/${id}?done=linked` } })
    await service.app.mails.settled()
    const [, next] = server.to('mia@example.com')
    expect(next?.headers['subject']).toBe('A new password for Salon Spree')
    expect(JSON.stringify(await service.rows('user_links'))).not.toContain(tokenOf(next?.text))
    expect(JSON.stringify(await service.rows('idempotency_records'))).not.toContain('cal_lnk_')
  })
})

test('where mails are files, pages name their folder instead of an inbox', async () => {
  const directory = emptyDirectory()
  const service = await startTestService('sqlite', { MAIL_DIR: directory })
  const place = { businessId: businessOf(service.world, 'Salon Spree').id }
  const owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  const show = async (path: string) => textOf(await readConsole(service, path, owner))
  expect(await show(`${list}/new`)).toContain('This server sends no email')
  const fields = { email: 'mia@example.com', name: 'Mia', role: 'manager' }
  const added = await sendForm(service, `${list}/new`, fields, owner)
  const notice = await show(added.headers['location'] ?? '')
  expect(notice).toContain(`is in a file in ${directory}, the newest -password.eml`)
  await service.app.mails.settled()
  expect(readdirSync(directory).filter((name) => name.endsWith('-password.eml'))).toHaveLength(1)
  const [mia] = (await service.rows('user_places')).filter(({ role }) => role === 'manager')
  expect(await show(`${list}/${String(mia?.id)}`)).toContain('It writes the link to a file')
  expect(await show(`${list}/${String(mia?.id)}?done=linked`)).toContain(`is in a file in ${directory}`)
  const forgotten = textOf(await sendForm(service, '/console/forgotten', { email: 'mia@example.com' }))
  expect(forgotten).toContain(`the email is a file in ${directory}`)
  expect(forgotten).not.toContain('on its way')
  await service.stop()
})
