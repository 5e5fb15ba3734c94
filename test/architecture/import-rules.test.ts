import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkImports } from './check-imports.ts'
import { FOLDERS, importRules } from './import-rules.ts'

const project = resolve(import.meta.dirname, '../..')

describe('the sources', () => {
  test('every import keeps to the rules', async () => {
    const { modules, typeImports, violations } = await checkImports(project)
    expect(violations.map(({ text }) => text)).toEqual([])
    // With a TypeScript that dependency-cruiser does not know, it reads nothing and finds no faults.
    expect(modules.length).toBeGreaterThan(10)
    expect(modules.toSorted()).toEqual(globSync('{src,tools}/**/*.ts', { cwd: project }).sort())
    expect(typeImports).toBeGreaterThan(0)
  })

  test('nothing lies loose in src/, and every folder has its place in the order', () => {
    const there = globSync('*', { cwd: join(project, 'src'), exclude: ['package.json'] })
    expect(there.toSorted()).toEqual(FOLDERS.toSorted())
  })
})

/** A small tree in which everything is allowed, with imports that are almost forbidden. */
const ALLOWED: Record<string, string> = {
  'src/main.ts': `import './cli/serve.ts'`,
  'src/cli/serve.ts': `await import('../server.ts'); import type { App } from '../server.ts'; import '../operate/open.ts'`,
  'src/operate/open.ts': `import '../database/sqlite.ts'`,
  'src/server.ts': `import 'fastify'; import './http/server.ts'; import './bookings/booking-routes.ts'`,
  'src/base/config.ts': `import 'node:fs'; import 'ipaddr.js'; import 'fastest-levenshtein'; import './errors.ts'`,
  'src/base/clock.ts': `import './instants.ts'`,
  'src/base/errors.ts': '',
  'src/base/ids.ts': '',
  'src/base/instants.ts': '',
  'src/database/context.ts': `import type { Database } from './database.ts'`,
  'src/database/database.ts': `import 'kysely'`,
  'src/database/postgres.ts': `import 'pg'; import './database.ts'`,
  'src/database/sqlite.ts': `import 'node:sqlite'; import './database.ts'`,
  'src/http/server.ts': `import '@fastify/cors'; import './reply.ts'`,
  'src/http/reply.ts': `import type { FastifyReply } from 'fastify'`,
  'src/watch/metrics.ts': '',
  'src/access/actor.ts': '',
  'src/access/authentication-hook.ts': `import 'fastify'; import './actor.ts'`,
  'src/access/session-routes.ts': `import '../http/reply.ts'; import './actor.ts'`,
  'src/catalogue/service.ts': `import './catalogue-queries.ts'`,
  'src/catalogue/catalogue-queries.ts': `import '../base/ids.ts'`,
  'src/availability/slots.ts': '',
  'src/webhooks/event.ts': '',
  'src/mails/outbox.ts': `import '../webhooks/event.ts'`,
  'src/push/outbox.ts': `import '../mails/outbox.ts'`,
  'src/bookings/booking-routes.ts': `import type { FastifyInstance } from 'fastify'; import './hold.ts'`,
  'src/bookings/hold.ts': `import './hold-rules.ts'; import './hold-queries.ts'; import '../catalogue/service.ts'`,
  'src/bookings/hold-rules.ts': `import type { Hold } from './holds.ts'; import '../base/errors.ts'; import './claim-rules.ts'`,
  'src/bookings/claim-rules.ts': `import type { Context } from '../database/context.ts'; import '../base/instants.ts'`,
  'src/bookings/hold-queries.ts': `import 'kysely'; import '../database/database.ts'; import type { Hold } from './holds.ts'`,
  'src/bookings/holds.ts': '',
  'src/payments/checkout.ts': `import '../bookings/hold.ts'`,
  'src/calendars/feed.ts': `import '../bookings/hold.ts'`,
  'src/imports/import.ts': `import '../calendars/feed.ts'`,
  'src/agents/tools.ts': `import '../base/errors.ts'`,
  'src/pages/page.ts': `import type { FastifyReply } from 'fastify'`,
  'src/console/frame/console-page.ts': `import '../../pages/page.ts'`,
  'tools/race-test/run.ts': `import 'undici'; import '../../src/base/clock.ts'; import '../../src/base/errors.ts'`,
}

/** A file of each folder of the order, to import and to plant faults in. */
const FILE_OF: Record<string, string> = Object.fromEntries(
  FOLDERS.map((folder) => [
    folder,
    Object.keys(ALLOWED).find((file) => file.startsWith(`src/${folder}`)) ?? '',
  ]),
)

/** The catches of each rule: the rule, the file with the planted import, and the import. */
const FORBIDDEN: [rule: string, file: string, planted: string][] = [
  // even a type, even from the folder just above
  ...FOLDERS.slice(0, -1).map((folder, index): [string, string, string] => {
    const above = FILE_OF[FOLDERS[index + 1] ?? ''] ?? ''
    const way = posix.relative(posix.dirname(FILE_OF[folder] ?? ''), above)
    return [
      `${folder}-imports-downward`,
      FILE_OF[folder] ?? '',
      `import type { X } from '${way.replace(/^(?![.])/, './')}'`,
    ]
  }),
  ['base-imports-downward', 'src/base/errors.ts', `import '../bookings/hold.ts'`],
  ['everything-resolves', 'src/bookings/holds.ts', `import './gone.ts'`],
  ['no-circle', 'src/bookings/hold-rules.ts', `import './hold-again-rules.ts'`],
  ['no-circle', 'src/base/instants.ts', `import type { Clock } from './clock.ts'`],
  ['commands-start-fast', 'src/cli/serve.ts', `import '../server.ts'`],
  ['routes-without-queries', 'src/bookings/booking-routes.ts', `import './hold-queries.ts'`],
  [
    'routes-without-queries',
    'src/bookings/booking-routes.ts',
    `import type { Row } from './hold-queries.ts'`,
  ],
  ['routes-without-database', 'src/bookings/booking-routes.ts', `import '../database/database.ts'`],
  ['routes-are-the-edge', 'src/payments/checkout.ts', `import '../bookings/booking-routes.ts'`],
  ['fastify-at-the-edge', 'src/bookings/hold.ts', `import type { FastifyRequest } from 'fastify'`],
  ['fastify-at-the-edge', 'src/database/context.ts', `import '@fastify/cors'`],
  ['queries-of-the-same-folder', 'src/bookings/hold.ts', `import '../catalogue/catalogue-queries.ts'`],
  ['queries-reach-inward', 'src/bookings/hold-queries.ts', `import '../database/postgres.ts'`],
  ['queries-reach-inward', 'src/bookings/hold-queries.ts', `import '../catalogue/service.ts'`],
  ['queries-need-kysely-alone', 'src/bookings/hold-queries.ts', `import 'node:fs'`],
  ['sql-in-queries', 'src/bookings/hold.ts', `import { sql } from 'kysely'`],
  ['drivers-in-database', 'src/catalogue/catalogue-queries.ts', `import type { Pool } from 'pg'`],
  ['drivers-in-database', 'src/bookings/hold.ts', `import { DatabaseSync } from 'node:sqlite'`],
  ['drivers-in-database', 'src/bookings/hold.ts', `process.getBuiltinModule('node:sqlite')`],
  ['rules-are-pure', 'src/bookings/hold-rules.ts', `import '../base/clock.ts'`],
  ['rules-are-pure', 'src/bookings/hold-rules.ts', `import './hold-queries.ts'`],
  ['rules-are-pure', 'src/bookings/hold-rules.ts', `import 'node:crypto'`],
  ['rules-are-pure', 'src/bookings/hold-rules.ts', `await import('ipaddr.js')`],
  ['tools-from-outside', 'tools/race-test/run.ts', `import '../../src/access/actor.ts'`],
  ['config-stands-alone', 'src/base/config.ts', `import 'pino'`],
  ['config-stands-alone', 'src/base/config.ts', `import type { Ids } from './ids.ts'`],
]

/** Present in every planted tree, so that an import of it resolves. */
const TARGETS: Record<string, string> = { 'src/bookings/hold-again-rules.ts': `import './hold-rules.ts'` }

describe('a planted tree', () => {
  let root: string

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-imports-'))
    symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
    for (const [file, text] of Object.entries({ ...ALLOWED, ...TARGETS })) write(file, text)
  })

  afterEach(() => {
    rmSync(root, { recursive: true, force: true })
  })

  function write(file: string, text: string): void {
    const path = join(root, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${text}\nexport {}\n`)
  }

  test('that keeps to the rules passes', async () => {
    const { violations, modules } = await checkImports(root)
    expect(violations).toEqual([])
    expect(modules).toHaveLength(Object.keys({ ...ALLOWED, ...TARGETS }).length)
  })

  test.each(FORBIDDEN)('%s catches in %s: %s', async (rule, file, planted) => {
    write(file, `${ALLOWED[file] ?? ''}\n${planted}`)
    const { violations } = await checkImports(root)
    expect(violations.map((violation) => violation.rule)).toContain(rule)
    expect(violations.map(({ text }) => text).join('\n')).toContain(file)
  })

  test('has a planted import for every rule', () => {
    const planted = new Set(FORBIDDEN.map(([rule]) => rule))
    expect(planted).toEqual(new Set(importRules.map(({ name }) => name)))
  })
})
