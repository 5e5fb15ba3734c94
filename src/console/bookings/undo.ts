import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { type Instant, plusSeconds } from '../../base/instants.ts'
import { showBooking } from '../../bookings/booking.ts'
import type { BookingChange } from '../../bookings/booking.ts'
import type { Context } from '../../bookings/context.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { hidden, type Typed } from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { bookingPath, isMasked, versionFields } from './booking-page.ts'

/* The notice of a change that was made just now. Its button takes it back before the client is notified. */

/** Seconds before the client is notified of a change, longer than "Undo" is offered. */
export const tellAfterSeconds = 12

/** Seconds during which a page offers "Undo". Its styles remove the button after as long. */
export const offeredSeconds = 8

type State = Pick<BookingRow, 'status' | 'no_show_at'>

/** Returns the status of a booking, to which its change may be taken back. */
export function statusOf({ status, no_show_at }: State): string {
  return no_show_at === null ? status : 'no_show'
}

/** Returns true if the end of a booking takes no open deposit away. Only a new payment would bring that back. */
export function isUndoable({
  status,
  payment_status,
}: Pick<BookingRow, 'status' | 'payment_status'>): boolean {
  return status !== 'pending' && payment_status !== 'due' && payment_status !== 'preparing'
}

/** Returns the query parameter that names a changed booking, and its status or staff member before. */
export function undoParameter({ id, version }: BookingRow, was: string, isTold = false): string {
  return [id, version, was, isTold ? 'told' : ''].join()
}

/** Returns the change that a form to undo requests. Undefined if it is invalid. */
export function changeBack({ was = '', tell }: Typed): BookingChange | undefined {
  const notify = tell === 'on'
  if (isUuid(was)) return { staff_id: was, notify }
  if (was === 'no_show') return { no_show: true, notify }
  if (was === 'completed') return { status: was, no_show: false, notify }
  return was === 'confirmed' || was === 'in_progress' ? { status: was, notify } : undefined
}

interface ShownNotice {
  visit: ConsoleVisit
  text: string
  undo: string | undefined
  now: Instant
  /** The page to return to. */
  to?: Record<string, string>
}

/** Renders a notice about a booking. The button is absent if the booking has changed since, or some time has passed. */
export function undoNotice(
  row: BookingRow | undefined,
  { visit, text, undo = '', now, to = {} }: ShownNotice,
): Html {
  const [id, version, was = '', told] = undo.split(',')
  const isOffered =
    row?.id === id &&
    String(row?.version) === version &&
    row !== undefined &&
    now <= plusSeconds(row.updated_at, offeredSeconds) &&
    !isMasked({ visit, row })
  if (!isOffered) return html`<p class="notice" role="status">${text}</p>`
  return html`<div class="notice" role="status">
    ${text}
    <form method="post" action="${bookingPath({ visit, row }, 'status')}" class="for-seconds">
      ${versionFields({ visit, row })} ${hidden({ action: 'undo', was, ...(told && { tell: 'on' }), ...to })}
      <button type="submit">${visit.texts.live.undo}</button>
    </form>
  </div>`
}

/** Does the same on a page that shows other bookings, too. */
export async function undoNoticeOf(context: Context, notice: Omit<ShownNotice, 'now'>): Promise<Html> {
  const [id = ''] = (notice.undo ?? '').split(',')
  const row = isUuid(id)
    ? await showBooking(context, notice.visit.person, id).catch(() => undefined)
    : undefined
  return undoNotice(row, { ...notice, now: context.clock.now() })
}
