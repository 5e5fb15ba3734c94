import type { Instant } from '../instants.ts'

/** One thing that was looked at: in order, or what is wrong and how to mend it. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'fault'
  detail: string
  /** What to do; absent when all is well. */
  fix?: string
}

/** What a look into the database tells about its health. */
export interface DatabaseFacts {
  /** Names of the migrations that have run; undefined when the database is empty. */
  migrations: string[] | undefined
  /** Names of the overlap rules that the schema holds. */
  overlapRules: string[]
  /** Every time zone that is in use, and one of those that are in it, such as "business 0198…". */
  timeZones: { name: string; usedBy: string }[]
  /** The latest time at which something was recorded. */
  latestRecord: Instant | null
  /** PostgreSQL: how many connections the server takes. */
  maxConnections: number | null
  /** PostgreSQL: its synchronous_commit, as Holdfast's connections have it. */
  synchronousCommit: string | null
  /** The demo businesses that are there. */
  demoBusinesses: number
  businesses: number
}

/** What is known besides the database's own facts. */
export interface Surroundings {
  engine: 'sqlite' | 'postgres'
  production: boolean
  poolSize: number
  /** PostgreSQL connections that each server opens beside its pool. */
  connectionsBeside: number
  /** The migrations of this release. */
  knownMigrations: string[]
  /** This machine's time, and the one that Holdfast goes by. */
  systemTime: Instant
  serviceTime: Instant
  /** The release of the time-zone data, such as 2026a. */
  timeZoneData: string
  /** Bytes free where the SQLite file lies; null on PostgreSQL. */
  freeBytes: number | null
  trialSettings: string[]
}

/** The SQLite file as the operating system shows it. */
export interface FileFacts {
  file: string
  exists: boolean
  /** What stands in its place if it is none: "a directory". */
  insteadOfFile: string | null
  /** Files and directories that have to be written and cannot be. */
  unwritable: string[]
  /** Files that others than their owner may read or write. */
  open: string[]
  /** Who wanted to write them. */
  user: string
}
