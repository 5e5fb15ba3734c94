import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { moveService } from '../../src/catalogue/service-order.ts'
import { makeBusiness, makeLocation, makeService, type OwnBusiness } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the order of services', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  const ids: string[] = []
  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service)
    const location = await makeLocation(service, spa.id)
    for (const name of ['Alpha', 'Beta', 'Gamma'])
      ids.push(await makeService(service, spa.id, { name, locationIds: [location] }))
  })
  afterAll(() => service.stop())

  test('moves a service of the business, and numbers all of them', async () => {
    const [first = '', , last = ''] = ids
    const move = { id: last, before: first }
    await moveService(service.context, operator, { businessId: spa.id, move })
    const { body } = await service.call('GET', '/services', { token: spa.key })
    expect(body.data).toMatchObject([
      { name: 'Gamma', position: 1 },
      { name: 'Alpha', position: 2 },
      { name: 'Beta', position: 3 },
    ])
    const elsewhere = await makeBusiness(service)
    const foreign = moveService(service.context, operator, { businessId: elsewhere.id, move })
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
  })
})
