import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../support/holdfast-process.ts'
import { filterFor, tags } from '../support/tiers.ts'

test('each command runs the tests of the one before, and HOLDFAST_TEST_LONG=1 runs all', () => {
  expect(filterFor()).toEqual(tags.map(({ name }) => `!${name}`))
  expect(filterFor('part')).toEqual(['!night'])
  expect(filterFor('1')).toEqual([])
})

test('npm run test:all runs everything in one run, and .ci/run runs it', () => {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts['test']).toBe('npm run check && node test/support/run-tests.ts')
  expect(scripts['test:all']).toBe(
    'npm run check && HOLDFAST_TEST_LONG=${HOLDFAST_TEST_LONG:-part} node test/support/run-tests.ts',
  )
  expect(readFileSync(join(project, '.ci/run'), 'utf8')).toContain('\nnpm run test:all\n')
})
