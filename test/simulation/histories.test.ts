import { afterAll, beforeAll } from 'vitest'
import { rounds, tellProgress, testIn } from '../support/long.ts'
import { seeds } from '../support/random.ts'
import { onEachEngine } from '../support/test-service.ts'
import { checkTables } from './check-tables.ts'
import { startStage, type SharedStage } from './stage.ts'
import { takeStep } from './steps.ts'
import { makeWorld } from './world.ts'

/*
 * Random histories of a business, compared with a simple model. Each answer must match the model, and so must the
 * tables at the end. A failing seed is named, and HOLDFAST_TEST_SEED=<seed> repeats exactly its steps.
 */

/** Seeds on each engine. All together 20 or 10,000. */
const brief = 10
const histories = rounds(brief, 5_000)
const steps = 40
const shownSteps = 20

onEachEngine('random histories', (engine) => {
  let stage: SharedStage
  beforeAll(async () => {
    stage = await startStage(engine)
  })
  afterAll(() => stage.stop())

  const first = engine === 'sqlite' ? 1 : histories + 1
  const tell = tellProgress(`random histories on ${engine}`, histories)
  for (const [index, seed] of seeds(histories, first).entries()) {
    testIn(index < brief)(`go as the model says, with seed ${seed}`, async () => {
      tell(index)
      stage.clear(seed)
      const world = await makeWorld(stage, seed)
      try {
        for (let taken = 0; taken < steps; taken += 1) await takeStep(world)
        await checkTables(world)
      } catch (error) {
        const run = `HOLDFAST_TEST_SEED=${String(seed)} npx vitest run test/simulation -t ${engine}`
        const last = world.log.slice(-shownSteps).join('\n')
        throw new Error(`seed ${String(seed)} on ${engine}; replay with ${run}\n${last}`, { cause: error })
      }
    })
  }
})
