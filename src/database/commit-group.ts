import type { DatabaseSync } from 'node:sqlite'
import { monotonicMs } from '../clock.ts'
import { DatabaseUnavailable } from './database.ts'
import { translate } from './sqlite-errors.ts'

/** A group commits when it is this old or this large, whoever still waits: other processes want the file, too. */
const longestMs = 20
const mostMembers = 100

/**
 * Transactions on one connection that come one after the other and share one commit, whose flush to the
 * disk costs more than most of what they do. The first one begins a transaction of SQLite; each
 * further one is a savepoint in it, and what fails takes back its own savepoint only. Whoever has ended is
 * told so after the commit; when that fails, or an error has undone everything, all of them fail. That goes for
 * those that failed, too: what they saw, and perhaps were refused for, is not true before the commit.
 */
export class CommitGroup {
  private readonly file: DatabaseSync
  /** Those who wait for the commit, in their order: members that have ended, and such as failed after them. */
  private ended: PromiseWithResolvers<undefined>[] = []
  private openedMs = 0

  constructor(file: DatabaseSync) {
    this.file = file
  }

  /** Whether it has to commit before another member begins. */
  get isFull(): boolean {
    return this.ended.length >= mostMembers || (this.isOpen && monotonicMs() - this.openedMs >= longestMs)
  }

  private get isOpen(): boolean {
    return this.ended.length > 0
  }

  /** Begins a member. Throws when another process holds the file. */
  begin(): void {
    if (this.isOpen) {
      this.file.exec('savepoint member')
      return
    }
    // at once: a deferred transaction fails when its snapshot is stale
    this.file.exec('begin immediate')
    this.openedMs = monotonicMs()
  }

  /** Ends a member. The promise resolves when its changes are on the disk, and rejects when they are undone. */
  end(): Promise<undefined> {
    this.assertNotUndone()
    if (this.isOpen) this.file.exec('release member')
    return this.wait()
  }

  /**
   * Ends a member that failed: nothing of it stays, and the others keep theirs. The promise resolves when what the
   * member saw of theirs is on the disk, and rejects when it is undone.
   */
  async undo(): Promise<void> {
    if (!this.file.isTransaction) {
      this.failAll(undone())
      return
    }
    if (!this.isOpen) {
      this.file.exec('rollback')
      return
    }
    try {
      this.file.exec('rollback to member; release member')
    } catch (error) {
      this.undoAll(error)
      return
    }
    await this.wait()
  }

  /** Throws when an error has undone the transaction of SQLite (disk full, I/O): what follows would be on its own. */
  assertNotUndone(): void {
    if (this.file.isTransaction) return
    this.failAll(undone())
    throw undone()
  }

  /** Commits for all members that have ended. No member is under way. */
  commit(): void {
    if (!this.isOpen) return
    try {
      this.file.exec('commit')
    } catch (error) {
      this.undoAll(error)
      return
    }
    for (const { resolve } of this.leave()) resolve(undefined)
  }

  private wait(): Promise<undefined> {
    const member = Promise.withResolvers<undefined>()
    this.ended.push(member)
    return member.promise
  }

  private undoAll(error: unknown): void {
    this.failAll(translate(error))
    if (this.file.isTransaction) this.file.exec('rollback') // some errors have rolled back already
  }

  private failAll(error: unknown): void {
    for (const { reject } of this.leave()) reject(error)
  }

  private leave(): PromiseWithResolvers<undefined>[] {
    const members = this.ended
    this.ended = []
    return members
  }
}

function undone(): DatabaseUnavailable {
  return new DatabaseUnavailable('an error has rolled back the transaction')
}
