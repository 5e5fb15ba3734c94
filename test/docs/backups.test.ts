import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtServer, demoWorld, emptyDirectory } from '../support/holdfast-process.ts'
import { inBash } from '../support/shell.ts'
import { blocksOf, documentAt, project } from './documents.ts'

test('the commands of docs/guides/backups.md on SQLite back up and restore, in their order', async () => {
  const blocks = blocksOf(documentAt('docs/guides/backups.md')).filter(({ text }) =>
    text.includes('npx holdfast'),
  )
  const lines = blocks.map(({ text }) => text).filter((text) => /holdfast (backup|restore) /.test(text))
  expect(lines).toHaveLength(2)
  const directory = emptyDirectory()
  mkdirSync(join(directory, 'data'))
  await demoWorld(`sqlite:${join(directory, 'data/holdfast.db')}`)
  for (const name of ['node_modules', 'bin', 'src', 'package.json'])
    symlinkSync(join(project, name), join(directory, name))
  const holdfast = `${process.execPath} ${builtServer}`
  const printed = await inBash(`set -e\n${lines.join('\n').replaceAll('npx holdfast', holdfast)}`, {
    directory,
  })
  expect(printed.match(/^backed up to /gm)).toHaveLength(1)
  // as in the guide
  const shown = blocksOf(documentAt('docs/guides/backups.md')).find(({ text }) =>
    text.startsWith('backed up to'),
  )?.text
  const form = /^backed up to \S+: [\d.]+ MB, \d+ bookings(, the latest change at \S+)? \([\d.]+ s\)$/m
  for (const text of [printed, shown]) expect(text).toMatch(form)
  expect(printed).toMatch(/^restored \S+: 0 bookings$/m)
  expect(readdirSync(directory)).toContain('backup.db')
  expect(
    readdirSync(join(directory, 'data')).some((name) => name.startsWith('holdfast.db.before-restore-')),
  ).toBe(true)
})
