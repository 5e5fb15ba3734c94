import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project, readFaults, withFault } from './faults.ts'

const faults = readFaults()

test('each deliberate fault has a name of its own', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
})

test('each deliberate fault can still be put in, and changes something', () => {
  const stale = faults.filter((fault) => {
    const path = join(project, fault.file)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const faulty = withFault(text, fault)
    return faulty === undefined || faulty === text
  })
  expect(stale.map(({ name, file }) => `${file}: ${name}`)).toEqual([])
})

test('each deliberate fault names test files that are there', () => {
  const gone = faults.filter(
    ({ tests }) => tests.length === 0 || tests.some((file) => !existsSync(join(project, file))),
  )
  expect(gone.map(({ name }) => name)).toEqual([])
})
