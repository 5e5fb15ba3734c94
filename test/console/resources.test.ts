import { afterAll, beforeAll, expect, test } from 'vitest'
import { textOf } from '../support/console.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

interface Item {
  id: string
  name: string
}

onOneEngine('sqlite', 'the pages of rooms and equipment', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let elsewhere: LoggedIn
  let location: string
  beforeAll(async () => {
    service = await startTestService(engine)
    const personOf = (name: string, email: string) =>
      logInNewPerson(service, {
        email,
        role: 'owner',
        place: { businessId: businessOf(service.world, name).id },
      })
    owner = await personOf('Salon Spree', 'rooms@example.com')
    elsewhere = await personOf('Hudson Studio', 'elsewhere@example.com')
    location = (await list('/locations'))[0]?.id ?? ''
  })
  afterAll(() => service.stop())

  const show = (path: string, { cookie } = owner, language = 'en') =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie, 'accept-language': language } })
  const send = (path: string, fields: Record<string, string>, { cookie } = owner) =>
    sendForm(service, path, fields, { cookie })
  const list = async (path: string) =>
    ((await owner.call('GET', `${path}?limit=100`)).body as unknown as { data: Item[] }).data
  const named = async (name: string) => {
    const found = (await list('/resources')).find((item) => item.name === name)
    if (!found) throw new Error(`no ${name}`)
    return found
  }
  const cabins = () => ({ name: 'Steam cabins', quantity: '3', location_id: location, hours: 'none' })

  test('one is created at its location, with the hours of the location', async () => {
    expect(textOf(await show('/console/resources', elsewhere))).toContain('No rooms or equipment yet.')
    const sent = await send('/console/resources/new', cabins())
    expect(sent).toMatchObject({ status: 303, headers: { location: '/console/resources?done=saved' } })
    expect(await named('Steam cabins')).toMatchObject({
      quantity: 3,
      location_id: location,
      weekly_hours: null,
    })
    const page = textOf(await show('/console/resources?done=saved'))
    expect(page).toMatch(/Saved\.[^]*Steam cabins[^]*3 of them · Mitte · Same hours as the location/)
    expect(textOf(await show('/console/resources', owner, 'de'))).toContain('Räume und Geräte')
  })

  test('faults are at their fields, and nothing is saved', async () => {
    const before = await list('/resources')
    const { status, body } = await send('/console/resources/new', { ...cabins(), name: '', quantity: '501' })
    expect(status).toBe(422)
    expect(body).toContain('id="name-fault"')
    expect(body).toContain('id="quantity-fault"')
    const unknown = await send('/console/resources/new', { ...cabins(), location_id: crypto.randomUUID() })
    expect(unknown.status).toBe(422)
    expect(unknown.body).toContain('id="location_id-fault"')
    const half = await send('/console/resources/new', {
      ...cabins(),
      ...{ hours: 'own', 'monday.open': 'on' },
      'monday.0.opens': '09:00',
    })
    expect(half.body).toContain('id="monday.0.closes-fault"')
    expect(await list('/resources')).toEqual(before)
  })

  test('one is changed where it is, taken out of use and put back', async () => {
    const { id } = await named('Steam cabins')
    const path = `/console/resources/${id}`
    expect((await show(path)).body).toContain(`name="placed" value="${location}"`)
    const change = { name: 'Cabins', quantity: '2', placed: location, hours: 'own', 'monday.open': 'on' }
    const sent = await send(path, { ...change, 'monday.0.opens': '10:00', 'monday.0.closes': '14:00' })
    expect(sent.status).toBe(303)
    expect(await named('Cabins')).toMatchObject({
      quantity: 2,
      location_id: location,
      weekly_hours: [{ weekday: 'monday', opens: '10:00', closes: '14:00' }],
    })
    expect((await send(path, { active: '' })).headers['location']).toBe(`${path}?done=deactivated`)
    expect(textOf(await show(`${path}?done=deactivated`))).toContain('New bookings no longer take it.')
    expect(await named('Cabins')).toMatchObject({ active: false })
    await send(path, { active: 'on' })
    expect(await named('Cabins')).toMatchObject({ active: true })
  })

  test('one is blocked where time is blocked, and unblocked', async () => {
    const { id } = await named('Cabins')
    const path = `/console/resources/${id}`
    expect(textOf(await show(path))).toContain('No blocked times.')
    expect((await show(`/console/block?who=${id}`)).body).toMatch(new RegExp(`value="${id}"\\s+selected`))
    const times = { from_date: '2100-01-04', from_time: '10:00', to_date: '2100-01-04', to_time: '12:00' }
    const sent = await send('/console/block', { whose: id, ...times, reason: 'Leaks' })
    expect(sent).toMatchObject({ status: 303, headers: { location: `${path}?done=blocked` } })
    const [block] = await list('/blocks')
    expect(block).toMatchObject({ resource_id: id, staff_id: null, location_id: null, reason: 'Leaks' })
    expect(textOf(await show(`${path}?done=blocked`))).toMatch(/Blocked\.[^]*Leaks/)
    expect(textOf(await show(`/console/block/${block?.id}`))).toContain('Cabins')
    expect((await send(`/console/block/${block?.id}`, {})).headers['location']).toBe(`${path}?done=unblocked`)
    expect(await list('/blocks')).toEqual([])
  })

  test('nobody sees or changes those of another business', async () => {
    const { id } = await named('Cabins')
    const path = `/console/resources/${id}`
    expect((await show(path, elsewhere)).status).toBe(404)
    expect((await send(path, { active: '' }, elsewhere)).status).toBe(404)
    expect(textOf(await show('/console/resources', elsewhere))).not.toContain('Cabins')
    expect(await named('Cabins')).toMatchObject({ active: true })
  })
})
