import { describe, expect, test } from 'vitest'
import {
  fillRows,
  ids,
  inputOfFault,
  inTypedUnits,
  lines,
  number,
  optional,
  readRows,
  type Row,
  text,
  time,
} from '../../src/console/frame/form-rows.ts'
import { serviceFields } from '../../src/catalogue/service-schemas.ts'
import { textsIn } from '../../src/console/frame/texts.ts'
import { serviceRows } from '../../src/console/services/service-form.ts'
import { money } from '../../src/console/services/currencies.ts'

const rows: Row[] = [
  ['name', text(), ''],
  ['notice', number({ factor: 60 }), ''],
  ['email', optional(), ''],
  ['hours', lines({ between: /[\s,]+/, each: Number }), ''],
  ['staff_ids', ids([]), ''],
  ['quiet.from', time(), ''],
  ['quiet.to', time(), ''],
  ['deposit', money({ locale: 'en' }), ''],
]

describe('a form as rows', () => {
  const value = {
    ...{ name: 'Cut', notice: 90, email: null, hours: [48, 2], staff_ids: ['a', 'b'] },
    ...{ quiet: { from: '21:00', to: '08:00' }, deposit: { amount: 1_250, currency: 'EUR' } },
  }

  test('is filled in with a value of the API, and read as the same', () => {
    const typed = fillRows(rows, value)
    expect(typed).toMatchObject({ notice: '1.5', hours: '48, 2', 'quiet.to': '08:00' })
    expect(typed).toMatchObject({ 'deposit.amount': '12.50', 'price.currency': 'EUR', 'staff_ids.b': 'on' })
    expect(readRows(rows, typed)).toEqual(value)
  })

  test('reads a nested object as null if it is empty, and else without its empty fields', () => {
    const read = (from: string) => readRows(rows, { 'quiet.from': from, 'quiet.to': '' })['quiet']
    expect(read('')).toBe(null)
    expect(read('21:00')).toEqual({ from: '21:00' })
  })

  test('leaves out the fields that a short form lacks', () => {
    expect(readRows(rows, { name: '' })).toEqual({ name: '', staff_ids: [] })
  })

  test.each([
    ['/notice', 'must be at most 525600', 'must be at most 8760'],
    ['/deposit/amount', 'must be at least 50', 'must be at least 0.5'],
    ['/name', 'must be at most 7', 'must be at most 7'],
  ])('words a fault at %j in the units of the input', (pointer, detail, shown) => {
    const fault = { pointer, code: 'out_of_range', detail }
    expect(inTypedUnits(rows, [fault], { 'price.currency': 'EUR' })).toEqual([{ ...fault, detail: shown }])
  })

  test.each([
    ['/name', 'name'],
    ['/staff_ids/0', 'staff_ids'],
    ['/quiet/to', 'quiet.to'],
    ['/quiet', 'quiet.from'],
    ['/deposit', 'deposit.amount'],
    ['/deposit/currency', 'price.currency'],
    ['/elsewhere', ''],
    ['', ''],
  ])('shows a fault at %j next to the input %j', (pointer, input) => {
    expect(inputOfFault(rows, pointer, {})).toBe(input)
  })
})

test('every field of a service has its row', () => {
  const names = serviceRows({ language: 'en', texts: textsIn('en'), locale: 'en' }).map(([name]) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(serviceFields)))
})
