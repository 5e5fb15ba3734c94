import { afterAll, beforeAll, test } from 'vitest'
import { allSteps, type Play } from '../simulation/play.ts'
import { isLong, onOneEngine, rounds } from '../support/long.ts'
import { seeds } from '../support/random.ts'
import { startFeePlay } from './fee-play.ts'

onOneEngine('sqlite', 'what fees take', (engine) => {
  let play: Play
  beforeAll(async () => {
    play = await startFeePlay(engine)
  })
  afterAll(() => play.stop())

  test(
    'is what the processor took, and never for what did not happen',
    async () => {
      for (const seed of seeds(rounds(engine === 'sqlite' ? 12 : 6, 10_000))) {
        await play.run(seed, allSteps(play)).catch((error: unknown) => {
          throw new Error(`seed ${String(seed)} on ${engine}`, { cause: error })
        })
      }
    },
    isLong ? 3_600_000 * 8 : 120_000,
  )
})
