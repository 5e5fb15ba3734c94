import { Load, type Outcome } from './load.ts'
import { median, type Plan } from './measure.ts'
import { refusedWithOthers, won, type World } from './operations.ts'
import { postgresFor, startTargets } from './targets.ts'

/* One slot that 1,000 clients want at the same time, each with a session and a connection. Measures the time until all have an answer. */

const askers = 1_000

/** Prints the results of each engine, and of Floyd Engine if the plan has a checkout of it. */
export async function measureHotSlot({ engines, rounds, against, peer }: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  const lines = []
  for (const engine of engines) {
    await using ofEngine = new AsyncDisposableStack()
    const targets = await startTargets(engine, { postgresUrl, against, peer }, ofEngine)
    const load = new Load()
    ofEngine.defer(() => load.stop())
    for (const target of targets) {
      const order = {
        ...{ target: target.name, world: target.worlds[0] as World, addresses: target.addresses },
        ...{
          operation: 'hot-slot',
          keyed: false,
          bare: false,
          atOnce: askers,
          seconds: 60,
          once: true as const,
        },
      }
      await load.run(order) // opens the connections
      const seen: Outcome[] = []
      for (let round = 0; round < rounds; round += 1) seen.push(await load.run(order))
      const counts = (result: string) =>
        [...new Set(seen.map(({ results }) => results[result] ?? 0))].join(', ')
      const ms = (values: number[]) => Math.round(median(values))
      lines.push({
        on: target.does ? target.name : engine,
        askers,
        won: counts(won),
        'refused with other times': counts(refusedWithOthers),
        p50: ms(seen.map(({ p50Ms }) => p50Ms)),
        p99: ms(seen.map(({ p99Ms }) => p99Ms)),
        'all, ms': ms(seen.map(({ seconds }) => seconds * 1000)),
        failed:
          seen.flatMap(({ errors }) =>
            Object.entries(errors).map(([text, count]) => `${count} × ${text}`),
          )[0] ?? '',
      })
      if (seen.some(({ results }) => results[won] !== 1)) process.exitCode = 1
    }
  }
  console.table(lines)
}
