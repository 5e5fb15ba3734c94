import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { instantFromMs } from '../../src/base/instants.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { readConsole, textOf, useForm } from '../support/console.ts'
import {
  makeBusiness,
  makeOffer,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-07T${time}:00+01:00`
const grace = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', phone: '+49 30 1234' }

onOneEngine('sqlite', 'requests in the console', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let owner: LoggedIn
  let offer: Offer
  let people = 0
  const logIn = (role: 'staff' | 'owner', staffId?: string) =>
    logInNewPerson(service, {
      ...{ email: `${role}${(people += 1)}@example.com`, name: `${role} Person`, role },
      ...{ place: { businessId: business.id }, staffId },
    })
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    owner = await logIn('owner')
    offer = await makeOffer(service, business.id, { respondWithin: 1_440 })
  })
  afterAll(() => service.stop())

  const request = async (startsAt = at('10:00'), from = offer) => {
    const session = await sessionClient(service, business)
    return String((await bookSlot(session, from, startsAt, { book: { client: grace } })).id)
  }
  const pathOf = (id: string, form?: string) =>
    `/console/bookings/${id}${form === undefined ? '' : `/${form}`}`
  const confirm = (id: string, person = owner, page = pathOf(id)) =>
    useForm(service, person, { page, action: pathOf(id, 'answer'), fields: {} })
  const decline = (id: string, fields: Record<string, string> = {}) =>
    useForm(service, owner, { page: pathOf(id, 'answer'), action: pathOf(id, 'answer'), fields })
  const show = async (path: string, person = owner) => textOf(await readConsole(service, path, person))
  const stateOf = async (id: string) => (await key.show(id)).body as Record<string, unknown>

  test('its page asks for the answer at the top, and a button confirms it', async () => {
    const id = await request()
    expect(await show(pathOf(id))).toMatch(
      /Request Answer by Sat,? 21 Nov 2026, 10:00 Confirm Decline Massage/,
    )
    expect(await show(pathOf(id))).toContain('requested on the website')
    const done = await confirm(id)
    expect(done).toMatchObject({ status: 303, headers: { location: `${pathOf(id)}?done=confirmed` } })
    expect(await stateOf(id)).toMatchObject({ status: 'confirmed' })
    const after = await show(`${pathOf(id)}?done=request_confirmed`)
    expect(after).toContain('Confirmed. The client gets an email.')
    expect(after).not.toContain('Answer by')
  })

  test('is declined with a reason that the client reads', async () => {
    const id = await request()
    expect(await show(pathOf(id, 'answer'))).toMatch(/Decline Massage Request .* Grace Hopper Answer by/)
    const done = await decline(id, { cancel_reason: 'We are away' })
    expect(done).toMatchObject({ status: 303, headers: { location: `${pathOf(id)}?done=cancelled` } })
    expect(await stateOf(id)).toMatchObject({ status: 'cancelled', cancel_reason: 'We are away' })
  })

  test('a reason that is too long comes back with its text', async () => {
    const id = await request()
    const refused = await decline(id, { cancel_reason: 'x'.repeat(501) })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('x'.repeat(501))
    expect(await stateOf(id)).toMatchObject({ status: 'pending' })
  })

  test('the second of two answers changes nothing and says why', async () => {
    const id = await request()
    const form = pathOf(id, 'answer')
    await key.change(id, { status: 'cancelled' })
    const late = await sendForm(service, form, { answer: 'confirm' }, owner)
    expect(late.status).toBe(409)
    expect(textOf(late)).toContain('This request is no longer open.')
    expect(await stateOf(id)).toMatchObject({ status: 'cancelled' })
    expect(await show(form)).toContain('This request is no longer open.')
  })

  test('staff members answer their own and see no buttons for others', async () => {
    const [anna, ben] = await makeStaff(service, business.id, ['Anna', 'Ben'], [offer.location_id])
    const parts = { locationIds: [offer.location_id], staffIds: [anna ?? ''], respondWithin: 60 }
    const id = await request(at('11:00'), {
      ...offer,
      service_id: await makeService(service, business.id, parts),
    })
    expect(await show(pathOf(id), await logIn('staff', ben))).not.toContain('Answer by')
    expect((await readConsole(service, pathOf(id, 'answer'), await logIn('staff', ben))).status).toBe(404)
    expect(await confirm(id, await logIn('staff', anna))).toMatchObject({ status: 303 })
    expect(await stateOf(id)).toMatchObject({ status: 'confirmed' })
  })

  test('the list shows the soonest deadline first, and the calendar and the side bar how many wait', async () => {
    const calm = await show('/console')
    expect(calm).not.toContain('wait for your answer')
    const later = await request()
    const parts = { name: 'Haircut', locationIds: [offer.location_id], respondWithin: 60 }
    const soon = await request(at('12:00'), {
      ...offer,
      service_id: await makeService(service, business.id, parts),
    })
    expect(await show('/console')).toMatch(/2 requests wait for your answer\. See requests/)
    const listed = await show('/console/bookings')
    expect(listed).toMatch(/Bookings 2 2 requests wait/)
    expect(listed).toMatch(
      /Requests These clients .* Haircut .* Confirm Decline .* Massage .* Confirm Decline/,
    )
    const done = await useForm(service, owner, {
      ...{ page: '/console/bookings', action: pathOf(soon, 'answer'), fields: {} },
    })
    expect(done).toMatchObject({ status: 303, headers: { location: '/console/bookings?done=confirmed' } })
    expect(await show('/console/bookings?done=confirmed')).toMatch(/Booking confirmed\. Requests/)
    expect(await stateOf(soon)).toMatchObject({ status: 'confirmed' })
    expect(await stateOf(later)).toMatchObject({ status: 'pending' })
    expect(await show('/console')).toContain('One request waits for your answer.')
  })

  test('a series is one request in the list, and one answer is for all its dates', async () => {
    const from = await makeOffer(service, business.id, { respondWithin: 1_440, maxRepeats: 3 })
    const session = await sessionClient(service, business)
    const held = await session.hold(from, at('10:00'), { repeat: { every: 'week', count: 3 } })
    const booked = await session.book(String(held.body.hold_id), { client: grace })
    const ids = booked.body.series.booking_ids as string[]
    expect(await show('/console')).toContain('One request waits for your answer.')
    const all =
      /One answer for all 3 dates Mon,? 7 Dec 2026, 10:00 Mon,? 14 Dec 2026, 10:00 Mon,? 21 Dec 2026, 10:00/
    const listed = await show('/console/bookings')
    expect(listed).toMatch(all)
    expect(listed.match(/Decline/g)).toHaveLength(1)
    for (const page of [pathOf(ids[1] ?? ''), pathOf(ids[2] ?? '', 'answer')])
      expect(await show(page)).toMatch(all)
    expect(await confirm(ids[1] ?? '')).toMatchObject({ status: 303 })
    for (const id of ids) expect(await stateOf(id)).toMatchObject({ status: 'confirmed' })
    expect(await show('/console')).not.toContain('your answer')
  })

  test('the calendar marks a request until it is confirmed, as a week, list and on paper', async () => {
    const id = await request()
    const views = ['?view=day&date=2026-12-07', '?view=week&date=2026-12-07', '?view=list&date=2026-12-07']
    const pages = [...views.map((view) => `/console${view}`), '/console/print?date=2026-12-07']
    const marks = async () =>
      Promise.all(
        pages.map(async (page) => {
          const body = String((await readConsole(service, page, owner)).body)
          return {
            page,
            isMarked: /Grace[^]*?Request|Request[^]*?Grace/.test(body.replaceAll('Requests', '')),
          }
        }),
      )
    expect((await marks()).filter(({ isMarked }) => !isMarked)).toEqual([])
    const day = String((await readConsole(service, pages[0] ?? '', owner)).body)
    expect(day).toMatch(/class="booking is-request/)
    await confirm(id)
    expect((await marks()).filter(({ isMarked }) => isMarked)).toEqual([])
  })

  test('staff members find the requests of which they give a part, and no others', async () => {
    const places = [offer.location_id]
    const [anna = '', ben = ''] = await makeStaff(service, business.id, ['Anna', 'Ben'], places)
    const make = (staffId: string) =>
      makeService(service, business.id, { locationIds: places, staffIds: [staffId], respondWithin: 60 })
    const items = [await make(anna), await make(ben)]
    const session = await sessionClient(service, business)
    const held = await service.call('POST', '/bookings/hold', {
      token: session.token,
      body: {
        ...{ location_id: offer.location_id, starts_at: at('10:00') },
        items: items.map((service_id) => ({ service_id })),
      },
    })
    expect(held.status).toBe(201)
    expect((await session.book(String(held.body.hold_id), { client: grace })).status).toBe(201)
    await request(at('14:00'), { ...offer, service_id: items[0] ?? '' })
    const seen = async (staffId: string) => show('/console/bookings', await logIn('staff', staffId))
    expect(await seen(anna)).toContain('2 requests wait for your answer.')
    expect(await seen(ben)).toContain('One request waits for your answer.')
    expect(await seen(ben)).toMatch(/Requests These clients .* Grace Hopper .* Confirm Decline/)
  })

  test('more than 200 requests are listed in pages, each once, and their number is true', async () => {
    const { db } = service.context
    const [anna = ''] = await makeStaff(service, business.id, ['Anna'], [offer.location_id])
    const firstNumber = engine === 'sqlite' ? 7_000_000 : 8_000_000
    const fromMs = Date.parse('2026-12-07T09:00:00Z')
    const id = (index: number) =>
      `00000000-0000-4000-8000-${(firstNumber + index).toString(16).padStart(12, '0')}`
    await db.transaction(async (tx) => {
      await storeBookings(tx.db, engine, {
        ...{ businessId: business.id, serviceId: offer.service_id, locationId: offer.location_id },
        ...{ staffIds: [anna], count: 260, firstNumber, fromMs, stepMinutes: 60, minutes: 30 },
        withoutClaims: true,
      })
      // every tenth begins a series of three, whose later dates end later: among those of other pages
      for (let index = 0; index < 260; index += 1) {
        const minute = index % 10 === 1 || index % 10 === 2 ? index + 100 : index
        await tx.db
          .updateTable('bookings')
          .set({
            status: 'pending',
            respond_by: instantFromMs(fromMs + minute * 60_000),
            ...(index % 10 < 3 && { series_id: id(index - (index % 10)) }),
          })
          .where('business_id', '=', business.id)
          .where('id', '=', id(index))
          .execute()
      }
    })
    const requests = Array.from({ length: 260 }, (_, index) => index).filter(
      (index) => ![1, 2].includes(index % 10),
    )
    expect(requests).toHaveLength(208)
    expect(await show('/console')).toContain('100 or more requests wait for your answer.')
    expect(String((await readConsole(service, '/console', owner)).body)).toContain('>100+</span>')
    const listed: string[] = []
    let pages = 0
    let inSeries = 0
    for (let path: string | undefined = '/console/bookings'; path !== undefined; pages += 1) {
      const body: string = String((await readConsole(service, path, owner)).body)
      const [, part = ''] = /<section class="requests"([^]*?)<\/section>/.exec(body) ?? []
      const rows = part.split('class="request"').slice(1)
      expect(rows.length).toBeLessThanOrEqual(20)
      listed.push(...rows.map((row) => /\/console\/bookings\/([0-9a-f-]{36})/.exec(row)?.[1] ?? ''))
      inSeries += rows.filter((row) => row.includes('One answer for all 3 dates')).length
      const next: string | undefined = /href="([^"#]+)#requests">More requests/.exec(part)?.[1]
      expect(part.includes('First requests')).toBe(pages > 0)
      path = next?.replaceAll('&amp;', '&')
    }
    if (engine === 'sqlite') {
      // the database reads the index of open requests in its order, so that it stops after one page
      const asked = service.statements.filter((text) =>
        /"respond_by" is not null[^]*order by "b"."respond_by"/.test(text),
      )
      const { rows } = await sql
        .raw<{ detail: string }>(`explain query plan ${asked.at(-1) ?? ''}`)
        .execute(db.reads)
      expect(rows.map(({ detail }) => detail).join()).toMatch(
        /SEARCH b USING (COVERING )?INDEX bookings_to_answer/,
      )
      expect(rows.map(({ detail }) => detail).join()).not.toContain('TEMP B-TREE')
    }
    expect([pages, inSeries]).toEqual([11, 26])
    expect(listed).toEqual(requests.map(id))
    const others = await logIn(
      'staff',
      (await makeStaff(service, business.id, ['Ben'], [offer.location_id]))[0],
    )
    expect(await show('/console/bookings', others)).not.toContain('for your answer')
    expect(await show('/console/bookings?requests=nonsense')).toContain('More requests')
  })
})
