import { describe, test } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { engines } from './test-service.ts'

/**
 * How much is done: `npm test` has one form of each promise and few rounds, HOLDFAST_TEST_LONG=1 does it all
 * (`npm run test:long`), and HOLDFAST_TEST_LONG=part the cases that `npm test` skips, with a fiftieth of the further
 * rounds (`npm run test:part`, in `.ci/run`).
 */
const asked = process.env['HOLDFAST_TEST_LONG'] ?? ''

/** Whether the long forms run, or a part of them. */
export const isLong = asked !== ''
/** Whether they run in their whole length, and from seeds of their own. */
export const isWhole = isLong && asked !== 'part'

/** In the name of everything that `npm test` skips; `npm run test:part` runs what has it, and nothing else. */
const mark = ' (in npm run test:part)'

/** A test of the long form alone: slow by its proof, such as outages and timeouts of real seconds, or one more case. */
export const longTest = markNames(test.runIf(isLong))
/** A suite of the long form alone. */
export const longDescribe = markNames(describe.runIf(isLong))

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

function markNames<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    apply: (target, self, [name, ...rest]: [string, ...unknown[]]) =>
      Reflect.apply(target as () => unknown, self, [name + mark, ...rest]),
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'each') return value
      return (...args: unknown[]) => markNames(Reflect.apply(value as () => object, target, args))
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
