import { AsyncLocalStorage } from 'node:async_hooks'
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
 * One transaction for all who wait. Each member runs its own code; what the members ask of a shared statement at the same
 * time is sent as one statement (`sharedStatement`). So a commit and each round trip are paid for once a group, and the
 * code of an operation reads as if it were alone.
 */

/** Runs a statement for members of one transaction, and gives a result for each, in their order. */
type RunStatement = (db: Queries, members: readonly unknown[]) => Promise<readonly unknown[]>

/** What members ask of one statement. */
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

/** What the members of a group have asked for and what was not sent yet. */
class Group {
  readonly tx: Transaction
  /** The first failed statement: on PostgreSQL it fails the whole transaction. */
  failure: unknown
  /** Whose turn each row is, and who waits for it last: locks of the database keep only other transactions out. */
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

  /** An immediate runs when all members have gone as far as they can. */
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
  /** Whether an error after this needs a rollback. */
  hasWritten = false
  readonly afterCommit: (() => void)[] = []
  /** Resolves when its work has ended, well or not. */
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

  /** Waits until the members that came before to the same row have ended. Take one row, or all in one order. */
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

  /** Whoever takes it may write. */
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
  /** Whether it changed something for a member that must not stay when that member fails later. */
  writes: boolean | ((result: Result) => boolean)
  /** Of statements that are sent together, those of lower steps run first, whoever asked first. Default: 0. */
  step?: number
  /** The row that it locks until the end: members that lock the same one go one after the other. */
  locks?: (member: Row) => string
  /** Gives a result for each member, in their order. Sends its statements before it first waits, or no other needs them. */
  run: (db: Queries, members: readonly Row[]) => Promise<readonly Result[]>
}

/**
 * Makes a statement that members of one transaction send together; in a transaction of one it is sent at once. What a
 * member asks for at the same time (`Promise.all`) runs in the order of asking, and on PostgreSQL costs one round trip.
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
 * Counts by name that all members of a transaction share until it ends: what one of them has read may be older than what
 * another has written since.
 */
export function tallyOf(db: Reads): Map<string, number> {
  const tally = tallies.get(db) ?? new Map<string, number>()
  tallies.set(db, tally)
  return tally
}

/** A failed group is rolled back, and its members are tried one by one. */
class FailedGroup extends Error {
  override readonly name = 'FailedGroup'
}

type Work = (tx: Transaction) => Promise<unknown>

interface Waiting {
  work: Work
  owner: string
  attempt: number
  /** Runs in the context of the request, so that what it does belongs to its trace and not to another member's. */
  inContext: <T>(run: () => T) => T
}

interface SharedLimits {
  maxGroups: number
  maxMembers: number
  /** Of an owner who has members in a transaction under way, another begins later than so. */
  patienceMs?: number
  fraction: () => number
}

/** `Database.sharedTransaction` for both engines, with at most `maxGroups` transactions of `maxMembers` at once. */
export class SharedTransactions {
  private readonly ask: (member: Waiting, isGone?: () => boolean) => Promise<unknown>
  private readonly fraction: () => number

  constructor(db: Database, { fraction, ...limits }: SharedLimits) {
    this.fraction = fraction
    this.ask = together((members: readonly Waiting[]) => runGroup(db, members), {
      ...limits,
      ownerOf: ({ owner }) => owner,
      isWorthTrying: (error) => error instanceof FailedGroup || error instanceof RolledBack,
    })
  }

  /** Who loses a race runs again in another group. */
  run<T>(work: (tx: Transaction) => Promise<T>, { owner, isGone }: SharingOptions): Promise<T> {
    // asked again at its beginning: its group may have waited for a connection or for the writer
    const workUnlessGone: Work = async (tx) => {
      if (isGone?.()) throw new MemberGone()
      return work(tx)
    }
    const attemptOnce = (attempt: number) =>
      this.ask(
        { work: workUnlessGone, owner, attempt, inContext: AsyncLocalStorage.snapshot() },
        isGone,
      ) as Promise<T>
    return withRetries(attemptOnce, () => false, this.fraction)
  }
}

async function runGroup(db: Database, members: readonly Waiting[]): Promise<Outcome<unknown>[]> {
  const [first] = members
  if (!first) return []
  const { inContext } = first // a group has one span, which can belong to one trace only
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

/** Never rejects: the transaction must not end while other members still use it. */
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
