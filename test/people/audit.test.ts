import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditActions } from '../../src/access/audit-types.ts'
import { commandLine } from '../support/command-line.ts'
import { onOneEngine } from '../support/long.ts'
import {
  cookieOf,
  goodPassword,
  type LoggedIn,
  logInNewPerson,
  sendForm,
  setUpAuthenticator,
} from '../support/person.ts'
import { execute } from '../support/statements.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

interface Entry {
  action: string
  actor: { type: string; id: string | null; name: string | null }
  subject: { type: string; id: string }
  address: string | null
  request_id: string | null
}

onOneEngine('postgres', 'the audit log of people', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let people = 0
  const place = () => ({ businessId: businessOf(service.world, 'Salon Spree').id })
  const newPerson = () =>
    logInNewPerson(service, { email: `joan${(people += 1)}@example.com`, role: 'manager', place: place() })
  beforeAll(async () => {
    service = await startTestService(engine)
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place: place() })
  })
  afterAll(() => service.stop())

  /** Returns the changes of a person as an owner reads them, the oldest first. */
  const audit = async ({ userId }: LoggedIn): Promise<Entry[]> => {
    const { status, body } = await owner.call('GET', `/audit?subject=${userId}&limit=100`)
    expect(status).toBe(200)
    return (body.data as Entry[]).toReversed()
  }
  const actionsOf = async (person: LoggedIn) => (await audit(person)).map(({ action }) => action)
  const remoteAddress = '203.0.113.7'
  const form = (path: string, fields: Record<string, string>, cookie?: string) => {
    service.clock.advance(1) // entries are in order of time
    return sendForm(service, path, fields, { remoteAddress, ...(cookie !== undefined && { cookie }) })
  }
  const logIn = async ({ email }: LoggedIn, password = goodPassword) =>
    cookieOf(await form('/console/login', { email, password })) ?? ''

  test('tells what people change of their own account, and nothing secret', async () => {
    const person = await newPerson()
    const post = (path: string, fields = {}) => form(`/console/account/${path}`, fields, person.cookie)
    const next = 'an entirely new password'
    await logIn(person)
    await post('end-others')
    await post('password', { password: goodPassword, next })
    const { secret, recovery, nextCode } = await setUpAuthenticator(service, person, next)
    const pending = await logIn(person, next)
    const [code = ''] = recovery
    expect(await form('/console/code', { code }, pending)).toMatchObject({ status: 303 })
    await form('/console/code', { code: nextCode() }, await logIn(person, next))
    await post('second-step/codes', { 'password-for-codes': next })
    await post('second-step/end', { 'password-to-end': next })

    const entries = await audit(person)
    const [created, ...later] = entries.map(({ action }) => action)
    // the two of one transaction may have one millisecond, and then no order
    expect([created, ...later.slice(0, 2).toSorted(), ...later.slice(2)]).toEqual([
      'user.created',
      'user.address_proved',
      'user.password_set',
      'user.log_ins_ended',
      'user.password_changed',
      'user.second_step_added',
      'user.recovery_code_used',
      'user.recovery_codes_renewed',
      'user.second_step_removed',
    ])
    const [, , , ...own] = entries
    for (const entry of own.filter(({ action }) => action !== 'user.second_step_added'))
      expect(entry).toMatchObject({
        actor: { type: 'person', id: person.userId },
        subject: { type: 'user', id: person.userId },
        address: remoteAddress,
        request_id: expect.stringMatching(/.+/),
      })
    for (const { action } of entries) expect(auditActions).toContain(action)
    const rows = JSON.stringify(await service.rows('audit_entries'))
    for (const text of [goodPassword, next, secret, code, person.email, 'cal_lnk_', 'cal_log_', 'argon2'])
      expect(rows).not.toContain(text)
  })

  test('tells what the operator does, and the command line lists it', async () => {
    const person = await newPerson()
    await setUpAuthenticator(service, person)
    const holdfast = commandLine(service.databaseUrl)
    const { link } = await holdfast.json('user', 'link', person.email, '--end-second-step')
    const token = new URL(String(link.url)).hash.slice(1)
    await form('/console/link', { token, password: goodPassword })
    await holdfast.text('user', 'disable', person.email)
    await holdfast.text('user', 'disable', person.email) // changes nothing
    await holdfast.text('user', 'enable', person.email)
    const entries = await audit(person)
    // in no order: the command line has a different clock
    expect(entries.map(({ action, actor }) => `${action} by ${actor.type}`).toSorted()).toEqual([
      'user.address_proved by person',
      'user.created by command_line',
      'user.disabled by command_line',
      'user.enabled by command_line',
      'user.link_made by command_line',
      'user.password_set by person',
      'user.password_set by person',
      'user.second_step_added by person',
      'user.second_step_removed by command_line',
    ])
    const { data } = await holdfast.json('audit', '--subject', person.userId)
    expect((data as Entry[]).toReversed()).toEqual(entries)
    expect(await holdfast.text('audit', '--subject', person.userId)).toContain('user.second_step_removed')
  })

  test('has no line for what is refused or changes nothing', async () => {
    const person = await newPerson()
    const post = (path: string, fields = {}) => form(`/console/account/${path}`, fields, person.cookie)
    const before = await actionsOf(person)
    await post('end-others')
    await post('password', { password: 'not this one', next: 'an entirely new password' })
    await post('password', { password: goodPassword, next: 'short' })
    await post('second-step', { 'password-to-begin': 'not this one' })
    await post('second-step', { 'password-to-begin': goodPassword })
    await post('second-step/confirm', { code: '000000' })
    await post('second-step/end', { 'password-to-end': 'not this one' })
    await post('second-step/end', { 'password-to-end': goodPassword })
    await form('/console/link', { token: 'cal_lnk_', password: goodPassword })
    const { body } = await owner.call('GET', '/users')
    const { id } = (body.data as { id: string; person_id: string }[]).find(
      (one) => one.person_id === person.userId,
    ) ?? { id: '' }
    await owner.call('PATCH', `/users/${id}`, { role: 'manager' })
    expect(await actionsOf(person)).toEqual(before)
  })

  test('stands and falls with its change', async () => {
    const person = await newPerson()
    await setUpAuthenticator(service, person)
    const shown = async () =>
      (await service.rows('users')).filter(({ id }) => id === person.userId).map((row) => ({ ...row }))
    const before = await shown()
    const post = (path: string, fields: Record<string, string>) =>
      form(`/console/account/${path}`, fields, person.cookie)
    await execute(service.databaseUrl, 'alter table audit_entries rename to audit_entries_away')
    const next = 'an entirely new password'
    const replies = [
      await post('password', { password: goodPassword, next }),
      await post('second-step/end', { 'password-to-end': goodPassword }),
    ]
    await execute(service.databaseUrl, 'alter table audit_entries_away rename to audit_entries')
    expect(replies.map(({ status }) => status)).toEqual([500, 500])
    expect(await shown()).toEqual(before)
    expect(await post('password', { password: goodPassword, next })).toMatchObject({ status: 200 })
    expect((await actionsOf(person)).at(-1)).toBe('user.password_changed')
  })
})
