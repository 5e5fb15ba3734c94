import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Outcome, startGround, startOf, stroll, walkersBrowser } from './stroll.ts'
import type { Kind, Walks } from './walk.ts'

/* `npm run walk` runs this file: walks of two minutes of each kind in turns, until the time is over. */

const walks = JSON.parse(process.env['HOLDFAST_WALK'] ?? '{}') as Walks
const walkSeconds = Math.min(120, Math.ceil((walks.minutes * 60) / walks.kinds.length))

test.runIf(walks.again !== '')('the walk finds no fault again', { timeout: 3_600_000 }, async () => {
  const ground = await startGround()
  const [kind = 'page'] = walks.kinds
  const { faults } = await stroll(startOf(kind, ground), { seconds: 0, folder: walks.again, isAgain: true })
  await ground.stop()
  expect(faults).toBe('')
})

test.skipIf(walks.again !== '')(
  'random walks find no fault',
  { timeout: (walks.minutes + 30) * 60_000 },
  async () => {
    expect(walkersBrowser, 'a Chromium').toBeDefined()
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-walks-'))
    const end = performance.now() + walks.minutes * 60_000
    const done: (Outcome & { kind: Kind })[] = []
    for (let round = 0; performance.now() < end; round += 1) {
      const ground = await startGround() // again, because a walk changes what it walks on
      for (const kind of walks.kinds) {
        const seconds = Math.min(walkSeconds, Math.ceil((end - performance.now()) / 1000))
        if (seconds < 5) break
        const own = join(folder, `${kind}-${round}`)
        const outcome = await stroll(startOf(kind, ground), { seconds, folder: own })
        done.push({ kind, ...outcome })
        process.stderr.write(`${kind}: ${outcome.steps} steps\n${outcome.faults}`)
        if (outcome.faults === '') rmSync(own, { recursive: true })
        else process.stderr.write(`Again: npm run walk -- --kind ${kind} --again ${own}\n`)
      }
      await ground.stop()
    }
    console.table(
      walks.kinds.map((kind) => {
        const own = done.filter((walk) => walk.kind === kind)
        const steps = own.reduce((sum, walk) => sum + walk.steps, 0)
        return { kind, walks: own.length, steps, failed: own.filter(({ faults }) => faults !== '').length }
      }),
    )
    expect(
      done.filter(({ faults }) => faults !== '').map(({ kind }) => kind),
      'walks with a fault, as printed above',
    ).toEqual([])
  },
)
