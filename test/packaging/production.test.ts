/** @module-tag long */
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { readRows } from '../support/checker.ts'
import { freePort } from '../support/free-port.ts'
import { bareVariables, emptyDirectory, project } from '../support/holdfast-process.ts'
import { longDescribe } from '../support/long.ts'
import { inBash } from '../support/shell.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'
import { spawnWatched } from '../support/watched.ts'

/*
 * docs/guides/self-hosting.md and the nightly backup of docs/guides/backups.md, word by word, in order. Only changes to
 * this machine are simulated: its users, its systemd, and downloads by Git and npm. Folders are those of the test.
 */

const own = 'runs on a new machine'
const steps = ['docs/guides/self-hosting.md', 'docs/guides/backups.md'].flatMap((path) =>
  blocksOf(documentAt(path)).filter(({ mark }) => mark === own),
)
const stepWith = (words: string) => {
  const found = steps.filter(({ text }) => text.includes(words))
  expect(found, words).toHaveLength(1)
  return found[0]?.text ?? ''
}

/** The results of npm ci and the checkout that the program needs. */
const parts = ['bin', 'src', 'texts', 'node_modules', 'package.json', 'packaging', 'widget']

/**
 * Simulates systemd as far as the guide needs it: starts ExecStart of a unit with its environment file, in its folder.
 */
const played = `
useradd() { :; }
chown() { :; }
git() { [ "$1" = clone ] && mkdir -p "$3"; }
npm() { for part in ${parts.join(' ')}; do ln -sfn "$PROJECT/$part" "$part"; done; }
sudo() { [ "$1 $2" = "-u holdfast" ] || return 1; shift 2; "$@"; }
install() { for last; do :; done; mkdir -p "$ROOT/var/backups/holdfast" "$last"; }
systemctl() { printf '%s\\n' "$*" >> "$ROOT/systemctl"; case "$*" in
  "start holdfast-backup") (cd "$ROOT/opt/holdfast" && $(sed -n 's/^ExecStart=//p' "$ROOT/etc/systemd/system/holdfast-backup.service"));;
  esac; }
`

let root: string
let port: string
let target: TestDatabase | undefined

beforeAll(async () => {
  root = emptyDirectory()
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
  mkdirSync(join(root, 'opt'))
  port = String(await freePort())
  if (engines.includes('postgres')) target = await createTestDatabase('postgres')
})
afterAll(() => target?.drop())

/** Returns the lines with the folders, the address and the database of the test. */
function here(text: string): string {
  return text
    .replaceAll(/(?<![\w.])\/(opt|var|etc)\//g, `${root}/$1/`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replaceAll('postgres://holdfast:secret@db.example.com:5432/holdfast', target?.url ?? 'postgres://none')
    .replaceAll('<repository>', 'the-repository')
}

function follow(words: string): Promise<string> {
  const variables = { PROJECT: project, ROOT: root, PORT: port, NODE_ENV: '', DATABASE_URL: '' }
  const given = Object.entries(variables).map(([name, value]) =>
    value === '' ? `unset ${name}` : `export ${name}='${value}'`,
  )
  return inBash(['set -e', ...given, played, here(stepWith(words))].join('\n'), { directory: root })
}

/** Starts the command of the unit, in the same way, and stops it afterwards. */
async function whileServing<T>(work: (address: string) => Promise<T>): Promise<T> {
  const unit = readFileSync(join(root, 'etc/systemd/system/holdfast.service'), 'utf8')
  const command = here(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? 'false')
  const server = spawnWatched('sh', ['-c', `exec ${command}`], {
    cwd: join(root, 'opt/holdfast'),
    env: { ...bareVariables, PORT: port },
  })
  server.stderr.resume()
  const ended = once(server, 'exit')
  const address = `http://127.0.0.1:${port}`
  try {
    await expect.poll(async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.status).toBe(200)
    return await work(address)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

const firstPage = async (address: string) =>
  (await fetch(address, { headers: { accept: 'text/html' } })).text()

longDescribe('the guide from nothing to production', () => {
  let said: string

  test('installs', async () => {
    await follow('useradd')
    const env = parseEnv(readFileSync(join(root, 'opt/holdfast/.env'), 'utf8'))
    expect(env).toEqual({
      ...{ NODE_ENV: 'production', DATABASE_URL: `sqlite:${root}/var/lib/holdfast/holdfast.db` },
      ...{ PUBLIC_URL: 'https://book.example.com', TRUST_PROXY: '127.0.0.1/32' },
    })
  })

  test('makes the first business, with a booking page at the public address', async () => {
    said = await follow('setup --yes')
    expect(said).toContain('Salon Spree is ready for bookings (Europe/Berlin).')
    expect(said).toMatch(/^Booking page +https:\/\/book\.example\.com\/book\/cal_pub_\w{38}$/m)
    expect(existsSync(join(root, 'var/lib/holdfast/holdfast.db'))).toBe(true)
  })

  test('puts the units in place and serves a page that can be booked', async () => {
    for (const name of ['holdfast.service', 'holdfast-backup.service', 'holdfast-backup.timer']) {
      const text = readFileSync(join(project, 'packaging', name), 'utf8')
      expect(stepWith('daemon-reload')).toContain(
        'cp packaging/*.service packaging/*.timer /etc/systemd/system/',
      )
      cpSync(join(project, 'packaging', name), join(root, 'etc/systemd/system', name))
      writeFileSync(join(root, 'etc/systemd/system', name), here(text))
    }
    await whileServing(async (address) => {
      await inBash(here('curl -fsS http://127.0.0.1:3000/readyz'))
      expect(stepWith('daemon-reload')).toContain('curl -fsS http://127.0.0.1:3000/readyz')
      const path = /\/book\/cal_pub_\w+/.exec(said)?.[0] ?? ''
      expect(await firstPage(address)).toContain(`href="${path}"`)
      const session = await fetch(`${address}/api/v1/session`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${path.replace('/book/', '')}`,
          origin: 'https://book.example.com',
        },
      })
      expect(session.status).toBe(201)
    })
  })

  test('backs up every night, as the timer starts it', async () => {
    expect(await follow('start holdfast-backup')).toMatch(/^holdfast-\d{8}T\d{6}Z\.db$/m)
    expect(readdirSync(join(root, 'var/backups/holdfast'))).toHaveLength(1)
  })

  test.runIf(engines.includes('postgres'))('moves to PostgreSQL, and the same page serves on', async () => {
    expect(await follow('copy --to')).toMatch(/^copied \d+ rows of \d+ tables, 0 bookings/m)
    expect(readFileSync(join(root, 'systemctl'), 'utf8')).toMatch(/stop holdfast\nstart holdfast\n$/)
    expect(await readRows(target?.url ?? '', 'select name from businesses')).toEqual([
      { name: 'Salon Spree' },
    ])
    await whileServing(async (address) => {
      expect(await firstPage(address)).toContain(/\/book\/cal_pub_\w+/.exec(said)?.[0] ?? 'none')
    })
  })

  test('has no other step', () => {
    expect(steps).toHaveLength(5)
  })
})
