import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { commandLine, runCommand } from '../support/command-line.ts'
import { builtServer, emptyDirectory } from '../support/holdfast-process.ts'

const pageBytes = 4096
let healthy: string

beforeAll(async () => {
  healthy = join(emptyDirectory(), 'healthy.db')
  await commandLine(`sqlite:${healthy}`).text('demo')
})

/** Copies a healthy database to plant a fault in. */
function copy(): string {
  const file = join(emptyDirectory(), 'holdfast.db')
  copyFileSync(healthy, file)
  return file
}

function overwrite(file: string, from: number, bytes: number): void {
  const content = readFileSync(file)
  content.fill(0xa5, from, from + bytes)
  writeFileSync(file, content)
}

/** Returns the names of all files of a directory, and digests of their contents. */
function contentsOf(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, hash('sha256', readFileSync(join(directory, name)))]),
  )
}

async function examine(file: string) {
  const ran = await runCommand(['doctor'], { DATABASE_URL: `sqlite:${file}` })
  expect(ran.stderr).toBe('')
  return ran
}

/** Expects doctor to print this and to exit with this code. The directory must stay the same, to the byte. */
async function expectSaid(file: string, { code, said }: { code: number; said: RegExp }): Promise<void> {
  const before = contentsOf(dirname(file))
  const ran = await examine(file)
  expect(ran.stdout).toMatch(said)
  expect(ran.code).toBe(code)
  expect(contentsOf(dirname(file))).toEqual(before)
}

test('a healthy file is found so, and left as it is', () =>
  expectSaid(copy(), { code: 0, said: /^ok {6}data: no damage found$/m }))

test('a damaged page is found, with the fix', async () => {
  const file = copy()
  const database = new DatabaseSync(file)
  const { rootpage } = database
    .prepare(`select rootpage from sqlite_schema where type = 'table' and name = 'services'`)
    .get() as { rootpage: number }
  database.close()
  overwrite(file, (rootpage - 1) * pageBytes, 512)
  await expectSaid(file, {
    code: 1,
    said: /^FAULT {3}data: the database file is damaged: .+\n {8}fix: stop the service and restore a backup$/m,
  })
})

test('damage in the schema itself is found without a stack', async () => {
  const file = copy()
  overwrite(file, 100, 3000)
  const ran = await examine(file)
  expect(ran.code).toBe(1)
  expect(ran.stdout).toMatch(/^FAULT {3}data: the database file is damaged: .+\n {8}fix: /m)
})

test('a file that is no database is found', async () => {
  const file = join(emptyDirectory(), 'holdfast.db')
  writeFileSync(file, 'name;email\n'.repeat(1000))
  await expectSaid(file, { code: 1, said: /^FAULT .*file is not a database.*\n {8}fix: \S+/m })
})

test('an empty file is found to need the migrations, and stays empty', async () => {
  const file = join(emptyDirectory(), 'holdfast.db')
  writeFileSync(file, '')
  await expectSaid(file, {
    code: 1,
    said: /^FAULT {3}schema: pending: .*\n {8}fix: run "holdfast migrate"$/m,
  })
})

test('a backup that is not in WAL mode is examined as it is', async () => {
  const file = join(emptyDirectory(), 'backup.db')
  const database = new DatabaseSync(healthy)
  database.exec(`vacuum into '${file}'`)
  database.close()
  await expectSaid(file, { code: 0, said: /^ok {6}data: no damage found$/m })
})

test('a file that others may read is found, with the command that mends it', async () => {
  const file = copy()
  chmodSync(file, 0o640)
  await expectSaid(file, {
    code: 0,
    said: /^warning file: users other than the owner can open \S+holdfast\.db, with client data .*\n {8}fix: chmod 600 '\S+holdfast\.db'$/m,
  })
  chmodSync(file, 0o600)
  expect((await examine(file)).stdout).not.toContain('chmod')
})

test('where there is no file yet, it says what makes one and makes none', () =>
  expectSaid(join(emptyDirectory(), 'holdfast.db'), {
    code: 0,
    said: /^warning file: there is no file .*holdfast\.db yet\n {8}fix: "holdfast serve" and "holdfast migrate" create it$/m,
  }))

test('a directory in the place of the file is found', async () => {
  const directory = join(emptyDirectory(), 'holdfast.db')
  mkdirSync(directory)
  const ran = await examine(directory)
  expect(ran.code).toBe(1)
  expect(ran.stdout).toMatch(
    /^FAULT {3}file: DATABASE_URL is \S+, which is a directory\n {8}fix: set it to a file/m,
  )
})

test('a file in the place of its directory is found', async () => {
  const file = join(emptyDirectory(), 'data')
  writeFileSync(file, '')
  const ran = await examine(join(file, 'holdfast.db'))
  expect(ran.code).toBe(1)
  expect(ran.stdout).toMatch(/^FAULT {3}file: the user with the ID \d+ cannot write \S+\/data$/m)
})

/** The superuser may write everything. As root, the program runs as nobody. */
const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const program = [process.execPath, builtServer] as const
const runsAsOther = spawnSync(program[0], [program[1], '--version'], { ...other, cwd: '/' }).status === 0
if (!runsAsOther) console.warn('\n*** SKIPPED: no other user can run the program here.\n')

test.runIf(runsAsOther).each([
  ['the directory', 0o555, 0o666, /cannot write \S+run-\w+$/m],
  ['the file', 0o777, 0o444, /cannot write \S+holdfast\.db$/m],
])('%s that the user may not write is found', (_what, directoryMode, fileMode, said) => {
  const file = copy()
  chmodSync(file, fileMode)
  chmodSync(dirname(dirname(file)), 0o755)
  chmodSync(dirname(file), directoryMode)
  const ran = spawnSync(program[0], [program[1], 'doctor'], {
    ...other,
    cwd: '/',
    encoding: 'utf8',
    env: { DATABASE_URL: `sqlite:${file}` },
  })
  expect(ran.stdout).toMatch(said)
  expect(ran.stdout).toMatch(/^FAULT {3}file: the user with the ID \d+ cannot write/m)
  expect(ran.stdout).toMatch(/^ {8}fix: run this as the server.s user .*chown/m)
  expect(ran.status).toBe(1)
  chmodSync(dirname(file), 0o755)
})
