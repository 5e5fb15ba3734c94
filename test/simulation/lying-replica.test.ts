import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { TakenRow } from '../../src/availability/availability-queries.ts'
import { onOneEngine, rounds, testIn } from '../support/long.ts'
import { seeds } from '../support/random.ts'
import { startBusinessPlay } from './business-play.ts'
import { allSteps, type Play } from './play.ts'
import type { Lie } from './stage.ts'

/*
 * A replica that lies about the times that are taken. Free times may then be wrong. Every hold, booking and change
 * still goes as the model says, because the primary decides.
 */

const brief = 2
const histories = rounds(brief, 400)

/** Answers with the rows of so many questions before, as a replica that lags without knowing. */
function staleBy(questions: number): Lie {
  const answers: (readonly TakenRow[])[] = []
  return (rows) => {
    answers.push(rows)
    const old = answers.length > questions ? answers.shift() : undefined
    const isOld = ({ kind }: TakenRow) => kind === 'claims' // the rest fits its own question only
    return rows.filter((row) => !isOld(row)).concat((old ?? []).filter(isOld))
  }
}

/** Says that others are taken than really are, and that somebody who is taken alone is free. */
const wrong: Lie = (rows) => {
  const ids = rows.flatMap((row) => (row.kind === 'claims' ? row.id : []))
  return rows.flatMap((row) => {
    if (row.kind !== 'claims') return row
    return ids.length > 1 ? { ...row, id: ids[(ids.indexOf(row.id) + 1) % ids.length] ?? '' } : []
  })
}

const versionsOf = (rows: readonly TakenRow[]) => rows.filter(({ kind }) => kind === 'version')

onOneEngine('sqlite', 'a replica', (engine) => {
  describe.each([
    ['stale', staleBy(5)],
    ['wrong', wrong],
    ['empty', versionsOf],
  ] as const)('that is %s', (_how, lie) => {
    let play: Play
    let lies = 0
    beforeAll(async () => {
      play = await startBusinessPlay(engine, (rows) => {
        const told = lie(rows)
        if (JSON.stringify(told) !== JSON.stringify(rows)) lies += 1
        return told
      })
    })
    afterAll(async () => {
      await play.stop()
      expect(lies).toBeGreaterThan(0)
    })

    for (const [index, seed] of seeds(histories, 7_001).entries())
      testIn(index < brief)(`decides nothing, with seed ${seed}`, async () => {
        await play.run(seed, allSteps(play))
      })
  })
})
