import { describe, test } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { engines } from './test-service.ts'

/**
 * `npm test` runs each promise in one form, with few rounds. `npm run test:all` then runs the tests tagged `long`, with
 * HOLDFAST_TEST_LONG=part: a fiftieth of the further rounds. HOLDFAST_TEST_LONG=1 runs all rounds, in hours.
 */
const asked = process.env['HOLDFAST_TEST_LONG'] ?? ''

/** Whether the long forms run, or a part of them. */
export const isLong = asked !== ''
/** Whether they run in their whole length, and from seeds of their own. */
export const isWhole = isLong && asked !== 'part'

/** The tag of everything that `npm test` skips. */
const tags = ['long']

/** A test of the long form alone: slow by its proof, such as outages and timeouts of real seconds, or one more case. */
export const longTest = tagged(test)
/** A suite of the long form alone. */
export const longDescribe = tagged(describe)

/** A test of `npm test` in one case, such as on one engine, and of the long form in the others. */
export function testIn(isBrief: boolean): typeof longTest {
  return isBrief ? test : longTest
}

/** Like `test.each`: the first case is one of `npm test`, the others are of the long form. */
export function testFirstOf<const Case extends readonly unknown[]>(
  cases: readonly Case[],
): (name: string, work: (...values: Values<Case>) => void | Promise<void>) => void {
  return (name, work) => {
    for (const [index, values] of cases.entries())
      testIn(index === 0).each([values as Values<Case>])(name, work)
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

/** The same, where each test or suite has the tag. */
function tagged<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    apply: (target, self, [name, first, second]: unknown[]) => {
      const [options, work] = typeof first === 'function' ? [{ timeout: second }, first] : [first, second]
      return Reflect.apply(target as () => unknown, self, [name, { ...(options as object), tags }, work])
    },
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'each') return value
      return (...args: unknown[]) => tagged(Reflect.apply(value as () => object, target, args))
    },
  })
}

/** How often something is done: seldom in `npm test`, often in the long form. */
export function rounds(short: number, long: number): number {
  if (isWhole) return long
  return isLong ? Math.ceil(short + (long - short) / 50) : short
}

/** Tells on stderr how far a long run is, at most once in half a minute: `tell(done)` after each part of `total`. */
export function tellProgress(name: string, total: number): (done: number) => void {
  let toldAt = performance.now()
  return (done) => {
    if (!isLong || performance.now() - toldAt < 30_000) return
    toldAt = performance.now()
    process.stderr.write(`${name}: ${String(done)} of ${String(total)}\n`)
  }
}
