import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import { fetchDue } from '../support/busy-calendars.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { languageFor, languageNames } from '../../src/base/languages.ts'
import { onOneEngine } from '../support/long.ts'
import { type MailWorld, mailWorld } from '../support/mail-world.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { calendar } from './calendar-files.ts'

const hour = 3_600
const emails = ['owner@salon.example', 'desk@salon.example']

onOneEngine('sqlite', 'mails about busy calendars', (engine) => {
  let world: MailWorld
  let receiver: Receiver
  let reader: CalendarReader
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: emails } })
    receiver = await startReceiver()
    reader = openReader(world.service.context, '0')
  })
  afterAll(async () => {
    await reader.close()
    await Promise.all([world.stop(), receiver.stop()])
  })

  let calendarId: string
  let staffId: string
  beforeEach(async () => {
    for (const { id } of (await world.call('GET', '/busy-calendars')).body.data as { id: string }[])
      await world.call('DELETE', `/busy-calendars/${id}`)
    ;[staffId = ''] = await world.staff('Anna Weber')
    const url = `${receiver.address}/secret-path.ics`
    calendarId = (await world.call('POST', '/busy-calendars', { staff_id: staffId, url })).body.id
  })

  /** Fetches due calendars after some hours. Returns the emails that this caused. */
  async function after(hours: number): Promise<MailWorld['server']['mails']> {
    world.service.clock.advance(hours * hour)
    await fetchDue(world.service.context, reader)
    await world.sent()
    return world.fresh()
  }

  const waiting = async () =>
    (await world.service.rows('calendar_mails')).filter(({ status: state }) => state === 'queued')

  const works = () => {
    receiver.answer = (response) => response.writeHead(200).end(calendar())
  }
  const fails = () => {
    receiver.answer = status(503)
  }

  test('come once an outage, when it has lasted for a day, and again in the next one', async () => {
    works()
    expect(await after(0)).toEqual([])
    fails()
    expect(await after(1)).toEqual([])
    expect(await after(23)).toEqual([])
    const told = await after(1)
    expect(told.flatMap(({ recipients }) => recipients).toSorted()).toEqual(emails.toSorted())
    const [mail] = told
    expect(mail?.headers['subject']).toContain('Anna Weber')
    expect(mail?.text).toContain(new URL(receiver.address).host)
    expect(mail?.text).toContain('https://book.example/console/calendars')
    expect(mail?.raw).not.toContain('secret-path')
    expect(await after(1)).toEqual([])
    expect(await after(48)).toEqual([])
    expect(await waiting()).toEqual([])
    const list = await world.call('GET', '/mails?status=sent')
    const latest = (list.body.data as unknown[]).slice(0, 2)
    expect(latest).toMatchObject([
      { kind: 'calendar', booking_id: null, status: 'sent', attempts: 1 },
      { kind: 'calendar', to: expect.stringContaining('@salon.example') },
    ])

    works()
    expect(await after(1)).toEqual([])
    fails()
    expect(await after(1)).toEqual([])
    expect(await after(23)).toEqual([])
    expect(await after(1)).toHaveLength(2)
  })

  test('come as well when it never worked, and of two servers from one', async () => {
    fails()
    expect(await after(0)).toEqual([])
    world.service.clock.advance(24 * hour)
    await Promise.all([1, 2].map(() => fetchDue(world.service.context, reader)))
    expect(await after(0)).toHaveLength(2)
  })

  test('name all that fail at that time, as when a provider is away', async () => {
    const [other = ''] = await world.staff('Ben Roth')
    const url = `${receiver.address}/other-path.ics`
    await world.call('POST', '/busy-calendars', { staff_id: other, url })
    fails()
    expect(await after(0)).toEqual([])
    const told = await after(24)
    expect(told.flatMap(({ recipients }) => recipients).toSorted()).toEqual(emails.toSorted())
    const names = (await world.call('GET', '/staff')).body.data as { id: string; name: string }[]
    for (const id of [staffId, other]) {
      const name = names.find((person) => person.id === id)?.name ?? ''
      expect(told[0]?.text.match(new RegExp(`The calendar of ${name} at`, 'g'))).toHaveLength(1)
      expect(told[0]?.headers['subject']).toContain(name)
    }
    expect(await after(24)).toEqual([])
  })

  test('are not sent when it works again, is removed, or its person is inactive by then', async () => {
    const ends = [
      async () => {
        works()
        world.service.clock.advance(hour)
        await fetchDue(world.service.context, reader)
      },
      () => world.call('PATCH', `/staff/${staffId}`, { active: false }),
      () => world.call('DELETE', `/busy-calendars/${calendarId}`),
    ]
    for (const end of ends) {
      fails()
      expect(await after(1)).toEqual([])
      world.server.answer = () => 451
      expect(await after(25)).toEqual([])
      expect(await waiting()).toHaveLength(2)
      await end()
      await world.sent() // an attempt that had begun would be accepted
      world.server.answer = () => undefined
      world.service.clock.advance(hour)
      await world.sent()
      expect(world.fresh()).toEqual([])
      expect(await waiting()).toEqual([])
      await world.call('PATCH', `/staff/${staffId}`, { active: true })
      works()
      expect(await after(1)).toEqual([])
    }
  })

  test('are written with the failure, or neither is', async () => {
    fails()
    expect(await after(0)).toEqual([])
    world.service.clock.advance(25 * hour)
    const { context } = world.service
    const before = await world.service.rows('busy_calendars')
    receiver.answer = status(500)
    const failing = Object.assign(Object.create(context.ids) as typeof context.ids, {
      next: () => {
        throw new Error('no id')
      },
    })
    await expect(fetchDue({ ...context, ids: failing }, reader)).rejects.toThrow('no id')
    const [row] = await world.service.rows('busy_calendars')
    expect(row).toMatchObject({ last_error: before[0]?.['last_error'], told_at: null })
    expect(await waiting()).toEqual([])
  })

  test.each(languageNames)('are in the language of the business: %s', async (locale) => {
    await world.call('PATCH', `/businesses/${world.business.id}`, { locale })
    fails()
    await after(0)
    const told = await after(24)
    expect(told).toHaveLength(2)
    expect(told[0]?.text).toContain(languageFor(locale).say('mail.calendarFails.stays'))
    expect(told[0]?.text).toContain('Anna Weber')
    expect(`${told[0]?.text}${told[0]?.html}${told[0]?.headers['subject']}`).not.toMatch(
      /[{}]name|\{(host|time|business)\}/,
    )
    expect(told[0]?.html).toContain(`lang="${locale}"`)
    await world.call('PATCH', `/businesses/${world.business.id}`, { locale: 'en' })
  })
})
