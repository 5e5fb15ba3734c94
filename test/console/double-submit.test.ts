import { afterAll, beforeAll, expect, test } from 'vitest'
import { formValues, readConsole } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const blocked = { from_date: '2026-12-08', from_time: '09:00', to_date: '2026-12-08', to_time: '10:00' }
const creations = [
  ['a service', '/console/services/new', '/services', { name: 'Twice', duration_minutes: '30' }],
  ['a person', '/console/people/new', '/staff', { name: 'Twice', hours: 'none' }],
  ['a location', '/console/locations/new', '/locations', { name: 'Twice', hours: 'none' }],
  ['a block', '/console/block', '/blocks', { ...blocked, reason: 'Twice' }],
] as const

onOneEngine('postgres', 'a form of the console', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(() => service.stop())

  const once = async (path: string) => {
    const { body } = await readConsole(service, path, owner)
    return /name="once" value="([^"]+)"/.exec(String(body))?.[1] ?? ''
  }
  const made = async (list: string) => {
    const { body } = await owner.call('GET', `${list}?limit=100`)
    const all = (body as unknown as { data: { name?: string; reason?: string }[] }).data
    return all.filter(({ name, reason }) => name === 'Twice' || reason === 'Twice').length
  }

  test.each(creations)(
    'makes %s once, however often and fast it is sent',
    async (_what, page, list, given) => {
      const location = booker.business.locations[0]?.id ?? ''
      const more = {
        whose: booker.staffId('Anna'),
        [`location_ids.${location}`]: 'on',
        timezone: 'Europe/Berlin',
      }
      const fields = { ...given, ...more, once: await once(page) }
      const send = (form: Record<string, string> = fields) => sendForm(service, page, form, owner)
      const replies = [...(await Promise.all([send(), send(), send()])), await send()]
      expect(replies.map(({ status }) => status)).toEqual([303, 303, 303, 303])
      expect(new Set(replies.map(({ headers }) => headers['location'])).size).toBe(1)
      expect(await made(list)).toBe(1)
      const changed = await send({ ...fields, name: 'Other', reason: 'Other' })
      expect(changed.status).toBe(422)
      expect(changed.body).toContain('This form was already sent.')
      expect((await send({ ...fields, once: await once(page) })).status).toBe(303)
      expect(await made(list)).toBe(2)
    },
  )

  test('is free to be sent again after a fault', async () => {
    const place = { [`location_ids.${booker.business.locations[0]?.id ?? ''}`]: 'on' }
    const fields = { ...place, name: '', duration_minutes: '30', once: await once('/console/services/new') }
    expect((await sendForm(service, '/console/services/new', fields, owner)).status).toBe(422)
    const mended = await sendForm(service, '/console/services/new', { ...fields, name: 'Mended' }, owner)
    expect(mended.status).toBe(303)
  })

  test.each([
    ['move', { time: '11:00' }],
    ['cancel', { cancel_reason: 'Ill' }],
  ])('that is to %s a booking leads on, however often and fast it is sent', async (name, given) => {
    const id = await booker.book('Haircut', '2026-12-15T10:00:00+01:00')
    const path = `/console/bookings/${id}/${name}`
    const { body } = await readConsole(service, path, owner)
    const fields = { ...formValues(String(body), path), ...given }
    const send = () => sendForm(service, path, fields, owner)
    const replies = [...(await Promise.all([send(), send(), send()])), await send()]
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303, 303])
    expect(new Set(replies.map(({ headers }) => headers['location'])).size).toBe(1)
    const { data } = (await booker.call('GET', `/bookings/${id}/history`)).body as { data: object[] }
    expect(data).toHaveLength(2)
  })
})
