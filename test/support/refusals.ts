import { expect } from 'vitest'
import { snapshot } from './records.ts'
import type { Reply, TestService } from './test-service.ts'

/** Expects a call to be refused in this way, and to have written nothing. */
export async function expectRefusal(
  service: TestService,
  attempt: () => Promise<Reply>,
  expected: { status: number; body: object; headers?: object },
): Promise<void> {
  const before = await snapshot(service)
  expect(await attempt()).toMatchObject(expected)
  expect(await snapshot(service)).toEqual(before)
}

/** Returns the pointers of faults in a 422 reply, sorted. */
export function pointersOf(reply: Reply): string[] {
  const fieldErrors = reply.body.errors as { pointer: string }[]
  return fieldErrors.map(({ pointer }) => pointer).toSorted()
}
