import { setTimeout as pause } from 'node:timers/promises'
import { median, type Plan } from './measure.ts'
import { postgresFor, startTargets } from './targets.ts'

/*
 * The startup time of a server, and its memory while it is idle. The first start, which creates the database and may
 * compile everything, is not counted.
 */

/** By then a server has dropped the memory that only its startup needed (src/cli/memory.ts). */
const quietMs = 6_000

/** Prints for each engine and checkout the medians of the rounds, in turns. */
export async function measureStart({ engines, rounds, against }: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  console.log(
    `Starts on a database that is there, and resident memory ${quietMs / 1_000} s later; ${rounds} of each.`,
  )
  const rows: object[] = []
  for (const engine of engines) {
    await using ofEngine = new AsyncDisposableStack()
    const targets = await startTargets(engine, { postgresUrl, against }, ofEngine)
    const seen = targets.map((target) => ({ target, startMs: [] as number[], megabytes: [] as number[] }))
    for (let round = 0; round < rounds; round += 1) {
      for (const { target, startMs, megabytes } of seen) {
        startMs.push(await target.restart())
        await pause(quietMs)
        megabytes.push(target.megabytes())
      }
    }
    for (const [index, { startMs, megabytes }] of seen.entries())
      rows.push({
        ...{ engine, checkout: index === 0 ? 'this' : 'other' },
        ...{ 'start ms': Math.round(median(startMs)), 'idle MB': Math.round(median(megabytes)) },
      })
  }
  console.table(rows)
}
