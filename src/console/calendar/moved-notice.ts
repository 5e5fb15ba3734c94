import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { isInstant, toMs } from '../../base/instants.ts'
import { showBooking } from '../../bookings/booking.ts'
import type { Context } from '../../bookings/context.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
import { hidden } from '../../pages/form.ts'
import { isMasked } from '../bookings/booking-page.ts'
import { isVisit } from '../bookings/item-list.ts'
import { toldAt } from '../bookings/telling.ts'
import { type ConsoleVisit, doneNotice, pathOf } from '../frame/console-page.ts'
import { clientName, wallFields } from '../frame/formats.ts'

/* The notice of a move by the form, with a button that undoes it. The calendar script shows it as after dragging. */

/** The place of a booking before a move. */
type Place = Pick<BookingRow, 'starts_at' | 'ends_at' | 'staff_id'>

/** Returns the query parameter that names a moved booking and its former place. */
export function undoOf(
  { id, version }: BookingRow,
  { starts_at, ends_at, staff_id }: Place,
  isTold: boolean,
): string {
  return [id, version, starts_at, ends_at, staff_id ?? '', isTold ? 'told' : ''].join()
}

/** Renders the notice. Without the button if the booking has changed since, or the parameter is invalid. */
export async function movedNotice(context: Context, visit: ConsoleVisit, undo = ''): Promise<Html> {
  const { texts, person } = visit
  const plain = doneNotice({ moved: texts.move.done }, 'moved')
  const [id = '', version, starts_at = '', ends_at = '', staffId = '', told] = undo.split(',')
  if (!isUuid(id) || !isInstant(starts_at) || !isInstant(ends_at)) return plain
  const row = await showBooking(context, person, id).catch(() => undefined)
  if (!row || String(row.version) !== version || isMasked({ visit, row })) return plain
  const isTold = told === 'told' && 'to' in toldAt(visit, row, ['changed'])
  const items = isVisit(row) ? itemsOf(row) : []
  const place = (span: Pick<Place, 'starts_at' | 'ends_at'>, who: string | null) => ({
    ...{ fromMs: toMs(span.starts_at), toMs: toMs(span.ends_at) },
    who: items.length > 0 ? '' : (who ?? ''),
  })
  const [from, to] = [place({ starts_at, ends_at }, staffId), place(row, row.staff_id)]
  const client = clientName(presentBooking(row, person).client, visit)
  const whole = items[0] && { item: items[0].id, items: items.map((item) => item.id), what: '', ...to }
  const moved = { id, version: row.version, client, isTold, visit: whole, from, to }
  return html`<div class="notice" role="status" data-moved="${JSON.stringify(moved)}">
    ${texts.move.done}
    <form method="post" action="${pathOf(`/console/bookings/${id}/move`, visit)}">
      ${hidden({
        ...{ version, start: starts_at, ...wallFields(starts_at, row.timezone), who: staffId, anyway: 'on' },
        ...{ minutes: String((from.toMs - from.fromMs) / 60_000), ...(isTold && { tell: 'on' }) },
      })}
      <button type="submit" name="do" value="move">${texts.live.undo}</button>
    </form>
  </div>`
}
