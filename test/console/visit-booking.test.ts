import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, clientOf } from '../support/client.ts'
import { formValues, readConsole, textOf, useForm } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('postgres', 'the page of a booking of several services', (engine) => {
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
    expect(text).toContain('10:00–10:30 Cut · Anna · €35')
    expect(text).toContain('10:30–12:00 Colour · Anna · €60 · Basin')
    expect(text).toContain('Total: €95')
    expect(text).not.toContain('Change person')
    const german = await readConsole(service, path(), owner, { 'accept-language': 'de' })
    expect(textOf(german)).toContain('Gesamt: 95')
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
    expect(text).toContain('13:30–15:00 Colour · Ben')
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
    expect((await send(added, chosen)).status).toBe(303)
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
})
