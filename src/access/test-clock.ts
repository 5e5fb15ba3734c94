import { atTestTime, inRealTime, type TestTime, testTime } from '../base/clock.ts'
import type { Context } from './context.ts'
import { findTestNow } from './access-queries.ts'

/** Returns the time of a test business whose clock stands still. Undefined in real time. */
export async function readTestTime(
  { db }: Pick<Context, 'db'>,
  businessId: string,
): Promise<TestTime | undefined> {
  const now = await findTestNow(db.reads, businessId)
  return now === undefined ? undefined : { businessId, now }
}

/** Runs work in the time of a test business if there is one, and otherwise in real time. */
export function inTime<T>({ clock }: Pick<Context, 'clock'>, time: TestTime | undefined, work: () => T): T {
  if (time) return atTestTime(clock, time, work)
  return testTime() === undefined ? work() : inRealTime(work)
}

/** Returns the time of a business that was read. Undefined in real time. */
export function timeOf({
  id,
  test_now,
}: {
  id: string
  test_now: TestTime['now'] | null
}): TestTime | undefined {
  return test_now === null ? undefined : { businessId: id, now: test_now }
}
