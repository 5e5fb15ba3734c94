import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { askRedis } from '../access/rate-limit-redis.ts'
import { generatedSecret } from '../access/server-secret.ts'
import { systemClock } from '../base/clock.ts'
import { type Config, misspelledVariables, readConfig, settings } from '../base/config.ts'
import { OperatorError } from '../base/errors.ts'
import { isPublic, publicUrl } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { demoBusinesses } from '../catalogue/demo-world.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { missingColumns } from '../database/expected-schema.ts'
import { migrationNames } from '../database/migrate.ts'
import { mailRoute } from '../mails/mail-route.ts'
import { failedServers } from '../mails/own-server.ts'
import { MailSender } from '../mails/send.ts'
import { checkDeposits } from '../payments/payment.ts'
import { unnamedProxyMetric } from '../watch/metrics.ts'
import { connectionsBeside } from './doctor-servers.ts'
import { findDamages, readFacts } from './doctor-queries.ts'
import {
  damageFinding,
  fileFinding,
  findings,
  mailFinding,
  ownMailFinding,
  proxyFinding,
  redisFinding,
  textFinding,
  secretFinding,
  settingFindings,
  unfinishedFinding,
} from './doctor-rules.ts'
import type { FileFacts, Finding } from './doctor-types.ts'

type Variables = Record<string, string | undefined>

const redisTimeoutMs = 2_000
/** Suffixes of the files of a SQLite database in WAL mode, and of the server's lock. */
const companions = ['', '-wal', '-shm', '.server-lock']
const rightsOfOthers = 0o077

/** Checks the configuration. `config` is undefined if it is invalid. */
export function diagnoseConfig(variables: Variables): { config: Config | undefined; found: Finding[] } {
  const slips = misspelledVariables(variables).map((detail): Finding => ({
    check: 'configuration',
    state: 'warning',
    detail,
    fix: 'rename or unset it',
  }))
  try {
    const config = readConfig(variables)
    return { config, found: [{ check: 'configuration', state: 'ok', detail: 'valid' }, ...slips] }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const [, ...faults] = error.message.split('\n')
    const found = faults.map((line): Finding => ({
      check: 'configuration',
      state: 'fault',
      detail: line.trim(),
      fix: 'correct the variable',
    }))
    return { config: undefined, found: [...found, ...slips] }
  }
}

/** Checks settings that are valid but can cause harm. */
export function diagnoseSettings(config: Config): Finding[] {
  const { environment, trustProxy, publicUrl } = config
  const envFile = statSync('.env', { throwIfNoEntry: false })
  return settingFindings({
    ...{ production: environment === 'production', trustProxy, publicUrl },
    developsInPublic: environment === 'development' && isPublic(config),
    envFileMode: envFile?.mode ?? null,
  })
}

const serverTimeoutMs = 2_000

/** Checks the observations of the server on this machine about proxies. Returns nothing if no server answers. */
export async function diagnoseProxies(config: Config): Promise<Finding[]> {
  const address = publicUrl({ ...config, publicUrl: '' })
  try {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(serverTimeoutMs) })
    const line = new RegExp(`^${unnamedProxyMetric} (\\d+)$`, 'm').exec(await answer.text())
    const finding = proxyFinding(Number(line?.[1] ?? 0))
    return finding ? [finding] : []
  } catch {
    return [] // it is not running
  }
}

/** Checks a SQLite file from outside, and if it can be opened. */
export function diagnoseFile({ database }: Config): { found: Finding[]; canBeOpened: boolean } {
  if (database.engine !== 'sqlite') return { found: [], canBeOpened: true }
  const facts = inspectFile(database.file)
  const finding = fileFinding(facts)
  return { found: finding ? [finding] : [], canBeOpened: facts.exists && facts.insteadOfFile === null }
}

/** Checks Redis, if configured. */
export async function diagnoseRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === '') return []
  return [redisFinding(new URL(redisUrl).host, await askRedis(redisUrl, redisTimeoutMs))]
}

/** Tests the mail server: greeting, TLS, log-in. */
export async function diagnoseMail(config: Config): Promise<Finding[]> {
  const texts = config.smsUrl === '' ? [] : [textFinding(config)]
  const route = mailRoute(config)
  if (route === 'off' && config.environment !== 'production') return texts
  const host = URL.parse(config.smtpUrl)?.host ?? ''
  if (route !== 'smtp') return [mailFinding(route, { host, complaint: undefined }), ...texts]
  const complaint = await new MailSender(config).verify().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : 'unknown error'),
  )
  return [mailFinding(route, { host, complaint }), ...texts]
}

/** Explains why the database could not be opened or read. Rethrows unknown errors. */
export function diagnoseFailure(error: unknown): Finding {
  if (error instanceof OperatorError) {
    const [detail = '', ...fix] = error.message.split(/(?<=\.) /)
    return { check: 'database', state: 'fault', detail, fix: fix.join(' ') }
  }
  const engineSays = error instanceof DatabaseUnavailable ? error.cause : error
  if (!(engineSays instanceof Error && 'code' in engineSays)) throw error
  return {
    check: 'database',
    state: 'fault',
    detail: `it answers with an error: ${engineSays.message}`,
    fix: 'check for other users of the database, and that the user of DATABASE_URL owns it and its tables',
  }
}

/** Checks an open database and its host. */
export async function diagnose(context: Context, variables: Variables): Promise<Finding[]> {
  const { config, db, clock } = context
  const damages = await findDamages(db)
  const damage = db.engine === 'sqlite' ? [damageFinding(damages)] : []
  if (damages.length > 0) return damage // nothing else in it is reliable
  const facts = await readFacts(
    db,
    demoBusinesses.map(({ id }) => id),
  )
  const found = findings(facts, {
    engine: db.engine,
    production: config.environment === 'production',
    poolSize: config.databasePoolSize,
    databaseHosts: config.database.engine === 'postgres' ? config.database.urls.length : 1,
    connectionsBeside: await connectionsBeside(config),
    knownMigrations: migrationNames,
    systemTime: systemClock.now(),
    serviceTime: clock.now(),
    timeZoneData: process.versions.tz ?? '0000',
    freeBytes: freeBytes(config),
    trialSettings: trialSettings(variables),
  })
  const hasSchema =
    facts.migrations !== undefined && found.every(({ check, state }) => check !== 'schema' || state === 'ok')
  if (!hasSchema) return [...damage, ...found]
  const missing = await missingColumns(db)
  if (missing.length > 0) {
    return [...damage, ...found.filter(({ check }) => check !== 'schema'), unfinishedFinding(missing)]
  }
  const ofMail = (await failedServers(context)).map(ownMailFinding)
  return [
    ...[...damage, ...found, ...ofMail],
    ...(await diagnoseSecret(context)),
    ...(await diagnoseDeposits(context)),
  ]
}

async function diagnoseSecret({ db, config }: Context): Promise<Finding[]> {
  const finding = secretFinding(await generatedSecret(db.reads), config.secret)
  return finding ? [finding] : []
}

async function diagnoseDeposits(context: Context): Promise<Finding[]> {
  const missing = await checkDeposits(context)
  return missing.map((part): Finding => ({ check: 'deposits', state: 'warning', ...part }))
}

function freeBytes({ database }: Config): number | null {
  if (database.engine !== 'sqlite') return null
  const { bavail, bsize } = statfsSync(dirname(database.file))
  return bavail * bsize
}

/** Returns settings for trials that differ from their default. */
export function trialSettings(variables: Variables): string[] {
  const { holdSeconds, sessionSeconds, rateLimitFactor } = settings
  return [holdSeconds, sessionSeconds, rateLimitFactor]
    .filter(({ variable, fallback }) => (variables[variable] ?? fallback) !== fallback)
    .map(({ variable }) => variable)
}

/** Inspects a SQLite file, which may be missing, without opening it. */
function inspectFile(file: string): FileFacts {
  const exists = existsSync(file)
  const files = companions.map((ending) => file + ending).filter((path) => existsSync(path))
  const directory = nearestDirectory(dirname(file))
  return {
    file,
    exists,
    insteadOfFile: exists ? insteadOfFile(file) : null,
    unwritable: [
      ...(canCreateFilesIn(directory) ? [] : [directory]),
      ...files.filter((path) => !canWrite(path)),
    ],
    open: files.filter((path) => (statSync(path).mode & rightsOfOthers) !== 0),
    user: `the user with the ID ${process.getuid?.() ?? 'unknown'}`,
  }
}

function insteadOfFile(path: string): string | null {
  const found = statSync(path)
  if (found.isFile()) return null
  return found.isDirectory() ? 'a directory' : 'not a regular file'
}

/** Returns the directory, or its nearest existing ancestor. */
function nearestDirectory(directory: string): string {
  const parent = dirname(directory)
  return existsSync(directory) || parent === directory ? directory : nearestDirectory(parent)
}

function canCreateFilesIn(path: string): boolean {
  return statSync(path).isDirectory() && canWrite(path)
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
