import { afterAll, beforeAll, expect, test } from 'vitest'
import { DayGrid } from '../../src/console/calendar/day-layout.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const day = '2026-11-20'

onOneEngine('sqlite', 'the calendar of the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  const show = async (query = '', cookie = owner.cookie, language = 'en-GB') => {
    const headers = { host: 'localhost', cookie, 'accept-language': language }
    const { body } = await service.call('GET', `//console${query}`, { headers })
    return String(body)
  }
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  test('shows today whole without a script: bookings, holds, blocks and when to book', async () => {
    const { book, hold, call, staffId } = booker
    const id = await book('Haircut', `${day}T10:30:00+01:00`, { staff_id: staffId('Anna') })
    await hold('Haircut', `${day}T15:00:00+01:00`, { staff_id: staffId('Anna') })
    const reason = '<Training>'
    const block = {
      staff_id: staffId('Ben'),
      starts_at: `${day}T16:00:00Z`,
      ends_at: `${day}T17:00:00Z`,
      reason,
    }
    await call('POST', '/blocks', block)
    const page = await show()
    expect(page).toContain('20 November<')
    expect(page).toContain(`href="/console/bookings/${id}"`)
    expect(page).toContain('held, 10:00 left')
    expect(page).toContain('Blocked: &lt;Training&gt;')
    expect(page).toMatch(/href="\/console\/book\?start=2026-11-20T/)
    expect(page).not.toMatch(/style=|<script>/)
  })

  test('speaks German, and shows a week of one person', async () => {
    const page = await show(`?view=week&who=${booker.staffId('Anna')}`, owner.cookie, 'de')
    expect(page).toContain('>16.–22. November<')
    expect(page).toContain('Mo., 16. Nov.')
    expect(page).toContain('So., 22. Nov.')
    expect(page).toContain('Rückgängig')
    expect(page).not.toContain('Ben Fischer</bdi></h2>')
    expect(await show('?view=list', owner.cookie, 'de')).toContain('in 30 Minuten')
  })

  test('the part that changes leads to the page if it is opened as one', async () => {
    const read = (dest: string) =>
      service.call('GET', '//console/calendar?view=week&date=2026-11-20', {
        headers: { host: 'localhost', cookie: owner.cookie, 'sec-fetch-dest': dest },
      })
    expect(await read('document')).toMatchObject({
      ...{ status: 303, headers: { location: '/console?view=week&date=2026-11-20' } },
    })
    expect((await read('empty')).status).toBe(200)
  })

  test('one button of the list marks the next client as arrived, and leads back to the list', async () => {
    const card = /class="cal-next"[^]*?<\/section>/.exec(await show('?view=list'))?.[0] ?? ''
    const action = /action="([^"]*)"/.exec(card)?.[1] ?? ''
    const values = Array.from(card.matchAll(/name="(\w+)" value="([^"]*)"/g), ([, name = '', value = '']) => [
      name,
      value,
    ])
    const sent = await sendForm(service, action, Object.fromEntries(values) as Record<string, string>, owner)
    expect(sent).toMatchObject({
      status: 303,
      headers: { location: expect.stringContaining('/console?view=list&done=arrived&undo=') as string },
    })
    expect(await show('?view=list&done=arrived')).toMatch(/Marked as arrived\.[^]*in progress/)
  })

  test.each([
    ['2026-03-29', ['1:00', '3:00'], '2:00'],
    ['2026-10-25', ['2:00 CEST', '2:00 CET', '3:00'], undefined],
  ])('on %s it has the hours that the clocks show', async (date, hours, missing) => {
    const page = await show(`?date=${date}&hours=all`)
    const shown = Array.from(page.matchAll(/class="cal-hour[^"]*"\s*>([^<]+)</g), ([, text = '']) =>
      text.trim(),
    )
    expect(shown).toEqual(expect.arrayContaining(hours))
    expect(shown).toHaveLength(date === '2026-03-29' ? 23 : 25)
    if (missing) expect(shown).not.toContain(missing)
  })

  test('a day shows the hours of its locations, and longer ones with an earlier appointment', async () => {
    const hoursOf = async (date: string) => {
      const page = await show(`?date=${date}`)
      return Array.from(page.matchAll(/class="cal-hour[^"]*"\s*>([^<]+)</g), ([, text = '']) => text.trim())
    }
    const date = '2026-12-02'
    const usual = await hoursOf(date) // one person has longer hours, for a location that is always open
    expect([usual[0], usual.at(-1)]).toEqual(['9:00', '17:00'])
    const online = booker.business.locations.find(({ name }) => name === 'Online')?.id ?? ''
    const early = { staff_id: booker.staffId('Ben'), location_id: online }
    await booker.book('Haircut', `${date}T07:30:00+01:00`, early)
    expect((await hoursOf(date))[0]).toBe('7:00')
  })

  test('lists when anybody is free, and who', async () => {
    const tuesday = '2026-11-24'
    await booker.book('Haircut', `${tuesday}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    await booker.book('Haircut', `${tuesday}T10:00:00+01:00`, { staff_id: booker.staffId('Ben') })
    const page = await show(`?view=list&date=${tuesday}`)
    const gaps = (page.match(/<li class="gap"[\s\S]*?<\/li>/g) ?? []).map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .replace(/ Book .* free/, '')
        .trim(),
    )
    expect(gaps).toContain('10:00–10:30 Clara Neumann')
    expect(gaps.some((row) => /^\S+–10:00 .*Anna Weber/.test(row))).toBe(true)
    expect(gaps.some((row) => /^10:30–\S+ .*Anna Weber ?, .*Ben Fischer/.test(row))).toBe(true)
    expect(page).toMatch(new RegExp(`start=${tuesday}T09%3A00%3A00.000Z&amp;who=${booker.staffId('Clara')}`))
  })

  test('leads from a free time that is over to the form that enters it afterwards, 31 days back', async () => {
    const anna = booker.staffId('Anna')
    const who = `${anna}&location=${booker.business.locations.find(({ name }) => name === 'Mitte')?.id ?? ''}`
    const overOf = async (query: string) =>
      (await show(query)).match(/<li\s+class="free is-over[^]*?<\/li>/g) ?? []
    const [yesterday = ''] = await overOf(`?date=2026-11-19&who=${who}`)
    expect(yesterday).toContain('aria-label="Add past appointment, 9:00–18:00 free"')
    expect(yesterday).toContain(`/console/book?start=2026-11-19T08%3A00%3A00.000Z&amp;who=${anna}`)
    const page = await show(`?date=${day}&who=${who}`)
    expect(page).toMatch(/Add past appointment, 9:00–10:00 free[^]*Book, 10:00–10:30 free/)
    expect(await overOf(`?date=2026-10-19&who=${who}`)).toEqual([])
    expect(await show(`?date=2026-11-19&who=${who}&view=list`)).not.toContain('Add past appointment')
  })

  test('marks the view that a width shows', async () => {
    const marked = (page: string) =>
      Array.from(page.matchAll(/aria-current="page"\s*>(Day|Week|List)</g), ([, view]) => view)
    expect(marked(await show())).toEqual(['Day', 'List']) // one of both is hidden
    expect(marked(await show('?view=week'))).toEqual(['Week'])
  })

  test('masks the clients of others for staff, and shows nothing of another business', async () => {
    const place = { businessId: booker.business.id }
    const request = {
      email: 'clara@example.com',
      role: 'staff',
      place,
      staffId: booker.staffId('Clara'),
    } as const
    const clara = await logInNewPerson(service, request)
    const page = await show('?view=list&who=all', clara.cookie)
    expect(page).toContain('Ada L.')
    expect(page).not.toContain('Ada Lovelace')
    const other = businessOf(service.world, 'Hudson Studio')
    const foreign = await show(`?business=${other.id}&location=${other.locations[0]?.id ?? ''}`)
    expect(foreign).not.toContain('Dana Brooks')
  })

  test('staff read neither why colleagues are away nor who comes to them next, and book themselves only', async () => {
    const date = '2026-11-20'
    const place = { businessId: booker.business.id }
    const request = { email: 'ben@example.com', role: 'staff', place } as const
    const ben = await logInNewPerson(service, { ...request, staffId: booker.staffId('Ben') })
    const times = { starts_at: `${date}T17:00:00+01:00`, ends_at: `${date}T17:30:00+01:00` }
    const blocked = async (name: string, reason: string) =>
      (await booker.call('POST', '/blocks', { staff_id: booker.staffId(name), ...times, reason })).body.id
    const ofAnna = await blocked('Anna', 'Dentist')
    const ofBen = await blocked('Ben', 'Piano')
    const next = await booker.book('Haircut', `${date}T11:30:00+01:00`, { staff_id: booker.staffId('Ben') })
    for (const view of ['day', 'list']) {
      const page = await show(`?view=${view}&date=${date}`, ben.cookie)
      expect(page).not.toContain('Dentist')
      expect(page).not.toContain(`/console/block/${ofAnna}`)
      expect(page).toContain('Blocked: Piano')
      expect(page).toContain(`/console/block/${ofBen}`)
      const booked = Array.from(page.matchAll(/\/console\/book\?start=[^"]*who=([^"&]*)/g), ([, who]) => who)
      expect(new Set(booked)).toEqual(new Set([booker.staffId('Ben')]))
    }
    const page = await show(`?view=list&date=${date}`, ben.cookie)
    expect(/class="cal-next"[^]*?<\/section>/.exec(page)?.[0]).toContain(next)
    const block = await service.call('GET', `//console/block/${ofAnna}`, {
      headers: { host: 'localhost', cookie: ben.cookie },
    })
    expect(block.body).not.toContain('Dentist')
    const week = await show(`?view=week&who=${booker.staffId('Clara')}`, ben.cookie)
    expect(week).not.toMatch(/\/console\/(book|block)\?[^"]*who=/)
    expect(week).not.toContain('/console/book?start=')
  })

  test('a day after the week of the first person is that of everybody', async () => {
    const week = await show('?view=week')
    const [, day = ''] = /href="(\/console\?view=day[^"]*)"/.exec(week) ?? []
    expect(day).not.toContain('who=')
    expect(week).toContain(`/console/book?date=2026-11-20&amp;who=${booker.staffId('Anna')}`)
    const chosen = await show(`?view=week&who=${booker.staffId('Ben')}`)
    expect(chosen).toMatch(new RegExp(`href="/console\\?view=day[^"]*who=${booker.staffId('Ben')}`))
  })

  test('a week is of whom one chose', async () => {
    const ben = booker.staffId('Ben')
    const id = await booker.book('Haircut', `${day}T11:00:00+01:00`, { staff_id: ben })
    const page = await show(`?view=week&who=${ben}`)
    expect(page).toContain(`data-who="${ben}"`)
    expect(page).not.toContain(`data-who="${booker.staffId('Anna')}"`)
    expect(page).toContain(`href="/console/bookings/${id}"`)
  })

  test('the part that changes is sent again only when something has changed, or a minute is over', async () => {
    const path = `//console/calendar?date=${day}`
    const ask = (tag = '', cookie = owner.cookie) =>
      service.call('GET', path, { headers: { host: 'localhost', cookie, 'if-none-match': tag } })
    const first = await ask()
    expect(first.status).toBe(200)
    expect(String(first.body)).toMatch(/^<div\s+id="calendar"/)
    expect(first.headers['cache-control']).toBe('no-store') // nobody finds it after the log-out
    const tag = first.headers['etag']
    expect([tag, await ask(tag).then(({ status }) => status)]).toEqual([expect.any(String), 304])
    const id = await booker.book('Haircut', `${day}T12:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const second = await ask(tag)
    expect([second.status, String(second.body).includes(id)]).toEqual([200, true])
    expect((await ask(second.headers['etag'])).status).toBe(304)
    service.clock.advance(60)
    expect((await ask(second.headers['etag'])).status).toBe(200)
    const out = await ask(tag, '')
    expect([out.status, out.body.code]).toEqual([401, 'invalid_credentials'])
  })

  test('what does not fit in its address is as if it were not there', async () => {
    expect(await show('?date=2026-02-30&view=year&who=nobody&location=nowhere')).toContain('20 November<')
  })

  test('a large salon has no list of phones on a computer', async () => {
    const headers = { host: 'localhost', cookie: owner.cookie, 'sec-ch-ua-mobile': '?0' }
    const read = async () => String((await service.call('GET', '//console', { headers })).body)
    expect(await read()).toContain('class="as-list"')
    for (let number = 1; number <= 10; number += 1)
      await booker.call('POST', '/staff', { name: `P${number}` })
    const large = await read()
    expect(large).toContain('class="as-grid"')
    expect(large).not.toContain('class="as-list"')
    expect(await show()).toContain('class="as-list"')
  })
})

test('rows of a week with a doubled hour: other days have it once', () => {
  const grid = new DayGrid(['2026-10-24', '2026-10-25'], 'Europe/Berlin')
  const [saturday, sunday] = grid.days
  if (!saturday || !sunday) throw new Error('no days')
  expect(grid.rows).toBe(25 * 12)
  const at = (text: string) => ({ from: Date.parse(text), to: Date.parse(text) + 300_000 })
  expect(grid.rowsOf(at('2026-10-24T03:00:00+02:00'), saturday)).toEqual({ first: 48, end: 49 })
  expect(grid.rowsOf(at('2026-10-25T02:00:00+02:00'), sunday)).toEqual({ first: 24, end: 25 })
  expect(grid.rowsOf(at('2026-10-25T02:00:00+01:00'), sunday)).toEqual({ first: 36, end: 37 })
  expect(grid.rowsOf(at('2026-10-25T03:00:00+01:00'), sunday)).toEqual({ first: 48, end: 49 })
  expect(grid.rowsOf(at('2026-10-25T03:00:00+01:00'), saturday)).toBeUndefined()
})
