import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offerFirstOwner } from '../../src/access/first-owner.ts'
import { type ConsolePages, formsIn, makeEverything, readAllPages } from '../support/console-forms.ts'
import { formValues, readConsole, textOf } from '../support/console.ts'
import { cookieOf, goodPassword, type LoggedIn, loggedIn, sameOrigin, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

/** Pages about the person, whatever the business. */
const personal = /^\/console\/(?:account|invitations|notifications|place|logout)(?=[/?]|$)/

onOneEngine('sqlite', 'forms and addresses of the console name their business', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let salon = ''
  let clinic = ''
  let pages: ConsolePages
  beforeAll(async () => {
    service = await startTestService(engine)
    const offered = await offerFirstOwner(service.context, true)
    const token = offered && 'link' in offered ? offered.link.token : ''
    const fields = { token, owner_name: 'Ada', email: 'ada@example.com', password: goodPassword }
    const cookie = cookieOf(await sendForm(service, '/console/first', fields)) ?? ''
    owner = loggedIn(service, { email: 'ada@example.com', userId: '', cookie }) // owner of all businesses
    salon = businessOf(service.world, 'Salon Spree').id
    clinic = businessOf(service.world, 'Lotus Clinic').id // not of the same hub
    await makeEverything(service)
    pages = await readAllPages(service, owner, `/console?business=${salon}`)
  })
  afterAll(() => service.stop())

  const read = (address: string) => readConsole(service, address, owner)
  const goTo = (business: string) => read(`/console?business=${business}`)
  const send = (path: string, fields: Record<string, string> = {}) => sendForm(service, path, fields, owner)
  const tables = [
    ...['businesses', 'services', 'locations', 'staff', 'blocks', 'bookings', 'claims', 'events'],
    ...[
      'api_keys',
      'webhooks',
      'feeds',
      'busy_calendars',
      'users',
      'user_places',
      'user_links',
      'audit_entries',
      'mails',
      'blocked_clients',
    ],
  ]
  const everything = async () =>
    JSON.stringify(await Promise.all(tables.map(async (table) => [table, await service.rows(table)])))

  test('every form that changes something, on every page', () => {
    const posted = pages.forms.filter(({ method, action }) => method === 'post' && !personal.test(action))
    expect(posted.filter(({ fields }) => fields['at_business'] !== salon)).toEqual([])
    expect(new Set(posted.map(({ action }) => action)).size).toBeGreaterThan(25)
  })

  test('every link and every form that only asks', () => {
    const unnamed = pages.links.filter(({ link }) => !link.includes('business=') && !personal.test(link))
    expect(unnamed).toEqual([])
    const asked = pages.forms.filter(({ method }) => method === 'get')
    expect(asked.filter(({ fields }) => fields['business'] !== salon)).toEqual([])
    expect(asked.length).toBeGreaterThan(5)
  })

  describe('one for another business than the present one', () => {
    test('is 409 at every address that takes a form, and nothing is saved', async () => {
      await goTo(clinic)
      const before = await everything()
      const routes = service.app.server.knownRoutes.filter(
        ({ method, options }) => method === 'POST' && options.config?.keepsForm,
      )
      expect(routes.length).toBeGreaterThan(30)
      for (const { url } of routes) {
        const path = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/?]+')}(?:\\?|$)`)
        const form = pages.forms.find(({ method, action }) => method === 'post' && path.test(action))
        const address = form?.action.split('?', 1)[0] ?? url.replace(':id', salon)
        const reply = await send(address, { ...form?.fields, at_business: salon })
        expect({ url, status: reply.status }).toEqual({ url, status: 409 })
        expect(textOf(reply)).toContain(
          'It belongs to Salon Spree. Nothing was saved. You are now at Lotus Clinic',
        )
      }
      expect(await everything()).toBe(before)
    })

    test('is 409 also where only its address names the business', async () => {
      await goTo(clinic)
      const before = await everything()
      const path = `/console/settings?business=${salon}`
      expect((await send(path, { name: 'Stolen', timezone: 'UTC', locale: 'en' })).status).toBe(409)
      expect(await everything()).toBe(before)
    })

    test('is 409 where it names none, as its person has several', async () => {
      await goTo(clinic)
      const reply = await send('/console/services/new', { name: 'Nowhere', duration_minutes: '30' })
      expect(reply.status).toBe(409)
      expect(textOf(reply)).toContain('The form does not name its business.')
      const [form] = formsIn(String(reply.body), '').filter(
        ({ action }) => action === '/console/services/new',
      )
      const shown = await send('/console/services/new', form?.fields)
      expect(formValues(String(shown.body), '')).toBeDefined()
      expect(shown).toMatchObject({ status: 200, body: expect.stringContaining('value="Nowhere"') })
      expect((await service.rows('services')).filter(({ name }) => name === 'Nowhere')).toEqual([])
    })

    test('keeps what was typed, and comes back with it at its own business', async () => {
      await goTo(salon)
      const path = `/console/people/new?business=${salon}`
      const [form] = formsIn(String((await read(path)).body), path).filter(({ action }) => action === path)
      await goTo(clinic) // in another tab
      const typed = { ...form?.fields, name: 'Zoë "Zo" <Z>', description: 'Two\nlines', hours: 'none' }
      const refused = await send(path, typed)
      expect(refused.status).toBe(409)
      const [switching] = formsIn(String(refused.body), path).filter(
        ({ action, fields }) => action === path && fields['name'] === typed.name,
      )
      const shown = await send(path, switching?.fields)
      expect(shown).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
      expect(textOf(shown)).toContain('This is your input.')
      expect(textOf(shown)).toContain('– Salon Spree')
      const [again] = formsIn(String(shown.body), path).filter(({ fields }) => 'name' in fields)
      expect(again?.fields).toMatchObject({
        ...{ name: typed.name, description: typed.description, hours: 'none' },
        ...{ once: form?.fields['once'], at_business: salon },
      })
      expect((await service.rows('staff')).filter(({ name }) => name === typed.name)).toEqual([])
      expect((await send(path, again?.fields)).status).toBe(303)
      expect((await service.rows('staff')).filter(({ name }) => name === typed.name)).toMatchObject([
        { business_id: salon },
      ])
    })

    test('of a script is a problem document', async () => {
      await goTo(clinic)
      const block = String((await service.rows('blocks'))[0]?.['id'])
      const at = { starts_at: '2026-11-20T18:00:00Z', ends_at: '2026-11-20T19:00:00Z' }
      const known = { known_starts_at: '2026-11-20T16:00:00Z', known_ends_at: '2026-11-20T17:00:00Z' }
      const moved = await send(`/console/block/${block}/move`, { at_business: salon, ...at, ...known })
      expect(moved).toMatchObject({ status: 409, body: { code: 'change_not_allowed' } })
      const told = { at_business: salon, version: '1', tell: 'off' }
      const booking = String((await service.rows('bookings'))[0]?.['id'])
      expect(await send(`/console/bookings/${booking}/tell`, told)).toMatchObject({
        ...{ status: 409, body: { code: 'change_not_allowed' } },
      })
      const headers = { host: 'localhost', cookie: owner.cookie, ...sameOrigin }
      const live = await service.call('GET', `//console/calendar?business=${salon}`, { headers })
      expect(live).toMatchObject({ status: 409, body: { code: 'change_not_allowed' } })
    })
  })

  test('an address leads to its business, wherever another tab went on', async () => {
    await goTo(clinic)
    expect(textOf(await read(`/console/services?business=${salon}`))).toContain('Services – Salon Spree')
    expect(textOf(await read(`/console/services?business=${clinic}`))).toContain('Services – Lotus Clinic')
  })

  test('an old address, without a business, shows the present one and names it', async () => {
    await goTo(salon)
    const headers = { host: 'localhost', cookie: owner.cookie }
    expect(await service.call('GET', '//console/services?cursor=x', { headers })).toMatchObject({
      status: 303,
      headers: { location: `/console/services?business=${salon}&cursor=x` },
    })
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'nonsense', '%00'])(
    'an address of the business %s, which its person does not reach, shows nothing',
    async (business) => {
      await goTo(salon)
      for (const path of ['', '/services', '/settings', '/account', '/bookings.csv']) {
        const { status } = await read(`/console${path}?business=${business}`)
        expect({ path, status }).toEqual({ path, status: 404 })
      }
      expect((await send('/console/services/new', { at_business: business, name: 'X' })).status).toBe(409)
    },
  )

  test('of a hub, two tabs at two businesses save each at its own', async () => {
    const tabs = ['Salon Spree', 'Hudson Studio'].map((name) => businessOf(service.world, name).id)
    const forms = []
    for (const business of tabs) {
      const path = `/console/locations/new?business=${business}`
      const [form] = formsIn(String((await read(path)).body), path).filter(({ action }) => action === path)
      forms.push({ business, path, fields: form?.fields ?? {} })
    }
    for (const { business, path, fields } of forms.toReversed()) {
      const reply = await send(path, { ...fields, name: `At ${business}`, hours: 'none' })
      if (reply.status === 409) continue // each has a different place
      expect(reply.status).toBe(303)
    }
    const made = (await service.rows('locations')).filter(({ name }) => String(name).startsWith('At '))
    expect(made.length).toBeGreaterThan(0)
    for (const { name, business_id } of made) expect(name).toBe(`At ${String(business_id)}`)
  })
})
