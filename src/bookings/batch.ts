import type { Static } from 'typebox'
import { type Actor, assertOwnCalendar, assertRole } from '../access/actor.ts'
import { Problem, problemKinds, validationProblem } from '../base/errors.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { itemsOf } from '../database/shown-item-rules.ts'
import { type BookingChange, cancelBooking, changeBooking, showBooking } from './booking.ts'
import type { ChangeBookings } from './booking-schemas.ts'
import type { Context } from './context.ts'

/*
 * One change of many bookings, such as all of a person who is ill. Each changes as if it were alone, with its event and
 * emails. A refusal of one does not stop the others. A repetition finds the done ones changed and leaves them.
 */

type Batch = Static<typeof ChangeBookings>

/** The result of one change: the booking after it, or the reason for which it stays as it is. */
export type BatchResult = { id: string } & ({ booking: BookingRow } | { refusal: Problem })

/**
 * Cancels many bookings or gives them to another person, one after the other. Returns a result for each. Throws
 * validation_failed for members that do not belong together, and key_type_not_allowed for the whole change. Emails wait for
 * `delaySeconds`.
 */
export async function changeBatch(
  context: Context,
  actor: Actor,
  batch: Batch,
  delaySeconds?: number,
): Promise<BatchResult[]> {
  assertBatch(batch)
  if (batch.change === 'cancel') {
    if (batch.refund === 'full') assertRole(actor, 'owner')
  } else assertOwnCalendar(actor, batch.staff_id ?? null)
  const results: BatchResult[] = []
  for (const id of batch.ids) {
    try {
      results.push({ id, booking: await changeOne(context, actor, { batch, id, delaySeconds }) })
    } catch (error) {
      if (!isRefusal(error)) throw error
      results.push({ id, refusal: error })
    }
  }
  return results
}

/** An outage ends the batch: a repetition does the rest. */
function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && problemKinds[error.code].status < 500
}

const membersOf = {
  cancel: ['cancel_reason', 'refund'],
  reassign: ['staff_id', 'from_staff_id'],
} as const

function assertBatch(batch: Batch): void {
  const foreign = membersOf[batch.change === 'cancel' ? 'reassign' : 'cancel']
  const errors = foreign
    .filter((name) => batch[name] !== undefined)
    .map((name) => ({
      pointer: `/${name}`,
      code: 'not_allowed',
      detail: `does not belong to the change ${batch.change}`,
    }))
  if (batch.change === 'reassign' && batch.staff_id === undefined)
    errors.push({ pointer: '/staff_id', code: 'required', detail: 'is required to reassign' })
  if (errors.length > 0) throw validationProblem(errors)
}

async function changeOne(
  context: Context,
  actor: Actor,
  { batch, id, delaySeconds }: { batch: Batch; id: string; delaySeconds: number | undefined },
): Promise<BookingRow> {
  const { notify, cancel_reason: reason } = batch
  const told = notify === undefined ? {} : { notify }
  const row = await showBooking(context, actor, id)
  if (batch.change === 'cancel') {
    const refund = batch.refund === 'full' && row.payment_status === 'paid'
    return cancelBooking(context, actor, {
      ...{ id, ...told, refund, ...(reason && { reason }) },
      ...(delaySeconds !== undefined && { delaySeconds }),
    })
  }
  const change = reassigned(row, batch)
  // a booking that changes in the meantime may have other people
  const target = { id, versions: [row.version] }
  return changeBooking(context, actor, {
    target,
    change: { ...change, ...told, ...(delaySeconds !== undefined && { notify_after_seconds: delaySeconds }) },
  })
}

/** Returns the change that gives a booking to somebody, or what another person gives of it. */
function reassigned(row: BookingRow, { staff_id: to, from_staff_id: from }: Batch): BookingChange {
  const isTheirs = (staffId: string | undefined) => from === undefined || staffId === from
  if (row.item_count === null)
    return to !== undefined && isTheirs(row.staff_id ?? undefined) ? { staff_id: to } : {}
  const items = itemsOf(row)
  if (!items.some(({ staff }) => isTheirs(staff?.id))) return {}
  return {
    items: items.map(({ id, staff }) => ({ id, ...(isTheirs(staff?.id) && to && { staff_id: to }) })),
  }
}
