import { afterAll, beforeAll, expect, test } from 'vitest'
import { entryPath } from '../../src/access/entry-link.ts'
import type { Engine } from '../../src/database/database.ts'
import { type ConsolePages, makeEverything, type PageForm, readAllPages } from '../support/console-forms.ts'
import { textOf } from '../support/console.ts'
import { isWhole, onOneEngine } from '../support/long.ts'
import { changeRows } from '../support/tenant-things.ts'
import { type LoggedIn, logInNewPerson, sameOrigin } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { offer, startTestService, type TestService } from '../support/test-service.ts'
import { sql } from 'kysely'

/** As encoded in a body or URL. PostgreSQL stores no text with a zero byte. */
const zeros = ['%00', 'a%00b', 'a@%00.b']
/** Half of a pair of UTF-16, in bytes that no text contains. PostgreSQL stores it neither. */
const half = '%ED%A0%80'
const twoLines = 'a%0D%0Ab'
const others = [
  ...['%E2%80%AE', '%01%1B%7F', '-1', '9'.repeat(400), '1e309', 'NaN', '__proto__', '10000-01-01T00:00:00Z'],
  ...['2026-02-30', '25:99', 'de_DE', 'de-u-nu-arab', '00000000-0000-4000-8000-000000000000'],
  ...['00000000-0000-4000-8000-00000000000Z', "' or 1=1 --", 'x'.repeat(50_000), 'http://[', 'null'],
  ...['Europe/Nowhere', '%5B%5D'],
]

/**
 * Returns the texts for a field. On PostgreSQL every field gets a zero byte and half a pair, and every fourth one of the
 * others. On SQLite a field gets one of all. The long form at its full length tries all.
 */
function textsFor(engine: Engine, index: number): string[] {
  const all = [twoLines, ...zeros, half, ...others]
  if (isWhole) return all
  const oneOf = (texts: string[]) => texts.slice(index % texts.length).slice(0, 1)
  if (engine === 'sqlite') return oneOf(all)
  return [...oneOf(zeros), half, ...(index % 4 === 0 ? oneOf(others) : [])]
}

const form = { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost', ...sameOrigin }

onOneEngine('sqlite', 'hostile texts in the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let salon = ''
  let pages: ConsolePages
  beforeAll(async () => {
    service = await startTestService(engine)
    const booker = await makeEverything(service)
    salon = booker.business.id
    const place = { businessId: salon }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    pages = await readAllPages(service, owner, '/console')
  })
  afterAll(() => service.stop())

  const send = (action: string, fields: Record<string, string>) => {
    const pairs = Object.entries(fields).map(([name, value]) => `${encodeURIComponent(name)}=${value}`)
    const headers = { ...form, cookie: owner.cookie }
    return service.call('POST', `/${action}`, { rawBody: pairs.join('&'), headers })
  }
  const encoded = ({ fields }: PageForm) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, encodeURIComponent(value)]))

  test('are refused where a form only searches', async () => {
    const { business } = bookerOf(service)
    const { service_id, location_id } = offer(business, 'Haircut', 'Mitte')
    const fields = { service: service_id, location: location_id, at_business: salon }
    for (const search of [{ do: 'find', q: 'a%00bc' }, { pick: 'a%00b@example.com' }]) {
      const { status } = await send('/console/book', { ...fields, ...search })
      expect({ search, status }).toEqual({ search, status: 422 })
    }
  })

  test(
    'are never a fault of ours in any field of any form, and no connection is cut',
    { timeout: 300_000 },
    async () => {
      const seen = new Set<string>()
      const statuses = new Set<number>()
      // forms that remove things come last, so that the others have something to work on
      const isRemoving = ({ action }: PageForm) => /remove|erase|revoke|logout|end/.test(action)
      const posted = pages.forms.filter(
        ({ method, action }) => method === 'post' && !action.includes('logout'),
      )
      for (const one of posted.toSorted((a, b) => Number(isRemoving(a)) - Number(isRemoving(b)))) {
        const kind = one.action.replaceAll(/[0-9a-f-]{36}/g, ':id')
        for (const [index, name] of Object.keys(one.fields).entries()) {
          const field = `${kind} ${name.replaceAll(/[0-9a-f-]{36}|\d+/g, ':id').replace(/^\w+day\./, ':day.')}`
          if (seen.has(field)) continue
          seen.add(field)
          for (const text of textsFor(engine, index)) {
            const reply = await send(one.action, { ...encoded(one), [name]: text })
            statuses.add(reply.status)
            if (reply.status >= 500)
              expect({ field, text: text.slice(0, 50), status: reply.status }).toBe('below 500')
          }
        }
      }
      expect(seen.size).toBeGreaterThan(100)
      for (const status of [303, 409, 422]) expect(statuses).toContain(status)
    },
  )

  test('are never a fault of ours in any query or address', { timeout: 300_000 }, async () => {
    const routes = service.app.server.knownRoutes.filter(
      ({ method, url }) => method === 'GET' && url.startsWith('/console'),
    )
    const get = async (path: string) => {
      const { status } = await service.call('GET', `/${path}`, {
        headers: { host: 'localhost', cookie: owner.cookie },
      })
      if (status >= 500) expect({ path: path.slice(0, 100), status }).toBe('below 500')
    }
    let asked = 0
    for (const { url, options } of routes) {
      const { properties = {} } = (options.schema?.querystring ?? {}) as { properties?: object }
      const id = (await service.rows('bookings'))[0]?.['id']
      for (const text of textsFor(engine, url.length).map((one) => one.slice(0, 3_000))) {
        if (url.includes(':id')) await get(url.replaceAll(':id', text.replaceAll('/', '%2F')))
        for (const name of Object.keys(properties)) {
          await get(`${url.replaceAll(':id', String(id))}?${name}=${text}`)
          asked += 1
        }
      }
    }
    expect(asked).toBeGreaterThan(200)
  })

  test('are never a fault of ours on the page and in the forms of the waiting list', async () => {
    const { business, call } = bookerOf(service)
    const offered = offer(business, 'Haircut', 'Mitte')
    const { body } = await call('POST', '/waitlist', {
      ...{ ...offered, from: '2026-11-24', to: '2026-11-24' },
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
    })
    const path = await entryPath(service.context, String(body.id))
    const wish = { service_id: offered.service_id, location_id: offered.location_id, first_name: 'Ada' }
    const forms: [action: string, fields: Record<string, string>][] = [
      ...['take', 'decline'].map((act) => [`${path}/${act}`, { offer: '' }] as [string, { offer: string }]),
      ['/console/waitlist/new', { ...wish, from: '2026-11-24', to: '2026-11-25', email: '', phone: '' }],
      [`/console/waitlist/${body.id}`, { action: 'offer', date: '2026-11-24', time: '10:00' }],
    ]
    for (const [index, [action, fields]] of forms.entries())
      for (const name of Object.keys(fields))
        for (const text of textsFor(engine, index)) {
          const { status } = await send(action, { ...fields, [name]: text })
          if (status >= 500) expect({ action, name, text: text.slice(0, 50), status }).toBe('below 500')
        }
    for (const text of textsFor(engine, 0).map((one) => one.slice(0, 3_000).replaceAll('/', '%2F')))
      for (const url of [`//w/${text}`, `/${path}?now=${text}`]) {
        const { status } = await service.call('GET', url, { headers: { host: 'localhost' } })
        if (status >= 500) expect({ url: url.slice(0, 100), status }).toBe('below 500')
      }
  })

  test('are never a fault of ours in forms about series and a person who is away', async () => {
    const { business, staffId } = bookerOf(service)
    const { service_id, location_id } = offer(business, 'Haircut', 'Mitte')
    const [block] = await service.rows('blocks')
    const insteadOf = (time: string) => `instead.${time}`
    const series = {
      ...{ at_business: salon, service: service_id, location: location_id, who: staffId('Anna'), do: 'book' },
      ...{
        date: '2026-11-24',
        time: '10:00',
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: '',
        phone: '',
      },
      ...{ 'repeat.every': 'week', 'repeat.interval': '1', 'repeat.count': '2', conflicts: '' },
      [insteadOf('2026-11-24T09:00:00.000Z')]: '2026-11-24T11:00:00.000Z',
    }
    const rest = { at_business: salon, do: 'cancel_rest', cancel_reason: '', tell: 'on' }
    const forms: [action: string, fields: Record<string, string>][] = [
      ['/console/book', series],
      [`/console/away/${String(block?.['id'])}`, rest],
      [`/me/${salon}/series`, { series_id: '' }],
    ]
    const check = async (action: string, fields: Record<string, string>, text: string) => {
      const { status } = await send(action, fields)
      if (status >= 500) expect({ action, text: text.slice(0, 50), status }).toBe('below 500')
    }
    for (const [index, [action, fields]] of forms.entries())
      for (const name of Object.keys(fields))
        for (const text of textsFor(engine, index)) await check(action, { ...fields, [name]: text }, text)
    for (const text of textsFor(engine, 0).map((one) => decodeURIComponent(one.replace(half, ''))))
      await check('/console/book', { ...series, [insteadOf(text)]: '2026-11-24T12:00:00.000Z' }, text)
  })

  test('are refused by a form as by the API, with the field named', async () => {
    const find = (path: string, field: string) => {
      const found = pages.forms.find(({ action, fields }) => action === path && field in fields)
      if (!found) throw new Error(`no form at ${path}`)
      return found
    }
    for (const [path, field] of [
      ['/console/people/new', 'name'],
      ['/console/services/new', 'name'],
      ['/console/settings', 'name'],
      ['/console/settings', 'locale'],
      ['/console/calendars/busy/new', 'url'],
      ['/console/start/people', 'names'],
      ['/console/users/new', 'name'],
    ] as const) {
      const one = find(path, field)
      const fields = path.endsWith('start/people') ? { ...encoded(one), who: 'several' } : encoded(one)
      for (const text of ['a%00b', ...(field === 'locale' ? ['de_DE', 'de-u-nu-arab'] : [])]) {
        const { status, body } = await send(path, { ...fields, [field]: text })
        expect({ path, text, status }).toEqual({ path, text, status: 422 })
        expect(String(body)).toContain(`id="${field}-fault"`)
      }
    }
  })

  test.each(['de_DE', 'de-u-nu-arab', 'x', ''])(
    'a stored language %j leaves the settings readable',
    async (locale) => {
      await changeRows(service, sql`update businesses set locale = ${locale} where id = ${salon}`)
      const headers = { host: 'localhost', cookie: owner.cookie }
      const page = await service.call('GET', '//console/settings', { headers })
      expect(page.status).toBe(200)
      expect(textOf(page)).toContain('Settings')
      expect((await service.call('GET', '//console/mails/preview', { headers })).status).toBe(200)
      await changeRows(service, sql`update businesses set locale = 'de' where id = ${salon}`)
    },
  )

  test('the API refuses a language with an extension and an address with control characters', async () => {
    for (const locale of ['de_DE', 'de-u-nu-arab', 'de\u0000'])
      expect(await owner.call('PATCH', `/businesses/${salon}`, { locale })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/locale' }] },
      })
    const staff = (await service.rows('staff')).find(({ business_id }) => business_id === salon)
    for (const control of ['\u0000', '\r', '\n']) {
      const url = `https://calendar.example.com/a${control}b.ics`
      expect(await owner.call('POST', '/busy-calendars', { staff_id: staff?.['id'], url })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/url' }] },
      })
    }
  })
})
