import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('postgres', 'the numbers of a business in the console', (engine) => {
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

  test('are told as a table and as plots whose text it is, in the language of the browser', async () => {
    const anna = { staff_id: salon.staffId('Anna') }
    await salon.book('Haircut', '2026-11-24T10:00:00+01:00', anna)
    await salon.call('DELETE', `/bookings/${await salon.book('Haircut', '2026-11-25T10:00:00+01:00', anna)}`)
    const page = await show('?range=own&from=2026-11-23&to=2026-12-06')
    const text = textOf(page)
    expect(text).toMatch(
      /Who or what Utilisation Bookings No-shows Cancelled Booked Anna Weber [\d.]+% 1 0 1 0\.5 h/,
    )
    expect(text).toMatch(/23\s–\s29 Nov 2026 1 0 1/)
    expect(page.body).toContain('role="img" aria-label="Bookings, no-shows and cancellations by week')
    expect(page.body).not.toMatch(/ style=|<style|<script(?![^>]* src=)/)
    const german = await show('?range=own&from=2026-11-23&to=2026-12-06', manager, {
      'accept-language': 'de',
    })
    expect(textOf(german)).toContain('Nach Person Wer oder was')
  })

  test('are those of the days that somebody types, whatever range is chosen beside them', async () => {
    const chosen = (page: { body: unknown }) => /<option value="(\w+)" selected/.exec(String(page.body))?.[1]
    const week = await show()
    const [, shown = ''] = /name="shown" value="([^"]+)"/.exec(String(week.body)) ?? []
    const [from = '', to = ''] = shown.split('/')
    const typed = await show(`?range=week&from=2026-10-05&to=2026-10-11&shown=${shown}`)
    expect(textOf(typed)).toMatch(/Mon, 5 Oct 2026 to Sun, 11 Oct 2026/)
    expect(chosen(typed)).toBe('own')
    expect(typed.body).toContain('/console/numbers.csv?range=own&amp;from=2026-10-05&amp;to=2026-10-11')
    expect(chosen(await show(`?range=year&from=${from}&to=${to}&shown=${shown}`))).toBe('year')
    expect(chosen(await show('?from=2026-10-05&to=2026-10-11'))).toBe('own')
    expect(chosen(await show('?range=weeks&from=2026-10-05&to=2026-10-11'))).toBe('weeks')
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

  test('are saved as CSV, where a name that begins a formula is none', async () => {
    const id = salon.staffId('Anna')
    await salon.call('PATCH', `/staff/${id}`, { name: '=HYPERLINK("x")' })
    const query = 'range=own&from=2026-11-23&to=2026-11-29'
    const { body, headers } = await readConsole(service, `/console/numbers.csv?${query}`, manager)
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' })
    expect(body).toContain(`2026-11-23,2026-11-29,"'=HYPERLINK(""x"")",,,1,0,1,30,`)
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
