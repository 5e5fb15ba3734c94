import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBusiness } from '../../src/catalogue/business.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'moving and blocking by forms', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  let mails: string
  let day = 0
  const newDay = () => new Date(Date.UTC(2026, 10, 24 + 7 * (day += 1))).toISOString().slice(0, 10)
  const read = (path: string, { cookie } = owner) =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie } })
  const send = (path: string, fields: Record<string, string>, { cookie } = owner) =>
    sendForm(service, path, fields, { cookie })
  const show = async (id: string) => (await booker.call('GET', `/bookings/${id}`)).body
  const fields = (date: string, more: Record<string, string> = {}) => ({
    version: '1',
    date,
    time: '14:30',
    minutes: '30',
    who: booker.staffId('Anna'),
    tell: 'on',
    ...more,
  })
  beforeAll(async () => {
    mails = mkdtempSync(join(tmpdir(), 'holdfast-mails-'))
    service = await startTestService(engine, { MAIL_DIR: mails })
    booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(async () => {
    await service.stop()
    rmSync(mails, { recursive: true })
  })

  test('says that mails are files where they are, beside the box that sends one', async () => {
    const id = await booker.book('Haircut', '2027-06-08T10:00:00+02:00')
    const page = await service.call('GET', `//console/bookings/${id}/move`, {
      headers: { host: 'localhost', cookie: owner.cookie },
    })
    expect(page.body).toMatch(/name="tell"[^]*It writes each email to a file/)
    expect(page.body).not.toContain('without an email address')
    const haircut = booker.business.services.find(({ name }) => name === 'Haircut')?.id ?? ''
    const { body } = await read(`/console/book?service=${haircut}`)
    const needsEmail = /name="tell"[^]*Nothing is sent without an email address\./
    expect(body).toMatch(needsEmail)
    const picked = await send('/console/book', {
      ...{ pick: id, service: haircut, date: '', time: '' },
      location: booker.business.locations[0]?.id ?? '',
    })
    expect(picked.body).toMatch(/name="tell"/)
    expect(picked.body).not.toMatch(needsEmail) // the client has one
  })

  test('moves a booking to another time and person, and makes it longer', async () => {
    const date = newDay()
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const form = await read(`/console/bookings/${id}/move`)
    expect(form.body).toContain('value="10:00"')
    expect(form.body).toContain('value="30"')
    const reply = await send(
      `/console/bookings/${id}/move`,
      fields(date, { minutes: '45', who: booker.staffId('Ben') }),
    )
    expect(reply.status).toBe(303)
    expect(reply.headers.location).toMatch(`/console?date=${date}&done=moved`)
    expect(await show(id)).toMatchObject({
      starts_at: `${date}T14:30:00+01:00`,
      ends_at: `${date}T15:15:00+01:00`,
      staff: { name: 'Ben Fischer' },
    })
  })

  test('a button undoes a move by the form', async () => {
    const date = newDay()
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const moved = await send(`/console/bookings/${id}/move`, fields(date, { who: booker.staffId('Ben') }))
    const notice = String(moved.headers.location)
    const { body } = await read(notice)
    const [, form = ''] = /data-moved=[^>]*>([^]*?)<\/form>/.exec(body) ?? []
    const inputs = [...form.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ])
    const undone = await send(`/console/bookings/${id}/move`, Object.fromEntries(inputs))
    expect(undone.status).toBe(303)
    expect(await show(id)).toMatchObject({
      starts_at: `${date}T10:00:00+01:00`,
      staff: { name: 'Anna Weber' },
    })
    expect((await read(notice)).body).not.toContain('data-moved') // the booking has changed since
  })

  test('a colleague who is free at the same time takes an appointment with one button', async () => {
    const date = newDay()
    const start = `${date}T10:00:00+01:00`
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const id = await booker.book('Haircut', start, { staff_id: anna })
    const { body } = await read(`/console/bookings/${id}/move`)
    const [, at = ''] =
      new RegExp(`Free at the same time:[^]*?name="at" value="(\\S+ ${ben})"`).exec(body) ?? []
    expect((await send(`/console/bookings/${id}/move`, fields(date, { at }))).status).toBe(303)
    expect(await show(id)).toMatchObject({ starts_at: start, staff: { name: 'Ben Fischer' } })
  })

  test('a conflict moves nothing, and offers times nearby that move it', async () => {
    const date = newDay()
    const anna = booker.staffId('Anna')
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: anna })
    await booker.book('Haircut', `${date}T14:30:00+01:00`, { staff_id: anna })
    const refused = await send(`/console/bookings/${id}/move`, fields(date))
    expect(refused.status).toBe(422)
    expect(await show(id)).toMatchObject({ starts_at: `${date}T10:00:00+01:00` })
    const near = Array.from(
      String(refused.body).matchAll(/name="at"\s+value="([^"]+)"/g),
      ([, at = '']) => at,
    )
    expect(near).toHaveLength(3)
    expect((await send(`/console/bookings/${id}/move`, fields(date, { at: near[0] ?? '' }))).status).toBe(303)
    expect(await show(id)).toMatchObject({ starts_at: near[0] })
  })

  test('warns of a closed or blocked time, keeps what was typed, and moves anyway after a tick', async () => {
    const date = newDay()
    const anna = booker.staffId('Anna')
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: anna })
    const path = `/console/bookings/${id}/move`
    const block = { staff_id: anna, starts_at: `${date}T14:00:00+01:00`, ends_at: `${date}T15:00:00+01:00` }
    await booker.call('POST', '/blocks', { ...block, reason: 'Dentist' })
    const blocked = await send(path, fields(date))
    expect(blocked.status).toBe(422)
    expect(blocked.body).toMatch(/Anna [^<]*is blocked at that time: Dentist\./)
    const { tell: _, ...untold } = fields(date, { time: '22:00', minutes: '45' })
    const closed = await send(path, untold)
    expect(closed.status).toBe(422)
    expect(closed.body).toContain('That is outside opening hours.')
    expect(closed.body).toMatch(/name="anyway"\s+value="on"\s*\/>\s*<span>Move anyway/)
    for (const typed of ['value="22:00"', 'value="45"']) expect(closed.body).toContain(typed)
    expect(closed.body).not.toMatch(/name="tell"\s+value="on"\s+checked/)
    expect(await show(id)).toMatchObject({ starts_at: `${date}T10:00:00+01:00` })
    expect((await send(path, fields(date, { anyway: 'on' }))).status).toBe(303)
    expect(await show(id)).toMatchObject({ starts_at: `${date}T14:30:00+01:00` })
    const past = await send(path, fields('2026-11-02', { version: '2', anyway: 'on' }))
    expect(past.body).toContain('That time is in the past.')
  })

  test('the calendar asks about clients whom only a text can reach, and its tick holds for the text', async () => {
    const texting = await startTestService(engine, { SMS_URL: 'http://key:secret@127.0.0.1:9/texts' })
    try {
      const { id: businessId, key } = await makeBusiness(texting)
      const call = async (method: string, path: string, body: object) => {
        const reply = await texting.call(method, path, { token: key, body })
        expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
        return reply.body as { id: string; hold_id: string; version: number }
      }
      const offer = await makeOffer(texting, businessId, { name: 'Cut', capacity: 9 })
      const book = async (hour: number, more: object, phone?: string) => {
        const starts_at = `2026-11-24T${hour}:00:00+01:00`
        const { hold_id } = await call('POST', '/bookings/hold', { ...offer, starts_at })
        const client = { first_name: 'Grace', ...(phone !== undefined && { phone }) }
        return call('POST', '/bookings', { hold_id, client: { ...client, last_name: 'Hopper' }, ...more })
      }
      const text_consent = 'Send me text messages about this appointment.'
      const { id } = await book(10, { text_consent }, '+49 1512 3456789')
      await book(12, {}, '+49 1512 3456789') // without consent
      await book(14, {})
      const person = { email: 'texter@example.com', role: 'owner', place: { businessId } } as const
      const { cookie } = await logInNewPerson(texting, person)
      const asked = async () => {
        const to = '//console?view=day&date=2026-11-24'
        const { body } = await texting.call('GET', to, { headers: { host: 'localhost', cookie } })
        return [...String(body).matchAll(/data-id="([^"]+)"[^>]*data-told/g)].map(([, one]) => one)
      }
      expect(await asked()).toEqual([])
      await call('PATCH', `/businesses/${businessId}`, { text_kinds: ['changed'] })
      texting.clock.advance(6)
      expect(await asked()).toEqual([id])
      const change = { starts_at: '2026-11-24T11:00:00+01:00', notify: true, notify_after_seconds: 12 }
      await call('PATCH', `/bookings/${id}`, change)
      const text = async () =>
        (await texting.rows('mails')).find((row) => row['booking_id'] === id && row['kind'] === 'changed')
      expect(await text()).toMatchObject({ status: 'queued', to_phone: '+4915123456789' })
      const tell = async (wish: string) =>
        (await sendForm(texting, `/console/bookings/${id}/tell`, { version: '2', tell: wish }, { cookie }))
          .status
      expect(await tell('off')).toBe(204)
      expect(await text()).toMatchObject({ status: 'superseded' })
      expect(await tell('on')).toBe(204)
      expect(await text()).toMatchObject({ status: 'queued' })
    } finally {
      await texting.stop()
    }
  })

  test('a tick takes back the mail about a move that waits, and sends it after all', async () => {
    const date = newDay()
    const anna = booker.staffId('Anna')
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: anna })
    const mail = async () =>
      (await service.rows('mails')).find(
        (row) => row['booking_id'] === id && row['kind'] === 'changed' && row['audience'] === 'client',
      )?.['status']
    const change = { starts_at: `${date}T11:00:00+01:00`, notify_after_seconds: 12 }
    await booker.call('PATCH', `/bookings/${id}`, change)
    expect(await mail()).toBe('queued')
    const path = `/console/bookings/${id}/tell`
    const tell = (fields: Record<string, string>, person = owner) =>
      send(path, { version: '2', ...fields }, person).then(({ status }) => status)
    expect(await tell({ tell: 'on' })).toBe(404) // nothing was undone
    expect(await tell({ tell: 'off', version: '1' })).toBe(404)
    expect(await tell({ tell: 'off' })).toBe(204)
    expect(await mail()).toBe('superseded')
    expect(await tell({ tell: 'on' })).toBe(204)
    expect(await mail()).toBe('queued')
    service.clock.advance(16)
    expect(await tell({ tell: 'off' })).toBe(404) // it may be in transit
    expect(await tell({ tell: 'perhaps' })).toBe(422)
    expect(await tell({ tell: 'off' }, { ...owner, cookie: '' })).toBe(401)
    const place = { businessId: businessOf(service.world, 'Hudson Studio').id }
    const other = await logInNewPerson(service, { email: 'far@example.com', role: 'owner', place })
    expect(await tell({ tell: 'off' }, other)).toBe(404)
    const role = 'staff' as const
    const at = { place: { businessId: booker.business.id }, staffId: booker.staffId('Ben') }
    const ben = { email: 'ben-told@example.com', role, ...at }
    expect(await tell({ tell: 'off' }, await logInNewPerson(service, ben))).toBe(404)
  })

  test('what somebody else has changed meanwhile is not moved', async () => {
    const date = newDay()
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    await booker.call('PATCH', `/bookings/${id}`, { starts_at: `${date}T11:00:00+01:00` })
    const refused = await send(`/console/bookings/${id}/move`, fields(date))
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('Somebody else has changed this booking.')
    expect(refused.body).toContain('value="11:00"')
    expect(await show(id)).toMatchObject({ starts_at: `${date}T11:00:00+01:00` })
    const { version: _, ...without } = fields(date)
    expect((await send(`/console/bookings/${id}/move`, without)).status).toBe(422)
  })

  test('a cancelled booking is not moved, also where the form knows of it', async () => {
    const date = newDay()
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    await booker.call('DELETE', `/bookings/${id}`)
    const refused = await send(`/console/bookings/${id}/move`, fields(date, { version: '2' }))
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('This booking is cancelled and cannot be moved.')
    expect(await show(id)).toMatchObject({ status: 'cancelled', starts_at: `${date}T10:00:00+01:00` })
  })

  test('staff move their own appointments alone; those of other businesses are not there', async () => {
    const date = newDay()
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const place = { businessId: booker.business.id }
    const ben = await logInNewPerson(service, {
      email: 'ben@example.com',
      role: 'staff',
      place,
      staffId: booker.staffId('Ben'),
    })
    expect((await read(`/console/bookings/${id}/move`, ben)).status).toBe(404)
    expect((await send(`/console/bookings/${id}/move`, fields(date), ben)).status).toBe(404)
    const elsewhere = await logInNewPerson(service, {
      email: 'dana@example.com',
      role: 'owner',
      place: { businessId: businessOf(service.world, 'Hudson Studio').id },
    })
    expect((await send(`/console/bookings/${id}/move`, fields(date), elsewhere)).status).toBe(404)
  })

  test('blocks time, says which bookings lie in it, and gives it back', async () => {
    const date = newDay()
    await booker.book('Haircut', `${date}T10:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const form = {
      whose: booker.staffId('Anna'),
      from_date: date,
      from_time: '09:30',
      to_date: date,
      to_time: '12:00',
      reason: 'Dentist',
    }
    const wrong = await send('/console/block', { ...form, to_time: '09:00' })
    expect(wrong.status).toBe(422)
    expect(wrong.body).toContain('The end must be after the start.')
    expect(wrong.body).toContain('value="Dentist"')
    const reply = await send('/console/block', form)
    expect(reply).toMatchObject({ status: 303, headers: { location: `/console?date=${date}&done=blocked` } })
    const { body } = await booker.call('GET', `/blocks?from=${date}T00:00:00Z&to=${date}T23:00:00Z`)
    expect(body.data).toMatchObject([{ starts_at: `${date}T09:30:00+01:00`, reason: 'Dentist' }])
    const path = `/console/block/${String(body.data[0].id)}`
    expect((await read(path)).body).toContain('One booking is in this time.')
    expect((await send(path, {})).status).toBe(303)
    expect(
      (await booker.call('GET', `/blocks?from=${date}T00:00:00Z&to=${date}T23:00:00Z`)).body.data,
    ).toEqual([])
  })

  test('a block that is dragged goes once to where it was dropped, unless somebody was faster', async () => {
    const date = newDay()
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const at = (hour: number) => `${date}T${String(hour).padStart(2, '0')}:00:00+01:00`
    const made = await booker.call('POST', '/blocks', {
      ...{ staff_id: anna, starts_at: at(9), ends_at: at(10), reason: 'Dentist' },
    })
    const id = String(made.body.id)
    const path = `/console/block/${id}/move`
    const moved = {
      ...{ known_starts_at: at(9), known_ends_at: at(10), known_staff_id: anna },
      ...{ starts_at: at(14), ends_at: at(16), staff_id: ben },
    }
    const calendar = () => owner.call('GET', `/calendar?from=${date}&to=${date}`)
    const before = (await calendar()).headers['etag']
    expect(before).toBeDefined()
    const both = await Promise.all([send(path, moved), send(path, moved)])
    expect(both.map(({ status }) => status)).toEqual([204, 204])
    expect((await send(path, moved)).status).toBe(204) // its answer was lost
    const there = { id, starts_at: at(14), ends_at: at(16), staff_id: ben, reason: 'Dentist' }
    expect((await booker.call('GET', `/blocks/${id}`)).body).toMatchObject(there)
    expect((await calendar()).headers['etag']).not.toBe(before)
    const late = await send(path, { ...moved, starts_at: at(11), ends_at: at(12) })
    expect(late.status).toBe(404)
    const back = { ...moved, known_starts_at: at(14), known_ends_at: at(16), known_staff_id: ben }
    expect((await send(path, { ...back, starts_at: at(12), ends_at: at(12) })).status).toBe(422)
    expect((await send(path, { ...back, staff_id: booker.business.id })).status).toBe(422)
    for (const field of ['staff_id', 'known_staff_id'])
      expect(await send(path, { ...back, [field]: 'Anna' })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: `/${field}` }] },
      })
    expect((await send(path, back, { ...owner, cookie: '' })).status).toBe(401)
    const place = { businessId: businessOf(service.world, 'Hudson Studio').id }
    const far = await logInNewPerson(service, { email: 'far-block@example.com', role: 'owner', place })
    expect((await send(path, { ...back, starts_at: at(17), ends_at: at(18) }, far)).status).toBe(404)
    const request = { email: 'anna-block@example.com', role: 'staff', staffId: anna } as const
    const own = await logInNewPerson(service, { ...request, place: { businessId: booker.business.id } })
    expect((await send(path, { ...back, starts_at: at(17), ends_at: at(18) }, own)).status).toBe(404)
    expect((await booker.call('GET', `/blocks/${id}`)).body).toMatchObject(there)
    const { body } = await owner.call('GET', '/audit?limit=20')
    const entries = (body.data as { action: string }[]).filter(({ action }) => action === 'block.updated')
    expect(entries).toMatchObject([{ subject: { id } }])
  })

  test('where there is nobody and nothing yet, the forms say what comes first', async () => {
    const business = { name: 'Empty', plan: 'growth' as const, timezone: 'Europe/Berlin' }
    const { id: businessId } = await createBusiness(service.context, business)
    const alone = await logInNewPerson(service, {
      email: 'alone@example.com',
      role: 'owner',
      place: { businessId },
    })
    const blocking = await read('/console/block', alone)
    expect(blocking.body).toContain('Add a person or a location first.')
    expect(blocking.body).not.toContain('name="whose"')
    expect(blocking.body).toMatch(/class="button" href="\/console\/people"/)
    for (const path of ['/console/book', '/console'])
      expect((await read(path, alone)).body).toMatch(/class="button( main)?" href="\/console\/services\/new"/)
  })

  test('staff block their own time alone', async () => {
    const date = newDay()
    const place = { businessId: booker.business.id }
    const clara = await logInNewPerson(service, {
      email: 'clara@example.com',
      role: 'staff',
      place,
      staffId: booker.staffId('Clara'),
    })
    const form = { from_date: date, from_time: '09:00', to_date: date, to_time: '10:00', reason: '' }
    expect((await send('/console/block', { ...form, whose: booker.staffId('Anna') }, clara)).status).toBe(422)
    expect((await send('/console/block', { ...form, whose: booker.staffId('Clara') }, clara)).status).toBe(
      303,
    )
  })
})
