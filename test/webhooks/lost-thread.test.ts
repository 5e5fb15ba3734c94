import { expect, test } from 'vitest'
import { DeliveryWorker } from '../../src/webhooks/delivery-worker.ts'
import { startReceiver } from '../support/receiver.ts'
import { onEachEngine, startTestService } from '../support/test-service.ts'
import { deliveriesOf, makeShop, makeWebhook } from '../support/webhooks.ts'

const broken = `data:text/javascript,throw new Error('its files are being replaced')`

onEachEngine('a server whose thread for sending cannot start', (engine) => {
  test('serves on, and leaves what it could not send to be sent later', async () => {
    const service = await startTestService(engine, {}, { deliveries: { execArgv: ['--import', broken] } })
    const receiver = await startReceiver()
    const shop = await makeShop(service)
    const { id } = await makeWebhook(service, { token: shop.business.key, to: receiver })
    await shop.book()
    await service.app.deliveries.settled()
    expect(service.logLines.join('')).toContain('deliveries of webhooks could not be handled')
    const log = () => deliveriesOf(service, { token: shop.business.key, id })
    expect(await log()).toMatchObject([{ status: 'pending', attempts: [] }])
    await service.app.deliveries.stop(0)
    service.clock.advance(30) // the lease of what it had in hand ends by itself
    const other = new DeliveryWorker(service.context, { version: '0' })
    other.start()
    await other.settled()
    expect(await log()).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }])
    await other.stop(0)
    await service.stop()
    await receiver.stop()
  })
})
