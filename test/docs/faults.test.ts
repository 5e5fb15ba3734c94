import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentAt, project, tableUnder } from './documents.ts'

const document = documentAt('docs/faults.md')

describe.each([
  ['## Faults', 17],
  ['## Abuse', 16],
])('the table under "%s"', (heading, least) => {
  const rows = tableUnder(document, heading)

  test('has a row for each', () => {
    expect(rows.length).toBeGreaterThanOrEqual(least)
  })

  test.each(rows)(
    '%s: %s: names tests that there are, and what they were seen to fail without',
    (...cells) => {
      const [, , shownBy = '', without] = cells
      const files = [...shownBy.matchAll(/\]\(([^)]+\.test\.ts)\)/g)].map(([, path = '']) => path)
      expect(files.length).toBeGreaterThan(0)
      for (const file of files) {
        expect(existsSync(join(project, dirname(document.path), file)), file).toBe(true)
      }
      expect(without).not.toBe('')
    },
  )
})
