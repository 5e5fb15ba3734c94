import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { readConsole, textOf } from '../support/console.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { modulesOf, qrModules } from '../support/qr-code.ts'
import { createBusiness } from '../../src/catalogue/business.ts'
import type { ConsoleVisit } from '../../src/console/frame/console-page.ts'
import { textsIn } from '../../src/console/frame/texts.ts'
import { privateLinkNote } from '../../src/console/site/public-address.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const site = 'https://www.salon.example'

onOneEngine('sqlite', 'the page about the website', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let manager: LoggedIn
  let alone: LoggedIn
  let without: string
  beforeAll(async () => {
    service = await startTestService(engine)
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
    const business = { name: 'No keys', plan: 'growth' as const, timezone: 'Europe/Berlin' }
    without = (await createBusiness(service.context, business)).id
    alone = await logInNewPerson(service, {
      email: 'alone@example.com',
      role: 'owner',
      place: { businessId: without },
    })
  })
  afterAll(() => service.stop())
  const read = (person = owner, query = '') => readConsole(service, `/console/website${query}`, person)
  const send = (fields: Record<string, string>, person = owner) =>
    sendForm(service, '/console/website', fields, person)
  const keyIn = (body: unknown) => /publishable-key=&quot;(cal_pub_\w+)/.exec(String(body))?.[1] ?? ''
  const exchange = (token: string, origin: string) =>
    service.call('POST', '/session', { token, headers: { origin } })

  test('shows link, lines to paste and the page itself, also for one service', async () => {
    const page = await read()
    const key = keyIn(page.body)
    expect(page.body).toContain(`/book/salon-spree"`)
    expect(page.body).toContain(`src="/book/${key}?&amp;preview"`)
    expect(page.headers['content-security-policy']).toContain("frame-src 'self'")
    const [, id = ''] = /<option value="([0-9a-f-]{36})"/.exec(String(page.body)) ?? []
    const one = await read(owner, `?service=${id}`)
    expect(one.body).toMatch(/\/book\/salon-spree\/[a-z-]+"/)
    expect(one.body).toContain(`service-id=&quot;${id}&quot;`)
  })

  test.each([
    [{ do: 'slug', slug: 'x' }, 'slug'],
    [{ do: 'allow', allowed_origins: 'not a website' }, 'allowed_origins'],
    [{ do: 'allow', allowed_origins: 'nonsense' }, 'allowed_origins'],
    [{ do: 'brand', brand_name: 'Spree', brand_color: 'pink', brand_logo_url: 'ftp://x' }, 'brand_color'],
  ])('says at its form what is wrong, and opens with the field: %j', async (typed, name) => {
    const { body, status } = await send(typed)
    expect(status).toBe(422)
    const forms = String(body).match(/<form[^]*?<\/form>/g) ?? []
    const form = forms.find((one) => one.includes(`name="do" value="${typed.do}"`)) ?? ''
    expect(form).toContain('role="alert"')
    expect(form).toMatch(new RegExp(`name="${name}"[^>]* autofocus[^>]* aria-invalid="true"`))
    expect(String(body).match(/role="alert"/g)).toHaveLength(1)
    expect(String(body).slice(0, String(body).indexOf('autofocus'))).toMatch(
      new RegExp(`name="${name}"[^>]*$`),
    ) // browsers take the first one
  })

  test('has a QR code of the link, in words as well, and as a file to print', async () => {
    const page = await read()
    const [, server = ''] = /value="(http[^"]*)\/book\/salon-spree"/.exec(String(page.body)) ?? []
    const link = `${server}/book/salon-spree`
    expect(qrModules(page.body)).toEqual(modulesOf(link))
    expect(page.body).toContain(`role="img" aria-label="QR code of the link ${link}"`)
    const [, id = ''] = /<option value="([0-9a-f-]{36})"/.exec(String(page.body)) ?? []
    const one = await read(owner, `?service=${id}`)
    const [, toService = ''] = /value="(http[^"]*\/book\/salon-spree\/[a-z-]+)"/.exec(String(one.body)) ?? []
    const [, path = ''] = /href="([^"]*qr-code\.svg[^"]*)"/.exec(String(one.body)) ?? []
    const file = await readConsole(service, path, manager)
    expect(file).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'image/svg+xml',
        'content-disposition': 'attachment; filename="booking-page.svg"',
        'cache-control': 'no-store',
      },
    })
    expect(qrModules(file.body)).toEqual(modulesOf(toService))
    expect(await readConsole(service, path, alone)).toMatchObject({ status: 303 }) // has no booking page
    expect((await readConsole(service, path, { cookie: '' })).headers['content-type']).toContain('text/html')
  })

  test('says that clients cannot open the link, and which address the owner uses', async () => {
    const local = textOf(await read())
    expect(local).toContain('This link works on this computer only')
    expect(local).not.toMatch(/PUBLIC_URL|SMTP_URL/)
    const visit = { texts: textsIn('en'), calledAt: 'https://salon.example' } as ConsoleVisit
    expect(privateLinkNote(visit, 'http://127.0.0.1:3000')).toContain('such as https://salon.example.')
    expect(privateLinkNote(visit, 'https://book.example')).toBeUndefined()
  })

  test('has a short link once the owner has named it', async () => {
    await send({ do: 'slug', slug: '' })
    const page = await read()
    expect(page.body).toContain(`/book/${keyIn(page.body)}"`)
    for (const [slug, again, why] of [
      ['hudson-studio', 'hudson-studio', 'is already the name in links of another business'],
      ['Salon Frieda & Söhne', 'salon-frieda-sohne', 'How about salon-frieda-sohne?'],
      ['?!?', '?!?', 'must have 3 to 60 lower-case letters'],
    ] as const) {
      const refused = await send({ do: 'slug', slug })
      expect(refused.status).toBe(422)
      expect(refused.body).toContain(`value="${again}"`)
      expect(textOf(refused)).toContain(why)
    }
    const german = await sendForm(
      service,
      '/console/website',
      { do: 'slug', slug: 'Frisör' },
      { ...owner, headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de-AT' } },
    )
    expect(textOf(german)).toContain('Wie wäre es mit frisoer?')
    expect(await send({ do: 'slug', slug: 'spree' }, manager)).toMatchObject({ status: 422 })
    expect(await send({ do: 'slug', slug: 'spree' })).toMatchObject({ status: 303 })
    expect((await read()).body).toContain('/book/spree"')
    expect(await service.call('GET', '//book/spree')).toMatchObject({ status: 200 })
  })

  test('lets a website show the form, and no longer', async () => {
    const key = keyIn((await read()).body)
    expectProblem(await exchange(key, site), 'origin_not_allowed')
    const refused = await send({ do: 'allow', allowed_origins: 'ftp://salon.example/<b>' })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('value="ftp://salon.example/&lt;b&gt;"')
    for (const origin of [`${site}/contact?a=b`, 'www.salon.example'])
      expect(await send({ do: 'allow', allowed_origins: origin })).toMatchObject({ status: 303 })
    const page = await read()
    expect(textOf(page).match(/✓ https:\/\/www\.salon\.example is allowed/g)).toHaveLength(1)
    expect(await exchange(key, site)).toMatchObject({ status: 201 })
    await send({ do: 'forbid', allowed_origins: site })
    expect(textOf(await read())).toContain('None yet.')
    expectProblem(await exchange(key, site), 'origin_not_allowed')
  })

  test('changes colour and logo where the plan has them, and keeps what is wrong', async () => {
    const refused = await send({ do: 'brand', brand_name: '', brand_color: 'green', brand_logo_url: '' })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('value="green"')
    expect(
      await send({ do: 'brand', brand_name: 'Spree', brand_color: '#123456', brand_logo_url: '' }),
    ).toMatchObject({
      status: 303,
    })
    const shown = await owner.call('GET', `/businesses/${businessOf(service.world, 'Salon Spree').id}`)
    expect(shown.body).toMatchObject({ brand_name: 'Spree', brand_color: '#123456', brand_logo_url: null })
    expect(textOf(await read(alone))).toContain('need the Enterprise plan')
  })

  test('opens a booking page where there is none', async () => {
    expect(textOf(await read(alone))).toContain('The booking page is closed.')
    expect(await send({ do: 'allow', allowed_origins: site }, alone)).toMatchObject({ status: 404 })
    expect(await send({ do: 'open' }, alone)).toMatchObject({ status: 303 })
    const key = keyIn((await read(alone)).body)
    expect(await service.call('GET', `//book/${key}`)).toMatchObject({ status: 200 })
    expectProblem(await exchange(key, site), 'origin_not_allowed')
  })

  test('opens a booking page again whose key was revoked, with a key of its own, any number of times', async () => {
    const shown = () => read(alone).then(({ body }) => keyIn(body))
    const path = `/businesses/${without}/keys`
    const revoke = async (token: string) => {
      const { data } = (await alone.call('GET', path)).body as { data: { id: string; last_four: string }[] }
      const id = data.find(({ last_four }) => token.endsWith(last_four))?.id ?? ''
      expect(await alone.call('DELETE', `${path}/${id}`)).toMatchObject({ status: 204 })
    }
    const keys = [await shown()]
    for (const round of [1, 2]) {
      await revoke(keys.at(-1) ?? '')
      service.clock.advance(10) // the server's cached key expires
      expect(textOf(await read(alone))).toContain('The booking page is closed.')
      await Promise.all([send({ do: 'open' }, alone), send({ do: 'open' }, alone)]) // two tabs
      keys.push(await shown())
      expect(new Set(keys).size).toBe(round + 1)
      for (const [index, key] of keys.entries())
        expect(await service.call('GET', `//book/${key}`)).toMatchObject({
          status: index === round ? 200 : 404,
        })
      expectProblem(await exchange(keys.at(-1) ?? '', site), 'origin_not_allowed')
      await send({ do: 'open' }, alone)
      expect(await shown()).toBe(keys.at(-1)) // opening an open page keeps it
    }
    const { data } = (await alone.call('GET', path)).body as { data: { revoked_at: string | null }[] }
    expect(data.map(({ revoked_at }) => revoked_at === null)).toEqual([true, false, false])
  })

  test('keeps the websites that several owners allow at the same moment', async () => {
    const sites = [1, 2, 3, 4, 5].map((number) => `https://${number}.salon.example`)
    await Promise.all(sites.map((origin) => send({ do: 'allow', allowed_origins: origin }, alone)))
    const page = textOf(await read(alone))
    for (const origin of sites) expect(page).toContain(`✓ ${origin} is allowed`)
    await Promise.all(sites.slice(1).map((origin) => send({ do: 'forbid', allowed_origins: origin }, alone)))
    expect(textOf(await read(alone)).match(/✓ \S+ is allowed/g)).toEqual([`✓ ${sites[0] ?? ''} is allowed`])
  })

  test('shows managers all, and lets owners alone change it', async () => {
    const page = await read(manager)
    expect(page).toMatchObject({ status: 200 })
    expect(page.body).not.toContain('name="allowed_origins"')
    expect(await send({ do: 'allow', allowed_origins: site }, manager)).toMatchObject({ status: 422 })
    expect(textOf(await read())).toContain('None yet.')
  })

  test('the API changes websites of publishable keys of its own business alone', async () => {
    const path = `/businesses/${businessOf(service.world, 'Salon Spree').id}/keys`
    const keys = (await owner.call('GET', path)).body.data as { id: string; type: string }[]
    const id = (type: string) => keys.find((key) => key.type === type)?.id ?? ''
    const change = { allowed_origins: [site] }
    expect(await owner.call('PATCH', `${path}/${id('publishable')}`, change)).toMatchObject({
      status: 200,
      body: change,
    })
    expectProblem(await owner.call('PATCH', `${path}/${id('business')}`, change), 'not_found')
    expectProblem(await alone.call('PATCH', `${path}/${id('publishable')}`, change), 'not_found')
    const faulty = { allowed_origins: [`${site}/`] }
    const refused = await owner.call('PATCH', `${path}/${id('publishable')}`, faulty)
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/allowed_origins/0', code: 'invalid_format' }] },
    })
  })
})
