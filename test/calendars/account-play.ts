import { expect } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import type { Engine } from '../../src/database/database.ts'
import { HistoryError, type Play, randomOfStep } from '../simulation/play.ts'
import { type AccountKind, type AccountWorld } from '../support/account-kinds.ts'
import { type FailingProxy, startFailingProxy } from '../support/calendar-world.ts'
import { type Client, clientOf } from '../support/client.ts'
import type { Random } from '../support/random.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

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

const acts: Record<string, (history: History) => Promise<unknown>> = {
  book: async ({ client, world, random, booked }) => {
    const hour = random.of(hours)
    const held = await client.hold(world.offer, `${day}T${hour}:00:00Z`)
    if (held.status !== 201) return
    const { status, body } = await client.book(String(held.body.hold_id))
    if (status === 201) booked.set(String(body.id), hour)
  },
  move: async ({ client, random, booked }) => {
    if (booked.size === 0) return
    const id = random.of([...booked.keys()])
    const hour = random.of(hours)
    const { status } = await client.change(id, { starts_at: `${day}T${hour}:00:00Z` })
    if (status === 200) booked.set(id, hour)
  },
  cancel: async ({ client, random, booked }) => {
    if (booked.size === 0 || random.chance(0.5)) return
    const id = random.of([...booked.keys()])
    if ((await client.cancel(id)).status === 200) booked.delete(id)
  },
  put: async ({ world, random, others }) => {
    const [name, hour] = [`other${random.below(4)}`, random.of(hours)]
    await world.put(world.work, name, `DTSTART:${written(hour)}`, 'DURATION:PT1H')
    others.set(name, hour)
  },
  remove: async ({ world, random, others }) => {
    const name = `other${random.below(4)}`
    await world.remove(world.work, name)
    others.delete(name)
  },
  // somebody moves or deletes an event of Holdfast
  meddle: async ({ world, random, booked }) => {
    if (booked.size === 0) return
    const id = random.of([...booked.keys()])
    if (!(await world.events(world.work)).includes(`UID:${id}@holdfast`)) return
    if (random.chance(0.4)) await world.remove(world.work, id)
    else {
      const hour = random.of(hours)
      await world.put(world.work, id, `UID:${id}@holdfast`, `DTSTART:${written(hour)}`, 'DURATION:PT1H')
    }
  },
  read: ({ world }) => world.read(),
  write: ({ world }) => world.write(),
  forget: ({ forget }) => Promise.resolve(forget()),
  // the server stops between a write and its result
  kill: async ({ service, world, random }) => {
    const own = await service.context.db.reads
      .selectFrom('calendar_writes')
      .select(['account_id', 'booking_id', 'objects_json'])
      .where('business_id', '=', world.business.id)
      .orderBy('booking_id')
      .execute()
    if (own.length === 0) return
    const { account_id, booking_id, objects_json } = random.of(own)
    const planned = (JSON.parse(objects_json) as object[]).map((event) => ({
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
        .where('account_id', '=', account_id)
        .where('booking_id', '=', booking_id)
        .execute(),
    )
  },
  fail: ({ proxy, random }) => {
    const fails = random.of(['answers', 'loses', 'fails'])
    proxy.loses = () => fails === 'loses' && random.chance(0.3)
    proxy.answer = undefined
    if (fails === 'fails')
      proxy.answer = (_request, response) => response.writeHead(random.of([429, 500, 503])).end()
    return Promise.resolve()
  },
}

/**
 * Random histories of a calendar account: both sides change, the server fails and loses answers, and results are lost.
 * In the end the calendar has exactly the bookings, and the busy times are exactly those of its other events.
 */
export async function startAccountPlay(engine: Engine, startKind: () => Promise<AccountKind>): Promise<Play> {
  const kind = await startKind()
  const proxy = await startFailingProxy(kind.url)
  const service = await startTestService(engine, { LOG_LEVEL: 'error', ...kind.settings(proxy) })
  const reader = openReader(service.context, '0')
  const writer = new CalendarWriter(service.context, reader)
  await service.app.calendarWrites.stop()
  const heal = () => {
    proxy.answer = undefined
    proxy.loses = () => false
  }
  const names = Object.keys(acts)
  return {
    steps: 30,
    run: async (seed, numbers) => {
      heal()
      const world = await kind.makeWorld(service, { proxy, reader, writer })
      const id = await world.connect()
      await world.change(id, { keeps_busy: [world.work], writes_to: world.work })
      const client = clientOf(service, world.business.key)
      const { forget } = kind
      const history = { service, world, client, proxy, forget, booked: new Map(), others: new Map() }
      const log: string[] = []
      try {
        for (const number of numbers) {
          const random = randomOfStep(seed, number)
          const name = random.of(names)
          log.push(name)
          await acts[name]?.({ ...history, random })
        }
        heal()
        await checkBothSides(history)
      } catch (error) {
        throw new HistoryError(log, error)
      }
      return 0
    },
    stop: async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), kind.stop()])
    },
  }
}

async function checkBothSides({ world, booked, others }: Omit<History, 'random'>): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await world.write()
    await world.read()
  }
  const own = new Set<string>()
  const starts = await world.events(world.work)
  for (const line of starts) {
    const uid = /^UID:(.*)@holdfast/.exec(line)?.[1]
    if (uid === undefined) continue
    expect(own.has(uid), `${uid} once`).toBe(false)
    own.add(uid)
  }
  expect([...own].toSorted()).toEqual([...booked.keys()].toSorted())
  for (const hour of booked.values()) expect(starts).toContain(`DTSTART:${written(hour)}`)
  const expected = [...new Set(others.values())].map((hour) => `${hour}:00`).toSorted()
  // busy times that touch are one
  const touching = expected.filter((at) => !expected.includes(hourBefore(at)))
  expect(await world.busy()).toEqual(touching)
  expect((await world.account())['waiting']).toBe(0)
}

function hourBefore(at: string): string {
  return `${String(Number(at.slice(0, 2)) - 1).padStart(2, '0')}:00`
}
