/** @module-tag long */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import { migrationNames } from '../../src/database/migrate.ts'
import { findErrors, readRows } from '../support/checker.ts'
import { slot } from '../support/cluster.ts'
import { emptyDirectory, project, runHoldfast, startHoldfast } from '../support/holdfast-process.ts'
import { eventually, httpClients } from '../support/http-client.ts'
import {
  addPackage,
  type InstalledPackage,
  installPackage,
  type UsersNode,
} from '../support/installed-package.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { execute } from '../support/statements.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

/* An earlier package with data in its database, replaced by the present one. */

/** The commit of version 0.1.0. */
const earlier = '75745c45'

const node: UsersNode = { name: 'the Node of the tests', path: process.env['PATH'] ?? '' }
const call = httpClients()

/**
 * Returns the sources of the earlier commit, with the packages of this checkout. Returns undefined with a loud warning
 * without its history.
 */
function earlierSources(): string | undefined {
  const folder = join(emptyDirectory(), 'holdfast')
  mkdirSync(folder)
  const git = `git -c safe.directory='*' -C '${project}' archive ${earlier}`
  const { status, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${git} | tar x -C '${folder}'`], {
    encoding: 'utf8',
  })
  if (status === 0) {
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    return folder
  }
  if (process.env['CI']) throw new Error(`the history of this checkout lacks ${earlier}:\n${stderr}`)
  console.warn(`\n*** SKIPPED: the upgrade, as the history of this checkout lacks ${earlier}:\n${stderr}\n`)
  return undefined
}

/** Installs both packages in separate folders, the present one over another copy of the earlier one. */
function bothPackages(): { old: InstalledPackage; upgraded: InstalledPackage } | undefined {
  const sources = earlierSources()
  const old = sources === undefined ? undefined : installPackage(node, sources)
  if (!old) return undefined
  const upgraded = addPackage(node, old.tarball)
  if (!upgraded) return undefined
  return { old, upgraded: installPackage(node, project, upgraded.folder) ?? upgraded }
}

let packages: ReturnType<typeof bothPackages> | 'not made' = 'not made'

const launcherOf = ({ folder }: InstalledPackage) => join(folder, 'node_modules/holdfast/bin/holdfast.js')

/** Starts a server on a free port, until it is stopped. */
async function serve(installed: InstalledPackage, variables: Record<string, string>) {
  const server = startHoldfast(['serve'], {
    program: launcherOf(installed),
    variables: { ...variables, PORT: '0', NODE_ENV: 'test' },
  })
  const [, address = ''] = await server.says(/^Holdfast serves (http:\S+)$/m)
  return {
    address,
    stop: async () => {
      server.signal('SIGTERM')
      expect(await server.ended).toEqual({ code: 0, signal: null })
    },
  }
}

/** Creates data of a business with the old release: a booking, an open hold, and a webhook. */
async function useOld(address: string, business: DemoWorld['businesses'][number], receiver: Receiver) {
  const { publishable_key: publishable, business_key: key } = business
  const hook = { url: `${receiver.address}/hook`, events: ['booking.created'] }
  const webhook = await call(address, 'POST', '/webhooks', { token: key, body: hook })
  expect(webhook.status).toBe(201)
  const session = await call(address, 'POST', '/session', { token: publishable })
  const token = String(session.body.session_token)
  const [booked, open] = await Promise.all(
    [slot(1), slot(2)].map((starts_at) =>
      call(address, 'POST', '/bookings/hold', {
        token,
        body: { ...offer(business, 'Meeting room'), starts_at },
      }),
    ),
  )
  const body = { hold_id: booked?.body.hold_id as string, client: ada }
  const booking = await call(address, 'POST', '/bookings', { token, body })
  expect([booking.status, open?.status]).toEqual([201, 201])
  await eventually('the delivery of the old release', () => receiver.received[0])
  return { token, booking: booking.body, holdId: String(open?.body.hold_id) }
}

/** Books as a client, and cancels as the business. */
async function bookAt(
  address: string,
  business: DemoWorld['businesses'][number],
  { token, slotNumber }: { token: string; slotNumber: number },
) {
  const wanted = { ...offer(business, 'Meeting room'), starts_at: slot(slotNumber) }
  const hold = await call(address, 'POST', '/bookings/hold', { token, body: wanted })
  const body = { hold_id: hold.body.hold_id as string, client: ada }
  const booking = await call(address, 'POST', '/bookings', { token, body })
  const cancelled = await call(address, 'DELETE', `/bookings/${String(booking.body.id)}`, {
    token: business.business_key,
  })
  expect([hold.status, booking.status, cancelled.status]).toEqual([201, 201, 200])
}

const keptTables = ['businesses', 'services', 'staff', 'api_keys', 'webhooks', 'bookings', 'events'] as const

onOneEngine('sqlite', 'an upgrade from 0.1.0', (engine) => {
  longTest(
    'keeps everything, and the earlier one refuses the database afterwards',
    { timeout: 600_000 },
    async () => {
      packages = packages === 'not made' ? bothPackages() : packages
      if (!packages) return
      const { old, upgraded } = packages
      const database = await createTestDatabase(engine)
      const receiver = await startReceiver()
      const variables = { DATABASE_URL: database.url }
      const demo = await runHoldfast(['demo', '--json'], { program: launcherOf(old), variables })
      const business = businessOf(JSON.parse(demo.stdout) as DemoWorld, 'Salon Spree')
      const before = await serve(old, variables)
      const { token, booking, holdId } = await useOld(before.address, business, receiver)
      if (engine === 'sqlite') await before.stop() // SQLite has one server
      const counts = () =>
        Promise.all(
          keptTables.map(async (table) => (await readRows(database.url, `select * from ${table}`)).length),
        )
      const counted = await counts()
      const ran = await readRows(database.url, 'select name from kysely_migration')
      const known = new Set(ran.map(({ name }) => String(name)))

      const migrated = await runHoldfast(['migrate', '--json'], { program: launcherOf(upgraded), variables })
      expect(migrated.stderr).toBe('')
      expect(JSON.parse(migrated.stdout)).toEqual({
        ran: migrationNames.filter((name) => !known.has(name)),
        restored: [],
      })
      expect(await counts()).toEqual(counted)
      if (engine === 'postgres') {
        await bookAt(before.address, business, { token, slotNumber: 3 })
        await before.stop()
      }

      const after = await serve(upgraded, variables)
      const key = { token: business.business_key }
      const shown = await call(after.address, 'GET', `/bookings/${String(booking.id)}`, key)
      expect(shown.body).toMatchObject({ id: booking.id, starts_at: booking.starts_at, client: ada })
      const manage = { token: String(booking.manage_url).split('#')[1] ?? '' }
      expect((await call(after.address, 'GET', '/manage', manage)).status).toBe(200)
      const converted = await call(after.address, 'POST', '/bookings', {
        token,
        body: { hold_id: holdId, client: ada },
      })
      expect([converted.status, converted.body.status]).toEqual([201, 'confirmed'])
      await eventually('a delivery of the new release', () =>
        receiver.received.find(({ body }) => body.toString().includes(holdId)),
      )
      await after.stop()
      expect(await findErrors(database.url)).toEqual([])

      // this one, too, because the present release may not have added any yet
      const ofLater = `insert into kysely_migration (name, timestamp) values ('9999-later', '2026-01-01T00:00:00Z')`
      await execute(database.url, ofLater)
      const refused = await runHoldfast(['serve'], {
        program: launcherOf(old),
        variables: { ...variables, PORT: '0' },
      })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/the database is newer than this release of Holdfast/)
      await receiver.stop()
      await database.drop()
    },
  )
})
