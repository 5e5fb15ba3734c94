import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Quota, Windows, WindowStore } from '../../src/access/rate-limit-types.ts'
import { randomFrom, seeds } from '../support/random.ts'
import { startOfTime } from '../support/test-service.ts'
import { onEachStore, type TestStore } from '../support/window-stores.ts'
import { LimitModel } from './limit-model.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const open = (used: number, endsAtMs: number) => ({ used, endsAtMs })

onEachStore('windows', (openStore) => {
  let store: TestStore
  let lastCaller = 0
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.close())

  /** Returns the quota of a caller that no other test uses. */
  const quotaOf = (perMinute: number, perHour: number | null = null): Quota => ({
    kind: 'key',
    id: `caller-${(lastCaller += 1)}`,
    perMinute,
    perHour,
  })
  const countAt = async (server: WindowStore, quota: Quota, nowMs: number) => {
    const { counted, windows } = await server.count([quota], nowMs)
    return { counted, ...(windows[0] as Windows) }
  }
  /** Sends a request that is always refused, which counts nothing and shows the present state. */
  const lookAt = async (server: WindowStore, quota: Quota, nowMs: number) => {
    const { counted, ...windows } = await countAt(server, { ...quota, perMinute: 0 }, nowMs)
    expect(counted).toBe(false)
    return windows
  }
  const count = (quota: Quota, afterMs: number) => countAt(store.servers[0], quota, startOfTime + afterMs)
  const look = (quota: Quota, afterMs: number) => lookAt(store.servers[1], quota, startOfTime + afterMs)

  test('both windows open with the first counted request, and the next one joins them', async () => {
    const quota = quotaOf(5, 9)
    expect(await look(quota, 0)).toEqual({ minute: null, hour: null })
    const first = { minute: open(1, startOfTime + 7 + minute), hour: open(1, startOfTime + 7 + hour) }
    expect(await count(quota, 7)).toEqual({ counted: true, ...first })
    expect(await look(quota, 8)).toEqual(first)
    expect(await count(quota, minute + 6)).toEqual({
      counted: true,
      minute: open(2, startOfTime + 7 + minute),
      hour: open(2, startOfTime + 7 + hour),
    })
  })

  test('a window is over at its end, not before, and the next opens with the next request', async () => {
    const quota = quotaOf(1)
    await count(quota, 0)
    expect(await count(quota, minute - 1)).toMatchObject({ counted: false })
    expect(await look(quota, minute)).toEqual({ minute: null, hour: null })
    expect(await count(quota, 3 * minute)).toEqual({
      counted: true,
      minute: open(1, startOfTime + 4 * minute),
      hour: null,
    })
  })

  test('a request that the minute refuses does not count in the hour', async () => {
    const quota = quotaOf(2, 5)
    const counts = []
    for (let request = 0; request < 50; request += 1) counts.push((await count(quota, request)).counted)
    expect(counts).toEqual([true, true, ...Array<boolean>(48).fill(false)])
    expect(await look(quota, 60)).toMatchObject({ minute: { used: 2 }, hour: { used: 2 } })
  })

  test('a request that the hour refuses opens no minute', async () => {
    const quota = quotaOf(2, 2)
    await count(quota, 0)
    await count(quota, 1)
    expect(await count(quota, 2 * minute)).toEqual({
      counted: false,
      minute: null,
      hour: open(2, startOfTime + hour),
    })
    expect(await look(quota, 2 * minute)).toMatchObject({ minute: null })
    expect(await count(quota, hour)).toMatchObject({ counted: true, minute: { used: 1 }, hour: { used: 1 } })
  })

  test('callers, and counts of different kinds, do not meet', async () => {
    const quota = quotaOf(1)
    const others = [
      quotaOf(1),
      { ...quota, kind: 'exchange' as const },
      { ...quota, kind: 'stranger' as const },
      { ...quota, kind: 'sessions' as const },
    ]
    await count(quota, 0)
    for (const other of others) expect(await count(other, 0)).toMatchObject({ counted: true })
    expect(await count(quota, 0)).toMatchObject({ counted: false })
  })

  test('a limit that is lowered meanwhile refuses at once, one that is raised lets through', async () => {
    const quota = quotaOf(10, 10)
    for (let request = 0; request < 5; request += 1) await count(quota, 0)
    expect(await count({ ...quota, perMinute: 3 }, 0)).toMatchObject({ counted: false, minute: { used: 5 } })
    expect(await count({ ...quota, perMinute: 6 }, 0)).toMatchObject({ counted: true, minute: { used: 6 } })
    expect(await count({ ...quota, perHour: 6 }, 0)).toMatchObject({ counted: false, hour: { used: 6 } })
  })

  test('limits beyond what 32 bits hold are counted', async () => {
    const quota = quotaOf(20_000_000_000, 20_000_000_000)
    expect(await count(quota, 0)).toMatchObject({ counted: true, hour: { used: 1 } })
    expect(await count(quota, 0)).toMatchObject({ counted: true, hour: { used: 2 } })
  })

  test('after a clock that ran far ahead was set back, its windows keep nobody out', async () => {
    const quota = quotaOf(1, 1)
    await count(quota, 24 * hour)
    expect(await look(quota, 0)).toEqual({ minute: null, hour: null })
    expect(await count(quota, 0)).toMatchObject({ counted: true, minute: open(1, startOfTime + minute) })
    expect(await count(quota, 0)).toMatchObject({ counted: false })
  })

  test('a clock that lags behind another by less than a minute joins its windows', async () => {
    const quota = quotaOf(2, 2)
    await count(quota, 50 * second)
    expect(await count(quota, 0)).toMatchObject({ counted: true, minute: { used: 2 }, hour: { used: 2 } })
    expect(await count(quota, 0)).toMatchObject({ counted: false })
  })

  test('of 150 requests at once over two servers exactly 40 are counted, each once', async () => {
    for (const perHour of [null, 1_000]) {
      const quota = quotaOf(40, perHour)
      const counts = await Promise.all(
        Array.from({ length: 150 }, (_, turn) =>
          countAt(store.servers[turn % 2 ? 1 : 0], quota, startOfTime + (turn % 7)),
        ),
      )
      const used = counts.filter(({ counted }) => counted).map(({ minute: window }) => window?.used)
      expect(used.toSorted((one, other) => Number(one) - Number(other))).toEqual(
        Array.from({ length: 40 }, (_, index) => index + 1),
      )
      expect(await look(quota, 10)).toMatchObject({ minute: { used: 40 } })
    }
  })

  test('of requests at once that reach the hour first exactly as many as it has left are counted', async () => {
    const quota = quotaOf(100, 130)
    for (let request = 0; request < 100; request += 1) await count(quota, 0)
    const counts = await Promise.all(
      Array.from({ length: 60 }, (_, turn) =>
        countAt(store.servers[turn % 2 ? 1 : 0], quota, startOfTime + 2 * minute),
      ),
    )
    expect(counts.filter(({ counted }) => counted)).toHaveLength(30)
  })

  test('a request of several callers counts for all, or for none when one of them is full', async () => {
    const [session, address, network] = [quotaOf(3, 9), quotaOf(2), quotaOf(8)]
    const all = [session, address, network]
    const now = startOfTime
    const used = async () => {
      const looks = await Promise.all(all.map((quota) => look(quota, 0)))
      return looks.map((windows) => [windows.minute?.used, windows.hour?.used])
    }
    for (const counted of [true, true, false, false]) {
      expect(await store.servers[0].count(all, now)).toMatchObject({ counted })
    }
    expect(await used()).toEqual([
      [2, 2],
      [2, undefined],
      [2, undefined],
    ])
    expect(await store.servers[0].count([session, network], now)).toEqual({
      counted: true,
      windows: [
        { minute: open(3, now + minute), hour: open(3, now + hour) },
        { minute: open(3, now + minute), hour: null },
      ],
    })
    const other = quotaOf(5)
    expect(await store.servers[1].count([other, session, network], now)).toEqual({
      counted: false,
      windows: [
        { minute: null, hour: null },
        { minute: open(3, now + minute), hour: open(3, now + hour) },
        { minute: open(3, now + minute), hour: null },
      ],
    })
    expect(await look(other, 0)).toEqual({ minute: null, hour: null })
  })

  test('of requests at once, of ever new callers with an address in common, over two servers, each window takes exactly what it has', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sessions = Array.from({ length: 6 }, () => quotaOf(10, 12))
      const [address, network] = [quotaOf(40), quotaOf(45)]
      const counts = await Promise.all(
        Array.from({ length: 120 }, async (_, turn) => {
          const session = sessions[turn % 6] as Quota
          const others = turn % 4 === 0 ? [network] : [address, network]
          // in any order: waiting must not form a circle
          const quotas = turn % 3 ? [session, ...others] : [...others, session]
          const { counted } = await store.servers[turn % 2 ? 1 : 0].count(quotas, startOfTime + (turn % 7))
          return { counted, session, others }
        }),
      )
      const counted = counts.filter((one) => one.counted)
      expect(counted).toHaveLength(45)
      for (const quota of [...sessions, address, network]) {
        const own = counted.filter(({ session, others }) => session === quota || others.includes(quota))
        expect((await look(quota, 10)).minute?.used ?? 0).toBe(own.length)
        expect(own.length).toBeLessThanOrEqual(quota.perMinute)
      }
    }
  })

  test.each(seeds(8))(
    'a random sequence of requests is counted as the plain model counts it (seed %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const model = new LimitModel()
      const quotas = Array.from({ length: 3 }, () =>
        quotaOf(1 + random.below(6), random.chance(0.7) ? 1 + random.below(25) : null),
      )
      let nowMs = startOfTime
      let refused = 0
      for (let step = 0; step < 300; step += 1) {
        nowMs += random.of([0, 0, 0, 1, random.below(20_000), minute - 1, minute, random.below(hour / 4)])
        const quota = random.of(quotas)
        const server = random.of(store.servers)
        if (random.chance(0.2)) {
          expect(await lookAt(server, quota, nowMs)).toEqual(model.windows(quota, nowMs))
          continue
        }
        const expected = model.count(quota, nowMs)
        if (!expected.counted) refused += 1
        expect({ step, ...(await countAt(server, quota, nowMs)) }).toEqual({ step, ...expected })
      }
      expect(refused).toBeGreaterThan(10) // otherwise the sequence proves little
    },
  )
})

// memory does not wait, and Redis handles each request separately
onEachStore(
  'waiting requests',
  (openStore) => {
    test('of one business do not come before those of another that arrived later', async () => {
      const store = await openStore()
      try {
        const ended: string[] = []
        const countFor = async (owner: string, id: string) => {
          const quota: Quota = { kind: 'key', id, perMinute: 1_000, perHour: null }
          await store.servers[0].count([quota], startOfTime, owner)
          ended.push(owner)
        }
        await store.servers[0].start?.(
          [{ kind: 'key', id: 'first', perMinute: 9, perHour: null }],
          startOfTime,
        ) // opening a connection takes longer than a group
        const busy = Array.from({ length: 400 }, (_, index) => countFor('busy', `busy-${index}`))
        await Promise.all([...busy, countFor('quiet', 'quiet')])
        expect(ended.indexOf('quiet')).toBeLessThan(200) // 64 in each of three groups
      } finally {
        await store.close()
      }
    })
  },
  (store) => store === 'postgres',
)
