import { describe, test } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { engines } from './test-service.ts'

/**
 * `npm test` runs each promise in one form, with few rounds. `npm run test:all` sets HOLDFAST_TEST_LONG=part: it also
 * runs the tests tagged `long`, and one in 250 of the further rounds. HOLDFAST_TEST_LONG=1 runs all rounds, in hours,
 * and the tests tagged `night`.
 */
const asked = process.env['HOLDFAST_TEST_LONG'] ?? ''

/** True if the long forms run, wholly or in part. */
export const isLong = asked !== ''
/** True if they run at their full length, and from their own seeds. */
export const isWhole = isLong && asked !== 'part'

/** A test that `npm test` skips: inherently slow, such as outages and timeouts of real seconds, or one more case. */
export const longTest = tagged(test, 'long')
/** A suite that `npm test` skips. */
export const longDescribe = tagged(describe, 'long')
/** A test that only HOLDFAST_TEST_LONG=1 runs: one more case of what another test proves. */
export const nightTest = tagged(test, 'night')
/** A suite that only HOLDFAST_TEST_LONG=1 runs. */
export const nightDescribe = tagged(describe, 'night')

/** Runs a test in one case, such as one engine, in `npm test`, and in the others in the long form. */
export function testIn(isBrief: boolean): typeof longTest {
  return isBrief ? test : longTest
}

/**
 * Like `test.each`. The first case runs in `npm test`, the others in the long form. Those from an index on run at night
 * only.
 */
export function testFirstOf<const Case extends readonly unknown[]>(
  cases: readonly Case[],
  { nightFrom = cases.length } = {},
): (name: string, work: (...values: Values<Case>) => void | Promise<void>) => void {
  return (name, work) => {
    for (const [index, values] of cases.entries())
      (index >= nightFrom ? nightTest : testIn(index === 0)).each([values as Values<Case>])(name, work)
  }
}

type Values<Case> = { -readonly [Index in keyof Case]: Case[Index] }

/** Runs a suite on one engine in `npm test`, and on the other in the long form. */
export function onOneEngine(brief: Engine, name: string, suite: (engine: Engine) => void): void {
  const isOnly = !engines.includes(brief)
  for (const engine of engines) {
    const run = isOnly || engine === brief ? describe : longDescribe
    run(`${name} (${engine})`, () => suite(engine))
  }
}

/** Returns the same API, but with the tag on each test or suite. */
function tagged<Api extends object>(api: Api, tag: string): Api {
  return new Proxy(api, {
    apply: (target, self, [name, first, second]: unknown[]) => {
      const [options, work] = typeof first === 'function' ? [{ timeout: second }, first] : [first, second]
      return Reflect.apply(target as () => unknown, self, [
        name,
        { ...(options as object), tags: [tag] },
        work,
      ])
    },
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'each' && key !== 'runIf') return value
      return (...args: unknown[]) => tagged(Reflect.apply(value as () => object, target, args), tag)
    },
  })
}

/** Returns a number of repetitions: few in `npm test`, many in the long form. */
export function rounds(short: number, long: number): number {
  if (isWhole) return long
  return isLong ? Math.ceil(short + (long - short) / 250) : short
}

/**
 * Prints the progress of a long run on stderr, at most once in half a minute. Call the result with the number of
 * finished parts.
 */
export function tellProgress(name: string, total: number): (done: number) => void {
  let toldAt = performance.now()
  return (done) => {
    if (!isLong || performance.now() - toldAt < 30_000) return
    toldAt = performance.now()
    process.stderr.write(`${name}: ${String(done)} of ${String(total)}\n`)
  }
}
