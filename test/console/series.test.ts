import { afterAll, beforeAll, expect, test } from 'vitest'
import { formValues, readConsole } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'

/** Returns the words of a page. */
const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

onOneEngine('sqlite', 'series in the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  const idOf = (all: readonly { id: string; name: string }[], name: string) =>
    all.find((one) => one.name === name)?.id ?? ''
  const send = (path: string, given: Record<string, string>) =>
    sendForm(service, path, given, { cookie: owner.cookie })
  const book = (date: string, more: Record<string, string> = {}) =>
    send('/console/book', {
      once: crypto.randomUUID(),
      service: idOf(booker.business.services, 'Haircut'),
      location: idOf(booker.business.locations, 'Mitte'),
      who: booker.staffId('Anna'),
      ...{ date, time: '10:00', first_name: 'Grace', last_name: 'Hopper', email: '', phone: '', notes: '' },
      ...{ 'repeat.every': 'week', 'repeat.interval': '4', 'repeat.count': '3', do: 'book' },
      ...more,
    })
  const idIn = (reply: Reply) => /bookings\/([0-9a-f-]{36})/.exec(reply.headers['location'] ?? '')?.[1] ?? ''
  const read = async (path: string) => String((await readConsole(service, path, owner)).body)
  const seriesOf = async (id: string) => {
    const { series_id } = (await booker.call('GET', `/bookings/${id}`)).body as { series_id: string }
    const { data } = (await booker.call('GET', '/bookings?limit=100&sort=starts_at')).body as {
      data: { id: string; series_id?: string; starts_at: string; status: string; staff: { name: string } }[]
    }
    return data.filter((one) => one.series_id === series_id)
  }
  const change = async (id: string, form: string, more: Record<string, string>) => {
    const page = await read(`/console/bookings/${id}/${form}`)
    const action = /action="([^"]*\/(?:move|cancel|person)[^"]*)"/.exec(page)?.[1] ?? ''
    const values = formValues(page, action)
    return send(action.replaceAll('&amp;', '&').split('?')[0] ?? '', { ...values, ...more })
  }

  test('the form books every 4 weeks, 3 times; the page of one lists all dates', async () => {
    const form = await read(
      `/console/book?service=${idOf(booker.business.services, 'Haircut')}&date=2026-12-01&start=2026-12-01T09:00:00Z`,
    )
    expect(form).toMatch(/name="repeat.every"/)
    const booked = await book('2026-12-01')
    expect(booked.status, String(booked.body)).toBe(303)
    const all = await seriesOf(idIn(booked))
    expect(all.map(({ starts_at }) => starts_at)).toEqual([
      '2026-12-01T10:00:00+01:00',
      '2026-12-29T10:00:00+01:00',
      '2027-01-26T10:00:00+01:00',
    ])
    const page = textOf(await read(`/console/bookings/${all[1]?.id ?? ''}`))
    expect(page).toContain('Dates of this series')
    expect(page).toContain('(2/3)')
    const calendar = await read('/console?date=2026-12-29&view=day')
    expect(calendar).toMatch(/aria-label="10:00 Grace Hopper Haircut, [^"]*, Series"/)
  })

  test('dates that are not free are shown with other times before anything is booked', async () => {
    await booker.book('Haircut', '2027-03-30T10:00:00+02:00', { staff_id: booker.staffId('Anna') })
    const refused = await book('2027-03-02')
    expect(refused.status).toBe(422)
    const text = textOf(String(refused.body))
    expect(text).toContain('These dates are not free:')
    expect(text).toMatch(/30 Mar.*Free nearby:.*30 Mar/)
    expect(text).not.toContain('Free at the same time') // as the first date, which is free
    expect(String(refused.body)).toMatch(/<select[^>]*name="repeat.every"[^]*?value="week"\s+selected/)
    expect(String(refused.body)).toContain('name="conflicts"')
    const { data } = (await booker.call('GET', '/bookings?from=2027-03-01T00:00:00Z&to=2027-03-04T00:00:00Z'))
      .body
    expect(data).toEqual([])
    const [, name = '', other = ''] =
      /name="(instead\.[^"]+)"\s+value="([^"]+)"/.exec(String(refused.body)) ?? []
    const moved = await book('2027-03-02', { [name]: other })
    expect(moved.status, textOf(String(moved.body))).toBe(303)
    const dates = (await seriesOf(idIn(moved))).map(({ starts_at }) => starts_at)
    expect(dates).toHaveLength(3)
    expect(dates.map((date) => Date.parse(date))).toContain(Date.parse(other))
    expect((await change(idIn(moved), 'cancel', { series: 'all' })).status).toBe(303)
    const booked = await book('2027-03-02', { conflicts: 'on' })
    expect(booked.status).toBe(303)
    expect(await seriesOf(idIn(booked))).toHaveLength(2)
  })

  test('dates on which the person is away or the place is closed are shown, too, and booked on request', async () => {
    const span = { starts_at: '2027-01-26T00:00:00+01:00', ends_at: '2027-01-27T00:00:00+01:00' }
    await booker.call('POST', '/blocks', { staff_id: booker.staffId('Anna'), ...span, reason: 'Away' })
    const refused = await book('2026-12-01', { time: '15:00' })
    expect(refused.status).toBe(422)
    const text = textOf(String(refused.body))
    expect(text).toMatch(
      /26 Jan.*That time is blocked\..*Free nearby:.*Book without these dates.*Book anyway/,
    )
    const sundays = await book('2026-12-05', { 'repeat.every': 'day', 'repeat.interval': '1' })
    expect(textOf(String(sundays.body))).toMatch(/6 Dec.*That is outside opening hours\./)
    const skipped = await book('2026-12-01', { time: '15:00', conflicts: 'on' })
    expect(await seriesOf(idIn(skipped))).toHaveLength(2)
    const forced = await book('2026-12-01', { time: '16:00', unusual: 'on' })
    expect((await seriesOf(idIn(forced))).map(({ starts_at }) => starts_at)).toContain(
      '2027-01-26T16:00:00+01:00',
    )
  })

  test('a wrong number of times is marked', async () => {
    const refused = await book('2027-05-04', { 'repeat.count': '53' })
    expect(refused.status).toBe(422)
    expect(String(refused.body)).toMatch(/name="repeat.count"[^>]*aria-invalid/)
  })

  test('the forms to move, reassign and cancel ask which appointments', async () => {
    const booked = await book('2027-06-01')
    const [first, second, third] = await seriesOf(idIn(booked))
    const id = second?.id ?? ''
    expect(textOf(await read(`/console/bookings/${id}/cancel`))).toContain('This and the later ones')
    const moved = await change(id, 'move', { series: 'following', time: '11:00', do: 'move', anyway: 'on' })
    expect(moved.status, textOf(String(moved.body))).toBe(303)
    expect((await seriesOf(id)).map(({ starts_at }) => starts_at.slice(11, 16))).toEqual([
      '10:00',
      '11:00',
      '11:00',
    ])
    const given = await change(id, 'person', { series: 'all', staff_id: booker.staffId('Ben') })
    expect(given.status, textOf(String(given.body))).toBe(303)
    expect((await seriesOf(id)).map(({ staff }) => staff.name.split(' ')[0])).toEqual(['Ben', 'Ben', 'Ben'])
    expect((await change(third?.id ?? '', 'cancel', { series: 'this' })).status).toBe(303)
    expect((await change(first?.id ?? '', 'cancel', { series: 'all' })).status).toBe(303)
    expect((await seriesOf(id)).map(({ status }) => status)).toEqual(Array(3).fill('cancelled'))
  })

  test('a booking that stands alone has no such choice', async () => {
    const alone = await book('2027-09-07', { 'repeat.every': '' })
    expect(await read(`/console/bookings/${idIn(alone)}/cancel`)).not.toContain('name="series"')
  })
})
