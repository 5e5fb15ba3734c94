import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { parseInstant } from '../../src/base/instants.ts'
import { readSqlite, takeServerLock } from '../../src/database/sqlite-file.ts'
import { backUp, backUpInto } from '../../src/operate/backup.ts'
import { restoreBackup } from '../../src/operate/restore.ts'
import { commandLine } from '../support/command-line.ts'
import { demoWorld, emptyDirectory } from '../support/holdfast-process.ts'

let template: string
beforeAll(async () => {
  template = join(emptyDirectory(), 'template.db')
  await demoWorld(`sqlite:${template}`)
})

let directory: string
let database: string
let target: string
beforeEach(() => {
  directory = emptyDirectory()
  database = join(directory, 'holdfast.db')
  target = join(directory, 'backup.db')
  writeFileSync(database, readFileSync(template))
})

function change(file: string, statements: string): void {
  using open = new DatabaseSync(file)
  open.exec(statements)
}

const backup = (force = false) => backUp({ database, target, force })

test('a backup is one file that only its owner reads, with what is still in the WAL', () => {
  using writer = new DatabaseSync(database)
  writer.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; update hubs set name = 'in the WAL'`)
  expect(backup()).toEqual({ file: target, bytes: statSync(target).size, bookings: 0, latest_change: null })
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory).filter((name) => name.startsWith('backup'))).toEqual(['backup.db'])
  using copy = new DatabaseSync(target, { readOnly: true })
  expect(copy.prepare('select name from hubs').get()).toEqual({ name: 'in the WAL' })
})

test('a backup does not bring the schema up to date: it is for the release that made it', () => {
  change(database, `delete from kysely_migration`)
  backup()
  expect(readSqlite(target).migrations).toEqual([])
})

test('a backup replaces another only when it is told to, and nothing of the database ever', () => {
  writeFileSync(target, 'of yesterday')
  expect(() => backup()).toThrow(/already exists: give another name, or --force/)
  expect(readFileSync(target, 'utf8')).toBe('of yesterday')
  writeFileSync(`${target}-wal`, 'of yesterday')
  rmSync(target)
  expect(() => backup()).toThrow(/already exists/) // a part of it
  writeFileSync(target, 'of yesterday')
  backup(true)
  expect(readSqlite(target)).toMatchObject({ damages: [], bookings: 0 })
  expect(existsSync(`${target}-wal`)).toBe(false)
  const link = join(directory, 'link.db')
  symlinkSync(database, link)
  for (const name of [database, `${database}-wal`, link]) {
    expect(() => backUp({ database, target: name, force: true })).toThrow(/belongs to the database itself/)
  }
})

test.each([
  ['a directory', (path: string) => mkdirSync(path), /is not a file/],
  ['in none', (path: string) => (target = join(path, 'deeper')), /There is no directory/],
])('a backup to %s is refused and leaves nothing', (_name, prepare, reason) => {
  prepare(target)
  const before = readdirSync(directory)
  expect(() => backup(true)).toThrow(reason)
  expect(readdirSync(directory)).toEqual(before)
})

test('what is damaged is not backed up, and nothing has the name of a backup then', () => {
  const bytes = readFileSync(database)
  bytes.fill(0xa5, 3 * 4096, 40 * 4096)
  writeFileSync(database, bytes)
  expect(() => backup()).toThrow(/damaged|malformed/)
  expect(readdirSync(directory).filter((name) => name.startsWith('backup'))).toEqual([])
})

test('a restored database and the one before it are for their owner alone; a link to it is followed', () => {
  backup()
  chmodSync(database, 0o644)
  change(database, `update hubs set name = 'since then'`)
  const link = join(emptyDirectory(), 'link.db')
  symlinkSync(database, link)
  const { file, kept } = restoreBackup(target, link)
  expect(file).toBe(database)
  for (const path of [database, kept ?? '']) expect(statSync(path).mode & 0o777).toBe(0o600)
  using old = new DatabaseSync(kept ?? '')
  expect(old.prepare('select name from hubs').get()).toEqual({ name: 'since then' })
})

test('where there was no database one is made, for its owner alone', () => {
  backup()
  const elsewhere = join(directory, 'deep', 'er', 'new.db')
  expect(restoreBackup(target, elsewhere)).toMatchObject({ file: elsewhere, kept: null })
  expect(statSync(elsewhere).mode & 0o777).toBe(0o600)
  for (const folder of ['deep', 'deep/er']) {
    expect(statSync(join(directory, folder)).mode & 0o777).toBe(0o700)
  }
})

test.each([
  ['is no database', () => writeFileSync(target, 'a text '.repeat(200)), /file is not a database/],
  ['is of another program', () => change(target, 'drop table bookings'), /is not a Holdfast database/],
  ['is empty', () => writeFileSync(target, ''), /is not a Holdfast database/],
  [
    'is of a newer release',
    () => change(target, `insert into kysely_migration values ('0099-later', '2030-01-01')`),
    /newer release of Holdfast, with the migration 0099-later/,
  ],
  [
    'lacks an overlap rule',
    () => change(target, 'drop trigger claims_do_not_overlap'),
    /lacks claims_do_not_overlap:/,
  ],
])('a backup that %s is not restored, and the database stays', (_name, spoil, reason) => {
  backup()
  spoil()
  const before = readFileSync(database)
  expect(() => restoreBackup(target, database)).toThrow(reason)
  expect(readFileSync(database)).toEqual(before)
  expect(readdirSync(directory).filter((name) => /restor/.test(name))).toEqual([])
})

test('nothing is restored while a server runs, or while anybody else has the database open', () => {
  backup()
  const lock = takeServerLock(database, database)
  expect(() => restoreBackup(target, database)).toThrow(
    /^A Holdfast server uses \S+: stop the server first\.$/,
  )
  lock.close()
  using other = new DatabaseSync(database)
  other.exec('pragma journal_mode = wal; begin; select * from hubs')
  expect(() => restoreBackup(target, database)).toThrow(/Another program has \S+ open\. Let it end first\./)
  other.exec('rollback')
})

test('the database itself is no backup of itself', () => {
  expect(() => restoreBackup(database, database)).toThrow(/is the database itself/)
})

test.each([
  ['backup', /pg_dump .* \(docs\/guides\/backups\.md\)/],
  ['restore', /pg_restore .* \(docs\/guides\/backups\.md\)/],
])('holdfast %s says on PostgreSQL what to run instead', async (command, reason) => {
  const holdfast = commandLine('postgres://ada:very-secret@127.0.0.1:1/none')
  await holdfast.refuses([command, target], 2, reason)
})

test('holdfast backup makes no database where there is none', async () => {
  const holdfast = commandLine(`sqlite:${join(directory, 'none.db')}`)
  await holdfast.refuses(['backup', target], 1, /There is no database at/)
  expect(existsSync(join(directory, 'none.db'))).toBe(false)
})

test('backups in a folder are named by their time, and the oldest of them go beyond the number to keep', () => {
  const folder = join(directory, 'backups')
  mkdirSync(folder)
  for (const name of ['notes.db', 'holdfast-of-me.db', 'holdfast-20260101T000000Z.db.old']) {
    writeFileSync(join(folder, name), 'mine')
  }
  const at = (day: number) => parseInstant(`2026-12-0${day}T03:00:00Z`)
  const backUpOn = (day: number, keep = 2) => {
    const now = at(day)
    if (!now) throw new Error('no such day')
    return backUpInto(folder, { database, keep, now })
  }
  const own = () => readdirSync(folder).filter((name) => /^holdfast-2026120\dT030000Z\.db$/.test(name))
  expect(backUpOn(1)).toMatchObject({ file: join(folder, 'holdfast-20261201T030000Z.db'), deleted: [] })
  backUpOn(2)
  expect(backUpOn(3).deleted).toEqual(['holdfast-20261201T030000Z.db'])
  expect(own()).toEqual(['holdfast-20261202T030000Z.db', 'holdfast-20261203T030000Z.db'])
  expect(readdirSync(folder)).toHaveLength(5)
  // a failed one costs none of the others
  expect(() => backUpOn(3, 1)).toThrow(/already exists/)
  writeFileSync(database, 'no database')
  expect(() => backUpOn(4, 1)).toThrow(/could not be written \(file is not a database\)/)
  expect(own()).toHaveLength(2)
  for (const name of own()) expect(readSqlite(join(folder, name))).toMatchObject({ damages: [] })
})

test('--keep wants a folder, a number, and not --force beside it', async () => {
  const holdfast = commandLine(`sqlite:${database}`)
  await holdfast.refuses(['backup', target, '--keep', '3'], 2, /There is no folder .*backup\.db/)
  await holdfast.refuses(['backup', directory, '--keep', 'all'], 2, /--keep must be a whole number/)
  await holdfast.refuses(['backup', directory, '--keep', '0'], 2, /--keep must be a whole number from 1/)
  await holdfast.refuses(['backup', directory, '--keep', '3', '--force'], 2, /--force or --keep, not both/)
  expect(await holdfast.text('backup', directory, '--keep', '3')).toMatch(
    /^backed up to \S+\/holdfast-\d{8}T\d{6}Z\.db: /,
  )
})

test('one booking is not called several', async () => {
  const at = `'2026-11-20T09:00:00.000Z'`
  change(
    database,
    `insert into bookings (id, business_id, service_id, location_id, owner_id, starts_at, ends_at, scheduled_at, created_at,
       updated_at, status, client_first_name, client_last_name, client_email, client_search, custom_field_values_json,
       manage_generation, manage_digest, client_reschedules, version)
     values ('1', '1', '1', '1', '1', ${at}, '2026-11-20T10:00:00.000Z', ${at}, ${at}, ${at}, 'confirmed', 'A', 'B', 'a@b.example', '', '{}',
       1, 'x', 0, 1)`,
  )
  const holdfast = commandLine(`sqlite:${database}`)
  expect(await holdfast.text('backup', target)).toMatch(/ MB, 1 booking, the latest change at /)
  expect(await holdfast.text('restore', target)).toMatch(/: 1 booking, the latest change at /)
})
