import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const day = '2026-12-01'
const at = (time: string) => `${day}T${time}:00+01:00`

onOneEngine('sqlite', 'visits in the calendar of the console', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let salon: VisitSalon
  let owner: LoggedIn
  /** A cut by Anna, then a colour by Ben, whose time from 11:00 to 11:30 is free. */
  let visit: BookedReply
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    const place = { businessId: business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    salon = await makeVisitSalon(service, business)
    visit = await salon.book(at('10:00'), {
      items: [
        { service_id: salon.cut, staff_id: salon.anna },
        { service_id: salon.colour, staff_id: salon.ben },
      ],
    })
    const grace = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' }
    await salon.book(at('11:00'), { items: [{ service_id: salon.cut, staff_id: salon.ben }], client: grace })
    await call('/blocks', {
      ...{ resource_id: salon.basin, reason: 'Leak' },
      ...{ starts_at: at('16:00'), ends_at: at('17:00') },
    })
  })
  afterAll(() => service.stop())

  const call = async (path: string, body: object) => {
    const reply = await service.call('POST', path, { token: business.key, body })
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  }
  const show = async (query = '', person = owner, headers: Record<string, string> = {}) =>
    String((await readConsole(service, `/console?date=${day}${query}`, person, headers)).body)
  /** Returns the column of a person or room, as HTML. */
  const columnOf = (page: string, id: string) =>
    (page.match(/<section[^]*?<\/section>/g) ?? []).find((column) => column.includes(`data-who="${id}"`)) ??
    ''
  /** Returns of each booking what a screen reader says, the number of its item, and its text. */
  const entriesOf = (column: string) =>
    (column.match(/<li\s+class="booking [^]*?<\/li>/g) ?? []).map((body) => [
      /aria-label="([^"]*)"/.exec(body)?.[1],
      /data-part="([^"]*)"/.exec(body)?.[1],
      textOf({ body }).trim(),
    ])

  test('each item is in the column of its person, with its number and the others', async () => {
    const page = await show()
    const [anna, ben] = [columnOf(page, salon.anna), columnOf(page, salon.ben)]
    expect(entriesOf(anna)).toEqual([
      [
        '10:00 Ada Lovelace Cut · with Ben later, 10:00–10:30, confirmed, 1 of 2',
        '1/2',
        '10:00 Ada Lovelace Cut',
      ],
    ])
    expect(entriesOf(ben)).toEqual([
      [
        '10:30 Ada Lovelace Colour · with Anna before, 10:30–12:00, 11:00–11:30 free, confirmed, 2 of 2',
        '2/2',
        '10:30 Ada Lovelace Colour',
      ],
      ['11:00 Grace Hopper Cut, 11:00–11:30, confirmed', undefined, '11:00 Grace Hopper Cut'],
      [
        '11:30 Ada Lovelace Colour, continued · with Anna before, 11:30–12:00, confirmed, 2 of 2',
        '2/2',
        '11:30 Ada Lovelace Colour, continued',
      ],
    ])
    for (const column of [anna, ben]) {
      expect(column).toContain(`href="/console/bookings/${visit.id}"`)
      expect(column).toContain(`data-tie="${visit.id}"`)
    }
    const german = columnOf(await show('', owner, { 'accept-language': 'de' }), salon.anna)
    expect(entriesOf(german)[0]?.[0]).toContain('später bei Ben')
  })

  test('a step without the person is light, free to book, and squeezes nobody', async () => {
    const later = '2026-12-02'
    await salon.book(`${later}T10:00:00+01:00`, {
      items: [{ service_id: salon.colour, staff_id: salon.ben }],
    })
    const page = String((await readConsole(service, `/console?date=${later}`, owner)).body)
    const column = columnOf(page, salon.ben)
    expect(column).toMatch(/class="light r18 n6"/)
    expect(column).toContain('aria-label="Book, 10:30–11:00 free"')
    expect(column).toContain(`start=${encodeURIComponent(`${later}T09:30:00.000Z`)}`)
    const before = columnOf(await show(), salon.ben)
    expect(before).toMatch(/class="light /)
    expect(before).not.toMatch(/class="booking [^"]*\bw\d/) // no lanes
  })

  test('rooms have columns on demand, with their use, bookings, holds and blocks', async () => {
    const plain = await show()
    expect(columnOf(plain, salon.basin)).toBe('')
    expect(plain).not.toContain('Leak')
    const [, link = ''] = /class="button cal-rooms as-grid"\s+href="([^"]*)"/.exec(plain) ?? []
    expect(link).toContain('resources=true')
    await call('/bookings/hold', {
      ...{ location_id: salon.locationId, starts_at: at('13:00') },
      items: [{ service_id: salon.colour, staff_id: salon.anna }],
    })
    const page = await show('&resources=true&view=day')
    const basin = columnOf(page, salon.basin)
    expect(textOf({ body: basin })).toContain('Basin 1 in use at 10:30')
    expect(entriesOf(basin)).toEqual([
      [
        '10:30 Ada Lovelace Colour · Ben, 10:30–12:00, confirmed, 2 of 2',
        '2/2',
        '10:30 Ada Lovelace Colour · Ben',
      ],
    ])
    expect(basin).toMatch(/class="hold /)
    expect(basin).toContain('Blocked: Leak')
    expect(basin).toContain(`/console/block?start=2026-12-01T16%3A00%3A00.000Z&amp;who=${salon.basin}`)
    // every other choice keeps the rooms
    const views = [...page.matchAll(/class="button"\s+href="([^"]*view=week[^"]*)"/g)].map(([, href]) => href)
    expect(new Set(views.map((path) => path?.includes('resources=true')))).toEqual(new Set([true]))
    expect(page).toContain('<input type="hidden" name="resources" value="true"')
    expect(page).toMatch(/rel="next" href="[^"]*resources=true/)
  })

  test('the week of a person and the list show the items as parts of a visit, rooms once', async () => {
    const week = await show(`&view=week&who=${salon.anna}`)
    expect(week).toContain('1/2')
    expect(week).toContain('with Ben later')
    const list = await show('&view=list&resources=true')
    const rows = (list.match(/<li\s+class="is-confirmed[^]*?<\/li>/g) ?? []).map((body) =>
      textOf({ body }).trim(),
    )
    expect(rows).toEqual([
      '10:00 –10:30 Ada Lovelace Cut · Anna · 1 of 2 · with Ben later',
      '10:30 –12:00 Ada Lovelace Colour · Ben · 2 of 2 · with Anna before',
      '11:00 –11:30 Grace Hopper Cut · Ben',
    ])
  })

  test('a hold of several parts is one row of the list', async () => {
    const list = await show('&view=list&resources=true')
    const rows = (list.match(/<li class="is-held[^"]*" data-key="lh-[^]*?<\/li>/g) ?? []).map((body) =>
      textOf({ body }),
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.replaceAll(' ', '')).toContain('13:00–14:30Colour')
  })

  test('each category of services has a hue, in the grid and in the list', async () => {
    for (const [id, category] of [
      [salon.cut, 'Hair'],
      [salon.colour, 'Colour'],
    ]) {
      const reply = await service.call('PATCH', `/services/${id}`, {
        token: business.key,
        body: { category },
      })
      expect(reply.status).toBe(200)
    }
    const page = await show()
    const huesIn = (id: string) =>
      Array.from(columnOf(page, id).matchAll(/class="booking [^"]*"/g), ([text]) => /hue-\d/.exec(text)?.[0])
    const [cut] = huesIn(salon.anna)
    const [colour, otherCut, rest] = huesIn(salon.ben)
    expect([otherCut, rest]).toEqual([cut, colour])
    expect(new Set([cut, colour])).toEqual(new Set([undefined, 'hue-1']))
    expect(await show('&view=list')).toMatch(/class="is-confirmed hue-1"/)
  })

  test('staff see rooms but cannot block them', async () => {
    const place = { businessId: business.id }
    const email = 'ben@example.com'
    const ben = await logInNewPerson(service, { email, role: 'staff', place, staffId: salon.ben })
    const basin = columnOf(await show('&resources=true', ben), salon.basin)
    expect(entriesOf(basin)).toHaveLength(1)
    expect(basin).not.toContain('/console/block?')
    // a visit in which they give a service moves with the items of others
    const items = visit.items.map(({ id }) => ({ id }))
    const moved = await ben.call('PATCH', `/bookings/${visit.id}`, { starts_at: at('08:00'), items })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect(entriesOf(columnOf(await show(), salon.anna))[0]?.[2]).toContain('8:00 Ada Lovelace')
  })
})
