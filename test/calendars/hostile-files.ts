import { gzipSync } from 'node:zlib'
import { type Answer, status } from '../support/receiver.ts'
import { calendar, event } from './calendar-files.ts'

/** Answers with a file. */
export const serve = (text: string | Buffer, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(200, { 'content-type': 'text/calendar', ...headers }).end(text)
}

const rule = (text: string, start = '19700101T000000Z') =>
  calendar(event('UID:1', `DTSTART:${start}`, 'DURATION:PT1M', `RRULE:${text}`))
const within = (inside: string, times: number) =>
  `${'BEGIN:VEVENT\r\n'.repeat(times)}${inside}${'END:VEVENT\r\n'.repeat(times)}`

/** The mark … folds the line. */
const broken = (line: string) => {
  const lines = ['UID:1', 'DTSTART;TZID=Europe/Berlin:20261104T100000', 'DURATION:PT1H', line]
  return serve(calendar(event(...lines)).replace('…', '\r\n '))
}

/** Refused answers, the problem, and its position in the file. */
export const hostile: Record<string, [answer: Answer, problem: string, where?: string]> = {
  'no file': [status(404), 'status_404'],
  'a page': [serve('<!doctype html><p>Log in'), 'not_a_calendar'],
  'half a calendar': [serve('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTST'), 'cut_off'],
  'a calendar without its end': [
    serve(`BEGIN:VCALENDAR\r\n${event('UID:1', 'DTSTART:20261104T100000Z')}\r\n`),
    'cut_off',
  ],
  'a line that is none': [broken('NOTHING'), 'line_not_valid', 'line 9'],
  'a rule with a typing error': [
    broken('RRULE:FREQ=WEKLY;…BYDAY=MO'),
    ...(['rule_not_valid', 'RRULE:FREQ=WEKLY;BYDAY=MO (2026-11-04 10:00)'] as const),
  ],
  'a rule before the start': [
    serve(calendar(event('RRULE:FREQ=DAILY;COUNT=x', 'DTSTART;VALUE=DATE:20261104'))),
    ...(['rule_not_valid', 'RRULE:FREQ=DAILY;COUNT=x (2026-11-04)'] as const),
  ],
  'a rule of nothing': [broken('RRULE:INTERVAL=2'), 'rule_not_valid', 'RRULE:INTERVAL=2 (2026-11-04 10:00)'],
  'a rule that would write on a terminal': [
    broken(`RRULE:FREQ=\u001B[2J${'x'.repeat(1_000)}`),
    ...(['rule_not_valid', `RRULE:FREQ=?[2J${'x'.repeat(45)} (2026-11-04 10:00)`] as const),
  ],
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
  'every second since 1970': [
    serve(rule('FREQ=SECONDLY')),
    ...(['rule_too_fine', 'RRULE:FREQ=SECONDLY (1970-01-01 00:00)'] as const),
  ],
  'every minute': [
    serve(rule('FREQ=MINUTELY')),
    ...(['rule_too_fine', 'RRULE:FREQ=MINUTELY (1970-01-01 00:00)'] as const),
  ],
  'every minute by other words': [
    serve(
      rule(`FREQ=HOURLY;BYMINUTE=${Array.from({ length: 60 }, (_, at) => at).join()}`, '20261001T000000Z'),
    ),
    'too_many_times',
  ],
  'the 30th of February': [
    serve(calendar(event('UID:1', 'DTSTART:20270230T100000Z', 'DURATION:PT1H'))),
    ...(['date_not_valid', '2027-02-30T10:00:00Z'] as const),
  ],
  'a zone that nobody knows': [
    serve(calendar(event('UID:1', 'DTSTART;TZID=Moon:20261104T100000', 'DURATION:PT1H'))),
    ...(['zone_not_known', 'Moon (2026-11-04 10:00)'] as const),
  ],
  'deep nesting': [serve(`BEGIN:VCALENDAR\r\n${within('', 100_000)}END:VCALENDAR`), 'nested_too_deeply'],
}

/** Files whose parsing never ends. */
export const endless: Record<string, string> = {
  'the 30th of February, every hour': rule('FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30'),
  'the last day of a month, as every day': rule('FREQ=DAILY;BYMONTHDAY=-1', '20260411T224800Z'),
  'a week of the year, every week': rule('FREQ=WEEKLY;BYWEEKNO=20', '20260919T142200Z'),
}

const minute = (index: number) =>
  new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString().replaceAll(/[-:]|\.000/g, '')

/** A series with 100,000 exceptions, of which 70 are its own times. */
export const manyExceptions = calendar(
  event(
    'UID:1',
    'DTSTART:20261101T000000Z',
    'DURATION:PT1M',
    'RRULE:FREQ=DAILY;COUNT=100',
    ...Array.from({ length: 100_000 }, (_, index) => `EXDATE:${minute(index)}`),
  ),
)
