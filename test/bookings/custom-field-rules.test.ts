import { expect, test } from 'vitest'
import { customFieldErrors, type FieldValue } from '../../src/bookings/custom-field-rules.ts'
import { customFieldTypes, type CustomField } from '../../src/catalogue/catalogue-types.ts'

type Type = CustomField['type']

function field(type: Type, required = false): CustomField {
  return { id: type, key: type, label: `Your ${type}`, type, required, options: ['red', 'grün', ''] }
}

const fieldErrors = (type: Type, value: FieldValue) =>
  customFieldErrors([field(type)], [{ field_id: type, value }])

/** Valid values by type. None of these lists is valid for another type unless it says so. */
const right: Record<Type, FieldValue[]> = {
  text: ['x', 'é'.repeat(500), '🦀'.repeat(500)],
  textarea: ['x', 'a\n\tb', '🦀'.repeat(5000)],
  number: [0, -1.5, 1e300, Number.MAX_SAFE_INTEGER],
  boolean: [true, false],
  select: ['red', 'grün'],
  multi_select: [['red'], ['grün', 'red']],
  date: ['2026-12-24', '2028-02-29'],
  email: ['ada@example.com'],
  phone: ['+49 30 (1)-2.3'],
  url: ['https://example.com/', 'HTTP://example.com'],
  consent: [true],
}

const wrong: Record<Type, FieldValue[]> = {
  text: [1, true, ['x'], 'a\nb', 'a\u0000', '🦀'.repeat(501)],
  textarea: [1, false, ['x'], 'a\u0000', '🦀'.repeat(5001)],
  number: ['1', true, ['1'], NaN, Infinity],
  boolean: ['true', 1, 0, ['x']],
  select: ['blue', 'Red', 1, true, ['red']],
  multi_select: ['red', ['blue'], ['red', 'blue'], ['red', 'red'], 1, true],
  date: ['2027-02-29', '24.12.2026', '2026-12-24T10:00:00Z', '2026-13-01', 20_261_224, true],
  email: ['ada', 'ada@example', 'a@b@example.com', 1, true, ['a@b.c']],
  phone: ['one', '1'.repeat(33), 1, true, ['1']],
  url: ['example.com', 'ftp://example.com', 'https://', `https://${'a'.repeat(2050)}.com`, 1, true],
  consent: ['true', 1, 0, ['x']],
}

test.each(customFieldTypes)('what fits a %s, and what does not', (type) => {
  for (const value of right[type]) expect([value, fieldErrors(type, value)]).toEqual([value, []])
  for (const value of wrong[type]) {
    expect([value, fieldErrors(type, value)]).toEqual([
      value,
      [
        {
          pointer: '/custom_field_values/0/value',
          code: 'wrong_value',
          detail: expect.stringMatching(/^must be /),
        },
      ],
    ])
  }
})

test.each(customFieldTypes)('an optional %s may be left out or empty, a required one may not', (type) => {
  const missing = [{ pointer: '/custom_field_values', code: 'required' }]
  for (const answers of [
    [],
    [{ field_id: type }],
    [{ field_id: type, value: '' }],
    [{ field_id: type, value: [] }],
  ]) {
    expect(customFieldErrors([field(type)], answers)).toEqual([])
    expect(customFieldErrors([field(type, true)], answers)).toMatchObject(missing)
  }
})

test('false is an answer, but to a question that needs a yes; 0 always is', () => {
  const no = [{ field_id: 'boolean', value: false }]
  expect(customFieldErrors([field('boolean')], no)).toEqual([])
  expect(customFieldErrors([field('boolean', true)], no)).toMatchObject([{ code: 'must_be_true' }])
  expect(customFieldErrors([field('number', true)], [{ field_id: 'number', value: 0 }])).toEqual([])
})

test('every fault is found at once, each with its place', () => {
  const fields = [field('text', true), field('number'), field('date', true)]
  const found = customFieldErrors(fields, [
    { field_id: 'number', value: 'x' },
    { field_id: 'unknown', value: 'x' },
    { field_id: 'number', value: 1 },
  ])
  expect(found.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/custom_field_values/0/value', 'wrong_value'],
    ['/custom_field_values/1/field_id', 'unknown_field'],
    ['/custom_field_values/2/field_id', 'repeated'],
    ['/custom_field_values', 'required'],
    ['/custom_field_values', 'required'],
  ])
  expect(found.at(-1)?.detail).toContain('Your date')
})

test('a select without options takes nothing', () => {
  const { options: _, ...bare } = field('select')
  expect(customFieldErrors([bare], [{ field_id: 'select', value: 'red' }])).toHaveLength(1)
})
