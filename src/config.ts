import { closest, distance } from 'fastest-levenshtein'
import ipaddr from 'ipaddr.js'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from './errors.ts'
import {
  beginningWith,
  factor,
  httpUrl,
  keyPrefix,
  publicUrl,
  secretOf32Bytes,
  share,
  twoPauses,
} from './setting-readers.ts'

/** One environment variable: how it is read, and what a person is told about it. */
interface Setting<T> {
  variable: string
  fallback: string
  /** For people: what it does, with its unit. */
  about: string
  /** The value; throws an Error whose message says what is expected. */
  read: (text: string) => T
}

function setting<T>(
  variable: string,
  fallback: string,
  about: string,
  read: (text: string) => T,
): Setting<T> {
  return { variable, fallback, about, read }
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN
    if (value >= least && value <= most) return value
    throw new Error(`must be a whole number from ${least} to ${most}`)
  }
}

function oneOf<T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value) return value
    const near = closest(text, values)
    throw new Error(
      `must be one of ${values.join(', ')}` + (distance(near, text) <= 3 ? `; did you mean ${near}?` : ''),
    )
  }
}

function cidrList(text: string): string[] {
  const ranges = text.split(',').map((range) => range.trim())
  const used = ranges.filter((range) => range !== '')
  for (const range of used) {
    if (!ipaddr.isValidCIDR(range)) {
      throw new Error(`must be a list of address ranges such as 10.0.0.0/8,fd00::/8; "${range}" is none`)
    }
  }
  return used
}

/** Where the data lives: a SQLite file, or the address of a PostgreSQL server. */
export type DatabaseUrl = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

function databaseUrl(text: string): DatabaseUrl {
  if (/^postgres(ql)?:\/\//.test(text)) {
    if (!URL.canParse(text))
      throw new Error('is not a valid address; the form is postgres://user:password@host:5432/name')
    return { engine: 'postgres', url: text }
  }
  const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1]
  if (file && !file.startsWith('//')) return { engine: 'sqlite', file: resolve(file) }
  throw new Error('must be sqlite:./path/to/file.db or postgres://user:password@host:5432/name')
}

function redisUrl(text: string): string {
  const { protocol, hostname, pathname } = URL.parse(text) ?? {}
  const isRedis = protocol === 'redis:' || protocol === 'rediss:'
  if (text === '' || (isRedis && hostname && /^(\/\d{0,4})?$/.test(pathname ?? ''))) return text
  throw new Error('must be redis://user:password@host:6379/0, or rediss:// for TLS')
}

/** Every variable that Holdfast reads. The README's configuration table is checked against it by a test. */
export const settings = {
  environment: setting(
    'NODE_ENV',
    'development',
    'production never makes demo data, and delivers webhooks to public https addresses only',
    oneOf('development', 'production', 'test'),
  ),
  host: setting('HOST', '127.0.0.1', 'address to listen on; 0.0.0.0 for all', (text) => text),
  port: setting('PORT', '3000', 'TCP port to listen on; 0 takes any free one', wholeNumber(0, 65_535)),
  database: setting(
    'DATABASE_URL',
    'sqlite:./data/holdfast.db',
    'sqlite:PATH or postgres://user:password@host:port/name',
    databaseUrl,
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    '10',
    'most connections to PostgreSQL, per process',
    wholeNumber(1, 500),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'least severe log lines to write',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'address ranges (CIDR, comma-separated) of proxies whose X-Forwarded-For is believed',
    cidrList,
  ),
  maxConnections: setting(
    'MAX_CONNECTIONS',
    '2000',
    'most open connections of clients; one more is closed',
    wholeNumber(1, 1_000_000),
  ),
  holdSeconds: setting('HOLD_SECONDS', '600', 'how long a hold lasts, in seconds', wholeNumber(1, 86_400)),
  sessionSeconds: setting(
    'SESSION_SECONDS',
    '3600',
    'how long a session token is valid, in seconds',
    wholeNumber(1, 86_400),
  ),
  maxHoldsPerSession: setting(
    'MAX_HOLDS_PER_SESSION',
    '10',
    'most active holds of one session',
    wholeNumber(1, 1_000_000),
  ),
  maxHoldsPerIp: setting(
    'MAX_HOLDS_PER_IP',
    '50',
    'most active holds of all sessions from one IPv4 address or IPv6 /64',
    wholeNumber(1, 1_000_000),
  ),
  maxBookingsPerIpPerHour: setting(
    'MAX_BOOKINGS_PER_IP_PER_HOUR',
    '10',
    'most bookings of all sessions from one IPv4 address or IPv6 /64 at one business within an hour',
    wholeNumber(1, 1_000_000),
  ),
  maxBookingsPerIpPerDay: setting(
    'MAX_BOOKINGS_PER_IP_PER_DAY',
    '30',
    'the same within 24 hours',
    wholeNumber(1, 1_000_000),
  ),
  rateLimitFactor: setting(
    'RATE_LIMIT_FACTOR',
    '1',
    'multiplies all rate limits and the caps on holds and bookings, for benchmarks and trials',
    factor,
  ),
  secret: setting(
    'HOLDFAST_SECRET',
    '',
    '32 bytes (openssl rand -hex 32), the same on all servers, that key the digests of addresses; empty: one is made and kept in the database',
    secretOf32Bytes,
  ),
  redisUrl: setting(
    'REDIS_URL',
    '',
    'redis://user:password@host:port/number where servers count requests together; empty: in PostgreSQL, with SQLite in memory',
    redisUrl,
  ),
  redisKeyPrefix: setting(
    'REDIS_KEY_PREFIX',
    'holdfast:',
    'what every key in Redis begins with: one for each Holdfast that uses the same Redis',
    keyPrefix,
  ),
  webhookRetrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS',
    '30,300',
    'how long after the first and after the second failed attempt a webhook is tried again, in seconds, ±20 %',
    twoPauses,
  ),
  webhookAllowCidr: setting(
    'WEBHOOK_ALLOW_CIDR',
    '',
    'address ranges (CIDR, comma-separated) of the inner network to which production may deliver webhooks all the same',
    cidrList,
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    'address under which clients reach this server: of its booking pages, and where they return to from a checkout; empty: http://HOST:PORT',
    publicUrl,
  ),
  stripeSecretKey: setting(
    'STRIPE_SECRET_KEY',
    '',
    'secret or restricted key of the Stripe account that takes deposits; empty: a sandbox, or none in production',
    beginningWith('sk_', 'rk_'),
  ),
  stripeWebhookSecret: setting(
    'STRIPE_WEBHOOK_SECRET',
    '',
    'signing secret of the endpoint at Stripe that sends events to /payments/stripe/webhook',
    beginningWith('whsec_'),
  ),
  stripeApiUrl: setting(
    'STRIPE_API_URL',
    'https://api.stripe.com',
    'address of the API of Stripe, for tests with something in its place',
    httpUrl,
  ),
  checkoutMinutes: setting(
    'CHECKOUT_TTL_MINUTES',
    '35',
    'how long a client has to pay a deposit, in minutes; as long the slot stays taken',
    wholeNumber(31, 1_430),
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    '1',
    'how long a stopping server still answers, so that load balancers see /readyz fail first, in seconds',
    wholeNumber(0, 8),
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    'address of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318; empty: no traces',
    httpUrl,
  ),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    'which requests are traced; the parentbased ones follow a caller who names a trace',
    oneOf(
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ),
  ),
  tracesSamplerArg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    'the share of requests that the traceidratio samplers trace, from 0 to 1',
    share,
  ),
}

/** The configuration of one process, read once and checked. */
export type Config = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

/**
 * The variables that the process was given, and those of a `.env` file in the working directory that it
 * was not. Throws an OperatorError when that file cannot be read.
 */
export function environmentVariables(): Record<string, string | undefined> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new OperatorError(`.env in the working directory cannot be read (${reason}).`, { cause: error })
  }
  return process.env
}

/**
 * Reads and checks the whole configuration. An empty variable counts as absent.
 * Throws an OperatorError that names every faulty variable and its fix.
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const faults: string[] = []
  const values = Object.entries(settings).map(([name, { variable, fallback, read }]) => {
    try {
      return [name, read(variables[variable] || fallback)]
    } catch (error) {
      faults.push(`${variable} ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  if (faults.length > 0) throw new OperatorError(`The configuration has faults:\n  ${faults.join('\n  ')}`)
  return Object.fromEntries(values) as Config
}

/** Set variables that differ from a known one by a letter or two: very likely slips of the pen. */
export function misspelledVariables(variables: Record<string, string | undefined>): string[] {
  const known = Object.values(settings).map(({ variable }) => variable)
  return Object.keys(variables).flatMap((name) => {
    if (name.length < 7 || known.includes(name)) return []
    const near = closest(name, known)
    return distance(near, name) <= 2 ? [`${name} is not a setting; did you mean ${near}?`] : []
  })
}
