/** Puts lines of iCalendar into a calendar, as files have them. */
export function calendar(...lines: string[]): string {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...lines, 'END:VCALENDAR', '']
  return text
    .join('\n')
    .split('\n')
    .map((line) => line.trim())
    .join('\r\n')
}

/** An event with these lines. */
export function event(...lines: string[]): string {
  return ['BEGIN:VEVENT', 'DTSTAMP:20260901T000000Z', ...lines, 'END:VEVENT'].join('\n')
}

const berlinInFile = (name: string) => `BEGIN:VTIMEZONE
  TZID:${name}
  BEGIN:STANDARD
  DTSTART:16010101T030000
  TZOFFSETFROM:+0200
  TZOFFSETTO:+0100
  RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
  END:STANDARD
  BEGIN:DAYLIGHT
  DTSTART:16010101T020000
  TZOFFSETFROM:+0100
  TZOFFSETTO:+0200
  RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
  END:DAYLIGHT
  END:VTIMEZONE`

/** Files in the shape that programs write, and their busy times from 2026-10-01 to 2027-11-01 in UTC. */
export const files: Record<string, { text: string; busy: string[] }> = {
  Google: {
    text: calendar(
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'X-WR-CALNAME:anna@example.com',
      'X-WR-TIMEZONE:Europe/Berlin',
      event(
        'DTSTART:20261005T080000Z',
        'DTEND:20261005T090000Z',
        'UID:1a2b3c@google.com',
        'CREATED:20260801T080000Z',
        'DESCRIPTION:A long text that goes on\\, with a',
        'SEQUENCE:0',
        'STATUS:CONFIRMED',
        'SUMMARY:Dentist',
        'TRANSP:OPAQUE',
      ),
      event(
        'DTSTART;TZID=Europe/Berlin:20261019T100000',
        'DTEND;TZID=Europe/Berlin:20261019T110000',
        'RRULE:FREQ=WEEKLY;UNTIL=20261109T225959Z;BYDAY=MO',
        'EXDATE;TZID=Europe/Berlin:20261102T100000',
        'UID:weekly@google.com',
        'SUMMARY:Course',
      ),
      event(
        'DTSTART;TZID=Europe/Berlin:20261027T150000',
        'DTEND;TZID=Europe/Berlin:20261027T160000',
        'RECURRENCE-ID;TZID=Europe/Berlin:20261026T100000',
        'UID:weekly@google.com',
        'SUMMARY:Course\\, moved',
      ),
      event(
        'DTSTART;VALUE=DATE:20261201',
        'DTEND;VALUE=DATE:20261203',
        'UID:holiday@google.com',
        'TRANSP:OPAQUE',
      ),
      event(
        'DTSTART:20261006T080000Z',
        'DTEND:20261006T090000Z',
        'UID:free@google.com',
        'TRANSP:TRANSPARENT',
      ),
    ),
    busy: [
      '2026-10-05T08:00 2026-10-05T09:00',
      '2026-10-19T08:00 2026-10-19T09:00', // before the clocks change, 10:00 is 8:00 in UTC
      '2026-10-27T14:00 2026-10-27T15:00',
      '2026-11-09T09:00 2026-11-09T10:00',
      '2026-11-30T23:00 2026-12-02T23:00',
    ],
  },
  Outlook: {
    text: calendar(
      'METHOD:PUBLISH',
      'X-WR-CALNAME:Kalender',
      berlinInFile('W. Europe Standard Time'),
      berlinInFile('Customized Time Zone'),
      event(
        'UID:040000008200E00074C5B7101A82E00800000000',
        'SUMMARY:Besprechung',
        'DTSTART;TZID=W. Europe Standard Time:20270326T100000',
        'DTEND;TZID=W. Europe Standard Time:20270326T113000',
        'RRULE:FREQ=DAILY;COUNT=4',
        'CLASS:PUBLIC',
        'X-MICROSOFT-CDO-BUSYSTATUS:BUSY',
        'X-MICROSOFT-CDO-ALLDAYEVENT:FALSE',
      ),
      event(
        'UID:custom',
        'DTSTART;TZID=Customized Time Zone:20270701T100000',
        'DTEND;TZID=Customized Time Zone:20270701T110000',
        'X-MICROSOFT-CDO-BUSYSTATUS:OOF',
      ),
      event(
        'UID:free',
        'DTSTART;TZID=W. Europe Standard Time:20270702T100000',
        'DTEND;TZID=W. Europe Standard Time:20270702T110000',
        'X-MICROSOFT-CDO-BUSYSTATUS:FREE',
      ),
    ),
    busy: [
      '2027-03-26T09:00 2027-03-26T10:30',
      '2027-03-27T09:00 2027-03-27T10:30',
      '2027-03-28T08:00 2027-03-28T09:30',
      '2027-03-29T08:00 2027-03-29T09:30',
      '2027-07-01T08:00 2027-07-01T09:00',
    ],
  },
  Apple: {
    text: calendar(
      'CALSCALE:GREGORIAN',
      'X-APPLE-CALENDAR-COLOR:#1BADF8',
      event(
        'TRANSP:OPAQUE',
        'DTEND;TZID=America/New_York:20261101T013000',
        'UID:3C7A6F0A-0000-4000-8000-000000000001',
        'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC',
        'SUMMARY:Night shift',
        'DTSTART;TZID=America/New_York:20261031T220000',
        'SEQUENCE:1',
        'BEGIN:VALARM',
        'UID:alarm',
        'TRIGGER:-PT30M',
        'ACTION:DISPLAY',
        'END:VALARM',
      ),
      event('UID:floating', 'DTSTART:20261103T090000', 'DTEND:20261103T100000', 'SUMMARY:Floating'),
      event('UID:gone', 'DTSTART:20261104T090000', 'DTEND:20261104T100000', 'STATUS:CANCELLED'),
    ),
    busy: ['2026-11-01T02:00 2026-11-01T05:30', '2026-11-03T08:00 2026-11-03T09:00'],
  },
  Fastmail: {
    text: calendar(
      event(
        'UID:fm-1',
        'DTSTART;TZID=Australia/Sydney:20261010T090000',
        'DURATION:PT45M',
        'RRULE:FREQ=MONTHLY;BYDAY=2SA;COUNT=2',
      ),
      event('UID:fm-4', 'DTSTART:20260131T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;COUNT=6'),
      event('UID:fm-2', 'DTSTART;VALUE=DATE:20240229', 'DURATION:P1D', 'RRULE:FREQ=YEARLY'),
      event(
        'UID:fm-3',
        'DTSTART:20261020T100000Z',
        'DURATION:P1W',
        'RDATE;VALUE=PERIOD:20261120T100000Z/PT1H',
      ),
    ),
    busy: [
      '2026-10-09T22:00 2026-10-09T22:45',
      '2026-10-20T10:00 2026-10-27T10:00',
      '2026-10-31T10:00 2026-10-31T11:00',
      '2026-11-13T22:00 2026-11-13T22:45',
      '2026-11-20T10:00 2026-11-27T10:00', // the length of the series
    ],
  },
  Nextcloud: {
    text: calendar(
      'X-WR-CALNAME:Personal',
      'REFRESH-INTERVAL;VALUE=DURATION:PT4H',
      event(
        'UID:nc-1',
        'DTSTART;TZID=Europe/Berlin:20261105T100000',
        'DTEND;TZID=Europe/Berlin:20261105T103000',
        'RRULE:FREQ=DAILY;COUNT=3',
        'EXDATE;TZID=Europe/Berlin:20261106T100000',
      ),
      event(
        'UID:nc-2',
        'DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261110T100000',
        'DTEND;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261110T110000',
      ),
      event('UID:backwards', 'DTSTART:20261111T100000Z', 'DTEND:20261111T090000Z'),
      event('UID:no-end', 'DTSTART:20261112T100000Z'),
      event('UID:no-end-of-day', 'DTSTART;VALUE=DATE:20261113'),
      event('UID:nothing', 'SUMMARY:no start'),
    ),
    busy: [
      '2026-11-05T09:00 2026-11-05T09:30',
      '2026-11-07T09:00 2026-11-07T09:30',
      '2026-11-10T09:00 2026-11-10T10:00',
      '2026-11-12T23:00 2026-11-13T23:00',
    ],
  },
  'clocks that skip and repeat a time': {
    text: calendar(
      event(
        'UID:skip',
        'DTSTART;TZID=Europe/Berlin:20270328T023000',
        'DTEND;TZID=Europe/Berlin:20270328T040000',
      ),
      event('UID:repeat', 'DTSTART;TZID=Europe/Berlin:20261025T023000', 'DURATION:PT1H'),
      event('UID:day', 'DTSTART;VALUE=DATE:20261025', 'RRULE:FREQ=DAILY;UNTIL=20261026'),
    ),
    busy: [
      '2026-10-24T22:00 2026-10-25T23:00',
      '2026-10-25T00:30 2026-10-25T01:30',
      '2026-10-25T23:00 2026-10-26T23:00',
      '2027-03-28T01:30 2027-03-28T02:00',
    ],
  },
}
