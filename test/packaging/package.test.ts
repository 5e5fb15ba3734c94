import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test, describe } from 'vitest'
import { chromiumPath, sharedBrowser } from '../support/browser.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { heading, next, writeDetails } from '../support/booking-visit.ts'
import { eventually } from '../support/eventually.ts'
import { project } from '../support/holdfast-process.ts'
import {
  bytesBelow,
  installation,
  installPackage,
  npxHoldfast,
  serveInstalled,
  type UsersNode,
  usersNodes,
} from '../support/installed-package.ts'
import { testIn } from '../support/long.ts'
import { startReceiver } from '../support/receiver.ts'
import { inBash } from '../support/shell.ts'

/* The package as a new user gets it: `npm pack`, `npm install` into an empty folder, `npx holdfast serve`. */

const oldest = usersNodes.at(-1)
if (!oldest) throw new Error('there is no Node')
// no package runs an installation script, so one way of installing represents both (see below)
const found = installPackage(oldest)
const installed = found ?? { folder: '', tarball: '', said: '' }
const files = globSync('node_modules/holdfast/**/*', { cwd: installed.folder })

const megabyte = 1_000_000
const patient = { timeout: 120_000 }

describe.skipIf(!found)('the package', () => {
  test('holds no TypeScript but declarations, and brings the licences of what it bundles', () => {
    expect(files.filter((path) => /(?<![.]d)[.]tsx?$/.test(path))).toEqual([])
    expect(files).toContain('node_modules/holdfast/dist/server/main.js')
    const notices = readFileSync(join(installed.folder, 'node_modules/holdfast/dist/licenses.txt'), 'utf8')
    for (const name of ['fastify', 'kysely', 'pg', 'stripe', 'ioredis', 'undici', '@opentelemetry/api']) {
      expect(notices).toMatch(new RegExp(`^${name} \\d[^]{0,400}(Copyright|MIT|Apache)`, 'm'))
    }
  })

  test('is small, with everything that it needs', () => {
    expect(statSync(installed.tarball).size).toBeLessThan(5.5 * megabyte)
    const all = join(installed.folder, 'node_modules')
    expect(bytesBelow(all, /^node-linux-/)).toBeLessThan(21 * megabyte) // passkeys are 0.7 of them
  })

  test('is installed without a word of other engines, and nothing of it runs anything then', () => {
    expect(installed.said).not.toMatch(/EBADENGINE|deprecated/)
    for (const script of ['preinstall', 'install', 'postinstall']) {
      const args = ['query', `:attr(scripts, [${script}])`]
      const { stdout } = spawnSync('npm', args, { cwd: installed.folder, encoding: 'utf8' })
      expect([script, JSON.parse(stdout)]).toEqual([script, []])
    }
  })

  test('names the lines of the sources in a stack trace', () => {
    // SQLite fails unexpectedly, so that the command prints the stack of a bug
    const breaks = join(installed.folder, 'breaks.mjs')
    writeFileSync(
      breaks,
      `const sqlite = process.getBuiltinModule('node:sqlite')
       if (sqlite) sqlite.DatabaseSync.prototype.prepare = () => { throw new TypeError('broken') }`,
    )
    const variables = { NODE_OPTIONS: `--import=${breaks}` }
    const { stderr, status } = npxHoldfast(installed, oldest, { args: ['migrate'], variables })
    expect(status).toBe(1)
    expect(stderr).toContain('TypeError: broken\n    at ')
    const places = [...stderr.matchAll(/\b(src\/database\/[\w-]+[.]ts):(\d+):(\d+)/g)]
    const [, path = '', line = ''] = places[0] ?? []
    const named = readFileSync(join(project, path), 'utf8').split('\n')[Number(line) - 1]
    expect(named).toMatch(/[.]prepare\(/)
    expect(stderr).not.toContain('dist/server')
  })

  describe.each(usersNodes)('with $name', (node) => {
    const run = testIn(node === oldest)

    run('npx holdfast shows its help', () => {
      const { stdout, stderr, status } = npxHoldfast(installed, node)
      expect(stdout + stderr).toMatch(/^Usage: holdfast \[options\] \[command\]/m)
      expect(stdout + stderr).toContain('\n  serve ')
      expect([0, 2]).toContain(status)
    })

    run('npx holdfast serve reaches a first booking, a webhook and every page', patient, () =>
      firstBooking(node),
    )
  })
})

const commands = (path: string) => blocksOf(documentAt(path)).map(({ text }) => text)

test('the documents say what is done here', () => {
  expect(commands('README.md')).toContain(`${installation}\nnpx holdfast serve`)
  expect(commands('docs/guides/self-hosting.md')).toContain(installation)
})

/** Follows the instructions that the server prints for new users, and checks the other pages. */
async function firstBooking(node: UsersNode): Promise<void> {
  const receiver = await startReceiver()
  const { said, address, stop } = await serveInstalled(installed, node)
  try {
    const [, key = ''] = /business key +(\S+)/.exec(said) ?? []
    const registered = await fetch(`${address}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.address}/hook`, events: ['booking.created'] }),
    })
    expect(registered.status).toBe(201)

    const lines = /^API=http[^]*-X DELETE .*$/m.exec(said)?.[0] ?? 'false'
    expect(await inBash(lines)).toContain('"status":"confirmed"')
    const delivered = await eventually('a delivery', () => receiver.received[0])
    expect(delivered.body.toString()).toContain('booking.created')

    const [, page = ''] = /^Booking page +(\S+)$/m.exec(said) ?? []
    for (const path of ['/widget/v1.js', '/docs', '/docs/page.css', '/docs/icon.svg', '/problems']) {
      expect([path, (await fetch(address + path)).status]).toEqual([path, 200])
    }
    const document = await (await fetch(`${address}/openapi.json`)).json()
    expect(document).toMatchObject({ info: { version: '0.2.0' } })
    if (chromiumPath !== undefined) await bookOn(page)
    else expect((await fetch(page)).status).toBe(200)
  } finally {
    expect(await stop()).toContain('"msg":"stopped"')
    await receiver.stop()
  }
}

/** Books the first slot of the first free day. */
async function bookOn(address: string): Promise<void> {
  const browser = await sharedBrowser()
  const page = await browser.newPage({ locale: 'en-GB' })
  await page.goto(address)
  await next(page, /Haircut/)
  await next(page, /Mitte/)
  await next(page, /Anyone/)
  await page.locator('.day.is-free').last().click()
  await page.locator('.time').first().click()
  await heading(page, 'Your details')
  await writeDetails(page)
  await next(page, 'Book now')
  await heading(page, 'Thank you, Ada!')
}
