import { afterAll, beforeAll, expect, test } from 'vitest'
import { onOneEngine, rounds, tellProgress, testIn } from '../support/long.ts'
import { seeds } from '../support/random.ts'
import { startBusinessPlay } from './business-play.ts'
import { allSteps, HistoryError, type Play, shortest } from './play.ts'

/*
 * A failing seed is named, and HOLDFAST_TEST_SEED=<seed> repeats exactly its steps. `npm run simulate` runs many more,
 * and cuts a failing one to its shortest.
 */

/** Seeds on each engine. All together 20 or 10,000. */
const brief = 10
const histories = rounds(brief, 5_000)
const shownSteps = 20

onOneEngine('sqlite', 'random histories', (engine) => {
  let play: Play
  beforeAll(async () => {
    play = await startBusinessPlay(engine)
  })
  afterAll(() => play.stop())

  const first = engine === 'sqlite' ? 1 : histories + 1
  const tell = tellProgress(`random histories on ${engine}`, histories)
  for (const [index, seed] of seeds(histories, first).entries()) {
    testIn(index < brief)(`go as the model says, with seed ${seed}`, async () => {
      tell(index)
      try {
        await play.run(seed, allSteps(play))
      } catch (error) {
        const run = `HOLDFAST_TEST_SEED=${String(seed)} npx vitest run test/simulation -t ${engine}`
        const last = error instanceof HistoryError ? error.log.slice(-shownSteps).join('\n') : ''
        throw new Error(`seed ${String(seed)} on ${engine}; replay with ${run}\n${last}`, { cause: error })
      }
    })
  }
})

test('a failing history is cut to the steps that make it fail', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index)
  const fails = (kept: readonly number[]) =>
    Promise.resolve([3, 17, 18, 39].every((one) => kept.includes(one)))
  expect(await shortest(numbers, fails)).toEqual([3, 17, 18, 39])
  let tries = 0
  const cut = await shortest(numbers, (kept) => fails(kept).finally(() => (tries += 1)), 5)
  expect([await fails(cut), tries]).toEqual([true, 5])
})
