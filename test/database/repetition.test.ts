import { expect, test } from 'vitest'
import { DatabaseUnavailable, RetryTransaction, withRetries } from '../../src/database/database.ts'

class Conflict extends Error {}

const isConflict = (error: unknown) => error instanceof Conflict

/** Fails with these errors, one after the other, then returns the number of the attempt. */
function failing(...errors: Error[]) {
  const attempts: number[] = []
  const attemptOnce = (attempt: number) => {
    attempts.push(attempt)
    const error = errors[attempts.length - 1]
    return error ? Promise.reject(error) : Promise.resolve(attempt)
  }
  return { attempts, run: () => withRetries(attemptOnce, isConflict, () => 0) }
}

test('what succeeds is done once', async () => {
  const { attempts, run } = failing()
  expect(await run()).toBe(0)
  expect(attempts).toEqual([0])
})

test('a conflict and a Repeat are tried again, and the attempts are counted', async () => {
  const { attempts, run } = failing(new Conflict(), new RetryTransaction('lost a race'), new Conflict())
  expect(await run()).toBe(3)
  expect(attempts).toEqual([0, 1, 2, 3])
})

test('any other error is thrown as it is, at once', async () => {
  const error = new TypeError('a mistake')
  const { attempts, run } = failing(error)
  await expect(run()).rejects.toBe(error)
  expect(attempts).toEqual([0])
})

test('the sixth conflict in a row counts as unavailable, and names the last', async () => {
  const conflicts = Array.from({ length: 6 }, () => new Conflict())
  const { attempts, run } = failing(...conflicts)
  const error = await run().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(DatabaseUnavailable)
  expect((error as Error).cause).toBe(conflicts[5])
  expect(attempts).toEqual([0, 1, 2, 3, 4, 5])
})

test('a conflict that took 2.5 seconds to show is not tried again: the answer is due', async () => {
  let attempts = 0
  const slow = async () => {
    attempts += 1
    await new Promise((resolve) => setTimeout(resolve, 2_550)) // real time is the subject
    throw new Conflict()
  }
  await expect(withRetries(slow, isConflict, () => 0)).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(attempts).toBe(1)
})
