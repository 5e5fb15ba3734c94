import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the numbers of a business in the console', (engine) => {
  let service: TestService
  let manager: LoggedIn
  let salon: ReturnType<typeof bookerOf>
  const show = (query = '', who = manager, headers = {}) =>
    readConsole(service, `/console/numbers${query}`, who, headers)
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = bookerOf(service)
    const place = { businessId: salon.business.id }
    manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
  })
  afterAll(() => service.stop())

  test('say what to do where nothing was booked', async () => {
    const page = await show()
    expect(page.status).toBe(200)
    expect(textOf(page)).toContain('No bookings in this period.')
    expect(page.body).not.toContain('<table')
  })

  test('are told in sentences, plots and tables, in the language of the browser', async () => {
    const anna = { staff_id: salon.staffId('Anna') }
    await salon.book('Haircut', '2026-11-24T10:00:00+01:00', anna)
    await salon.call('DELETE', `/bookings/${await salon.book('Haircut', '2026-11-25T10:00:00+01:00', anna)}`)
    const days = '?range=own&from=2026-11-23&to=2026-12-06'
    const page = await show(days)
    const text = textOf(page)
    expect(text).toContain('Revenue booked €35')
    expect(text).toContain('Fewer than 10 bookings: too few to show a pattern.')
    expect(text).toContain('€35 booked. Best period:')
    expect(text).toContain('1 new client, 0 returning: 100% came for the first time.')
    expect(text).toContain('No no-shows in this period.')
    expect(text).toContain('Haircut brings the most: 100% of the total.')
    expect(text).toContain('Anna Weber is booked most:')
    expect(text).toMatch(/Who or what Utilisation .* Anna Weber [\d.]+% 0\.5 h [\d.,]+ h 1 0 1 €35 €0/)
    expect(page.body).toContain('role="img" aria-label="Revenue booked (EUR)"')
    expect(page.body).not.toMatch(/ style=|<style|<script(?![^>]* src=)/)
    const german = textOf(await show(days, manager, { 'accept-language': 'de' }))
    expect(german).toContain('1 neuer Kunde, 0 wiederkehrende: 100 % zum ersten Mal.')
    expect(textOf(await show(`${days}&person=${salon.staffId('Ben')}`))).toContain(
      'No bookings in this period.',
    )
  })

  test('begin weeks on the first day of the language', async () => {
    const weeks = '?range=own&from=2026-11-22&to=2026-12-05'
    const rows = async (language: string) => {
      const { body } = await readConsole(service, `/console/numbers.csv${weeks}&report=revenue`, manager, {
        'accept-language': language,
      })
      return String(body).match(/2026[-/]?\d\d[-/]?\d\d|\d\d\.\d\d\.2026/g)
    }
    expect(await rows('ja')).toHaveLength(4) // Sunday to Saturday, twice
    expect(await rows('de')).toHaveLength(6) // a Sunday, a week, six days
    const heads = async (language: string) =>
      textOf(await show(weeks, manager, { 'accept-language': language }))
    expect(await heads('de')).toMatch(/Mo Di Mi Do Fr Sa So/)
    expect(await heads('ja')).toMatch(/日 月 火 水 木 金 土/)
    expect(await heads('ar')).toMatch(/السبت.*الأحد.*الاثنين/)
  })

  test('are those of a usual period or of typed days, next to the period before', async () => {
    const chosen = (page: { body: unknown }) => /<option value="(\w+)" selected/.exec(String(page.body))?.[1]
    expect(chosen(await show())).toBe('month')
    expect(chosen(await show('?range=nonsense'))).toBe('month')
    expect(chosen(await show('?from=2026-10-05&to=2026-10-11'))).toBe('own')
    const start = await show('?range=own&shown=2026-11-23/2026-11-29')
    expect(start.body).toContain('value="2026-11-23"')
    expect(start.body).toContain('/console/numbers.csv?range=own&amp;from=2026-11-23&amp;to=2026-11-29"')
    const periodOf = async (range: string) =>
      textOf(await show(`?range=${range}&location=`)).match(/[^.]* compared with [^.]*/)?.[0]
    expect(await periodOf('month')).toMatch(/1\s?–\s?30 Nov 2026, compared with 1\s?–\s?31 Oct 2026/)
    expect(await periodOf('quarter')).toMatch(
      /1 Oct\s?–\s?31 Dec 2026, compared with 1 Jul\s?–\s?30 Sept? 2026/,
    )
    expect(await periodOf('year')).toMatch(/1 Jan\s?–\s?31 Dec 2026, compared with 1 Jan\s?–\s?31 Dec 2025/)
  })

  test.each([
    ['from=2026-12-06&to=2026-11-23', 'The last day is before the first.'],
    ['from=2026-01-01&to=2027-11-23', 'Choose at most 53 weeks.'],
    ['from=nonsense&to=2026-11-23', 'Choose a day.'],
  ])('keep days that are none, with what is wrong: %s', async (days, fault) => {
    const page = await show(`?range=own&${days}`)
    expect(textOf(page)).toContain(fault)
    for (const typed of days.split('&')) expect(page.body).toContain(`value="${typed.split('=')[1] ?? ''}"`)
    const file = await readConsole(service, `/console/numbers.csv?range=own&${days}`, manager)
    expect(file.status).toBe(303)
  })

  test('are saved as CSV in the form of the language, where a name that begins a formula is none', async () => {
    const id = salon.staffId('Anna')
    await salon.call('PATCH', `/staff/${id}`, { name: '=HYPERLINK("x")' })
    const file = (query: string, language = 'en') =>
      readConsole(service, `/console/numbers.csv?range=own&from=2026-11-23&to=2026-11-29${query}`, manager, {
        'accept-language': language,
      })
    const { body, headers } = await file('')
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' })
    expect(body).toContain('\uFEFFFrom,To,Who or what,Bookings,')
    expect(body).toMatch(/,Gaps filled from the waiting list\r\n2026-11-23,.*,0\r\n/)
    expect(body).toContain(`2026-11-23,2026-11-29,"'=HYPERLINK(""x"")",1,0,1,0.50,`)
    expect((await file('', 'de')).body).toContain(`23.11.2026;29.11.2026;"'=HYPERLINK(""x"")";1;0;1;0,50;`)
    expect((await file('&report=revenue', 'de')).body).toBe(
      '\uFEFFVon;Bis;Umsatz (EUR);Entgangen (EUR)\r\n23.11.2026;29.11.2026;35,00;0,00\r\n',
    )
    expect((await file('&report=lead')).body).toContain('Days ahead,Bookings,Share\r\n0,0,0.0\r\n')
  })

  test('are for managers, of their business alone', async () => {
    const place = { businessId: salon.business.id }
    const staffId = salon.staffId('Ben')
    const staff = await logInNewPerson(service, { email: 'ben@example.com', role: 'staff', place, staffId })
    expect(await show('', staff)).toMatchObject({ status: 404 })
    expect((await readConsole(service, '/console/numbers.csv', staff)).status).toBe(303)
    expect((await readConsole(service, '/console', staff)).body).not.toContain('/console/numbers')
    const elsewhere = await logInNewPerson(service, {
      email: 'other@example.com',
      role: 'owner',
      place: { businessId: businessOf(service.world, 'Hudson Studio').id },
    })
    const query = `?range=own&from=2026-11-23&to=2026-12-06&business=${salon.business.id}`
    const foreign = await show(query, elsewhere)
    expect(foreign).toMatchObject({ status: 404 })
    expect(textOf(foreign)).toContain('Page not found')
    expect(await readConsole(service, '/console/numbers', { cookie: '' })).toMatchObject({
      body: expect.stringContaining('<h1>Log in</h1>'),
    })
  })
})
