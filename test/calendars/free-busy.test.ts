import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { type FailingProxy, makeCalendarWorld, startFailingProxy } from '../support/calendar-world.ts'
import { isWhole, onOneEngine, rounds, tellProgress } from '../support/long.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { type Radicale, radicaleProgram, startRadicale } from '../support/radicale.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { calendar, event } from './calendar-files.ts'

/*
 * Accounts full of random events, single and recurring, in several zones, over more than a year. So there are at least two
 * clock changes. Busy times agree at every instant with those that Radicale's own code finds.
 */

const program = radicaleProgram()
const accounts = rounds(1, 100)
const eventsOfAccount = isWhole ? 500 : 100
const dayMs = 86_400_000
const begin = Date.parse(new Date().toISOString().slice(0, 10))

const zone = (name: string, standard: string[], daylight: string[]) => `BEGIN:VTIMEZONE
  TZID:${name}
  BEGIN:STANDARD
  DTSTART:${standard[0]}
  TZOFFSETFROM:${standard[1]}
  TZOFFSETTO:${standard[2]}
  RRULE:FREQ=YEARLY;${standard[3]}
  END:STANDARD
  BEGIN:DAYLIGHT
  DTSTART:${daylight[0]}
  TZOFFSETFROM:${standard[2]}
  TZOFFSETTO:${standard[1]}
  RRULE:FREQ=YEARLY;${daylight[1]}
  END:DAYLIGHT
  END:VTIMEZONE`
const zones = [
  zone(
    'Europe/Berlin',
    ['20001029T030000', '+0200', '+0100', 'BYDAY=-1SU;BYMONTH=10'],
    ['20000326T020000', 'BYDAY=-1SU;BYMONTH=3'],
  ),
  zone(
    'America/New_York',
    ['20071104T020000', '-0400', '-0500', 'BYDAY=1SU;BYMONTH=11'],
    ['20070311T020000', 'BYDAY=2SU;BYMONTH=3'],
  ),
]
const names = ['Europe/Berlin', 'America/New_York']
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const two = (number: number) => String(number).padStart(2, '0')

/** Returns one random event, with a moved occurrence if it has one. */
function someEvent(random: Random, index: number): string[] {
  const isUtc = random.chance(0.2)
  const place = isUtc ? '' : `;TZID=${random.of(names)}`
  const at = (day: number, hour: number, minute: number) =>
    `${new Date(begin + day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}T${two(hour)}${two(minute)}00${isUtc ? 'Z' : ''}`
  const [day, hour, minute] = [random.below(380) - 20, 5 + random.below(14), random.of([0, 15, 30, 45])]
  const length = `DURATION:PT${random.of([15, 30, 45, 60, 90, 120])}M`
  const start = `DTSTART${place}:${at(day, hour, minute)}`
  const uid = `UID:${index}`
  const more = random.chance(0.1) ? [random.of(['TRANSP:TRANSPARENT', 'STATUS:CANCELLED'])] : []
  if (random.chance(0.05)) {
    const date = at(day, 0, 0).slice(0, 8)
    return [event(uid, `DTSTART;VALUE=DATE:${date}`, ...more)]
  }
  if (random.chance(0.7)) return [event(uid, start, length, ...more)]
  // a rule that its start does not follow has no defined meaning
  const date = new Date(begin + day * dayMs)
  const weekday = weekdays[date.getUTCDay()] ?? ''
  const ofMonth = Math.min(date.getUTCDate(), 28)
  const isLate = date.getUTCDate() > 28
  const rule = random.of([
    `FREQ=DAILY;COUNT=${2 + random.below(12)}`,
    `FREQ=DAILY;INTERVAL=${2 + random.below(3)};COUNT=10`,
    `FREQ=WEEKLY;COUNT=${2 + random.below(20)}`,
    `FREQ=WEEKLY;INTERVAL=2;BYDAY=${weekday},${random.of(weekdays)};COUNT=12`,
    `FREQ=MONTHLY;BYDAY=${isLate ? 5 : Math.ceil(ofMonth / 7)}${weekday};COUNT=6`,
    isLate ? 'FREQ=DAILY;COUNT=2' : `FREQ=MONTHLY;BYMONTHDAY=${ofMonth};COUNT=8`,
    'FREQ=YEARLY',
    'FREQ=WEEKLY;INTERVAL=4',
  ])
  const isDaily = rule.startsWith('FREQ=DAILY;COUNT')
  const without = isDaily && random.chance(0.3) ? [`EXDATE${place}:${at(day + 1, hour, minute)}`] : []
  const moved =
    isDaily && without.length === 0 && random.chance(0.4)
      ? [
          event(
            ...[uid, `RECURRENCE-ID${place}:${at(day + 1, hour, minute)}`],
            ...[`DTSTART${place}:${at(day + 1, (hour + 3) % 20, minute)}`, length, ...more],
          ),
        ]
      : []
  return [event(uid, start, length, `RRULE:${rule}`, ...without, ...more), ...moved]
}

onOneEngine('sqlite', 'busy times of random calendars', (engine) => {
  describe.skipIf(program === undefined)('at a real CalDAV server', () => {
    let service: TestService
    let radicale: Radicale
    let proxy: FailingProxy
    let reader: CalendarReader
    beforeAll(async () => {
      service = await startTestService(engine, { LOG_LEVEL: 'error' })
      radicale = await startRadicale(program ?? '')
      proxy = await startFailingProxy(radicale.url)
      reader = openReader(service.context, '0')
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), radicale.stop()])
    })

    const first = engine === 'sqlite' ? 1 : accounts + 1
    const tell = tellProgress(`busy times (${engine})`, accounts)
    for (const [index, seed] of seeds(accounts, first).entries()) {
      test(`agree with its own at every instant, with seed ${seed}`, async () => {
        const random = randomFrom(seed)
        const writer = new CalendarWriter(service.context, reader)
        const world = await makeCalendarWorld(service, { radicale, proxy, reader, writer })
        const events = Array.from({ length: eventsOfAccount }, (_, number) => someEvent(random, number))
        const { status, text } = await radicale.call(world.user, 'PUT', new URL(world.work).pathname, {
          body: calendar(...zones, ...events.flat()),
          headers: { 'content-type': 'text/calendar' },
        })
        expect([status, text.length < 1_000]).toEqual([201, true])
        // Radicale takes whole days to be those of UTC
        await service.context.db.transaction((tx) =>
          tx.db
            .updateTable('businesses')
            .set({ timezone: 'UTC' })
            .where('id', '=', world.business.id)
            .execute(),
        )
        const id = await world.connect()
        await world.change(id, { keeps_busy: [world.work] })
        await world.read()
        expect((await world.account())['last_error']).toBeNull()
        // the first and the last day are cut differently
        const span = { fromMs: begin + 2 * dayMs, toMs: begin + 390 * dayMs }
        const expected = radicale.busyTimes(world.user, 'work', span)
        const blocks = (await service.rows('blocks'))
          .filter(({ business_id }) => business_id === world.business.id)
          .map(({ starts_at, ends_at }) => [starts_at, ends_at].map((at) => Date.parse(String(at))))
          .map(([from = 0, to = 0]) => [Math.max(from, span.fromMs), Math.min(to, span.toMs)])
          .filter(([from = 0, to = 0]) => from < to)
          .toSorted(([one = 0], [other = 0]) => one - other)
        const shown = (times: number[][]) => times.map((time) => time.map((ms) => new Date(ms).toISOString()))
        expect(expected.length).toBeGreaterThan(50)
        expect(shown(blocks)).toEqual(shown(expected))
        tell(index + 1)
      })
    }
  })
})
