import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { derivedId } from '../../src/base/ids.ts'
import type { CustomField } from '../../src/catalogue/catalogue-types.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { expectRefusal, pointersOf } from '../support/refusals.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const tenOClock = '2026-12-01T10:00:00+01:00'

function field(type: CustomField['type'], required = false): CustomField {
  const options = type === 'select' || type === 'multi_select' ? { options: ['red', 'grün'] } : {}
  return { id: derivedId('field', type), key: type, label: `The ${type}`, type, required, ...options }
}

const fields = [
  field('text', true),
  field('textarea'),
  field('number'),
  field('boolean'),
  field('select'),
  field('multi_select'),
  field('date'),
  field('email'),
  field('phone'),
  field('url'),
]
const answer = (type: CustomField['type'], value: unknown) => ({ field_id: derivedId('field', type), value })

onOneEngine('sqlite', 'answers to custom fields', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let session: Client
  let offer: Offer
  let id: string
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
  })
  beforeEach(async () => {
    offer = await makeOffer(service, business.id, { customFields: fields })
    session = await sessionClient(service, business)
    id = String((await session.hold(offer, tenOClock)).body.hold_id)
  })
  afterAll(() => service.stop())

  const refused = (answers: unknown, errors: object[]) =>
    expectRefusal(service, () => session.book(id, { custom_field_values: answers }), {
      status: 422,
      body: { code: 'validation_failed', errors },
    })

  test('a booking carries an answer of each of the ten types', async () => {
    const answers = [
      answer('text', 'My back'),
      answer('textarea', 'It hurts\nin the morning'),
      answer('number', 7.5),
      answer('boolean', false),
      answer('select', 'grün'),
      answer('multi_select', ['grün', 'red']),
      answer('date', '2028-02-29'),
      answer('email', 'ada@example.com'),
      answer('phone', '+49 30 123'),
      answer('url', 'https://example.com/x?y=1'),
    ]
    const booked = await session.book(id, { custom_field_values: answers })
    expect(booked.status).toBe(201)
    expect(booked.body.custom_field_values).toEqual(answers)
    expect((await clientOf(service, business.key).show(id)).body.custom_field_values).toEqual(answers)
  })

  test.each([
    ['text', 7],
    ['text', 'two\nlines'],
    ['textarea', true],
    ['number', '7'],
    ['boolean', 'true'],
    ['boolean', 1],
    ['select', 'blue'],
    ['select', ['red']],
    ['multi_select', 'red'],
    ['multi_select', ['red', 'blue']],
    ['multi_select', ['red', 'red']],
    ['date', '2027-02-29'],
    ['date', '2027-2-1'],
    ['email', 'ada@example'],
    ['phone', 'none'],
    ['url', 'javascript:alert(1)'],
    ['url', 'example.com'],
  ] as const)('a %s is not %j', async (type, value) => {
    const required = type === 'text' ? [] : [answer('text', 'x')]
    const pointer = `/custom_field_values/${required.length}/value`
    await refused([...required, answer(type, value)], [{ pointer, code: 'wrong_value' }])
  })

  test.each([[{}], [[{}]], [null]])('%j is no value of any type', async (value) => {
    const reply = await session.book(id, {
      custom_field_values: [answer('text', 'x'), answer('number', value)],
    })
    // null is the same as absent; objects are refused before the fields are checked
    if (value === null) expect(reply).toMatchObject({ status: 201 })
    else expect(reply.body.errors).toMatchObject([{ pointer: '/custom_field_values/1/value' }])
  })

  test('a required answer that is missing, empty or null is pointed out', async () => {
    const missing = [{ pointer: '/custom_field_values', code: 'required' }]
    await refused([], missing)
    await refused(null, missing)
    await refused([answer('text', '')], missing)
    await refused([answer('text', '   ')], missing)
    await refused([answer('text', null)], missing)
    await refused([answer('number', 1)], missing)
    expect(await session.book(id)).toMatchObject({ status: 422 })
  })

  test('an empty optional answer counts as none', async () => {
    const booked = await session.book(id, {
      custom_field_values: [answer('text', 'x'), answer('email', ''), answer('multi_select', [])],
    })
    expect(booked).toMatchObject({ status: 201 })
  })

  test('an unknown field and a repeated answer are pointed out, all at once', async () => {
    await refused(
      [
        { field_id: derivedId('field', 'of another service'), value: 'x' },
        answer('text', 'x'),
        answer('text', 'y'),
        answer('number', 'z'),
      ],
      [
        { pointer: '/custom_field_values/0/field_id', code: 'unknown_field' },
        { pointer: '/custom_field_values/2/field_id', code: 'repeated' },
        { pointer: '/custom_field_values/3/value', code: 'wrong_value' },
      ],
    )
  })

  test('a service without fields takes no answers', async () => {
    const plain = await makeOffer(service, business.id)
    id = String((await session.hold(plain, '2026-12-02T10:00:00+01:00')).body.hold_id)
    await refused(
      [answer('text', 'x')],
      [{ pointer: '/custom_field_values/0/field_id', code: 'unknown_field' }],
    )
  })

  test('the id of a field may be written in capitals', async () => {
    const { field_id, value } = answer('text', 'x')
    const booked = await session.book(id, {
      custom_field_values: [{ field_id: field_id.toUpperCase(), value }],
    })
    expect(booked.body.custom_field_values).toEqual([{ field_id, value }])
  })

  test('answers have the shape of the contract', async () => {
    for (const [answers, pointer] of [
      [[{ value: 'x' }], '/custom_field_values/0/field_id'],
      [[{ field_id: 'x', value: 'x' }], '/custom_field_values/0/field_id'],
      [[{ ...answer('text', 'x'), label: 'x' }], '/custom_field_values/0/label'],
      ['x', '/custom_field_values'],
      [Array.from({ length: 101 }, () => answer('text', 'x')), '/custom_field_values'],
    ] as const) {
      const reply = await session.book(id, { custom_field_values: answers })
      expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
      expect(pointersOf(reply)).toEqual([pointer])
    }
  })
})
