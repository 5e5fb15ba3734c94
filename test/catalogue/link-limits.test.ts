import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  completeLocation,
  completeService,
  completeStaffMember,
} from '../../src/catalogue/catalogue-kinds.ts'
import {
  countLinks,
  saveLocation,
  saveService,
  saveStaffMember,
} from '../../src/catalogue/catalogue-queries.ts'
import { importCatalogue } from '../../src/catalogue/import.ts'
import { logInNewPerson, sendForm } from '../support/person.ts'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('postgres', 'how many locations and staff members all services list', (engine) => {
  let service: TestService
  let beside: TestService | undefined
  const locationIds: string[] = []
  const staffIds: string[] = []
  const business = () => businessOf(service.world, 'Salon Spree')
  const usage = async () => {
    const [places, people] = [
      await countLinks(service.context.db.reads, 'service_locations', business().id),
      await countLinks(service.context.db.reads, 'service_staff', business().id),
    ]
    if (!places || !people) throw new Error('there is no such business')
    return { places, people }
  }
  const call = (method: string, path: string, body?: object, on = service) =>
    on.call(method, path, { token: business().business_key, ...(body && { body }) })
  const add = (name: string, links: object, on = service) =>
    call(
      'POST',
      '/services',
      { name, duration_minutes: 30, location_ids: locationIds.slice(0, 1), ...links },
      on,
    )

  /** Adds services that bypass the limit until this many more links of each kind are allowed. */
  const leaveRoom = async (room: number) => {
    const { places, people } = await usage()
    let [morePlaces, morePeople] = [places, people].map(({ active, max }) => max - room - active) as [
      number,
      number,
    ]
    const nextId = () => service.context.ids.next()
    while (morePlaces > 0 || morePeople > 0) {
      const listed = {
        location_ids: locationIds.slice(0, morePlaces),
        staff_ids: staffIds.slice(0, morePeople),
      }
      morePlaces -= listed.location_ids.length
      morePeople -= listed.staff_ids.length
      const input = { name: `Filler ${nextId()}`, duration_minutes: 30, ...listed }
      const row = completeService(input, business(), nextId)
      // One transaction each: all of them in one would take longer than a transaction may.
      await service.context.db.transaction((tx) => saveService(tx.db, row, { now: tx.now, isNew: true }))
    }
  }

  beforeAll(async () => {
    service = await startTestService(engine)
    if (engine === 'postgres') beside = await startTestService(engine, {}, { beside: service })
    const { ids, db } = service.context
    const of = { id: business().id, timezone: 'Europe/Berlin' }
    await db.transaction(async (tx) => {
      const saving = { now: tx.now, isNew: true }
      for (let index = 0; index < 200; index += 1) {
        const location = completeLocation({ name: `Place ${index}` }, of, () => ids.next())
        const member = completeStaffMember({ name: `Person ${index}` }, of, () => ids.next())
        await saveLocation(tx.db, location, saving)
        await saveStaffMember(tx.db, member, saving)
        locationIds.push(location.id)
        staffIds.push(member.id)
      }
    })
  })
  afterAll(async () => {
    await beside?.stop()
    await service.stop()
  })

  test('an ordinary large salon is far below the limits of the smallest plan', async () => {
    const { places, people } = await usage()
    expect([places.max, people.max]).toEqual([30_000, 120_000]) // Salon Spree has the largest one
    const [servicesOfGrowth, servicesOfEnterprise] = [300, 3_000]
    const ofGrowth = (max: number) => (max * servicesOfGrowth) / servicesOfEnterprise
    expect(100 * 5).toBeLessThan(ofGrowth(places.max) / 5)
    expect(100 * 50).toBeLessThan(ofGrowth(people.max) / 2)
  })

  test('simultaneous requests on two servers list no more than allowed', async () => {
    await leaveRoom(4)
    const [one, two] = await Promise.all([add('Patched 1', {}), add('Patched 2', {})])
    const before = await usage()
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_each, index) => {
        const on = index % 2 === 0 ? service : (beside ?? service)
        const path = `/services/${String((index < 2 ? one : two).body.id)}`
        const [from, to] = [2 * index, 2 * index + 2]
        if (index % 2 === 0) return add(`Race ${index}`, { staff_ids: staffIds.slice(from, to) }, on)
        return call('PATCH', path, { staff_ids: staffIds.slice(from, to) }, on)
      }),
    )
    const refused = replies.filter(({ status }) => status > 201)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body } of refused)
      expect([status, body.code]).toEqual([409, 'catalogue_limit_reached'])
    const after = await usage()
    expect(after.people.active).toBeGreaterThan(before.people.active)
    expect(after.people.active).toBeLessThanOrEqual(after.people.max)
    expect(after.places.active).toBeLessThanOrEqual(after.places.max)
  })

  /** Returns the services that only fill the catalogue, by name. */
  const fillers = async () =>
    (await service.rows('services'))
      .filter(({ name }) => String(name).startsWith('Filler '))
      .toSorted((one, other) => String(one['name']).localeCompare(String(other['name'])))

  test('the last pair fits, and the next does not', async () => {
    await leaveRoom(0)
    const { people } = await usage()
    expect(people.active).toBe(people.max)
    const filler = (await fillers()).at(0)
    const path = `/services/${String(filler?.['id'])}`
    const [first, ...others] = staffIds
    const statuses: number[] = []
    for (const ids of [others.slice(1), others, [first, ...others]])
      statuses.push((await call('PATCH', path, { staff_ids: ids })).status)
    expect(statuses).toEqual([200, 200, 200]) // it listed all of them
    const [known] = (await service.rows('services')).filter(({ name }) => name === 'Patched 1')
    const { staff_ids } = (await call('GET', `/services/${String(known?.['id'])}`)).body as {
      staff_ids: string[]
    }
    const more = staffIds.find((id) => !staff_ids.includes(id))
    const one = { staff_ids: [...staff_ids, more] }
    expect((await call('PATCH', `/services/${String(known?.['id'])}`, one)).status).toBe(409)
  })

  test('above the limit, services can be changed and list fewer, but not more', async () => {
    await leaveRoom(-30)
    const before = await usage()
    expect([before.places.active, before.people.active]).toEqual([30_030, 120_030])
    const filler = (await fillers()).at(-1)
    const path = `/services/${String(filler?.['id'])}`
    const { location_ids, staff_ids } = (await call('GET', path)).body as Record<string, string[]>
    const change = async (body: object) => call('PATCH', path, body)

    expect((await change({ name: 'Renamed' })).status).toBe(200)
    const unlisted = staffIds.find((id) => !staff_ids?.includes(id))
    expect((await change({ staff_ids: [...(staff_ids?.slice(1) ?? []), unlisted] })).status).toBe(200)
    for (const more of [
      { staff_ids: [...(staff_ids ?? []), unlisted] },
      { location_ids: [...(location_ids ?? []), locationIds.find((id) => !location_ids?.includes(id))] },
    ]) {
      const { status, body } = await change(more)
      expect([status, body.code]).toEqual([409, 'catalogue_limit_reached'])
      expect(body.detail).toMatch(
        /may list [\d,]+ (locations|staff members).*remove some from services first/,
      )
    }
    expect((await add('Another', {})).status).toBe(409)
    expect(await usage()).toEqual(before)
    expect((await change({ staff_ids: staff_ids?.slice(1) })).status).toBe(200)
    expect((await usage()).people.active).toBe(120_029)
  })

  test('whoever returns brings their links, and a deactivated one has none', async () => {
    const before = await usage()
    const { id } = (await add('Nobody', { active: false })).body as { id: string }
    expect(await usage()).toMatchObject({
      places: { active: before.places.active, total: before.places.total + 1 },
    })
    const back = async (path: string) => (await call('PATCH', path, { active: true })).status
    expect(await back(`/services/${id}`)).toBe(409)
    for (const [table, [first, second]] of [
      ['staff', staffIds],
      ['locations', locationIds],
    ] as const) {
      const [one, other] = [`/${table}/${String(first)}`, `/${table}/${String(second)}`]
      for (const path of [one, other]) expect((await call('DELETE', path)).status).toBe(204)
      expect([await back(one), await back(other)]).toEqual([200, 409])
      await changeRows(service, sql`update ${sql.table(table)} set deactivated_at = null`)
    }
  })

  test('an import adds nothing above the limit, and repeats what exists', async () => {
    await leaveRoom(-30)
    const before = await usage()
    const options = { businessId: business().id, overwriteBusiness: false }
    const known = { services: [{ name: 'Renamed', duration_minutes: 45, locations: ['Place 1'] }] }
    const more = { services: [{ name: 'New', duration_minutes: 45, locations: ['Place 1'] }] }
    for (const dryRun of [true, false]) {
      const refused = importCatalogue(service.context, more, { ...options, dryRun })
      await expect(refused).rejects.toMatchObject({
        code: 'catalogue_limit_reached',
        message: expect.stringContaining('remove some from services first') as string,
      })
    }
    expect(await usage()).toEqual(before)
    const report = await importCatalogue(service.context, known, { ...options, dryRun: false })
    expect(report.services).toEqual({ created: 0, changed: 1, unchanged: 0 })
    expect((await usage()).people.active).toBeLessThan(before.people.active)
  })

  test('the form of the console says what to do', async () => {
    await leaveRoom(-30)
    const place = { businessId: business().id }
    const owner = await logInNewPerson(service, { email: `owner@${engine}.example`, role: 'owner', place })
    const fields = {
      name: 'One more',
      duration_minutes: '30',
      [`location_ids.${String(locationIds[1])}`]: 'on',
    }
    const { status, body } = await sendForm(service, '/console/services/new', fields, owner)
    expect([status, body]).toEqual([409, expect.stringContaining('remove staff or locations from services')])
  })

  test('the operator raises the limits with the number of services', async () => {
    await changeRows(service, sql`update businesses set max_services = 10 where id = ${business().id}`)
    expect((await usage()).people.max).toBe(120_000) // fewer services do not lower them
    await changeRows(service, sql`update businesses set max_services = 4000 where id = ${business().id}`)
    expect((await usage()).people.max).toBe(160_000)
    expect((await add('Now it fits', { staff_ids: staffIds.slice(0, 1) })).status).toBe(201)
  })
})
