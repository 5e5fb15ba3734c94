import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { type AccountKind, accountKinds, type AccountWorld } from '../support/account-kinds.ts'
import { fetchDue } from '../support/busy-calendars.ts'
import { type FailingProxy, startFailingProxy } from '../support/calendar-world.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* An account whose server does harm, next to an account of another business. */

/** A day some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const span = (hour: string) => [`DTSTART:${day.replaceAll('-', '')}T${hour}0000Z`, 'DURATION:PT1H']

const size = 4_999_000
const filled = (text: string) => text.repeat(Math.floor(size / text.length))
const send = (text: string | Buffer, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) => response.writeHead(207, headers).end(text)
}

/** Answers that take long or do harm. */
const poisons: Record<string, (response: ServerResponse) => unknown> = {
  'never answers': () => undefined,
  drips: (response) => {
    response.writeHead(207)
    const dripping = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(dripping))
  },
  'never ends': (response) => {
    const more = () => {
      while (!response.destroyed && response.write('<a>aaaaaaaaaaaaaaaaaaaaaaaaaaaaa</a>'));
      if (!response.destroyed) response.once('drain', more)
    }
    response.on('error', () => undefined).writeHead(207)
    more()
  },
  'unpacks to 500 MB': send(gzipSync(Buffer.alloc(500_000_000)), { 'content-encoding': 'gzip' }),
  'leads inside': (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  'has an entity bomb': send(
    `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1_000)}"><!ENTITY d "${'&b;'.repeat(1_000)}">]><a>${'&d;'.repeat(1_000)}</a>`,
  ),
  'has 5 MB of entities': send(`<a>${filled('&amp;')}</a>`),
  'has 5 MB of attributes': send(
    `<a ${Array.from({ length: 380_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
  ),
  'has 5 MB of elements': send(`<multistatus>${filled('<response/>')}</multistatus>`),
  'has 5 MB of objects': send(`{"items":[${filled('{},')}{}]}`),
  'has 5 MB of depth': send(`{"value":${filled('[')}`),
}
const lasting = new Set(['never answers', 'drips'])

onOneEngine('sqlite', 'a poisoned calendar account', (engine) => {
  describe.each(accountKinds)('at %s', (_name, start) => {
    let service: TestService
    let kind: AccountKind
    let proxy: FailingProxy
    let reader: CalendarReader
    let writer: CalendarWriter
    let poisoned: AccountWorld
    let other: AccountWorld
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
    beforeEach(async () => {
      proxy.answer = undefined
      const worlds: AccountWorld[] = []
      for (const hour of ['08', '10']) {
        const world = await kind.makeWorld(service, { proxy, reader, writer })
        const id = await world.connect()
        await world.change(id, { keeps_busy: [world.work], writes_to: world.work })
        await world.read()
        await world.put(world.work, 'dentist', ...span(hour))
        worlds.push(world)
      }
      ;[poisoned, other] = worlds as [AccountWorld, AccountWorld]
      await poisoned.read()
    })

    test.each(Object.entries(poisons))('that %s delays no other account', async (name, poison) => {
      const answers = new Set<ServerResponse>()
      const { pathname } = new URL(poisoned.work)
      proxy.answer = ({ url }, response) => {
        if (!url?.startsWith(pathname)) return false
        answers.add(response)
        poison(response)
        return true
      }
      const end = () => answers.forEach((response) => response.destroy())
      const state = { isOver: false }
      const finish = async (work: Promise<void>) => {
        const ending = setInterval(end, 20)
        await work
        clearInterval(ending)
        state.isOver = false
      }
      for (const { business } of [poisoned, other])
        await service.context.db.transaction((tx) =>
          tx.db
            .updateTable('busy_calendars')
            .set({ next_fetch_at: tx.now })
            .where('business_id', '=', business.id)
            .execute(),
        )
      const cpu = process.threadCpuUsage()
      const reading = fetchDue(service.context, reader).finally(() => (state.isOver = true))
      await eventually('the other reading', async () =>
        (await other.busy()).includes('10:00') ? true : undefined,
      )
      expect(state.isOver && lasting.has(name)).toBe(false)
      await finish(reading)
      expect((await poisoned.account())['last_error']).not.toBeNull()
      expect(await poisoned.busy()).toEqual(['08:00'])

      for (const { business, offer } of [poisoned, other])
        await bookSlot(clientOf(service, business.key), offer, `${day}T12:00:00Z`)
      const writing = writer.settled().finally(() => (state.isOver = true))
      await eventually('the other writing', async () =>
        (await other.events(other.work)).includes(span('12')[0] ?? '') ? true : undefined,
      )
      expect(state.isOver && lasting.has(name)).toBe(false)
      await finish(writing)
      // the loops wait for nothing; the thread that serves requests is busy for less than a second
      expect(process.threadCpuUsage(cpu).user).toBeLessThan(1_000_000)
      expect((await poisoned.account())['waiting']).toBe(1)
    })
  })
})
