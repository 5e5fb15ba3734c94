import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formValues } from '../support/console.ts'
import { payInSandbox } from '../support/paid-booking.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a person who is away', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  let mails: string
  let week = 0
  const newDay = () => new Date(Date.UTC(2026, 10, 24 + 7 * (week += 1))).toISOString().slice(0, 10)
  const read = (path: string, { cookie } = owner) =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie } })
  const send = (path: string, fields: Record<string, string>, { cookie } = owner) =>
    sendForm(service, path, fields, { cookie })
  const show = async (id: string) => (await booker.call('GET', `/bookings/${id}`)).body
  /** Blocks a day of Anna and returns the address of the list. */
  const away = async (date: string, more: Record<string, string> = {}, person = owner) => {
    const fields = { who: booker.staffId('Anna'), from_date: date, to_date: date, from_time: '', to_time: '' }
    const reply = await send('/console/away', { ...fields, reason: 'Away', ...more }, person)
    return { ...reply, path: String(reply.headers['location']) }
  }
  const bookOf = (name: string, at: string) =>
    booker.book('Haircut', `${at}:00+01:00`, { staff_id: booker.staffId(name) })
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

  test('the whole day is blocked, and a tap gives an appointment to a colleague at the same time', async () => {
    const date = newDay()
    const id = await bookOf('Anna', `${date}T10:00`)
    const other = await bookOf('Anna', `${date}T11:00`)
    await bookOf('Ben', `${date}T11:00`)
    const { status, path } = await away(date)
    expect(status).toBe(303)
    const { body } = await read(path)
    expect(body).toContain('2 appointments to move')
    expect(body).not.toMatch(/\b0?0:00–/) // a whole day has no times
    const ben = booker.staffId('Ben')
    const cards = String(body).split('<li class="card">').slice(1)
    expect(cards).toHaveLength(2)
    expect(cards[0]).toContain(`name="give" value="${ben}"`)
    expect(cards[1]).not.toContain('name="give"') // Ben is busy, and Clara does not cut hair
    expect(cards[1]).toMatch(/name="at"/)
    const given = await send(path, { booking: id, version: '1', give: ben })
    expect(given.status).toBe(303)
    expect(await show(id)).toMatchObject({
      staff: { name: 'Ben Fischer' },
      starts_at: `${date}T10:00:00+01:00`,
    })
    const after = await read(path)
    expect(after.body).toContain('1 appointment to move')
    expect(after.body).toMatch(/is-done[^]*with Ben Fischer/)
    const told = (await service.rows('mails')).filter((row) => row['booking_id'] === id)
    expect(told.map(({ kind }) => kind)).toContain('changed')
    const cancelled = await send(path, {
      booking: other,
      version: '1',
      do: 'cancel',
      cancel_reason: 'Ill',
    })
    expect(cancelled.headers['location']).toMatch(`${path}?cancelled=1&undo=status`)
    expect(await show(other)).toMatchObject({ status: 'cancelled', cancel_reason: 'Ill' })
    const colleague = await logInNewPerson(service, {
      ...{ email: `desk-${engine}@example.com`, role: 'front_desk' as const },
      place: { businessId: booker.business.id },
    })
    const seen = String((await read(path, colleague)).body)
    expect(seen).toContain('All appointments are settled.')
    expect(seen.match(/class="is-done"/g)).toHaveLength(2)
  })

  test('one tap gives a colleague everything they can take; the others stay with the reason', async () => {
    const date = newDay()
    const first = await bookOf('Anna', `${date}T10:00`)
    const taken = await bookOf('Anna', `${date}T11:00`)
    const last = await bookOf('Anna', `${date}T12:00`)
    await bookOf('Ben', `${date}T11:00`)
    const { path } = await away(date)
    const ben = booker.staffId('Ben')
    expect(String((await read(path)).body)).toContain(`name="give_all" value="${ben}"`)
    const given = await send(path, { give_all: ben })
    expect(given).toMatchObject({
      ...{
        status: 303,
        headers: { location: expect.stringMatching(`${path}\\?given_to=${ben}&given=2&undo=give`) as string },
      },
    })
    for (const id of [first, last]) expect(await show(id)).toMatchObject({ staff: { name: 'Ben Fischer' } })
    expect(await show(taken)).toMatchObject({ staff: { name: 'Anna Weber' } })
    const { body } = await read(String(given.headers['location']))
    expect(body).toContain('Ben Fischer takes 2 appointments.')
    expect(body).toContain('Ben Fischer is not free at this time.')
    expect(body).toContain('1 appointment to move')
  })

  test('free colleagues take the appointments they can, and one tap cancels the rest', async () => {
    const date = newDay()
    const ids = []
    for (const at of ['10:00', '11:00', '12:00']) ids.push(await bookOf('Anna', `${date}T${at}`))
    const [first = '', taken = '', last = ''] = ids
    await bookOf('Ben', `${date}T11:00`)
    const { path } = await away(date)
    const given = await send(path, { give_all: 'anyone' })
    expect(given.headers['location']).toMatch(`${path}?given_to=anyone&given=2&undo=give`)
    const { body } = await read(String(given.headers['location']))
    expect(body).toContain('2 appointments went to colleagues.')
    expect(body).not.toContain('name="do" value="cancel_rest"') // one is left, with a button
    for (const id of [first, last]) expect(await show(id)).toMatchObject({ staff: { name: 'Ben Fischer' } })
    const more = await bookOf('Anna', `${date}T16:00`)
    expect((await read(path)).body).toContain('Cancel all 2 remaining appointments')
    const cancelled = await send(path, { do: 'cancel_rest', cancel_reason: 'Anna is ill' })
    expect(cancelled.headers['location']).toMatch(`${path}?cancelled=2&undo=status`)
    expect((await read(String(cancelled.headers['location']))).body).toContain('2 appointments cancelled.')
    for (const id of [taken, more])
      expect(await show(id)).toMatchObject({ status: 'cancelled', cancel_reason: 'Anna is ill' })
    expect(await show(first)).toMatchObject({ status: 'confirmed' })
    const after = String((await read(path)).body)
    expect(after).toContain('All appointments are settled.')
    expect(after.match(/class="is-done"/g)).toHaveLength(3) // one was booked after the block
    const mails = (await service.rows('mails')).filter(({ kind }) => kind === 'cancelled')
    expect(mails.filter(({ booking_id }) => [taken, more].includes(String(booking_id)))).toHaveLength(2)
  })

  test('giving everything away and cancelling the rest are taken back for some seconds', async () => {
    const date = newDay()
    const client = {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: `away-${date}@example.com`,
      phone: '+4930123456',
    }
    const ids: string[] = []
    for (const at of ['10:00', '11:00', '12:00']) {
      const who = { staff_id: booker.staffId('Anna'), client }
      ids.push(await booker.book('Haircut', `${date}T${at}:00+01:00`, who))
    }
    const visit = await booker.call('POST', '/bookings/hold', {
      location_id: booker.business.locations[0]?.id,
      starts_at: `${date}T14:00:00+01:00`,
      items: ['Haircut', 'Haircut'].map((name) => ({
        service_id: booker.business.services.find((one) => one.name === name)?.id,
        staff_id: booker.staffId('Anna'),
      })),
    })
    ids.push(
      String((await booker.call('POST', '/bookings', { hold_id: visit.body.hold_id, client })).body.id),
    )
    const { path } = await away(date)
    const undo = async (page: string) => {
      const [form] = /<form[^>]*class="for-seconds">[^]*?<\/form>/.exec(String((await read(page)).body)) ?? []
      return form === undefined ? undefined : send(path, formValues(form, path))
    }
    const people = async () =>
      Promise.all(
        ids.map(async (id) => {
          const { items } = (await show(id)) as { items: { staff: { name: string } }[] }
          return items.map(({ staff }) => staff.name).join()
        }),
      )
    const sent = async () => {
      service.clock.advance(13)
      await service.app.mails.settled()
      return (await service.rows('mails')).filter(
        (row) =>
          ids.includes(String(row['booking_id'])) && row['audience'] === 'client' && row['status'] === 'sent',
      ).length
    }
    await sent()
    const before = await sent()
    const mine = await people()
    const given = String((await send(path, { give_all: booker.staffId('Ben') })).headers['location'])
    expect(await people()).not.toEqual(mine)
    expect(await undo(given)).toMatchObject({ status: 303, headers: { location: `${path}?done=undone` } })
    expect(await people()).toEqual(mine)
    expect(await undo(given)).toBeUndefined()
    expect((await read(`${path}?done=undone`)).body).toMatch(/Undone\.[^]*5 appointments to move/)

    const cancelled = String((await send(path, { do: 'cancel_rest' })).headers['location'])
    expect(await show(ids[0] ?? '')).toMatchObject({ status: 'cancelled' })
    expect((await undo(cancelled))?.status).toBe(303)
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'confirmed' })
    expect(await people()).toEqual(mine)
    expect(await sent()).toBe(before)
    const again = String((await send(path, { do: 'cancel_rest' })).headers['location'])
    service.clock.advance(9)
    expect(await undo(again)).toBeUndefined()
    expect(await sent()).toBe(before + 1) // one email reports all of a client
  })

  test('each single answer is taken back, too, and the client hears nothing of both', async () => {
    const date = newDay()
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: `single-${date}@example.com` }
    const id = await booker.book('Haircut', `${date}T10:00:00+01:00`, {
      ...{ staff_id: booker.staffId('Anna'), client },
    })
    const { path } = await away(date)
    const before = await show(id)
    const isBack = async () => {
      const { status, starts_at, ends_at, staff, cancelled_at } = before
      expect(await show(id)).toMatchObject({ status, starts_at, ends_at, staff, cancelled_at })
    }
    const answer = async (fields: Record<string, string>) => {
      const { version } = (await service.rows('bookings')).find((row) => row['id'] === id) ?? {}
      const reply = await send(path, { booking: id, version: String(version), ...fields })
      expect(reply.status).toBe(303)
      return String(reply.headers['location'])
    }
    const undo = async (page: string) => {
      const { body } = await read(page)
      const [form] = /<form[^>]*class="for-seconds">[^]*?<\/form>/.exec(String(body)) ?? []
      return form === undefined ? undefined : send(path, formValues(form, path))
    }
    const told = async () => {
      service.clock.advance(13)
      await service.app.mails.settled()
      return (await service.rows('mails')).filter(
        (row) => row['booking_id'] === id && row['audience'] === 'client' && row['status'] === 'sent',
      ).length
    }
    const first = await told()
    const ben = booker.staffId('Ben')
    const given = await answer({ give: ben })
    expect((await read(given)).body).toContain('Ben Fischer takes 1 appointment.')
    expect((await undo(given))?.headers['location']).toBe(`${path}?done=undone`)
    await isBack()

    const later = await answer({ at: `${date}T15:00:00+01:00 ${ben}` })
    expect((await read(later)).body).toContain('Booking moved.')
    expect(await show(id)).toMatchObject({ starts_at: `${date}T15:00:00+01:00`, staff: { id: ben } })
    expect((await undo(later))?.status).toBe(303)
    await isBack()

    const cancelled = await answer({ do: 'cancel' })
    expect((await undo(cancelled))?.status).toBe(303)
    await isBack()
    expect(await told()).toBe(first)

    // the time of an undone change may be taken
    const moved = await answer({ at: `${date}T15:00:00+01:00 ${ben}` })
    await send('/console/away', { who: ben, from_date: date, to_date: date, from_time: '', to_time: '' })
    expect((await undo(moved))?.status).toBe(303)
    const last = await answer({ do: 'cancel' })
    service.clock.advance(9)
    expect(await undo(last)).toBeUndefined()
    expect(await told()).toBe(first + 1)
  })

  test.each([
    ['one appointment', (id: string) => ({ booking: id, version: '1', do: 'cancel' })],
    ['the rest', () => ({ do: 'cancel_rest' })],
  ])('the refund of a deposit makes the cancellation of %s final, and the notice says so', async (_, of) => {
    const date = newDay()
    const id = await bookOf('Anna', `${date}T10:00`)
    const other = await bookOf('Anna', `${date}T11:00`)
    await payInSandbox(service, id)
    const { path } = await away(date)
    const cancelled = await send(path, { ...of(id), refund: 'on' })
    const { body } = await read(String(cancelled.headers['location']))
    expect(body).toMatch(/appointments? cancelled\. Deposits are being refunded, so this cannot be undone\./)
    expect(body).not.toContain('for-seconds')
    expect(await show(id)).toMatchObject({ status: 'cancelled' })
    await send(path, { booking: other, version: '1', do: 'cancel' })
  })

  test('a longer absence keeps its settled appointments, and another time forgets them', async () => {
    const date = newDay()
    const id = await bookOf('Anna', `${date}T10:00`)
    const { path } = await away(date, { from_time: '09:00', to_time: '12:00' })
    await send(path, { booking: id, version: '1', do: 'cancel' })
    const later = await bookOf('Anna', `${date}T15:00`)
    const place = (from: string, to: string) => ({
      ...{ starts_at: `${date}T${from}:00+01:00`, ends_at: `${date}T${to}:00+01:00` },
      staff_id: booker.staffId('Anna'),
    })
    const move = async (known: [string, string], wanted: [string, string]) => {
      const { starts_at, ends_at, staff_id } = place(...known)
      const fields = { known_starts_at: starts_at, known_ends_at: ends_at, known_staff_id: staff_id }
      const { status } = await send(`${path.replace('away', 'block')}/move`, {
        ...place(...wanted),
        ...fields,
      })
      expect(status).toBe(204)
      return String((await read(path)).body)
    }
    const longer = await move(['09:00', '12:00'], ['09:00', '18:00'])
    expect(longer).toContain('1 appointment to move')
    expect(longer.match(/class="is-done"/g)).toHaveLength(1)
    await send(path, { booking: later, version: '1', do: 'cancel' })
    expect(String((await read(path)).body).match(/class="is-done"/g)).toHaveLength(2)
    expect(await move(['09:00', '18:00'], ['08:00', '09:00'])).not.toContain('is-done')
  })

  test('a nearby time moves an appointment, and one taken meanwhile leaves it where it was', async () => {
    const date = newDay()
    const id = await bookOf('Anna', `${date}T10:00`)
    const { path } = await away(date)
    const { body } = await read(path)
    const [, at = ''] = /name="at"\s+value="([^"]+)"/.exec(String(body)) ?? []
    const [start = '', staff = ''] = at.split(' ')
    await booker.book('Haircut', start, { staff_id: staff })
    const refused = await send(path, { booking: id, version: '1', at })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('That time has just been taken')
    expect(refused.body).toContain('1 appointment to move')
    expect(refused.body).not.toContain(`value="${at}"`)
    expect(await show(id)).toMatchObject({
      starts_at: `${date}T10:00:00+01:00`,
      staff: { name: 'Anna Weber' },
    })
    const [, next = ''] = /name="at"\s+value="([^"]+)"/.exec(String(refused.body)) ?? []
    expect((await send(path, { booking: id, version: '1', at: next })).status).toBe(303)
    expect(await show(id)).toMatchObject({ starts_at: next.split(' ')[0] })
  })

  test('only the service of the person moves to a colleague when a visit has several', async () => {
    const date = newDay()
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const haircut = booker.business.services.find(({ name }) => name === 'Haircut')
    const location = booker.business.locations.find(({ name }) => name.startsWith('Mitte'))
    const item = (staff_id: string) => ({ service_id: haircut?.id, staff_id })
    const { body: hold } = await booker.call('POST', '/bookings/hold', {
      ...{ location_id: location?.id, starts_at: `${date}T10:00:00+01:00`, items: [item(anna), item(ben)] },
    })
    const answers = (haircut?.custom_fields ?? [])
      .filter(({ required }) => required)
      .map(({ id, options }) => ({ field_id: id, value: options?.[0] ?? 'A trim' }))
    const { body: visit } = await booker.call('POST', '/bookings', {
      ...{ hold_id: hold.hold_id, client: ada, custom_field_values: answers },
    })
    const { path } = await away(date)
    const { body } = await read(path)
    const [, itemId = ''] = /name="item" value="([^"]+)"/.exec(String(body)) ?? []
    const given = await send(path, {
      booking: String(visit.id),
      item: itemId,
      version: '1',
      give: ben,
    })
    expect(given.status).toBe(303)
    const people = async () => {
      const { items } = (await show(String(visit.id))) as { items: { staff: { name: string } }[] }
      return items.map(({ staff }) => staff.name)
    }
    expect(await people()).toEqual(['Ben Fischer', 'Ben Fischer'])
    const after = String((await read(String(given.headers['location']))).body)
    const [form = ''] = /<form[^>]*class="for-seconds">[^]*?<\/form>/.exec(after) ?? []
    expect((await send(path, formValues(form, path))).status).toBe(303)
    expect(await people()).toEqual(['Anna Weber', 'Ben Fischer'])
  })

  test('part of a day lists the appointments of that part only', async () => {
    const date = newDay()
    await bookOf('Anna', `${date}T10:00`)
    await bookOf('Anna', `${date}T15:00`)
    const { path } = await away(date, { from_time: '14:00', to_time: '18:00' })
    expect((await read(path)).body).toContain('1 appointment to move')
    const calendar = await read(`/console?view=day&date=${date}`)
    expect(calendar.body).toMatch(new RegExp(`href="${path}"[^]*Away[^]*1 appointment to move`))
    const turned = await away(date, { from_time: '18:00', to_time: '14:00' })
    expect(turned.status).toBe(422)
    expect(turned.body).toContain('The end must be after the start.')
  })

  test('staff block their own time only and give it to nobody else', async () => {
    const date = newDay()
    const place = { businessId: booker.business.id }
    const staffId = booker.staffId('Anna')
    const staff = await logInNewPerson(service, {
      email: `anna-${engine}@example.com`,
      role: 'staff',
      place,
      staffId,
    })
    const id = await bookOf('Anna', `${date}T10:00`)
    const { path } = await away(date, {}, staff)
    const page = await read(path, staff)
    expect(page.body).toContain('1 appointment to move')
    expect(page.body).not.toContain('name="give"')
    const ben = booker.staffId('Ben')
    expect((await send(path, { booking: id, version: '1', give: ben }, staff)).status).toBe(422)
    expect(await show(id)).toMatchObject({ staff: { name: 'Anna Weber' } })
    expect((await away(date, { who: ben }, staff)).status).toBe(422)
    const far = await logInNewPerson(service, {
      ...{ email: `far-${engine}@example.com`, role: 'owner' as const },
      place: { businessId: businessOf(service.world, 'Hudson Studio').id },
    })
    expect((await read(path, far)).status).toBe(404)
  })
})
