import { expect, vi } from 'vitest'
import type { Reply, TestService } from './test-service.ts'

/** Sends requests so that their members, in this order, form one group. */
export async function inOneTransaction(
  service: TestService,
  acts: readonly (() => Promise<Reply>)[],
): Promise<Reply[]> {
  const { db } = service.context
  const { sharedTransaction } = db
  const waiting: (() => void)[] = []
  db.sharedTransaction = async (work, options) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return sharedTransaction.call(db, work, options) as ReturnType<typeof work>
  }
  const transactions = vi.spyOn(db, 'transaction')
  try {
    const replies: Promise<Reply>[] = []
    for (const act of acts) {
      replies.push(act())
      await vi.waitFor(() => expect(waiting).toHaveLength(replies.length), 60_000)
    }
    waiting.forEach((go) => go())
    const settled = await Promise.all(replies)
    expect(transactions).toHaveBeenCalledTimes(1)
    return settled
  } finally {
    db.sharedTransaction = sharedTransaction
    transactions.mockRestore()
  }
}
