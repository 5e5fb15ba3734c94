import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentAt, project } from './documents.ts'

const document = documentAt('docs/faults.md')

describe.each([
  ['Faults', 17],
  ['Abuse', 16],
])('the part "%s"', (part, min) => {
  const [, after = ''] = document.text.split(`\n## ${part}\n`)
  const [text = ''] = after.split('\n## ')
  const sections = text.split(/^### /m).slice(1)

  test('has a heading for each', () => {
    expect(sections.length).toBeGreaterThanOrEqual(min)
  })

  test.each(sections)('%s', (section) => {
    expect(section).toMatch(/^- \*\*Holds:\*\* \S/m)
    const [, tests = ''] = /^- \*\*Test:\*\* (.*)$/m.exec(section) ?? []
    const files = [...tests.matchAll(/\]\(([^)]+\.test\.ts)\)/g)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(existsSync(join(project, dirname(document.path), file)), file).toBe(true)
  })

  test('says of most what they were seen to fail without', () => {
    const seen = sections.filter((section) => section.includes('\n- **Defence:** '))
    expect(seen.length).toBeGreaterThanOrEqual(sections.length - 3)
  })
})
