import { expect, test } from 'vitest'
import { entryPath } from '../../src/access/entry-link.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { mailVariables, mailWorld, nextClient } from '../support/mail-world.ts'
import { makeOffer } from '../support/offers.ts'
import { sendForm } from '../support/person.ts'
import { startTestService } from '../support/test-service.ts'

const day = '2026-12-02'
const at10 = `${day}T10:00:00+01:00`
const openAt10 = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '11:00' }]
const waiting = 20

onOneEngine('postgres', 'a freed hour for which twenty clients wait', (engine) => {
  test('is sold once, and offered to one at a time, in order, by two servers', { timeout: 0 }, async () => {
    const world = await mailWorld(engine)
    const other = await startTestService(engine, mailVariables(world.server.url), { beside: world.service })
    const servers = [world.service, other]
    const visitor = async () => {
      const { body } = await world.service.call('POST', '/session', { token: world.business.publishableKey })
      return String(body.session_token)
    }
    const sweepBoth = async () => {
      world.service.clock.advance(61)
      await Promise.all(servers.map(({ app }) => app.offers.settled()))
    }
    try {
      for (let round = 0; round < rounds(3, 1_000); round += 1) {
        const offer = await makeOffer(world.service, world.business.id, {
          ...{ name: `Round ${round}`, minutes: 60, intervalMinutes: 60, weeklyHours: openAt10 },
        })
        const booking = await world.book(offer, at10)
        const ids: string[] = []
        for (let index = 0; index < waiting; index += 1) {
          const { body } = await world.call('POST', '/waitlist', {
            ...{ ...offer, from: day, to: day, client: nextClient() },
          })
          ids.push(String(body.id))
        }
        const states = async () => {
          const { body } = await world.call('GET', `/waitlist?service_id=${offer.service_id}&limit=100`)
          return (body.data as { id: string; status: string; offer: { hold_id: string } | null }[]).map(
            ({ id, status, offer: offered }) => ({ index: ids.indexOf(id), status, offered }),
          )
        }
        const offeredNow = async () => (await states()).filter(({ offered }) => offered !== null)
        await sweepBoth()
        expect(await offeredNow()).toEqual([])
        // the hour becomes free, and a visitor and both servers go for it
        await world.call('DELETE', `/bookings/${booking.id}`)
        world.service.clock.advance(61)
        const token = await visitor()
        const hold = () =>
          world.service.call('POST', '/bookings/hold', { token, body: { ...offer, starts_at: at10 } })
        const [held] = await Promise.all([hold(), ...servers.map(({ app }) => app.offers.settled())])
        const isVisitors = held.status === 201
        expect((await offeredNow()).map(({ index }) => index)).toEqual(isVisitors ? [] : [0])
        if (isVisitors) {
          await world.service.call('DELETE', `/bookings/hold/${held.body.hold_id}`, { token })
          await sweepBoth()
        }
        // each refusal leads to the next, and to nobody else
        for (let index = 0; index < 3; index += 1) {
          const [now, ...more] = await offeredNow()
          expect([now?.index, more]).toEqual([index, []])
          const path = await entryPath(world.service.context, ids[index] ?? '')
          await sendForm(world.service, `${path}/decline`, { offer: now?.offered?.hold_id ?? '' })
          await sweepBoth()
        }
        const [last] = await offeredNow()
        expect(last?.index).toBe(3)
        const path = await entryPath(world.service.context, ids[3] ?? '')
        const taps = servers.map((server) =>
          sendForm(server, `${path}/take`, { offer: last?.offered?.hold_id ?? '' }),
        )
        await Promise.all(taps)
        await sweepBoth()
        expect(await offeredNow()).toEqual([])
        expect(
          (await states()).filter(({ status }) => status === 'booked').map(({ index }) => index),
        ).toEqual([3])
        const rows = await world.service.rows('waitlist_offers')
        const own = rows.filter(({ entry_id }) => ids.includes(String(entry_id)))
        expect(own.map(({ entry_id }) => ids.indexOf(String(entry_id))).toSorted()).toEqual([0, 1, 2, 3])
        const mails = (await world.service.rows('waitlist_mails')).filter(
          ({ kind, entry_id }) => kind === 'offered' && ids.includes(String(entry_id)),
        )
        // one of an offer that was declined before it was sent is not sent at all
        expect(mails.length).toBeLessThanOrEqual(4)
        expect(new Set(mails.map(({ entry_id }) => entry_id)).size).toBe(mails.length)
        const active = (await world.service.rows('claims')).filter(
          ({ service_id, ended_at }) => service_id === offer.service_id && ended_at === null,
        )
        expect(active).toHaveLength(1)
        for (const id of ids) await world.call('DELETE', `/waitlist/${id}`)
      }
    } finally {
      await other.stop()
      await world.stop()
    }
  })
})
