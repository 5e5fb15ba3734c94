/** @module-tag long */
import { copyFileSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { readSqlite } from '../../src/database/sqlite-file.ts'
import { restoreBackup } from '../../src/operate/restore.ts'
import { builtServer, demoWorld, emptyDirectory, project, runHoldfast } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'

const dieAtStep = resolve(project, 'test/support/die-at-step.ts')
const template = emptyDirectory()
const backup = join(emptyDirectory(), 'backup.db')

/** Returns the origin of the database in a file, from the name of its hub. */
function stateOf(file: string): string {
  expect(readSqlite(file).damages).toEqual([])
  using database = new DatabaseSync(file, { readOnly: true })
  return String(database.prepare('select name from hubs').get()?.['name'])
}

beforeAll(async () => {
  const file = join(template, 'holdfast.db')
  await demoWorld(`sqlite:${file}`)
  const other = new DatabaseSync(file)
  other.exec(`update hubs set name = 'of the backup'`)
  other.prepare('vacuum into ?').run(backup)
  // the last write is only in the WAL, as left by a killed server
  other.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; update hubs set name = 'of before'`)
  for (const name of readdirSync(template)) copyFileSync(join(template, name), join(template, `copy-${name}`))
  other.close()
})

function place(): { directory: string; file: string } {
  const directory = emptyDirectory()
  for (const ending of ['', '-wal']) {
    cpSync(join(template, `copy-holdfast.db${ending}`), join(directory, `holdfast.db${ending}`))
  }
  return { directory, file: join(directory, 'holdfast.db') }
}

async function restoreDyingAt(file: string, step: number) {
  const variables = { DATABASE_URL: `sqlite:${file}`, DIE_AT: String(step) }
  return runHoldfast(['restore', backup], { variables, preloads: [dieAtStep], program: builtServer })
}

longTest(
  'killed at any step, the database is the one of before or that of the backup, and another restore completes it',
  async () => {
    const whole = await restoreDyingAt(place().file, 0)
    expect(whole, whole.stderr).toMatchObject({ code: 0 })
    const steps = JSON.parse(whole.stderr) as string[]
    expect(steps.length).toBeGreaterThan(20)
    const seen = new Set<string>()
    for (let step = 1; step <= steps.length; step += 1) {
      const { directory, file } = place()
      const ran = await restoreDyingAt(file, step)
      expect(ran.signal, `step ${step}`).toBe('SIGKILL')
      // examined in a copy, because opening it would tidy up
      const copy = emptyDirectory()
      cpSync(directory, copy, { recursive: true })
      const state = stateOf(join(copy, 'holdfast.db'))
      expect(['of before', 'of the backup'], `step ${step}`).toContain(state)
      seen.add(state)
      const { kept } = restoreBackup(backup, file)
      expect(stateOf(file), `step ${step}`).toBe('of the backup')
      const names = readdirSync(directory).filter((name) => name.includes('.before-restore-'))
      const states = names
        .filter((name) => !/-(wal|shm)$/.test(name))
        .map((name) => stateOf(join(directory, name)))
      expect(states, `what was there is kept, step ${step}`).toContain('of before')
      expect(kept).not.toBeNull()
      const rest = readdirSync(directory).filter((name) => !names.includes(name))
      expect(rest.toSorted(), `step ${step}`).toEqual(['holdfast.db', 'holdfast.db.server-lock'])
    }
    expect(seen).toEqual(new Set(['of before', 'of the backup']))
  },
)

test('of a damaged database everything is kept, its WAL too, and nothing of it gets into the restored one', () => {
  const { directory, file } = place()
  writeFileSync(file, 'this was a database '.repeat(500))
  const { kept } = restoreBackup(backup, file)
  expect(stateOf(file)).toBe('of the backup')
  // SQLite's index of the WAL is irrelevant
  const names = readdirSync(directory).filter((name) => !name.endsWith('-shm'))
  expect(names.toSorted()).toEqual(
    [
      'holdfast.db',
      'holdfast.db.server-lock',
      ...['', '-wal'].map((ending) => `${kept ?? ''}${ending}`.slice(directory.length + 1)),
    ].toSorted(),
  )
})

test('where only a WAL is left of a database, it is not taken for a part of the restored one', () => {
  const { file, directory } = place()
  rmSync(file)
  expect(restoreBackup(backup, file)).toMatchObject({ kept: null })
  expect(existsSync(`${file}-wal`)).toBe(false)
  expect(stateOf(file)).toBe('of the backup')
  expect(readdirSync(directory).some((name) => /before-restore-.*-wal$/.test(name))).toBe(true)
})
