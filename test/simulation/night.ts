import { expect, test } from 'vitest'
import { startAccountPlay } from '../calendars/account-play.ts'
import { startFeePlay } from '../payments/fee-play.ts'
import { accountKinds } from '../support/account-kinds.ts'
import { engines } from '../support/test-service.ts'
import { startBusinessPlay } from './business-play.ts'
import { allSteps, HistoryError, type Play, shortest } from './play.ts'
import type { Night } from './simulate.ts'

/*
 * Histories of all kinds in turns, until the time is over. A failing one is cut to its shortest and printed, and the
 * others of its kind are left out.
 */

const night = JSON.parse(process.env['HOLDFAST_SIMULATE'] ?? '{}') as Night
const end = performance.now() + night.minutes * 60_000
/** Histories of one kind before it is the turn of the next. */
const atOnce = 25

interface Run {
  name: string
  start: () => Promise<Play>
  play?: Play
  done: number
  steps: number
  simulatedMs: number
  failure?: string
}

const kinds: [name: string, start: (engine: (typeof engines)[number]) => Promise<Play>][] = [
  ['business', (engine) => startBusinessPlay(engine)],
  ['fees', startFeePlay],
  ...accountKinds.map(([name, start]): (typeof kinds)[number] => [
    `calendars at ${name}`,
    (engine) => startAccountPlay(engine, start),
  ]),
]

const runs = engines
  .filter((engine) => night.engine === '' || engine === night.engine)
  .flatMap((engine) =>
    kinds.map(([name, start]): Run => ({
      ...{ name: `${name} on ${engine}`, start: () => start(engine) },
      ...{ done: 0, steps: 0, simulatedMs: 0 },
    })),
  )
  .filter(({ name }) => name.includes(night.kind))

test('random histories go as the models say', { timeout: (night.minutes + 30) * 60_000 }, async () => {
  expect(
    runs.map(({ name }) => name),
    'kinds that --kind and --engine leave',
  ).not.toEqual([])
  const isOpen = (run: Run) => run.done < night.seeds && run.failure === undefined
  while (performance.now() < end && runs.some(isOpen)) {
    for (const run of runs) {
      run.play = await run.start() // again, because a service with thousands of businesses is slow
      for (let one = 0; one < atOnce && isOpen(run) && performance.now() < end; one += 1) await runNext(run)
      await run.play.stop()
    }
  }
  console.table(
    runs.map(({ name, done, steps, simulatedMs, failure }) => ({
      ...{ kind: name, histories: done, steps, 'simulated hours': Math.round(simulatedMs / 3_600_000) },
      failed: failure !== undefined,
    })),
  )
  const failed = runs.filter(({ failure }) => failure !== undefined)
  expect(
    failed.map(({ name }) => name),
    'kinds with a history that failed, as printed above',
  ).toEqual([])
})

async function runNext(run: Run): Promise<void> {
  const { play } = run
  if (!play) return
  const seed = night.from + run.done
  const numbers = allSteps(play)
  run.done += 1
  run.steps += numbers.length
  try {
    run.simulatedMs += await play.run(seed, numbers)
  } catch (error) {
    run.failure = await describe(run, { seed, numbers, error })
    console.error(run.failure)
  }
}

/** Cuts a failing history to its shortest and returns it as text. */
async function describe(
  { name, play }: Run,
  { seed, numbers, error }: { seed: number; numbers: number[]; error: unknown },
): Promise<string> {
  let last = error
  const kept = await shortest(numbers, async (fewer) => {
    try {
      await play?.run(seed, fewer)
      return false
    } catch (found) {
      last = found
      return true
    }
  })
  const log = last instanceof HistoryError ? last.log : []
  return [
    `${name}, seed ${String(seed)}: ${String(kept.length)} of ${String(numbers.length)} steps are enough to fail.`,
    ...log.map((line) => `  ${line}`),
    ...differenceOf(last),
    `Again: npm run simulate -- --from ${String(seed)} --seeds 1 --kind "${name}"`,
  ].join('\n')
}

/** Returns the message of an error, and the values that an assertion compared. */
function differenceOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  const assertion = (error.cause ?? error) as { expected?: unknown; actual?: unknown }
  const shown = (value: unknown) =>
    (JSON.stringify(value) as string | undefined)?.slice(0, 4_000) ?? 'undefined'
  if (!('expected' in assertion)) return [error.message]
  return [error.message, `  expected ${shown(assertion.expected)}`, `  actual   ${shown(assertion.actual)}`]
}
