import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { measureCatalogue } from '../../src/catalogue/catalogue-queries.ts'
import { importCatalogue } from '../../src/catalogue/import.ts'
import { changeRows } from '../support/tenant-things.ts'
import { sendForm, logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('postgres', 'how much a business may have', (engine) => {
  let service: TestService
  let beside: TestService | undefined
  const business = () => businessOf(service.world, 'Salon Spree')
  const kinds = ['services', 'locations', 'staff'] as const
  const count = async (table: (typeof kinds)[number]) => {
    const rows = await service.rows(table)
    return rows.filter((row) => row['business_id'] === business().id && row['deactivated_at'] === null).length
  }
  const bodyOf = (table: (typeof kinds)[number], name: string) => ({
    name,
    ...(table === 'services' && { duration_minutes: 30, location_ids: [business().locations[0]?.id] }),
  })
  const add = (table: (typeof kinds)[number], name: string, on = service) =>
    on.call('POST', `/${table}`, { token: business().business_key, body: bodyOf(table, name) })
  /** Raises the limits to this many more than the business has. */
  const leaveRoom = async (room: number) => {
    const [services = 0, locations = 0, staff = 0] = await Promise.all(kinds.map(count))
    await changeRows(
      service,
      sql`update businesses set max_services = ${Math.max(1, services + room)}, max_locations = ${Math.max(1, locations + room)},
                 max_staff = ${Math.max(1, staff + room)} where id = ${business().id}`,
    )
  }
  beforeAll(async () => {
    service = await startTestService(engine)
    if (engine === 'postgres') beside = await startTestService(engine, {}, { beside: service })
  })
  afterAll(async () => {
    await beside?.stop()
    await service.stop()
  })

  test.each(kinds)('%s: who ask at the same moment get no more than there is room for', async (table) => {
    await leaveRoom(3)
    const before = await count(table)
    const asked = Array.from({ length: 12 }, (_each, index) =>
      add(table, `Race ${index}`, index % 2 === 0 ? service : (beside ?? service)),
    )
    const replies = await Promise.all(asked)
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
    for (const { status, body } of replies.filter((reply) => reply.status !== 201))
      expect([status, body.code]).toEqual([409, 'catalogue_limit_reached'])
    expect(await count(table)).toBe(before + 3)
  })

  test('what is deleted makes room, and what comes back needs it', async () => {
    await leaveRoom(0)
    const { id } = (await service.rows('staff')).find(({ name }) => String(name).startsWith('Race ')) ?? {}
    const one = `/staff/${String(id)}`
    const token = business().business_key
    expect((await service.call('DELETE', one, { token })).status).toBe(204)
    expect((await add('staff', 'In their place')).status).toBe(201)
    const back = await service.call('PATCH', one, { token, body: { active: true } })
    expect([back.status, back.body.code]).toEqual([409, 'catalogue_limit_reached'])
    expect((await service.call('GET', one, { token })).body.active).toBe(false)
    expect((await service.call('PATCH', one, { token, body: { name: 'Renamed' } })).status).toBe(200)
  })

  test('who has more already keeps and changes it, and adds nothing, by no way', async () => {
    await leaveRoom(-1)
    const before = await count('locations')
    const token = business().business_key
    const [location] = business().locations
    const change = { token, body: { name: 'Renamed' } }
    expect((await service.call('PATCH', `/locations/${location?.id ?? ''}`, change)).status).toBe(200)
    expect((await add('locations', 'One more')).status).toBe(409)
    const options = { businessId: business().id, overwriteBusiness: false }
    const known = { locations: [{ name: 'Renamed', address: 'Elsewhere' }] }
    const more = { locations: [...known.locations, { name: 'Another' }] }
    for (const dryRun of [true, false]) {
      const refused = importCatalogue(service.context, more, { ...options, dryRun })
      await expect(refused).rejects.toMatchObject({ code: 'catalogue_limit_reached' })
    }
    const report = await importCatalogue(service.context, known, { ...options, dryRun: false })
    expect(report.locations).toEqual({ created: 0, changed: 1, unchanged: 0 })
    expect(await count('locations')).toBe(before)
  })

  test('inactive ones count only beyond ten times as many', async () => {
    const token = business().business_key
    const all = (await service.rows('staff')).filter((row) => row['business_id'] === business().id)
    const addInactive = () => service.call('POST', '/staff', { token, body: { name: 'Gone', active: false } })
    await changeRows(
      service,
      sql`update staff set deactivated_at = created_at where business_id = ${business().id}`,
    )
    await changeRows(
      service,
      sql`update businesses set max_staff = ${Math.ceil((all.length + 1) / 10)} where id = ${business().id}`,
    )
    let added = all.length
    while (added < 200 && (await addInactive()).status === 201) added += 1
    expect(added).toBe(10 * Math.ceil((all.length + 1) / 10))
  })

  test('all texts, questions and hours together have a limit, which nobody exceeds at the same moment', async () => {
    await leaveRoom(10)
    const { max = 0 } = (await measureCatalogue(service.context.db.reads, business().id)) ?? {}
    const token = business().business_key
    const [id] = (await service.rows('services')).flatMap((row) =>
      row['business_id'] === business().id ? row['id'] : [],
    )
    await changeRows(
      service,
      sql`update services set description = ${'x'.repeat(max - 20_000)} where id = ${String(id)}`,
    )
    const text = 'y'.repeat(4_000)
    const longer = (index: number, on = service) =>
      on.call('POST', '/services', {
        token,
        body: { ...bodyOf('services', `Long ${index}`), description: text },
      })
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_each, index) =>
        longer(index, index % 2 === 0 ? service : (beside ?? service)),
      ),
    )
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(2)
    for (const { status, body } of refused)
      expect([status, body.code, body.detail]).toEqual([
        409,
        'catalogue_limit_reached',
        expect.stringContaining('shorten'),
      ])
    const all = (await service.rows('services')).filter((row) => row['business_id'] === business().id)
    const characters = all.reduce((sum, row) => sum + ((row['description'] as string | null)?.length ?? 0), 0)
    expect(characters).toBeLessThanOrEqual(max)
    const one = replies.find(({ status }) => status === 201)
    const path = `/services/${String(one?.body['id'])}`
    const much = { description: 'z'.repeat(5_000) }
    const change = async (body: object) => (await service.call('PATCH', path, { token, body })).status
    for (let tries = 0; tries < 8; tries += 1) await change(much)
    expect(await change({ name: 'A name' })).toBeOneOf([200, 409])
    expect(await change({ description: 'short' })).toBe(200) // shorter is always allowed
    await changeRows(service, sql`update services set description = null where id = ${String(id)}`)
    expect(await change(much)).toBe(200)
  })

  test('the form of the console says so, with what was typed', async () => {
    await leaveRoom(0)
    const place = { businessId: business().id }
    const owner = await logInNewPerson(service, { email: `owner@${engine}.example`, role: 'owner', place })
    const fields = { name: 'A third place', timezone: 'Europe/Berlin', weekly_hours: '' }
    const { status, body } = await sendForm(service, '/console/locations/new', fields, owner)
    expect(status).toBe(409)
    expect(body).toContain('The business has reached its limit.')
    expect(body).toContain('A third place')
  })
})

test('the plan in effect decides, and the operator may raise it', async () => {
  const service = await startTestService('sqlite')
  const business = businessOf(service.world, 'Salon Spree')
  const add = () =>
    service.call('POST', '/locations', { token: business.business_key, body: { name: 'More' } })
  await service.context.db.transaction(async (tx) => {
    for (let index = 0; index < 400; index += 1)
      await sql`insert into locations (id, business_id, name, timezone, date_overrides_json, created_at)
                values (${service.context.ids.next()}, ${business.id}, 'Place', 'UTC', '[]', ${tx.now})`.execute(
        tx.db,
      )
  })
  expect((await add()).body.detail).toContain('The business may have 300 locations')
  await changeRows(service, sql`update businesses set max_locations = 1000 where id = ${business.id}`)
  expect((await add()).status).toBe(201)
  await service.stop()
})
