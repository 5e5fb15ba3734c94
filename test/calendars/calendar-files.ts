/** Puts lines of iCalendar into a calendar, as files have them. */
export function calendar(...lines: string[]): string {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...lines, 'END:VCALENDAR', '']
  return text
    .join('\n')
    .split('\n')
    .map((line) => line.trim())
    .join('\r\n')
}

/** Returns an event with these lines. */
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

/** Files in the formats of programs, and their busy times from 2026-10-01 to 2027-11-01 in UTC. */
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

/** Rules from the examples of RFC 5545 (section 3.8.5.3), starting at 9:00 in New York, with their days. */
export const rules: Record<string, { start: string; more?: string[]; starts: string[] }> = {
  'FREQ=DAILY;COUNT=10': {
    start: '19970902',
    starts:
      '1997-09-02 1997-09-03 1997-09-04 1997-09-05 1997-09-06 1997-09-07 1997-09-08 1997-09-09 1997-09-10 1997-09-11'.split(
        ' ',
      ),
  },
  'FREQ=DAILY;INTERVAL=2': {
    start: '19970902',
    starts:
      '1997-09-02 1997-09-04 1997-09-06 1997-09-08 1997-09-10 1997-09-12 1997-09-14 1997-09-16 1997-09-18 1997-09-20 1997-09-22 1997-09-24 1997-09-26 1997-09-28 1997-09-30 1997-10-02 1997-10-04'.split(
        ' ',
      ),
  },
  'FREQ=DAILY;INTERVAL=10;COUNT=5': {
    start: '19970902',
    starts: '1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12'.split(' '),
  },
  'FREQ=WEEKLY;COUNT=10': {
    start: '19970902',
    starts:
      '1997-09-02 1997-09-09 1997-09-16 1997-09-23 1997-09-30 1997-10-07 1997-10-14 1997-10-21 1997-10-28 1997-11-04'.split(
        ' ',
      ),
  },
  'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH': {
    start: '19970902',
    starts:
      '1997-09-02 1997-09-04 1997-09-09 1997-09-11 1997-09-16 1997-09-18 1997-09-23 1997-09-25 1997-09-30 1997-10-02'.split(
        ' ',
      ),
  },
  'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR': {
    start: '19970901',
    starts:
      '1997-09-01 1997-09-03 1997-09-05 1997-09-15 1997-09-17 1997-09-19 1997-09-29 1997-10-01 1997-10-03 1997-10-13 1997-10-15 1997-10-17 1997-10-27 1997-10-29 1997-10-31 1997-11-10 1997-11-12 1997-11-14 1997-11-24 1997-11-26 1997-11-28 1997-12-08 1997-12-10 1997-12-12 1997-12-22'.split(
        ' ',
      ),
  },
  'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH': {
    start: '19970902',
    starts: '1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16'.split(
      ' ',
    ),
  },
  'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO': {
    start: '19970805',
    starts: '1997-08-05 1997-08-10 1997-08-19 1997-08-24'.split(' '),
  },
  'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU': {
    start: '19970805',
    starts: '1997-08-05 1997-08-17 1997-08-19 1997-08-31'.split(' '),
  },
  'FREQ=MONTHLY;COUNT=10;BYDAY=1FR': {
    start: '19970905',
    starts:
      '1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06 1998-03-06 1998-04-03 1998-05-01 1998-06-05'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU': {
    start: '19970907',
    starts:
      '1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04 1998-01-25 1998-03-01 1998-03-29 1998-05-03 1998-05-31'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO': {
    start: '19970922',
    starts: '1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16'.split(' '),
  },
  'FREQ=MONTHLY;BYMONTHDAY=-3': {
    start: '19970928',
    starts: '1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26'.split(' '),
  },
  'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15': {
    start: '19970902',
    starts:
      '1997-09-02 1997-09-15 1997-10-02 1997-10-15 1997-11-02 1997-11-15 1997-12-02 1997-12-15 1998-01-02 1998-01-15'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1': {
    start: '19970930',
    starts:
      '1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30 1997-12-01 1997-12-31 1998-01-01 1998-01-31 1998-02-01'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15': {
    start: '19970910',
    starts:
      '1997-09-10 1997-09-11 1997-09-12 1997-09-13 1997-09-14 1997-09-15 1999-03-10 1999-03-11 1999-03-12 1999-03-13'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU': {
    start: '19970902',
    starts:
      '1997-09-02 1997-09-09 1997-09-16 1997-09-23 1997-09-30 1997-11-04 1997-11-11 1997-11-18 1997-11-25 1998-01-06 1998-01-13 1998-01-20 1998-01-27 1998-03-03 1998-03-10 1998-03-17 1998-03-24 1998-03-31'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13': {
    start: '19970902',
    more: ['EXDATE;TZID=America/New_York:19970902T090000'],
    starts: '1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13'.split(' '),
  },
  'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13': {
    start: '19970913',
    starts:
      '1997-09-13 1997-10-11 1997-11-08 1997-12-13 1998-01-10 1998-02-07 1998-03-07 1998-04-11 1998-05-09 1998-06-13'.split(
        ' ',
      ),
  },
  'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3': {
    start: '19970904',
    starts: '1997-09-04 1997-10-07 1997-11-06'.split(' '),
  },
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2': {
    start: '19970929',
    starts: '1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30'.split(' '),
  },
  'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5': {
    start: '20070115',
    starts: '2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30'.split(' '),
  },
  'FREQ=YEARLY;COUNT=10;BYMONTH=6,7': {
    start: '19970610',
    starts:
      '1997-06-10 1997-07-10 1998-06-10 1998-07-10 1999-06-10 1999-07-10 2000-06-10 2000-07-10 2001-06-10 2001-07-10'.split(
        ' ',
      ),
  },
  'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3': {
    start: '19970310',
    starts:
      '1997-03-10 1999-01-10 1999-02-10 1999-03-10 2001-01-10 2001-02-10 2001-03-10 2003-01-10 2003-02-10 2003-03-10'.split(
        ' ',
      ),
  },
  'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200': {
    start: '19970101',
    starts:
      '1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09 2000-07-18 2003-01-01 2003-04-10 2003-07-19 2006-01-01'.split(
        ' ',
      ),
  },
  'FREQ=YEARLY;BYMONTH=3;BYDAY=TH': {
    start: '19970313',
    starts:
      '1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12 1998-03-19 1998-03-26 1999-03-04 1999-03-11 1999-03-18 1999-03-25'.split(
        ' ',
      ),
  },
  'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8': {
    start: '19970605',
    starts:
      '1997-06-05 1997-06-12 1997-06-19 1997-06-26 1997-07-03 1997-07-10 1997-07-17 1997-07-24 1997-07-31 1997-08-07 1997-08-14 1997-08-21 1997-08-28 1998-06-04 1998-06-11 1998-06-18 1998-06-25'.split(
        ' ',
      ),
  },
  'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8': {
    start: '19961105',
    starts: '1996-11-05 2000-11-07 2004-11-02'.split(' '),
  },
  'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z': {
    start: '19970902',
    starts: '1997-09-02 1997-09-02T12:00:00'.split(' '),
  },
  'FREQ=YEARLY;BYDAY=20MO': { start: '19970519', starts: '1997-05-19 1998-05-18 1999-05-17'.split(' ') },
  'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO': {
    start: '19970512',
    starts: '1997-05-12 1998-05-11 1999-05-17'.split(' '),
  },
  'FREQ=YEARLY;BYWEEKNO=-1;COUNT=3': {
    start: '19971226',
    starts: '1997-12-26 1999-01-01 1999-12-31'.split(' '),
  },
  'FREQ=YEARLY;INTERVAL=2;BYDAY=-1SU;COUNT=3': {
    start: '19971228',
    starts: '1997-12-28 1999-12-26 2001-12-30'.split(' '),
  },
}
