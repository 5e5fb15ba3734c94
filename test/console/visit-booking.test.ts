import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, clientOf } from '../support/client.ts'
import { formValues, readConsole, textOf, useForm } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('sqlite', 'the page of a booking of several services', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let salon: VisitSalon
  let owner: LoggedIn
  let booked: BookedReply
  let people = 0
  const logIn = (role: 'staff' | 'owner', staffId?: string) =>
    logInNewPerson(service, {
      ...{ email: `${role}${(people += 1)}@example.com`, role, place: { businessId: business.id } },
      staffId,
    })
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  beforeEach(async () => {
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    owner = await logIn('owner')
    salon = await makeVisitSalon(service, business)
    booked = await salon.book(at('10:00'))
  })
  afterAll(() => service.stop())

  const path = (form?: string) => `/console/bookings/${booked.id}${form === undefined ? '' : `/${form}`}`
  const show = async (form?: string, person = owner) => textOf(await readConsole(service, path(form), person))
  const use = (form: string, fields: Record<string, string> = {}) =>
    useForm(service, owner, { page: path(form), action: path(form), fields })
  const itemsNow = async () => {
    const { items } = (await key.show(booked.id)).body as {
      items: { service: { name: string }; staff: { name: string }; starts_at: string }[]
    }
    return items.map((item) => `${item.starts_at.slice(11, 16)} ${item.service.name} ${item.staff.name}`)
  }

  test('shows each service with its time, person, price and room, and the total', async () => {
    const text = await show()
    expect(text).toContain('Cut + Colour')
    expect(text).toContain('Cut 10:00–10:30 with Anna €35')
    expect(text).toContain('Colour 10:30–12:00 with Anna · Basin €60')
    expect(text).toContain('10:00–12:00 · 2 h · €95')
    expect(text).not.toContain('Change person')
    const german = await readConsole(service, path(), owner, { 'accept-language': 'de' })
    expect(textOf(german)).toContain('10:00–12:00 · 2 Std. · 95')
  })

  test('moves all services, and names the one against which a time is', async () => {
    const form = await readConsole(service, path('move'), owner)
    expect(String(form.body)).not.toMatch(/name="(minutes|who)"/)
    const moved = await use('move', { date: '2026-12-01', time: '13:00' })
    expect(moved.status).toBe(303)
    expect(await itemsNow()).toEqual(['13:00 Cut Anna', '13:30 Colour Anna'])
    const block = { staff_id: salon.anna, starts_at: at('15:00'), ends_at: at('16:00') }
    const blocked = await service.call('POST', '/blocks', { token: business.key, body: block })
    expect(blocked.status).toBe(201)
    const fields = { date: '2026-12-01', time: '14:00' }
    const refused = await use('move', fields)
    expect(refused.status).toBe(422)
    expect(textOf(refused)).toContain('Colour: That time is blocked.')
    expect(await itemsNow()).toEqual(['13:00 Cut Anna', '13:30 Colour Anna'])
  })

  test('belongs to everyone who gives one of its services', async () => {
    booked = await salon.book(at('13:00'), {
      items: [
        { service_id: salon.cut, staff_id: salon.anna },
        { service_id: salon.colour, staff_id: salon.ben },
      ],
    })
    const text = await show(undefined, await logIn('staff', salon.ben))
    expect(text).toContain('Colour 13:30–15:00 with Ben')
    expect(text).toContain('Move')
  })

  test('adds, drops and reassigns services, or names the one that is taken', async () => {
    const page = await readConsole(service, path('services'), owner)
    const send = (from: { body: unknown }, fields: Record<string, string>) =>
      sendForm(
        service,
        path('services'),
        { ...formValues(String(from.body), path('services')), ...fields },
        owner,
      )
    const added = await send(page, { 'who-0': salon.ben, 'who-1': salon.anna, do: 'add', add: salon.cut })
    expect(await itemsNow()).toHaveLength(2) // nothing is saved yet
    const chosen = { 'who-0': salon.ben, 'who-1': salon.anna, 'who-2': salon.anna, do: 'save' }
    service.clock.advance(60)
    expect((await send(added, chosen)).status).toBe(303)
    expect(await show()).toContain('Cut added')
    expect(await itemsNow()).toEqual(['10:00 Cut Ben', '10:30 Colour Anna', '12:00 Cut Anna'])
    const now = await readConsole(service, path('services'), owner)
    const { do: _, ...people } = chosen
    const fewer = await send(now, { ...people, drop: '2' })
    expect((await send(fewer, chosen)).status).toBe(303)
    expect(await itemsNow()).toEqual(['10:00 Cut Ben', '10:30 Colour Anna'])
    await salon.book(at('12:00'), { items: [{ service_id: salon.cut, staff_id: salon.ben }] })
    const third = await send(await readConsole(service, path('services'), owner), {
      ...people,
      do: 'add',
      add: salon.cut,
    })
    const refused = await send(third, { ...chosen, 'who-2': salon.ben })
    expect(refused.status).toBe(409)
    expect(textOf(refused)).toContain('Cut: That time is already taken.')
    expect(await itemsNow()).toHaveLength(2)
  })

  describe('the form of its services', () => {
    const open = (person = owner) => readConsole(service, path('services'), person)
    /** Sends the form of a page with further values, as a browser without scripts does. */
    const go = (page: { body: unknown }, fields: Record<string, string>, person = owner) =>
      sendForm(
        service,
        path('services'),
        { ...formValues(String(page.body), path('services')), ...fields },
        person,
      )
    const withAnna = () => ({ 'who-0': salon.anna, 'who-1': salon.anna })
    const create = async (more: object) => {
      const offered = { location_ids: [salon.locationId], slot_interval_minutes: 15, ...more }
      const reply = await service.call('POST', '/services', { token: business.key, body: offered })
      expect(reply.status).toBe(201)
      return String(reply.body['id'])
    }

    test('asks only the questions of an added service, and needs the required answers', async () => {
      const asking = await create({
        ...{ name: 'Peeling', duration_minutes: 15, staff_ids: [salon.anna] },
        custom_fields: [{ key: 'allergies', label: 'Allergies?', type: 'text', required: true }],
      })
      const answered = await key.change(booked.id, { custom_field_values: [] })
      expect(answered.status).toBe(200)
      expect(textOf(await open())).not.toContain('Allergies?')
      const added = await go(await open(), { ...withAnna(), do: 'add', add: asking })
      const [name = ''] = /answer-[0-9a-f-]+/.exec(String(added.body)) ?? []
      const three = { ...withAnna(), 'who-2': salon.anna, do: 'save' }
      const refused = await go(added, three)
      expect(refused.status).toBe(422)
      expect(refused.body).toContain(`id="${name}-fault"`)
      expect(await itemsNow()).toHaveLength(2)
      expect((await go(refused, { ...three, [name]: 'Nuts' })).status).toBe(303)
      expect(await itemsNow()).toEqual(['10:00 Cut Anna', '10:30 Colour Anna', '12:00 Peeling Anna'])
      expect((await key.show(booked.id)).body).toMatchObject({ custom_field_values: [{ value: 'Nuts' }] })
      expect(textOf(await open())).not.toContain('Allergies?')
      expect(await show()).toContain('Allergies? Nuts')
      expect((await use('details', { notes: 'Rings twice' })).status).toBe(303)
      expect((await use('details', { [name]: 'None' })).status).toBe(303)
      expect(await show()).toMatch(/Rings twice .*Allergies\? None/)
      expect((await use('details', { [name]: 'Nuts' })).status).toBe(303)
      const fewer = await go(await open(), { ...three, drop: '2' })
      expect((await go(fewer, { ...withAnna(), do: 'save' })).status).toBe(303)
      expect((await key.show(booked.id)).body).toMatchObject({ custom_field_values: [{ value: 'Nuts' }] })
    })

    test('warns of a service in a blocked time, and takes it all the same', async () => {
      const block = { location_id: salon.locationId, starts_at: at('12:15'), ends_at: at('13:00') }
      expect((await service.call('POST', '/blocks', { token: business.key, body: block })).status).toBe(201)
      const added = await go(await open(), { ...withAnna(), do: 'add', add: salon.cut })
      const three = { ...withAnna(), 'who-2': salon.anna, do: 'save' }
      const warned = await go(added, three)
      expect(warned.status).toBe(422)
      expect(textOf(warned)).toContain('Cut: That time is blocked.')
      expect(await itemsNow()).toHaveLength(2)
      expect((await go(warned, { ...three, anyway: 'on' })).status).toBe(303)
      expect(await itemsNow()).toHaveLength(3)
    })

    test('does not warn of the start, which stays', async () => {
      const early = { min_notice_minutes: 500_000, slot_interval_minutes: 45 }
      for (const id of [salon.cut, salon.colour])
        await service.call('PATCH', `/services/${id}`, { token: business.key, body: early })
      const saved = await go(await open(), { 'who-0': salon.ben, 'who-1': salon.anna, do: 'save' })
      expect(saved.status).toBe(303)
      expect(await itemsNow()).toEqual(['10:00 Cut Ben', '10:30 Colour Anna'])
    })

    test('takes the number of people for a service that several can share', async () => {
      const class_ = await create({ name: 'Class', duration_minutes: 30, capacity: 4 })
      const added = await go(await open(), { ...withAnna(), do: 'add', add: class_ })
      expect(textOf(added)).toContain('How many people')
      const refused = await go(added, { ...withAnna(), 'party-2': '5', do: 'save' })
      expect(refused.status).toBe(422)
      expect(textOf(refused)).toContain('Enter a number from 1 to 4.')
      expect((await go(refused, { ...withAnna(), 'party-2': '3', do: 'save' })).status).toBe(303)
      const partiesNow = async () =>
        ((await key.show(booked.id)).body as { items: { party_size: number }[] }).items.map(
          ({ party_size }) => party_size,
        )
      expect(await partiesNow()).toEqual([1, 1, 3])
      expect((await open()).body).toMatch(/name="party-2"[^>]*value="3"/)
      expect((await go(await open(), { ...withAnna(), 'party-2': '1', do: 'save' })).status).toBe(303)
      expect(await partiesNow()).toEqual([1, 1, 1])
    })

    test('lets staff add their own services beside those of others', async () => {
      booked = await salon.book(at('13:00'), {
        items: [
          { service_id: salon.cut, staff_id: salon.anna },
          { service_id: salon.colour, staff_id: salon.ben },
        ],
      })
      const ben = await logIn('staff', salon.ben)
      const people = { 'who-0': salon.anna, 'who-1': salon.ben }
      const added = await go(await open(ben), { ...people, do: 'add', add: salon.cut }, ben)
      const refused = await go(added, { ...people, 'who-2': salon.anna, do: 'save' }, ben)
      expect(refused.status).toBe(422)
      expect(textOf(refused)).toContain('You can add only services that you give yourself.')
      expect((await go(added, { ...people, 'who-2': salon.ben, do: 'save' }, ben)).status).toBe(303)
      expect(await itemsNow()).toEqual(['13:00 Cut Anna', '13:30 Colour Ben', '15:00 Cut Ben'])
      const patch = { staff_ids: [salon.ben] }
      await service.call('PATCH', `/services/${salon.cut}`, { token: business.key, body: patch })
      expect((await open(ben)).body).toMatch(new RegExp(`<option value="${salon.anna}" selected`)) // nobody gets it unasked
    })
  })
})
