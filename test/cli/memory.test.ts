import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { project } from '../support/holdfast-process.ts'

/**
 * Starts like bin/holdfast.js, then runs like a busy server. Returns the maximum size of V8's space for new objects, in
 * megabytes.
 */
async function mostOfNewSpace(afterStart: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
    import { boundMemory } from ${JSON.stringify(join(project, 'src/cli/memory.ts'))}
    setFlagsFromString('--semi-space-growth-factor=1')
    ${afterStart}
    let most = 0
    for (let turn = 0; turn < 400; turn += 1) {
      globalThis.kept = Array.from({ length: 20_000 }, (_, number) => ({ number, turn }))
      await new Promise(setImmediate)
      const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
      most = Math.max(most, space_size)
    }
    console.log(most / 2 ** 20)`
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  return Number((await node).stdout)
}

test('the space for new objects stays as small as a start leaves it until it is let grow', async () => {
  expect(await mostOfNewSpace('')).toBeLessThan(8)
})

test('a busy server lets it grow to what it uses well, and no further', async () => {
  const megabytes = await mostOfNewSpace('boundMemory()')
  expect(megabytes).toBeGreaterThan(16)
  expect(megabytes).toBeLessThan(40) // by default V8 takes 52
})
