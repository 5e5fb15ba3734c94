import { vi } from 'vitest'
import { MemoryStore } from '../../src/access/rate-limit-stores.ts'
import { RateLimiter } from '../../src/access/rate-limits.ts'
import type { TakenRow } from '../../src/availability/availability-queries.ts'
import type { Engine } from '../../src/database/database.ts'
import { clientOf } from '../support/client.ts'
import { stripeVariables } from '../support/deposits.ts'
import { makeBusiness } from '../support/offers.ts'
import { startFakeStripe } from '../support/stripe-server.ts'
import { randomFrom } from '../support/random.ts'
import { startOfTime, startTestService, testClock, type TestService } from '../support/test-service.ts'
import { letStatementsFail } from './failing-statements.ts'
import { seededIds } from './seeded-ids.ts'
import type { Stage } from './world.ts'

/** The resources shared by all histories of an engine. */
export interface SharedStage extends Stage {
  /** Removes everything of earlier histories. IDs start over, and it is nine o'clock on another day. */
  clear(seed: number): void
  stop(): Promise<void>
}

/** Changes the rows that a replica answers. */
export type Lie = (rows: readonly TakenRow[]) => readonly TakenRow[]

const wholeDays = (time: number) => Math.ceil(time / 86_400_000) * 86_400_000

/**
 * Starts a service without background work, which would run at times that no seed determines. On PostgreSQL, two servers
 * of it answer by turns. With a lie, their replica answers with it.
 */
export async function startStage(engine: Engine, lie?: Lie): Promise<SharedStage> {
  const clock = testClock()
  const ids = seededIds()
  const stripe = await startFakeStripe(() => clock.nowMs())
  const start = async (beside?: TestService) => {
    const variables = {
      ...stripeVariables(stripe.url),
      ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'salon@example.com' }, // the waiting list needs emails; none is sent
      LOG_LEVEL: 'error',
      SESSION_SECONDS: '86400',
      MAX_HOLDS_PER_SESSION: '1000',
      MAX_HOLDS_PER_IP: '1000',
    }
    const limiter = new RateLimiter(new MemoryStore(), clock)
    const started = await startTestService(engine, variables, {
      clock,
      ids,
      limiter,
      ...(beside && { beside }),
    })
    const { deliveries, payments, mails, pushes, offers, requests } = started.app
    await Promise.all([deliveries, payments, mails, pushes, offers, requests].map((worker) => worker.stop()))
    started.context.dueDeliveries.listen(() => undefined)
    if (lie) answerWith(lie, started)
    return started
  }
  const first = await start()
  const servers = engine === 'postgres' ? [first, await start(first)] : [first]
  let turns = randomFrom(0)
  const service: TestService = { ...first, call: (...request) => turns.of(servers).call(...request) }
  const other = await makeBusiness(service)
  const endFailures = letStatementsFail(engine)
  vi.useFakeTimers({ toFake: ['Date'], now: clock.nowMs() })
  return {
    service,
    stripe,
    strangers: [clientOf(service, other.key), clientOf(service, service.world.hub.key)],
    other,
    isLiedTo: lie !== undefined,
    clear: (seed) => {
      ids.restart(seed)
      turns = randomFrom(seed * 31 + 7)
      clock.advance((startOfTime + wholeDays(clock.nowMs() - startOfTime) - clock.nowMs()) / 1000)
      stripe.sessions.clear()
      stripe.refunds.length = 0
      for (const { statements, logLines } of servers) statements.length = logLines.length = 0
      vi.setSystemTime(clock.nowMs())
    },
    stop: async () => {
      vi.useRealTimers()
      endFailures()
      for (const server of servers.toReversed()) await server.stop()
      await stripe.stop()
    },
  }
}

function answerWith(lie: Lie, { context: { db } }: TestService): void {
  db.recently = async <T>(read: (reads: typeof db.reads) => Promise<T>) => {
    const rows = await read(db.reads)
    return lie(rows as readonly TakenRow[]) as T
  }
}
