import { afterAll, beforeAll, expect, test } from 'vitest'
import { textOf, useForm } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

/** Returns the initially focused tag of the page. */
function focusOf(page: string): string {
  const tags = page.match(/<[^>]*\sautofocus\b[^>]*>/g) ?? []
  expect(tags).toHaveLength(1)
  return (tags[0] ?? '').replaceAll(/\s+/g, ' ')
}

/** Returns a page without line breaks, which may be anywhere between attributes. */
const flat = (page: unknown) => String(page).replaceAll(/\s+/g, ' ')

onOneEngine('postgres', 'booking by the form of the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  let day = 0
  const read = async (path: string, { cookie } = owner) => {
    const { body } = await service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie } })
    return flat(body)
  }
  const serviceId = (name: string) => booker.business.services.find((one) => one.name === name)?.id ?? ''
  const place = (name = 'Mitte') => booker.business.locations.find((one) => one.name === name)?.id ?? ''
  /** Returns a different Tuesday for each test. */
  const newDay = () => new Date(Date.UTC(2026, 10, 24 + 7 * (day += 1))).toISOString().slice(0, 10)
  const fields = (date: string, more: Record<string, string> = {}) => ({
    once: crypto.randomUUID(),
    service: serviceId('Haircut'),
    location: place(),
    who: booker.staffId('Anna'),
    date,
    time: '10:00',
    first_name: 'Grace',
    last_name: 'Hopper',
    email: 'grace@example.com',
    phone: '',
    notes: '',
    tell: 'on',
    do: 'book',
    ...more,
  })
  const send = (given: Record<string, string>, person = owner) =>
    sendForm(service, '/console/book', given, { cookie: person.cookie })
  const bookings = async (date: string) => {
    const { body } = await booker.call('GET', `/bookings?from=${date}T00:00:00Z&to=${date}T23:59:59Z`)
    return body.data as { staff: { id: string }; client: { email: string }; notes: string | null }[]
  }
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
    const at = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place: at })
  })
  afterAll(() => service.stop())

  test('offers the services of a person, then the form with the start filled in', async () => {
    const anna = booker.staffId('Anna')
    const start = '2026-12-01T09:30:00.000Z'
    const offered = await read(`/console/book?start=${start}&who=${anna}`)
    for (const name of ['Haircut', 'Colour']) expect(offered).toContain(name)
    for (const name of ['Treatment', 'Massage']) expect(offered).not.toContain(name)
    const form = await read(`/console/book?start=${start}&who=${anna}&service=${serviceId('Haircut')}`)
    expect(form).toContain('value="2026-12-01"')
    expect(form).toContain('value="10:30"')
    expect(await read('/console/book')).toContain('Choose a service')
  })

  test('begins with the client: a search, then services with length and price, in one form', async () => {
    const date = newDay()
    await send(fields(date))
    const start = `${date}T11:00:00.000Z`
    const begun = await read(`/console/book?start=${start}&who=${booker.staffId('Anna')}`)
    expect(begun).toMatch(/<p><b>[^<]* 12:00<\/b> <bdi>with Anna Weber</) // the free time that was tapped
    expect(begun.indexOf('name="q"')).toBeLessThan(begun.indexOf('name="choose"'))
    expect(begun).toContain('<bdi>Haircut</bdi> <span class="soft">30 min · €35</span>')
    const [, colour = ''] = /name="choose" value="([^"]+)"[^>]*> <bdi>Colour/.exec(begun) ?? []
    const typed = { start, who: booker.staffId('Anna'), party_size: '1', once: crypto.randomUUID() }
    const found = flat((await send({ ...typed, do: 'find', q: 'hopp' })).body)
    expect(found).toMatch(/name="pick".*Grace Hopper.*name="choose"/)
    const [, pick = ''] = /name="pick" value="([^"]+)"/.exec(found) ?? []
    const picked = flat((await send({ ...typed, pick })).body)
    expect(picked).toContain('value="Hopper"')
    expect(picked).toContain('name="choose"')
    const chosen = flat((await send({ ...typed, first_name: 'Ida', notes: 'Window', choose: colour })).body)
    for (const text of ['value="Ida"', 'Window</textarea>', 'value="12:00"', '12:00–13:30 · 1 h 30 · €70'])
      expect(chosen).toContain(text)
    expect(chosen).toContain(`value="${booker.staffId('Anna')}" selected`)
    expect(chosen).toMatch(/<option [^>]*>Haircut · 30 min · €35<\/option>/)
    const back = flat((await send({ ...fields(date), first_name: 'Ida', do: 'service' })).body)
    expect(back).toMatch(/value="Ida".*name="choose"/)
    expect(back).toContain('name="time" value="10:00"')
  })

  test('offers the free times of a day, or of the first day with any, which fill the form in', async () => {
    const date = newDay()
    const empty = await read(`/console/book?date=${date}&service=${serviceId('Haircut')}&location=${place()}`)
    expect(empty).toContain('name="use" value="')
    await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const times = flat((await send(fields(date, { do: 'times', email: '' }))).body)
    expect(times).not.toContain(`name="use" value="${date}T09:00:00.000Z"`) // she is booked at ten in Berlin
    expect(times).toContain(`name="use" value="${date}T10:00:00.000Z"`)
    expect(times).toContain('value="Grace"')
    expect(focusOf(times)).toMatch(/name="use" value="\S+T08:00:00.000Z"/) // in view, not at the top of the form
    const { do: _, ...rest } = fields(date)
    const used = flat((await send({ ...rest, use: `${date}T10:00:00.000Z` })).body)
    expect(used).toMatch(/name="time"[^>]* value="11:00"/)
    expect(focusOf(used)).toContain('name="notes"') // the client is known
    const unknown = await send({ ...rest, first_name: '', use: `${date}T10:00:00.000Z` })
    expect(focusOf(String(unknown.body))).toContain('name="q"')
    const sunday = new Date(Date.parse(date) + 5 * 86_400_000).toISOString().slice(0, 10)
    const later = await send(fields(sunday, { do: 'times' }))
    expect(String(later.body)).toContain('Nothing is free on that day. Free on Mon')
    const far = await send(fields('2999-01-01', { do: 'times' }))
    expect(String(far.body)).toContain('There are no free times in the two weeks from that day.')
    const fromToday = await send(fields('nonsense', { do: 'times' }))
    expect(flat(fromToday.body)).toContain('name="use" value="')
    expect(await bookings(date)).toHaveLength(1)
  })

  test('shows the week of the free times, and on request a month, as buttons that need no script', async () => {
    const days = (page: string) => page.match(/name="day" value="[^"]+"/g)?.map((one) => one.slice(18, -1))
    const page = await read(`/console/book?service=${serviceId('Haircut')}&location=${place()}`)
    expect(page).toMatch(/name="day" value="2026-11-16"[^>]*disabled/) // Monday of the present week is over
    expect(page).toMatch(/aria-label="Sunday 22 November, no free times" class="is-full"/)
    expect(page).toMatch(
      /value="2026-11-20" aria-label="Friday 20 November" class="" [^>]*aria-current="date"/,
    )
    expect(page).toMatch(/id="days-before"[^>]*disabled/)
    expect(page).toMatch(/name="day" value="2026-11-27" id="days-after"/)
    const { do: _, ...typed } = fields('2026-11-20', { time: '' })
    const month = flat((await send({ ...typed, month: '2026-11-20' })).body)
    const inMonth = days(month) ?? []
    expect([inMonth.length, inMonth[0], inMonth.at(-1)]).toEqual([35, '2026-11-16', '2026-12-20'])
    expect(month).toContain('November – December 2026')
    expect(month).toMatch(/name="month" value="2026-12-25" id="days-after"/)
    const chosen = flat((await send({ ...typed, day: '2026-12-11' })).body) // three weeks away
    expect(chosen).toMatch(/name="date"[^>]* value="2026-12-11"/)
    expect(chosen).toContain('Free on Fri, 11 Dec 2026:')
    expect(focusOf(chosen)).toMatch(/name="use" value="2026-12-11T/)
    expect(days(chosen)).toEqual(expect.arrayContaining(['2026-12-07', '2026-12-13']))
    expect(chosen).toContain('value="Grace"')
    const back = flat((await send({ ...typed, day: '2026-12-11', month: '2026-12-11' })).body)
    expect(back).toMatch(/name="month" value="2026-11-20" id="days-before"/) // not before today
    for (const day of ['9999-12-31', 'nonsense', '2020-01-01']) {
      expect((await send({ ...typed, day })).status, day).toBeLessThan(400)
    }
  })

  test('books a class at a start of its timetable, for several people', async () => {
    const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
    const timetable = weekdays.map((weekday) => ({ weekday, starts: ['11:00', '16:30'] }))
    const made = await booker.call('POST', '/services', {
      ...{ name: 'Dance class', duration_minutes: 60, capacity: 8, location_ids: [place()], timetable },
    })
    expect(made.status).toBe(201)
    const date = newDay()
    const sent = { ...fields(date), service: String(made.body.id), who: '', time: '16:30' }
    const form = await read(`/console/book?date=${date}&service=${sent.service}&location=${sent.location}`)
    expect(form.match(/name="use" value="[^"]+"/g)?.map((one) => one.slice(-15, -1))).toEqual([
      ...['T10:00:00.000Z', 'T15:30:00.000Z'],
    ])
    expect(form.match(/8 left/g)).toHaveLength(2)
    expect(form).toMatch(/name="party_size"[^>]*value="1"/)
    for (const party_size of ['0', '9', 'two']) {
      const refused = await send({ ...sent, once: crypto.randomUUID(), party_size })
      expect(refused).toMatchObject({
        status: 422,
        body: expect.stringContaining('Enter a number from 1 to 8.'),
      })
    }
    expect(await bookings(date)).toEqual([])
    expect((await send({ ...sent, party_size: '6' })).status).toBe(303)
    expect(await bookings(date)).toMatchObject([{ party_size: 6, starts_at: `${date}T16:30:00+01:00` }])
    const later = flat((await send({ ...sent, do: 'times', party_size: '2' })).body)
    expect(later).toMatch(/16:30 · 2 left/)
    expect(flat((await send({ ...sent, do: 'times', party_size: '3' })).body)).not.toContain('2 left')
    const crowded = await send({ ...sent, once: crypto.randomUUID(), party_size: '3' })
    expect(crowded.status).toBe(422)
    expect(await read(`/console?date=${date}`)).toContain('6 people')
  })

  test('books in one step, with its mail and its row in the audit log', async () => {
    const date = newDay()
    const reply = await send(fields(date, { notes: 'By phone' }))
    expect(reply).toMatchObject({
      status: 303,
      headers: { location: expect.stringMatching(/^\/console\/bookings\/[0-9a-f-]+\?done=booked$/) },
    })
    expect(await bookings(date)).toMatchObject([
      { client: { email: 'grace@example.com' }, notes: 'By phone' },
    ])
    const { body } = await owner.call('GET', '/audit?limit=5')
    expect(body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'booking.created',
          actor: expect.objectContaining({ type: 'person' }),
        }),
      ]),
    )
  })

  test('books once, however often the same form is sent', async () => {
    const form = fields(newDay())
    const replies = await Promise.all([send(form), send(form)])
    replies.push(await send(form))
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(await bookings(form.date)).toHaveLength(1)
    const other = await send({ ...form, time: '11:00' })
    expect(other.status).toBe(422)
    expect(other.body).toContain('was already sent')
  })

  test('books a walk-in by one name, now, and the same again weeks later', async () => {
    const now = flat((await send(fields(newDay(), { do: 'now' }))).body)
    expect(now).toMatch(/name="date"[^>]* value="2026-11-20"/)
    expect(now).toMatch(/name="time"[^>]* value="10:05"/)
    expect(now).toContain('10:05–10:35 · 30 min · €35 in total')
    const date = newDay()
    const walkIn = { first_name: 'Frau Novak', last_name: '', email: '' }
    const made = await send(fields(date, walkIn))
    const [, id = ''] = /bookings\/([0-9a-f-]+)/.exec(String(made.headers['location'])) ?? []
    expect(await read(`/console/bookings/${id}?done=booked`)).toContain(`again=${id}&amp;weeks=4`)
    const again = await read(`/console/book?again=${id}&weeks=4`)
    const later = new Date(Date.parse(date) + 28 * 86_400_000).toISOString().slice(0, 10)
    expect(again).toContain(`value="${later}"`)
    expect(again).toMatch(/name="time"[^>]* value="10:00"/)
    expect(again).toContain(`value="${booker.staffId('Anna')}" selected`)
  })

  test('a search without a result becomes a new client, and free times are grouped by part of the day', async () => {
    const found = await send({ q: 'Frau Anders', do: 'find' })
    expect(found.body).toContain('No client found.')
    expect(found.body).toMatch(/value="new"[^]*New client: Frau Anders/)
    expect(found.body).not.toMatch(/<details class="client-fields"\s+open/)
    for (const [q, name] of [
      ['Frau Anders', 'first_name'],
      ['novak@example.com', 'email'],
      ['0664 1234599', 'phone'],
    ] as const) {
      const { body } = await send({ q, do: 'new' })
      expect(body).toMatch(new RegExp(`name="${name}"[^>]*value="${q}"`))
      expect(body).toMatch(/<details class="client-fields"\s+open/)
    }
    const times = flat((await send({ ...fields(newDay()), do: 'times' })).body)
    expect(times).toMatch(/aria-label="Morning"[^]*aria-label="Afternoon"/)
  })

  test('keeps what was typed after a fault, beside the field', async () => {
    const reply = await send(fields(newDay(), { email: 'grace', notes: '<b>keep</b>' }))
    expect(reply.status).toBe(422)
    expect(reply.body).toContain('Enter an email address, such as ada@example.com')
    expect(reply.body).toContain('value="grace"')
    expect(reply.body).toContain('&lt;b&gt;keep&lt;/b&gt;')
  })

  test('takes a phone number as people write it, and says what may be in it', async () => {
    const date = newDay()
    expect((await send(fields(date, { phone: '0664/123 45 99' }))).status).toBe(303)
    expect(await bookings(date)).toMatchObject([{ client: { phone: '0664 123 45 99' } }])
    const refused = await send(fields(newDay(), { phone: '0664 call me' }))
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('id="phone-fault">Use only digits, spaces and + ( ) - . /')
  })

  test('asks the custom questions and says which one is missing', async () => {
    const date = newDay()
    const form = { ...fields(date), service: serviceId('Consultation'), who: '' }
    const missing = await send(form)
    expect(missing.status).toBe(422)
    expect(missing.body).toContain('This field is required.')
    expect(
      (await service.rows('claims')).filter((one) => one.booked_at === null && one.ended_at === null),
    ).toEqual([])
    const question = booker.business.services
      .find(({ name }) => name === 'Consultation')
      ?.custom_fields.find(({ required }) => required)
    const name = `answer-${question?.id ?? ''}`
    expect(missing.body).toMatch(new RegExp(`id="${name}"[^>]* required`))
    const answer = question?.options?.[0] ?? 'Shorter'
    const booked = await send({ ...form, [`answer-${question?.id ?? ''}`]: answer })
    expect(booked.status).toBe(303)
  })

  test('warns outside the rules, and books all the same when told to', async () => {
    const form = fields(newDay(), { time: '03:00' })
    const warned = await send(form)
    expect(warned.status).toBe(422)
    expect(warned.body).toMatch(
      /outside opening hours[^]*name="anyway"[^]*<\/div>\s*<button[^>]*value="book" class="main"/,
    )
    expect(focusOf(String(warned.body))).toContain('name="anyway"') // at the button, not at the top
    expect(await bookings(form.date)).toEqual([])
    expect((await send({ ...form, anyway: 'on' })).status).toBe(303)
    expect(await bookings(form.date)).toHaveLength(1)
  })

  test('takes any minute, such as now, and still names what lies behind it', async () => {
    const form = fields(newDay(), { time: '10:07' })
    expect((await send({ ...form, time: '03:07' })).body).toContain('outside opening hours')
    const staff_id = booker.staffId('Anna')
    const span = { starts_at: `${form.date}T13:00:00+01:00`, ends_at: `${form.date}T14:00:00+01:00` }
    expect((await booker.call('POST', '/blocks', { staff_id, ...span })).status).toBe(201)
    const blocked = await send({ ...form, time: '13:07', who: staff_id })
    expect([blocked.status, textOf(blocked)]).toEqual([422, expect.stringMatching(/blocked/i)])
    expect((await send({ ...form, once: crypto.randomUUID() })).status).toBe(303)
    expect(await bookings(form.date)).toHaveLength(1)
  })

  test('never books over somebody else: it offers times nearby as buttons, which book', async () => {
    const form = fields(newDay())
    await booker.book('Haircut', `${form.date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const refused = await send({ ...form, anyway: 'on' })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('That time is already taken.')
    const near = Array.from(
      String(refused.body).matchAll(/name="at"\s+value="([^"]+)"/g),
      ([, at = '']) => at,
    )
    expect(near[0]).toBe(`${form.date}T09:00:00.000Z ${booker.staffId('Ben')}`) // first who is free at the same time
    expect(near).toHaveLength(4)
    expect(String(refused.body)).toContain('name="use" value="') // and the free times of the day
    expect((await send({ ...form, once: crypto.randomUUID(), at: near[1] ?? '' })).status).toBe(303)
    expect(await bookings(form.date)).toHaveLength(2)
  })

  test('enters afterwards what took place, marked and without a mail, never over somebody else', async () => {
    const form = fields('2026-11-20', { time: '08:30' }) // half an hour before it opens, and an hour and a half ago
    const warned = await send({ ...form, time: '09:30' })
    expect(warned.status).toBe(422)
    expect(warned.body).toContain('You can still add the appointment, for example for a walk-in.')
    expect(warned.body).toContain('Add past appointment')
    expect(warned.body).toContain('The client gets no email about a past appointment.')
    expect(warned.body).not.toContain('name="tell"')
    expect(await bookings('2026-11-20')).toEqual([])
    const sent = { ...form, time: '09:30', anyway: 'on' }
    expect((await send(sent)).status).toBe(303)
    expect(await bookings('2026-11-20')).toMatchObject([{ status: 'completed', no_show: false }])
    const again = await send({ ...sent, once: crypto.randomUUID(), time: '09:45', email: 'ada@example.com' })
    expect(again).toMatchObject({
      status: 422,
      body: expect.stringContaining('That time is already taken.'),
    })
    expect((await send({ ...form, once: crypto.randomUUID(), anyway: 'on' })).status).toBe(303)
    expect(await service.rows('mails')).toEqual([])
    const key = { ...offer(booker.business, 'Haircut'), starts_at: '2026-11-20T08:00:00+01:00' }
    expect((await booker.call('POST', '/bookings/hold', key)).body).toMatchObject({ reason: 'in_the_past' })
  })

  test('never books more than 31 days ago, nor at a time that clocks skip', async () => {
    const old = await send(fields('2026-10-19', { anyway: 'on' }))
    expect(old.body).toContain('That time is in the past. Choose a later one.')
    const skipped = await send(fields('2027-03-28', { time: '02:30', anyway: 'on' }))
    expect(skipped.body).toContain('The clocks skip that time')
  })

  test('finds earlier clients, and fills one in', async () => {
    const form = fields(newDay())
    await send(form)
    const found = await send({ ...form, do: 'find', q: 'hopp', first_name: '' })
    expect(found.status).toBe(200)
    const [, pick = ''] = /name="pick" value="([^"]+)"/.exec(String(found.body)) ?? []
    const { do: _, ...rest } = form
    const picked = await send({ ...rest, pick, first_name: '', last_name: '' })
    expect(picked.body).toContain('value="Hopper"')
    expect(picked.body).not.toContain('name="use"')
    expect((await send({ ...rest, pick, time: '' })).body).toContain('name="use"') // the free times stay
    expect((await send({ ...form, do: 'find', q: 'xx' })).body).toContain('at least three')
  })

  test('books clients without an e-mail address: the phone tells them apart, else each is a new one', async () => {
    const date = newDay()
    const book = async (time: string, client: Record<string, string>) => {
      const sent = fields(date, { time, email: '', anyway: 'on', ...client })
      expect((await send(sent)).status).toBe(303)
      const { body } = await booker.call('GET', `/bookings?from=${date}T00:00:00Z&sort=-created_at&limit=1`)
      expect(body.data[0].client.email).toBe('')
      return kept(body.data[0].id)
    }
    const kept = async (id: string) => {
      const rows = (await service.rows('bookings')) as { id: string; client_email: string }[]
      return { id, email: rows.find((row) => row.id === id)?.client_email ?? '' }
    }
    const phone = '+49 30 1234-567'
    const first = await book('10:00', { phone })
    const second = await book('11:00', { phone: '+49 (30) 1234567' })
    const walkIn = await book('12:00', { first_name: 'Peter' })
    const other = await book('13:00', { first_name: 'Petra' })
    expect(second.email).toBe(first.email)
    const national = await book('15:00', { phone: '030 1234567' })
    expect(national.email).toBe(first.email)
    expect(new Set([first, walkIn, other].map(({ email }) => email)).size).toBe(3)
    // people see none, and find them by name and phone
    for (const path of [
      '/console/clients',
      `/console/bookings/${walkIn.id}`,
      `/console/clients/${first.id}`,
    ]) {
      const page = await read(path)
      expect(page).not.toContain('no-email.invalid')
      expect(page).toContain('Hopper')
    }
    const card = await read(`/console/clients/${first.id}`)
    expect(new Set(card.match(/console\/bookings\/[0-9a-f-]{36}/g)).size).toBe(3)
    expect(await read(`/console/bookings/${first.id}/cancel`)).toContain('no address is known')
    expect(await read(`/console/bookings/${first.id}/move`)).toContain('no address is known')
    const { do: _, ...rest } = fields(date, { email: '', first_name: '', last_name: '' })
    const found = flat((await send({ ...rest, do: 'find', q: 'petra' })).body)
    const [, pick = ''] = /name="pick" value="([^"]+)"/.exec(found) ?? []
    expect(found.replaceAll(/<[^>]*>/g, '')).not.toContain('no-email')
    const picked = flat((await send({ ...rest, pick })).body)
    expect(picked).toMatch(/name="email"[^>]* value=""/)
    const [, known = ''] = /name="known" value="([^"]+)"/.exec(picked) ?? []
    const again = await book('14:00', { first_name: 'Petra', known })
    expect(again.email).toBe(other.email)
    // a correction may add an address, and remove it
    const correct = async (typed: Record<string, string>) => {
      const page = `/console/bookings/${walkIn.id}/client`
      expect((await useForm(service, owner, { page, action: page, fields: typed })).status).toBe(303)
      return (await kept(walkIn.id)).email
    }
    expect(await correct({ first_name: 'Pit' })).toBe(walkIn.email)
    expect(await correct({ email: 'pit@example.com' })).toBe('pit@example.com')
    expect(await correct({ email: '', phone })).toBe(first.email)
  })

  test('says so where the server sends no mail, and offers none', async () => {
    const date = newDay()
    const form = await read(`/console/book?date=${date}&service=${serviceId('Haircut')}&location=${place()}`)
    expect(form).toContain('because no email account is connected yet')
    expect(form).not.toContain('name="tell"')
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    for (const name of ['move', 'cancel', 'person']) {
      const page = await read(`/console/bookings/${id}/${name}`)
      expect(page).toContain('because no email account is connected yet')
      expect(page).not.toContain('name="tell"')
    }
    expect(await read(`/console?date=${date}`)).not.toContain('data-told')
  })

  test('staff book for themselves alone, and look up nobody', async () => {
    const at = { businessId: booker.business.id }
    const staffId = booker.staffId('Anna')
    const anna = await logInNewPerson(service, {
      email: 'anna@example.com',
      role: 'staff',
      place: at,
      staffId,
    })
    const date = newDay()
    expect(await read(`/console/book?service=${serviceId('Haircut')}`, anna)).not.toContain('Existing client')
    expect((await send(fields(date), anna)).status).toBe(303)
    expect((await send(fields(date, { who: booker.staffId('Ben'), time: '12:00' }), anna)).status).toBe(422)
    expect(await bookings(date)).toHaveLength(1)
  })

  test('is taken from pages of this server alone, and reaches no other business', async () => {
    const form = fields(newDay())
    const cross = await sendForm(service, '/console/book', form, {
      cookie: owner.cookie,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(cross.status).toBe(403)
    const other = businessOf(service.world, 'Hudson Studio')
    const foreign = await send({
      ...form,
      service: other.services[0]?.id ?? '',
      location: other.locations[0]?.id ?? '',
    })
    expect(foreign.body).toContain('Choose a service') // again, of this business
  })
})
