import type { Instant } from '../base/instants.ts'
import type { ProcessorRefund } from '../bookings/checkouts.ts'
import type { PaymentsTable, RefundsTable } from '../database/tables.ts'

/** The changes of our rows by a processor's list of refunds. */
interface RefundChanges {
  changed: RefundsTable[]
  /** Refunds that somebody made at the processor. */
  added: RefundsTable[]
  refunded_amount: number
  refund_total: number
  /** True if a refund is on its way, or a whole one lacks a part. */
  isOpen: boolean
  /** True if a part of what was asked back is in no refund. */
  lacks: boolean
  /** True if one of ours came back, and is to be sent again. */
  failed: boolean
}

/**
 * Compares our refunds with the processor's list. One of ours that failed is requested again, and one that it refuses
 * has failed for good. The order and the number of reports do not matter, because the list has all of them.
 */
export function refundChanges(
  rows: readonly RefundsTable[],
  {
    refunds,
    refused,
    payment,
    now,
  }: {
    refunds: readonly ProcessorRefund[]
    refused: readonly number[]
    payment: Pick<PaymentsTable, 'id' | 'business_id' | 'amount' | 'refund_requested_at'>
    now: Instant
  },
): RefundChanges {
  const known = rows.map((row) => {
    const found = refunds.filter(({ number, reference }) =>
      row.by_hand === 1 ? reference === row.processor_reference : number === row.number,
    )
    const alive = found.find(({ status }) => status !== 'failed') ?? found.at(-1)
    return refused.includes(row.number) ? { ...row, status: 'failed' as const } : withReport(row, alive, now)
  })
  const references = new Set(rows.map(({ processor_reference: reference }) => reference))
  const byHand = refunds.filter(({ number, reference }) => number === undefined && !references.has(reference))
  const last = rows.at(-1)?.number ?? 0
  const added = byHand.map((refund, index): RefundsTable => {
    const isDone = refund.status === 'refunded'
    return {
      ...{ payment_id: payment.id, business_id: payment.business_id, number: last + 1 + index },
      ...{ amount: refund.amount, by_hand: 1, reason: null, processor_reference: refund.reference },
      status: refund.status === 'pending' ? 'requested' : refund.status,
      ...{ requested_at: now, refunded_at: isDone ? now : null },
    }
  })
  const all = [...known, ...added]
  const sum = (some: readonly RefundsTable[]) => some.reduce((total, { amount }) => total + amount, 0)
  const refund_total = sum(all.filter(({ status }) => status !== 'failed'))
  const lacks = payment.refund_requested_at !== null && refund_total < payment.amount
  return {
    changed: known.filter((row, index) => !isSame(row, rows[index])),
    added,
    refunded_amount: sum(all.filter(({ status }) => status === 'refunded')),
    refund_total,
    lacks,
    isOpen: lacks || all.some(({ status }) => status === 'requested'),
    failed: known.some((row, index) => row.status === 'requested' && rows[index]?.status === 'refunded'),
  }
}

function withReport(row: RefundsTable, report: ProcessorRefund | undefined, now: Instant): RefundsTable {
  if (!report || row.status === 'failed') return row
  const { reference: processor_reference, status } = report
  if (status === 'refunded')
    return { ...row, processor_reference, status, refunded_at: row.refunded_at ?? now }
  const isLost = status === 'failed' && row.by_hand === 1
  return { ...row, processor_reference, status: isLost ? 'failed' : 'requested', refunded_at: null }
}

function isSame(one: RefundsTable, other: RefundsTable | undefined): boolean {
  return one.status === other?.status && one.processor_reference === other.processor_reference
}
