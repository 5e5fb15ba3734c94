import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, clientOf } from '../support/client.ts'
import { readConsole } from '../support/console.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { logInNewPerson, type LoggedIn } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type Reply, type TestService } from '../support/test-service.ts'
import { type BookedReply, makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

onOneEngine('sqlite', 'visits in lists', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let salon: VisitSalon
  /** A cut by Anna and a colour by Ben. */
  let shared: BookedReply
  /** Both by Anna. */
  let hers: BookedReply
  let ben: LoggedIn
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
    salon = await makeVisitSalon(service, business)
    shared = await salon.book('2026-12-01T10:00:00+01:00', {
      items: [
        { service_id: salon.cut, staff_id: salon.anna },
        { service_id: salon.colour, staff_id: salon.ben },
      ],
    })
    hers = await salon.book('2026-12-02T10:00:00+01:00')
    const place = { businessId: business.id }
    const email = 'ben@salon.example'
    ben = await logInNewPerson(service, { email, role: 'staff', place, staffId: salon.ben })
  })
  afterAll(() => service.stop())

  const idsIn = ({ body }: Reply) => (body.data as { id: string }[]).map(({ id }) => id)

  test('filters find a visit by any of its services and people', async () => {
    expect(idsIn(await key.list({ staff_id: salon.anna }))).toEqual([hers.id, shared.id])
    expect(idsIn(await key.list({ staff_id: salon.ben }))).toEqual([shared.id])
    expect(idsIn(await key.list({ service_id: salon.colour }))).toEqual([hers.id, shared.id])
    const both = { staff_id: salon.ben, service_id: salon.cut, sort: 'starts_at', q: 'ada' }
    expect(idsIn(await key.list(both))).toEqual([shared.id])
  })

  test('staff see and change visits in which they give a service, and no others', async () => {
    const { call } = ben
    expect(idsIn(await call('GET', '/bookings?q=ada'))).toEqual([shared.id])
    expect((await call('GET', `/bookings/${shared.id}`)).body.client.last_name).toBe('Lovelace')
    expect((await call('GET', `/bookings/${hers.id}`)).body).toMatchObject({ redacted: true })
    const changed = await call('PATCH', `/bookings/${shared.id}`, { notes: 'Allergic to ammonia' })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect((await call('PATCH', `/bookings/${hers.id}`, { notes: 'x' })).status).toBe(404)
    expect((await call('GET', `/bookings/${shared.id}/history`)).status).toBe(200)
    expect((await call('GET', `/bookings/${hers.id}/history`)).status).toBe(404)
  })

  test('the file for a spreadsheet has a row for each visit, with its services', async () => {
    const place = { businessId: business.id }
    const owner = await logInNewPerson(service, { email: 'olga@salon.example', role: 'owner', place })
    const file = await readConsole(service, '/console/bookings.csv?when=all', owner)
    const rows = String(file.body).trim().split('\r\n')
    expect(rows).toHaveLength(3)
    expect(rows[0]).toMatch(/,Services in order$|,[^,]+$/)
    const row = rows.find((one) => one.includes(shared.id))
    expect(row).toContain(',Cut + Colour,')
    expect(row).toContain(',"Anna, Ben",')
    expect(row).toMatch(/,10:00–10:30 Cut \(Anna\); 10:30–12:00 Colour \(Ben\)$/)
  })

  test("the export of a client's data lists the services, and erasing the client keeps them", async () => {
    const client = { ...ada, email: 'erased@example.com' }
    const { id } = await salon.book('2026-12-03T10:00:00+01:00', { client })
    const call = (path: string) =>
      service.call('POST', path, { token: business.key, body: { email: client.email } })
    const exported = await call('/clients/export')
    const names = [{ service: { name: 'Cut' } }, { service: { name: 'Colour' } }]
    expect(exported.body.bookings).toMatchObject([
      { booking: { id, items: names }, events: [{ payload: { data: { items: [{}, {}] } } }] },
    ])
    expect((await call('/clients/erase')).status).toBe(200)
    const { body } = await key.show(id)
    expect(body).toMatchObject({ items: names, client: { email: '' } })
    const stored = JSON.stringify([await service.rows('visit_items'), await service.rows('events')])
    expect(stored).not.toContain('erased@example.com')
  })
})
