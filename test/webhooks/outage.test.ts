import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { createHub } from '../../src/catalogue/business.ts'
import { languageFor, languageNames } from '../../src/base/languages.ts'
import { DueSignal } from '../../src/database/lease-loop.ts'
import { writeWebhookMails } from '../../src/mails/webhook-mail.ts'
import { DeliveryWorker } from '../../src/webhooks/worker.ts'
import { onOneEngine } from '../support/long.ts'
import { type MailWorld, mailWorld } from '../support/mail-world.ts'
import { ok, type Receiver, startReceiver, status } from '../support/receiver.ts'
import { logInNewPerson } from '../support/person.ts'
import { makeWebhook, type OwnWebhook } from '../support/webhooks.ts'

const hour = 3_600
const emails = ['owner@salon.example', 'desk@salon.example']

onOneEngine('sqlite', 'a webhook that fails for a day', (engine) => {
  let world: MailWorld
  let broken: Receiver
  let healthy: Receiver
  let webhook: OwnWebhook
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: emails } })
    broken = await startReceiver()
    healthy = await startReceiver()
  })
  afterAll(async () => {
    await Promise.all([world.stop(), broken.stop(), healthy.stop()])
  })
  beforeEach(async () => {
    const { body } = await world.call('GET', '/webhooks')
    for (const { id } of body.data as OwnWebhook[]) await world.call('DELETE', `/webhooks/${id}`)
    const token = world.business.key
    const path = '/secret-path?token=secret-query'
    webhook = await makeWebhook(world.service, {
      ...{ token, to: broken, path, events: ['booking.created', 'webhook.failing'] },
    })
    await makeWebhook(world.service, { token, to: healthy, events: ['webhook.failing'] })
    broken.answer = status(503)
    healthy.received.length = 0
    broken.received.length = 0
    world.fresh()
  })

  /** Sends a sample to the webhook after some hours. Returns the emails and events that this caused. */
  async function after(hours: number) {
    const { service } = world
    service.clock.advance(hours * hour)
    healthy.received.length = 0
    await world.call('POST', `/webhooks/${webhook.id}/test`)
    await service.app.deliveries.settled()
    await service.app.deliveries.settled() // a reported outage is itself delivered
    await world.sent()
    const events = healthy.received.map(({ body }) => JSON.parse(String(body)) as unknown)
    return { mails: world.fresh(), events }
  }

  const nothing = { mails: [], events: [] }

  test('is reported once an outage, by email and event, and again in the next one', async () => {
    expect(await after(0)).toEqual(nothing)
    expect(await after(23)).toEqual(nothing)
    const { mails, events } = await after(1)
    expect(mails.flatMap(({ recipients }) => recipients).toSorted()).toEqual(emails.toSorted())
    const { host, origin } = new URL(broken.address)
    expect(mails[0]?.headers['subject']).toContain(host)
    expect(mails[0]?.text).toContain('Last error: HTTP 503')
    const page = `https://book.example/console/developers/webhooks/${webhook.id}?business=${world.business.id}`
    expect(mails[0]?.text).toContain(page)
    expect(mails[0]?.raw).not.toMatch(/secret-(path|query)/)
    const data = { id: webhook.id, url: `${origin}/secret-path`, failing_since: expect.any(String) }
    expect(events).toEqual([{ event: 'webhook.failing', timestamp: expect.any(String), data }])
    expect(broken.received.map(({ body }) => String(body)).join('')).not.toContain('webhook.failing')
    expect(await after(1)).toEqual(nothing)
    expect(await after(48)).toEqual(nothing)

    broken.answer = ok
    expect(await after(1)).toEqual(nothing)
    broken.answer = status(500)
    expect(await after(1)).toEqual(nothing)
    expect(await after(23)).toEqual(nothing)
    const again = await after(1)
    expect(again.mails).toHaveLength(2)
    expect(again.events).toHaveLength(1)
  })

  test('is not reported if a delivery succeeded in between', async () => {
    expect(await after(0)).toEqual(nothing)
    broken.answer = ok
    expect(await after(12)).toEqual(nothing)
    broken.answer = status(503)
    expect(await after(12)).toEqual(nothing)
    expect(await after(12)).toEqual(nothing)
    expect((await after(12)).mails).toHaveLength(2)
  })

  test('begins a new outage with a new URL or when it is enabled again', async () => {
    const restarts = [
      () => world.call('PATCH', `/webhooks/${webhook.id}`, { url: `${broken.address}/other` }),
      async () => {
        await world.call('PATCH', `/webhooks/${webhook.id}`, { status: 'disabled' })
        await world.call('PATCH', `/webhooks/${webhook.id}`, { status: 'active' })
      },
    ]
    for (const restart of restarts) {
      expect(await after(0)).toEqual(nothing)
      await restart()
      expect(await after(24)).toEqual(nothing)
    }
    await world.call('PATCH', `/webhooks/${webhook.id}`, { status: 'disabled' })
    expect(await after(48)).toEqual(nothing)
  })

  test('is reported by one of two servers', async () => {
    expect(await after(0)).toEqual(nothing)
    const { context } = world.service
    const other = new DeliveryWorker(
      { ...context, dueDeliveries: new DueSignal() },
      { version: '0', tellOwner: (tx, about) => writeWebhookMails(context, tx, about) },
    )
    other.start()
    world.service.clock.advance(24 * hour)
    healthy.received.length = 0
    for (let sent = 0; sent < 12; sent += 1) await world.call('POST', `/webhooks/${webhook.id}/test`)
    await Promise.all([world.service.app.deliveries.settled(), other.settled()])
    await other.stop(0)
    await world.service.app.deliveries.settled()
    await world.sent()
    expect(world.fresh()).toHaveLength(2)
    expect(healthy.received).toHaveLength(1)
  })

  test('is emailed only while it fails', async () => {
    const ends = [
      async () => {
        broken.answer = ok
        await world.call('POST', `/webhooks/${webhook.id}/test`)
        await world.service.app.deliveries.settled()
      },
      () => world.call('PATCH', `/webhooks/${webhook.id}`, { status: 'disabled' }),
      () => world.call('DELETE', `/webhooks/${webhook.id}`),
    ]
    for (const end of ends) {
      broken.answer = status(503)
      await world.call('PATCH', `/webhooks/${webhook.id}`, { status: 'active' })
      await after(0)
      world.server.answer = () => 451
      expect((await after(24)).mails).toEqual([])
      await end()
      world.server.answer = () => undefined
      world.service.clock.advance(hour)
      await world.sent()
      expect(world.fresh()).toEqual([])
      const rows = await world.service.rows('webhook_mails')
      expect(rows.filter(({ status: state }) => state === 'queued')).toEqual([])
    }
  })

  test('of a hub is reported to the owners and the other webhooks of the hub', async () => {
    const { service } = world
    const hub = await createHub(service.context, { name: 'Chain', plan: 'enterprise' })
    const { key: token } = await createKey(service.context, { type: 'hub', hubId: hub.id })
    const email = 'hub@chain.example'
    await logInNewPerson(service, { email, name: 'Hub Owner', role: 'owner', place: { hubId: hub.id } })
    const { id } = await makeWebhook(service, { token, to: broken })
    await makeWebhook(service, { token, to: healthy, events: ['webhook.failing'] })
    for (const hours of [0, 24]) {
      service.clock.advance(hours * hour)
      await service.call('POST', `/webhooks/${id}/test`, { token })
      await service.app.deliveries.settled()
      await service.app.deliveries.settled()
    }
    await world.sent()
    const mails = world.fresh().filter(({ headers }) => headers['subject']?.includes('Chain'))
    expect(mails.flatMap(({ recipients }) => recipients)).toEqual([email])
    expect(mails[0]?.text).toContain(`https://book.example/console/developers/webhooks/${id}`)
    expect(healthy.received.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      { event: 'webhook.failing', data: { id } },
    ])
  })

  test.each(engine === 'sqlite' ? languageNames : ['de'])(
    'is emailed in the language of the business: %s',
    async (locale) => {
      await world.call('PATCH', `/businesses/${world.business.id}`, { locale })
      await after(0)
      const [mail] = (await after(24)).mails
      expect(mail?.text).toContain(languageFor(locale).say('mail.webhookFails.look'))
      expect(`${mail?.text}${mail?.html}${mail?.headers['subject']}`).not.toMatch(/\{\w+\}/)
      expect(mail?.html).toContain(`lang="${locale}"`)
      await world.call('PATCH', `/businesses/${world.business.id}`, { locale: 'en' })
    },
  )
})
