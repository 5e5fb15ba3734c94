import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The checkout. */
export const project = resolve(import.meta.dirname, '../..')

/**
 * A deliberate fault: a piece of code, its replacement, and test files. At least one of these must then fail, in the
 * form of `npm run test:all`.
 */
export interface Fault {
  name: string
  file: string
  find: string
  replace: string
  tests: string[]
}

/** Returns the list of faults. */
export function readFaults(): Fault[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'faults.json'), 'utf8')) as Fault[]
}

/** Returns the text of a file with the fault in it. Returns undefined unless the replaced code occurs exactly once. */
export function withFault(text: string, { find, replace }: Fault): string | undefined {
  const [before, after, more] = text.split(find)
  if (before === undefined || after === undefined || more !== undefined) return undefined
  return before + replace + after
}
