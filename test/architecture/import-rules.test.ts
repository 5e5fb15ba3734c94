import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkImports } from './check-imports.ts'
import { importRules } from './import-rules.ts'

const project = resolve(import.meta.dirname, '../..')

describe('the sources', () => {
  test('every import keeps to the rules', async () => {
    const { modules, typeImports, violations } = await checkImports(project)
    expect(violations.map(({ text }) => text)).toEqual([])
    // With a TypeScript that dependency-cruiser does not know, it reads nothing and finds nothing wrong.
    expect(modules.length).toBeGreaterThan(10)
    expect(modules.toSorted()).toEqual(globSync('src/**/*.ts', { cwd: project }).sort())
    expect(typeImports).toBeGreaterThan(0)
  })
})

/** A small tree in which everything is allowed, with the imports that are nearest to a forbidden one. */
const ALLOWED: Record<string, string> = {
  'holdfast.ts': `import './cli/serve.ts'`,
  'cli/serve.ts': `await import('../app.ts'); import type { App } from '../app.ts'; import '../create-context.ts'`,
  'create-context.ts': `import './database/sqlite.ts'`,
  'app.ts': `import 'fastify'; import './http/server.ts'; import './bookings/booking-routes.ts'`,
  'config.ts': `import 'node:fs'; import 'ipaddr.js'; import 'fastest-levenshtein'; import './errors.ts'`,
  'context.ts': `import type { Database } from './database/database.ts'`,
  'clock.ts': `import './instants.ts'`,
  'errors.ts': '',
  'ids.ts': '',
  'instants.ts': '',
  'access/actor.ts': '',
  'access/session-routes.ts': `import '../http/reply.ts'; import './actor.ts'`,
  'http/server.ts': `import '@fastify/cors'; import './authentication.ts'; import './reply.ts'`,
  'http/authentication.ts': `import '../access/actor.ts'`,
  'http/reply.ts': `import type { FastifyReply } from 'fastify'`,
  'bookings/booking-routes.ts': `import type { FastifyInstance } from 'fastify'; import './place-hold.ts'`,
  'bookings/place-hold.ts': `import './hold-rules.ts'; import './hold-queries.ts'; import '../catalogue/find-service.ts'`,
  'bookings/hold-rules.ts': `import type { Hold } from './hold.ts'; import '../errors.ts'; import './claim-rules.ts'`,
  'bookings/claim-rules.ts': `import type { Context } from '../context.ts'; import '../instants.ts'`,
  'bookings/hold-queries.ts': `import 'kysely'; import '../database/database.ts'; import type { Hold } from './hold.ts'`,
  'bookings/hold.ts': '',
  'payments/start-checkout.ts': `import '../bookings/place-hold.ts'`,
  'race-test/run.ts': `import 'undici'; import '../clock.ts'; import '../errors.ts'`,
  'catalogue/find-service.ts': `import './catalogue-queries.ts'`,
  'catalogue/catalogue-queries.ts': `import '../ids.ts'`,
  'database/database.ts': `import 'kysely'`,
  'database/postgres.ts': `import 'pg'; import './database.ts'`,
  'database/sqlite.ts': `import 'node:sqlite'; import './database.ts'`,
}

/** What each rule catches: the rule, the file it is planted in, the import. */
const FORBIDDEN: [rule: string, file: string, planted: string][] = [
  ['everything-resolves', 'bookings/hold.ts', `import './gone.ts'`],
  ['no-circle', 'bookings/hold-rules.ts', `import './hold-again-rules.ts'`],
  ['no-circle', 'instants.ts', `import type { Clock } from './clock.ts'`],
  ['app-is-the-root', 'bookings/hold.ts', `import type { App } from '../app.ts'`],
  ['app-is-the-root', 'bookings/hold.ts', `import '../create-context.ts'`],
  ['commands-start-fast', 'cli/serve.ts', `import '../app.ts'`],
  ['commands-are-the-edge', 'app.ts', `import './cli/list-keys.ts'`],
  ['root-knows-no-folder', 'context.ts', `import './bookings/hold.ts'`],
  ['routes-without-queries', 'bookings/booking-routes.ts', `import './hold-queries.ts'`],
  ['routes-without-queries', 'bookings/booking-routes.ts', `import type { Row } from './hold-queries.ts'`],
  ['routes-without-database', 'bookings/booking-routes.ts', `import '../database/database.ts'`],
  ['routes-are-the-edge', 'payments/start-checkout.ts', `import '../bookings/booking-routes.ts'`],
  ['fastify-at-the-edge', 'bookings/place-hold.ts', `import type { FastifyRequest } from 'fastify'`],
  ['fastify-at-the-edge', 'context.ts', `import '@fastify/cors'`],
  ['queries-of-the-same-folder', 'bookings/place-hold.ts', `import '../catalogue/catalogue-queries.ts'`],
  ['queries-reach-inward', 'bookings/hold-queries.ts', `import '../database/postgres.ts'`],
  ['queries-reach-inward', 'bookings/hold-queries.ts', `import '../catalogue/find-service.ts'`],
  ['queries-need-kysely-alone', 'bookings/hold-queries.ts', `import 'node:fs'`],
  ['sql-in-queries', 'bookings/place-hold.ts', `import { sql } from 'kysely'`],
  ['drivers-in-database', 'catalogue/catalogue-queries.ts', `import type { Pool } from 'pg'`],
  ['drivers-in-database', 'bookings/place-hold.ts', `import { DatabaseSync } from 'node:sqlite'`],
  ['drivers-in-database', 'bookings/place-hold.ts', `process.getBuiltinModule('node:sqlite')`],
  ['rules-are-pure', 'bookings/hold-rules.ts', `import '../clock.ts'`],
  ['rules-are-pure', 'bookings/hold-rules.ts', `import './hold-queries.ts'`],
  ['rules-are-pure', 'bookings/hold-rules.ts', `import 'node:crypto'`],
  ['rules-are-pure', 'bookings/hold-rules.ts', `await import('ipaddr.js')`],
  ['folders-in-order', 'bookings/hold.ts', `import '../payments/refund.ts'`],
  ['folders-in-order', 'catalogue/find-service.ts', `import type { Hold } from '../bookings/hold.ts'`],
  ['http-knows-no-domain', 'http/server.ts', `import '../bookings/hold.ts'`],
  ['race-test-from-outside', 'race-test/run.ts', `import '../access/actor.ts'`],
  ['config-stands-alone', 'config.ts', `import 'pino'`],
  ['config-stands-alone', 'config.ts', `import type { Ids } from './ids.ts'`],
  ['no-folder-circle', 'database/database.ts', `import type { Actor } from '../access/actor.ts'`],
]

/** Present in every planted tree, so that an import of them finds something. */
const TARGETS: Record<string, string> = {
  'bookings/hold-again-rules.ts': `import './hold-rules.ts'`,
  'cli/list-keys.ts': '',
  'payments/refund.ts': '',
  'access/find-key.ts': `import '../database/database.ts'`,
}

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
    const path = join(root, 'src', file)
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
    expect(violations.map(({ text }) => text).join('\n')).toContain(`src/${file}`)
  })

  test('has a planted import for every rule', () => {
    const planted = new Set(FORBIDDEN.map(([rule]) => rule))
    expect(planted).toEqual(new Set([...importRules.map(({ name }) => name), 'no-folder-circle']))
  })
})
