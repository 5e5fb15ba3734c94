import { existsSync } from 'node:fs'
import { closest, distance } from 'fastest-levenshtein'
import { OperatorError } from './errors.ts'
import * as read from './setting-readers.ts'

/** An environment variable: its name, its default, its meaning (with the unit), and its reader. */
function setting<T>(variable: string, fallback: string, about: string, read: (text: string) => T) {
  return { variable, fallback, about, read }
}

/** Every variable that Holdfast reads. A test compares the configuration table in the documentation with this list. */
export const settings = {
  environment: setting(
    'NODE_ENV',
    'development',
    'production creates no demo data and sends webhooks to public https URLs only',
    read.oneOf('development', 'production', 'test'),
  ),
  host: setting('HOST', '127.0.0.1', 'address to listen on; 0.0.0.0 for all', (text) => text),
  port: setting('PORT', '3000', 'TCP port to listen on; 0 takes a free one', read.wholeNumber(0, 65_535)),
  database: setting(
    'DATABASE_URL',
    'sqlite:./data/holdfast.db',
    'sqlite:PATH or postgres://user:password@host:port/name; with host:port,host:port, Holdfast uses the host that accepts writes',
    read.databaseUrl,
  ),
  databaseReadUrls: setting(
    'DATABASE_READ_URL',
    '',
    'postgres://user:password@host:port,host:port/name of replicas; one at most a second behind answers availability queries',
    read.replicaUrls,
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    '10',
    'maximum number of connections to PostgreSQL per process',
    read.wholeNumber(1, 500),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'lowest severity to log',
    read.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'address ranges (CIDR, comma-separated) of proxies whose X-Forwarded-For Holdfast trusts',
    read.cidrList,
  ),
  maxConnections: setting(
    'MAX_CONNECTIONS',
    '2000',
    'maximum number of open client connections; further ones are closed',
    read.wholeNumber(1, 1_000_000),
  ),
  maxConnectionsPerIp: setting(
    'MAX_CONNECTIONS_PER_IP',
    '500',
    'the same per IPv4 address or IPv6 /64, except proxies in TRUST_PROXY',
    read.wholeNumber(1, 1_000_000),
  ),
  holdSeconds: setting('HOLD_SECONDS', '600', 'lifetime of a hold in seconds', read.wholeNumber(1, 86_400)),
  sessionSeconds: setting(
    'SESSION_SECONDS',
    '3600',
    'lifetime of a session token in seconds',
    read.wholeNumber(1, 86_400),
  ),
  maxHoldsPerSession: setting(
    'MAX_HOLDS_PER_SESSION',
    '10',
    'maximum number of active holds per session',
    read.wholeNumber(1, 1_000_000),
  ),
  maxHoldsPerIp: setting(
    'MAX_HOLDS_PER_IP',
    '50',
    'the same for all sessions of an IPv4 address or IPv6 /64',
    read.wholeNumber(1, 1_000_000),
  ),
  maxBookingsPerIpPerHour: setting(
    'MAX_BOOKINGS_PER_IP_PER_HOUR',
    '10',
    'maximum number of bookings by all sessions of an IPv4 address or IPv6 /64 at one business within an hour',
    read.wholeNumber(1, 1_000_000),
  ),
  maxBookingsPerIpPerDay: setting(
    'MAX_BOOKINGS_PER_IP_PER_DAY',
    '30',
    'the same within 24 hours',
    read.wholeNumber(1, 1_000_000),
  ),
  rateLimitFactor: setting(
    'RATE_LIMIT_FACTOR',
    '1',
    'multiplies all rate limits and caps, for benchmarks and trials',
    read.factor,
  ),
  secret: setting(
    'HOLDFAST_SECRET',
    '',
    '32 bytes (openssl rand -hex 32), the same on all servers, to derive booking page keys, links in emails and digests; set it before the first start; empty: generated and stored in the database',
    read.secretOf32Bytes,
  ),
  redisUrl: setting(
    'REDIS_URL',
    '',
    'redis://user:password@host:port/number to count requests of all servers; empty: PostgreSQL, or memory with SQLite',
    read.redisUrl,
  ),
  redisKeyPrefix: setting(
    'REDIS_KEY_PREFIX',
    'holdfast:',
    'prefix of all keys in Redis; use a different one for each installation',
    read.keyPrefix,
  ),
  webhookRetrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS',
    '30,300',
    'seconds (±20 %) before the second and third attempt of a webhook delivery',
    read.twoPauses,
  ),
  webhookAllowCidr: setting(
    'WEBHOOK_ALLOW_CIDR',
    '',
    'address ranges (CIDR, comma-separated) of private networks that production may send webhooks to, and notifications',
    read.cidrList,
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    'URL at which clients reach this server, used in links and for the return from a checkout; empty: http://HOST:PORT',
    read.publicUrl,
  ),
  stripeSecretKey: setting(
    'STRIPE_SECRET_KEY',
    '',
    'secret or restricted key of the Stripe account that takes deposits; empty: a sandbox, in production no deposits',
    read.beginningWith('sk_', 'rk_'),
  ),
  stripeWebhookSecret: setting(
    'STRIPE_WEBHOOK_SECRET',
    '',
    'signing secret of the Stripe endpoint for /payments/stripe/webhook',
    read.beginningWith('whsec_'),
  ),
  stripeApiUrl: setting(
    'STRIPE_API_URL',
    'https://api.stripe.com',
    'URL of the Stripe API, for tests with a substitute',
    read.httpUrl,
  ),
  checkoutMinutes: setting(
    'CHECKOUT_TTL_MINUTES',
    '35',
    'minutes that a client has to pay a deposit, while the slot stays taken',
    read.wholeNumber(31, 1_430),
  ),
  smtpUrl: setting(
    'SMTP_URL',
    '',
    'smtp://user:password@host:port or smtps:// of the mail server; empty: files in MAIL_DIR, in production no email',
    read.smtpUrl,
  ),
  mailFrom: setting(
    'MAIL_FROM',
    '',
    'sender of emails, such as Salon <booking@example.com>; required with SMTP_URL',
    read.sender,
  ),
  mailDirectory: setting(
    'MAIL_DIR',
    '',
    'directory for emails without SMTP_URL, except in production; empty: data/mails',
    (text) => text,
  ),
  smsUrl: setting(
    'SMS_URL',
    '',
    'provider of text messages: twilio://SID:TOKEN@api.twilio.com?from=NUMBER, vonage://KEY:SECRET@rest.nexmo.com?from=NAME&signature=SECRET, or https://user:password@host/path of your own gateway; empty: no text messages',
    read.smsUrl,
  ),
  smsPerMonth: setting(
    'SMS_PER_MONTH',
    '100,500,5000',
    'segments of text messages that a business may send in a calendar month (UTC), for growth, pro and enterprise; one number for all plans',
    read.perPlan,
  ),
  smsPerHour: setting(
    'SMS_PER_HOUR',
    '5000',
    'maximum number of text messages of all businesses within an hour; more wait',
    read.wholeNumber(1, 1_000_000),
  ),
  smsCallingCodes: setting(
    'SMS_CALLING_CODES',
    '',
    'calling codes of the countries that get text messages, such as 43,49; empty: the country of the location',
    read.callingCodes,
  ),
  googleClientId: setting(
    'GOOGLE_CLIENT_ID',
    '',
    'OAuth client at Google for calendar accounts; empty: Google is not offered',
    (text) => text,
  ),
  googleClientSecret: setting('GOOGLE_CLIENT_SECRET', '', 'secret of GOOGLE_CLIENT_ID', (text) => text),
  googleApiUrl: setting(
    'GOOGLE_API_URL',
    '',
    'URL of a substitute for Google, for tests; empty: Google',
    read.publicUrl,
  ),
  microsoftClientId: setting(
    'MICROSOFT_CLIENT_ID',
    '',
    'application (client) ID at Microsoft Entra for calendar accounts; empty: Microsoft is not offered',
    (text) => text,
  ),
  microsoftClientSecret: setting(
    'MICROSOFT_CLIENT_SECRET',
    '',
    'secret of MICROSOFT_CLIENT_ID',
    (text) => text,
  ),
  microsoftTenant: setting(
    'MICROSOFT_TENANT',
    'common',
    'whose Microsoft accounts may connect: common, organizations, consumers or the ID of a tenant',
    read.tenant,
  ),
  microsoftApiUrl: setting(
    'MICROSOFT_API_URL',
    '',
    'URL of a substitute for Microsoft, for tests; empty: Microsoft',
    read.publicUrl,
  ),
  oidcIssuer: setting(
    'OIDC_ISSUER',
    '',
    'URL of an OpenID Connect provider with which people log in; empty: none',
    read.issuerUrl,
  ),
  oidcClientId: setting('OIDC_CLIENT_ID', '', 'client ID of Holdfast at OIDC_ISSUER', (text) => text),
  oidcClientSecret: setting('OIDC_CLIENT_SECRET', '', 'secret of OIDC_CLIENT_ID', (text) => text),
  oidcButton: setting(
    'OIDC_BUTTON',
    '',
    'text of the button that leads to OIDC_ISSUER; empty: a translated text',
    read.lineUpTo(60),
  ),
  oidcOnly: setting(
    'OIDC_ONLY',
    'false',
    'true: people log in with OIDC_ISSUER only, without passwords and passkeys',
    (text) => read.oneOf('true', 'false')(text) === 'true',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    '1',
    'seconds that a stopping server still answers, so that load balancers first see /readyz fail',
    read.wholeNumber(0, 8),
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    'URL of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318; empty: no traces',
    read.httpUrl,
  ),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    'which requests to trace; parentbased samplers follow the decision of a caller that sends a trace',
    read.oneOf(
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
    'share of requests that the traceidratio samplers trace, from 0 to 1',
    read.share,
  ),
}

/** The configuration of one process, read once and validated. */
export type Config = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

/**
 * Returns the variables of the environment, and those of `.env` in the working directory that the environment lacks.
 * Throws an OperatorError if that file cannot be read.
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
 * Reads and checks the whole configuration. An empty variable counts as absent. Throws an OperatorError that names
 * every invalid variable and its fix.
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const fieldErrors: string[] = []
  const values = Object.entries(settings).map(([name, { variable, fallback, read }]) => {
    try {
      return [name, read(variables[variable] || fallback)]
    } catch (error) {
      fieldErrors.push(`${variable} ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  const { smtpUrl, mailFrom, database, databaseReadUrls, ...others } = Object.fromEntries(
    values,
  ) as Partial<Config>
  if (smtpUrl !== '' && mailFrom === null) fieldErrors.push('MAIL_FROM must be set, because SMTP_URL is')
  if (databaseReadUrls?.length && database?.engine === 'sqlite')
    fieldErrors.push('DATABASE_READ_URL is of PostgreSQL, but DATABASE_URL is a SQLite file')
  const oidc = [others.oidcIssuer, others.oidcClientId, others.oidcClientSecret]
  if (oidc.some(Boolean) && !oidc.every(Boolean))
    fieldErrors.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together')
  if (others.oidcOnly && !others.oidcIssuer)
    fieldErrors.push('OIDC_ISSUER must be set, because OIDC_ONLY is true')
  for (const [id, secret, name] of [
    [others.googleClientId, others.googleClientSecret, 'GOOGLE'],
    [others.microsoftClientId, others.microsoftClientSecret, 'MICROSOFT'],
  ] as const) {
    const [lacks, has] = id ? ['SECRET', 'ID'] : ['ID', 'SECRET']
    if (!id !== !secret)
      fieldErrors.push(`${name}_CLIENT_${lacks} must be set, because ${name}_CLIENT_${has} is`)
  }
  if (fieldErrors.length > 0) throw new OperatorError(`Invalid configuration:\n  ${fieldErrors.join('\n  ')}`)
  return Object.fromEntries(values) as Config
}

/** Finds set variables that differ from a known one by a letter or two. */
export function misspelledVariables(variables: Record<string, string | undefined>): string[] {
  const known = Object.values(settings).map(({ variable }) => variable)
  return Object.keys(variables).flatMap((name) => {
    if (name.length < 7 || known.includes(name)) return []
    const near = closest(name, known)
    return distance(near, name) <= 2 ? [`${name} is not a setting; did you mean ${near}?`] : []
  })
}
