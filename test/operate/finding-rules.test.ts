import { describe, expect, test } from 'vitest'
import { readInstant } from '../../src/base/instants.ts'
import {
  damageFinding,
  fileFinding,
  findings,
  redisFinding,
  roleSettings,
  serverFindings,
} from '../../src/operate/doctor-rules.ts'
import type { ServerAnswer, ServersFound } from '../../src/database/postgres-inspection.ts'
import type { DatabaseFacts, FileFacts, HostFacts } from '../../src/operate/doctor-types.ts'

const now = readInstant('2026-11-20T09:00:00Z')
const later = (seconds: number) => readInstant(new Date(Date.parse(now) + seconds * 1000).toISOString())

const facts: DatabaseFacts = {
  migrations: ['0001-a', '0002-b'],
  missingOverlapRules: [],
  timeZones: [{ name: 'Europe/Berlin', usedBy: 'business 1' }],
  latestRecord: now,
  maxConnections: null,
  synchronousCommit: null,
  standbyNames: null,
  standbys: null,
  hiddenSenders: null,
  demoBusinesses: 0,
  businesses: 1,
}
const around: HostFacts = {
  engine: 'sqlite',
  production: true,
  poolSize: 10,
  databaseHosts: 1,
  connectionsBeside: 3,
  knownMigrations: ['0001-a', '0002-b'],
  systemTime: now,
  serviceTime: now,
  timeZoneData: '2026a',
  freeBytes: 10 ** 10,
  trialSettings: [],
}

/** Returns the state of every check, and its text. */
function found(changedFacts: Partial<DatabaseFacts> = {}, changedAround: Partial<HostFacts> = {}) {
  const all = findings({ ...facts, ...changedFacts }, { ...around, ...changedAround })
  return Object.fromEntries(all.map(({ check, state, detail }) => [check, `${state}: ${detail}`]))
}

test('where all is well, nothing is found', () => {
  const states = findings(facts, around).map(({ state }) => state)
  expect(states.length).toBeGreaterThan(5)
  expect(new Set(states)).toEqual(new Set(['ok']))
})

test('whatever is wrong comes with a fix, and what is well without', () => {
  const bad = findings(
    {
      ...facts,
      migrations: ['0001-a'],
      missingOverlapRules: ['claims_do_not_overlap'],
      timeZones: [{ name: 'Nowhere/Else', usedBy: 'x' }],
      latestRecord: later(60),
      maxConnections: 1,
      synchronousCommit: 'off',
      demoBusinesses: 4,
    },
    { ...around, timeZoneData: '2019c', freeBytes: 1, trialSettings: ['HOLD_SECONDS'] },
  )
  expect(bad.filter(({ state }) => state === 'ok')).toEqual([])
  expect(bad.filter(({ fix }) => !fix)).toEqual([])
  expect(bad).toHaveLength(10)
  expect(findings(facts, around).filter(({ fix }) => fix)).toEqual([])
})

describe('the schema', () => {
  test('lacks what this release knows and the database does not', () => {
    expect(found({ migrations: ['0001-a'] }).schema).toBe('fault: pending: 0002-b')
    expect(found({ migrations: undefined }).schema).toBe('fault: pending: 0001-a, 0002-b')
  })

  test('is newer when the database knows what this release does not', () => {
    const schema = found({ migrations: ['0001-a', '0002-b', '0003-c'] }).schema
    expect(schema).toBe('fault: the database is newer than this release (0003-c)')
  })

  test('of an empty database is all that is said of its contents', () => {
    for (const migrations of [undefined, []]) {
      const said = found({ migrations, missingOverlapRules: ['claims_do_not_overlap'], businesses: 0 })
      expect(said).not.toHaveProperty('overlap rules')
      expect(said).not.toHaveProperty('businesses')
    }
  })
})

test.each([
  [200 * 1024 * 1024, 'ok: 200 MB free'],
  [200 * 1024 * 1024 - 1, 'fault: only 199 MB free'],
  [0, 'fault: only 0 MB free'],
])('%d free bytes are %s', (freeBytes, said) => {
  expect(found({}, { freeBytes }).disk).toBe(said)
})

test('free space is no matter of this machine on PostgreSQL', () => {
  expect(found({}, { freeBytes: null })).not.toHaveProperty('disk')
})

test.each([
  [97, "ok: up to 100 of the server's 100"],
  [98, 'fault: DATABASE_POOL_SIZE is 98, plus 3 outside the pool; the server accepts 100'],
])('a pool of %d and three connections more for a server that takes 100 is %s', (poolSize, said) => {
  expect(found({ maxConnections: 100 }, { poolSize }).connections).toBe(said)
})

test.each([
  [{ standbyNames: '' }, 1, undefined],
  [
    { standbyNames: '*', synchronousCommit: 'on', standbys: 0, hiddenSenders: 0 },
    2,
    'fault: commits wait for a standby (*), and none is connected: every change gets 503',
  ],
  [
    { standbyNames: '*', synchronousCommit: 'on', standbys: 0, hiddenSenders: 0 },
    1,
    'fault: commits wait for a standby (*), and none is connected: every change gets 503',
  ],
  [
    { standbyNames: '*', synchronousCommit: 'on', standbys: 0, hiddenSenders: 1 },
    2,
    'warning: commits wait for a standby (*); the role of DATABASE_URL may not see if one is connected',
  ],
  [
    { standbyNames: 'ANY 1 (*)', synchronousCommit: 'on', standbys: 1, hiddenSenders: 0 },
    3,
    'ok: commits wait for a standby (ANY 1 (*))',
  ],
  ...['ANY 2 (*)', 'FIRST 2 (a, b)', '2 (a, b)', 'first 2(a,b)'].flatMap(
    (standbyNames): [Partial<DatabaseFacts>, number, string][] => {
      const facts = { standbyNames, synchronousCommit: 'on', hiddenSenders: 0 }
      const waits = `commits wait for 2 standbys (${standbyNames})`
      return [
        [{ ...facts, standbys: 2 }, 3, `ok: ${waits}`],
        [
          { ...facts, standbys: 1 },
          3,
          `fault: ${waits}, and only 1 of these is connected: every change gets 503`,
        ],
        [{ ...facts, standbys: 0 }, 3, `fault: ${waits}, and none is connected: every change gets 503`],
        [
          { ...facts, standbys: 1, hiddenSenders: 1 },
          3,
          `warning: ${waits}; the role of DATABASE_URL may not see if enough are connected`,
        ],
      ]
    },
  ),
  [
    { standbyNames: '2, b', synchronousCommit: 'on', standbys: 1, hiddenSenders: 0 },
    3,
    'ok: commits wait for a standby (2, b)',
  ],
  [
    { standbyNames: '', synchronousCommit: 'on' },
    2,
    'warning: commits wait for no standby (synchronous_standby_names is empty): a failover can lose the last acknowledged bookings',
  ],
  [
    { standbyNames: '*', synchronousCommit: 'local', standbys: 0, hiddenSenders: 0 },
    2,
    'warning: commits wait for no standby (synchronous_commit overrides it): a failover can lose the last acknowledged bookings',
  ],
])('what a failover loses, by %j and %d hosts', (changed, databaseHosts, said) => {
  expect(found(changed, { databaseHosts }).failover).toBe(said)
})

describe('several servers', () => {
  const answer = (host: string, changes: Partial<ServerAnswer> = {}): ServerAnswer => ({
    ...{ host, timeline: null, cluster: '7', startedAt: host, role: undefined },
    ...changes,
  })
  const [a, b, c] = [answer('a:1', { timeline: 3 }), answer('b:1'), answer('c:1')]
  const said = (found: Partial<ServersFound>) =>
    serverFindings({ servers: [a], replicas: [], ...found }).map(
      ({ check, state, detail, fix }) => `${state}: ${check}: ${detail}${fix ? ` -> ${fix}` : ''}`,
    )

  test('are told with what each does; one alone is not', () => {
    expect(said({ servers: [a, b] })).toEqual(['ok: servers: a:1 accepts writes, b:1 is a standby'])
    expect(said({})).toEqual([])
  })

  test('of which two take writes are a fault, which names the one to stop', () => {
    const [found, ...more] = said({ servers: [{ ...b, timeline: 4 }, a, c] })
    expect(found).toMatch(
      /^fault: servers: TWO PRIMARIES: a:1 \(timeline 3\) and b:1 \(timeline 4\) accept writes/,
    )
    expect(found).toContain('stop a:1 immediately: Holdfast uses the latest timeline, on b:1;')
    expect(more).toEqual([])
    expect(said({ servers: [a, { ...b, timeline: 3 }] })[0]).toContain('the leader of your cluster manager')
  })

  test('are one where two names lead to it', () => {
    expect(said({ servers: [a, { ...a, host: 'also-a:1' }] })).toEqual([
      'ok: servers: a:1 accepts writes, also-a:1 accepts writes',
    ])
  })

  test('of different clusters are a fault; a silent one is warned of', () => {
    expect(said({ servers: [a, { ...b, cluster: '8' }] })[0]).toMatch(
      /^fault: servers: DATABASE_URL: a:1 and b:1 are not servers of one cluster/,
    )
    expect(said({ servers: [a, { host: 'b:1', complaint: 'refused' }] })[0]).toMatch(
      /^warning: servers: DATABASE_URL: b:1 does not answer \(refused\) -> start it/,
    )
  })

  test.each([
    [b, 12.3, /^ok: reads: b:1 is at most 13 ms behind$/],
    [
      b,
      Infinity,
      /^warning: reads: DATABASE_READ_URL: b:1 is more than a second behind.* -> check pg_stat_repl/,
    ],
    [{ ...b, timeline: 3 }, undefined, /^warning: reads: DATABASE_READ_URL: b:1 accepts writes/],
    [
      { ...b, cluster: '8' },
      5,
      /^fault: reads: DATABASE_READ_URL: b:1 is not a standby of a:1 but of another/,
    ],
    [{ host: 'b:1', complaint: 'refused' }, undefined, /^fault: reads: .* at b:1 \(refused\) -> start it/],
    [
      { host: 'b:1', complaint: 'unsupported startup parameter: statement_timeout' },
      undefined,
      /-> PgBouncer answers there: add pgbouncer=true/,
    ],
  ])('the replica %j, %s ms behind', (answer, delayMs, expected) => {
    expect(said({ replicas: [{ answer, delayMs }] })).toEqual([expect.stringMatching(expected)])
  })

  test('of several replicas one is read, and the others are no fault', () => {
    const others = [
      { answer: a, delayMs: undefined },
      { answer: { host: 'd:1', complaint: 'refused' }, delayMs: undefined },
      { answer: c, delayMs: Infinity },
    ]
    expect(said({ replicas: [{ answer: b, delayMs: 12.3 }, ...others] })).toEqual([
      'ok: reads: b:1 is at most 13 ms behind',
      'ok: reads: a:1 accepts writes, so Holdfast reads from another',
      expect.stringMatching(
        /^warning: reads: .* at d:1 \(refused\) -> .*; until then, Holdfast reads from another$/,
      ),
      expect.stringMatching(
        /^warning: reads: .* c:1 is more than a second behind, so Holdfast reads from another/,
      ),
    ])
    expect(said({ replicas: others })).toEqual([
      expect.stringMatching(/^warning: reads: .* a:1 accepts writes, so it is not a standby/),
      expect.stringMatching(
        /^fault: reads: .* at d:1 \(refused\) -> .*; until then, Holdfast reads from the primary$/,
      ),
      expect.stringMatching(/c:1 is more than a second behind, so Holdfast reads from the primary/),
    ])
  })

  test('a role behind PgBouncer needs its settings', () => {
    const settings = {
      ...{ timezone: 'UTC', statement_timeout: '2000' },
      ...{ idle_in_transaction_session_timeout: '10000', plan_cache_mode: 'force_generic_plan' },
      jit: 'off',
    }
    expect(Object.keys(settings)).toEqual(Object.keys(roleSettings))
    const withRole = (name: string, changes = {}) =>
      said({ servers: [{ ...a, role: { name, settings: { ...settings, ...changes } } }] })
    expect(withRole('holdfast')).toEqual([expect.stringMatching(/^ok: role: holdfast has/)])
    expect(withRole('My role', { timezone: 'Europe/Berlin', statement_timeout: '0' })).toEqual([
      'warning: role: PgBouncer does not pass settings on, and the role My role lacks timezone, statement_timeout -> ' +
        `alter role "My role" set timezone = 'UTC'; alter role "My role" set statement_timeout = '2s'; then RECONNECT on the console of PgBouncer`,
    ])
  })
})

test('a Redis that answers is well; one that does not is told by its host, with the reason and the fix', () => {
  expect(redisFinding('10.0.0.1:6379', undefined)).toEqual({ check: 'redis', state: 'ok', detail: 'answers' })
  expect(redisFinding('10.0.0.1:6379', 'WRONGPASS')).toMatchObject({
    state: 'fault',
    detail: 'REDIS_URL: no Redis answers at 10.0.0.1:6379 (WRONGPASS)',
    fix: expect.stringContaining('password') as string,
  })
})

describe('the clock', () => {
  test.each([-6, 6])('that is %d s from the database is warned of', (seconds) => {
    expect(found({}, { systemTime: later(seconds) }).clock).toBe(
      'warning: this machine and the database are 6 s apart',
    )
  })

  test.each([-5, 5])('may be %d s from the database', (seconds) => {
    expect(found({}, { systemTime: later(seconds) }).clock).toMatch(/^ok/)
  })

  test('was set back when a record is more than five seconds ahead of it', () => {
    expect(found({ latestRecord: later(5) }).clock).toMatch(/^ok/)
    expect(found({ latestRecord: later(6) }).clock).toBe(
      'fault: a record is 6 s in the future, so the clock was set back',
    )
    expect(found({ latestRecord: null }).clock).toMatch(/^ok/)
  })
})

test('time zones that are not known are named with those who are in them', () => {
  const timeZones = [
    { name: 'Europe/Berlin', usedBy: 'business 1' },
    { name: 'Europe/Berlin', usedBy: 'location 2' },
  ]
  expect(found({ timeZones })['time zones']).toBe('ok: all 1 in use are known')
  expect(
    found({ timeZones: [...timeZones, { name: 'Mars/Base', usedBy: 'location 3' }] })['time zones'],
  ).toBe('fault: unknown to this runtime: Mars/Base (of location 3)')
})

test.each([
  ['2026a', 'ok: release 2026a'],
  ['2024b', 'ok: release 2024b'],
  ['2023d', 'warning: release 2023d is old'],
  ['0000', 'warning: release 0000 is old'],
])('time zone data of %s is %s', (timeZoneData, said) => {
  expect(found({}, { timeZoneData })['time zone data']).toBe(said)
})

test('demo businesses and trial settings are a matter of production alone', () => {
  const trial = { trialSettings: ['HOLD_SECONDS', 'RATE_LIMIT_FACTOR'] }
  expect(found({ demoBusinesses: 2 }).businesses).toBe('warning: a production database has 2 demo businesses')
  expect(found({}, trial)['trial settings']).toBe('warning: not the default: HOLD_SECONDS, RATE_LIMIT_FACTOR')
  const trying = found({ demoBusinesses: 2 }, { ...trial, production: false })
  expect(trying.businesses).toBe('ok: 1')
  expect(trying).not.toHaveProperty('trial settings')
})

test('a database without any business says how to make one', () => {
  const [finding] = findings({ ...facts, businesses: 0 }, around).filter(
    ({ check }) => check === 'businesses',
  )
  expect(finding).toMatchObject({
    state: 'warning',
    fix: expect.stringContaining('holdfast business create') as string,
  })
})

test('damages are named, and their absence too', () => {
  expect(damageFinding([]).state).toBe('ok')
  expect(damageFinding(['page 3', 'page 7'])).toMatchObject({
    state: 'fault',
    detail: 'the database file is damaged: page 3; page 7',
  })
})

describe('the file', () => {
  const file: FileFacts = {
    ...{ file: '/x.db', exists: true, insteadOfFile: null },
    ...{ unwritable: [], open: [], user: 'user 1' },
  }

  test.each([
    [{}, undefined],
    [{ exists: false }, 'warning: there is no file /x.db yet'],
    [{ insteadOfFile: 'a directory' }, 'fault: DATABASE_URL is /x.db, which is a directory'],
    [{ unwritable: ['/', '/x.db'] }, 'fault: user 1 cannot write /, /x.db'],
    [{ exists: false, unwritable: ['/'] }, 'fault: user 1 cannot write /'],
    [{ unwritable: ['/x.db'], open: ['/x.db'] }, 'fault: user 1 cannot write /x.db'],
    [
      { open: ['/x.db', '/x.db-wal'] },
      'warning: users other than the owner can open /x.db, /x.db-wal, with client data and webhook secrets',
    ],
  ])('%j: %s', (changes, said) => {
    const finding = fileFinding({ ...file, ...changes })
    expect(finding && `${finding.state}: ${finding.detail}`).toBe(said)
  })
})
