import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Outcome, startGround, startOf, stroll, walkersBrowser } from './stroll.ts'
import type { Kind, Walks } from './walk.ts'

/* `npm run walk` runs this file: walks of two minutes of each kind in turns, until the time is over. */

const walks = JSON.parse(process.env['HOLDFAST_WALK'] ?? '{}') as Walks
const walkSeconds = Math.min(120, Math.ceil((walks.minutes * 60) / walks.kinds.length))

test('random walks find no fault', { timeout: (walks.minutes + 30) * 60_000 }, async () => {
  expect(walkersBrowser, 'a Chromium').toBeDefined()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-walks-'))
  const end = performance.now() + walks.minutes * 60_000
  const done: (Outcome & { kind: Kind })[] = []
  for (let round = 0; performance.now() < end; round += 1) {
    const ground = await startGround() // again, because a walk changes what it walks on
    for (const kind of walks.kinds) {
      const seconds = Math.min(walkSeconds, Math.ceil((end - performance.now()) / 1000))
      if (seconds < 5) break
      const outcome = await stroll(startOf(kind, ground), {
        seconds,
        folder: join(folder, `${kind}-${round}`),
      })
      done.push({ kind, ...outcome })
      process.stderr.write(`${kind}: ${outcome.steps} steps\n${outcome.faults}`)
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
  process.stderr.write(`steps and pictures: ${folder}\n`)
  expect(done.filter(({ faults }) => faults !== '').map(({ again }) => again)).toEqual([])
})
