import { expect, test } from 'vitest'
import { entryPath } from '../../src/access/entry-link.ts'
import { onOneEngine, rounds, tellProgress } from '../support/long.ts'
import { mailVariables, mailWorld, nextClient } from '../support/mail-world.ts'
import { makeOffer } from '../support/offers.ts'
import { sendForm } from '../support/person.ts'
import { startTestService } from '../support/test-service.ts'

const day = '2027-03-03'
const at10 = `${day}T10:00:00+01:00`
const openAt10 = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '11:00' }]
const waiting = 20
const count = rounds(4, 1_000)
const tell = tellProgress('freed hours', count)

/*
 * One hour becomes free in each round. Clients who got or declined it leave. Others join at the end of the list, so
 * that twenty always wait.
 */
onOneEngine('postgres', 'a freed hour for which twenty clients wait', (engine) => {
  test('is sold once, and offered to one at a time, in order, by two servers', { timeout: 0 }, async () => {
    const world = await mailWorld(engine)
    const { service, call } = world
    const other = await startTestService(engine, mailVariables(world.server.url), { beside: service })
    const servers = [service, other]
    const offer = await makeOffer(service, world.business.id, {
      ...{ name: 'Massage', minutes: 60, intervalMinutes: 60, weeklyHours: openAt10 },
    })
    /** Entries in the order in which they joined. */
    const line: string[] = []
    const offeredTo: string[] = []
    const join = async () => {
      const { body } = await call('POST', '/waitlist', {
        ...{ ...offer, from: day, to: day, client: nextClient() },
      })
      line.push(String(body.id))
    }
    const sweepBoth = async () => {
      service.clock.advance(31)
      await Promise.all(servers.map(({ app }) => app.offers.settled()))
    }
    const offersNow = async () => {
      const { body } = await call('GET', `/waitlist?service_id=${offer.service_id}&status=active&limit=100`)
      const entries = body.data as { id: string; offer: { hold_id: string } | null }[]
      return entries.flatMap(({ id, offer: offered }) => (offered ? [{ id, hold: offered.hold_id }] : []))
    }
    /** Checks that the first in line has the only offer, and answers it, on both servers at once for `take`. */
    const answer = async (how: 'take' | 'decline') => {
      const [first = ''] = line
      const offers = await offersNow()
      expect(offers.map(({ id }) => id)).toEqual([first])
      offeredTo.push(first)
      const path = await entryPath(service.context, first)
      const fields = { offer: offers[0]?.hold ?? '' }
      const tapped = how === 'take' ? servers : [service]
      await Promise.all(tapped.map((server) => sendForm(server, `${path}/${how}`, fields)))
      await sweepBoth()
      line.shift()
      return first
    }

    try {
      let { id: booked } = await world.book(offer, at10)
      for (let round = 0; round < count; round += 1) {
        while (line.length < waiting) await join()
        await sweepBoth()
        expect(await offersNow()).toEqual([])
        // the hour becomes free, and a visitor and both servers go for it
        await call('DELETE', `/bookings/${booked}`)
        service.clock.advance(31)
        const session = await service.call('POST', '/session', { token: world.business.publishableKey })
        const token = String(session.body.session_token)
        const [held] = await Promise.all([
          service.call('POST', '/bookings/hold', { token, body: { ...offer, starts_at: at10 } }),
          ...servers.map(({ app }) => app.offers.settled()),
        ])
        if (held.status === 201) {
          expect(await offersNow()).toEqual([])
          await service.call('DELETE', `/bookings/hold/${held.body.hold_id}`, { token })
          await sweepBoth()
        }
        // each refusal leads to the next, and to nobody else
        for (let refusal = 0; refusal < round % 4; refusal += 1) {
          const declined = await answer('decline')
          expect((await call('DELETE', `/waitlist/${declined}`)).status).toBe(204)
        }
        const taker = await answer('take')
        expect(await offersNow()).toEqual([])
        const { body } = await call('GET', `/waitlist/${taker}`)
        expect(body).toMatchObject({ status: 'booked' })
        booked = String(body['booking_id'])
        if (service.context.clock.now().slice(11) > '17') service.clock.advance(14 * 3_600) // not in the quiet hours
        tell(round + 1)
      }
      const offers = await service.rows('waitlist_offers')
      expect(offers.map(({ entry_id }) => entry_id).toSorted()).toEqual(offeredTo.toSorted())
      const mailed = (await service.rows('waitlist_mails')).filter(({ kind }) => kind === 'offered')
      // the email of an offer that was declined before it was sent is not sent at all
      expect(new Set(mailed.map(({ entry_id }) => entry_id)).size).toBe(mailed.length)
      expect(await service.rows('bookings')).toHaveLength(1 + count)
      const active = (await service.rows('claims')).filter(({ ended_at }) => ended_at === null)
      expect(active).toHaveLength(1)
    } finally {
      await other.stop()
      await world.stop()
    }
  })
})
