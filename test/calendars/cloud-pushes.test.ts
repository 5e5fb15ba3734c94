import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { ChannelWorker } from '../../src/calendars/calendar-channels.ts'
import { DisconnectionWorker } from '../../src/calendars/calendar-disconnections.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { type FailingProxy, startFailingProxy } from '../support/calendar-world.ts'
import { cloudSettings, type CloudWorld, makeCloudWorld } from '../support/cloud-world.ts'
import { eventually } from '../support/eventually.ts'
import { type GoogleServer, startGoogle } from '../support/google-server.ts'
import { type MicrosoftServer, startMicrosoft } from '../support/microsoft-server.ts'
import { bodyOf } from '../support/oauth-server.ts'
import type { Reply, TestService } from '../support/test-service.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService } from '../support/test-service.ts'

const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
const span = (hour: string) => [`DTSTART:${day}T${hour}0000Z`, 'DURATION:PT1H']

onOneEngine('sqlite', 'reports of providers', (engine) => {
  describe.each(['google', 'microsoft'] as const)('%s, as a stand-in', (kind) => {
    let service: TestService
    let google: GoogleServer
    let microsoft: MicrosoftServer
    let proxy: FailingProxy
    let reader: CalendarReader
    let writer: CalendarWriter
    let channels: ChannelWorker
    let disconnections: DisconnectionWorker
    const cloud = () => (kind === 'google' ? google : microsoft)
    beforeAll(async () => {
      ;[google, microsoft] = await Promise.all([startGoogle(), startMicrosoft()])
      proxy = await startFailingProxy(cloud().url)
      const settings = { PUBLIC_URL: 'https://book.example', ...cloudSettings(kind, proxy) }
      service = await startTestService(engine, settings)
      cloud().nowMs = () => service.clock.nowMs()
      reader = openReader(service.context, '0')
      writer = new CalendarWriter(service.context, reader)
      channels = new ChannelWorker(service.context, reader)
      disconnections = new DisconnectionWorker(service.context, reader)
      const { channels: own, calendarWrites, disconnections: others } = service.app
      await Promise.all([own.stop(), calendarWrites.stop(), others.stop()])
      microsoft.validates = async (url) => {
        const { pathname } = new URL(url)
        const token = 'a b&<c>'
        const path = `/${pathname}?validationToken=${encodeURIComponent(token)}`
        const { status, body, headers } = await service.call('POST', path, { rawBody: '' })
        return status === 200 && body === token && (headers['content-type'] ?? '').startsWith('text/plain')
      }
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), google.stop(), microsoft.stop()])
    })

    let world: CloudWorld
    let account: string
    beforeEach(async () => {
      proxy.answer = undefined
      proxy.loses = () => false
      world = await makeCloudWorld(service, { kind, cloud: cloud(), proxy, reader, writer })
      account = await world.connect()
      await channels.settled()
      await world.read()
    })

    const row = async () =>
      (await service.rows('busy_calendars')).find((one) => one['business_id'] === world.business.id) ?? {}
    const channelId = async () => String((await row())['channel_id'])
    const secondsUntil = (at: unknown) => (Date.parse(String(at)) - service.clock.nowMs()) / 1000
    const opened = () => (kind === 'google' ? google.channels : microsoft.subscriptions).length
    const tokenOf = (id: string) =>
      (kind === 'google'
        ? google.channels.find((one) => one.id === id)?.token
        : microsoft.subscriptions.find((one) => one.notificationUrl.endsWith(id))?.clientState) ?? ''

    /** Reports a change as the provider does. */
    async function report({
      id,
      token,
      event,
    }: { id?: string; token?: string; event?: string } = {}): Promise<Reply> {
      const channel = id ?? (await channelId())
      const proof = token ?? tokenOf(channel)
      if (kind === 'google')
        return service.call('POST', '//calendar-pushes/google', {
          rawBody: '',
          headers: {
            'x-goog-channel-id': channel,
            'x-goog-channel-token': proof,
            ...{ 'x-goog-resource-state': 'exists', 'x-goog-message-number': '2' },
          },
        })
      const one = { subscriptionId: 'a', clientState: proof, ...(event && { lifecycleEvent: event }) }
      return service.call('POST', `//calendar-pushes/microsoft/${channel}`, {
        rawBody: JSON.stringify({ value: [one, one, one] }),
        headers: { 'content-type': 'application/json' },
      })
    }
    const busySoon = (expected: string[]) =>
      eventually(`busy at ${expected.join()}`, async () => {
        const busy = await world.busy()
        return JSON.stringify(busy) === JSON.stringify(expected) ? busy : undefined
      })

    test('make a calendar read at once, also when they come twice', async () => {
      expect(secondsUntil((await row())['next_fetch_at'])).toBe(300)
      await world.put(world.work, 'dentist', ...span('10'))
      for (let times = 0; times < 3; times += 1) expect(await report()).toMatchObject({ status: 204 })
      await busySoon(['10:00'])
      await world.remove(world.work, 'dentist')
      await report()
      await busySoon([])
    })

    test('false, unknown and broken ones get the same answer and do nothing', async () => {
      const before = await row()
      const id = await channelId()
      const another = id.replace(/^./, (first) => (first === '0' ? '1' : '0'))
      const bodies = ['', 'x', '{}', '[]', '{"value":[1]}', '{"value":{}}', '['.repeat(10_000)]
      const answers = [
        await report({ token: 'false' }),
        await report({ token: '' }),
        await report({ id: another, token: tokenOf(id) }),
        await report({ id: '00000000-0000-4000-8000-000000000000', token: tokenOf(id) }),
        ...(await Promise.all(
          bodies.map((rawBody) =>
            service.call('POST', `//calendar-pushes/${kind}${kind === 'google' ? '' : `/${id}`}`, {
              rawBody,
            }),
          ),
        )),
      ]
      for (const { status, body } of answers) expect([status, body]).toEqual([204, undefined])
      expect(await row()).toEqual(before)
      const large = 'x'.repeat(256 * 1024 + 1)
      const path = `//calendar-pushes/${kind}${kind === 'google' ? '' : `/${id}`}`
      expect((await service.call('POST', path, { rawBody: large })).status).toBe(413)
    })

    test('wait for the end of a reading, so that a calendar is read by one at a time', async () => {
      let present = 0
      let most = 0
      const going: (() => void)[] = []
      proxy.answer = (request, response) => {
        present += 1
        most = Math.max(most, present)
        going.push(() => {
          present -= 1
          response.writeHead(500).end()
        })
        request.resume()
      }
      await report()
      await eventually('a reading', () => Promise.resolve(going.length > 0 || undefined))
      for (let times = 0; times < 3; times += 1) await report()
      expect((await row())['pushed_at']).not.toBeNull()
      expect(most).toBe(1)
      await world.put(world.work, 'dentist', ...span('12'))
      proxy.answer = undefined
      for (const end of going) end()
      await eventually('the end of the reading', async () =>
        (await row())['reading_until'] === null ? true : undefined,
      )
      // the failed reading keeps its pause
      expect((await row())['last_error']).toBe('status_500')
      expect(await world.busy()).toEqual([])
      await world.read()
      expect(await world.busy()).toEqual(['12:00'])
    })

    test('that come during a reading cause another one', async () => {
      await report() // from now on, the server has an access token
      await world.put(world.work, 'dentist', ...span('10'))
      await report()
      await busySoon(['10:00'])
      await world.put(world.work, 'early', ...span('08'))
      let begun = false
      proxy.answer = (request, response) => {
        if (begun) return
        begun = true
        proxy.answer = undefined
        void (async () => {
          // the server answers with what it had before the change
          const { method, url, headers } = request
          const answer = await fetch(new URL(url ?? '', cloud().url), {
            ...{ method: method ?? 'GET', headers: { authorization: String(headers.authorization) } },
          })
          const text = (await answer.text()).replaceAll(`${cloud().url}/`, proxy.url)
          await world.put(world.work, 'late', ...span('15'))
          await report()
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
          await once(response, 'close')
        })()
      }
      await report()
      await busySoon(['08:00', '10:00', '15:00'])
    })

    test('come through channels that are renewed before their end', async () => {
      const first = await channelId()
      const { channel_until: until, channel_due_at: due } = await row()
      const days = kind === 'google' ? 7 : 4_200 / 1_440
      expect(secondsUntil(until)).toBe(days * 86_400)
      expect(secondsUntil(due)).toBeCloseTo((days * 86_400 * 2) / 3, 0)
      const before = opened()
      service.clock.advance((days * 86_400 * 2) / 3 + 1)
      await channels.settled()
      const { channel_until: later } = await row()
      expect(secondsUntil(later)).toBe(days * 86_400)
      if (kind === 'google') {
        expect(await channelId()).not.toBe(first)
        expect(google.channels.find(({ id }) => id === first)).toMatchObject({ isStopped: true })
      } else {
        expect(await channelId()).toBe(first)
        expect(opened()).toBe(before)
      }
      await world.read()
      // a late report of the first channel
      expect((await report({ id: first })).status).toBe(204)
      await world.put(world.work, 'dentist', ...span('10'))
      await report()
      await busySoon(['10:00'])
    })

    test('a channel that cannot be opened is tried again, while the calendar is polled', async () => {
      service.clock.advance(6 * 86_400)
      cloud().refuses = ({ url }) =>
        /watch|subscriptions/.test(url.pathname) ? { status: 403, body: {} } : undefined
      await channels.settled()
      const failed = await row()
      expect(failed['channel_failures']).toBe(1)
      expect(secondsUntil(failed['channel_due_at'])).toBe(60)
      cloud().refuses = undefined
      await world.read()
      service.clock.advance(61)
      await channels.settled()
      expect((await row())['channel_failures']).toBe(0)
    })

    const disconnect = async (id = account) => {
      const token = world.business.key
      expect((await service.call('DELETE', `/calendar-accounts/${id}`, { token })).status).toBe(204)
    }
    /** Returns true if the provider still reports changes of a channel. */
    const isOpen = (id: string) =>
      kind === 'google'
        ? google.channels.some((one) => one.id === id && !one.isStopped)
        : microsoft.subscriptions.some((one) => one.notificationUrl.endsWith(id))
    const isGranted = () => cloud().oauth.isGranted(world.user)
    const left = async () =>
      (await service.rows('calendar_disconnections')).filter((one) => one['account_id'] === account)

    test('end with the account, and so does the access if the provider can end it', async () => {
      const id = await channelId()
      await disconnect()
      expect([isOpen(id), isGranted()]).toEqual([true, true])
      await disconnections.settled()
      expect([isOpen(id), isGranted()]).toEqual([false, kind === 'microsoft'])
      expect(await left()).toEqual([])
      expect((await report({ id })).status).toBe(204)
    })

    test('end with a calendar that is no longer read, and the account stays', async () => {
      const id = await channelId()
      await world.change(account, { keeps_busy: [world.home], writes_to: null })
      await channels.settled()
      const other = await channelId()
      await disconnections.settled()
      expect([isOpen(id), isOpen(other), isGranted()]).toEqual([false, true, true])
      await world.read()
      expect((await row())['last_error']).toBeNull()
    })

    test('end once a provider that fails or loses its answers takes it', async () => {
      const id = await channelId()
      await disconnect()
      proxy.answer = (_request, response) => response.writeHead(503, { 'retry-after': '600' }).end()
      await disconnections.settled()
      const [failed] = await left()
      expect(failed).toMatchObject({ failures: 1 })
      expect(secondsUntil(failed?.['next_attempt_at'])).toBe(600)
      proxy.answer = undefined
      proxy.loses = () => true
      service.clock.advance(601)
      await disconnections.settled()
      expect(await left()).toHaveLength(1)
      for (let attempt = 0; attempt < 2; attempt += 1) {
        proxy.loses = ({ url }) => attempt === 0 && (url ?? '').endsWith('/revoke')
        service.clock.advance(6 * 3_600)
        await disconnections.settled()
      }
      expect([isOpen(id), isGranted()]).toEqual([false, kind === 'microsoft'])
      expect(await left()).toEqual([])
    })

    test('are forgotten with the credential after a week', async () => {
      await disconnect()
      proxy.answer = (_request, response) => response.writeHead(500).end()
      for (let hours = 0; hours < 7 * 24; hours += 8) {
        await disconnections.settled()
        expect(await left()).toHaveLength(1)
        service.clock.advance(8 * 3_600)
      }
      await disconnections.settled()
      expect(await left()).toEqual([])
      expect(JSON.stringify(service.logLines)).not.toContain('refresh-')
    })

    test('end without further requests if the person has ended the access', async () => {
      await disconnect()
      cloud().oauth.revoke(world.user)
      cloud().oauth.expire()
      await disconnections.settled()
      expect(await left()).toEqual([])
    })

    test('of an account that is connected again stay, and so does the access that a colleague shares', async () => {
      const first = await channelId()
      await disconnect()
      const again = await world.connect()
      await channels.settled()
      const second = await channelId()
      await disconnections.settled()
      expect([isOpen(first), isOpen(second), isGranted()]).toEqual([false, true, true])
      await disconnect(again)
      await disconnections.settled()
      expect([isOpen(second), isGranted()]).toEqual([false, kind === 'microsoft'])
    })

    test('of a calendar that is disconnected while its channel is opened end', async () => {
      const open = () =>
        kind === 'google' ? google.channels.filter((one) => !one.isStopped) : microsoft.subscriptions
      await world.change(account, { keeps_busy: [world.home], writes_to: null })
      await disconnections.settled()
      const before = open().length
      proxy.answer = (request, response) => {
        proxy.answer = undefined
        void (async () => {
          await world.change(account, { keeps_busy: [world.work] })
          const { method = 'POST', url = '', headers } = request
          const answer = await fetch(new URL(url, cloud().url), {
            ...{ method, body: await bodyOf(request) },
            headers: { authorization: String(headers.authorization), 'content-type': 'application/json' },
          })
          response.writeHead(answer.status).end(await answer.text())
        })()
      }
      await channels.settled()
      await disconnections.settled()
      expect(await channelId()).not.toBe('null')
      expect(open()).toHaveLength(before + 1)
    })

    test.runIf(kind === 'microsoft')(
      'about the subscription renew it, replace it, or read everything',
      async () => {
        const id = await channelId()
        const subscription = () => microsoft.subscriptions.find((one) => one.notificationUrl.endsWith(id))
        await report({ event: 'reauthorizationRequired' })
        await channels.settled()
        expect(subscription()).toMatchObject({ renewals: 1 })
        microsoft.subscriptions.splice(0)
        await report({ event: 'subscriptionRemoved', token: await clientState(id) })
        await channels.settled()
        expect(await channelId()).not.toBe(id)
        expect(microsoft.subscriptions).toHaveLength(1)
        await eventually('a reading', async () => ((await row())['pushed_at'] === null ? true : undefined))
        cloud().requests.length = 0
        await report({ event: 'missed' })
        await eventually('a whole reading', () =>
          Promise.resolve(cloud().requests.some((one) => one.endsWith('/calendarView')) || undefined),
        )
      },
    )
    const clientState = async (id: string) => (await service.context.secret.digester('calendar channels'))(id)
  })

  test('false ones are limited for each address', async () => {
    const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '0.01' })
    const send = (remoteAddress: string, path: string) =>
      service.call('POST', `//calendar-pushes/${path}`, { rawBody: '', remoteAddress })
    const statuses: number[] = []
    for (let number = 0; number < 4; number += 1) {
      statuses.push((await send('192.0.2.1', 'google')).status)
      statuses.push((await send('192.0.2.1', 'microsoft/a?validationToken=a')).status)
    }
    expect(statuses).toEqual([204, 200, 204, 200, 204, 200, 429, 429])
    expect((await send('192.0.2.2', 'google')).status).toBe(204)
    await service.stop()
  })
})
