import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CalendarReader, type Fetched } from '../../src/calendars/busy-file.ts'
import { type Answer, type Receiver, startReceiver, status } from '../support/receiver.ts'
import { calendar, event, files } from './calendar-files.ts'

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

async function readAnswer(answer: Answer): Promise<Fetched | undefined> {
  receiver.answer = answer
  return reader.read(`${receiver.address}/anna.ics`, { ...span, timezone: 'Europe/Berlin', known: undefined })
}

const serve = (text: string | Buffer, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(200, { 'content-type': 'text/calendar', ...headers }).end(text)
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

const rule = (text: string, start = '19700101T000000Z') =>
  calendar(event('UID:1', `DTSTART:${start}`, 'DURATION:PT1M', `RRULE:${text}`))
const within = (inside: string, times: number) =>
  `${'BEGIN:VEVENT\r\n'.repeat(times)}${inside}${'END:VEVENT\r\n'.repeat(times)}`

const hostile: Record<string, [answer: Answer, problem: string]> = {
  'no file': [status(404), 'status_404'],
  'a page': [serve('<!doctype html><p>Log in'), 'not_a_calendar'],
  'half a calendar': [serve('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTST'), 'not_a_calendar'],
  'a redirect into the inner network': [
    status(302, { location: 'http://169.254.169.254/latest/meta-data' }),
    'address_not_allowed',
  ],
  'a redirect to a file': [status(302, { location: 'file:///etc/passwd' }), 'redirect_not_allowed'],
  'redirects without end': [status(302, { location: '/again' }), 'redirect_not_allowed'],
  '5 MB and a byte': [serve(Buffer.alloc(5_000_001, 'a')), 'too_large'],
  'a bomb': [serve(gzipSync(Buffer.alloc(500_000_000)), { 'content-encoding': 'gzip' }), 'too_large'],
  'no gzip': [serve('BEGIN:VCALENDAR', { 'content-encoding': 'gzip' }), 'invalid_response'],
  'an endless body': [
    (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('X-PADDING:aaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'));
        if (!response.destroyed) response.once('drain', more)
      }
      response.on('error', () => undefined)
      response.writeHead(200)
      more()
    },
    'too_large',
  ],
  'every second since 1970': [serve(rule('FREQ=SECONDLY')), 'rule_too_fine'],
  'every minute': [serve(rule('FREQ=MINUTELY')), 'rule_too_fine'],
  'every minute by other words': [
    serve(
      rule(`FREQ=HOURLY;BYMINUTE=${Array.from({ length: 60 }, (_, at) => at).join()}`, '20261001T000000Z'),
    ),
    'too_many_times',
  ],
  'the 30th of February': [
    serve(calendar(event('UID:1', 'DTSTART:20270230T100000Z', 'DURATION:PT1H'))),
    'date_not_valid',
  ],
  'a zone that nobody knows': [
    serve(calendar(event('UID:1', 'DTSTART;TZID=Moon:20261104T100000', 'DURATION:PT1H'))),
    'zone_not_known',
  ],
  'deep nesting': [serve(`BEGIN:VCALENDAR\r\n${within('', 100_000)}END:VCALENDAR`), 'nested_too_deeply'],
}

for (const [name, [answer, problem]] of Object.entries(hostile)) {
  test(`refused: ${name}`, async () => {
    expect(await readAnswer(answer)).toEqual({ times: undefined, problem })
  })
}

test('a rule without an end and without a time ends with its worker', async () => {
  const fetched = await readAnswer(serve(rule('FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30')))
  expect(fetched === undefined || 'problem' in fetched || fetched.times?.length).toBeTruthy()
})

test('100,000 exceptions are read, or refused', async () => {
  const at = (index: number) =>
    new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString().replaceAll(/[-:]|\.000/g, '')
  const exceptions = Array.from({ length: 100_000 }, (_, index) => `EXDATE:${at(index)}`)
  const series = event(
    'UID:1',
    'DTSTART:20261101T000000Z',
    'DURATION:PT1M',
    'RRULE:FREQ=DAILY;COUNT=100',
    ...exceptions,
  )
  const fetched = await readAnswer(serve(calendar(series)))
  if (fetched?.times) expect(fetched.times).toHaveLength(100 - 70)
  else expect(fetched).toEqual({ times: undefined, problem: 'too_slow' })
})

test('a bad server hurts no later file', async () => {
  expect(await busyIn(files['Google']?.text ?? '')).toEqual(files['Google']?.busy)
})
