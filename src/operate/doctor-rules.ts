import { isTimeZone, secondsUntil } from '../base/instants.ts'
import type { ReplicaFound, ServerAnswer, ServersFound } from '../database/postgres-inspection.ts'
import type { DatabaseFacts, FileFacts, Finding, HostFacts, SettingFacts } from './doctor-types.ts'

/** With a larger error, tokens and holds expire at the wrong time. */
const maxClockErrorSeconds = 5
const minFreeBytes = 200 * 1024 * 1024
/** Time-zone rules change every year, so older data is likely to be wrong somewhere. */
const maxDataAgeYears = 2

const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
const fault = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'fault',
  detail,
  fix,
})
const warning = (check: string, detail: string, fix: string): Finding => ({
  ...fault(check, detail, fix),
  state: 'warning',
})

/** Judges the SQLite file. Returns undefined if all is well. */
export function fileFinding(facts: FileFacts): Finding | undefined {
  const { file, exists, insteadOfFile, unwritable, open, user } = facts
  if (insteadOfFile !== null) {
    return fault(
      'file',
      `DATABASE_URL is ${file}, which is ${insteadOfFile}`,
      'set it to a file, such as sqlite:/var/lib/holdfast/holdfast.db',
    )
  }
  if (unwritable.length > 0) {
    return fault(
      'file',
      `${user} cannot write ${unwritable.join(', ')}`,
      "run this as the server's user (sudo -u holdfast …), or make this user the owner of the files and their directory (chown)",
    )
  }
  if (!exists) {
    return warning(
      'file',
      `there is no file ${file} yet`,
      '"holdfast serve" and "holdfast migrate" create it',
    )
  }
  if (open.length === 0) return undefined
  return warning(
    'file',
    `users other than the owner can open ${open.join(', ')}, with client data and webhook secrets`,
    `chmod 600 ${open.map((path) => `'${path}'`).join(' ')}`,
  )
}

/** The risks of development mode. */
export const developmentRisks =
  'NODE_ENV is development on an address that others can reach: webhooks and calendars may call your internal network, ' +
  'deposits are paid in a sandbox, and emails are only written to files'
export const developmentFix = 'set NODE_ENV to production, or HOST to 127.0.0.1'

/** Judges requests from a proxy that is not listed in TRUST_PROXY. */
export function proxyFinding(requests: number): Finding | undefined {
  if (requests === 0) return undefined
  return warning(
    'proxies',
    `${requests} ${requests === 1 ? 'request' : 'requests'} came through a proxy that TRUST_PROXY does not list: all its clients count as one address`,
    "set TRUST_PROXY to the addresses of your proxies; the server's log names them",
  )
}

/** Judges settings that work but cause harm in production, and the permissions of `.env`. */
export function settingFindings({
  production,
  developsInPublic,
  trustProxy,
  publicUrl,
  envFileMode,
}: SettingFacts): Finding[] {
  const everybody = trustProxy.find((range) => range.endsWith('/0'))
  const found = [
    production &&
      everybody !== undefined &&
      warning(
        'proxies',
        `TRUST_PROXY: ${everybody} trusts everyone, so clients can choose the address that limits count`,
        'list only the addresses of your proxies, such as 127.0.0.1/32',
      ),
    developsInPublic && warning('environment', developmentRisks, developmentFix),
    production &&
      publicUrl === '' &&
      warning(
        'address',
        'PUBLIC_URL is not set: emails and pages contain a URL that works on this machine only',
        'set it to the URL that clients use, such as https://book.example.com',
      ),
    production &&
      publicUrl.startsWith('http:') &&
      warning(
        'address',
        `PUBLIC_URL is ${publicUrl}: names, passwords and keys cross the network in plain text`,
        'put a proxy with TLS in front, and set PUBLIC_URL to its https:// address',
      ),
    envFileMode !== null &&
      (envFileMode & 0o007) !== 0 &&
      warning(
        'file',
        'every user of this machine can open .env, with passwords and secrets',
        'chmod o= .env',
      ),
  ]
  return found.filter((finding) => finding !== false)
}

/** Judges HOLDFAST_SECRET if a secret was generated before it was set. */
export function secretFinding(
  generated: Buffer | undefined,
  secret: Buffer | undefined,
): Finding | undefined {
  if (!secret || !generated || generated.equals(secret)) return undefined
  return warning(
    'secret',
    'HOLDFAST_SECRET differs from the secret generated in the database before it was set: links shown or emailed earlier may have changed',
    'see "The secret" in docs/guides/configuration.md; to keep the old links, set it to the generated secret; otherwise delete that: ' +
      "delete from server_secrets where name = 'server'",
  )
}

export function findings(facts: DatabaseFacts, around: HostFacts): Finding[] {
  return [
    migrationFinding(facts, around),
    overlapFinding(facts),
    spaceFinding(around),
    connectionFinding(facts, around),
    commitFinding(facts),
    failoverFinding(facts, around),
    clockFinding(facts, around),
    zoneFinding(facts),
    zoneDataFinding(around),
    businessFinding(facts, around),
    trialFinding(around),
  ].filter((finding) => finding !== undefined)
}

function migrationFinding({ migrations = [] }: DatabaseFacts, { knownMigrations }: HostFacts): Finding {
  const unknown = migrations.filter((name) => !knownMigrations.includes(name))
  if (unknown.length > 0) {
    return fault(
      'schema',
      `the database is newer than this release (${unknown.join(', ')})`,
      'run the newer release',
    )
  }
  const pending = knownMigrations.filter((name) => !migrations.includes(name))
  if (pending.length > 0) return fault('schema', `pending: ${pending.join(', ')}`, 'run "holdfast migrate"')
  return ok('schema', 'up to date')
}

/** Judges a migrated database that lacks columns which its migrations create. */
export function unfinishedFinding(missing: string[]): Finding {
  return fault(
    'schema',
    `an unreleased version of Holdfast created it: it lacks ${missing.slice(0, 3).join(', ')}`,
    'use it with that version, restore a backup, or start with an empty database',
  )
}

function overlapFinding({ migrations, missingOverlapRules: missing }: DatabaseFacts): Finding | undefined {
  if (migrations === undefined || migrations.length === 0) return undefined
  return missing.length === 0
    ? ok('overlap rules', 'the schema prevents double bookings')
    : fault(
        'overlap rules',
        `the schema lacks ${missing.join(', ')}: slots can be sold twice`,
        'stop the servers and run "holdfast migrate": it restores them, or lists the bookings that overlap',
      )
}

/** Judges the damage found by SQLite's own check. */
export function damageFinding(damages: string[]): Finding {
  return damages.length === 0
    ? ok('data', 'no damage found')
    : fault(
        'data',
        `the database file is damaged: ${damages.join('; ')}`,
        'stop the service and restore a backup',
      )
}

function spaceFinding({ freeBytes }: HostFacts): Finding | undefined {
  if (freeBytes === null) return undefined
  const megabytes = Math.floor(freeBytes / 1024 / 1024)
  return freeBytes >= minFreeBytes
    ? ok('disk', `${megabytes} MB free`)
    : fault('disk', `only ${megabytes} MB free`, 'free space on the disk of the database file')
}

function connectionFinding(
  { maxConnections }: DatabaseFacts,
  { poolSize, connectionsBeside }: HostFacts,
): Finding | undefined {
  if (maxConnections === null) return undefined
  const max = poolSize + connectionsBeside
  return max <= maxConnections
    ? ok('connections', `up to ${max} of the server's ${maxConnections}`)
    : fault(
        'connections',
        `DATABASE_POOL_SIZE is ${poolSize}, plus ${connectionsBeside} outside the pool; the server accepts ${maxConnections}`,
        `set DATABASE_POOL_SIZE to ${maxConnections} divided by the number of nodes, minus ${connectionsBeside}, or raise max_connections`,
      )
}

function commitFinding({ synchronousCommit }: DatabaseFacts): Finding | undefined {
  if (synchronousCommit === null) return undefined
  return synchronousCommit === 'off'
    ? warning(
        'commits',
        'synchronous_commit is off: a crash of the server loses the last acknowledged bookings',
        'set synchronous_commit to on, in postgresql.conf or for the database or role that sets it (alter … reset synchronous_commit)',
      )
    : ok('commits', `acknowledged bookings survive a crash (synchronous_commit is ${synchronousCommit})`)
}

/**
 * Judges the possible losses of a failover, and commits that wait forever. A single host without configured standbys
 * has neither.
 */
function failoverFinding(
  { standbyNames, standbys, hiddenSenders, synchronousCommit }: DatabaseFacts,
  { databaseHosts }: HostFacts,
): Finding | undefined {
  if (standbyNames === null || (databaseHosts < 2 && standbyNames === '')) return undefined
  if (standbyNames !== '' && synchronousCommit !== 'local' && synchronousCommit !== 'off') {
    const wanted = wantedStandbys(standbyNames)
    const waits = `commits wait for ${wanted === 1 ? 'a standby' : `${wanted} standbys`} (${standbyNames})`
    const follow = standbys ?? 0
    if (follow >= wanted) return ok('failover', waits)
    if (hiddenSenders !== 0) {
      return warning(
        'failover',
        `${waits}; the role of DATABASE_URL may not see if ${wanted === 1 ? 'one is connected' : 'enough are connected'}`,
        'grant pg_read_all_stats to the role and run doctor again',
      )
    }
    return fault(
      'failover',
      `${waits}, and ${follow === 0 ? 'none is connected' : `only ${follow} of these ${follow === 1 ? 'is' : 'are'} connected`}: every change gets 503`,
      'connect a standby to this server (primary_conninfo), or find the reason in its log',
    )
  }
  const cause = standbyNames === '' ? 'synchronous_standby_names is empty' : 'synchronous_commit overrides it'
  return warning(
    'failover',
    `commits wait for no standby (${cause}): a failover can lose the last acknowledged bookings`,
    "set synchronous_standby_names, such as 'ANY 1 (*)' with two standbys, and synchronous_commit to on",
  )
}

/**
 * Returns the number of standbys that a commit waits for: two for `ANY 2 (…)`, `FIRST 2 (…)` and `2 (…)`, one for a
 * plain list.
 */
function wantedStandbys(standbyNames: string): number {
  return Number(/^\s*(?:any\s+|first\s+)?(\d+)\s*\(/i.exec(standbyNames)?.[1] ?? 1)
}

/**
 * Settings that the role of a pooled URL needs, because its connections cannot set them. The guide "High availability"
 * has the same list.
 */
export const roleSettings: Record<string, string> = {
  timezone: "'UTC'",
  statement_timeout: "'2s'",
  idle_in_transaction_session_timeout: "'10s'",
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
}

/** Judges the servers of DATABASE_URL and DATABASE_READ_URL by their own answers. */
export function serverFindings({ servers, replicas }: ServersFound): Finding[] {
  const answers = servers.filter((server) => 'cluster' in server)
  const primary = answers.find(({ timeline }) => timeline !== null)
  const isRead = replicas.some(({ delayMs = Infinity }) => delayMs < Infinity)
  return [
    ...(servers.length > 1 ? hostFindings(servers, answers) : []),
    roleFinding(answers),
    ...replicas.map((replica) => replicaFinding(replica, { primary, isRead })),
  ].filter((finding) => finding !== undefined)
}

/** Returns the servers that accept writes, the one on the latest timeline last. One server may have two names. */
export function primariesOf(servers: ServersFound['servers']): ServerAnswer[] {
  const answers = servers.filter((server) => 'cluster' in server)
  const byStart = new Map(answers.map((server) => [server.startedAt, server]))
  return [...byStart.values()]
    .filter(({ timeline }) => timeline !== null)
    .toSorted((one, other) => Number(one.timeline) - Number(other.timeline))
}

function hostFindings(servers: ServersFound['servers'], answers: ServerAnswer[]): Finding[] {
  const silent = servers.filter((server) => 'complaint' in server)
  const found = [
    clusterFinding(answers),
    ...silent.map(({ host, complaint }) =>
      warning(
        'servers',
        `DATABASE_URL: ${host} does not answer (${complaint})`,
        'start it, or correct the address; until then, one server fewer is available for failover',
      ),
    ),
  ].filter((finding) => finding !== undefined)
  if (found.length > 0 || answers.every(({ timeline }) => timeline === null)) return found
  const lines = answers.map(
    ({ host, timeline }) => `${host} ${timeline === null ? 'is a standby' : 'accepts writes'}`,
  )
  return [ok('servers', lines.join(', '))]
}

/** Checks that the servers form one database, in which one server accepts writes. */
function clusterFinding(answers: ServerAnswer[]): Finding | undefined {
  const [first, ...others] = answers
  const stranger = others.find(({ cluster }) => cluster !== first?.cluster)
  if (first && stranger) {
    return fault(
      'servers',
      `DATABASE_URL: ${first.host} and ${stranger.host} are not servers of one cluster: their data differs`,
      'list one primary and its standbys, and no other server',
    )
  }
  const primaries = primariesOf(answers)
  const [older, latest] = [primaries.at(-2), primaries.at(-1)]
  if (!older || !latest) return undefined
  const named = primaries.map(({ host, timeline }) => `${host} (timeline ${timeline})`).join(' and ')
  return fault(
    'servers',
    `TWO PRIMARIES: ${named} accept writes, and neither has the bookings of the other`,
    older.timeline === latest.timeline
      ? 'immediately stop all but the leader of your cluster manager; rebuild the others as standbys (pg_basebackup)'
      : `stop ${older.host} immediately: Holdfast uses the latest timeline, on ${latest.host}; then rebuild it as a standby (pg_rewind, pg_basebackup)`,
  )
}

/** Judges the role behind PgBouncer. Returns undefined if no URL is pooled. */
function roleFinding(answers: ServerAnswer[]): Finding | undefined {
  const role =
    answers.find((server) => server.timeline !== null)?.role ?? answers.find(({ role }) => role)?.role
  if (!role) return undefined
  const lacks = Object.entries(roleSettings).filter(([name, value]) => {
    const has = role.settings[name] ?? '0'
    return name.endsWith('_timeout') ? has === '0' : has !== value.replaceAll("'", '')
  })
  if (lacks.length === 0) return ok('role', `${role.name} has the settings that PgBouncer does not pass on`)
  const name = /^[a-z_][a-z0-9_]*$/.test(role.name) ? role.name : `"${role.name.replaceAll('"', '""')}"`
  return warning(
    'role',
    `PgBouncer does not pass settings on, and the role ${role.name} lacks ${lacks.map(([name]) => name).join(', ')}`,
    `${lacks.map(([setting, value]) => `alter role ${name} set ${setting} = ${value};`).join(' ')} then RECONNECT on the console of PgBouncer`,
  )
}

/** Judges a replica for reads. `isRead` is true if one of them keeps up. */
function replicaFinding(
  { answer: replica, delayMs }: ReplicaFound,
  { primary, isRead }: { primary: ServerAnswer | undefined; isRead: boolean },
): Finding | undefined {
  const { host } = replica
  if ('complaint' in replica) {
    const fix = /startup parameter/.test(replica.complaint)
      ? 'PgBouncer answers there: add pgbouncer=true to the URL'
      : 'start it, or correct host, user or password'
    return (isRead ? warning : fault)(
      'reads',
      `DATABASE_READ_URL: no usable server answers at ${host} (${replica.complaint})`,
      `${fix}; until then, Holdfast reads from ${isRead ? 'another' : 'the primary'}`,
    )
  }
  if (primary && replica.cluster !== primary.cluster) {
    return fault(
      'reads',
      `DATABASE_READ_URL: ${host} is not a standby of ${primary.host} but of another cluster: Holdfast does not read from it`,
      'use a standby of DATABASE_URL',
    )
  }
  if (replica.timeline !== null) {
    if (isRead) return ok('reads', `${host} accepts writes, so Holdfast reads from another`)
    return warning(
      'reads',
      `DATABASE_READ_URL: ${host} accepts writes, so it is not a standby, and Holdfast does not read from it`,
      'use a standby; after a failover, that may be the former primary',
    )
  }
  if (delayMs === undefined) return undefined // without a primary there is no delay to measure
  return delayMs === Infinity
    ? warning(
        'reads',
        `DATABASE_READ_URL: ${host} is more than a second behind, so Holdfast reads from ${isRead ? 'another' : 'the primary'}`,
        'check pg_stat_replication on the primary, and the log of the standby',
      )
    : ok('reads', `${host} is at most ${Math.ceil(delayMs)} ms behind`)
}

/** Judges Redis. `complaint` is undefined if it answers. */
export function redisFinding(host: string, complaint: string | undefined): Finding {
  return complaint === undefined
    ? ok('redis', 'answers')
    : fault(
        'redis',
        `REDIS_URL: no Redis answers at ${host} (${complaint})`,
        'start it, or correct host, user or password; until then, each server counts requests separately',
      )
}

/** Judges email: its destination and the answer of the mail server. `complaint` is undefined if the server answers. */
export function mailFinding(
  route: 'smtp' | 'files' | 'off',
  { host, complaint }: { host: string; complaint: string | undefined },
): Finding {
  if (route === 'files') return ok('mail', 'emails are written to files, because SMTP_URL is not set')
  if (route === 'off') {
    return warning(
      'mail',
      'SMTP_URL is not set: clients get no confirmations or reminders',
      'set SMTP_URL and MAIL_FROM',
    )
  }
  return complaint === undefined
    ? ok('mail', `${host} answers`)
    : fault(
        'mail',
        `SMTP_URL: ${host} accepts no emails (${complaint})`,
        "correct host, user or password, or the server's certificate (NODE_EXTRA_CA_CERTS); until then, emails wait for up to a day",
      )
}

/** Judges the settings of text messages, whose provider reports to `PUBLIC_URL`. */
export function textFinding({ smsUrl, publicUrl }: { smsUrl: string; publicUrl: string }): Finding {
  const host = URL.parse(smsUrl)?.host ?? ''
  return publicUrl === ''
    ? warning(
        'texts',
        'PUBLIC_URL is not set: links in text messages lead nowhere, and STOP is not heard',
        'set PUBLIC_URL',
      )
    : ok('texts', `text messages go through ${host}; "holdfast message test" sends one`)
}

/** Judges the mail server of a business, which has not accepted its last email. */
export function ownMailFinding({
  name,
  host,
  failed_at,
  last_error,
}: {
  name: string
  host: string
  failed_at: string | null
  last_error: string | null
}): Finding {
  return warning(
    'mail',
    `${host}, the mail server of ${name}, has accepted no emails since ${failed_at} (${last_error})`,
    'its owner corrects it in the console under Messages, Email sender',
  )
}

function clockFinding({ latestRecord }: DatabaseFacts, { systemTime, serviceTime }: HostFacts): Finding {
  const off = Math.abs(secondsUntil(systemTime, serviceTime))
  if (off > maxClockErrorSeconds) {
    return warning(
      'clock',
      `this machine and the database are ${off} s apart`,
      'synchronise both with a time server (NTP)',
    )
  }
  const ahead = latestRecord === null ? 0 : secondsUntil(serviceTime, latestRecord)
  if (ahead > maxClockErrorSeconds) {
    return fault(
      'clock',
      `a record is ${ahead} s in the future, so the clock was set back`,
      'correct the clock (NTP); holds and sessions created meanwhile last longer by this amount',
    )
  }
  return ok('clock', 'agrees with the database and its records')
}

function zoneFinding({ timeZones }: DatabaseFacts): Finding {
  const unknown = timeZones.filter(({ name }) => !isTimeZone(name))
  return unknown.length === 0
    ? ok('time zones', `all ${new Set(timeZones.map(({ name }) => name)).size} in use are known`)
    : fault(
        'time zones',
        `unknown to this runtime: ${unknown.map(({ name, usedBy }) => `${name} (of ${usedBy})`).join(', ')}`,
        'use the Node that Holdfast brings, or correct them with "holdfast business update <id> --timezone <zone>" and ' +
          '"holdfast location update <id> --timezone <zone>"',
      )
}

function zoneDataFinding({ timeZoneData, serviceTime }: HostFacts): Finding {
  const age = Number(serviceTime.slice(0, 4)) - Number(timeZoneData.slice(0, 4))
  return age <= maxDataAgeYears
    ? ok('time zone data', `release ${timeZoneData}`)
    : warning(
        'time zone data',
        `release ${timeZoneData} is old`,
        'upgrade Node: time zone rules change every year',
      )
}

function businessFinding(
  { migrations, businesses, demoBusinesses }: DatabaseFacts,
  { production }: HostFacts,
): Finding | undefined {
  if (migrations === undefined || migrations.length === 0) return undefined
  if (production && demoBusinesses > 0) {
    const fix = 'revoke their keys ("holdfast key list", "holdfast key revoke"), or start with a new database'
    return warning('businesses', `a production database has ${demoBusinesses} demo businesses`, fix)
  }
  return businesses > 0
    ? ok('businesses', String(businesses))
    : warning('businesses', 'none yet', 'holdfast business create "My business" --timezone Europe/Berlin')
}

function trialFinding({ production, trialSettings }: HostFacts): Finding | undefined {
  if (!production || trialSettings.length === 0) return undefined
  return warning('trial settings', `not the default: ${trialSettings.join(', ')}`, 'unset them in production')
}
