import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bareVariables, emptyDirectory, project } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'

const failsOnce = `
  import { existsSync, writeFileSync } from 'node:fs'
  test('fails once', () => {
    const isFirst = !existsSync(import.meta.dirname + '/tried')
    writeFileSync(import.meta.dirname + '/tried', '')
    if (isFirst) throw new Error('it was too busy')
  })`
const passes = `test('passes', () => {})`
const fails = `test('fails', () => { throw new Error('it is broken') })`

/** Runs test files like `npm test`. Returns the end of the run and its output. */
function runOf(...texts: string[]) {
  const directory = emptyDirectory()
  for (const [index, text] of texts.entries()) writeFileSync(join(directory, `${index}.test.js`), text)
  const args = [join(project, 'test/support/run-tests.ts'), `--root=${directory}`, '--globals=true']
  const { status, stdout } = spawnSync(process.execPath, args, { env: bareVariables, encoding: 'utf8' })
  return { status, stdout, retried: stdout.split('Once more, alone').length - 1 }
}

test('a file that fails once and passes alone is named with its failure, and fails nothing', () => {
  const { status, stdout, retried } = runOf(failsOnce, passes)
  expect([status, retried], stdout).toEqual([0, 1])
  expect(stdout).toMatch(
    /Error: it was too busy[^]*\nUNSTEADY: these files failed once and passed when run alone: \S+0\.test\.js\n/,
  )
})

longTest('a file that fails twice fails the run, and more than three are not tried again', () => {
  expect(runOf(failsOnce, fails)).toMatchObject({ status: 1, retried: 2 })
  expect(runOf(failsOnce, fails, fails, fails)).toMatchObject({ status: 1, retried: 0 })
  expect(runOf('import "./nowhere.js"')).toMatchObject({ status: 1, retried: 1 })
})
