import { vi } from 'vitest'
import { MemoryStore } from '../../src/access/rate-limit-stores.ts'
import { RateLimiter } from '../../src/access/rate-limits.ts'
import type { Engine } from '../../src/database/database.ts'
import { clientOf } from '../support/client.ts'
import { stripeVariables } from '../support/deposits.ts'
import { makeBusiness } from '../support/offers.ts'
import { startFakeStripe } from '../support/stripe-server.ts'
import { startOfTime, startTestService, testClock } from '../support/test-service.ts'
import { letStatementsFail } from './failing-statements.ts'
import { seededIds } from './seeded-ids.ts'
import type { Stage } from './world.ts'

/** The resources shared by all histories of an engine. */
export interface SharedStage extends Stage {
  /** Removes everything of earlier histories. IDs start over, and it is nine o'clock on another day. */
  clear(seed: number): void
  stop(): Promise<void>
}

const wholeDays = (time: number) => Math.ceil(time / 86_400_000) * 86_400_000

/** Starts a service without background work, which would run at times that no seed determines. */
export async function startStage(engine: Engine): Promise<SharedStage> {
  const clock = testClock()
  const ids = seededIds()
  const stripe = await startFakeStripe(() => clock.nowMs())
  const service = await startTestService(
    engine,
    {
      ...stripeVariables(stripe.url),
      LOG_LEVEL: 'error',
      SESSION_SECONDS: '86400',
      MAX_HOLDS_PER_SESSION: '1000',
      MAX_HOLDS_PER_IP: '1000',
    },
    { clock, ids, limiter: new RateLimiter(new MemoryStore(), clock) },
  )
  await Promise.all([service.app.deliveries.stop(0), service.app.payments.stop()])
  service.context.dueDeliveries.listen(() => undefined)
  const other = await makeBusiness(service)
  const endFailures = letStatementsFail(engine)
  vi.useFakeTimers({ toFake: ['Date'], now: clock.nowMs() })
  return {
    service,
    stripe,
    strangers: [clientOf(service, other.key), clientOf(service, service.world.hub.key)],
    other,
    clear: (seed) => {
      ids.restart(seed)
      clock.advance((startOfTime + wholeDays(clock.nowMs() - startOfTime) - clock.nowMs()) / 1000)
      stripe.sessions.clear()
      stripe.refunds.length = 0
      service.statements.length = 0
      service.logLines.length = 0
      vi.setSystemTime(clock.nowMs())
    },
    stop: async () => {
      vi.useRealTimers()
      endFailures()
      await service.stop()
      await stripe.stop()
    },
  }
}
