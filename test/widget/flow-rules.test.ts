import { describe, expect, test } from 'vitest'
import { Refused, Unreachable } from '../../widget/api/refusals.ts'
import type {
  BookingStart,
  CustomField,
  Location,
  ProblemDocument,
  Service,
} from '../../widget/api/api-types.ts'
import {
  anyone,
  completed,
  earlierSteps,
  nextStep,
  nothingChosen,
  personOf,
  without,
  type Catalogue,
} from '../../widget/flow/choice-rules.ts'
import { emptyDraft } from '../../widget/flow/draft.ts'
import { bookingBody, faultsIn, fieldErrorsOf } from '../../widget/flow/draft-rules.ts'
import { initialState, withStart, withChoice } from '../../widget/flow/flow-state.ts'
import { expired, startedAnew, withHold, withRefusedSlot } from '../../widget/flow/late-state.ts'
import { deadlineOf, secondsLeft } from '../../widget/flow/hold-rules.ts'
import { lookPausesMs } from '../../widget/flow/payment-looks.ts'
import { slotOf } from '../../widget/flow/slots.ts'
import { troubleOf } from '../../widget/flow/trouble.ts'

const service = (id: string, parts: Partial<Service> = {}): Service => ({
  id,
  name: id,
  category: null,
  description: null,
  image_url: null,
  duration_minutes: 30,
  capacity: 1,
  price: null,
  deposit: null,
  payment: 'none',
  location_ids: ['here', 'there'],
  staff_ids: ['ada', 'grace'],
  client_fields: { phone: 'optional', last_name: 'required' },
  custom_fields: [],
  max_advance_days: null,
  cancel_until_minutes: null,
  reschedule_until_minutes: null,
  max_reschedules: 3,
  max_repeats: 1,
  active: true,
  ...parts,
})
const location = (id: string): Location => ({
  id,
  name: id,
  timezone: 'Europe/Berlin',
  address: null,
  online_url: null,
  active: true,
})
const catalogue: Catalogue = {
  services: [
    service('cut'),
    service('room', { staff_ids: [], location_ids: ['here'] }),
    service('one', { staff_ids: ['ada'] }),
  ],
  locations: [location('here'), location('there')],
  staff: [
    { id: 'ada', name: 'Ada', description: null, image_url: null },
    { id: 'grace', name: 'Grace', description: null, image_url: null },
  ],
}
const start: BookingStart = {
  show_branding: true,
  business: {
    id: 'b',
    name: 'B',
    timezone: 'Europe/Berlin',
    brand_name: null,
    brand_color: null,
    brand_logo_url: null,
    phone: null,
    reply_to_email: null,
    ...{ imprint_url: null, privacy_url: null, terms: null, terms_language: null },
  },
  ...catalogue,
  first: null,
}

describe('the next step', () => {
  const choose = (serviceId: string) => completed(catalogue, { ...nothingChosen, serviceId })

  test('is the first at which there is something to choose', () => {
    expect(nextStep(completed(catalogue, nothingChosen))).toBe('service')
    expect(nextStep(choose('cut'))).toBe('location')
    expect(nextStep(choose('room'))).toBe('time') // one location, and no staff needed
    expect(nextStep({ ...choose('one'), locationId: 'here' })).toBe('time') // one person
    expect(nextStep({ ...choose('cut'), locationId: 'here' })).toBe('staff')
  })

  test('takes what the page has preselected, as far as it is on offer', () => {
    const preset = { serviceId: 'cut', locationId: 'there', staffId: 'grace' }
    expect(completed(catalogue, nothingChosen, preset)).toEqual(preset)
    expect(completed(catalogue, nothingChosen, { ...preset, staffId: anyone }).staffId).toBe(anyone)
    expect(completed(catalogue, nothingChosen, { ...preset, serviceId: 'gone' }).serviceId).toBeNull()
    expect(completed(catalogue, nothingChosen, { ...preset, serviceId: 'room' })).toEqual({
      serviceId: 'room',
      locationId: 'here',
      staffId: anyone,
    })
  })

  test('asks for the person who was chosen, also of two; not for an only one, and not where anyone will do', () => {
    const at = (serviceId: string, staffId: string) => ({ serviceId, locationId: 'here', staffId })
    const whom = (serviceId: string, staffId: string) => personOf(catalogue, at(serviceId, staffId))
    expect([whom('cut', 'ada'), whom('cut', 'grace')]).toEqual(['ada', 'grace'])
    expect([whom('cut', anyone), whom('one', 'ada'), whom('room', anyone)]).toEqual([null, null, null])
  })

  test('leads back only to steps at which there was something to choose', () => {
    expect(earlierSteps(catalogue, choose('room'), 'details')).toEqual(['service', 'time'])
    expect(earlierSteps(catalogue, { ...choose('cut'), locationId: 'here' }, 'time')).toEqual([
      'service',
      'location',
      'staff',
    ])
    expect(without({ serviceId: 'cut', locationId: 'here', staffId: 'ada' }, 'location')).toEqual({
      serviceId: 'cut',
      locationId: null,
      staffId: null,
    })
  })
})

test('what can be chosen is what is offered somewhere that is open', () => {
  const services = [service('cut'), service('away', { location_ids: ['closed'] }), service('late')]
  const state = initialState(nothingChosen, { zone: 'Europe/Berlin', isChosen: false }, Date.now())
  const shown = withStart(state, { ...start, services }).catalogue
  expect(shown.services.map(({ id }) => id)).toEqual(['cut', 'late'])
})

test('what a visitor is told depends on whose trouble it is', () => {
  const refused = (code: string) =>
    troubleOf(new Refused({ status: 400, code, title: '', detail: '' }, null)).kind
  expect(refused('rate_limited')).toBe('busy')
  expect([refused('origin_not_allowed'), refused('invalid_credentials')]).toEqual(
    Array(2).fill('misconfigured'),
  )
  const unknown = new Refused({ status: 404, code: 'not_found', title: '', detail: '' }, null)
  expect([troubleOf(unknown, true).kind, troubleOf(unknown).kind]).toEqual(['misconfigured', 'unknown'])
  expect([refused('internal'), troubleOf(new Error('ours')).kind]).toEqual(['unknown', 'unknown'])
  expect(troubleOf(new Unreachable()).kind).toBe('unreachable')
})

describe('the state of the flow', () => {
  const slot = slotOf({
    starts_at: '2026-11-24T10:00:00+01:00',
    ends_at: '2026-11-24T10:30:00+01:00',
    staff_ids: [],
    seats_left: 1,
  })
  const begun = withStart(
    initialState(nothingChosen, { zone: 'Europe/Berlin', isChosen: false }, Date.parse('2026-11-20T09:00Z')),
    start,
  )
  const held = withHold(
    { ...begun, draft: { ...emptyDraft, firstName: 'Ada' } },
    { id: 'h', slot, deadlineMs: 600_000 },
  )

  test('begins in the month of the visitor, with the service', () => {
    expect(begun).toMatchObject({ step: 'service', month: '2026-11', busy: null, showBranding: true })
    const late = Date.parse('2026-11-30T20:00Z')
    expect(initialState(nothingChosen, { zone: 'Asia/Tokyo', isChosen: false }, late).month).toBe('2026-12')
    const wanting = (date: string) =>
      initialState({ ...nothingChosen, date }, { zone: 'Asia/Tokyo', isChosen: false }, late).month
    expect([wanting('2027-02-03'), wanting('2026-02-03')]).toEqual(['2027-02', '2026-12'])
  })

  test('times are those of the place, or of the visitor where one meets online or the website says so', () => {
    const [one] = catalogue.locations
    if (!one) throw new Error('no location')
    const zoneOf = (online_url: string | null, isChosen = false) => {
      const locations = [{ ...one, timezone: 'Europe/Berlin', online_url }]
      const [service] = catalogue.services
      const services = service ? [{ ...service, location_ids: [one.id] }] : []
      const away = initialState(nothingChosen, { zone: 'America/Los_Angeles', isChosen }, Date.now())
      return withStart(away, { ...start, services, locations }).zone
    }
    expect(zoneOf(null)).toBe('Europe/Berlin')
    expect(zoneOf('https://meet.example.com/salon')).toBe('America/Los_Angeles')
    expect(zoneOf(null, true)).toBe('America/Los_Angeles')
  })

  test('another service forgets slots, but not what was typed', () => {
    const changed = withChoice({ ...held, slots: { '2026-11': [slot] } }, 'service', 'cut')
    expect(changed).toMatchObject({ slots: {}, step: 'location', draft: { firstName: 'Ada' } })
  })

  test('a lapse keeps the details, and the slot to hold again', () => {
    expect(expired(held)).toMatchObject({
      held: null,
      wanted: slot,
      step: 'details',
      draft: { firstName: 'Ada' },
      notice: { kind: 'expired' },
    })
  })

  test.each([
    ['slot_held', 'taken'],
    ['slot_booked', 'taken'],
    ['slot_not_offered', 'notOffered'],
    ['hold_limit_reached', 'tooManyHolds'],
    ['booking_limit_reached', 'tooManyBookings'],
    ['plan_required', 'refused'],
  ])('a refusal %s is told as %s, with the alternatives there are', (code, kind) => {
    const problem: ProblemDocument = {
      status: 409,
      code,
      title: '',
      detail: '',
      alternatives: [
        {
          starts_at: '2026-11-24T11:00:00+01:00',
          ends_at: '2026-11-24T11:30:00+01:00',
          staff_ids: [],
          seats_left: 1,
        },
        {
          starts_at: '2026-11-24T10:00:00+01:00',
          ends_at: '2026-11-24T10:30:00+01:00',
          staff_ids: [],
          seats_left: 1,
        },
      ],
    }
    const { notice, draft } = withRefusedSlot(held, problem)
    expect(notice?.kind).toBe(kind)
    expect(notice?.alternatives.map(({ startsAt }) => startsAt)).toEqual([
      '2026-11-24T10:00:00+01:00',
      '2026-11-24T11:00:00+01:00',
    ])
    expect(draft.firstName).toBe('Ada')
  })

  test('who books again is still known, but says anew what it is about', () => {
    const again = startedAnew({ ...held, draft: { ...held.draft, notes: 'x', fields: { f: 'y' } } })
    expect(again).toMatchObject({ step: 'service', booking: null, wanted: null })
    expect(again.draft).toMatchObject({ firstName: 'Ada', notes: '', fields: {} })
  })
})

describe('the deadline of a hold', () => {
  const now = Date.parse('2026-11-20T09:00:00Z')
  test('is what the service says, unless the clock of the device makes that impossible', () => {
    expect(deadlineOf('2026-11-20T09:10:00Z', now) - now).toBe(600_000)
    expect(deadlineOf('2026-11-20T09:08:20Z', now) - now).toBe(500_000)
    expect(deadlineOf('2026-11-20T08:10:00Z', now) - now).toBe(600_000)
    expect(deadlineOf('2026-11-20T09:10:30Z', now) - now).toBe(600_000) // nobody has more than ten minutes
    expect(deadlineOf('2026-11-20T10:10:00Z', now) - now).toBe(600_000)
    expect([secondsLeft(now + 1, now), secondsLeft(now, now), secondsLeft(now - 5, now)]).toEqual([1, 0, 0])
  })
})

describe('the details', () => {
  const field = (id: string, parts: Partial<CustomField> = {}): CustomField => ({
    id,
    key: id,
    label: id,
    type: 'text',
    required: false,
    ...parts,
  })
  /** Creates a service with these additional questions. */
  const asking = (...custom_fields: CustomField[]) => service('s', { custom_fields })
  const draft = { ...emptyDraft, firstName: ' Ada ', lastName: 'Lovelace', email: 'ada@example.com' }

  test('what the service would refuse is found before it is asked', () => {
    expect(faultsIn(emptyDraft, asking(field('a', { required: true })))).toEqual({
      firstName: 'required',
      lastName: 'required',
      email: 'required',
      'field:a': 'required',
    })
    for (const email of ['ada', 'ada@example', 'a@b@c.de', '@example.com']) {
      expect(faultsIn({ ...draft, email }, asking())).toEqual({ email: 'email' })
    }
    expect(faultsIn({ ...draft, phone: 'call me' }, asking())).toEqual({ phone: 'phone' })
    const numbers = { ...draft, fields: { n: 'many', u: 'not an address' } }
    expect(faultsIn(numbers, asking(field('n', { type: 'number' }), field('u', { type: 'url' })))).toEqual({
      'field:n': 'invalid',
      'field:u': 'invalid',
    })
    expect(faultsIn(draft, asking(field('m', { type: 'multi_select', required: true })))).toEqual({
      'field:m': 'required',
    })
    expect(faultsIn(draft, asking(field('b', { type: 'boolean', required: true })))).toEqual({
      'field:b': 'tick',
    })
  })

  test.each([
    ['+49 (0)30 / 123-456', '+49 30 123-456'],
    ['0049 (0) 30/123456', '0049 30 123456'],
    ['(030) 123\u00a0456', '(030) 123 456'],
    ['٠٥٠ ١٢٣ ٤٥٦٧', '050 123 4567'],
    ['+44 20–7946–0018', '+44 20 7946 0018'],
  ])('a telephone number may be written as people do: %s', (phone, sent) => {
    expect(faultsIn({ ...draft, phone }, asking())).toEqual({})
    expect(bookingBody('h', { ...draft, phone }, asking()).client).toMatchObject({ phone: sent })
  })

  test('are sent as the service takes them: trimmed, numbers as numbers, nothing that is empty', () => {
    const fields = [field('n', { type: 'number' }), field('b', { type: 'boolean' }), field('e')]
    expect(
      bookingBody('h', { ...draft, fields: { n: ' 12 ', b: false, e: ' ' } }, asking(...fields)),
    ).toEqual({
      hold_id: 'h',
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      custom_field_values: [
        { field_id: 'n', value: 12 },
        { field_id: 'b', value: false },
      ],
    })
  })

  test('the code of a coupon is sent if there is one, and its refusal stands beside it', () => {
    expect(bookingBody('h', { ...draft, coupon: ' ' }, asking())).not.toHaveProperty('coupon')
    const sent = bookingBody('h', { ...draft, coupon: ' summer10 ' }, asking())
    expect(sent).toMatchObject({ coupon: 'summer10' })
    const problem = { status: 422, code: 'validation_failed', title: '', detail: '' }
    const errors = [{ pointer: '/coupon', code: 'not_valid', detail: '' }]
    expect(fieldErrorsOf({ ...problem, errors }, sent, [])).toEqual({ coupon: 'coupon' })
  })

  test('a consent and a required yes need a tick; a consent is sent with the text that was shown', () => {
    const consent = field('c', { type: 'consent', required: true, label: 'I agree.' })
    const asked = asking(consent, field('b', { type: 'boolean', required: true }))
    const ticked = (value: boolean) => ({ ...draft, fields: { c: value, b: value } })
    expect(faultsIn(ticked(false), asked)).toEqual({ 'field:c': 'tick', 'field:b': 'tick' })
    expect(faultsIn(ticked(true), asked)).toEqual({})
    expect(bookingBody('h', ticked(true), asked).custom_field_values).toEqual([
      { field_id: 'c', value: true, text: 'I agree.' },
      { field_id: 'b', value: true },
    ])
  })

  test('names and phone are asked for as the service says, and what is not asked for is not sent', () => {
    const using = (phone: 'required' | 'hidden', last_name: 'optional' | 'hidden') =>
      service('s', { client_fields: { phone, last_name } })
    const nobody = { ...draft, lastName: '' }
    expect(faultsIn(nobody, using('required', 'optional'))).toEqual({ phone: 'required' })
    expect(faultsIn(nobody, using('hidden', 'hidden'))).toEqual({})
    const prefilled = { ...draft, phone: '+49 30 123' }
    expect(bookingBody('h', prefilled, using('hidden', 'hidden')).client).toEqual({
      first_name: 'Ada',
      email: 'ada@example.com',
    })
  })

  test('faults that the service finds stand beside their fields', () => {
    const fields = [field('a', { required: true }), field('b')]
    const sent = bookingBody('h', { ...draft, fields: { b: 'x' } }, asking(...fields))
    const fieldError = (pointer: string) => ({ pointer, code: 'x', detail: '' })
    const problem: ProblemDocument = {
      status: 422,
      code: 'validation_failed',
      title: '',
      detail: '',
      errors: ['/client/email', '/client/phone', '/custom_field_values/0/value', '/custom_field_values'].map(
        fieldError,
      ),
    }
    expect(fieldErrorsOf(problem, sent, fields)).toEqual({
      email: 'email',
      phone: 'phone',
      'field:b': 'invalid',
      'field:a': 'required',
    })
  })
})

test('a deposit is looked for ever more seldom, far below the limit of 30 requests a minute, and not for ever', () => {
  const within = (ms: number) => {
    let sum = 0
    return lookPausesMs.filter((pause) => (sum += pause) <= ms).length
  }
  expect(within(60_000)).toBeLessThanOrEqual(8)
  expect(lookPausesMs.toSorted((one, other) => one - other)).toEqual(lookPausesMs)
  expect(lookPausesMs.length).toBeLessThan(60)
  expect(within(35 * 60_000)).toBeLessThan(lookPausesMs.length) // longer than a checkout lives
})
