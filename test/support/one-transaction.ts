import { AsyncLocalStorage } from 'node:async_hooks'
import { expect } from 'vitest'
import type { Reply, TestService } from './test-service.ts'

/**
 * Runs a function before each shared transaction of this server from now on, but not before those of workers. The
 * returned function stops this.
 */
export function beforeSharedTransactions(
  { context: { db } }: TestService,
  happens: () => Promise<void>,
): () => void {
  const { sharedTransaction, transaction } = db
  const isShared = new AsyncLocalStorage<true>()
  db.sharedTransaction = (work, options) => {
    const join = () => sharedTransaction.call(db, work, options) as ReturnType<typeof work>
    return isShared.run(true, join)
  }
  db.transaction = async (work) => {
    if (isShared.getStore()) await happens()
    return transaction.call(db, work) as ReturnType<typeof work>
  }
  return () => {
    db.sharedTransaction = sharedTransaction
    db.transaction = transaction
  }
}

/** Sends requests so that their members, in this order, form one group. */
export async function inOneTransaction(
  service: TestService,
  acts: readonly (() => Promise<Reply>)[],
): Promise<Reply[]> {
  let transactions = 0
  const end = beforeSharedTransactions(service, () => {
    transactions += 1
    return Promise.resolve()
  })
  const { db } = service.context
  const { sharedTransaction } = db
  const waiting: (() => void)[] = []
  db.sharedTransaction = async (work, options) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return sharedTransaction.call(db, work, options) as ReturnType<typeof work>
  }
  try {
    const replies: Promise<Reply>[] = []
    for (const act of acts) {
      replies.push(act())
      while (waiting.length < replies.length) await new Promise(setImmediate)
    }
    waiting.forEach((go) => go())
    const settled = await Promise.all(replies)
    expect(transactions).toBe(1)
    return settled
  } finally {
    end()
  }
}
