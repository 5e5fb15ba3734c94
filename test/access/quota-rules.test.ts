import { describe, expect, test } from 'vitest'
import {
  scaledLimit,
  quotaOfKey,
  quotasOfCaller,
  quotasOfExchange,
  anonymousQuotas,
  retryAfterSeconds,
  tightestWindow,
} from '../../src/access/rate-limit-rules.ts'

const none = { perMinute: null, perHour: null }
const own = { perMinute: 7, perHour: 70 }

describe('the limits', () => {
  test.each([
    ['growth', none, 30, 300],
    ['pro', none, 60, 1_000],
    ['enterprise', none, 600, 20_000],
    ['enterprise', own, 7, 70],
    ['enterprise', { perMinute: 7, perHour: null }, 7, 20_000],
    ['enterprise', { perMinute: null, perHour: 70 }, 600, 70],
    ['pro', own, 60, 1_000],
    ['growth', own, 30, 300],
  ] as const)(
    'of a key on %s with own figures %j are %i a minute and %i an hour',
    (plan, ownLimits, ...max) => {
      const quota = quotaOfKey({ type: 'business', keyId: 'x', plan, ownLimits }, 1)
      expect([quota.perMinute, quota.perHour]).toEqual(max)
    },
  )

  const ipv4 = { network: '192.0.2.1', widerNetwork: null }
  const ipv6 = { network: '2001:db8:1:7::/64', widerNetwork: '2001:db8:1::/48' }

  test('of addresses are 20 exchanges and 60 requests without a key, a minute; a /48 has four times as many', () => {
    expect(quotasOfExchange(ipv4, 1)).toMatchObject([{ perMinute: 20, perHour: null }])
    expect(anonymousQuotas(ipv4, 1)).toMatchObject([{ perMinute: 60, perHour: null }])
    expect(quotasOfExchange(ipv6, 1)).toMatchObject([{ perMinute: 20 }, { perMinute: 80, perHour: null }])
    expect(anonymousQuotas(ipv6, 1)).toMatchObject([{ perMinute: 60 }, { perMinute: 240, perHour: null }])
  })

  test.each([
    ['growth', none, 1, [30, 150, 600]],
    ['pro', none, 1, [60, 300, 1_200]],
    ['enterprise', none, 1, [600, 3_000, 12_000]],
    ['enterprise', own, 1, [7, 35, 140]],
    ['growth', none, 1.15, [34, 172, 690]],
  ] as const)(
    'of all sessions of an address on %s with own figures %j, times %d, are five times those of one: %j',
    (plan, ownLimits, factor, expected) => {
      const session = { type: 'session', keyId: 'x', plan, ownLimits, scope: { businessId: 'b' } } as const
      expect(quotasOfCaller(session, ipv6, factor).map(({ perMinute }) => perMinute)).toEqual(expected)
      expect(quotasOfCaller(session, ipv4, factor)).toHaveLength(2)
      expect(quotasOfCaller({ ...session, type: 'business' }, ipv6, factor)).toHaveLength(1)
    },
  )

  test.each([
    [20, 1, 20],
    [20, 1.15, 23], // 22.999… as a number
    [20, 0.349999, 6],
    [300, 0.001, 1],
    [20_000, 999_999, 19_999_980_000],
  ])('%i times %d is %i', (limit, factor, product) => {
    expect(scaledLimit(limit, factor)).toBe(product)
  })
})

describe('the window that is shown', () => {
  const quota = { kind: 'key', id: 'x', perMinute: 10, perHour: 20 } as const
  const show = (minute: [number, number] | null, hour: [number, number] | null) => {
    const window = (given: [number, number] | null) => given && { used: given[0], endsAtMs: given[1] }
    const windows = { minute: window(minute), hour: window(hour) }
    const { unit, remaining, resetsAtMs } = tightestWindow([{ quota, windows }], 0)
    return [unit, remaining, resetsAtMs]
  }

  test.each([
    ['fewer left in the minute', [3, 50], [3, 900], ['minute', 7, 50]],
    ['fewer left in the hour', [1, 50], [15, 900], ['hour', 5, 900]],
    ['as many left, the hour resets later', [4, 50], [14, 900], ['hour', 6, 900]],
    ['as many left, the minute resets later', [4, 50], [14, 49], ['minute', 6, 50]],
    ['both exhausted', [10, 50], [20, 900], ['hour', 0, 900]],
    ['both exhausted, the minute resets later', [10, 50], [20, 49], ['minute', 0, 50]],
    ['only the minute exhausted', [10, 50], [19, 900], ['minute', 0, 50]],
    ['more used than a lowered limit gives', [12, 50], [12, 900], ['minute', 0, 50]],
    ['no window open', null, null, ['minute', 10, 60_000]],
    ['the hour exhausted, no minute open', null, [20, 900], ['hour', 0, 900]],
  ] as [string, [number, number] | null, [number, number] | null, unknown[]][])(
    'with %s',
    (_what, minute, hour, expected) => {
      expect(show(minute, hour)).toEqual(expected)
    },
  )

  test('is found among the windows of all quotas', () => {
    const address = { kind: 'sessions', id: 'y', perMinute: 50, perHour: null } as const
    const of = (used: number, endsAtMs: number) => ({ minute: { used, endsAtMs }, hour: null })
    const show = (ofKey: [number, number], ofAddress: [number, number]) =>
      tightestWindow(
        [
          { quota, windows: of(...ofKey) },
          { quota: address, windows: of(...ofAddress) },
        ],
        0,
      )
    expect(show([3, 50], [44, 40])).toMatchObject({ kind: 'sessions', limit: 50, remaining: 6 })
    expect(show([5, 50], [44, 40])).toMatchObject({ kind: 'key', limit: 10, remaining: 5 })
    expect(show([10, 50], [50, 40])).toMatchObject({ kind: 'key', resetsAtMs: 50 })
    expect(show([10, 50], [50, 60])).toMatchObject({ kind: 'sessions', resetsAtMs: 60 })
  })

  test.each([
    [60_000, 0, 60],
    [60_000, 1, 60],
    [60_000, 59_000, 1],
    [60_000, 59_999, 1],
    [60_000, 60_000, 1],
  ])('of a window that ends at %i ms, at %i ms, is to be waited for %i s', (resetsAtMs, nowMs, seconds) => {
    expect(
      retryAfterSeconds({ kind: 'key', unit: 'minute', limit: 1, remaining: 0, resetsAtMs }, nowMs),
    ).toBe(seconds)
  })
})
