import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { type AccountKind, accountKinds, type AccountWorld } from '../support/account-kinds.ts'
import { type FailingProxy, startFailingProxy } from '../support/calendar-world.ts'
import { type Client, clientOf } from '../support/client.ts'
import { rounds, testIn } from '../support/long.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

/*
 * Random histories of a calendar account: both sides change, the server fails and loses answers, and results are lost.
 * In the end the calendar has exactly the bookings, and the busy times are exactly those of its other events.
 */

const brief = 3
const histories = rounds(brief, 500)
const steps = 30
/** A Tuesday some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const hours = ['08', '09', '10', '11', '12', '13', '14', '15', '16', '17']
const written = (hour: string) => `${day.replaceAll('-', '')}T${hour}0000Z`

interface History {
  service: TestService
  world: AccountWorld
  client: Client
  proxy: FailingProxy
  random: Random
  /** Loses what the server remembers of changes. */
  forget: () => void
  /** Hours of bookings by ID. */
  booked: Map<string, string>
  /** Hours of other events by name. */
  others: Map<string, string>
}

const acts: ((history: History) => Promise<unknown>)[] = [
  async ({ client, world, random, booked }) => {
    const hour = random.of(hours)
    const held = await client.hold(world.offer, `${day}T${hour}:00:00Z`)
    if (held.status !== 201) return
    const { status, body } = await client.book(String(held.body.hold_id))
    if (status === 201) booked.set(String(body.id), hour)
  },
  async ({ client, random, booked }) => {
    if (booked.size === 0) return
    const id = random.of([...booked.keys()])
    const hour = random.of(hours)
    const { status } = await client.change(id, { starts_at: `${day}T${hour}:00:00Z` })
    if (status === 200) booked.set(id, hour)
  },
  async ({ client, random, booked }) => {
    if (booked.size === 0 || random.chance(0.5)) return
    const id = random.of([...booked.keys()])
    if ((await client.cancel(id)).status === 200) booked.delete(id)
  },
  async ({ world, random, others }) => {
    const [name, hour] = [`other${random.below(4)}`, random.of(hours)]
    await world.put(world.work, name, `DTSTART:${written(hour)}`, 'DURATION:PT1H')
    others.set(name, hour)
  },
  async ({ world, random, others }) => {
    const name = `other${random.below(4)}`
    await world.remove(world.work, name)
    others.delete(name)
  },
  // somebody moves or deletes an event of Holdfast
  async ({ world, random, booked }) => {
    if (booked.size === 0) return
    const id = random.of([...booked.keys()])
    if (!(await world.events(world.work)).includes(`UID:${id}@holdfast`)) return
    if (random.chance(0.4)) await world.remove(world.work, id)
    else {
      const hour = random.of(hours)
      await world.put(world.work, id, `UID:${id}@holdfast`, `DTSTART:${written(hour)}`, 'DURATION:PT1H')
    }
  },
  ({ world }) => world.read(),
  ({ world }) => world.write(),
  ({ forget }) => Promise.resolve(forget()),
  // the server stops between a write and its result
  async ({ service, world, random }) => {
    const rows = await service.rows('calendar_writes')
    const own = rows.filter(({ business_id }) => business_id === world.business.id)
    if (own.length === 0) return
    const { account_id, booking_id, objects_json } = random.of(own) as Record<string, string>
    const planned = (JSON.parse(String(objects_json)) as object[]).map((event) => ({
      ...{ ...event, etag: '', digest: '', key: undefined, shown: undefined },
    }))
    await service.context.db.transaction((tx) =>
      tx.db
        .updateTable('calendar_writes')
        .set(({ eb }) => ({
          objects_json: JSON.stringify(planned),
          due_at: tx.now,
          changes: eb('changes', '+', 1),
        }))
        .where('account_id', '=', String(account_id))
        .where('booking_id', '=', String(booking_id))
        .execute(),
    )
  },
  ({ proxy, random }) => {
    const fails = random.of(['answers', 'loses', 'fails'])
    proxy.loses = () => fails === 'loses' && random.chance(0.3)
    proxy.answer = undefined
    if (fails === 'fails')
      proxy.answer = (_request, response) => response.writeHead(random.of([429, 500, 503])).end()
    return Promise.resolve()
  },
]

onEachEngine('random histories of calendar accounts', (engine) => {
  describe.each(accountKinds)('at %s', (_name, start) => {
    let service: TestService
    let kind: AccountKind
    let proxy: FailingProxy
    let reader: CalendarReader
    let writer: CalendarWriter
    beforeAll(async () => {
      kind = await start()
      proxy = await startFailingProxy(kind.url)
      service = await startTestService(engine, { LOG_LEVEL: 'error', ...kind.settings(proxy) })
      reader = openReader(service.context, '0')
      writer = new CalendarWriter(service.context, reader)
      await service.app.calendarWrites.stop()
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), kind.stop()])
    })

    const first = engine === 'sqlite' ? 1 : histories + 1
    for (const [index, seed] of seeds(histories, first).entries()) {
      testIn(index < brief)(`end with the same on both sides, with seed ${seed}`, async () => {
        proxy.answer = undefined
        proxy.loses = () => false
        const world = await kind.makeWorld(service, { proxy, reader, writer })
        const id = await world.connect()
        await world.change(id, { keeps_busy: [world.work], writes_to: world.work })
        const client = clientOf(service, world.business.key)
        const random = randomFrom(seed)
        const { forget } = kind
        const history: History = {
          ...{ service, world, client, proxy, random, forget, booked: new Map(), others: new Map() },
        }
        for (let taken = 0; taken < steps; taken += 1) await random.of(acts)(history)
        proxy.answer = undefined
        proxy.loses = () => false
        for (let round = 0; round < 2; round += 1) {
          await world.write()
          await world.read()
        }
        const own = new Map<string, string>()
        const starts = await world.events(world.work)
        for (const [at, line] of starts.entries()) {
          const uid = /^UID:(.*)@holdfast/.exec(line)?.[1]
          if (uid === undefined) continue
          const around = starts.slice(Math.max(0, at - 4), at + 5).join('\n')
          expect(own.has(uid), `${uid} once`).toBe(false)
          own.set(uid, around)
        }
        expect([...own.keys()].toSorted()).toEqual([...history.booked.keys()].toSorted())
        for (const hour of history.booked.values()) expect(starts).toContain(`DTSTART:${written(hour)}`)
        const expected = [...new Set(history.others.values())].map((hour) => `${hour}:00`).toSorted()
        // busy times that touch are one
        const touching = expected.filter((at) => !expected.includes(hourBefore(at)))
        expect(await world.busy()).toEqual(touching)
        expect((await world.account())['waiting']).toBe(0)
      })
    }
  })
})

function hourBefore(at: string): string {
  return `${String(Number(at.slice(0, 2)) - 1).padStart(2, '0')}:00`
}
