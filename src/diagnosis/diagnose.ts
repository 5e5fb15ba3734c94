import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { demoBusinesses } from '../catalogue/demo-world.ts'
import { systemClock } from '../clock.ts'
import { misspelledVariables, readConfig, settings, type Config } from '../config.ts'
import type { Context } from '../context.ts'
import { DatabaseUnavailable } from '../database/database.ts'
import { migrationNames } from '../database/migrate.ts'
import { sideConnections } from '../database/postgres.ts'
import { listeningConnections } from '../database/postgres-notices.ts'
import { OperatorError } from '../errors.ts'
import { checkDeposits } from '../payments/check-deposits.ts'
import { askRedis } from '../rate-limits/ask-redis.ts'
import { findDamages, readFacts } from './diagnosis-queries.ts'
import type { Finding } from './diagnosis-types.ts'
import { damageFinding, fileFinding, findings, redisFinding } from './finding-rules.ts'
import { lookAtFile } from './look-at-file.ts'

type Variables = Record<string, string | undefined>

/** The configuration, or what is wrong with it. */
export function diagnoseConfig(variables: Variables): { config: Config | undefined; found: Finding[] } {
  const slips = misspelledVariables(variables).map((detail): Finding => ({
    check: 'configuration',
    state: 'warning',
    detail,
    fix: 'rename or unset it',
  }))
  try {
    const config = readConfig(variables)
    return { config, found: [{ check: 'configuration', state: 'ok', detail: 'can be read' }, ...slips] }
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

/** What there is to say of a SQLite file from outside, and whether it makes sense to open it. */
export function diagnoseFile({ database }: Config): { found: Finding[]; mayBeOpened: boolean } {
  if (database.engine !== 'sqlite') return { found: [], mayBeOpened: true }
  const facts = lookAtFile(database.file)
  const finding = fileFinding(facts)
  return { found: finding ? [finding] : [], mayBeOpened: facts.exists && facts.insteadOfFile === null }
}

const redisAnswerMs = 2_000

/** What there is to say of the Redis that counts requests; nothing where there is none. */
export async function diagnoseRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === '') return []
  return [redisFinding(new URL(redisUrl).host, await askRedis(redisUrl, redisAnswerMs))]
}

/** What it means that the database could not be opened or read. Throws what nobody foresaw. */
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
    fix: 'look who else uses it, and whether the user of DATABASE_URL owns it and its tables',
  }
}

/** What there is to say of an open database and its surroundings. */
export async function diagnose(context: Context, variables: Variables): Promise<Finding[]> {
  const { config, db, clock } = context
  const damages = await findDamages(db)
  const damage = db.engine === 'sqlite' ? [damageFinding(damages)] : []
  if (damages.length > 0) return damage // nothing else in it can be relied upon
  const facts = await readFacts(
    db,
    demoBusinesses.map(({ id }) => id),
  )
  const found = findings(facts, {
    engine: db.engine,
    production: config.environment === 'production',
    poolSize: config.databasePoolSize,
    connectionsBeside: listeningConnections + (config.redisUrl === '' ? sideConnections : 0),
    knownMigrations: migrationNames,
    systemTime: systemClock.now(),
    serviceTime: clock.now(),
    timeZoneData: process.versions.tz ?? '0000',
    freeBytes: freeBytes(config),
    trialSettings: trialSettings(variables),
  })
  const hasSchema =
    facts.migrations !== undefined && found.every(({ check, state }) => check !== 'schema' || state === 'ok')
  return [...damage, ...found, ...(hasSchema ? await diagnoseDeposits(context) : [])]
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

/** Settings that are there for trials and that somebody has set. */
function trialSettings(variables: Variables): string[] {
  const { holdSeconds, sessionSeconds, rateLimitFactor } = settings
  return [holdSeconds, sessionSeconds, rateLimitFactor]
    .filter(({ variable, fallback }) => (variables[variable] ?? fallback) !== fallback)
    .map(({ variable }) => variable)
}
