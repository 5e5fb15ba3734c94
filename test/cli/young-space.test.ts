import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../support/holdfast-process.ts'

/** What else grows or shrinks the space for new objects: collections in idle moments, by several threads, and a machine's memory. */
const nothingElse = [
  '--no-minor-gc-task',
  '--no-incremental-marking',
  '--no-parallel-scavenge',
  '--max-semi-space-size=32',
]

/** The most that the space for new objects took, in MiB, in a process that keeps much for a moment, again and again. */
function mostAfter(start: string): number {
  const script = `
    import { setImmediate } from 'node:timers/promises'
    import { setFlagsFromString } from 'node:v8'
    import { growYoungSpace, youngSpaceBytes } from ${JSON.stringify(join(project, 'src/cli/young-space.ts'))}
    ${start}
    let most = 0
    for (let turn = 0; turn < 300; turn += 1) {
      globalThis.kept = Array.from({ length: 20_000 }, (_, index) => ({ index, list: [index] }))
      await setImmediate()
      most = Math.max(most, youngSpaceBytes())
    }
    console.log(most / 1024 / 1024)`
  return Number(
    execFileSync(process.execPath, [...nothingElse, '--input-type=module', '-e', script], {
      encoding: 'utf8',
    }),
  )
}

test('the space for new objects grows under load, and not without bound', () => {
  const small = `setFlagsFromString('--semi-space-growth-factor=1')` // as the launcher leaves it
  expect(mostAfter(small)).toBeLessThan(8)
  const grown = mostAfter(`${small}; growYoungSpace()`)
  expect(grown).toBeGreaterThan(8)
  expect(grown).toBeLessThanOrEqual(32) // it may double once more before it is told to stop; V8 would go on to 64
})
