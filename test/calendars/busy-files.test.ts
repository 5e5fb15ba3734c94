import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CalendarReader, type Fetched } from '../../src/calendars/busy-file.ts'
import { readBusyTimes } from '../../src/calendars/busy-times.ts'
import { testIn } from '../support/long.ts'
import { type Answer, type Receiver, startReceiver, status } from '../support/receiver.ts'
import { calendar, event, files, rules } from './calendar-files.ts'
import { endless, hostile, manyExceptions, serve } from './hostile-files.ts'

let receiver: Receiver
let reader: CalendarReader
beforeAll(async () => {
  receiver = await startReceiver()
  const options = { version: '0', isUnguarded: false, allowsHttp: true, allowedRanges: ['127.0.0.1/32'] }
  reader = new CalendarReader(options)
})
afterAll(async () => {
  await reader.close()
  await receiver.stop()
})

const span = { fromMs: Date.parse('2026-10-01T00:00:00Z'), toMs: Date.parse('2027-11-01T00:00:00Z') }

async function readAnswer(answer: Answer, file: object = {}): Promise<Fetched | undefined> {
  receiver.answer = answer
  const asked = { ...span, timezone: 'Europe/Berlin', known: undefined, ...file }
  return reader.read(`${receiver.address}/anna.ics`, asked)
}

const short = (ms: number) => new Date(ms).toISOString().slice(0, 16)

async function busyIn(text: string): Promise<string[]> {
  const fetched = await readAnswer(serve(text))
  if (!fetched?.times) throw new Error(`no times: ${JSON.stringify(fetched)}`)
  return fetched.times.map(([from, to]) => `${short(from)} ${short(to)}`).toSorted()
}

for (const [name, { text, busy }] of Object.entries(files)) {
  test(`${name}: times are read as their program means them`, async () => {
    expect(await busyIn(text)).toEqual(busy)
  })
}

test('a series that is over at an UTC instant ends in its own zone', async () => {
  const series = event(
    'UID:1',
    'DTSTART;TZID=America/New_York:20261104T200000',
    'DTEND;TZID=America/New_York:20261104T210000',
    'RRULE:FREQ=DAILY;UNTIL=20261106T010000Z',
  )
  expect(await busyIn(calendar(series))).toEqual([
    '2026-11-05T01:00 2026-11-05T02:00',
    '2026-11-06T01:00 2026-11-06T02:00',
  ])
})

/** Reads like the worker, but in this process, because starting so many workers takes long. */
function startsOf(rule: string, { start, more = [] }: (typeof rules)[string]): string[] {
  const zone = 'America/New_York'
  const text = calendar(
    event('UID:1', `DTSTART;TZID=${zone}:${start}T090000`, 'DURATION:PT1H', `RRULE:${rule}`, ...more),
  )
  const years = { fromMs: Date.parse('1996-01-01'), toMs: Date.parse('2008-01-01'), timezone: zone }
  const reading = readBusyTimes({ text, ...years })
  if ('problem' in reading) throw new Error(reading.problem)
  const days = reading.times.map(([from]) => {
    const at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
    return at.hour === 9 ? at.toPlainDate().toString() : at.toPlainDateTime().toString()
  })
  return days.toSorted()
}

for (const [rule, parts] of Object.entries(rules)) {
  test(`a rule of RFC 5545 means what it says there: ${rule}`, () => {
    const length = parts.starts.length + (/COUNT|UNTIL/.test(rule) ? 1 : 0)
    expect(startsOf(rule, parts).slice(0, length)).toEqual(parts.starts)
  })
}

test('29 February comes in leap years only', async () => {
  const text = calendar(
    event('UID:1', 'DTSTART;VALUE=DATE:20240229', 'RRULE:FREQ=YEARLY'),
    event('UID:2', 'DTSTART:20240229T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY'),
  )
  const toMs = Date.parse('2033-01-01')
  const fetched = await readAnswer(serve(text), { toMs, timezone: 'UTC' })
  expect(fetched?.times?.map(([from]) => short(from)).toSorted()).toEqual([
    ...['2028-02-29T00:00', '2028-02-29T10:00', '2032-02-29T00:00', '2032-02-29T10:00'],
  ])
})

test('one appointment moves all that follow (RANGE=THISANDFUTURE), but for those with a change of their own', async () => {
  const zone = 'TZID=Europe/Berlin'
  const series = event(
    'UID:1',
    `DTSTART;${zone}:20261019T100000`,
    `DTEND;${zone}:20261019T110000`,
    'RRULE:FREQ=WEEKLY;COUNT=6',
    `EXDATE;${zone}:20261116T100000`,
  )
  const moved = event(
    'UID:1',
    `RECURRENCE-ID;RANGE=THISANDFUTURE;${zone}:20261102T100000`,
    `DTSTART;${zone}:20261103T150000`,
    `DTEND;${zone}:20261103T153000`,
  )
  const alone = event(
    'UID:1',
    `RECURRENCE-ID;${zone}:20261109T100000`,
    `DTSTART;${zone}:20261109T080000`,
    `DTEND;${zone}:20261109T090000`,
  )
  for (const order of [
    [series, moved, alone],
    [alone, moved, series],
  ])
    expect(await busyIn(calendar(...order))).toEqual([
      '2026-10-19T08:00 2026-10-19T09:00',
      '2026-10-26T09:00 2026-10-26T10:00',
      '2026-11-03T14:00 2026-11-03T14:30',
      '2026-11-09T07:00 2026-11-09T08:00',
      '2026-11-24T14:00 2026-11-24T14:30',
    ])
  const free = event(
    'UID:1',
    `RECURRENCE-ID;RANGE=THISANDFUTURE;${zone}:20261026T100000`,
    `DTSTART;${zone}:20261026T100000`,
    `DTEND;${zone}:20261026T110000`,
    'TRANSP:TRANSPARENT',
  )
  expect(await busyIn(calendar(series, free))).toEqual(['2026-10-19T08:00 2026-10-19T09:00'])
})

test('a compressed file is read', async () => {
  const text = calendar(event('UID:1', 'DTSTART:20261104T200000Z', 'DTEND:20261104T210000Z'))
  const fetched = await readAnswer(serve(gzipSync(text), { 'content-encoding': 'gzip', etag: '"1"' }))
  expect(fetched).toEqual({
    times: [[Date.parse('2026-11-04T20:00:00Z'), Date.parse('2026-11-04T21:00:00Z'), null]],
    ...{ etag: '"1"', last_modified: null },
  })
})

test('what has not changed is not sent again', async () => {
  receiver.answer = status(304)
  const known = { etag: '"1"', last_modified: 'Mon, 02 Nov 2026 10:00:00 GMT' }
  const url = `${receiver.address}/anna.ics`
  expect(await reader.read(url, { ...span, timezone: 'UTC', known })).toEqual({ times: undefined })
  expect(receiver.received.at(-1)?.headers).toMatchObject({
    'if-none-match': '"1"',
    'if-modified-since': 'Mon, 02 Nov 2026 10:00:00 GMT',
  })
})

test('a redirect is followed', async () => {
  const text = calendar(event('UID:1', 'DTSTART:20261104T200000Z', 'DTEND:20261104T210000Z'))
  const fetched = await readAnswer((response, received) =>
    received.path === '/anna.ics'
      ? status(302, { location: '/moved' })(response, received)
      : serve(text)(response, received),
  )
  expect(fetched?.times).toHaveLength(1)
})

for (const [name, [answer, problem, where]] of Object.entries(hostile)) {
  test(`refused: ${name}`, async () => {
    expect(await readAnswer(answer)).toEqual({ times: undefined, problem, ...(where && { where }) })
  })
}

for (const [index, [name, text]] of Object.entries(endless).entries()) {
  testIn(index === 0)(`cut, as the reading would not end: ${name}`, async () => {
    expect(await readAnswer(serve(text))).toEqual({ times: undefined, problem: 'too_slow' })
  })
}

test('100,000 exceptions are read, or refused', async () => {
  const fetched = await readAnswer(serve(manyExceptions))
  if (fetched?.times) expect(fetched.times).toHaveLength(100 - 70)
  else expect(fetched).toEqual({ times: undefined, problem: 'too_slow' })
})

test('a bad server hurts no later file', async () => {
  expect(await busyIn(files['Google']?.text ?? '')).toEqual(files['Google']?.busy)
})
