import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileReading, FileToRead } from '../../src/calendars/busy-times.ts'
import { CalendarReader } from '../../src/calendars/busy-file.ts'
import { heapBytes } from '../support/heap.ts'
import { isWhole, rounds, tellProgress } from '../support/long.ts'
import { type Random, randomFrom, seeds } from '../support/random.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { calendar, files, rules } from './calendar-files.ts'
import type { Answered } from './reading-worker.ts'

const filesPerRun = rounds(200, 20_000)
/** Files between measurements of the worker's memory. */
const everyMeasured = 200
/** The engine keeps compiled code, and the latest input. */
const maxGrownBytes = 30_000_000
/** Allowed growth of the whole process over the second half, including all ended workers. */
const maxProcessGrownBytes = 100_000_000
/** Files between full fetches of the same file, with a separate worker. */
const everyFetched = isWhole ? 200 : 60
/** As in the reader (busy-file.ts). */
const readMs = 2_000
const chosenSeeds = isWhole && !process.env['HOLDFAST_TEST_SEED'] ? [Date.now() % 1_000_000] : seeds(1)

const span = {
  ...{ fromMs: Date.parse('2026-10-01T00:00:00Z'), toMs: Date.parse('2027-11-01T00:00:00Z') },
  timezone: 'Europe/Berlin',
}
const problems = [
  ...['not_a_calendar', 'nested_too_deeply', 'date_not_valid', 'zone_not_known', 'rule_too_fine'],
  ...['too_many_times', 'too_slow', 'cut_off', 'line_not_valid', 'rule_not_valid'],
]

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'W. Europe Standard Time',
  'Moon',
  '/x.org/Asia/Tokyo',
  '',
]
const strange = [
  '',
  ':',
  ';',
  '\u0000',
  '\ud800',
  '🦊',
  '-1',
  '99999999999',
  'T',
  'P',
  '20270230',
  '00000000',
  'Z',
]
const lines = Object.values(files).flatMap(({ text }) => text.split('\r\n'))

/** Creates valid calendars, most of which then get a fault. */
class CalendarGenerator {
  private readonly random: Random

  constructor(random: Random) {
    this.random = random
  }

  next(): string {
    const { random } = this
    const known = random.of(Object.values(files)).text
    const text = random.chance(0.3) ? known : calendar(...this.some(4, () => this.event()))
    return random.chance(0.6) ? this.damaged(text) : text
  }

  private event(): string {
    const { random } = this
    const component = random.chance(0.95) ? 'VEVENT' : random.of(['VTODO', 'VTIMEZONE', 'VCALENDAR', 'X'])
    const parts = [
      ...(random.chance(0.9) ? [`UID:${random.below(3)}`] : []),
      ...(random.chance(0.95) ? [this.timed('DTSTART')] : []),
      ...(random.chance(0.5) ? [this.timed('DTEND')] : [`DURATION:${this.duration()}`]),
      ...(random.chance(0.5) ? [`RRULE:${this.rule()}`] : []),
      ...(random.chance(0.3) ? this.some(5, () => this.timed(random.of(['EXDATE', 'RDATE']))) : []),
      ...(random.chance(0.2)
        ? [this.timed(random.of(['RECURRENCE-ID', 'RECURRENCE-ID;RANGE=THISANDFUTURE']))]
        : []),
      ...(random.chance(0.2) ? [random.of(['TRANSP:TRANSPARENT', 'STATUS:CANCELLED', 'X-A;B="c:d":e'])] : []),
    ]
    return [`BEGIN:${component}`, ...parts, `END:${component}`].join('\n')
  }

  private timed(name: string): string {
    const { random } = this
    const two = (number: number) => String(number).padStart(2, '0')
    const day = `${random.of([1601, 1970, 2024, 2026, 2026, 2027, 9999])}${two(1 + random.below(12))}${two(1 + random.below(31))}`
    if (random.chance(0.2)) return `${name};VALUE=DATE:${day}`
    const time = `${day}T${two(random.below(25))}${two(random.below(60))}00`
    return random.chance(0.4)
      ? `${name};TZID=${random.of(zones)}:${time}`
      : `${name}:${time}${random.of(['Z', ''])}`
  }

  private duration(): string {
    return this.random.of(['PT1H', 'PT30M', 'P1D', 'P1W', 'PT0S', '-PT1H', 'P9999W', 'PT', 'X'])
  }

  private rule(): string {
    const { random } = this
    if (random.chance(0.4)) return random.of(Object.keys(rules))
    const frequency = random.of([
      'DAILY',
      'WEEKLY',
      'MONTHLY',
      'YEARLY',
      'YEARLY',
      'HOURLY',
      'SECONDLY',
      'NEVER',
    ])
    const parts = this.some(3, () =>
      random.of([
        ...[
          'INTERVAL=2',
          'INTERVAL=0',
          'INTERVAL=-1',
          'INTERVAL=999999',
          'COUNT=5',
          'COUNT=0',
          'COUNT=-3',
          'COUNT=1e9',
        ],
        ...[
          'UNTIL=20270101',
          'UNTIL=20261231T000000Z',
          'UNTIL=x',
          'BYDAY=MO,TU',
          'BYDAY=20MO',
          'BYDAY=-1SU',
          'BYDAY=99XX',
        ],
        ...[
          'BYMONTH=2',
          'BYMONTH=13',
          'BYMONTHDAY=29',
          'BYMONTHDAY=-1',
          'BYMONTHDAY=31',
          'BYSETPOS=-1',
          'BYSETPOS=500',
        ],
        ...[
          'BYWEEKNO=20',
          'BYWEEKNO=53',
          'BYWEEKNO=-1',
          'BYWEEKNO=99',
          'BYYEARDAY=366',
          'BYHOUR=8,9',
          'BYMINUTE=0,30',
          'WKST=SU',
          '=',
        ],
      ]),
    )
    const rule = [`FREQ=${frequency}`, ...parts].join(';')
    // the library may search for these forever, which is cut off after seconds; rare, because other tests cover it
    const isEndless = /FREQ=(?!YEARLY|MONTHLY).*(BYMONTHDAY=-1|BYWEEKNO)|BYMONTH=2;.*BYMONTHDAY=31/.test(rule)
    return isEndless && !random.chance(0.003) ? `FREQ=${frequency}` : rule
  }

  private damaged(text: string): string {
    const { random } = this
    let changed = text.split('\r\n')
    for (let count = random.below(4); count >= 0; count -= 1) {
      const at = random.below(changed.length)
      const line = changed[at] ?? ''
      const place = random.below(line.length + 1)
      const insertion =
        line.slice(0, place) + random.of(strange) + line.slice(random.chance(0.5) ? place : place + 3)
      const kind = random.below(6)
      if (kind === 0) changed = changed.toSpliced(at, 1)
      else if (kind === 1) changed = changed.toSpliced(at, 0, random.of(lines))
      else if (kind === 2)
        changed = changed.toSpliced(at, 0, ...Array.from({ length: random.below(60) }, () => line))
      else if (kind === 3) changed = changed.slice(0, at + 1)
      else changed = changed.toSpliced(at, 1, insertion)
    }
    return changed.join(random.of(['\r\n', '\r\n', '\n', '\r\n ']))
  }

  private some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.random.below(most) }, make)
  }
}

/** Reads files in one worker. A file that takes too long ends it, as in the reader. */
class ReadingWorker {
  private worker: Worker | undefined
  /** Number of workers: one more for each ended one. */
  starts = 0

  async read(file: FileToRead): Promise<FileReading | { problem: 'too_slow' }> {
    const answer = await this.ask(file)
    if (!answer || 'heapBytes' in answer) return { problem: 'too_slow' }
    return answer
  }

  async heapBytes(): Promise<number> {
    const answer = await this.ask('heap')
    return answer && 'heapBytes' in answer ? answer.heapBytes : NaN
  }

  async end(): Promise<void> {
    await this.worker?.terminate()
    this.worker = undefined
  }

  private async ask(message: FileToRead | 'heap'): Promise<Answered | undefined> {
    if (!this.worker) {
      this.worker = new Worker(new URL('./reading-worker.ts', import.meta.url))
      this.starts += 1
      await once(this.worker, 'online')
    }
    const { worker } = this
    const ended = AbortSignal.timeout(readMs)
    worker.postMessage(message)
    try {
      const [answer] = (await once(worker, 'message', { signal: ended })) as [Answered]
      return answer
    } catch (error) {
      if (!ended.aborted) throw error
      await this.end()
      return undefined
    }
  }
}

/** The growth of a worker's heap since its first measurement, while no slow file ends it. */
class HeapGrowth {
  private readonly worker: ReadingWorker
  private start = 0
  private first = NaN
  private read = 0
  mostGrown = -Infinity
  /** The most files that one worker has read between two measurements. */
  mostRead = 0

  constructor(worker: ReadingWorker) {
    this.worker = worker
  }

  async measure(): Promise<void> {
    const bytes = await this.worker.heapBytes()
    if (this.start === this.worker.starts) {
      this.read += everyMeasured
      this.mostRead = Math.max(this.mostRead, this.read)
      this.mostGrown = Math.max(this.mostGrown, bytes - this.first)
      return
    }
    this.start = this.worker.starts
    this.first = bytes
    this.read = 0
  }
}

/** Returns the memory of this process after a garbage collection, without the worker: the remains of ended workers. */
async function processBytes(): Promise<number> {
  await worker.end()
  heapBytes()
  return process.memoryUsage.rss()
}

let receiver: Receiver
let reader: CalendarReader
const worker = new ReadingWorker()
beforeAll(async () => {
  receiver = await startReceiver()
  reader = new CalendarReader({ version: '0', isUnguarded: true, allowsHttp: true, allowedRanges: [] })
})
afterAll(async () => {
  await Promise.all([worker.end(), reader.close()])
  await receiver.stop()
})

test.each(chosenSeeds)(
  `${filesPerRun} generated calendars are read or refused, without a hang and without growth, with seed %i`,
  { timeout: isWhole ? 3_600_000 : 120_000 },
  async (seed) => {
    const generator = new CalendarGenerator(randomFrom(seed))
    const tell = tellProgress('generated calendars', filesPerRun)
    const seen = new Map<string, number>()
    const heap = new HeapGrowth(worker)
    let processBytesAtHalf = NaN
    let cut = 0
    for (let count = 0; count < filesPerRun; count += 1) {
      const text = generator.next()
      const reading = await worker.read({ text, ...span })
      const outcome = 'times' in reading ? 'read' : reading.problem
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
      if ('times' in reading) expectTimes(reading.times, text)
      else expect(problems, text).toContain(reading.problem)
      if (count % everyFetched === 0 && outcome !== 'too_slow') {
        receiver.answer = (response) => response.writeHead(200).end(text)
        const known = undefined
        const fetched = await reader.read(`${receiver.address}/a.ics`, { ...span, known })
        // a new worker starts cold, so much other work may cause a time-out
        const isCut = fetched && 'problem' in fetched && fetched.problem === 'too_slow'
        if (isCut) cut += 1
        else expect(fetched, text).toMatchObject(reading)
      }
      if (count % everyMeasured === everyMeasured - 1) await heap.measure()
      if (count === Math.floor(filesPerRun / 2)) processBytesAtHalf = await processBytes()
      tell(count)
    }
    const processGrown = (await processBytes()) - processBytesAtHalf
    if (isWhole) {
      const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
      console.log(
        `calendars: ${JSON.stringify(Object.fromEntries(seen))}, ${worker.starts} workers; one grew by ${megabytes(heap.mostGrown)} over ${heap.mostRead} files, the process by ${megabytes(processGrown)} in the second half; ${cut} fetches were cut`,
      )
    }
    expect(cut).toBeLessThan(filesPerRun / everyFetched / 2)
    // a busy machine ends workers, too: in a short run perhaps each before its second measurement
    if (isWhole) expect(heap.mostRead).toBeGreaterThanOrEqual(everyMeasured)
    expect(heap.mostGrown).toBeLessThan(maxGrownBytes)
    expect(processGrown).toBeLessThan(maxProcessGrownBytes)
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['read', 'not_a_calendar', 'date_not_valid', 'zone_not_known', 'rule_too_fine']),
    )
  },
)

function expectTimes(times: readonly (readonly [number, number, string | null])[], text: string): void {
  expect(times.length, text).toBeLessThanOrEqual(5_000)
  const wrong = times.filter(
    ([from, to]) => !(Number.isSafeInteger(from) && from < to && to > span.fromMs && from < span.toMs),
  )
  expect(wrong, text).toEqual([])
}
