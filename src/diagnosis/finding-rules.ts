import { isTimeZone, secondsUntil } from '../instants.ts'
import type { DatabaseFacts, FileFacts, Finding, Surroundings } from './diagnosis-types.ts'

/** The names under which the overlap rules stand in each engine's schema. */
export const overlapRuleNames = {
  postgres: ['claims_of_one_seat_do_not_overlap', 'claims_that_overlap_are_one_occurrence'],
  sqlite: ['claims_do_not_overlap', 'claims_do_not_overlap_later'],
}

const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
const fault = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'fault',
  detail,
  fix,
})
const warning = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'warning',
  detail,
  fix,
})

/** A clock that is further off than this brings tokens and holds that end at the wrong time, in seconds. */
const bearableClockErrorSeconds = 5
const leastFreeBytes = 200 * 1024 * 1024
/** Time-zone rules change every year; data older than this is likely to be wrong somewhere, in years. */
const bearableDataAgeYears = 2

/** What the look at the file means; undefined when there is nothing to say. */
export function fileFinding({
  file,
  exists,
  insteadOfFile,
  unwritable,
  open,
  user,
}: FileFacts): Finding | undefined {
  if (insteadOfFile !== null) {
    return fault(
      'file',
      `DATABASE_URL names ${file}, which is ${insteadOfFile}`,
      'let it name a file, such as sqlite:/var/lib/holdfast/holdfast.db',
    )
  }
  if (unwritable.length > 0) {
    return fault(
      'file',
      `${user} may not write ${unwritable.join(', ')}`,
      'run this as the user of the server (sudo -u holdfast …), or make it the owner of the files and their directory (chown)',
    )
  }
  if (!exists)
    return warning('file', `there is no file ${file} yet`, '"holdfast serve" and "holdfast migrate" make it')
  if (open.length === 0) return undefined
  return warning(
    'file',
    `others than its owner have rights to ${open.join(', ')}, with data of clients and secrets of webhooks`,
    `chmod 600 ${open.map((path) => `'${path}'`).join(' ')}`,
  )
}

/** What the facts mean. */
export function findings(facts: DatabaseFacts, around: Surroundings): Finding[] {
  return [
    migrationFinding(facts, around),
    overlapFinding(facts, around),
    spaceFinding(around),
    connectionFinding(facts, around),
    commitFinding(facts),
    clockFinding(facts, around),
    zoneFinding(facts),
    zoneDataFinding(around),
    businessFinding(facts, around),
    trialFinding(around),
  ].filter((finding) => finding !== undefined)
}

function migrationFinding({ migrations = [] }: DatabaseFacts, { knownMigrations }: Surroundings): Finding {
  const unknown = migrations.filter((name) => !knownMigrations.includes(name))
  if (unknown.length > 0) {
    return fault(
      'schema',
      `the database is newer than this release (${unknown.join(', ')})`,
      'run the newer release',
    )
  }
  const pending = knownMigrations.filter((name) => !migrations.includes(name))
  if (pending.length > 0)
    return fault('schema', `not run yet: ${pending.join(', ')}`, 'run "holdfast migrate"')
  return ok('schema', 'up to date')
}

function overlapFinding(
  { migrations, overlapRules }: DatabaseFacts,
  { engine }: Surroundings,
): Finding | undefined {
  if (migrations === undefined || migrations.length === 0) return undefined
  const missing = overlapRuleNames[engine].filter((name) => !overlapRules.includes(name))
  return missing.length === 0
    ? ok('overlap rules', 'the schema keeps a slot from being sold twice')
    : fault(
        'overlap rules',
        `the schema lacks ${missing.join(', ')}: slots can be sold twice`,
        'stop the service and restore the rules from src/database/migrations/0001-claim-rules.ts, or a backup',
      )
}

/** What SQLite's own check of the file means. */
export function damageFinding(damages: string[]): Finding {
  return damages.length === 0
    ? ok('data', 'no damage found')
    : fault(
        'data',
        `the database file is damaged: ${damages.join('; ')}`,
        'stop the service and restore a backup',
      )
}

function spaceFinding({ freeBytes }: Surroundings): Finding | undefined {
  if (freeBytes === null) return undefined
  const megabytes = Math.floor(freeBytes / 1024 / 1024)
  return freeBytes >= leastFreeBytes
    ? ok('disk', `${megabytes} MB free`)
    : fault('disk', `only ${megabytes} MB free`, 'make room on the disk of the database file')
}

function connectionFinding(
  { maxConnections }: DatabaseFacts,
  { poolSize, connectionsBeside }: Surroundings,
): Finding | undefined {
  if (maxConnections === null) return undefined
  const most = poolSize + connectionsBeside
  return most <= maxConnections
    ? ok('connections', `up to ${most} of the server's ${maxConnections}`)
    : fault(
        'connections',
        `DATABASE_POOL_SIZE is ${poolSize}, with ${connectionsBeside} more beside it; the server takes ${maxConnections}`,
        `set DATABASE_POOL_SIZE to ${maxConnections} divided by the number of nodes, less ${connectionsBeside}, or raise max_connections`,
      )
}

function commitFinding({ synchronousCommit }: DatabaseFacts): Finding | undefined {
  if (synchronousCommit === null) return undefined
  return synchronousCommit === 'off'
    ? warning(
        'commits',
        'synchronous_commit is off: a crash of the server forgets the last bookings that were acknowledged',
        'set synchronous_commit to on, in postgresql.conf or for the database or role that sets it (alter … reset synchronous_commit)',
      )
    : ok('commits', `last when they are acknowledged (synchronous_commit is ${synchronousCommit})`)
}

/** What the answer of Redis means: undefined as a complaint is that it answers. */
export function redisFinding(host: string, complaint: string | undefined): Finding {
  return complaint === undefined
    ? ok('redis', 'answers')
    : fault(
        'redis',
        `REDIS_URL: no Redis answers at ${host} (${complaint})`,
        'start it, or correct address, user or password; until then each server counts requests by itself',
      )
}

function clockFinding({ latestRecord }: DatabaseFacts, { systemTime, serviceTime }: Surroundings): Finding {
  const off = Math.abs(secondsUntil(systemTime, serviceTime))
  if (off > bearableClockErrorSeconds) {
    return warning(
      'clock',
      `this machine and the database are ${off} s apart`,
      'let both follow a time server (NTP)',
    )
  }
  const ahead = latestRecord === null ? 0 : secondsUntil(serviceTime, latestRecord)
  if (ahead > bearableClockErrorSeconds) {
    return fault(
      'clock',
      `something was recorded ${ahead} s in the future: the clock was set back`,
      'set the clock right (NTP); holds and sessions made meanwhile last longer by as much',
    )
  }
  return ok('clock', 'agrees with the database and with what was recorded')
}

function zoneFinding({ timeZones }: DatabaseFacts): Finding {
  const unknown = timeZones.filter(({ name }) => !isTimeZone(name))
  return unknown.length === 0
    ? ok('time zones', `all ${new Set(timeZones.map(({ name }) => name)).size} in use are known`)
    : fault(
        'time zones',
        `not known to this runtime: ${unknown.map(({ name, usedBy }) => `${name} (of ${usedBy})`).join(', ')}`,
        'use the Node that Holdfast brings, or correct them: that of a business with "holdfast business update <id> ' +
          '--timezone <zone>", that of a location in the table locations',
      )
}

function zoneDataFinding({ timeZoneData, serviceTime }: Surroundings): Finding {
  const age = Number(serviceTime.slice(0, 4)) - Number(timeZoneData.slice(0, 4))
  return age <= bearableDataAgeYears
    ? ok('time zone data', `release ${timeZoneData}`)
    : warning(
        'time zone data',
        `release ${timeZoneData} is old`,
        'upgrade Node: zones change their rules every year',
      )
}

function businessFinding(
  { migrations, businesses, demoBusinesses }: DatabaseFacts,
  { production }: Surroundings,
): Finding | undefined {
  if (migrations === undefined || migrations.length === 0) return undefined
  if (production && demoBusinesses > 0) {
    const fix =
      'revoke the keys of the demo ("holdfast key list", "holdfast key revoke"), or begin with a new database'
    return warning('businesses', `${demoBusinesses} of the demo are in a production database`, fix)
  }
  return businesses > 0
    ? ok('businesses', String(businesses))
    : warning(
        'businesses',
        'there is none yet',
        'holdfast business create "My business" --timezone Europe/Berlin',
      )
}

function trialFinding({ production, trialSettings }: Surroundings): Finding | undefined {
  if (!production || trialSettings.length === 0) return undefined
  return warning(
    'trial settings',
    `${trialSettings.join(', ')} differ from the specification`,
    'unset them in production',
  )
}
