import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formValues } from '../support/console.ts'
import { payInSandbox } from '../support/paid-booking.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a class', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  let mails: string
  let week = 0
  const newDay = () => new Date(Date.UTC(2026, 10, 24 + 7 * (week += 1))).toISOString().slice(0, 10)
  const read = (path: string) =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie: owner.cookie } })
  const send = (path: string, fields: Record<string, string>) =>
    sendForm(service, path, fields, { cookie: owner.cookie })
  const show = async (id: string) => (await booker.call('GET', `/bookings/${id}`)).body
  const names = ['Ada', 'Grace', 'Mary']
  /** Books three clients, and returns the address and fields of their class. */
  const classOn = async (date: string, time = '10:00', mailbox = '') => {
    const start = `${date}T${time}:00+01:00`
    const ids: string[] = []
    for (const first_name of names) {
      const client = {
        first_name,
        last_name: 'Test',
        email: `${first_name}${mailbox}@example.com`,
        phone: '+4930123456',
      }
      ids.push(await booker.book('Yoga class', start, { client }))
    }
    const { staff } = (await show(ids[0] ?? '')) as { staff: { id: string } }
    const yoga = booker.business.services.find(({ name }) => name === 'Yoga class')?.id ?? ''
    const address = { service: yoga, who: staff.id, start: new Date(start).toISOString() }
    const members = ids.map((id) => `${id}:1`).join(',')
    return {
      ids,
      address,
      path: `/console/class?${new URLSearchParams(address).toString()}`,
      fields: { ...address, members },
    }
  }
  const mailsOf = async (ids: string[], kind: string) =>
    (await service.rows('mails')).filter(
      (row) =>
        ids.includes(String(row['booking_id'])) && row['kind'] === kind && row['audience'] === 'client',
    ).length
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

  test('a card counts its places and leads to the clients who come', async () => {
    const date = newDay()
    const { path, address } = await classOn(date)
    const day = await read(`/console?view=day&date=${date}`)
    expect(day.body).toContain('3 of 8')
    expect(day.body).toContain(path.replaceAll('&', '&amp;'))
    const { body } = await read(path)
    expect(body).toContain('3 of 8 places taken')
    for (const name of names) expect(body).toContain(`${name} Test`)
    expect(body).toContain('href="tel:+4930123456"')
    expect(body).toMatch(new RegExp(`/console/book\\?service=${address.service}[^"]*start=`))
  })

  test('a class moves as a whole, even to a time that overlaps its own', async () => {
    const date = newDay()
    const { ids, fields } = await classOn(date)
    const reply = await send('/console/class', { ...fields, do: 'move', date, time: '10:30' })
    expect(reply.status).toBe(303)
    for (const id of ids) expect(await show(id)).toMatchObject({ starts_at: `${date}T10:30:00+01:00` })
    expect(await mailsOf(ids, 'changed')).toBe(3)
    expect((await read(String(reply.headers['location']))).body).toContain('The class is moved.')
  })

  test('a class moves with nobody if one booking was changed meanwhile or the time is taken', async () => {
    const date = newDay()
    const { ids, fields } = await classOn(date)
    await booker.call('PATCH', `/bookings/${ids[2]}`, { notes: 'Brings a mat' })
    const stale = await send('/console/class', { ...fields, do: 'move', date, time: '11:00' })
    expect(stale.status).toBe(422)
    const staff_id = fields.who
    const block = await booker.book('Yoga class', `${date}T12:30:00+01:00`, { staff_id })
    const members = ids.map((id, index) => `${id}:${index === 2 ? 2 : 1}`).join(',')
    const taken = await send('/console/class', {
      ...fields,
      members,
      do: 'move',
      date,
      time: '12:00',
      anyway: 'on',
    })
    expect(taken.status).toBe(422)
    expect(taken.body).toContain('3 of 8 places taken')
    for (const id of ids) expect(await show(id)).toMatchObject({ starts_at: `${date}T10:00:00+01:00` })
    expect(await show(block)).toMatchObject({ starts_at: `${date}T12:30:00+01:00` })
    expect(await mailsOf(ids, 'changed')).toBe(0)
  })

  test('a class is cancelled as a whole, and each client is told', async () => {
    const date = newDay()
    const { ids, fields, path } = await classOn(date)
    const reply = await send('/console/class', { ...fields, do: 'cancel', cancel_reason: 'Trainer ill' })
    expect(reply.headers['location']).toMatch(`/console?date=${date}&done=class_cancelled&undo=status`)
    for (const id of ids)
      expect(await show(id)).toMatchObject({ status: 'cancelled', cancel_reason: 'Trainer ill' })
    expect(await mailsOf(ids, 'cancelled')).toBe(3)
    expect((await read(path)).status).toBe(404)
  })

  /** Sends the form of the notice that takes a change back. */
  const undo = async (page: string) => {
    const body = String((await read(page)).body)
    const [form] = /<form[^>]*class="for-seconds">[^]*?<\/form>/.exec(body) ?? []
    if (form === undefined) return undefined
    return send('/console/class', formValues(form, '/console/class'))
  }
  const statesOf = (ids: string[]) =>
    Promise.all(
      ids.map(async (id) => {
        const { status, starts_at } = await show(id)
        return `${String(status)} ${String(starts_at)}`
      }),
    )
  /** Emails to clients that are sent once the time to undo is over. */
  const sentOf = async (ids: string[]) => {
    service.clock.advance(13)
    await service.app.mails.settled()
    return (await service.rows('mails')).filter(
      (row) =>
        ids.includes(String(row['booking_id'])) && row['audience'] === 'client' && row['status'] === 'sent',
    )
  }

  test('a cancelled class is restored as a whole for some seconds, and no client hears of it', async () => {
    const date = newDay()
    const { ids, fields } = await classOn(date, '10:00', `-${date}`)
    await sentOf(ids)
    const before = (await sentOf(ids)).length
    const reply = await send('/console/class', { ...fields, do: 'cancel' })
    const page = String(reply.headers['location'])
    const undone = await undo(page)
    expect(undone).toMatchObject({ status: 303, headers: { location: `/console?date=${date}&done=undone` } })
    expect((await read(String(undone?.headers['location']))).body).toContain('Undone.')
    expect(await statesOf(ids)).toEqual(ids.map(() => `confirmed ${date}T10:00:00+01:00`))
    expect(await undo(page)).toBeUndefined()
    expect(await sentOf(ids)).toHaveLength(before)
  })

  test('a moved class goes back as a whole, even to a time that overlaps, and not after some seconds', async () => {
    const date = newDay()
    const { ids, fields, path } = await classOn(date, '10:00', `-${date}`)
    await sentOf(ids)
    const before = (await sentOf(ids)).length
    const move = async (members: string, time: string) =>
      String(
        (await send('/console/class', { ...fields, members, do: 'move', date, time })).headers['location'],
      )
    const undone = await undo(await move(fields.members, '10:30'))
    expect(undone).toMatchObject({ status: 303, headers: { location: `${path}&done=undone` } })
    expect(await statesOf(ids)).toEqual(ids.map(() => `confirmed ${date}T10:00:00+01:00`))
    expect(await sentOf(ids)).toHaveLength(before)
    const later = await move(ids.map((id) => `${id}:3`).join(','), '11:00').catch(String)
    service.clock.advance(9)
    expect(
      await undo(later.replace(fields.start, new Date(`${date}T11:00:00+01:00`).toISOString())),
    ).toBeUndefined()
    expect(await sentOf(ids)).toHaveLength(before + 3)
  })

  test('a cancelled class whose time is taken meanwhile stays cancelled, and the page says why', async () => {
    const date = newDay()
    const { ids, fields } = await classOn(date)
    const page = String((await send('/console/class', { ...fields, do: 'cancel' })).headers['location'])
    const form = String((await read(page)).body)
    await booker.book('Yoga class', `${date}T10:30:00+01:00`, { staff_id: fields.who })
    const [part = ''] = /<form[^>]*class="for-seconds">[^]*?<\/form>/.exec(form) ?? []
    const refused = await send('/console/class', formValues(part, '/console/class'))
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('The class is cancelled.')
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'cancelled' })
    for (const bad of [
      '',
      'status,,',
      `give,${ids[0] ?? ''},AAAA`,
      'move,now,AAAA',
      `status,,${'A'.repeat(3_100)}`,
    ])
      expect((await send('/console/class', { do: 'undo', undo: bad })).status).toBe(422)
  })

  test('a class with an open payment is cancelled for good, and the notice says so', async () => {
    const date = newDay()
    const { ids, fields } = await classOn(date)
    await service.context.db.transaction((tx) =>
      tx.db
        .updateTable('bookings')
        .set({ status: 'pending' })
        .where('id', '=', ids[0] ?? '')
        .execute(),
    )
    const reply = await send('/console/class', { ...fields, do: 'cancel' })
    expect(reply.headers['location']).toBe(`/console?date=${date}&done=class_final_open`)
    const { body } = await read(String(reply.headers['location']))
    expect(body).toContain('Open payments or requests ended with this, so it cannot be undone.')
    expect(body).not.toContain('for-seconds')
  })

  test('a class whose deposits are paid back is cancelled for good, and the notice says so', async () => {
    const date = newDay()
    const { ids, fields } = await classOn(date)
    await payInSandbox(service, ids[0] ?? '')
    const kept = await send('/console/class', { ...fields, do: 'cancel' })
    expect(kept.headers['location']).toContain('done=class_cancelled&undo=status')
    expect((await undo(String(kept.headers['location'])))?.status).toBe(303)
    const members = ids.map((id) => `${id}:3`).join(',')
    const paidBack = await send('/console/class', { ...fields, members, do: 'cancel', refund: 'on' })
    expect(paidBack.headers['location']).toBe(`/console?date=${date}&done=class_final_refund`)
    const { body } = await read(String(paidBack.headers['location']))
    expect(body).toContain('Deposits are being refunded, so this cannot be undone.')
    expect(body).not.toContain('for-seconds')
  })

  test('everyone is marked as arrived by one button, or nobody if one booking was changed meanwhile', async () => {
    const date = '2026-11-20'
    const { ids, fields, path } = await classOn(date, '12:00')
    const page = String((await read(path)).body)
    expect(page).toContain('value="arrived"')
    const hidden = (/href="mailto:\?bcc=([^"]*)"/.exec(page)?.[1] ?? '').split(',')
    expect(hidden.toSorted()).toEqual(['Ada', 'Grace', 'Mary'].map((name) => `${name}%40example.com`))
    const stale = { ...fields, members: fields.members.replace(/:1$/, ':7') }
    expect((await send('/console/class', { ...stale, do: 'arrived' })).status).toBe(422)
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'confirmed' })
    const reply = await send('/console/class', { ...fields, do: 'arrived' })
    const arrived = String(reply.headers['location'])
    expect(arrived).toContain(`${path}&done=arrived&undo=status`)
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'in_progress' })
    expect(await undo(arrived)).toMatchObject({ status: 303, headers: { location: `${path}&done=undone` } })
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'confirmed' })
    const again = { ...fields, members: ids.map((id) => `${id}:3`).join(','), do: 'arrived' }
    expect((await send('/console/class', again)).status).toBe(303)
    expect((await read(path)).body).not.toContain('value="arrived"')
    const ended = { ...fields, members: ids.map((id) => `${id}:4`).join(','), do: 'cancel' }
    expect((await undo(String((await send('/console/class', ended)).headers['location'])))?.status).toBe(303)
    for (const id of ids) expect(await show(id)).toMatchObject({ status: 'in_progress' })
    const later = await classOn(newDay())
    expect((await read(later.path)).body).not.toContain('value="arrived"')
  })

  test('a client is marked as arrived on the list of the class', async () => {
    const { ids, address, path } = await classOn(newDay())
    const fields = { version: '1', action: 'arrive', to: 'class', ...address }
    const reply = await send(`/console/bookings/${ids[0]}/status`, fields)
    const notice = String(reply.headers['location'])
    expect(notice).toMatch(`${path}&done=arrived&undo=`)
    expect((await read(path)).body).toContain('in progress')
    const status = `/console/bookings/${ids[0]}/status`
    const undone = await send(status, formValues(String((await read(notice)).body), status))
    expect(undone.headers['location']).toBe(`${path}&done=undone`)
    expect((await read(path)).body).not.toContain('in progress')
  })
})
