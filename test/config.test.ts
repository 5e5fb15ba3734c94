import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longTest } from './support/long.ts'
import { misspelledVariables, readConfig, settings } from '../src/base/config.ts'
import { OperatorError } from '../src/base/errors.ts'
import { emptyDirectory, runHoldfast, startHoldfast } from './support/holdfast-process.ts'

/** Returns the faults of these variables, one line each, or an empty list. */
function fieldErrorsOf(variables: Record<string, string>): string[] {
  try {
    readConfig(variables)
    return []
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const [head, ...fieldErrors] = error.message.split('\n')
    expect(head).toBe('Invalid configuration:')
    return fieldErrors.map((fieldError) => fieldError.trim())
  }
}

test('without variables everything has the value that the documentation promises', () => {
  expect(readConfig({})).toEqual({
    environment: 'development',
    host: '127.0.0.1',
    port: 3000,
    database: { engine: 'sqlite', file: resolve('data/holdfast.db') },
    databaseReadUrls: [],
    databasePoolSize: 10,
    logLevel: 'info',
    trustProxy: [],
    holdSeconds: 600,
    sessionSeconds: 3600,
    maxHoldsPerSession: 10,
    maxConnections: 2000,
    maxConnectionsPerIp: 500,
    maxHoldsPerIp: 50,
    maxBookingsPerIpPerHour: 10,
    maxBookingsPerIpPerDay: 30,
    secret: undefined,
    rateLimitFactor: 1,
    redisUrl: '',
    redisKeyPrefix: 'holdfast:',
    webhookRetrySeconds: [30, 300],
    webhookAllowCidr: [],
    publicUrl: '',
    stripeSecretKey: '',
    stripeWebhookSecret: '',
    stripeApiUrl: 'https://api.stripe.com',
    checkoutMinutes: 35,
    smtpUrl: '',
    mailFrom: null,
    mailDirectory: '',
    smsUrl: '',
    smsPerMonth: { growth: 100, pro: 500, enterprise: 5000 },
    smsPerHour: 5000,
    smsCallingCodes: [],
    googleClientId: '',
    googleClientSecret: '',
    googleApiUrl: '',
    microsoftClientId: '',
    microsoftClientSecret: '',
    microsoftTenant: 'common',
    microsoftApiUrl: '',
    oidcIssuer: '',
    oidcClientId: '',
    oidcClientSecret: '',
    oidcButton: '',
    oidcOnly: false,
    drainSeconds: 1,
    otlpEndpoint: '',
    tracesSampler: 'parentbased_always_on',
    tracesSamplerArg: 1,
  })
})

test('an empty variable counts as absent', () => {
  const empty = Object.fromEntries(Object.values(settings).map(({ variable }) => [variable, '']))
  expect(readConfig(empty)).toEqual(readConfig({}))
})

describe('good values', () => {
  test.each([
    ['NODE_ENV', 'production', { environment: 'production' }],
    ['HOST', '::', { host: '::' }],
    ['MAIL_DIR', 'mails', { mailDirectory: 'mails' }],
    [
      'MAIL_FROM',
      'Salon Spree <book@example.com>',
      { mailFrom: { name: 'Salon Spree', address: 'book@example.com' } },
    ],
    ['MAIL_FROM', 'book@example.com', { mailFrom: { name: '', address: 'book@example.com' } }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATABASE_READ_URL', '', { databaseReadUrls: [] }],
    ['DATABASE_POOL_SIZE', '1', { databasePoolSize: 1 }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['TRUST_PROXY', '10.0.0.0/8, fd00::/8,', { trustProxy: ['10.0.0.0/8', 'fd00::/8'] }],
    ['HOLD_SECONDS', '1', { holdSeconds: 1 }],
    ['SESSION_SECONDS', '86400', { sessionSeconds: 86_400 }],
    ['MAX_HOLDS_PER_SESSION', '1000000', { maxHoldsPerSession: 1_000_000 }],
    ['MAX_CONNECTIONS', '1', { maxConnections: 1 }],
    ['MAX_CONNECTIONS_PER_IP', '1', { maxConnectionsPerIp: 1 }],
    ['MAX_HOLDS_PER_IP', '1', { maxHoldsPerIp: 1 }],
    ['MAX_BOOKINGS_PER_IP_PER_HOUR', '1000', { maxBookingsPerIpPerHour: 1000 }],
    ['MAX_BOOKINGS_PER_IP_PER_DAY', '1', { maxBookingsPerIpPerDay: 1 }],
    ['HOLDFAST_SECRET', 'Ab'.repeat(32), { secret: Buffer.alloc(32, 0xab) }],
    ['HOLDFAST_SECRET', Buffer.alloc(32, 0xff).toString('base64'), { secret: Buffer.alloc(32, 0xff) }],
    ['HOLDFAST_SECRET', Buffer.alloc(32, 0xff).toString('base64url'), { secret: Buffer.alloc(32, 0xff) }],
    ['PUBLIC_URL', 'https://book.example/', { publicUrl: 'https://book.example' }],
    ['STRIPE_SECRET_KEY', 'rk_live_x', { stripeSecretKey: 'rk_live_x' }],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_x', { stripeWebhookSecret: 'whsec_x' }],
    ['CHECKOUT_TTL_MINUTES', '31', { checkoutMinutes: 31 }],
    ['RATE_LIMIT_FACTOR', '0.5', { rateLimitFactor: 0.5 }],
    ['REDIS_URL', 'redis://127.0.0.1', { redisUrl: 'redis://127.0.0.1' }],
    ['REDIS_URL', 'redis://:secret@host:6380/3', { redisUrl: 'redis://:secret@host:6380/3' }],
    ['REDIS_URL', 'rediss://ada:secret@host', { redisUrl: 'rediss://ada:secret@host' }],
    ['REDIS_KEY_PREFIX', 'a-1_b.{c}:', { redisKeyPrefix: 'a-1_b.{c}:' }],
    ['WEBHOOK_RETRY_SECONDS', '1, 86400', { webhookRetrySeconds: [1, 86_400] }],
    ['WEBHOOK_ALLOW_CIDR', '10.1.0.0/16', { webhookAllowCidr: ['10.1.0.0/16'] }],
    ['DRAIN_SECONDS', '8', { drainSeconds: 8 }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://otel:4318/a', { otlpEndpoint: 'https://otel:4318/a' }],
    ['OTEL_TRACES_SAMPLER', 'traceidratio', { tracesSampler: 'traceidratio' }],
    ['OTEL_TRACES_SAMPLER_ARG', '0.25', { tracesSamplerArg: 0.25 }],
    ['OTEL_TRACES_SAMPLER_ARG', '0', { tracesSamplerArg: 0 }],
    ['DATABASE_URL', 'sqlite:here.db', { database: { engine: 'sqlite', file: resolve('here.db') } }],
    ['DATABASE_URL', 'sqlite:/var/lib/a.db', { database: { engine: 'sqlite', file: '/var/lib/a.db' } }],
    ['DATABASE_URL', 'sqlite:///var/lib/a.db', { database: { engine: 'sqlite', file: '/var/lib/a.db' } }],
    [
      'DATABASE_URL',
      'postgres://a:b@c/d',
      { database: { engine: 'postgres', urls: ['postgres://a:b@c/d'] } },
    ],
    ['DATABASE_URL', 'postgresql://c/d', { database: { engine: 'postgres', urls: ['postgresql://c/d'] } }],
    [
      'DATABASE_URL',
      'postgres://a:b@c:5433,[::1],d/e?sslmode=require',
      {
        database: {
          engine: 'postgres',
          urls: ['c:5433', '[::1]', 'd'].map((host) => `postgres://a:b@${host}/e?sslmode=require`),
        },
      },
    ],
  ])('%s=%s', (variable, value, expected) => {
    expect(readConfig({ [variable]: value })).toEqual({ ...readConfig({}), ...expected })
  })
})

describe('a bad value is named with what would be right', () => {
  test.each([
    ['NODE_ENV', 'prodution', 'must be one of development, production, test; did you mean production?'],
    ['NODE_ENV', 'staging', 'must be one of development, production, test'],
    ...['65536', '-1', '3000.0', '0x10', '1e3', 'http', ' 80'].map((port) => [
      'PORT',
      port,
      'must be a whole number from 0 to 65535',
    ]),
    [
      'DATABASE_URL',
      'mysql://a/b',
      'must be sqlite:./path/to/file.db or postgres://user:password@host:5432/name',
    ],
    [
      'DATABASE_URL',
      './holdfast.db',
      'must be sqlite:./path/to/file.db or postgres://user:password@host:5432/name',
    ],
    [
      'DATABASE_URL',
      'sqlite:',
      'must be sqlite:./path/to/file.db or postgres://user:password@host:5432/name',
    ],
    [
      'DATABASE_URL',
      'sqlite://here.db',
      'must be sqlite:./path/to/file.db or postgres://user:password@host:5432/name',
    ],
    ...['postgres://a:b@host:port/c', 'postgres://a:b@host,/c', 'postgres://a:b@host,host:port/c'].map(
      (url) => [
        'DATABASE_URL',
        url,
        'is not a valid address; the form is postgres://user:password@host:5432/name, with several hosts host:5432,host:5432',
      ],
    ),
    [
      'DATABASE_READ_URL',
      'sqlite:a.db',
      'must be postgres://user:password@host:5432/name, of replicas of DATABASE_URL',
    ],
    [
      'DATABASE_READ_URL',
      'postgres://a,/c',
      'is not a valid address; the form is postgres://user:password@host:5432/name, with several hosts host:5432,host:5432',
    ],
    ['DATABASE_POOL_SIZE', '0', 'must be a whole number from 1 to 500'],
    [
      'LOG_LEVEL',
      'warning',
      'must be one of fatal, error, warn, info, debug, trace, silent; did you mean warn?',
    ],
    [
      'TRUST_PROXY',
      '10.0.0.0/8,proxy.local',
      'must be a list of address ranges such as 10.0.0.0/8,fd00::/8; "proxy.local" is not valid',
    ],
    ['HOLD_SECONDS', '0', 'must be a whole number from 1 to 86400'],
    ['SESSION_SECONDS', '86401', 'must be a whole number from 1 to 86400'],
    ['MAX_HOLDS_PER_SESSION', 'many', 'must be a whole number from 1 to 1000000'],
    ['MAX_CONNECTIONS', '0', 'must be a whole number from 1 to 1000000'],
    ['MAX_CONNECTIONS_PER_IP', '0', 'must be a whole number from 1 to 1000000'],
    ['MAX_HOLDS_PER_IP', '0', 'must be a whole number from 1 to 1000000'],
    ['MAX_BOOKINGS_PER_IP_PER_HOUR', '0', 'must be a whole number from 1 to 1000000'],
    ['MAX_BOOKINGS_PER_IP_PER_DAY', 'x', 'must be a whole number from 1 to 1000000'],
    [
      'HOLDFAST_SECRET',
      'ab'.repeat(31),
      'must be 32 bytes as 64 hexadecimal digits or in base64, for example of: openssl rand -hex 32',
    ],
    [
      'HOLDFAST_SECRET',
      'correct horse battery staple',
      'must be 32 bytes as 64 hexadecimal digits or in base64, for example of: openssl rand -hex 32',
    ],
    ['RATE_LIMIT_FACTOR', '0', 'must be a number above 0, for example 10'],
    ['RATE_LIMIT_FACTOR', 'Infinity', 'must be a number above 0, for example 10'],
    ...['localhost:6379', 'http://host', 'redis://', 'redis://host/name', 'redis://host:port'].map((url) => [
      'REDIS_URL',
      url,
      'must be redis://user:password@host:6379/0, or rediss:// for TLS',
    ]),
    ['REDIS_KEY_PREFIX', 'a b', 'must be 1 to 64 letters, digits and : . _ - { }'],
    ...['30', '0,30', '30,86401', '1,2,3', '30;300'].map((text) => [
      'WEBHOOK_RETRY_SECONDS',
      text,
      'must be two numbers of seconds from 1 to 86400, such as 30,300',
    ]),
    [
      'WEBHOOK_ALLOW_CIDR',
      '10.0.0.1',
      'must be a list of address ranges such as 10.0.0.0/8,fd00::/8; "10.0.0.1" is not valid',
    ],
    ['DRAIN_SECONDS', '9', 'must be a whole number from 0 to 8'],
    ...['localhost:4318', 'grpc://otel:4317', '/v1/traces'].map((address) => [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      address,
      'must be an address such as http://127.0.0.1:4318',
    ]),
    [
      'OTEL_TRACES_SAMPLER',
      'traceid_ratio',
      'must be one of parentbased_always_on, parentbased_always_off, parentbased_traceidratio, always_on, always_off, ' +
        'traceidratio; did you mean traceidratio?',
    ],
    ...['1.1', '-0.1', 'half', '1e-3'].map((text) => [
      'OTEL_TRACES_SAMPLER_ARG',
      text,
      'must be a number from 0 to 1, for example 0.1',
    ]),
  ])('%s=%s', (variable = '', value = '', fieldError = '') => {
    expect(fieldErrorsOf({ [variable]: value })).toEqual([`${variable} ${fieldError}`])
  })
})

test('every setting but a name of a host, a directory or a button refuses some value', () => {
  const lenient = Object.values(settings).filter(
    ({ variable }) => fieldErrorsOf({ [variable]: '?' }).length === 0,
  )
  expect(lenient.map(({ variable }) => variable)).toEqual(['HOST', 'MAIL_DIR', 'OIDC_BUTTON'])
})

test('a name that is a slip of the pen is told with the right one, and others are left alone', () => {
  const variables = { DATABSE_URL: 'x', LOGLEVEL: 'x', HOLD_SECOND: 'x', PORT: '1', HOSTNAME: 'x', PATH: 'x' }
  expect(misspelledVariables(variables)).toEqual([
    'DATABSE_URL is not a setting; did you mean DATABASE_URL?',
    'LOGLEVEL is not a setting; did you mean LOG_LEVEL?',
    'HOLD_SECOND is not a setting; did you mean HOLD_SECONDS?',
  ])
})

test('the standard variables of OpenTelemetry are no slips of the pen', () => {
  const names = [
    ...['TRACES', 'METRICS', 'LOGS'].flatMap((signal) => [
      `OTEL_${signal}_EXPORTER`,
      `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`,
      `OTEL_EXPORTER_OTLP_${signal}_HEADERS`,
    ]),
    ...['HEADERS', 'TIMEOUT', 'PROTOCOL', 'COMPRESSION', 'CERTIFICATE', 'INSECURE'].map(
      (name) => `OTEL_EXPORTER_OTLP_${name}`,
    ),
    ...['SERVICE_NAME', 'RESOURCE_ATTRIBUTES', 'PROPAGATORS', 'SDK_DISABLED', 'LOG_LEVEL'].map(
      (name) => `OTEL_${name}`,
    ),
    ...['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE'].map((name) => `OTEL_BSP_${name}`),
  ]
  expect(misspelledVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
})

describe('the process', () => {
  test('tells all faults at once, before it opens or listens on anything', async () => {
    const directory = emptyDirectory()
    const variables = { PORT: 'http', HOLD_SECONDS: '0', DATABASE_URL: 'postgres://ada:hunter2@host:port/x' }
    const ran = await runHoldfast(['serve'], { directory, variables })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.split('\n').map((line) => line.trim().split(' ')[0])).toEqual([
      'holdfast:',
      'PORT',
      'DATABASE_URL',
      'HOLD_SECONDS',
      '',
    ])
    expect(ran.stderr).not.toContain('hunter2')
    expect(ran.stderr).not.toContain('    at ')
  })

  test('reads .env of its working directory, which a variable of the environment beats', async () => {
    const directory = emptyDirectory()
    writeFileSync(`${directory}/.env`, 'HOLD_SECONDS=0\nSESSION_SECONDS=0\n')
    const ran = await runHoldfast(['migrate'], { directory, variables: { HOLD_SECONDS: '5' } })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('SESSION_SECONDS must be')
    expect(ran.stderr).not.toContain('HOLD_SECONDS must be')
  })

  longTest('warns of misspelled variables when it serves', async () => {
    const directory = emptyDirectory()
    writeFileSync(`${directory}/.env`, 'DATABSE_URL=postgres://ada:hunter2@localhost/x\n')
    const server = startHoldfast(['serve'], { directory, variables: { PORT: '0', LOG_LEVEL: 'warn' } })
    await server.says(/^Holdfast serves/m)
    expect(server.stdout()).toContain('DATABSE_URL is not a setting; did you mean DATABASE_URL?')
    expect(server.stdout() + server.stderr()).not.toContain('hunter2')
    server.signal('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })

  test('tells a .env that cannot be read, without a stack', async () => {
    const directory = emptyDirectory()
    const { mkdirSync } = await import('node:fs')
    mkdirSync(`${directory}/.env`)
    const ran = await runHoldfast(['migrate'], { directory })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^holdfast: \.env /)
    expect(ran.stderr).not.toContain('    at ')
  })
})
