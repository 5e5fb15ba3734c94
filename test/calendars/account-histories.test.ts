import { afterAll, beforeAll, describe } from 'vitest'
import { allSteps, type Play } from '../simulation/play.ts'
import { accountKinds } from '../support/account-kinds.ts'
import { onOneEngine, rounds, testIn } from '../support/long.ts'
import { seeds } from '../support/random.ts'
import { startAccountPlay } from './account-play.ts'

const brief = 3
const histories = rounds(brief, 500)

onOneEngine('sqlite', 'random histories of calendar accounts', (engine) => {
  describe.each(accountKinds)('at %s', (_name, start) => {
    let play: Play
    beforeAll(async () => {
      play = await startAccountPlay(engine, start)
    })
    afterAll(() => play.stop())

    const first = engine === 'sqlite' ? 1 : histories + 1
    for (const [index, seed] of seeds(histories, first).entries()) {
      testIn(index < brief)(`end with the same on both sides, with seed ${seed}`, async () => {
        await play.run(seed, allSteps(play))
      })
    }
  })
})
