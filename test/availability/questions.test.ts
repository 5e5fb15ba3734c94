import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionClient, type Client } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  deactivate,
  makeBusiness,
  makeLocation,
  makeOffer,
  makeStaff,
  type OwnBusiness,
} from '../support/offers.ts'
import { timesOf, watcherOf, type Asked, type Watcher } from '../support/slots.ts'
import { unknownId } from '../support/tenant-things.ts'
import { startTestService, testClock, type TestService } from '../support/test-service.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
const officeHours = weekdays.map((weekday) => ({ weekday, opens: '09:00', closes: '17:00' }))
const tuesday = '2026-12-01'

onOneEngine('sqlite', 'questions about availability', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let watcher: Watcher
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service, { hubId: service.world.hub.id })
    session = await sessionClient(service, business)
    watcher = watcherOf(service, session)
  })
  afterAll(() => service.stop())

  describe('who may ask', () => {
    test('a session, a business key and a hub key see the same', async () => {
      const offer = await makeOffer(service, business.id, { weeklyHours: officeHours })
      const tokens = [session.token, business.key, service.world.hub.key]
      for (const ask of [
        (one: Watcher) => one.show(offer, tuesday),
        (one: Watcher) => one.explain(offer, `${tuesday}T09:00:00Z`),
        (one: Watcher) => one.soonest(offer),
      ]) {
        const replies = await Promise.all(tokens.map((token) => ask(watcherOf(service, { token }))))
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      }
    })

    test('nobody else', async () => {
      const offer = await makeOffer(service, business.id)
      const publishable = watcherOf(service, { token: business.publishableKey })
      for (const reply of [
        await publishable.show(offer, tuesday),
        await publishable.explain(offer, `${tuesday}T09:00:00Z`),
        await publishable.soonest(offer),
      ]) {
        expectProblem(reply, 'key_type_not_allowed', { allowed_key_types: ['session', 'business', 'hub'] })
      }
      const query = new URLSearchParams({ ...offer, from: tuesday, to: tuesday }).toString()
      expectProblem(await service.call('GET', `/availability?${query}`), 'missing_credentials')
    })

    test("a hub key asks about one business at a time: another's location is as if it were not there", async () => {
      const sister = await makeBusiness(service, { hubId: service.world.hub.id })
      const { service_id } = await makeOffer(service, business.id)
      const { location_id } = await makeOffer(service, sister.id)
      const hub = watcherOf(service, { token: service.world.hub.key })
      expectProblem(await hub.show({ service_id, location_id }, tuesday), 'not_found')
    })
  })

  describe('what is not there or not offered', () => {
    const endpoints: [string, (asked: Asked) => Promise<{ reply: Awaited<ReturnType<Watcher['show']>> }>][] =
      [
        ['', async (asked) => ({ reply: await watcher.show(asked, tuesday) })],
        ['/soonest', async (asked) => ({ reply: await watcher.soonest(asked) })],
        ['/explain', async (asked) => ({ reply: await watcher.explain(asked, `${tuesday}T09:00:00Z`) })],
      ]

    test.each(endpoints)('unknown ids and those of another business are 404: %s', async (_path, ask) => {
      const stranger = await makeBusiness(service)
      const [staffId] = await makeStaff(service, business.id, ['Kim'])
      const theirStaff = await makeStaff(service, stranger.id, ['Theirs'])
      const offer = await makeOffer(service, business.id, { staffIds: [staffId ?? ''] })
      const theirs = await makeOffer(service, stranger.id, { staffIds: theirStaff })
      for (const asked of [
        { ...offer, service_id: unknownId },
        { ...offer, location_id: unknownId },
        { ...offer, staff_id: unknownId },
        { ...offer, service_id: theirs.service_id },
        { ...offer, location_id: theirs.location_id },
        { ...offer, staff_id: theirStaff[0] },
        theirs,
      ]) {
        expectProblem((await ask(asked)).reply, 'not_found')
      }
    })

    /** Creates a service of two people, at a separate location. */
    const own = async () => {
      const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
      return { ...(await makeOffer(service, business.id, { staffIds })), staffIds }
    }
    const bare = ({ service_id, location_id }: Asked) => ({ service_id, location_id })
    const because = {
      starts_at: `${tuesday}T10:00:00+01:00`,
      offered: false,
      reason: 'not_offered_here',
    }

    test.each(endpoints)('what is inactive is not offered: %s', async (path, ask) => {
      const [gone, closed, left] = [await own(), await own(), await own()]
      const [stranger = ''] = await makeStaff(service, business.id, ['Of other services'])
      await deactivate(service, 'services', gone.service_id)
      await deactivate(service, 'locations', closed.location_id)
      await deactivate(service, 'staff', left.staffIds[0] ?? '')
      await deactivate(service, 'staff', stranger)
      for (const asked of [
        bare(gone),
        bare(closed),
        { ...bare(left), staff_id: left.staffIds[0] },
        { ...bare(left), staff_id: stranger },
      ]) {
        const { reply } = await ask(asked)
        if (path === '/explain') expect(reply.body).toEqual(because)
        else expectProblem(reply, 'slot_not_offered', { reason: 'not_offered_here', alternatives: [] })
      }
      expect((await ask(bare(left))).reply.status).toBe(200)
    })

    test.each(endpoints)(
      'what nobody gives there, or not the person asked for, is shown as never free: %s',
      async (path, ask) => {
        const offer = await own()
        const elsewhere = await makeLocation(service, business.id)
        const [stranger] = await makeStaff(service, business.id, ['Of other services'])
        const [away = ''] = await makeStaff(service, business.id, ['Away'], [elsewhere])
        const [left = ''] = await makeStaff(service, business.id, ['Left'])
        const deserted = await makeOffer(service, business.id, { staffIds: [left] })
        const distant = await makeOffer(service, business.id, { staffIds: [away] })
        const unstaffed = await makeOffer(service, business.id)
        await deactivate(service, 'staff', left)
        for (const asked of [
          { ...bare(offer), location_id: elsewhere },
          { ...bare(offer), staff_id: stranger },
          { ...bare(unstaffed), staff_id: stranger },
          { ...bare(distant), staff_id: away },
          distant,
          deserted,
        ]) {
          const { reply } = await ask(asked)
          expect(reply.status).toBe(200)
          if (path === '/explain') expect(reply.body).toEqual(because)
          else if (path === '/soonest') expect(reply.body).toBeNull()
          else {
            expect(reply.body).toEqual({
              ...bare(asked),
              timezone: 'Europe/Berlin',
              days: [{ date: tuesday, slots: [] }],
            })
          }
        }
      },
    )
  })

  describe('faults of a question', () => {
    const question = (path: string, query: Record<string, string>) =>
      service.call('GET', `/availability${path}?${new URLSearchParams(query).toString()}`, {
        token: session.token,
      })
    const ids = { service_id: unknownId, location_id: unknownId }
    const dates = { from: tuesday, to: tuesday }

    test.each<[string, string, Record<string, string>, string[]]>([
      ['nothing is given', '', {}, ['/service_id', '/location_id', '/from', '/to']],
      ['nothing is given', '/soonest', {}, ['/service_id', '/location_id']],
      ['nothing is given', '/explain', {}, ['/service_id', '/location_id', '/starts_at']],
      ['ids are none', '', { ...dates, service_id: 'x', location_id: '1' }, ['/service_id', '/location_id']],
      ['the staff member is none', '', { ...ids, ...dates, staff_id: 'anna' }, ['/staff_id']],
      ['a date is none', '', { ...ids, from: '2026-02-30', to: '2026-13-01' }, ['/from', '/to']],
      ['a date has a time', '', { ...ids, from: `${tuesday}T00:00:00Z`, to: tuesday }, ['/from']],
      ['a date is short', '', { ...ids, from: '2026-12-1', to: tuesday }, ['/from']],
      ['a year lies outside', '', { ...ids, from: '1969-12-31', to: '10000-01-01' }, ['/from', '/to']],
      ['to is before from', '', { ...ids, from: tuesday, to: '2026-11-30' }, ['/to']],
      ['there are 63 days', '', { ...ids, from: tuesday, to: '2027-02-01' }, ['/to']],
      ['a parameter is unknown', '', { ...ids, ...dates, zone: 'UTC' }, ['/zone']],
      ['dates are given', '/soonest', { ...ids, ...dates }, ['/from', '/to']],
      ['the instant has no offset', '/explain', { ...ids, starts_at: `${tuesday}T10:00:00` }, ['/starts_at']],
    ])('%s%s', async (_what, path, query, pointers) => {
      expectErrors(await question(path, query), ...pointers)
    })

    test('62 days may be asked for, at both ends of time', async () => {
      const offer = await makeOffer(service, business.id, {
        minutes: 720,
        intervalMinutes: 720,
        timezone: 'UTC',
      })
      for (const [from, to] of [
        [tuesday, '2027-01-31'],
        ['9999-10-31', '9999-12-31'],
        ['1970-01-01', '1970-03-03'],
      ] as const) {
        const reply = await watcher.show(offer, from, to)
        expect(reply).toMatchObject({ status: 200, body: { timezone: 'UTC' } })
        expect(reply.body.days).toHaveLength(62)
      }
    })

    test('at the end of time no buffer reaches into the year 10000', async () => {
      const clock = testClock()
      clock.advance((Date.UTC(9999, 10, 1) - clock.nowMs()) / 1000)
      const late = await startTestService(engine, {}, { clock })
      const own = await makeBusiness(late)
      const last = watcherOf(late, await sessionClient(late, own))
      const parts = { minutes: 720, intervalMinutes: 720, bufferAfter: 60 }
      const offer = await makeOffer(late, own.id, { ...parts, timezone: 'UTC' })
      // so the second half of the last day is not offered
      expect(timesOf(await last.on(offer, '9999-12-30'))).toEqual(['00:00', '12:00'])
      expect(timesOf(await last.on(offer, '9999-12-31'))).toEqual(['00:00'])
      expect((await last.explain(offer, '9999-12-31T12:00:00Z')).body.reason).toBe('beyond_horizon')
      const inTheEast = await makeOffer(late, own.id, { ...parts, timezone: 'Asia/Tokyo' })
      expect((await last.on(inTheEast, '9999-12-31')).map(({ ends_at }) => ends_at)).toEqual([
        '9999-12-31T12:00:00+09:00',
        '9999-12-31T15:00:00+00:00', // midnight there is in the year 10000, which RFC 3339 cannot represent
      ])
      await late.stop()
    })
  })
})
