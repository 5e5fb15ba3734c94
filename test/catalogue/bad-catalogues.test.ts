import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeLocation, type OwnBusiness } from '../support/offers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

type Case = [what: string, wrong: Record<string, unknown>, ...pointers: string[]]

const open = (weekday: string, opens: string, closes: string) => ({ weekday, opens, closes })
const day = (index: number) => new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10)
const closedDays = (many: number) =>
  Array.from({ length: many }, (_, index) => ({ date: day(index), hours: [] }))
const eur = (amount: unknown) => ({ amount, currency: 'EUR' })
const field = { key: 'size', label: 'Size', type: 'text' }
const ids = (many: number) =>
  Array.from({ length: many }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`)

const hours: Case[] = [
  [
    'hours that overlap',
    { weekly_hours: [open('monday', '09:00', '12:00'), open('monday', '11:59', '13:00')] },
    '/weekly_hours/1',
  ],
  [
    'the same hours twice',
    { weekly_hours: [open('monday', '09:00', '12:00'), open('monday', '09:00', '12:00')] },
    '/weekly_hours/1',
  ],
  [
    'hours past midnight into the next day',
    { weekly_hours: [open('tuesday', '01:00', '03:00'), open('monday', '22:00', '01:01')] },
    '/weekly_hours/1',
  ],
  [
    'Sunday into Monday',
    { weekly_hours: [open('monday', '00:00', '09:00'), open('sunday', '20:00', '00:01')] },
    '/weekly_hours/1',
  ],
  [
    'a whole day round the clock that meets itself',
    { weekly_hours: [open('friday', '09:00', '09:00'), open('saturday', '08:59', '10:00')] },
    '/weekly_hours/1',
  ],
  [
    'an hour that is none',
    { weekly_hours: [open('monday', '25:00', '9:00')] },
    '/weekly_hours/0/opens',
    '/weekly_hours/0/closes',
  ],
  ['24:00 as an opening', { weekly_hours: [open('monday', '24:00', '24:00')] }, '/weekly_hours/0/opens'],
  ['24:01', { weekly_hours: [open('monday', '09:00', '24:01')] }, '/weekly_hours/0/closes'],
  ['a day that is none', { weekly_hours: [open('Monday', '09:00', '10:00')] }, '/weekly_hours/0/weekday'],
  [
    'a member too many',
    { weekly_hours: [{ ...open('monday', '09:00', '10:00'), note: 'x' }] },
    '/weekly_hours/0/note',
  ],
  ['hours that are no list', { weekly_hours: {} }, '/weekly_hours'],
  ['101 hours a week', { weekly_hours: Array(101).fill(open('monday', '09:00', '10:00')) }, '/weekly_hours'],
  [
    'an overlap beside a time that is none',
    {
      weekly_hours: [
        open('monday', '09:00', '12:00'),
        open('monday', 'x', '12:00'),
        open('monday', '10:00', '11:00'),
      ],
    },
    '/weekly_hours/1/opens',
    '/weekly_hours/2',
  ],
  ['a date that is none', { date_overrides: [{ date: '2027-02-29', hours: [] }] }, '/date_overrides/0/date'],
  ['a date in words', { date_overrides: [{ date: 'Christmas', hours: [] }] }, '/date_overrides/0/date'],
  ['a date twice', { date_overrides: [...closedDays(3), ...closedDays(1)] }, '/date_overrides/3/date'],
  [
    'hours of a date that overlap',
    {
      date_overrides: [
        {
          date: day(0),
          hours: [
            { opens: '22:00', closes: '02:00' },
            { opens: '23:00', closes: '23:30' },
          ],
        },
      ],
    },
    '/date_overrides/0/hours/1',
  ],
  ['a date without hours', { date_overrides: [{ date: day(0) }] }, '/date_overrides/0/hours'],
  ['1,001 overrides', { date_overrides: closedDays(1_001) }, '/date_overrides'],
  ['overrides cleared', { date_overrides: 3 }, '/date_overrides'],
]

const monday = (...starts: string[]) => ({ weekday: 'monday', starts })
const everyTenMinutes = Array.from(
  { length: 144 },
  (_, index) => `${String(Math.floor(index / 6)).padStart(2, '0')}:${index % 6}0`,
)

const services: Case[] = [
  ['no name', { name: '' }, '/name'],
  ['a long name', { name: 'x'.repeat(201) }, '/name'],
  ['a name over two lines', { name: 'a\nb' }, '/name'],
  ['a long description', { description: 'x'.repeat(5_001) }, '/description'],
  ['no duration', { duration_minutes: 0 }, '/duration_minutes'],
  ['more than a day', { duration_minutes: 1_441 }, '/duration_minutes'],
  ['half a minute', { duration_minutes: 0.5 }, '/duration_minutes'],
  ['a duration in quotes', { duration_minutes: '30' }, '/duration_minutes'],
  [
    'negative buffers',
    { buffer_before_minutes: -1, buffer_after_minutes: -1 },
    '/buffer_before_minutes',
    '/buffer_after_minutes',
  ],
  [
    'long buffers',
    { buffer_before_minutes: 721, buffer_after_minutes: 721 },
    '/buffer_before_minutes',
    '/buffer_after_minutes',
  ],
  ['a fine grid', { slot_interval_minutes: 4 }, '/slot_interval_minutes'],
  ['a coarse grid', { slot_interval_minutes: 1_441 }, '/slot_interval_minutes'],
  ['a weekday twice', { timetable: [monday('09:00'), monday('10:00')] }, '/timetable/1/weekday'],
  ['a weekday that is none', { timetable: [{ ...monday('09:00'), weekday: 'mon' }] }, '/timetable/0/weekday'],
  ['a weekday without starts', { timetable: [monday()] }, '/timetable/0/starts'],
  [
    'a start that is none',
    { timetable: [monday('9:00', '24:00')] },
    '/timetable/0/starts/0',
    '/timetable/0/starts/1',
  ],
  ['a start twice', { timetable: [monday('09:00', '09:00')] }, '/timetable/0/starts/1'],
  ['starts out of order', { timetable: [monday('10:00', '09:00')] }, '/timetable/0/starts/1'],
  ['97 starts a day', { timetable: [monday(...everyTenMinutes.slice(0, 97))] }, '/timetable/0/starts'],
  ['eight days', { timetable: Array.from({ length: 8 }, () => monday('09:00')) }, '/timetable'],
  ['a negative notice', { min_notice_minutes: -1 }, '/min_notice_minutes'],
  ['a negative horizon', { max_advance_days: -1 }, '/max_advance_days'],
  [
    'numbers beyond any column',
    { min_notice_minutes: 2 ** 31, max_advance_days: 2 ** 53 },
    '/min_notice_minutes',
    '/max_advance_days',
  ],
  ['a capacity of 0', { capacity: 0 }, '/capacity'],
  ['a capacity of 501', { capacity: 501 }, '/capacity'],
  ['a negative price', { price: eur(-1) }, '/price/amount'],
  ['a price in fractions', { price: eur(9.99) }, '/price/amount'],
  ['a price beyond 32 bits', { price: eur(2 ** 31) }, '/price/amount'],
  ['a currency that is none', { price: { amount: 1, currency: 'EUX' } }, '/price/currency'],
  ['a currency in small letters', { price: { amount: 1, currency: 'eur' } }, '/price/currency'],
  ['a deposit of nothing', { deposit: eur(0) }, '/deposit/amount'],
  ['a deposit above the price', { price: eur(100), deposit: eur(101) }, '/deposit/amount'],
  [
    'a deposit in another currency',
    { price: eur(100), deposit: { amount: 1, currency: 'USD' } },
    '/deposit/currency',
  ],
  ['no location', { location_ids: [] }, '/location_ids'],
  ['201 locations', { location_ids: ids(201) }, '/location_ids'],
  ['a location that is no id', { location_ids: ['Mitte'] }, '/location_ids/0'],
  ['a staff member twice', { staff_ids: [ids(1)[0], ids(1)[0]] }, '/staff_ids/1'],
  ['unknown members', { colour: 'red', id: ids(1)[0] }, '/colour', '/id'],
  ['a key with a capital', { custom_fields: [{ ...field, key: 'Size' }] }, '/custom_fields/0/key'],
  ['a key that begins with a digit', { custom_fields: [{ ...field, key: '1' }] }, '/custom_fields/0/key'],
  ['a long key', { custom_fields: [{ ...field, key: 'x'.repeat(65) }] }, '/custom_fields/0/key'],
  ['a key twice', { custom_fields: [field, field] }, '/custom_fields/1/key'],
  ['no label', { custom_fields: [{ ...field, label: '' }] }, '/custom_fields/0/label'],
  ['a type that is none', { custom_fields: [{ ...field, type: 'colour' }] }, '/custom_fields/0/type'],
  ['a choice without options', { custom_fields: [{ ...field, type: 'select' }] }, '/custom_fields/0/options'],
  [
    'a choice of nothing',
    { custom_fields: [{ ...field, type: 'multi_select', options: [] }] },
    '/custom_fields/0/options',
  ],
  [
    'an empty option',
    { custom_fields: [{ ...field, type: 'select', options: ['a', ''] }] },
    '/custom_fields/0/options/1',
  ],
  [
    'an option twice',
    { custom_fields: [{ ...field, type: 'select', options: ['a', 'b', 'a'] }] },
    '/custom_fields/0/options/2',
  ],
  [
    '101 options',
    { custom_fields: [{ ...field, type: 'select', options: ids(101) }] },
    '/custom_fields/0/options',
  ],
  ['options for a text', { custom_fields: [{ ...field, options: ['a'] }] }, '/custom_fields/0/options'],
  [
    '51 fields',
    { custom_fields: ids(51).map((_, index) => ({ ...field, key: `f${index}` })) },
    '/custom_fields',
  ],
]

const locations: Case[] = [
  ...hours,
  ['no name', { name: ' ' }, '/name'],
  ['a zone that is none', { timezone: 'Europe/Berlim' }, '/timezone'],
  ['an offset in place of a zone', { timezone: '+01:00' }, '/timezone'],
  ['a long address', { address: 'x'.repeat(501) }, '/address'],
]

const staff: Case[] = [
  ...hours,
  ['an address that is none', { email: 'anna' }, '/email'],
  ['201 places', { location_ids: ids(201) }, '/location_ids'],
  ['a place twice', { location_ids: [ids(1)[0], ids(1)[0]?.toUpperCase()] }, '/location_ids/1'],
]

onOneEngine('sqlite', 'a bad catalogue', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  let place: string
  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service)
    place = await makeLocation(service, spa.id)
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body: object) =>
    service.call(method, path, { token: spa.key, body })

  const kinds = [
    {
      path: '/services',
      cases: services,
      right: () => ({ name: 'S', duration_minutes: 30, location_ids: [place] }),
    },
    { path: '/locations', cases: locations, right: () => ({ name: 'L' }) },
    { path: '/staff', cases: staff, right: () => ({ name: 'P' }) },
  ]

  describe.each(kinds)('in $path', ({ path, cases, right }) => {
    test.each(cases)(
      '%s: 422 with its pointers, when it is made and when it is changed',
      async (_what, wrong, ...pointers) => {
        const made = await call('POST', path, right())
        const before = await service.rows(path.slice(1))
        expectErrors(await call('POST', path, { ...right(), ...wrong }), ...pointers)
        expectErrors(await call('PATCH', `${path}/${made.body.id}`, wrong), ...pointers)
        expect(await service.rows(path.slice(1))).toEqual(before)
      },
    )
  })

  test('all faults are told at once, those of single fields and those between fields', async () => {
    const reply = await call('POST', '/services', {
      name: '',
      duration_minutes: 0,
      capacity: 0,
      price: eur(1),
      deposit: eur(2),
      location_ids: [],
      custom_fields: [{ ...field, type: 'select' }, { ...field, key: 'X' }, field],
      more: true,
    })
    expectErrors(
      reply,
      ...['/name', '/duration_minutes', '/capacity', '/deposit/amount', '/location_ids', '/more'],
      ...['/custom_fields/0/options', '/custom_fields/1/key', '/custom_fields/2/key'],
    )
  })

  test('null is refused on a change where nothing may be empty', async () => {
    const made = await call('POST', '/services', kinds[0]?.right() ?? {})
    const members = [
      'name',
      'duration_minutes',
      'capacity',
      'location_ids',
      'staff_ids',
      'custom_fields',
      'active',
    ]
    const wrong = Object.fromEntries(members.map((name) => [name, null]))
    const reply = await call('PATCH', `/services/${made.body.id}`, wrong)
    expectErrors(reply, ...members.map((name) => `/${name}`))
  })

  test('1,000 overrides are kept, 10,000 are refused', async () => {
    const date_overrides = closedDays(1_000)
    expect(await call('POST', '/locations', { name: 'L', date_overrides })).toMatchObject({
      status: 201,
      body: { date_overrides },
    })
    expectErrors(
      await call('POST', '/locations', { name: 'L', date_overrides: Array(10_000).fill(1) }),
      '/date_overrides',
      ...Array.from({ length: 99 }, (_, index) => `/date_overrides/${index}`),
    )
    expectProblem(
      await call('POST', '/locations', { name: 'L', date_overrides: closedDays(10_000) }),
      'payload_too_large',
    )
  })

  test('hours that only touch are no overlap', async () => {
    const weekly_hours = [
      open('monday', '00:00', '09:00'),
      open('monday', '09:00', '24:00'),
      open('tuesday', '00:00', '00:00'),
      open('wednesday', '00:00', '22:00'),
      open('wednesday', '22:00', '06:00'),
      open('thursday', '06:00', '08:00'),
      open('sunday', '23:00', '00:00'),
    ]
    expect((await call('POST', '/locations', { name: 'L', weekly_hours })).body).toMatchObject({
      weekly_hours,
    })
  })
})
