import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { formsIn } from '../support/console-forms.ts'
import { readConsole, textOf } from '../support/console.ts'
import {
  cookieOf,
  goodPassword,
  type LoggedIn,
  logInNewPerson,
  sameOrigin,
  sendForm,
  setUpAuthenticator,
} from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import {
  beforeTransactions,
  businessOf,
  type Reply,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

const lost = () => {
  throw new DatabaseUnavailable('gone')
}

const browser: Record<string, string> = { ...sameOrigin, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

onOneEngine('sqlite', 'what was typed into a form of the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let salon = ''
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree').id
    const place = { businessId: salon }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  const path = '/console/people/new'
  const filled = async (name: string) => {
    const [form] = formsIn(String((await readConsole(service, path, owner)).body), path).filter(
      ({ fields }) => 'name' in fields,
    )
    return { ...form?.fields, name, description: 'Cuts "short" & <long>,\nand beards', hours: 'none' }
  }
  const send = (
    address: string,
    fields: Record<string, string>,
    { cookie = owner.cookie, headers = browser } = {},
  ) => sendForm(service, address, fields, { cookie, headers })
  const formTo = (reply: Reply, action: string) =>
    formsIn(String(reply.body), path).find((form) => form.action === action)?.fields ?? {}
  const staffCalled = async (name: string) =>
    (await service.rows('staff')).filter((one) => one['name'] === name)

  /** Expects the form with everything that was typed, and nothing saved. Sent again, it is saved once. */
  const expectBack = async (reply: Reply, typed: Record<string, string>, cookie = owner.cookie) => {
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(textOf(reply)).toContain('This is your input. Check it, then send it again.')
    expect(reply.body).toContain(`<form action="${path}"`) // not the URL of the log-in
    const again = formsIn(String(reply.body), path).find(({ fields }) => 'name' in fields)?.fields ?? {}
    expect(again).toMatchObject(typed)
    expect(await staffCalled(typed['name'] ?? '')).toEqual([])
    for (const status of [303, 303]) expect((await send(path, again, { cookie })).status).toBe(status)
    expect(await staffCalled(typed['name'] ?? '')).toHaveLength(1)
  }

  describe('outlives a log-in that ended', () => {
    test('in the account, where names and addresses stand', async () => {
      const sent = await send('/console/account/name', { name: 'Ada "L" <x>' }, { cookie: 'none=1' })
      const gate = await service.call('GET', `/${sent.headers['location'] ?? ''}`, { headers: browser })
      const fields = formTo(gate, '/console/login')
      const back = await send(
        '/console/login',
        { ...fields, email: owner.email, password: goodPassword },
        { cookie: 'none=1' },
      )
      expect(back.headers['location']).toBe(sent.headers['location'])
      const page = await readConsole(service, back.headers['location'] ?? '', owner)
      expect(
        formsIn(String(page.body), '/console/account').find(({ action }) => action.endsWith('/name'))?.fields,
      ).toEqual({
        name: 'Ada "L" <x>',
      })
      const reloaded = await service.call('GET', '//console/login', { headers: browser })
      expect(reloaded).toMatchObject({ status: 303, headers: { location: '/console' } })
    })

    test('and is there after the next one', async () => {
      const typed = await filled('After log-in')
      const asked = await send(path, typed, { cookie: 'none=1' })
      expect(textOf(asked)).toContain('Your session has expired. Log in again. Your input is kept.')
      const logIn = formTo(asked, '/console/login')
      const wrong = await send('/console/login', { ...logIn, email: owner.email, password: 'wrong' })
      expect(wrong.status).toBe(422)
      const kept = formTo(wrong, '/console/login')
      const back = await send('/console/login', { ...kept, password: goodPassword }, { cookie: 'none=1' })
      await expectBack(back, typed, cookieOf(back))
    })

    test('through the second step', async () => {
      const place = { businessId: salon }
      const careful = await logInNewPerson(service, { email: 'careful@example.com', role: 'owner', place })
      const { nextCode } = await setUpAuthenticator(service, careful)
      const typed = await filled('After two steps')
      const asked = formTo(await send(path, typed, { cookie: 'none=1' }), '/console/login')
      const first = { ...asked, email: careful.email, password: goodPassword }
      const half = await send('/console/login', first, { cookie: 'none=1' })
      const cookie = cookieOf(half) ?? ''
      const step = formTo(half, '/console/code')
      const wrong = await send('/console/code', { ...step, code: '000000' }, { cookie })
      expect(wrong.status).toBe(422)
      const again = formTo(wrong, '/console/code')
      const back = await send('/console/code', { ...again, code: nextCode() }, { cookie })
      await expectBack(back, typed, cookieOf(back))
    })

    test('and a page that was asked for is shown, however its address is written', async () => {
      const address = '/console/bookings?q=M%C3%BCller+%26+Co&when=all'
      const asked = await readConsole(service, address, { cookie: '' })
      const logIn = formTo(asked, '/console/login')
      const fields = { ...logIn, email: owner.email, password: goodPassword }
      expect(await send('/console/login', fields, { cookie: '' })).toMatchObject({
        status: 303,
        headers: { location: address },
      })
    })

    test.each([
      'https://evil.example/',
      '//evil.example',
      '/console.evil',
      '/consolex',
      'javascript:alert(1)',
    ])('and never leads to %s', async (next) => {
      const fields = { next, email: owner.email, password: goodPassword }
      expect(await send('/console/login', fields, { cookie: '' })).toMatchObject({
        status: 303,
        headers: { location: '/console' },
      })
    })
  })

  describe('outlives a failure', () => {
    test.each([
      [503, 'Please try again in a moment', () => new DatabaseUnavailable('gone')],
      [500, 'Something went wrong', () => new Error('a fault of ours')],
    ])('with the status %i', async (status, title, failure) => {
      const typed = await filled(`After ${status}`)
      const stop = beforeTransactions(service, () => Promise.reject(failure()))
      const failed = await send(path, typed)
      stop()
      expect(failed).toMatchObject({ status, headers: { 'content-type': 'text/html; charset=utf-8' } })
      expect(textOf(failed)).toContain(title)
      expect(failed.body).toContain('href="/docs/console.css"')
      await expectBack(await send(path, formTo(failed, path)), typed)
    })

    test('that comes before the form is read', async () => {
      const typed = await filled('Before reading')
      const reading = vi.spyOn(service.context.db.reads, 'selectFrom').mockImplementation(lost)
      const failed = await send(path, typed)
      reading.mockRestore()
      expect(failed.status).toBe(503)
      await expectBack(await send(path, formTo(failed, path)), typed)
    })

    test('and what was saved all the same is not saved twice', async () => {
      const typed = await filled('Saved after all')
      expect((await send(path, typed)).status).toBe(303) // and its answer was lost
      const shown = await send(path, { ...typed, review: 'on' })
      const again = formsIn(String(shown.body), path).find(({ fields }) => 'name' in fields)?.fields ?? {}
      expect((await send(path, again)).status).toBe(303)
      expect(await staffCalled('Saved after all')).toHaveLength(1)
    })
  })

  test('can be copied where its form is gone', async () => {
    const gone = '/console/people/00000000-0000-4000-8000-000000000000'
    const reply = await send(gone, { ...(await filled('Gone')), at_business: salon })
    expect(reply.status).toBe(404)
    expect(textOf(reply)).toContain('Your input')
    expect(textOf(reply)).toContain('Cuts "short"')
  })

  test('is never filled in by another website, whatever fails', async () => {
    const headers = { ...browser, 'sec-fetch-site': 'cross-site' }
    const foreign = await send(path, { name: 'Planted', at_business: salon }, { headers })
    expect(foreign).toMatchObject({ status: 403, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(textOf(foreign)).toContain('This form comes from another website')
    expect(foreign.body).not.toContain('Planted')
    const reading = vi.spyOn(service.context.db.reads, 'selectFrom').mockImplementation(lost)
    const failed = await send(path, { name: 'Planted' }, { headers })
    reading.mockRestore()
    expect(failed.body).not.toContain('Planted')
  })

  test('is not what a script gets', async () => {
    const stop = beforeTransactions(service, () => Promise.reject(new DatabaseUnavailable('gone')))
    const failed = await send(path, await filled('Script'), { headers: sameOrigin })
    stop()
    expect(failed).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  })
})
