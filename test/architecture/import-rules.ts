import type { IForbiddenRuleType } from 'dependency-cruiser'

/*
 * "Who may import whom" of ARCHITECTURE.md as rules for dependency-cruiser. Paths are regular expressions over paths
 * from the root of the project. Where a rule says nothing else, an import of types counts as an import.
 */

/** An import that is gone once the types are stripped: it ties the sources together, but runs nothing. */
const TYPES = ['type-only', 'type-import'] as const

const ROUTES = '-routes[.]ts$'
const QUERIES = '-queries[.]ts$'
const RULES = '-rules[.]ts$'
const TYPE_FILES = '-types[.]ts$'
/** What decides on its input alone, and may therefore stand under rules and queries. */
const PURE = '^src/(contact-formats|errors|ids|instants)[.]ts$'
const DATABASE_PORT = '^src/database/(?!sqlite|postgres|migrat)'

/** A package, whether or not it was found on disk, and its types. */
function npm(name: string): string {
  return `(^|/)node_modules/(@types/)?${name}/|^${name}(/|$)`
}

function builtIn(name: string): string {
  return `^(node:)?${name}$`
}

function forbid(
  name: string,
  comment: string,
  from: { path?: string | string[]; pathNot?: string | string[] },
  to: Extract<IForbiddenRuleType, { to: unknown }>['to'],
): IForbiddenRuleType {
  const path = from.path ?? '^src/'
  return { name, comment, severity: 'error', from: { ...from, path }, to }
}

export const importRules: IForbiddenRuleType[] = [
  forbid(
    'everything-resolves',
    'an import that is not found is an import that is not checked',
    {},
    { couldNotResolve: true },
  ),
  forbid('no-circle', 'modules form no circle', {}, { circular: true }),

  // 1. holdfast.ts, cli/ → app.ts, create-context.ts → everything
  forbid(
    'app-is-the-root',
    'app.ts and create-context.ts wire everything, so only holdfast.ts and cli/ may know them',
    { pathNot: ['^src/holdfast[.]ts$', '^src/cli/'] },
    { path: '^src/(app|create-context)[.]ts$' },
  ),
  forbid(
    'commands-start-fast',
    'a command that needs the server imports app.ts when it runs: the others, and --help, do without loading it',
    { path: ['^src/holdfast[.]ts$', '^src/cli/', '^src/create-context[.]ts$'] },
    {
      path: ['^src/app[.]ts$', npm('fastify'), npm('@fastify')],
      dependencyTypesNot: [...TYPES, 'dynamic-import'],
    },
  ),
  forbid(
    'commands-are-the-edge',
    'only holdfast.ts and other commands import cli/',
    { pathNot: ['^src/holdfast[.]ts$', '^src/cli/'] },
    { path: ['^src/holdfast[.]ts$', '^src/cli/'] },
  ),
  forbid(
    'root-knows-no-folder',
    'the modules that every folder imports take no more than types from a folder',
    { path: '^src/[^/]+$', pathNot: '^src/(app|create-context|holdfast)[.]ts$' },
    { path: '^src/[^/]+/', dependencyTypesNot: [...TYPES] },
  ),

  // 2. Routes → their schemas and operations, never queries
  forbid('routes-without-queries', 'a route declares, calls, replies', { path: ROUTES }, { path: QUERIES }),
  forbid(
    'routes-without-database',
    'a route declares, calls, replies; the transaction belongs to the operation',
    { path: ROUTES },
    { path: '^src/database/', dependencyTypesNot: [...TYPES] },
  ),
  forbid(
    'routes-are-the-edge',
    'only app.ts and other routes import routes',
    { pathNot: [ROUTES, '^src/app[.]ts$'] },
    { path: ROUTES },
  ),
  forbid(
    'fastify-at-the-edge',
    'only http/, routes and app.ts know Fastify, even its types',
    { pathNot: ['^src/http/', ROUTES, '^src/app[.]ts$'] },
    { path: [npm('fastify'), npm('fastify-plugin'), npm('@fastify')] },
  ),

  // 3. Operations → their rules and queries, context, errors, other folders' operations
  forbid(
    'queries-of-the-same-folder',
    'another folder is asked through its operations, not through its SQL',
    { path: '^src/([^/]+)/' },
    { path: QUERIES, pathNot: '^src/$1/' },
  ),

  // 4. Queries → the database port. No SQL anywhere else but migrations
  forbid(
    'queries-reach-inward',
    'queries know the database port and pure modules; of the rest of src, types only',
    { path: QUERIES },
    {
      path: '^src/',
      pathNot: [DATABASE_PORT, PURE, '^src/clock[.]ts$', QUERIES, RULES, TYPE_FILES],
      dependencyTypesNot: [...TYPES],
    },
  ),
  forbid(
    'queries-need-kysely-alone',
    'queries build SQL and do nothing else',
    { path: QUERIES },
    { pathNot: ['^src/', npm('kysely')], dependencyTypesNot: [...TYPES] },
  ),
  forbid(
    'sql-in-queries',
    'SQL stands in queries and in database/ alone',
    { pathNot: ['^src/database/', QUERIES] },
    { path: npm('kysely') },
  ),
  forbid(
    'drivers-in-database',
    'only database/ knows the two drivers, even their types',
    { pathNot: '^src/database/' },
    { path: [npm('pg'), builtIn('sqlite')] },
  ),

  // 5. Rules → types and errors only
  forbid(
    'rules-are-pure',
    'a rule decides on what it is given: it runs no other module but pure ones',
    { path: RULES },
    { pathNot: [PURE, RULES, TYPE_FILES], dependencyTypesNot: [...TYPES] },
  ),

  // 6. Folders form no circle; the order that there is
  forbid(
    'folders-in-order',
    'bookings does not know payments: the checkout provider reaches it through Context',
    { path: '^src/bookings/' },
    { path: '^src/payments/' },
  ),
  forbid(
    'folders-in-order',
    'availability, catalogue and webhooks are what bookings stands on',
    { path: '^src/(availability|catalogue|webhooks)/' },
    { path: '^src/(bookings|payments)/' },
  ),
  forbid(
    'http-knows-no-domain',
    'of the other folders, http knows access, rate-limits and idempotency, and its own queries the database',
    { path: '^src/http/' },
    { path: '^src/(?!http/|access/|rate-limits/|idempotency/|database/)[^/]+/' },
  ),

  forbid(
    'race-test-from-outside',
    'the race test knows the public API: of src, nothing but pure modules, the clock and ids',
    { path: '^src/race-test/' },
    { path: '^src/', pathNot: [PURE, '^src/race-test/', '^src/clock[.]ts$'] },
  ),

  forbid(
    'config-stands-alone',
    'the configuration is read before anything else exists',
    { path: '^src/config[.]ts$' },
    {
      pathNot: ['^src/(errors|setting-readers)[.]ts$', npm('ipaddr.js'), npm('fastest-levenshtein')],
      dependencyTypesNot: ['core'],
    },
  ),
]
