import type { Engine } from '../../src/database/database.ts'
import { checkTables } from './check-tables.ts'
import { HistoryError, type Play, randomOfStep } from './play.ts'
import { type Lie, startStage } from './stage.ts'
import { takeStep } from './steps.ts'
import { makeWorld } from './world.ts'

/**
 * Random histories of a business, compared with a simple model. Each answer must match the model, and so must the
 * tables at the end.
 */
export async function startBusinessPlay(engine: Engine, lie?: Lie): Promise<Play> {
  const stage = await startStage(engine, lie)
  return {
    steps: 40,
    run: async (seed, numbers) => {
      stage.clear(seed)
      const world = await makeWorld(stage, seed)
      const begin = world.model.now
      try {
        for (const number of numbers) {
          world.random = randomOfStep(seed, number)
          await takeStep(world)
        }
        await checkTables(world)
      } catch (error) {
        throw new HistoryError(world.log, error)
      }
      return world.model.now - begin
    },
    stop: () => stage.stop(),
  }
}
