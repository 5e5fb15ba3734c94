import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

// Each house rule restricts one kind of code to one file of src/. The messages name that file, because the reader of a
// message needs it next.

const ENVIRONMENT = {
  onlyIn: 'src/base/config.ts',
  message: 'Only src/base/config.ts reads the environment, and reports mistakes with their fix.',
  properties: [['process', 'env']],
  imports: { 'node:process': ['env', 'default'] },
}

const TIME = {
  onlyIn: 'src/base/clock.ts',
  message:
    'Time comes from the injected clock (src/base/clock.ts), so that tests control it and servers agree on it.',
  properties: [
    ['Date', 'now'],
    ['Temporal', 'Now'],
    ['performance', 'now'],
    ['process', 'hrtime'],
    ['process', 'uptime'],
  ],
  syntax: ['NewExpression[callee.name="Date"][arguments.length=0]', 'CallExpression[callee.name="Date"]'],
  imports: { 'node:perf_hooks': ['performance', 'default'], 'node:process': ['hrtime', 'uptime', 'default'] },
}

const RANDOM_FUNCTIONS = [
  'getRandomValues',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'randomUUIDv7',
]

const RANDOMNESS = {
  onlyIn: 'src/base/ids.ts',
  message: 'IDs and randomness come from the injected ids (src/base/ids.ts), so that tests can repeat them.',
  properties: [['Math', 'random'], ...RANDOM_FUNCTIONS.map((name) => ['crypto', name])],
  imports: { 'node:crypto': [...RANDOM_FUNCTIONS, 'webcrypto', 'default'] },
}

const TRUSTED = {
  onlyIn: [
    'src/pages/booking-page-routes.ts',
    'src/pages/guides.ts',
    'src/pages/message-page.ts',
    'src/console/frame/console-page.ts',
    'src/console/frame/qr-code.ts',
  ],
  message: 'HTML is built by the tag `html`, which escapes. What cannot be is listed in eslint.config.js.',
  syntax: ['ImportSpecifier[imported.name="trusted"]'],
}

const EXPORTS = [
  {
    selector: 'ExportAllDeclaration',
    message: 'Export by name: a barrel hides the file that defines a thing.',
  },
  {
    selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
    message: 'Export it by its name, so that it has the same name everywhere.',
  },
]

const HOUSE = [ENVIRONMENT, TIME, RANDOMNESS, TRUSTED]

/** Returns the house rules for all of src/, or for the one file that is exempt from one of them. */
function houseRules(except) {
  const kept = HOUSE.filter((rule) => rule !== except)
  return {
    'no-restricted-properties': [
      'error',
      ...kept.flatMap(({ properties = [], message }) =>
        properties.map(([object, property]) => ({ object, property, message })),
      ),
    ],
    'no-restricted-syntax': [
      'error',
      ...EXPORTS,
      ...kept.flatMap(({ syntax = [], message }) => syntax.map((selector) => ({ selector, message }))),
    ],
    'no-restricted-imports': [
      'error',
      {
        paths: kept.flatMap(({ imports = {}, message }) =>
          Object.entries(imports).flatMap(([name, importNames]) =>
            [name, name.replace('node:', '')].map((module) => ({ name: module, importNames, message })),
          ),
        ),
      },
    ],
  }
}

export default defineConfig(
  globalIgnores([
    'data/',
    'coverage/',
    'dist/',
    'client/dist/',
    'client/api-resources.ts',
    'client/api-types.ts',
    'widget/dist/',
    'embed/*/dist/',
    '**/.next/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    rules: {
      eqeqeq: 'error',
      'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
      'no-empty': 'error',
      'no-self-compare': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-escape': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      // Projects by name, because the project service, made for editors, takes half as long again for all files.
      parserOptions: {
        project: [
          './tsconfig.json',
          './widget/tsconfig.json',
          './embed/tsconfig.json',
          './examples/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Numbers in a text are unambiguous. Everything else must be converted to text explicitly.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Noise: a short arrow function may return the result of its call, and a Fastify handler is async without an
      // await.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/require-await': 'off',
      // Takes a quarter of the time of all rules. There are no enums, and an object of a class's shape does what its
      // type says.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'tools/**/*.ts'],
    rules: {
      ...houseRules(),
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/max-params': ['error', { max: 4 }],
    },
  },
  ...HOUSE.map((rule) => ({ files: [rule.onlyIn].flat(), rules: houseRules(rule) })),
  {
    // A table is one long statement, and a file of routes a list. Neither is easier to read in pieces.
    files: ['src/database/migrations/**/*.ts', 'src/**/*-routes.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // Tests read replies in their raw form, for which no type is guaranteed.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Kysely binds the methods of its expression builder, so that they can be destructured.
    files: ['src/**/*-queries.ts'],
    rules: { '@typescript-eslint/unbound-method': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // `expect(object.method)` and stubs with empty methods are normal in a test.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    // Read by the oldest Node that the launcher must reject. Newer syntax would fail before the message.
    files: ['bin/**/*.js'],
    languageOptions: { ecmaVersion: 2020 },
  },
)
