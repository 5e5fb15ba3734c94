import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole } from '../support/console.ts'
import { type LoggedIn, logInNewPerson, sameOrigin, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const minute = 60
const html = { accept: 'text/html' }

onOneEngine('sqlite', 'requests to the console count', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let other: LoggedIn
  const get = (path: string, who = owner) => readConsole(service, path, who)
  const newOwner = async (email: string) => {
    service.clock.advance(minute) // at this factor one address logs in once a minute
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    return logInNewPerson(service, { email, role: 'owner', place })
  }
  const until429 = async (ask: () => Promise<{ status: number }>) => {
    for (let count = 0; count < 20; count += 1) if ((await ask()).status === 429) return count
    return Infinity
  }
  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '0.01' }) // six a minute for a person
    owner = await newOwner('ada@example.com')
    other = await newOwner('eve@example.com')
    service.clock.advance(minute)
  })
  afterAll(() => service.stop())

  test('with those to the API, for each person, and no file counts', async () => {
    expect(await until429(() => get('/console/services'))).toBe(6)
    const refused = await get('/console/calendar')
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    const seconds = Number(refused.headers['retry-after'])
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(minute)
    expect((await owner.call('GET', '/services')).status).toBe(429)
    expect((await get('/console/calendar.css')).status).toBe(200)
    expect((await get('/docs/console.css')).status).toBe(200)
    expect((await get('/console', other)).status).toBe(200)
    service.clock.advance(seconds)
    expect((await get('/console')).status).toBe(200)
    service.clock.advance(minute)
  })

  test('whether a page, the asking of its script, or a form, which then does nothing', async () => {
    for (let asked = 0; asked < 3; asked += 1) await get('/console/calendar?date=2026-11-20')
    for (let asked = 0; asked < 3; asked += 1) await get('/console/people')
    const fields = { name: 'Mitte', timezone: 'Europe/Berlin' }
    const before = (await service.rows('locations')).length
    const sent = await sendForm(service, '/console/locations/new', fields, {
      ...{ cookie: owner.cookie, headers: { ...sameOrigin, ...html } },
    })
    expect(sent).toMatchObject({ status: 429, body: expect.stringContaining('value="Mitte"') as string })
    const page = await readConsole(service, '/console', owner, html)
    expect(page).toMatchObject({ status: 429, body: expect.stringContaining('<!doctype html>') as string })
    expect(Number(page.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(await service.rows('locations')).toHaveLength(before)
    service.clock.advance(minute)
  })

  test('but nobody is kept from logging out, which the page of the refusal offers', async () => {
    const leaving = await newOwner('leaving@example.com')
    await until429(() => get('/console/services', leaving))
    const page = await readConsole(service, '/console', leaving, html)
    expect(page).toMatchObject({ status: 429, body: expect.stringContaining('action="/console/logout"') })
    const out = await sendForm(service, '/console/logout', {}, { cookie: leaving.cookie })
    expect(out).toMatchObject({ status: 303, headers: { location: '/console' } })
    service.clock.advance(minute)
    expect((await leaving.call('GET', '/services')).status).toBe(401)
    const stranger = await readConsole(service, '/console/nothing', { ...leaving, cookie: '' }, html)
    expect(String(stranger.body)).not.toContain('/console/logout')
  })

  test('not for somebody who is not logged in, who gets the form', async () => {
    for (let asked = 0; asked < 20; asked += 1)
      expect((await get('/console', { ...owner, cookie: '' })).status).toBe(200)
  })
})

test('a person has the figures of Enterprise on every plan: thirty calendars may be looked at at once', async () => {
  const service = await startTestService('sqlite', { RATE_LIMIT_FACTOR: '1' })
  const place = { businessId: businessOf(service.world, 'Salon Spree').id }
  const owner = await logInNewPerson(service, { email: 'ada@example.com', role: 'owner', place })
  const { headers } = await readConsole(service, '/console', owner)
  expect(headers['x-ratelimit-limit']).toBe('600')
  await service.stop()
})
