import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const day = '2026-12-02'

onOneEngine('sqlite', 'notes about clients in the calendar', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let ben: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  const ask = (path: string, { cookie }: LoggedIn, tag = '') =>
    service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie, 'if-none-match': tag } })
  const read = async (path: string, person = owner) => String((await ask(path, person)).body)
  const note = async (email: string, notes: string) => {
    const { body } = await booker.call('GET', `/clients?email=${email}`)
    const [client] = body['data'] as { id: string }[]
    const changed = await booker.call('PATCH', `/clients/${client?.id}`, { notes })
    expect(changed.status).toBe(200)
  }
  const clientOf = (first_name: string) => ({
    ...{ first_name, last_name: 'Test', email: `${first_name.toLowerCase()}@example.com` },
  })
  beforeAll(async () => {
    service = await startTestService(engine)
    booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    const staff = { email: 'ben@example.com', role: 'staff', place, staffId: booker.staffId('Ben') } as const
    ben = await logInNewPerson(service, staff)
    await booker.book('Haircut', `${day}T10:00:00+01:00`, {
      ...{ staff_id: booker.staffId('Anna'), client: clientOf('Annie') },
    })
    await booker.book('Haircut', `${day}T10:00:00+01:00`, {
      ...{ staff_id: booker.staffId('Ben'), client: clientOf('Bert') },
    })
    await note('annie@example.com', 'Allergic to <ammonia>')
    await note('bert@example.com', 'Brings a dog')
  })
  afterAll(() => service.stop())

  test.each([
    ['day', `/console?view=day&date=${day}`],
    ['week', `/console?view=week&date=${day}`],
    ['list', `/console?view=list&date=${day}`],
    ['print', `/console/print?date=${day}`],
  ])('the %s shows them, in words as well', async (_view, path) => {
    const page = await read(path)
    expect(page).toContain('Allergic to &lt;ammonia&gt;')
    expect(page).toContain('Client note: ')
  })

  test('staff see those about their own clients only', async () => {
    for (const path of [`/console?view=list&who=all&date=${day}`, `/console/print?date=${day}`]) {
      const page = await read(path, ben)
      expect(page).toContain('Brings a dog')
      expect(page).not.toContain('ammonia')
    }
    const columns = (await read(`/console?view=day&date=${day}`, ben)).split('<section').slice(1)
    expect(columns.filter((column) => column.includes('is-note'))).toHaveLength(1)
  })

  test('the form to book shows them as soon as the client is chosen, and no longer for another one', async () => {
    const { body } = await booker.call('GET', '/clients?email=bert@example.com')
    const [client] = body['data'] as { id: string }[]
    const page = await read(`/console/book?client=${client?.id}`)
    expect(page).toContain('<bdi class="written">Brings a dog</bdi>')
    const typed = { pick: client?.id ?? '', date: '', time: '' }
    const send = (fields: Record<string, string>) =>
      sendForm(service, '/console/book', fields, { cookie: owner.cookie })
    expect(String((await send(typed)).body)).toContain('Brings a dog')
    const found = { do: 'new', q: 'Carl', known: client?.id ?? '', client_notes: 'Brings a dog' }
    expect(String((await send(found)).body)).not.toContain('Brings a dog')
  })

  test('a calendar on a screen shows a changed note', async () => {
    const path = `/console/calendar?view=day&date=${day}`
    const tag = (await ask(path, owner)).headers['etag']
    expect((await ask(path, owner, tag)).status).toBe(304)
    await note('annie@example.com', 'Sensitive skin')
    const fresh = await ask(path, owner, tag)
    expect(fresh.status).toBe(200)
    expect(fresh.body).toContain('Sensitive skin')
    await note('annie@example.com', '')
    expect(await read(path)).not.toContain('Sensitive skin')
  })
})
