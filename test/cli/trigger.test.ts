import { afterAll, beforeAll, expect, test } from 'vitest'
import { triggers } from '../../src/cli/trigger-events.ts'
import { eventTypes } from '../../src/webhooks/event-payload.ts'
import { runCommand } from '../support/command-line.ts'
import { deposit } from '../support/deposits.ts'
import { onOneEngine } from '../support/long.ts'
import { mailVariables } from '../support/mail-world.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeWebhook } from '../support/webhooks.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'

onOneEngine('sqlite', 'holdfast trigger', (engine) => {
  let service: TestService
  let mails: MailServer
  let receiver: Receiver
  let url: string
  let shop: OwnBusiness
  beforeAll(async () => {
    mails = await startMailServer()
    receiver = await startReceiver()
    service = await startTestService(engine, mailVariables(mails.url))
    url = await service.app.server.listen({ host: '127.0.0.1', port: 0 })
    shop = await makeBusiness(service, { isTest: true })
    await makeOffer(service, shop.id, { horizonDays: null })
    await makeOffer(service, shop.id, { horizonDays: null, respondWithin: 60 })
    await makeOffer(service, shop.id, { horizonDays: null, deposit })
    await makeWebhook(service, { token: shop.key, to: receiver, events: [...eventTypes] })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
    await mails.close()
  })
  const trigger = (event: string, { key } = shop) =>
    runCommand(['trigger', event, '--url', url, '--publishable-key', shop.publishableKey], {
      HOLDFAST_KEY: key,
    })

  test.each(Object.keys(triggers))(
    '%s really happens',
    async (event) => {
      receiver.received.length = 0
      const ran = await trigger(event)
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0, stderr: '' })
      expect(ran.stdout).toContain(`Done: ${event}`)
      expect(ran.stdout).not.toContain(shop.key)
      await service.app.testClocks.settled()
      await service.app.deliveries.settled()
      const received = receiver.received.map(({ body }) => JSON.parse(body.toString()).event as string)
      if (event !== 'hold.expired' && event !== 'reminder') expect(received).toContain(event)
      if (event === 'hold.expired') {
        const hold = /hold ([0-9a-f-]{36})/.exec(ran.stdout)?.[1]
        const shown = await service.call('GET', `/bookings/hold/${hold}`, { token: shop.key })
        expect(shown.body.status).toBe('expired')
      }
      expect(mails.mails).toEqual([])
    },
    60_000,
  )

  test('refuses a business that is not for tests, and an event that nothing causes', async () => {
    const usual = await makeBusiness(service)
    const ran = await trigger('booking.created', usual)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('This business is not for tests')
    const rows = (await service.rows('bookings')).filter(({ business_id }) => business_id === usual.id)
    expect(rows).toEqual([])
    expect(await trigger('webhook.failing')).toMatchObject({ code: 2 })
  })

  test('the commands of the guide exist, with their options', async () => {
    const blocks = blocksOf(documentAt('docs/guides/testing.md')).map(({ text }) => text)
    const lines = blocks
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.startsWith('npx holdfast '))
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      const [, , ...words] = line.split(' ')
      const isGroup = words[0] !== 'trigger'
      const help = await runCommand([...words.slice(0, isGroup ? 2 : 1), '--help'], {})
      for (const option of words.filter((word) => word.startsWith('--')))
        expect(help.stdout).toContain(option)
    }
  })

  test('lists the events', async () => {
    const { stdout } = await runCommand(['trigger', '--list'], {})
    for (const event of Object.keys(triggers)) expect(stdout).toMatch(new RegExp(`^${event} `, 'm'))
  })
})
