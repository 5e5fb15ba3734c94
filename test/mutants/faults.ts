import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The checkout. */
export const project = resolve(import.meta.dirname, '../..')

/** A deliberate fault: what is put in the place of what, and the test files of which at least one has to fail then, in the form of `npm run test:all`. */
export interface Fault {
  name: string
  file: string
  find: string
  replace: string
  tests: string[]
}

/** The kept list. */
export function readFaults(): Fault[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'faults.json'), 'utf8')) as Fault[]
}

/** The text of a file with the fault in it; undefined where what it replaces does not stand there exactly once. */
export function withFault(text: string, { find, replace }: Fault): string | undefined {
  const [before, after, more] = text.split(find)
  if (before === undefined || after === undefined || more !== undefined) return undefined
  return before + replace + after
}
