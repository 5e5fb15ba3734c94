import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packedClaims, unpackClaims } from '../../src/availability/packed-claim-queries.ts'
import { instantFromMs, latestMs } from '../../src/instants.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'

const occurrences = ['0198d6a0-0000-7000-8000-000000000001', 'ffffffff-ffff-8fff-bfff-ffffffffffff']
/** The first seconds that there are, the last, and some between: a time of microseconds is more than a number holds. */
const lastMs = latestMs - 999
const times = [
  0,
  1000,
  Date.UTC(2000, 0),
  Date.UTC(2026, 9, 25, 1, 30),
  Date.UTC(9000, 5, 5, 5, 5, 5),
  lastMs - 1000,
]
const claims = times.map((from, index) => ({
  held: index % 2 === 1,
  from,
  to: Math.min(from + 90_000_000, lastMs),
  seat: index === 4 ? 99_999 : index % 3,
  occurrenceId: occurrences[index % 2] ?? '',
}))

onEachEngine('packed claims', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  async function packed(seats: number): Promise<string> {
    const { reads } = service.context.db
    const type = (name: string) => sql.raw(engine === 'postgres' ? name : 'text')
    const rows = claims.map(({ held, from, to, seat, occurrenceId }) => {
      const [starts, ends] = [instantFromMs(from), instantFromMs(to)]
      return sql`
        select cast(${starts} as ${type('timestamptz')}) as starts_at, cast(${ends} as ${type('timestamptz')}) as ends_at,
               cast(${seat} as integer) as seat, cast(${occurrenceId} as ${type('uuid')}) as occurrence_id,
               cast(${held ? starts : null} as ${type('timestamptz')}) as expires_at`
    })
    const all = sql.join(rows, sql` union all `)
    const { rows: found } = await sql<{ packed: string }>`
      select ${packedClaims(engine, seats)} as packed from (${all}) as claims`.execute(reads)
    return found[0]?.packed ?? ''
  }

  test('are what they were, with the occurrences of many seats', async () => {
    expect(unpackClaims(engine, 8, await packed(8))).toEqual(claims)
  })

  test('of the only seat the occurrence does not matter', async () => {
    const expected = claims.map((claim) => ({
      ...claim,
      occurrenceId: claim.seat === 0 ? '' : claim.occurrenceId,
    }))
    expect(unpackClaims(engine, 1, await packed(1))).toEqual(expected)
  })
})
