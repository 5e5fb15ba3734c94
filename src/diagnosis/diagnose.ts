import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { demoBusinesses } from '../catalogue/demo-world.ts'
import { systemClock } from '../clock.ts'
import { misspelledVariables, readConfig, settings, type Config } from '../config.ts'
import type { Context } from '../context.ts'
import { migrationNames } from '../database/migrate.ts'
import { OperatorError } from '../errors.ts'
import { readFacts } from './diagnosis-queries.ts'
import { findings, type Finding } from './finding-rules.ts'

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

/** What there is to say of an open database and its surroundings. */
export async function diagnose(context: Context, variables: Variables): Promise<Finding[]> {
  const { config, db, clock } = context
  const facts = await readFacts(
    db,
    demoBusinesses.map(({ id }) => id),
  )
  return findings(facts, {
    engine: db.engine,
    production: config.environment === 'production',
    poolSize: config.databasePoolSize,
    knownMigrations: migrationNames,
    systemTime: systemClock.now(),
    serviceTime: clock.now(),
    timeZoneData: process.versions.tz ?? '0000',
    freeBytes: freeBytes(config),
    trialSettings: trialSettings(variables),
  })
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
