import type { Instant } from '../base/instants.ts'

/** The result of one check. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'fault'
  detail: string
  /** What to do; absent if all is well. */
  fix?: string
}

/** What the database tells about its health. */
export interface DatabaseFacts {
  /** Migrations that have run; undefined if the database is empty. */
  migrations: string[] | undefined
  /** Overlap rules that the schema lacks, by name. */
  missingOverlapRules: string[]
  /** Time zones in use, each with one user, such as "business 0198…". */
  timeZones: { name: string; usedBy: string }[]
  /** The latest time in any record. */
  latestRecord: Instant | null
  /** PostgreSQL: connections that the server accepts. */
  maxConnections: number | null
  /** PostgreSQL: its synchronous_commit, as Holdfast's connections have it. */
  synchronousCommit: string | null
  /** PostgreSQL: its synchronous_standby_names; empty when commits wait for no standby. */
  standbyNames: string | null
  /** PostgreSQL: servers that follow it now and that commits may wait for; not a base backup, nor who has yet to catch up. */
  standbys: number | null
  /** PostgreSQL: connections of such servers, or of others, whose state the role may not see. */
  hiddenSenders: number | null
  /** Number of demo businesses. */
  demoBusinesses: number
  businesses: number
}

/** What the process and its machine tell. */
export interface HostFacts {
  engine: 'sqlite' | 'postgres'
  production: boolean
  poolSize: number
  /** PostgreSQL connections of each server outside its pool. */
  connectionsBeside: number
  /** Hosts of DATABASE_URL. */
  databaseHosts: number
  /** The migrations of this release. */
  knownMigrations: string[]
  /** This machine's time, and Holdfast's own. */
  systemTime: Instant
  serviceTime: Instant
  /** Release of the time-zone data, such as 2026a. */
  timeZoneData: string
  /** Free space on the disk of the SQLite file; null on PostgreSQL. */
  freeBytes: number | null
  trialSettings: string[]
}

/** The SQLite file as the operating system shows it. */
export interface FileFacts {
  file: string
  exists: boolean
  /** What the path leads to if not to a file: "a directory". */
  insteadOfFile: string | null
  /** Files and directories that must be writable and are not. */
  unwritable: string[]
  /** Files that others than their owner can read or write. */
  open: string[]
  user: string
}

/** Settings that can harm, and the file that they stand in. */
export interface SettingFacts {
  production: boolean
  /** Whether it is in development mode where others reach it. */
  developsInPublic: boolean
  trustProxy: string[]
  publicUrl: string
  /** The mode of `.env` in the working directory; null without one. */
  envFileMode: number | null
}
