import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, sessionClient } from '../support/client.ts'
import { readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { changeRows } from '../support/tenant-things.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const grace = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', phone: '+49 30 1234' }
const alan = { first_name: 'Alan', last_name: '<b>Turing', email: 'alan@example.com', phone: null }
const at = (day: number) => `2026-12-0${day}T10:00:00+01:00`

onOneEngine('sqlite', 'the clients of a business', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  const people: Record<string, LoggedIn> = {}
  const ids: string[] = []
  const read = (path: string, who = 'owner') => readConsole(service, path, people[who] ?? { cookie: '' })
  const send = (path: string, fields = {}, who = 'owner') =>
    sendForm(service, path, fields, { cookie: people[who]?.cookie ?? '' })
  const path = (below = '') => `/console/clients/${ids[0] ?? ''}${below}`
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    offer = await makeOffer(service, business.id)
    const key = clientOf(service, business.key)
    for (const [index, client] of [grace, alan, grace].entries()) {
      const book = { client, notes: index === 0 ? 'Ring twice' : null }
      ids.push(String((await bookSlot(key, offer, at(index + 1), { book })).id))
    }
    const [staffId = ''] = await makeStaff(service, business.id, ['Anna'], [offer.location_id])
    const places = { own: business.id, other: (await makeBusiness(service)).id }
    for (const role of ['owner', 'manager', 'staff'] as const)
      people[role] = await logInNewPerson(service, {
        ...{ email: `${role}@example.com`, role },
        place: { businessId: places.own },
        ...(role === 'staff' && { staffId }),
      })
    people['stranger'] = await logInNewPerson(service, {
      ...{ email: 'stranger@example.com', role: 'owner' as const },
      place: { businessId: places.other },
    })
  })
  afterAll(() => service.stop())

  test('are listed with what they booked, and searched', async () => {
    const list = await read('/console/clients', 'manager')
    const text = textOf(list)
    expect(text).toMatch(/Alan &lt;b&gt;Turing alan@example.com .*1 Bookings/)
    expect(text).toMatch(/Grace Hopper \+49 30 1234 Next visit Tue,? 1 Dec 2026 2 Bookings/)
    expect(String(list.body)).not.toMatch(/(href|action)="\/[^"]*@/) // URLs of pages are kept and logged
    const found = textOf(await read('/console/clients?q=hopp'))
    expect(found).toContain('Grace')
    expect(found).not.toContain('Alan')
    expect(textOf(await read('/console/clients?q=xy'))).toContain('at least three characters')
    expect(textOf(await read('/console/clients?q=nobody'))).toContain('No client found.')
    expect(textOf(await read('/console/clients?cursor=x'))).toContain('Grace')
    expect(textOf(await read('/console/clients'))).toMatch(/Alan .*Grace /)
    expect(textOf(await read('/console/clients?sort=-name'))).toMatch(/Grace .*Alan /)
  })

  test('are added, and changed once for all their bookings; their notes warn on each booking', async () => {
    const typed = { first_name: 'Novak', last_name: '', email: '', phone: '0170 1234567' }
    const added = await send('/console/clients/new', {
      ...typed,
      notes: 'Allergic to ammonia',
      tags: 'colour, regular',
    })
    const [, id = ''] = /^\/console\/clients\/([0-9a-f-]{36})\?/.exec(added.headers['location'] ?? '') ?? []
    const page = textOf(await read(`/console/clients/${id}`))
    expect(page).toMatch(/Novak 0170 1234567 .*colour regular .*Allergic to ammonia/)
    const twice = await send('/console/clients/new', { ...typed, first_name: 'NOVAK' })
    expect(textOf(twice)).toContain('Another client has this name and contact')
    expect(textOf(twice)).toContain('Open the other client')
    expect(String(twice.body)).toMatch(/<a href="\/console\/clients\/[-0-9a-f]{36}[^"]*">Open/)
    const changed = { ...typed, first_name: 'Eva', last_name: 'Novak', notes: '', tags: 'colour' }
    expect((await send(`/console/clients/${id}/edit`, changed)).status).toBe(303)
    expect(textOf(await read(`/console/clients/${id}/edit`))).not.toContain('Allergic')
    expect((await send(`/console/clients/${id}/edit`, changed, 'staff')).status).toBe(404)
    expect(textOf(await send(`/console/clients/${id}/edit`, { ...changed, email: 'x' }))).toMatch(/Email/)
    const [booking = ''] = ids
    const ofGrace = await read(`/console/bookings/${booking}`)
    const [, grace_id = ''] = /\/console\/clients\/([0-9a-f-]{36})/.exec(String(ofGrace.body)) ?? []
    const whole = { ...grace, phone: grace.phone, notes: 'Late as a rule', tags: '' }
    expect((await send(`/console/clients/${grace_id}/edit`, whole)).status).toBe(303)
    expect(textOf(await read(`/console/bookings/${booking}`))).toContain('Late as a rule')
  })

  test('of a family with one address have pages of their own, which name each other', async () => {
    const own = await makeBusiness(service)
    const place = await makeOffer(service, own.id)
    const owner = await logInNewPerson(service, {
      ...{ email: 'family@example.com', role: 'owner' as const },
      place: { businessId: own.id },
    })
    const key = clientOf(service, own.key)
    const booked = async (day: number, client: object) =>
      String((await bookSlot(key, place, at(day), { book: { client } })).id)
    const mary = await booked(1, { ...grace, first_name: 'Mary' })
    await booked(2, { ...grace, first_name: 'Mary' })
    const tom = await booked(3, { ...grace, first_name: 'Tom' })
    const show = async (page: string) => textOf(await readConsole(service, page, owner))
    expect(await show('/console/clients')).toMatch(/Mary Hopper .* 2 Bookings .*Tom Hopper .* 1 Bookings/)
    const page = await show(`/console/clients/${tom}`)
    expect(page).toMatch(/Tom Hopper \+49 30 1234 grace@example.com .*Same email MH Mary Hopper Merge/)
    expect(page).not.toMatch(/(1|2) Dec 2026/)
    expect(await show(`/console/bookings?client=${tom}`)).not.toContain('Mary')
    expect(await show(`/console/bookings/${tom}`)).toContain('1st visit')
    expect(await show(`/console/clients/${tom}/erase`)).not.toContain('Mary')
    const form = await sendForm(
      service,
      '/console/book',
      { do: 'find', q: 'hopper', service: place.service_id, location: place.location_id, date: '', time: '' },
      { cookie: owner.cookie },
    )
    expect(textOf(form)).toMatch(
      /Mary Hopper \+49 30 1234 · grace@example.com .*Tom Hopper \+49 30 1234 · grace@example.com/,
    )
    const picked = await sendForm(
      service,
      '/console/book',
      { pick: mary, service: place.service_id, location: place.location_id, date: '', time: '' },
      { cookie: owner.cookie },
    )
    expect(String(picked.body)).toContain('value="Mary"')
    const mother = { first_name: 'Mary', last_name: 'Hopper', phone: '0049 (0)30 12-34' }
    // one person, with the address of the earlier bookings
    expect(await show(`/console/clients/${await booked(4, mother)}`)).toMatch(
      /Mary Hopper .*grace@example.com/,
    )
    const desk = await booked(5, { ...mother, first_name: 'Ann' })
    await booked(6, { ...mother, first_name: 'Eve', phone: '+43 30 1234' })
    const others = await show(`/console/clients/${desk}`)
    expect(others).toMatch(/Same phone MH Mary Hopper Merge TH Tom Hopper Merge/)
    expect(others).not.toMatch(/Eve|Same email|Also booked/)
    await booked(7, { ...mother, first_name: 'Ann', email: 'ann@example.com' })
    expect(await show(`/console/clients/${desk}`)).toMatch(/Ann Hopper .*Also booked with: ann@example.com/)
    expect(await show(`/console/clients/${tom}`)).toMatch(
      /Same email MH Mary Hopper Merge Same phone AH Ann Hopper Merge/,
    )
  })

  test('have figures of their past visits, and any two are merged after a page that says what moves', async () => {
    const own = await makeBusiness(service)
    const priced = async (name: string, amount: number) => {
      const made = await makeOffer(service, own.id, { name })
      const price = { amount, currency: 'EUR' }
      await service.call('PATCH', `/services/${made.service_id}`, { token: own.key, body: { price } })
      return made
    }
    const [cut, colour] = [await priced('Cut', 3_500), await priced('Colour', 7_000)]
    const place = { businessId: own.id }
    const owner = await logInNewPerson(service, { email: 'merger@example.com', role: 'owner', place })
    const key = clientOf(service, own.key)
    const booked = async (what: Offer, startsAt: string, client: object = grace) =>
      (await bookSlot(key, what, startsAt, { book: { client } })) as unknown as {
        id: string
        client: { id: string }
      }
    // the service of which a client had most, not the dearest
    const past: [Offer, string][] = [
      [cut, '2026-11-02T09:00:00.000Z'],
      [colour, '2026-11-03T09:00:00.000Z'],
      [cut, '2026-11-04T09:00:00.000Z'],
      [cut, '2026-11-05T09:00:00.000Z'],
    ]
    const done: Awaited<ReturnType<typeof booked>>[] = []
    for (const [index, [what, startsAt]] of past.entries()) {
      const one = await booked(what, at(index + 1))
      await changeRows(
        service,
        sql`update bookings set starts_at = ${startsAt}, ends_at = ${startsAt.replace('T09:00', 'T09:30')}, status = 'completed' where id = ${one.id}`,
      )
      done.push(one)
    }
    const [{ client, id: missed } = { client: { id: '' }, id: '' }] = done
    await booked(cut, at(8))
    await service.call('PATCH', `/bookings/${missed}`, { token: own.key, body: { no_show: true } })
    const show = async (page: string) => textOf(await readConsole(service, page, owner))
    expect(await show(`/console/clients/${client.id}`)).toMatch(
      /Visits 3 Spent €140 No-shows 1 Last visit 5 Nov 2026 Next visit 8 Dec 2026 Usually Cut /,
    )
    // a no-show is no visit, wherever it is
    const latest = done.at(-1)?.id ?? ''
    const setMissed = (no_show: boolean) =>
      service.call('PATCH', `/bookings/${latest}`, { token: own.key, body: { no_show } })
    await setMissed(true)
    expect(await show(`/console/clients/${client.id}`)).toMatch(
      /Visits 2 .* No-shows 2 Last visit 4 Nov 2026 Next visit 8 Dec 2026 /,
    )
    expect(await show('/console/clients')).toMatch(/Last visit Wed, 4 Nov 2026/)
    expect(await show(`/console/bookings/${done[1]?.id ?? ''}`)).toMatch(/1st visit · 2 no-shows/)
    expect(await show(`/console/bookings/${latest}`)).toMatch(/Grace Hopper 2 no-shows/)
    await setMissed(false)
    // one that runs is not over
    const ends = (at: string) =>
      changeRows(service, sql`update bookings set ends_at = ${at} where id = ${latest}`)
    await ends('2026-12-01T09:00:00.000Z')
    expect(await show(`/console/clients/${client.id}`)).toMatch(/Visits 2 Spent €105 /)
    await ends('2026-11-05T09:30:00.000Z')
    const twin = { first_name: 'Amazing', last_name: 'Grace', phone: '+49 30 777' }
    const { client: other } = await booked(cut, at(9), twin)
    await service.call('PATCH', `/clients/${other.id}`, {
      token: own.key,
      body: { notes: 'Allergic to ammonia', tags: ['VIP'] },
    })
    const merge = `/console/clients/${client.id}/merge`
    expect(await show(`${merge}?q=amazing`)).toMatch(/Amazing Grace \+49 30 777 1 appointment/)
    expect(await show(`${merge}?q=hopper`)).toContain('No client found')
    const asked = await show(`${merge}?other=${other.id}`)
    expect(asked).toMatch(
      /Merge Amazing Grace into Grace Hopper\? .*Bookings 1 appointment Notes Allergic to ammonia Tags VIP Amazing Grace leaves the list\. .*cannot be undone\. Merge Keep Amazing Grace instead/,
    )
    // nobody of another business is shown or merged
    const foreign = ids[1] ?? ''
    const { body } = await service.call('GET', `/bookings/${foreign}`, { token: business.key })
    const { id: foreignId } = body.client as { id: string }
    expect(await readConsole(service, `${merge}?other=${foreignId}`, owner)).toMatchObject({ status: 404 })
    expect((await sendForm(service, merge, { other: foreignId }, owner)).status).toBe(404)
    expect(await sendForm(service, merge, { other: other.id }, owner)).toMatchObject({ status: 303 })
    expect(await show(`/console/clients/${client.id}`)).toContain('Allergic to ammonia')
    expect(await show('/console/clients')).not.toContain('Amazing')
  })

  test('nobody is there at first, and that is said', async () => {
    expect(textOf(await read('/console/clients', 'stranger'))).toContain('No clients yet.')
  })

  test('each has a page with what is ahead, what was, and their notes', async () => {
    const page = await read(path(), 'manager')
    const text = textOf(page)
    expect(text).toMatch(
      /GH Grace Hopper \+49 30 1234 grace@example.com .*Visits 0 Spent – No-shows 0 Last visit – Next visit 1 Dec 2026 /,
    )
    expect(text).toMatch(
      /Upcoming Tue,? 1 Dec 2026.*Ring twice.*Thu,? 3 Dec 2026.*Past No past appointments\./,
    )
    expect(text).not.toContain('Erase')
    expect(text).not.toContain('Export')
    expect(textOf(await read(`/console/bookings/${ids[2] ?? ''}`))).toContain('2nd visit')
    expect((await read(`/console/bookings/${ids[0] ?? ''}`)).body).toContain(`href="${path()}"`)
  })

  test('are nobody else’s: neither of staff nor of another business', async () => {
    for (const page of ['/console/clients', path()])
      expect(await read(page, 'staff'), page).toMatchObject({ status: 404 })
    expect((await read('/console/bookings', 'staff')).body).not.toContain('/console/clients')
    for (const [page, who] of [
      ...[path(), path('/erase')].map((one) => [one, 'stranger'] as const),
      ...[path('/erase'), '/console/clients/none'].map((one) => [one, 'manager'] as const),
    ])
      expect(await read(page, who), page).toMatchObject({ status: 404 })
    for (const who of ['stranger', 'manager', 'staff'])
      for (const below of ['/erase', '/export'])
        expect(await send(path(below), {}, who), below).toMatchObject({ status: 404 })
    expect(await send(path(), { action: 'block' }, 'staff')).toMatchObject({ status: 404 })
    expect(await send(path(), { action: 'block' }, 'stranger')).toMatchObject({ status: 404 })
    expect(textOf(await read(path(), 'manager'))).toContain('Grace Hopper')
  })

  test('book again with everything filled in', async () => {
    const link = /href="(\/console\/book\?client=[^"]+)"/.exec(String((await read(path())).body))?.[1] ?? ''
    const form = String((await read(link.replaceAll('&amp;', '&'))).body)
    for (const value of ['Grace', 'Hopper', 'grace@example.com', '+49 30 1234'])
      expect(form).toContain(`value="${value}"`)
    expect(form).toContain(`value="${offer.service_id}"`)
    expect(await read(`/console/book?client=${ids[0] ?? ''}`, 'stranger')).toMatchObject({ status: 404 })
  })

  test('are blocked, so that they cannot book by themselves, and let in again', async () => {
    const session = await sessionClient(service, business)
    const tryToBook = async (day: number) => {
      const held = await session.hold(offer, at(day))
      return (await session.book(String(held.body.hold_id), { client: grace })).status
    }
    const blocked = await send(path(), { action: 'block' }, 'manager')
    expect(blocked).toMatchObject({ status: 303, headers: { location: `${path()}?done=blocked` } })
    expect(textOf(await read(`${path()}?done=blocked`))).toContain('Client blocked.')
    expect(await tryToBook(4)).toBe(429)
    expect(await send(path(), { action: 'unblock' }, 'manager')).toMatchObject({ status: 303 })
    expect(await tryToBook(5)).toBe(201)
  })

  test('are handed to them as a file', async () => {
    const file = await send(path('/export'))
    expect(file).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="client.json"',
        'cache-control': 'no-store',
      },
    })
    const whole = (typeof file.body === 'string' ? JSON.parse(file.body) : file.body) as {
      email: string
      bookings: { booking: { notes: string | null } }[]
    }
    expect(whole.email).toBe('grace@example.com')
    expect(whole.bookings.map(({ booking }) => booking.notes)).toContain('Ring twice')
    const { body } = await service.call('GET', '/audit?limit=100', { token: business.key })
    const entries = (body as unknown as { data: { action: string }[] }).data
    expect(entries.filter(({ action }) => action === 'business.client_exported')).toHaveLength(1)
  })

  test('are erased after a question, once, and what was booked stays', async () => {
    const question = textOf(await read(path('/erase')))
    expect(question).toContain('Erase Grace Hopper?')
    expect(question).toContain('upcoming appointments stay booked.')
    expect(question).toContain('cannot be undone')
    const replies = await Promise.all([send(path('/erase')), send(path('/erase'))])
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 303, headers: { location: '/console/clients?done=erased' } })
    expect(textOf(await read('/console/clients?done=erased'))).toContain('Client erased.')
    expect(textOf(await read('/console/clients'))).not.toContain('grace')
    expect(textOf(await read(path()))).toContain('Client not found')
    const shown = textOf(await read(`/console/bookings/${ids[0] ?? ''}`))
    expect(shown).toContain(' Erased client ')
    expect(shown).toMatch(/client's data erased by owner/)
    for (const [page, who] of [
      ['/console/bookings?when=all', 'owner'],
      ['/console/bookings?when=all', 'staff'], // others' clients are masked for them
      ['/console?date=2026-12-01', 'owner'],
      ['/console?date=2026-12-01&view=list', 'owner'],
    ] as const) {
      const text = textOf(await read(page, who))
      expect(text, page).toContain('Erased client')
      expect(text, page).not.toMatch(/Erased E/)
    }
  })
})
