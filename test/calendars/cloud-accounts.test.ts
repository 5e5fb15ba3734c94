import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import type { ProviderName } from '../../src/calendars/providers.ts'
import { type FailingProxy, startFailingProxy } from '../support/calendar-world.ts'
import { bookSlot, type Client, clientOf } from '../support/client.ts'
import type { CloudAnswer, CloudServer } from '../support/cloud-server.ts'
import { cloudSettings, type CloudWorld, makeCloudWorld } from '../support/cloud-world.ts'
import { textOf } from '../support/console.ts'
import { startGoogle } from '../support/google-server.ts'
import { startMicrosoft } from '../support/microsoft-server.ts'
import { client as oauthClient } from '../support/oauth-server.ts'
import { makeStaff } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** A Tuesday some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const nextDay = new Date(Date.now() + 31 * 86_400_000).toISOString().slice(0, 10)
const written = (time: string) => `${day}T${time}:00Z`.replaceAll(/[-:]/g, '')
const from = (time: string) => `DTSTART:${written(time)}`
const span = (time: string, until: string) => [from(time), `DTEND:${written(until)}`]

const kinds: Record<ProviderName, () => Promise<CloudServer>> = {
  google: startGoogle,
  microsoft: startMicrosoft,
}

/** Events that keep nobody busy, in the form of each provider. */
const freeEvents: Record<ProviderName, Record<string, object>> = {
  google: {
    ...{ free: { transparency: 'transparent' }, gone: { status: 'cancelled' } },
    declined: { attendees: [{ self: true, responseStatus: 'declined' }] },
    home: { eventType: 'workingLocation' },
  },
  microsoft: {
    ...{ free: { showAs: 'free' }, gone: { isCancelled: true } },
    declined: { responseStatus: { response: 'declined' } },
  },
}
/** The whole of the next day. Microsoft writes midnight of any zone. */
const allDay: Record<ProviderName, object> = {
  google: { start: { date: nextDay }, end: { date: dayAfter(nextDay) } },
  microsoft: {
    isAllDay: true,
    start: { dateTime: `${nextDay}T08:00:00.0000000`, timeZone: 'UTC' },
    end: { dateTime: `${dayAfter(nextDay)}T08:00:00.0000000`, timeZone: 'UTC' },
  },
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
}

/** Refusals of the API, and the sentence for them. */
const rateOfGoogle: CloudAnswer = {
  status: 403,
  body: { error: { code: 403, errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded' }] } },
}

onOneEngine('sqlite', 'calendar accounts at providers', (engine) => {
  describe.each(Object.keys(kinds) as ProviderName[])('%s, as a stand-in', (kind) => {
    let service: TestService
    let cloud: CloudServer
    let proxy: FailingProxy
    let reader: CalendarReader
    let writer: CalendarWriter
    beforeAll(async () => {
      cloud = await kinds[kind]()
      proxy = await startFailingProxy(cloud.url)
      const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' }
      service = await startTestService(engine, { ...mail, ...cloudSettings(kind, proxy) })
      reader = openReader(service.context, '0')
      writer = new CalendarWriter(service.context, reader)
      await service.app.calendarWrites.stop() // only the tests write
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), cloud.stop()])
    })

    let world: CloudWorld
    let client: Client
    beforeEach(async () => {
      proxy.answer = undefined
      proxy.loses = () => false
      Object.assign(cloud, { refuses: undefined })
      Object.assign(cloud.oauth, { leftOut: [], rotates: false })
      world = await makeCloudWorld(service, { kind, cloud, proxy, reader, writer })
      client = clientOf(service, world.business.key)
    })

    /** Connects an account that reads and writes the calendar "Work". */
    async function connected(): Promise<string> {
      const id = await world.connect()
      const choice = { keeps_busy: [world.work], writes_to: world.work }
      expect(await world.change(id, choice)).toMatchObject({ status: 200, body: choice })
      return id
    }

    const book = async (time: string) => {
      const { id } = await bookSlot(client, world.offer, `${day}T${time}:00Z`)
      return String(id)
    }
    const ofBusiness = (row: Record<string, unknown>) => row['business_id'] === world.business.id
    const starts = async () =>
      (await world.events(world.work)).filter((line) => line.startsWith('DTSTART')).toSorted()
    const personOf = (role: 'staff' | 'front_desk' | 'manager', staffId?: string) =>
      logInNewPerson(service, {
        ...{ email: `${role}-${staffId ?? 'none'}-${world.user}`, role },
        ...{ place: { businessId: world.business.id }, ...(staffId !== undefined && { staffId }) },
      })
    const show = ({ cookie }: LoggedIn, path: string) =>
      service.call('GET', `/${path}`, { headers: { host: 'localhost', cookie } })

    test('connects with a grant, reads the chosen calendars and follows changes', async () => {
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.put(world.home, 'party', ...span('14:00', '15:00'))
      const id = await world.connect()
      await world.read()
      const account = await world.account()
      expect(account).toMatchObject({
        ...{ id, kind, user_name: world.user, waiting: 0, writes_to: null },
        ...{ keeps_busy: [world.work], last_error: null, last_write_error: null },
      })
      expect(account['calendars']).toEqual([
        { calendar: world.work, name: 'Work', writable: true },
        { calendar: world.home, name: 'Home', writable: true },
      ])
      expect(await world.busy()).toEqual(['10:00'])
      await world.put(world.work, 'dentist', ...span('12:00', '13:00'))
      await world.change(id, { keeps_busy: [world.work, world.home] })
      await world.read()
      expect(await world.busy()).toEqual(['12:00', '14:00'])
      await world.remove(world.work, 'dentist')
      await world.read()
      expect(await world.busy()).toEqual(['14:00'])
      const secrets = /refresh-|access-|secret-of-the-operator/
      const { token } = { token: world.business.key }
      expect(JSON.stringify([account, service.logLines])).not.toMatch(secrets)
      expect(JSON.stringify(await service.rows('calendar_accounts'))).not.toMatch(secrets)
      expect((await service.call('DELETE', `/calendar-accounts/${id}`, { token })).status).toBe(204)
      expect(await world.busy()).toEqual([])
    })

    test('reads a calendar that has not changed with one small request', async () => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.read()
      cloud.requests.length = 0
      await world.read()
      expect(cloud.requests).toHaveLength(1)
      expect(await world.busy()).toEqual(['10:00'])
    })

    test('reads the whole calendar when the server no longer knows the last state', async () => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.read()
      cloud.forgetTokens()
      await world.put(world.work, 'dentist', ...span('12:00', '13:00'))
      cloud.forgetTokens()
      await world.read()
      expect(await world.account()).toMatchObject({ last_error: null })
      expect(await world.busy()).toEqual(['12:00'])
    })

    test('all-day events keep busy in the zone of the business; free, declined and cancelled ones do not', async () => {
      await connected()
      const time = (startsAt: string, endsAt: string) => ({
        ...{ startsAt: `${day}T${startsAt}:00Z`, endsAt: `${day}T${endsAt}:00Z` },
      })
      for (const [name, more] of Object.entries(freeEvents[kind]))
        cloud.put(world.ids.work, name, { ...time('10:00', '11:00'), more })
      cloud.put(world.ids.work, 'holiday', { ...time('00:00', '00:00'), more: allDay[kind] })
      await world.read()
      const [block, ...more] = (await service.rows('blocks')).filter(ofBusiness)
      expect(more).toEqual([])
      // Berlin is an hour ahead in winter
      expect(new Date(String(block?.['starts_at'])).toISOString()).toBe(`${day}T23:00:00.000Z`)
      expect(new Date(String(block?.['ends_at'])).toISOString()).toBe(`${nextDay}T23:00:00.000Z`)
    })

    test('reads many pages, and refuses more times than it keeps', async () => {
      await world.connect()
      await world.read()
      cloud.pageSize = 2
      for (let hour = 8; hour < 18; hour += 2) {
        const time = (at: number) => `${String(at).padStart(2, '0')}:00`
        await world.put(world.work, `a${hour}`, ...span(time(hour), time(hour + 1)))
      }
      await world.read()
      cloud.pageSize = 2_500
      expect(await world.busy()).toEqual(['08:00', '10:00', '12:00', '14:00', '16:00'])
      cloud.pageSize = 1
      for (let number = 0; number < 60; number += 1)
        cloud.put(world.ids.work, `b${number}`, {
          startsAt: `${nextDay}T10:00:00Z`,
          endsAt: `${nextDay}T11:00:00Z`,
        })
      await world.read()
      cloud.pageSize = 2_500
      expect(await world.account()).toMatchObject({ last_error: expect.stringContaining('5,000') })
      expect(await world.busy()).toHaveLength(5)
    })

    test('refreshes an ended access token once, and stores a replaced refresh token', async () => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      cloud.oauth.rotates = true
      cloud.oauth.expire()
      const refreshed = () => cloud.oauth.refreshed.get(world.user) ?? 0
      const before = refreshed()
      await world.read()
      expect(await world.busy()).toEqual(['10:00'])
      expect(refreshed()).toBe(before + 1)
      const sealed = async () =>
        (await service.rows('calendar_accounts')).map((row) => row['credential_sealed'])
      const first = await sealed()
      cloud.oauth.expire()
      await world.remove(world.work, 'dentist')
      await world.read()
      expect(await world.busy()).toEqual([])
      expect(await sealed()).not.toEqual(first)
      expect(refreshed()).toBe(before + 2)
    })

    test('notifies the owners and the person at once of a revoked access, and keeps the last copy and the queue', async () => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.read()
      const anna = await personOf('staff', world.offer.staff_id)
      cloud.oauth.revoke(world.user)
      await book('12:00')
      await world.write()
      await world.read()
      expect(await world.account()).toMatchObject({
        ...{ waiting: 1, last_error: expect.stringContaining('no longer lets') },
        last_write_error: expect.stringContaining('no longer lets'),
      })
      const mails = (await service.rows('calendar_mails')).filter(ofBusiness)
      expect(mails.map(({ to_email }) => to_email).toSorted()).toEqual(
        [world.owner.email, anna.email].toSorted(),
      )
      expect(await world.busy()).toEqual(['10:00'])
      expect(String((await show(world.owner, '/console/bookings')).body)).toContain('no longer works')
      await world.connect()
      await world.read()
      await world.write()
      expect(await world.account()).toMatchObject({ waiting: 0, last_error: null, last_write_error: null })
      expect(await starts()).toEqual([from('10:00'), from('12:00')])
      expect(String((await show(world.owner, '/console/bookings')).body)).not.toContain('no longer works')
    })

    test.each([
      ['429', { status: 429, headers: { 'retry-after': '600' } }],
      ...(kind === 'google'
        ? [['403', { ...rateOfGoogle, headers: { 'retry-after': '600' } }] as const]
        : []),
      ['503', { status: 503, headers: { 'retry-after': '600' } }],
    ] as [string, CloudAnswer][])(
      'waits as long as a busy server asks for with %s',
      async (status, answer) => {
        await connected()
        await book('10:00')
        await world.read()
        cloud.refuses = () => answer
        await writer.settled()
        expect(await world.account()).toMatchObject({
          ...{ waiting: 1, last_write_error: expect.stringContaining(status === '403' ? '429' : status) },
        })
        await world.read()
        cloud.refuses = undefined
        const { next_fetch_at } = (await service.rows('busy_calendars')).find(ofBusiness) ?? {}
        expect(Date.parse(String(next_fetch_at)) - service.clock.nowMs()).toBe(600_000)
        service.clock.advance(500)
        await writer.settled()
        expect(await starts()).toEqual([])
        service.clock.advance(101)
        await writer.settled()
        expect(await starts()).toEqual([from('10:00')])
      },
    )

    test('pauses longer and longer for a server that fails, and one refused event stops no other', async () => {
      await connected()
      const refused = await book('10:00')
      cloud.refuses = () => ({ status: 500 })
      for (const pause of [30, 60, 120]) {
        await writer.settled()
        const { next_write_at } = (await service.rows('calendar_accounts')).find(ofBusiness) ?? {}
        expect(Date.parse(String(next_write_at)) - service.clock.nowMs()).toBe(pause * 1000)
        service.clock.advance(pause)
      }
      await book('13:00')
      cloud.refuses = ({ method, body }) =>
        method === 'POST' && JSON.stringify(body).includes(refused) ? { status: 400 } : undefined
      await world.write()
      expect(await starts()).toEqual([from('13:00')])
    })

    test('keeps the last copy when the server answers with something else', async () => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.read()
      await world.put(world.work, 'other', ...span('12:00', '13:00'))
      const bodies = ['hello', `{"value":"${'x'.repeat(5_000_001)}"}`, '['.repeat(100_000)]
      for (const body of bodies) {
        proxy.answer = (_request, response) => response.writeHead(200).end(body)
        await world.read()
        expect(await world.account()).toMatchObject({ last_error: expect.stringMatching(/read|5 MB/) })
      }
      const other = await startFailingProxy(cloud.url)
      let authorization: string | undefined
      other.answer = ({ headers }, response) => {
        ;({ authorization } = headers)
        response.writeHead(401).end()
      }
      proxy.answer = (_request, response) => response.writeHead(302, { location: other.url }).end()
      await world.read()
      await other.stop()
      expect(authorization).toBeUndefined()
      expect(await world.account()).toMatchObject({ last_error: expect.stringContaining('not allowed') })
      expect(await world.busy()).toEqual(['10:00'])
      proxy.answer = undefined
      await world.read()
      expect(await world.busy()).toEqual(['10:00', '12:00'])
    })

    test('a grant ends with its log-in, its person and its time', async () => {
      cloud.oauth.user = world.user
      const { staff_id } = world.offer
      const begin = async (person: LoggedIn) => {
        const start = await show(person, `/console/calendars/${kind}/start?staff=${staff_id}`)
        const { headers } = await fetch(String(start.headers['location']), { redirect: 'manual' })
        const back = new URL(headers.get('location') ?? '')
        return back.pathname + back.search
      }
      const other = await personOf('manager')
      const refusals = [
        await show(other, `/${await begin(world.owner)}`.slice(1)),
        await show(world.owner, `/console/calendars/${kind}?code=a&state=b`),
        await show(world.owner, `/console/calendars/${kind}?error=access_denied`),
      ]
      const late = await begin(world.owner)
      service.clock.advance(901)
      refusals.push(await show(world.owner, late))
      for (const refusal of refusals) {
        expect(refusal.status).toBe(409)
        expect(textOf(refusal)).toContain('started in another log-in')
      }
      const twice = await begin(world.owner)
      expect((await show(world.owner, twice)).status).toBe(303)
      expect(textOf(await show(world.owner, twice))).toContain('no longer lets Holdfast use')
      expect((await service.rows('calendar_accounts')).filter(ofBusiness)).toHaveLength(1)
    })
    test('says why an account is not connected', async () => {
      cloud.oauth.user = undefined
      expect(textOf(await world.grant())).toContain('The access was not granted')
      cloud.oauth.user = world.user
      cloud.oauth.leftOut = [
        ...['https://www.googleapis.com/auth/calendar.events.owned'],
        ...['https://graph.microsoft.com/Calendars.ReadWrite'],
      ]
      expect(textOf(await world.grant())).toContain('Not all permissions were granted')
      cloud.oauth.leftOut = []
      const { secret } = oauthClient
      oauthClient.secret = 'another'
      expect(textOf(await world.grant())).toContain('not set up for this provider')
      oauthClient.secret = secret
      cloud.refuses = () => ({ status: 500 })
      expect(textOf(await world.grant())).toContain('responded with 500')
      expect((await service.rows('calendar_accounts')).filter(ofBusiness)).toEqual([])
    })

    test('staff connect, see and choose their own account, and no other', async () => {
      const { staff_id: anna } = world.offer
      const [ben = ''] = await makeStaff(service, world.business.id, ['Ben'])
      cloud.oauth.user = world.user
      const id = await world.connect()
      const mine = await personOf('staff', anna)
      const his = await personOf('staff', ben)
      const desk = await personOf('front_desk')
      const path = `/console/calendars/accounts/${id}`
      for (const [person, status] of [
        [mine, 200],
        [his, 404],
        [desk, 404],
      ] as const) {
        expect((await show(person, path)).status).toBe(status)
        expect((await show(person, '/console/calendars/feeds/new')).status).toBe(404)
      }
      expect(textOf(await show(mine, '/console/calendars'))).toMatch(
        /Your calendars.*Anna.*read|Your calendars.*Anna/,
      )
      const staysAtMicrosoft = String((await show(mine, '/console/calendars')).body).includes(
        'myapps.microsoft',
      )
      expect(staysAtMicrosoft).toBe(kind === 'microsoft')
      expect(textOf(await show(his, '/console/calendars'))).toContain('No accounts yet')
      expect(textOf(await show(desk, '/console/calendars'))).toContain('belongs to no team member')
      for (const person of [his, desk]) expect((await world.grant(person, anna)).status).toBe(409)
      expect((await world.grant(mine, anna)).status).toBe(303)
      expect((await world.grant(his, ben)).status).toBe(303)
      const accounts = (await service.rows('calendar_accounts')).filter(ofBusiness)
      expect(accounts.map(({ staff_id }) => staff_id).toSorted()).toEqual([anna, ben].toSorted())
    })
  })
})
