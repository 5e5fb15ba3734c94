import { AsyncLocalStorage } from 'node:async_hooks'
import { expect } from 'vitest'
import type { Reply, TestService } from './test-service.ts'

/** Sends requests so that their members, in this order, form one group. Transactions of workers are not counted. */
export async function inOneTransaction(
  service: TestService,
  acts: readonly (() => Promise<Reply>)[],
): Promise<Reply[]> {
  const { db } = service.context
  const { sharedTransaction, transaction } = db
  const waiting: (() => void)[] = []
  const asGroup = new AsyncLocalStorage<{ transactions: number }>()
  const counted = { transactions: 0 }
  db.sharedTransaction = async (work, options) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    const join = () => sharedTransaction.call(db, work, options) as ReturnType<typeof work>
    return asGroup.run(counted, join)
  }
  db.transaction = (...args) => {
    const group = asGroup.getStore()
    if (group) group.transactions += 1
    return transaction.apply(db, args) as ReturnType<(typeof args)[0]>
  }
  try {
    const replies: Promise<Reply>[] = []
    for (const act of acts) {
      replies.push(act())
      while (waiting.length < replies.length) await new Promise(setImmediate)
    }
    waiting.forEach((go) => go())
    const settled = await Promise.all(replies)
    expect(counted).toEqual({ transactions: 1 })
    return settled
  } finally {
    db.sharedTransaction = sharedTransaction
    db.transaction = transaction
  }
}
