import { describe, expect, test } from 'vitest'
import type { Need, Step, Terms } from '../../src/catalogue/catalogue-types.ts'
import { isPlainService, minutesOf, priceFor, stepsOf } from '../../src/catalogue/service-rules.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })
const colour: Step[] = [
  { minutes: 30, staffed: true },
  { minutes: 35, staffed: false },
  { minutes: 25, staffed: true },
]
const room: Need = { resource_ids: ['room'], quantity: 1, during: 'all' }
const service = (
  parts: { steps?: Step[] | null; needs?: Need[]; terms?: Terms[]; minutes?: number } = {},
) => ({
  duration_minutes: parts.minutes ?? 60,
  price: eur(4_500),
  steps: parts.steps ?? null,
  needs: parts.needs ?? [],
  terms: parts.terms ?? [],
})

describe('terms of a person', () => {
  test('without terms or steps, a service is one staffed step of its length', () => {
    expect(stepsOf(service(), 'anna')).toEqual([{ minutes: 60, staffed: true }])
    expect(stepsOf(service(), null)).toEqual([{ minutes: 60, staffed: true }])
    expect(minutesOf(service(), 'anna')).toBe(60)
    expect(priceFor(service(), 'anna')).toEqual(eur(4_500))
  })

  test('steps of the person replace those of the service, and a duration is one step', () => {
    const own = [{ minutes: 20, staffed: true }, { minutes: 10, staffed: false }, ...colour.slice(2)]
    const terms = [
      { staff_id: 'anna', duration_minutes: 40 },
      { staff_id: 'ben', steps: own },
    ]
    const offered = service({ steps: colour, minutes: 90, terms })
    expect(stepsOf(offered, 'anna')).toEqual([{ minutes: 40, staffed: true }])
    expect(stepsOf(offered, 'ben')).toEqual(own)
    expect(stepsOf(offered, 'clara')).toEqual(colour)
    expect(['anna', 'ben', 'clara', null].map((id) => minutesOf(offered, id))).toEqual([40, 55, 90, 90])
  })

  test('only the price of the person differs from that of the service', () => {
    const offered = service({ terms: [{ staff_id: 'anna', price: eur(6_000) }] })
    expect(priceFor(offered, 'anna')).toEqual(eur(6_000))
    expect(priceFor(offered, 'ben')).toEqual(eur(4_500))
    expect(minutesOf(offered, 'anna')).toBe(60)
  })
})

test.each<[boolean, string, Parameters<typeof service>[0]]>([
  [true, 'without parts', {}],
  [true, 'with one step', { steps: [{ minutes: 60, staffed: true }] }],
  [true, 'with another price of a person', { terms: [{ staff_id: 'anna', price: eur(6_000) }] }],
  [true, 'with terms of the same length', { terms: [{ staff_id: 'anna', duration_minutes: 60 }] }],
  [false, 'with several steps', { steps: colour, minutes: 90 }],
  [false, 'with a need', { needs: [room] }],
  [false, 'with terms of another length', { terms: [{ staff_id: 'anna', duration_minutes: 40 }] }],
  [
    false,
    'with several steps of a person',
    { terms: [{ staff_id: 'anna', steps: [30, 30].map((minutes) => ({ minutes, staffed: true })) }] },
  ],
])('it is %s that a service %s is plain', (expected, _name, parts) => {
  expect(isPlainService(service(parts))).toBe(expected)
})
