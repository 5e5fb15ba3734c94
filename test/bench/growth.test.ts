import { expect, test } from 'vitest'
import {
  costs,
  databaseOf,
  divide,
  makeBusinesses,
  measuredPoint,
  needsOf,
  processorMs,
  sharesOf,
  sum,
} from '../../bench/growth.ts'

const all = makeBusinesses(1, { businesses: 50_000, hubs: 50 })
const perDayOf = (businesses: { perDay: number }[]) => sum(businesses.map(({ perDay }) => perDay))

test('most businesses have a few bookings a day, and some have hundreds', () => {
  const sizes = all.map(({ perDay }) => perDay).toSorted((one, other) => one - other)
  expect(sizes).toHaveLength(50_000)
  expect(sizes[25_000]).toBeCloseTo(2, 0)
  expect(perDayOf(all) / 50_000).toBeCloseTo(2 * Math.exp(1.5 ** 2 / 2), 0)
  expect(sizes.at(-1)).toBeGreaterThan(400)
  expect(sizes.at(-1)).toBeLessThan(5_000)
})

test('the same seed gives the same businesses, another one others', () => {
  expect(makeBusinesses(7, { businesses: 100, hubs: 2 })).toEqual(
    makeBusinesses(7, { businesses: 100, hubs: 2 }),
  )
  expect(makeBusinesses(7, { businesses: 100, hubs: 2 })).not.toEqual(
    makeBusinesses(8, { businesses: 100, hubs: 2 }),
  )
})

test('a hub has many businesses, all in one zone and one database', () => {
  const hubs = Map.groupBy(all, ({ group }) => group)
  const large = [...hubs.values()].filter((members) => members.length > 1)
  expect(large).toHaveLength(50)
  for (const members of large) {
    expect(members.length).toBeGreaterThanOrEqual(20)
    expect(new Set(members.map(({ zone }) => zone)).size).toBe(1)
    expect(new Set(members.map(({ group }) => databaseOf(group, 16))).size).toBe(1)
  }
})

test.each([1, 4, 64])(
  'over %i databases nothing is lost, and none has far more than its part',
  (databases) => {
    const parts = divide(all, databases)
    expect(parts).toHaveLength(databases)
    expect(sum(parts.map(({ businesses }) => businesses))).toBe(all.length)
    expect(perDayOf(parts)).toBeCloseTo(perDayOf(all), 3)
    expect(Math.max(...parts.map(({ businesses }) => businesses)) / (all.length / databases)).toBeLessThan(2)
    expect(Math.max(...parts.map(({ hottestPerDay }) => hottestPerDay))).toBe(
      Math.max(...all.map(({ perDay }) => perDay)),
    )
  },
)

test('the peak lies above the mean of the day, and below that of a single zone', () => {
  const [together] = divide(all, 1)
  const ratioOf = ({ peakPerSecond, perDay }: { peakPerSecond: number; perDay: number }) =>
    (peakPerSecond * 86_400) / perDay
  const [alone] = divide([{ perDay: 100, zone: 0, group: 1 }], 1)
  if (!together || !alone) throw new Error('there is no part')
  expect(ratioOf(alone)).toBeCloseTo(2 * 24 * 0.08)
  expect(ratioOf(together)).toBeGreaterThan(2)
  expect(ratioOf(together)).toBeLessThan(ratioOf(alone))
})

test('needs grow with bookings, and the first limit to be met stands first', () => {
  const [once, twice] = [1, 2].map(
    (times) => needsOf({ perDay: 1e6 * times, peakPerSecond: 40 * times }).needs,
  )
  if (!once || !twice) throw new Error('there are no needs')
  expect(twice.processors).toBeCloseTo(2 * once.processors)
  expect(twice.terabytes).toBeCloseTo(2 * once.terabytes)
  expect(once.processors).toBeCloseTo((40 * processorMs('databaseMs')) / 1000)
  const shares = sharesOf(once).map(([, share]) => share)
  expect(shares).toEqual(shares.toSorted((one, other) => other - one))
  expect(shares[0]).toBeGreaterThan(0)
})

test('what was measured on one database is reckoned to fit there, and not twice of it', () => {
  const flow = costs.filter(({ operation }) => operation === 'session, hold, booking')
  expect(flow).toHaveLength(1)
  const ms = processorMs('serviceMs', flow) + processorMs('databaseMs', flow)
  const used = (measuredPoint.flowsPerSecond * ms) / 1000
  expect(used).toBeLessThan(measuredPoint.processors)
  expect(2 * used).toBeGreaterThan(measuredPoint.processors)
})
