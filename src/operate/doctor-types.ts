import type { Instant } from '../base/instants.ts'

/** The result of one check. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'fault'
  detail: string
  /** The remedy. Absent if all is well. */
  fix?: string
}

/** The facts about the health of a database. */
export interface DatabaseFacts {
  /** Migrations that have run. Undefined if the database is empty. */
  migrations: string[] | undefined
  /** Overlap rules that the schema lacks, by name. */
  missingOverlapRules: string[]
  /** Time zones in use, each with one user, such as "business 0198…". */
  timeZones: { name: string; usedBy: string }[]
  /** The latest time in any record. */
  latestRecord: Instant | null
  /** PostgreSQL: connections that the server accepts. */
  maxConnections: number | null
  /** PostgreSQL: its synchronous_commit, as seen by Holdfast's connections. */
  synchronousCommit: string | null
  /** PostgreSQL: its synchronous_standby_names. Empty if commits wait for no standby. */
  standbyNames: string | null
  /**
   * PostgreSQL: servers that follow it now and that commits may wait for. Excludes base backups and servers that are
   * still catching up.
   */
  standbys: number | null
  /** PostgreSQL: connections of such servers, or of others, whose state the role may not see. */
  hiddenSenders: number | null
  /** Number of demo businesses. */
  demoBusinesses: number
  businesses: number
}

/** The facts about the process and its machine. */
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
  /** Free space on the disk of the SQLite file. Null on PostgreSQL. */
  freeBytes: number | null
  trialSettings: string[]
}

/** The SQLite file as the operating system shows it. */
export interface FileFacts {
  file: string
  exists: boolean
  /** The kind of thing at the path, if it is not a file: "a directory". */
  insteadOfFile: string | null
  /** Files and directories that must be writable and are not. */
  unwritable: string[]
  /** Files that users other than their owner can read or write. */
  open: string[]
  user: string
}

/** Settings that can cause harm, and the file that contains them. */
export interface SettingFacts {
  production: boolean
  /** True in development mode if other machines can reach the server. */
  developsInPublic: boolean
  trustProxy: string[]
  publicUrl: string
  /** The mode of `.env` in the working directory. Null without one. */
  envFileMode: number | null
}
