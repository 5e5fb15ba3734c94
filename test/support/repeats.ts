import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

/*
 * Counts requests that tests repeated because an overloaded server refused them. The run prints the number at its end.
 */

const fileIn = (directory: string) => join(directory, 'repeats')

/** Counts one repeated request. All workers write to one file. */
export function countRepeat(): undefined {
  appendFileSync(fileIn(inject('filesDirectory')), '.')
}

/** Prints the number, from the directory of this run's files. */
export function printRepeats(directory: string): void {
  try {
    const { length } = readFileSync(fileIn(directory))
    console.log(`Requests repeated after an overloaded server refused them: ${length}`)
  } catch {
    // there were none
  }
}
