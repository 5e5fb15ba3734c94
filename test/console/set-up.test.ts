import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textOf, typedIn } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

interface Item {
  id: string
  name: string
}

onOneEngine('sqlite', 'the pages of what a business offers', (engine) => {
  let service: TestService
  let businessId: string
  let owner: LoggedIn
  let people = 0
  const newPerson = (role: 'owner' | 'manager' | 'staff', staffId?: string) =>
    logInNewPerson(service, {
      email: `salon${(people += 1)}@example.com`,
      role,
      place: { businessId },
      ...(staffId !== undefined && { staffId }),
    })
  const show = (path: string, { cookie } = owner, language = 'en') =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie, 'accept-language': language } })
  const send = (path: string, fields: Record<string, string>, { cookie } = owner) =>
    sendForm(service, path, fields, { cookie })
  const list = async (path: string) =>
    ((await owner.call('GET', `${path}?limit=100`)).body as unknown as { data: Item[] }).data
  const named = async <T = Record<string, unknown>>(path: string, name: string) => {
    const found = (await list(path)).find((item) => item.name === name)
    if (!found) throw new Error(`no ${name}`)
    return found as Item & T
  }
  beforeAll(async () => {
    service = await startTestService(engine)
    businessId = businessOf(service.world, 'Salon Spree').id
    owner = await newPerson('owner')
  })
  afterAll(() => service.stop())

  const whole = async () => {
    const location = (await list('/locations'))[0]?.id ?? ''
    return {
      ...{
        name: 'Beard trim',
        duration_minutes: '20',
        'price.amount': '12,50',
        'price.currency': 'eur',
        'deposit.amount': '5',
        buffer_before_minutes: '0',
        buffer_after_minutes: '5',
      },
      ...{ slot_interval_minutes: '', capacity: '1', min_notice_minutes: '1,5', max_advance_days: '' },
      ...{ cancel_until_minutes: '', reschedule_until_minutes: '48', max_reschedules: '2' },
      ...{ description: 'With hot towels', [`location_ids.${location}`]: 'on' },
    }
  }

  describe('a service', () => {
    test('is created with everything, in units that people use', async () => {
      const fields = {
        ...(await whole()),
        ...{
          'custom_fields.0.label': 'Wie lang?',
          'custom_fields.0.type': 'select',
          'custom_fields.0.options': 'kurz\n\n lang ',
        },
        ...{
          'custom_fields.1.label': 'Wie lang?',
          'custom_fields.1.type': 'text',
          'custom_fields.1.required': 'on',
        },
        ...{
          'custom_fields.2.label': 'I accept the [terms](https://example.com).',
          'custom_fields.2.type': 'consent',
        },
        ...{ 'client_fields.last_name': 'optional', 'client_fields.phone': 'required' },
        ...{ 'timetable.monday': '17.30, 9:00 11 12 Uhr', 'timetable.tuesday': '' },
      }
      const sent = await send('/console/services/new', fields)
      expect(sent).toMatchObject({ status: 303, headers: { location: '/console/services?done=saved' } })
      expect(await named('/services', 'Beard trim')).toMatchObject({
        duration_minutes: 20,
        price: { amount: 1250, currency: 'EUR' },
        deposit: { amount: 500, currency: 'EUR' },
        buffer_after_minutes: 5,
        slot_interval_minutes: 20,
        min_notice_minutes: 90,
        max_advance_days: 365,
        reschedule_until_minutes: 2_880,
        max_reschedules: 2,
        timetable: [{ weekday: 'monday', starts: ['09:00', '11:00', '12:00', '17:30'] }],
        custom_fields: [
          { key: 'wie_lang', label: 'Wie lang?', type: 'select', options: ['kurz', 'lang'] },
          { key: 'wie_lang_2', type: 'text', required: true },
          { type: 'consent', required: true, label: 'I accept the [terms](https://example.com).' },
        ],
        client_fields: { last_name: 'optional', phone: 'required' },
      })
      expect((await show('/console/services?done=saved')).body).toMatch(
        /Saved\.[^]*Beard trim[^]*20 min[^]*€12.50/,
      )
    })

    test('is shown as it is, and changed without losing what its form lacks', async () => {
      const before = await named('/services', 'Beard trim')
      const { body } = await show(`/console/services/${before.id}`)
      expect(body).toMatch(/name="min_notice_minutes"[^>]*value="1.5"/)
      const fields = typedIn(String(body))
      expect(fields).toMatchObject({ 'price.amount': '12.50', 'custom_fields.0.options': 'kurz\nlang' })
      const sent = await send(`/console/services/${before.id}`, { ...fields, name: 'Beard' })
      expect(sent.status).toBe(303)
      expect(await named('/services', 'Beard')).toEqual({ ...before, name: 'Beard' })
    })

    test('is a class or group by a part of its own, which is open where it is one', async () => {
      const part = async (path: string) =>
        /<details([^>]*)>\s*<summary>Class or group[^]*?<\/details>/.exec(String((await show(path)).body)) ??
        []
      const [fresh, closed] = await part('/console/services/new')
      expect(closed).not.toContain('open')
      for (const name of ['capacity', 'timetable.monday', 'timetable.sunday'])
        expect(fresh).toContain(`name="${name}"`)
      const { id } = await named('/services', 'Beard') // it has fixed starts
      expect((await part(`/console/services/${id}`))[1]).toContain('open')
      const yoga = await named('/services', 'Yoga class')
      expect((await part(`/console/services/${yoga.id}`))[1]).toContain('open')
      const haircut = await named('/services', 'Haircut')
      expect((await part(`/console/services/${haircut.id}`))[1]).not.toContain('open')
      const fault = await send('/console/services/new', { ...(await whole()), capacity: 'many' })
      expect(fault.body).toMatch(/<details\s+open[^>]*>\s*<summary>Class or group/)
    })

    test('says which fixed starts lie outside the opening hours or the hours of its people', async () => {
      const clara = await named('/staff', 'Clara Neumann')
      const hours = { weekly_hours: [{ weekday: 'monday', opens: '09:00', closes: '12:00' }] }
      expect((await owner.call('PATCH', `/staff/${clara.id}`, hours)).status).toBe(200)
      const fields = {
        ...(await whole()),
        ...{ name: 'Early class', capacity: '8', [`staff_ids.${clara.id}`]: 'on' },
        ...{ 'timetable.monday': '06:00 09:00 14:00', 'timetable.sunday': '10:00' },
      }
      const sent = await send('/console/services/new', { ...fields, once: crypto.randomUUID() })
      const { id } = await named('/services', 'Early class')
      expect(sent.headers['location']).toBe(`/console/services/${id}?done=savedBut`)
      const page = await show(sent.headers['location'] ?? '')
      expect(textOf(page)).toContain('Saved. A part of it has no effect.')
      expect(page.body).toMatch(
        /id="timetable\.monday-fault">Monday 06:00 is not offered: it is outside the opening hours of Mitte\. Monday 14:00 is not offered: nobody who offers it works the whole time\.</,
      )
      expect(page.body).toMatch(/id="timetable\.sunday-fault">Sunday 10:00 is not offered/)
      expect(page.body).not.toMatch(/name="timetable.monday"[^>]*aria-invalid/)
      const mended = await send(`/console/services/${id}`, {
        ...fields,
        ...{ 'timetable.monday': '09:00', 'timetable.sunday': '' },
      })
      expect(mended.headers['location']).toBe('/console/services?done=saved')
      await owner.call('PATCH', `/staff/${clara.id}`, { weekly_hours: null })
    })

    test('names the weekday and the entry of a fixed start that is not a time', async () => {
      const fields = { ...(await whole()), name: 'Late class', 'timetable.friday': '09:00 25.00 noon 18 Uhr' }
      const { status, body } = await send('/console/services/new', { ...fields, capacity: 'acht' })
      expect(status).toBe(422)
      expect(body).toContain(
        'id="timetable.friday-fault">Friday: “25.00, noon” is not a time of day such as 09:00.',
      )
      expect(body).toContain('id="capacity-fault">Enter a number') // all faults at once
      expect(String(body).match(/class="fault"/g)).toHaveLength(2)
      expect(body).toMatch(/<details\s+open[^>]*>\s*<summary>Class or group/)
    })

    test('says how many clients a class takes at once', async () => {
      const { id } = await named('/services', 'Yoga class')
      const { body } = await show(`/console/services/${id}`)
      expect(textOf({ body })).toContain('1 person × 8 places = up to 8 clients at the same time.')
      expect((await show('/console/services/new')).body).toMatch(/data-seats[^>]*\shidden/)
    })

    test('asks who gives a new class before several people give one each', async () => {
      const form = String((await show('/console/services/new')).body)
      const fields: Record<string, string> = { ...typedIn(form), name: 'Pilates', capacity: '6' }
      expect(fields['capacity.each']).toBeUndefined()
      const people = Object.keys(fields).filter((name) => name.startsWith('staff_ids.'))
      expect(people.length).toBeGreaterThan(1)
      expect(fields).toMatchObject({ slot_interval_minutes: '15' })
      const asked = await send('/console/services/new', fields)
      expect(asked.status).toBe(422)
      expect(asked.body).toContain('Who gives this class?')
      expect(textOf(asked)).toContain(
        `Each of the ${people.length} people gives a class with 6 places: up to ${6 * people.length} clients`,
      )
      expect(asked.body).toMatch(/data-each\s*>/)
      const more = { ...fields, once: crypto.randomUUID(), 'capacity.each': 'on' }
      expect((await send('/console/services/new', more)).status).toBe(303)
      const saved = await named('/services', 'Pilates')
      expect(saved).toMatchObject({ capacity: 6, slot_interval_minutes: 15 })
      const again = String((await show(`/console/services/${saved.id}`)).body)
      expect(typedIn(again)).toMatchObject({ 'capacity.each': 'on' }) // an existing class is not asked again
      const others = people.slice(1)
      const one = Object.fromEntries(Object.entries(fields).filter(([name]) => !others.includes(name)))
      const alone = { ...one, name: 'Barre', once: crypto.randomUUID() }
      expect((await send('/console/services/new', alone)).status).toBe(303)
    })

    test('keeps what was typed beside its faults', async () => {
      const fields = {
        ...(await whole()),
        name: '<b>Long & "odd"',
        duration_minutes: 'ten',
        'deposit.amount': '99',
      }
      const { status, body } = await send('/console/services/new', fields)
      expect(status).toBe(422)
      expect(body).toContain('value="&lt;b&gt;Long &amp; &quot;odd&quot;"')
      expect(body).toMatch(/id="duration_minutes-fault">Enter a number, such as 24\.</)
      expect(body).toMatch(/id="deposit\.amount-fault">Must be at most the price\.</)
      expect(typedIn(String(body))).toMatchObject({ 'price.amount': '12,50', description: 'With hot towels' })
    })

    test('is no longer offered, and offered again', async () => {
      const { id } = await named('/services', 'Beard')
      await send(`/console/services/${id}`, { active: '' })
      expect(await named('/services', 'Beard')).toMatchObject({ active: false })
      const page = await show(`/console/services/${id}?done=deactivated`)
      expect(page.body).toContain('The service is no longer offered.')
      await send(`/console/services/${id}`, { active: 'on' })
      expect(await named('/services', 'Beard')).toMatchObject({ active: true })
    })
  })

  describe('a person', () => {
    test('and a location are taken off in words of their own', async () => {
      for (const [path, off, on, done] of [
        [
          'people',
          'No longer works here',
          'Works here again',
          'Clients can no longer book with this person.',
        ],
        ['locations', 'Close this location', 'Reopen', 'The location is closed.'],
      ] as const) {
        const id = (await list(path === 'people' ? '/staff' : '/locations'))[0]?.id ?? ''
        const address = `/console/${path}/${id}`
        expect(textOf(await show(address))).toContain(off)
        const sent = await send(address, { active: '' })
        expect(sent.headers['location']).toBe(`${address}?done=deactivated`)
        const taken = textOf(await show(`${address}?done=deactivated`))
        expect(taken).toContain(done)
        expect(taken).toContain(on)
        expect(taken).not.toMatch(/[Oo]ffer/)
        await send(address, { active: 'on' })
        expect(textOf(await show(address))).toContain(off)
      }
    })

    test('gets services, hours that are the same every day, and a holiday', async () => {
      const { id } = await named('/services', 'Beard')
      const location = (await list('/locations'))[0]?.id ?? ''
      const sent = await send('/console/people/new', {
        ...{ name: 'Dana', email: '', [`service_ids.${id}`]: 'on', [`location_ids.${location}`]: 'on' },
        ...{ hours: 'own', same: 'on', 'monday.open': 'on', 'tuesday.open': 'on' },
        ...{ 'monday.0.opens': '10:00', 'monday.0.closes': '14:00' },
        ...{ 'monday.1.opens': '15:00', 'monday.1.closes': '00:00' },
        ...{ 'tuesday.0.opens': '08:00', 'tuesday.0.closes': '09:00' },
        ...{ from: '2026-12-30', until: '2027-01-02', opens: '', closes: '' },
      })
      expect(sent.status).toBe(303)
      const spans = [
        { opens: '10:00', closes: '14:00' },
        { opens: '15:00', closes: '24:00' },
      ]
      const dana = await named('/staff', 'Dana')
      expect(dana).toMatchObject({
        weekly_hours: ['monday', 'tuesday'].flatMap((weekday) => spans.map((span) => ({ weekday, ...span }))),
        date_overrides: ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'].map((date) => ({
          date,
          hours: [],
        })),
      })
      expect(await named('/services', 'Beard')).toMatchObject({ staff_ids: [dana.id] })
      const { body } = await show('/console/people')
      expect(body).toContain('Mon–Tue 10:00–14:00 15:00–0:00')
    })

    test('shows the next days that differ in the list, without those that are over', async () => {
      const { id, date_overrides } = await named<{ date_overrides: object[] }>('/staff', 'Dana')
      const over = [{ date: '2026-11-01', hours: [] }, ...date_overrides]
      expect((await owner.call('PATCH', `/staff/${id}`, { date_overrides: over })).status).toBe(200)
      const list = textOf(await show('/console/people'))
      expect(list).toMatch(/Dana .*? 30 Dec 2026\s–\s2 Jan 2027: away/)
      expect(list).toMatch(
        /Mitte .*? 24 Dec 2026: 9:00–12:00 · 25 Dec 2026: closed · 24 Dec 2027: 9:00–12:00 · …/,
      )
    })

    test('loses a day of the holiday, and keeps the rest', async () => {
      const before = await named<{ date_overrides: unknown[] }>('/staff', 'Dana')
      const fields = typedIn(String((await show(`/console/people/${before.id}`)).body))
      expect((await show(`/console/people/${before.id}`, owner, 'de')).body).toContain('abwesend')
      await send(`/console/people/${before.id}`, { ...fields, 'override.0.drop': 'on' })
      expect(await named('/staff', 'Dana')).toEqual({
        ...before,
        date_overrides: before.date_overrides.slice(1),
      })
    })

    test('is not taken off a service that nobody else does', async () => {
      const dana = await named('/staff', 'Dana')
      const beard = await named('/services', 'Beard')
      const fields = typedIn(String((await show(`/console/people/${dana.id}`)).body))
      const { [`service_ids.${beard.id}`]: _, ...others } = fields
      const refused = await send(`/console/people/${dana.id}`, others)
      expect(refused.status).toBe(422)
      expect(refused.body).toContain('Nobody else offers Beard.')
      expect(await named('/services', 'Beard')).toMatchObject({ staff_ids: [dana.id] })
    })
  })

  test('a holiday over appointments says how many, with the way to the first', async () => {
    const booker = bookerOf(service)
    const anna = booker.staffId('Anna')
    await booker.book('Haircut', '2026-11-24T10:00:00+01:00', { staff_id: anna })
    const cancelled = await booker.book('Haircut', '2026-11-24T12:00:00+01:00', { staff_id: anna })
    await booker.call('DELETE', `/bookings/${cancelled}`)
    const member = await booker.call('GET', `/staff/${anna}`)
    const services = (await list('/services')) as (Item & { staff_ids: string[] })[]
    const own = services.filter(({ staff_ids }) => staff_ids.includes(anna))
    const fields = {
      ...{ name: String(member.body.name), email: '', hours: 'none' },
      ...Object.fromEntries(own.map(({ id }) => [`service_ids.${id}`, 'on'])),
      ...Object.fromEntries((member.body.location_ids as string[]).map((id) => [`location_ids.${id}`, 'on'])),
    }
    const saved = await send(`/console/people/${anna}`, {
      ...fields,
      from: '2026-11-23',
      until: '2026-11-25',
    })
    const { location = '' } = saved.headers
    expect(saved.status).toBe(303)
    const page = String((await show(location)).body)
    expect(page).toMatch(/href="\/console\?date=2026-11-24"\s*>1 appointment is in this time/)
    expect((await show(location.replace('2026-11-23', 'soon'))).status).toBe(200)
    const free = await send(`/console/people/${anna}`, { ...fields, from: '2026-11-26' })
    const after = String((await show(free.headers['location'] ?? '')).body)
    expect(after).toContain('Saved.')
    expect(after).not.toContain('falls into it')
  })

  test('a location gets an address, a zone and hours; a fault stands at its day', async () => {
    const fields = {
      ...{
        name: 'Annexe',
        address: 'Hauptstr. 1\r\n10115 Berlin',
        timezone: 'Europe/Vienna',
        online_url: '',
      },
      ...{ hours: 'own', 'monday.open': 'on', 'monday.0.opens': '09:00', 'monday.0.closes': '12:00' },
    }
    const refused = await send('/console/locations/new', {
      ...fields,
      ...{ 'monday.1.opens': '11:00', 'monday.1.closes': '13:00', timezone: 'Europe/Nowhere' },
    })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('id="monday.1.opens-fault">Overlaps 09:00–12:00.<')
    expect(refused.body).toMatch(/name="monday\.1\.opens"[^>]*aria-invalid="true"/)
    expect(refused.body).toMatch(/id="timezone-fault"/)
    const half = await send('/console/locations/new', {
      ...{ ...fields, 'saturday.open': 'on', 'saturday.0.opens': '10:00' },
    })
    expect(half.body).toContain('id="saturday.0.closes-fault">Saturday: enter an end for 10:00.')
    expect((await send('/console/locations/new', fields)).status).toBe(303)
    expect(await named('/locations', 'Annexe')).toMatchObject({
      address: 'Hauptstr. 1\n10115 Berlin',
      timezone: 'Europe/Vienna',
      weekly_hours: [{ weekday: 'monday', opens: '09:00', closes: '12:00' }],
    })
    const { id } = await named('/locations', 'Annexe')
    await send(`/console/locations/${id}`, { ...fields, hours: 'none' })
    expect(await named('/locations', 'Annexe')).toMatchObject({ weekly_hours: null })
  })

  test('a day that is switched on needs hours, and one that is switched off keeps none', async () => {
    const fields = { name: 'Kiosk', timezone: 'Europe/Vienna', hours: 'own', 'tuesday.0.opens': '10:00' }
    const empty = await send('/console/locations/new', { ...fields, 'monday.open': 'on' })
    expect(empty.body).toContain('id="monday.0.opens-fault">Monday: enter the hours, or switch the day off.')
    expect((await send('/console/locations/new', fields)).status).toBe(303)
    expect(await named('/locations', 'Kiosk')).toMatchObject({ weekly_hours: [] })
  })

  test('a new person may start with the hours of the location', async () => {
    const { body } = await show('/console/people/new')
    expect(body).toMatch(/name="hours" value="none" checked/)
    expect(typedIn(String(body))).toMatchObject({ 'monday.open': 'on', 'saturday.0.opens': '10:00' })
    const [location] = (await list('/locations')) as (Item & { weekly_hours?: unknown })[]
    const tuesday = [{ weekday: 'tuesday', opens: '10:00', closes: '19:00' }]
    await owner.call('PATCH', `/locations/${location?.id ?? ''}`, { weekly_hours: tuesday })
    const closedOnMonday = typedIn(String((await show('/console/people/new')).body))
    expect(closedOnMonday).toMatchObject({ 'tuesday.open': 'on', 'tuesday.0.closes': '19:00' })
    expect(closedOnMonday).not.toHaveProperty(['monday.open'])
    await owner.call('PATCH', `/locations/${location?.id ?? ''}`, { weekly_hours: location?.weekly_hours })
  })

  test('a service gets a category in use or another one, and the list moves it within', async () => {
    const base = await whole()
    const { body } = await show('/console/services/new')
    expect(body).toMatch(/<select[^>]*id="category"[^]*<option value="Hair and care"[^]*<option value="\+"/)
    for (const name of ['First', 'Second'])
      await send('/console/services/new', { ...base, name, category: '+', 'category.new': 'Beards' })
    const second = await named('/services', 'Second')
    expect(second).toMatchObject({ category: 'Beards' })
    const moved = await send('/console/services', { to: `${second.id}:up` })
    expect(moved.headers.location).toBe(`/console/services?done=moved&open=${second.id}`)
    const ofCategory = async () =>
      (await list('/services')).filter((one) => 'category' in one && one.category === 'Beards')
    expect((await ofCategory()).map(({ name }) => name)).toEqual(['Second', 'First'])
    await send('/console/services', { move: `${second.id}:before:` })
    expect((await ofCategory()).map(({ name }) => name)).toEqual(['First', 'Second'])
    expect((await send('/console/services', { move: `${businessId}:before:` })).status).toBe(404)
    await send(`/console/services/${second.id}`, { ...base, name: 'Second', category: '' })
    expect(await named('/services', 'Second')).toMatchObject({ category: null })
  })

  test('public holidays close a location, once, and keep other hours of the day', async () => {
    const { id: location } = await named('/locations', 'Mitte')
    const path = `/console/locations/${location}/holidays`
    const { body } = await show(`${path}?country=AT&region=9`)
    expect(textOf({ body })).toMatch(/Austria.*Saturday, December 26, 2026/)
    const ticked = { 'day.2027-10-26': 'on', 'day.2026-12-24': 'on' }
    for (let time = 0; time < 2; time += 1) expect((await send(path, ticked)).status).toBe(303)
    const { date_overrides: days } = (await owner.call('GET', `/locations/${location}`)).body as unknown as {
      date_overrides: { date: string; hours: object[] }[]
    }
    expect(days.filter(({ date }) => date === '2027-10-26')).toEqual([{ date: '2027-10-26', hours: [] }])
    expect(days.filter(({ date }) => date === '2026-12-24')).toMatchObject([{ hours: [{}] }])
    expect((await send(path, { 'day.tomorrow': 'on' })).status).toBe(422)
  })

  test.each(['/console/locations/new', '/console/people/new'])(
    'a holiday on %s that ends before it begins, or has no first day, is refused at its field',
    async (path) => {
      const { id = '' } = (await list('/services'))[0] ?? {}
      const fields = { name: 'Odd', timezone: 'Europe/Vienna', hours: 'none', [`service_ids.${id}`]: 'on' }
      const reversed = await send(path, { ...fields, from: '2026-12-24', until: '2026-12-23' })
      expect(reversed.status).toBe(422)
      expect(reversed.body).toContain('id="until-fault">The last day is before the first.')
      expect(reversed.body).toMatch(/name="until"[^>]*value="2026-12-23"\s*aria-invalid="true"/)
      const endless = await send(path, { ...fields, until: '2026-12-23' })
      expect(endless.body).toContain('id="from-fault">Enter the first day.')
      for (const kind of ['/locations', '/staff'])
        expect((await list(kind)).map(({ name }) => name)).not.toContain('Odd')
    },
  )

  test('are for managers and owners, of this business, from pages of this server', async () => {
    const { id } = await named('/services', 'Beard')
    const fields = typedIn(String((await show(`/console/services/${id}`)).body))
    const manager = await newPerson('manager')
    expect((await send(`/console/services/${id}`, fields, manager)).status).toBe(303)
    const staff = await newPerson('staff', (await named('/staff', 'Dana')).id)
    for (const path of ['/console/services', '/console/people', `/console/services/${id}`])
      expect(await show(path, staff)).toMatchObject({ status: 404 })
    expect((await send(`/console/services/${id}`, fields, staff)).body).toContain('You cannot open this page')
    const elsewhere = await logInNewPerson(service, {
      email: `salon${(people += 1)}@example.com`,
      role: 'owner',
      place: { businessId: businessOf(service.world, 'Hudson Studio').id },
    })
    expect((await show(`/console/services/${id}`, elsewhere)).status).toBe(404)
    expect((await send(`/console/services/${id}`, fields, elsewhere)).status).toBe(409) // a service of another business
    const foreign = { cookie: owner.cookie, headers: { 'sec-fetch-site': 'cross-site' } }
    expect((await sendForm(service, `/console/services/${id}`, fields, foreign)).status).toBe(403)
    const nobody = await sendForm(service, `/console/services/${id}`, fields)
    expect(nobody.body).toContain('<h1>Log in</h1>')
  })
})
