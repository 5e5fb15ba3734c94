import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project, readFaults, withFault, type Fault } from './faults.ts'

/*
 * `npm run test:mutants` puts the deliberate faults of faults.json into a copy of the checkout, one at a time. It runs
 * the tests that must catch each. Words on the command line select faults by name or file. Fails if fewer than 95 of
 * 100 are caught.
 */

const minShareCaught = 0.95
const maxMs = 600_000

const words = process.argv.slice(2)
const faults = readFaults().filter(
  ({ name, file }) => words.length === 0 || words.some((word) => `${file} ${name}`.includes(word)),
)
const copy = copyOfCheckout()
try {
  // tests that fail anyway would catch every fault
  if (!passes([...new Set(faults.flatMap(({ tests }) => tests))]))
    throw new Error('The tests fail without a fault, so they prove nothing. Mend them first.')
  const survivors = faults.filter((fault) => !isCaught(fault))
  const caught = faults.length - survivors.length
  console.log(`${caught} of ${faults.length} deliberate faults were caught.`)
  for (const { file, name } of survivors) console.log(`Survived: ${file}: ${name}`)
  if (caught < faults.length * minShareCaught) process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function copyOfCheckout(): string {
  const target = mkdtempSync(join(tmpdir(), 'holdfast-mutants-'))
  const left = ['node_modules', '.git', 'data', 'coverage'].map((name) => join(project, name))
  cpSync(project, target, { recursive: true, filter: (source) => !left.includes(source) })
  symlinkSync(join(project, 'node_modules'), join(target, 'node_modules'))
  return target
}

function isCaught(fault: Fault): boolean {
  const path = join(copy, fault.file)
  const text = readFileSync(path, 'utf8')
  const faulty = withFault(text, fault)
  if (faulty === undefined) throw new Error(`The fault "${fault.name}" cannot be put into ${fault.file}.`)
  writeFileSync(path, faulty)
  const survived = passes(fault.tests)
  writeFileSync(path, text)
  console.log(`${survived ? 'SURVIVED' : 'caught'}: ${fault.file}: ${fault.name}`)
  return !survived
}

/** Runs test files in the copy. A run that takes too long fails. */
function passes(tests: readonly string[]): boolean {
  const program = [join(project, 'node_modules/vitest/vitest.mjs'), 'run', '--bail=1', ...tests]
  const env = { ...process.env, HOLDFAST_TEST_LONG: 'part' } // including the tests that `npm test` skips
  const timeout = maxMs * tests.length
  return spawnSync(process.execPath, program, { cwd: copy, env, stdio: 'ignore', timeout }).status === 0
}
