import type { IForbiddenRuleType } from 'dependency-cruiser'

/*
 * "One order" and "Kinds of files" of ARCHITECTURE.md as rules for dependency-cruiser. Paths are regular expressions
 * over paths from the root of the project. An import of types counts as an import unless a rule says otherwise.
 */

/** An import that is gone once the types are stripped. It ties the sources together but runs nothing. */
const TYPES = ['type-only', 'type-import'] as const

const ROUTES = '-routes[.]ts$'
const QUERIES = '-queries[.]ts$'
const RULES = '-rules[.]ts$'
const TYPE_FILES = '-types[.]ts$'
const SCHEMAS = '-schemas[.]ts$'
/** Code that depends only on its input. Rules and queries may therefore use it. */
const PURE =
  '^src/base/(client-network|contact-formats|errors|ids|instants|money|search-text|sort-text|time-zone-names|token-types)[.]ts$'
const DATABASE_PORT = '^src/database/(?!sqlite|postgres|migrat)'

/** The one order of folders. Each may import those before it, none after it. */
export const FOLDERS = [
  'base',
  'database',
  'http',
  'watch',
  'access',
  'catalogue',
  'availability',
  'webhooks',
  'mails',
  'push',
  'bookings',
  'payments',
  'calendars',
  'imports',
  'agents',
  'pages',
  'console',
  'operate',
  'server.ts',
  'cli',
  'main.ts',
]

function inSource(names: string[]): string {
  return `^src/(${names.map((name) => (name.endsWith('.ts') ? name.replace('.', '[.]') + '$' : `${name}/`)).join('|')})`
}

/** Returns the path of a package, whether or not it was found on disk, and its types. */
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

  // 1. One order of folders, one way
  ...FOLDERS.slice(0, -1).map((folder, index) =>
    forbid(
      `${folder}-imports-downward`,
      `${folder} stands below ${FOLDERS.slice(index + 1).join(', ')}`,
      { path: inSource([folder]) },
      { path: inSource(FOLDERS.slice(index + 1)) },
    ),
  ),
  forbid(
    'commands-start-fast',
    'a command that needs the server imports server.ts when it runs: the others, and --help, do without loading it',
    { path: ['^src/main[.]ts$', '^src/cli/', '^src/operate/'] },
    {
      path: ['^src/server[.]ts$', npm('fastify'), npm('@fastify')],
      dependencyTypesNot: [...TYPES, 'dynamic-import'],
    },
  ),
  forbid(
    'tools-from-outside',
    'tools know the public API: of src, nothing but pure modules and the clock',
    { path: '^tools/' },
    { path: '^src/', pathNot: [PURE, '^src/base/clock[.]ts$'] },
  ),

  // 2. Routes → their schemas and operations, never queries
  forbid('routes-without-queries', 'a route declares, calls, replies', { path: ROUTES }, { path: QUERIES }),
  forbid(
    'routes-without-database',
    'a route declares, calls, replies; the transaction belongs to the operation',
    { path: ROUTES },
    { path: '^src/database/', pathNot: [RULES], dependencyTypesNot: [...TYPES] },
  ),
  forbid(
    'routes-are-the-edge',
    'only server.ts and other routes import routes',
    { pathNot: [ROUTES, '^src/server[.]ts$'] },
    { path: ROUTES },
  ),
  forbid(
    'fastify-at-the-edge',
    'only http/, pages/, console/, routes, hooks and server.ts know Fastify, even its types',
    { pathNot: ['^src/(http|pages|console|watch)/', ROUTES, '-hook[.]ts$', '^src/server[.]ts$'] },
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
    'queries know the database port, pure modules and the fields in schemas; of the rest of src, types only',
    { path: QUERIES },
    {
      path: '^src/',
      pathNot: [DATABASE_PORT, PURE, '^src/base/clock[.]ts$', QUERIES, RULES, TYPE_FILES, SCHEMAS],
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

  forbid(
    'config-stands-alone',
    'the configuration is read before anything else exists',
    { path: '^src/base/config[.]ts$' },
    {
      pathNot: [
        '^src/base/(client-network|errors|setting-readers)[.]ts$',
        npm('ipaddr.js'),
        npm('fastest-levenshtein'),
      ],
      dependencyTypesNot: ['core'],
    },
  ),
]
