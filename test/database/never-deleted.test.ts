import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../support/holdfast-process.ts'

/** Tables that holds, bookings, sessions and others reference without a foreign key. */
const named = ['hubs', 'businesses', 'api_keys', 'locations', 'staff', 'services', 'bookings']

/** Returns the tables from which a text deletes rows. */
function deletedFrom(text: string): string[] {
  const matches = text.matchAll(/deleteFrom\(\s*['"](\w+)|delete from\s+"?(\w+)/gi)
  return [...matches].map(([, first, second]) => first ?? second ?? '')
}

test('no row is deleted that others name without a foreign key', () => {
  const files = globSync('src/**/*.ts', { cwd: project })
  const found = new Set(files.flatMap((file) => deletedFrom(readFileSync(join(project, file), 'utf8'))))
  for (const table of ['claims', 'staff_locations', 'idempotency_records']) expect(found).toContain(table)
  expect(named.filter((table) => found.has(table))).toEqual([])
})
