import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../src/access/actor.ts'
import { changeBusinessAndLocations } from '../../src/catalogue/business.ts'
import { type Fault, letStatementsFail, sufferFault } from '../simulation/failing-statements.ts'
import { makeBusiness, makeLocation, type OwnBusiness } from '../support/offers.ts'
import { caller } from '../support/random-world.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'a new time zone of a business and its locations', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  let beside: OwnBusiness
  let key: Actor
  let endFailures: () => void
  const faro = { name: 'Faro', timezone: 'Europe/Lisbon' }
  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service, { timezone: 'Europe/Berlin' })
    beside = await makeBusiness(service, { timezone: 'Europe/Berlin' })
    for (let made = 0; made < 2; made += 1) await makeLocation(service, spa.id)
    const left = await makeLocation(service, spa.id)
    expect(await service.call('DELETE', `/locations/${left}`, { token: spa.key })).toMatchObject({
      status: 204,
    })
    await makeLocation(service, beside.id)
    const elsewhere = await service.call('POST', '/locations', { token: spa.key, body: faro })
    expect(elsewhere.status).toBe(201)
    key = { ...caller(service.context.ids.next()), type: 'business', scope: { businessId: spa.id } }
    endFailures = letStatementsFail(engine)
  })
  afterAll(async () => {
    endFailures()
    await service.stop()
  })

  const move = (timezone: string, id = spa.id) =>
    changeBusinessAndLocations(service.context, key, { id, change: { timezone } })
  const zones = async (of: OwnBusiness) => {
    const locations = await service.rows('locations')
    const ofBusiness = locations.filter(({ business_id }) => business_id === of.id)
    return ofBusiness.map(({ timezone }) => String(timezone)).toSorted()
  }
  const businessRow = async () => (await service.rows('businesses')).find(({ id }) => id === spa.id)
  const audited = async () => {
    const entries = await service.rows('audit_entries')
    return entries.filter(({ business_id }) => business_id === spa.id).map(({ action }) => String(action))
  }
  const state = async () => [await zones(spa), await businessRow(), await audited()]

  test('is there as a whole, or not at all when any of its statements fails', async () => {
    const before = await state()
    for (let after = 0; ; after += 1) {
      const how = 'refused'
      const fault: Fault = { how, after, commitsOnly: false, inTransaction: false, struck: undefined }
      const outcome = await sufferFault(fault, () => move('Asia/Tokyo')).catch(() => 'failed' as const)
      if (fault.struck === undefined) {
        expect(after).toBeGreaterThan(5)
        expect(outcome).toHaveLength(3)
        break
      }
      expect(outcome, fault.struck).toBe('failed')
      expect(await state(), fault.struck).toEqual(before)
      expect(after).toBeLessThan(40)
    }
    expect(await zones(spa)).toEqual(['Asia/Tokyo', 'Asia/Tokyo', 'Asia/Tokyo', 'Europe/Lisbon'])
    expect(await businessRow()).toMatchObject({ timezone: 'Asia/Tokyo' })
  })

  test('leaves the locations of other businesses', async () => {
    expect(await zones(beside)).toEqual(['Europe/Berlin'])
  })

  test('is in the audit log for each location and the business, and raises the version once', async () => {
    const [entries, row] = [await audited(), await businessRow()]
    await move('America/New_York')
    const added = (await audited()).slice(entries.length).toSorted()
    expect(added).toEqual(['business.updated', ...Array.from({ length: 3 }, () => 'location.updated')])
    expect(Number((await businessRow())?.['catalogue_version'])).toBe(Number(row?.['catalogue_version']) + 1)
  })

  test('that is the present one moves no location', async () => {
    const version = (await businessRow())?.['catalogue_version']
    expect(await move('America/New_York')).toEqual([])
    expect((await businessRow())?.['catalogue_version']).toBe(version)
  })

  test('of another business is refused', async () => {
    await expect(move('Asia/Tokyo', beside.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await zones(beside)).toEqual(['Europe/Berlin'])
  })
})
