import { AsyncLocalStorage } from 'node:async_hooks'
import { testTime } from '../base/clock.ts'
import { MemberGone, type Outcome, together } from '../base/together.ts'
import {
  type Database,
  DatabaseUnavailable,
  type Queries,
  type Reads,
  RolledBack,
  type SharingOptions,
  type Transaction,
  withRetries,
} from './database.ts'

/*
 * Runs one transaction for everyone who waits. Each member runs its own code. Simultaneous calls of a shared statement
 * are sent as one statement (`sharedStatement`). A group thus pays once for the commit and each round trip. The code of
 * an operation reads as if it were alone.
 */

/** Runs a statement for members of one transaction. Returns a result for each, in their order. */
type RunStatement = (db: Queries, members: readonly unknown[]) => Promise<readonly unknown[]>

/** The requests of members for one statement. */
interface Batch {
  run: RunStatement
  step: number
  asked: Asked[]
}

interface Asked {
  member: unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** The requests of a group's members that have not been sent yet. */
class Group {
  readonly tx: Transaction
  /** The first failed statement. On PostgreSQL it fails the whole transaction. */
  failure: unknown
  /** The last member in the queue for each row. Locks of the database keep only other transactions out. */
  readonly turns = new Map<string, Member>()
  private waiting = new Map<RunStatement, Batch>()
  private isPlanned = false

  constructor(tx: Transaction) {
    this.tx = tx
  }

  ask(run: RunStatement, step: number, member: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const batch = this.waiting.get(run) ?? { run, step, asked: [] }
      batch.asked.push({ member, resolve, reject })
      this.waiting.set(run, batch)
      this.plan()
    })
  }

  /** Runs in an immediate, when all members have gone as far as they can. */
  private plan(): void {
    if (this.isPlanned) return
    this.isPlanned = true
    setImmediate(() => void this.send())
  }

  private async send(): Promise<void> {
    const batches = [...this.waiting.values()].toSorted((one, other) => one.step - other.step)
    this.waiting = new Map()
    await Promise.all(batches.map((batch) => this.sendOne(batch)))
    this.isPlanned = false
    if (this.waiting.size > 0) this.plan()
  }

  private async sendOne({ run, asked }: Batch): Promise<void> {
    try {
      const results = await run(
        this.tx.db,
        asked.map(({ member }) => member),
      )
      for (const [index, { resolve }] of asked.entries()) resolve(results[index])
    } catch (error) {
      this.failure ??= error
      for (const { reject } of asked) reject(error)
    }
  }
}

/** A member's view of the transaction. */
class Member implements Transaction {
  readonly group: Group
  readonly attempt: number
  /** True if an error after this needs a rollback. */
  hasWritten = false
  readonly afterCommit: (() => void)[] = []
  /** Resolves when its work has ended, successfully or not. */
  readonly ended: Promise<unknown>
  readonly end: () => void
  private readonly ownTurns = new Set<string>()

  constructor(group: Group, attempt: number) {
    this.group = group
    this.attempt = attempt
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.ended = promise
    this.end = () => resolve(undefined)
  }

  /** Waits until earlier members with the same row have ended. Members take one row, or all rows in one order. */
  async takeTurn(row: string): Promise<void> {
    if (this.ownTurns.has(row)) return
    this.ownTurns.add(row)
    const before = this.group.turns.get(row)
    this.group.turns.set(row, this)
    await before?.ended
  }

  get now() {
    return this.group.tx.now
  }

  get reads(): Queries {
    return this.group.tx.db
  }

  /** Marks the member as a writer. */
  get db(): Queries {
    this.hasWritten = true
    return this.group.tx.db
  }

  onCommit(work: () => void): void {
    this.afterCommit.push(work)
  }
}

/** A statement over many members whose text does not depend on their number. */
interface SharedStatement<Row, Result> {
  /** Says if it changed something that must not stay if the member fails later. */
  writes: boolean | ((result: Result) => boolean)
  /** Among statements sent together, lower steps run first, whatever the order of the calls. Default: 0. */
  step?: number
  /** The row that it locks until the end. Members that lock the same row run one after the other. */
  locks?: (member: Row) => string
  /**
   * Returns a result for each member, in their order. Sends its statements before its first wait, or no other statement
   * needs them.
   */
  run: (db: Queries, members: readonly Row[]) => Promise<readonly Result[]>
}

/**
 * Makes a statement that members of one transaction send together. A transaction with one member sends it at once.
 * Simultaneous statements of a member (`Promise.all`) run in the order of the calls, in one round trip on PostgreSQL.
 */
export function sharedStatement<Row, Result>({ writes, step = 0, locks, run }: SharedStatement<Row, Result>) {
  return async (tx: Transaction, member: Row): Promise<Result> => {
    if (!(tx instanceof Member)) {
      const [result] = await run(tx.db, [member])
      return result as Result // one for each member
    }
    if (locks) await tx.takeTurn(locks(member))
    const result = (await tx.group.ask(run as RunStatement, step, member)) as Result
    tx.hasWritten ||= typeof writes === 'boolean' ? writes : writes(result)
    return result
  }
}

const tallies = new WeakMap<Reads, Map<string, number>>()

/**
 * Returns counts by name that all members of a transaction share until it ends. A count read by one member may be
 * outdated after the writes of another.
 */
export function tallyOf(db: Reads): Map<string, number> {
  const tally = tallies.get(db) ?? new Map<string, number>()
  tallies.set(db, tally)
  return tally
}

/** The work needs a transaction without other members. */
class NeedsOwnTransaction extends Error {
  override readonly name = 'NeedsOwnTransaction'
}

/**
 * Stops a member of a group, which then continues without it. The work runs again in a separate transaction. Only for
 * work that has written nothing yet, because later the whole group would fail.
 */
export function requireOwnTransaction(tx: Transaction): void {
  if (tx instanceof Member) throw new NeedsOwnTransaction()
}

/** True for a transaction that other members may share. */
export function isShared(tx: Transaction): boolean {
  return tx instanceof Member
}

/**
 * Runs works as members of one transaction, so that simultaneous calls of a shared statement become one. Throws the first
 * error, after which the transaction must roll back. No work may need its own transaction.
 */
export async function runTogether<T>(
  tx: Transaction,
  works: readonly ((tx: Transaction) => Promise<T>)[],
): Promise<T[]> {
  const group = new Group(tx)
  const inContext = <R>(run: () => R) => run()
  const members = works.map((work) => ({ work, owner: '', attempt: tx.attempt, inContext }))
  const outcomes = await Promise.all(members.map((member) => runMember(group, member)))
  const failure = group.failure ?? outcomes.find(({ error }) => error !== undefined)?.error
  if (failure !== undefined) throw failure as Error
  return outcomes.map(({ result, afterCommit }) => {
    afterCommit.forEach((done) => tx.onCommit(done))
    return result as T
  })
}

/** The group failed and was rolled back. Its members are tried one by one. */
class FailedGroup extends Error {
  override readonly name = 'FailedGroup'
}

type Work = (tx: Transaction) => Promise<unknown>

interface Waiting {
  work: Work
  owner: string
  attempt: number
  /** Runs in the context of the request, so that its spans belong to its own trace. */
  inContext: <T>(run: () => T) => T
}

interface SharedLimits {
  maxGroups: number
  maxMembers: number
  /** If the owner's members wait longer than this while a transaction of theirs runs, another one begins. */
  patienceMs?: number
  fraction: () => number
}

/**
 * Implements `Database.sharedTransaction` for both engines, with at most `maxGroups` simultaneous transactions of
 * `maxMembers` each.
 */
export class SharedTransactions {
  private readonly ask: (member: Waiting, isGone?: () => boolean) => Promise<unknown>
  /** Runs members in separate transactions, one at a time for each owner. More would use up the connections. */
  private readonly askAlone: SharedTransactions['ask']
  private readonly fraction: () => number

  constructor(db: Database, { fraction, ...limits }: SharedLimits) {
    this.fraction = fraction
    this.ask = together((members: readonly Waiting[]) => runGroup(db, members), {
      ...limits,
      ownerOf: ({ owner }) => owner,
      isWorthTrying: (error) => error instanceof FailedGroup || error instanceof RolledBack,
    })
    this.askAlone = together((members: readonly Waiting[]) => runGroup(db, members), {
      maxMembers: 1,
      maxGroups: limits.maxGroups,
      maxGroupsOfOwner: 1,
      ownerOf: ({ owner }) => owner,
    })
  }

  /** Runs a member that lost a race again, in another group. */
  run<T>(work: (tx: Transaction) => Promise<T>, { owner, isGone }: SharingOptions): Promise<T> {
    // checked again at the start: the group may have waited for a connection or for the writer
    const workUnlessGone: Work = async (tx) => {
      if (isGone?.()) throw new MemberGone()
      return work(tx)
    }
    const attemptOnce = async (attempt: number) => {
      const member = { work: workUnlessGone, owner, attempt, inContext: AsyncLocalStorage.snapshot() }
      // members of a transaction share its time, which no other business has
      if (testTime() !== undefined) return (await this.askAlone(member, isGone)) as T
      try {
        return (await this.ask(member, isGone)) as T
      } catch (error) {
        if (!(error instanceof NeedsOwnTransaction)) throw error
      }
      return (await this.askAlone(member, isGone)) as T
    }
    return withRetries(attemptOnce, () => false, this.fraction)
  }
}

async function runGroup(db: Database, members: readonly Waiting[]): Promise<Outcome<unknown>[]> {
  const [first] = members
  if (!first) return []
  const { inContext } = first // a group has one span, which can belong to only one trace
  if (members.length === 1) return [await inContext(() => db.transaction((tx) => first.work(tx)))]
  return inContext(() => db.transaction((tx) => runMembers(tx, members)))
}

async function runMembers(tx: Transaction, members: readonly Waiting[]): Promise<Outcome<unknown>[]> {
  const group = new Group(tx)
  const outcomes = await Promise.all(members.map((member) => runMember(group, member)))
  if (group.failure instanceof DatabaseUnavailable) throw group.failure
  const broken = outcomes.find(({ error, hasWritten }) => error !== undefined && hasWritten)
  const failure = group.failure ?? broken?.error
  if (failure !== undefined) throw new FailedGroup('a member failed the group', { cause: failure })
  return outcomes.map(({ error, result, afterCommit }) => {
    if (error !== undefined) return error
    afterCommit.forEach((done) => tx.onCommit(done))
    return result
  })
}

interface MemberOutcome {
  result: unknown
  error: Error | undefined
  hasWritten: boolean
  afterCommit: (() => void)[]
}

/** Never rejects, because the transaction must not end while other members still use it. */
async function runMember(group: Group, { work, attempt, inContext }: Waiting): Promise<MemberOutcome> {
  const member = new Member(group, attempt)
  const { afterCommit } = member
  try {
    return {
      result: await inContext(() => work(member)),
      error: undefined,
      hasWritten: member.hasWritten,
      afterCommit,
    }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error('not an error', { cause: thrown })
    return { result: undefined, error, hasWritten: member.hasWritten, afterCommit }
  } finally {
    member.end()
  }
}
