import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { derivedId } from '../../src/base/ids.ts'
import { bookSlot, type Client, clientOf, sessionClient } from '../support/client.ts'
import { formValues, readConsole, textOf, useForm } from '../support/console.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  makeBusiness,
  makeLocation,
  makeOffer,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`
const grace = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', phone: '+49 30 1234' }

onOneEngine('sqlite', 'the page of a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let offer: Offer
  let owner: LoggedIn
  let id: string
  let people = 0
  const logIn = (role: 'staff' | 'manager' | 'owner', staffId?: string, businessId = business.id) =>
    logInNewPerson(service, {
      ...{
        email: `${role}${(people += 1)}@example.com`,
        name: `${role} Person`,
        role,
        place: { businessId },
      },
      staffId,
    })
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    owner = await logIn('owner')
  })
  beforeEach(async () => {
    offer = await makeOffer(service, business.id)
    id = String(
      (await bookSlot(key, offer, at('10:00'), { book: { client: grace, notes: 'Ring twice' } })).id,
    )
  })
  afterAll(() => service.stop())

  const path = (form?: string) => `/console/bookings/${id}${form === undefined ? '' : `/${form}`}`
  const show = async (person = owner) => textOf(await readConsole(service, path(), person))
  const use = (form: string, fields: Record<string, string> = {}, person = owner) =>
    useForm(service, person, { page: path(form === 'status' ? undefined : form), action: path(form), fields })
  const stateOf = async () => (await key.show(id)).body as Record<string, unknown>

  test('shows what it is, for whom, and what happened, in words and the zone of the location', async () => {
    const text = await show()
    expect(text).toContain('Massage')
    expect(text).toMatch(/Tue,? 1 Dec 2026, 10:00–10:30 · 30 min/)
    expect(text).toMatch(/Grace Hopper \d+(st|nd|rd|th) visit/)
    expect(text).toContain('+49 30 1234')
    expect(text).toContain('Ring twice')
    expect(text).toMatch(/Booked by a program 20 Nov, 10:00/i)
    const german = await readConsole(service, path(), owner, { 'accept-language': 'de' })
    expect(textOf(german)).toMatch(/Di\., 1\. Dez\. 2026, 10:00–10:30/)
  })

  test('is cancelled with a reason, told or not, and taken up again', async () => {
    const asked = textOf(await readConsole(service, path('cancel'), owner))
    expect(asked).toMatch(/Massage Confirmed .* Grace Hopper/)
    const done = await use('cancel', { cancel_reason: 'Ill', tell: 'no' })
    expect(done).toMatchObject({
      status: 303,
      headers: { location: expect.stringContaining(`${path()}?done=cancelled&undo=`) as string },
    })
    expect(await stateOf()).toMatchObject({ status: 'cancelled', cancel_reason: 'Ill' })
    const text = textOf(await readConsole(service, `${path()}?done=cancelled`, owner))
    expect(text).toContain('Booking cancelled.')
    expect(text).toContain('Reason: Ill')
    expect(text).toContain('cancelled by owner Person')
    expect(await use('status', { action: 'restore' })).toMatchObject({ status: 303 })
    expect(await stateOf()).toMatchObject({ status: 'confirmed' })
  })

  const undo = async (notice: string) => {
    const { body } = await readConsole(service, notice, owner)
    return sendForm(service, path('status'), formValues(String(body), path('status')), owner)
  }
  const offersUndo = async (notice: string) => {
    const { body } = await readConsole(service, notice, owner)
    return /<button type="submit">Undo<\/button>/.test(String(body))
  }

  test('a cancellation is undone within seconds, as long as nobody has changed the booking', async () => {
    const notice = String((await use('cancel', { tell: 'yes' })).headers.location)
    expect(await stateOf()).toMatchObject({ status: 'cancelled' })
    const undone = await undo(notice)
    expect(undone.headers.location).toMatch(/done=undone/)
    expect(await stateOf()).toMatchObject({ status: 'confirmed' })
    expect(textOf(await readConsole(service, String(undone.headers.location), owner))).toContain('Undone.')
    expect(await offersUndo(notice)).toBe(false) // the booking has changed since
    const second = String((await use('cancel')).headers.location)
    expect(await offersUndo(second)).toBe(true)
    service.clock.advance(9)
    expect(await offersUndo(second)).toBe(false)
  })

  test('a cancellation stays if somebody has taken the time, and the page says so', async () => {
    const notice = String((await use('cancel')).headers.location)
    await bookSlot(key, offer, at('10:00'))
    const refused = await undo(notice)
    expect(refused.status).toBe(409)
    expect(textOf(refused)).toContain('That time is already taken.')
    expect(await stateOf()).toMatchObject({ status: 'cancelled' })
  })

  test('of an undo and a visitor who books the time, one wins', async () => {
    const notice = String((await use('cancel')).headers.location)
    const { body } = await readConsole(service, notice, owner)
    const [undone, held] = await Promise.all([
      sendForm(service, path('status'), formValues(String(body), path('status')), owner),
      key.hold(offer, at('10:00')),
    ])
    expect([undone.status === 303, held.status === 201].filter(Boolean)).toHaveLength(1)
    expect(await stateOf()).toMatchObject({ status: undone.status === 303 ? 'confirmed' : 'cancelled' })
  })

  test('marks are undone to the status before', async () => {
    const { body } = await key.change(id, { status: 'in_progress' })
    expect(body).toMatchObject({ status: 'in_progress' })
    await undo(String((await use('status', { action: 'complete' })).headers.location))
    expect(await stateOf()).toMatchObject({ status: 'in_progress' })
    const list = String((await use('status', { action: 'complete', to: 'list' })).headers.location)
    expect(list).toMatch(/^\/console\?view=list/)
    expect((await undo(list)).headers.location).toMatch(/^\/console\?view=list&done=undone/)
    expect(await stateOf()).toMatchObject({ status: 'in_progress' })
    const faulty = await use('status', { action: 'undo', was: 'pending' })
    expect(faulty.status).toBe(422)
  })

  test('is marked as done or no-show once it has begun, and that is taken back', async () => {
    expect(await show()).not.toContain('Complete')
    service.clock.advance(60)
    await key.change(id, { starts_at: '2026-11-20T10:30:00+01:00' })
    const before = service.clock.now()
    service.clock.advance(3_600)
    for (const [action, state] of [
      ['arrive', { status: 'in_progress', no_show: false }],
      ['complete', { status: 'completed', no_show: false }],
      ['reopen', { status: 'confirmed' }],
      ['no_show', { status: 'completed', no_show: true }],
      ['came', { status: 'completed', no_show: false }],
    ] as const) {
      expect(await use('status', { action })).toMatchObject({ status: 303 })
      expect(await stateOf()).toMatchObject(state)
      service.clock.advance(60)
    }
    expect(before < service.clock.now()).toBe(true)
    expect(await show()).toMatch(
      /no longer marked as a no-show by .* marked as a no-show by .* changed by .* marked as done by /,
    )
  })

  test('a faulty form comes back with what was typed and the fault beside its field', async () => {
    const fields = { first_name: 'Amazing', last_name: '', email: 'grace@', phone: 'call me' }
    const again = await use('client', fields)
    expect(again.status).toBe(422)
    const body = String(again.body)
    expect(body).toContain('value="Amazing"')
    expect(body).toContain('value="grace@"')
    expect(body.match(/aria-invalid="true"/g)).toHaveLength(3)
    expect(
      await use('client', { ...fields, last_name: 'Grace', email: 'g@example.com', phone: '' }),
    ).toMatchObject({ status: 303 })
    expect((await stateOf())['client']).toEqual({
      ...{ id: expect.any(String), first_name: 'Amazing', last_name: 'Grace' },
      ...{ email: 'g@example.com', phone: null },
    })
  })

  test('a form that has become stale says what changed, keeps what was typed, and then saves', async () => {
    const { body } = await readConsole(service, path('details'), owner)
    const stale = Object.fromEntries(
      ['version', 'seen'].map((name) => [
        name,
        new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(String(body))?.[1] ?? '',
      ]),
    )
    service.clock.advance(60)
    await key.change(id, { starts_at: at('12:00'), notes: 'Ring thrice' })
    const again = await sendForm(service, path('details'), { ...stale, notes: 'My own' }, owner)
    expect(again.status).toBe(412)
    const text = textOf(again)
    expect(text).toMatch(/moved from Tue,? 1 Dec 2026, 10:00 to Tue,? 1 Dec 2026, 12:00 by a program/)
    expect(text).toContain('Your input is kept.')
    expect(text).toContain('Now: Ring thrice')
    expect(text).toContain('My own')
    expect(await stateOf()).toMatchObject({ notes: 'Ring thrice' })
    const version = /name="version"\s+value="(\d+)"/.exec(String(again.body))?.[1] ?? ''
    await sendForm(service, path('details'), { ...stale, version, notes: 'My own' }, owner)
    expect(await stateOf()).toMatchObject({ notes: 'My own', starts_at: at('12:00') })
    const action = { ...stale, action: 'complete' }
    expect(await sendForm(service, path('status'), action, owner)).toMatchObject({ status: 412 })
  })

  test('answers of every type are changed in one form', async () => {
    const types = ['text', 'textarea', 'number', 'boolean', 'select', 'date'] as const
    const customFields = [...types, 'multi_select' as const].map((type) => ({
      ...{ id: derivedId('field', type), key: type, label: `The ${type}`, type, required: type === 'text' },
      ...((type === 'select' || type === 'multi_select') && { options: ['red', 'green', 'blue'] }),
    }))
    const field = (type: string) => `answer-${derivedId('field', type)}`
    const asked = await makeOffer(service, business.id, { customFields })
    const custom_field_values = [{ field_id: derivedId('field', 'text'), value: 'Shorter' }]
    id = String((await bookSlot(key, asked, at('10:00'), { book: { custom_field_values } })).id)
    const given = {
      ...{
        notes: '',
        [field('text')]: 'Longer',
        [field('textarea')]: 'two\nlines',
        [field('number')]: '7,5',
      },
      ...{ [field('boolean')]: 'false', [field('select')]: 'green', [field('date')]: '2026-12-24' },
      ...{ [`${field('multi_select')}-0`]: 'yes', [`${field('multi_select')}-2`]: 'yes' },
    }
    expect(await use('details', given)).toMatchObject({ status: 303 })
    const values = (await stateOf())['custom_field_values'] as { value: unknown }[]
    expect(values.map(({ value }) => value)).toEqual([
      ...['Longer', 'two\nlines', 7.5, false, 'green', '2026-12-24', ['red', 'blue']],
    ])
    const again = await use('details', { ...given, [field('number')]: 'many', [field('text')]: '' })
    expect(again.status).toBe(422)
    expect(String(again.body).match(/class="fault"/g)).toHaveLength(2)
    expect(String(again.body)).toContain('value="many"')
  })

  test("the client's link is shown, and made anew: the one before ends", async () => {
    const linkOf = async () => {
      const { body } = await readConsole(service, path('link'), owner)
      return /(cal_mng_[\w-]+|#[\w-]{20,})/.exec(String(body))?.[0].replace('#', '') ?? ''
    }
    const opened = async (token: string) => (await service.call('GET', '/manage', { token })).status
    const before = await linkOf()
    expect(await opened(before)).toBe(200)
    const made = await use('link')
    expect(made).toMatchObject({ status: 303, headers: { location: `${path('link')}?done=link` } })
    const after = await linkOf()
    expect(await opened(after)).toBe(200)
    expect(await opened(before)).toBe(401)
    expect(await show()).toContain('new link created for the client')
    const other = await logIn('owner', undefined, (await makeBusiness(service)).id)
    expect(await readConsole(service, path('link'), other)).toMatchObject({ status: 404 })
    expect(await use('link', {}, other)).toMatchObject({ status: 404 })
    expect(await opened(after)).toBe(200)
  })

  test('another person takes it, if they are free', async () => {
    const locationId = await makeLocation(service, business.id)
    const [anna = '', ben = ''] = await makeStaff(service, business.id, ['Anna', 'Ben'], [locationId])
    const both = { locationIds: [locationId], staffIds: [anna, ben] }
    const place = { service_id: await makeService(service, business.id, both), location_id: locationId }
    const book = async (staff_id: string) =>
      String((await bookSlot(key, place, at('10:00'), { hold: { staff_id } })).id)
    id = await book(anna)
    expect(await use('person', { staff_id: ben })).toMatchObject({ status: 303 })
    expect(await stateOf()).toMatchObject({ staff: { id: ben } })
    await book(anna)
    const again = await use('person', { staff_id: anna })
    expect(again.status).toBe(409)
    expect(textOf(again)).toContain('That time is already taken.')
  })

  test('staff see the appointments of others without their clients, and change none of them', async () => {
    const [anna = '', ben = ''] = await makeStaff(service, business.id, ['Anna', 'Ben'], [offer.location_id])
    const place = {
      service_id: await makeService(service, business.id, {
        locationIds: [offer.location_id],
        staffIds: [anna, ben],
      }),
      location_id: offer.location_id,
    }
    const more = { hold: { staff_id: anna }, book: { client: grace, notes: 'Secret' } }
    id = String((await bookSlot(key, place, at('14:00'), more)).id)
    const [mine, other] = [await logIn('staff', anna), await logIn('staff', ben)]
    expect(await show(mine)).toContain('grace@example.com')
    const text = await show(other)
    expect(text).toContain('Grace H.')
    for (const hidden of ['grace@example.com', '1234', 'Secret', 'History', 'Cancel'])
      expect(text, hidden).not.toContain(hidden)
    expect(await readConsole(service, path('cancel'), other)).toMatchObject({ status: 404 })
    const { body } = await readConsole(service, path('details'), mine)
    const version = /name="version"\s+value="(\d+)"/.exec(String(body))?.[1] ?? ''
    const sent = { version, seen: '', notes: 'Mine' }
    expect(await sendForm(service, path('details'), sent, other)).toMatchObject({ status: 404 })
    expect(await sendForm(service, path('details'), sent, mine)).toMatchObject({ status: 303 })
  })

  test('foreign businesses and wrong addresses get a page that says nothing; strangers the form to log in', async () => {
    const elsewhere = await logIn('owner', undefined, (await makeBusiness(service)).id)
    for (const wanted of [path(), path('cancel'), '/console/bookings/nonsense']) {
      const reply = await readConsole(service, wanted, wanted.endsWith('nonsense') ? owner : elsewhere)
      expect(reply.status, wanted).toBe(404)
      expect(textOf(reply)).toContain('Booking not found')
    }
    const sent = { version: '1', seen: '', cancel_reason: '' }
    expect(await sendForm(service, path('cancel'), sent, elsewhere)).toMatchObject({ status: 404 })
    expect(textOf(await readConsole(service, path(), { cookie: '' }))).toContain('Log in')
    const cross = await sendForm(service, path('cancel'), sent, {
      cookie: owner.cookie,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expectProblem(cross, 'origin_not_allowed')
    expect(await stateOf()).toMatchObject({ status: 'confirmed' })
  })

  test('the website and the link of the client are told apart in the history', async () => {
    const session = await sessionClient(service, business)
    const booked = await bookSlot(session, offer, at('16:00'))
    id = String(booked.id)
    const token = String(booked.manage_url).split('#')[1] ?? ''
    await service.call('POST', '/manage/cancel', { token, body: { reason: 'A cold' } })
    const text = await show()
    expect(text).toContain('booked on the website')
    expect(text).toContain('cancelled by the client, with their link')
    expect(text).toContain('Reason: A cold')
  })
})
