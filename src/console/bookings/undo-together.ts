import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { isInstant, plusSeconds, readInstant } from '../../base/instants.ts'
import { showBooking } from '../../bookings/booking.ts'
import type { BookingChange } from '../../bookings/booking.ts'
import { type FormerState, maxTogether, takeBackTogether } from '../../bookings/class-change.ts'
import type { Context } from '../../bookings/context.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
import { hidden } from '../../pages/form.ts'
import { type ConsoleVisit } from '../frame/console-page.ts'
import { FormFault } from '../frame/console-route.ts'
import { isMasked } from './booking-page.ts'
import { isUndoable, offeredSeconds } from './undo.ts'

/*
 * The notice of a change of several bookings that was made just now. One button takes all back, or none. Its parameter
 * names the bookings with their versions, 22 bytes each.
 */

/** The former state that a change is taken back to: a status, a start, or a person. */
type UndoKind = 'status' | 'move' | 'give'

/** A changed booking. `code` is its former status, or the items that were given away as bits. 0: the booking itself. */
interface Changed {
  id: string
  version: number
  code: number
}

interface UndoTogether {
  kind: UndoKind
  /** The person before; or the start, of one booking with end and person if those changed. */
  was: string
  changed: Changed[]
}

/** For query parameters with the longest undo. */
export const maxUndoLength = 3_200

const entryBytes = 22
const kinds: readonly string[] = ['status', 'move', 'give'] satisfies UndoKind[]
/** Statuses that a booking gets back, by their code. */
const statuses = ['confirmed', 'in_progress'] as const

/** Returns the query parameter that takes the changes back. Empty without any. */
export function undoTogether({ kind, was, changed }: UndoTogether): string {
  if (changed.length === 0) return ''
  const bytes = Buffer.alloc(changed.length * entryBytes)
  changed.forEach(({ id, version, code }, index) => {
    const at = index * entryBytes
    bytes.write(id.replaceAll('-', ''), at, 'hex')
    bytes.writeUInt32BE(version, at + 16)
    bytes.writeUInt16BE(code, at + 20)
  })
  return [kind, was, bytes.toString('base64url')].join()
}

/** Returns the query parameter that gives one booking its former time and person back. Empty if it changed nothing. */
export function undoPlace(before: BookingRow, { id, version, staff_id }: BookingRow): string {
  const person = staff_id === before.staff_id ? [] : [before.staff_id ?? '']
  const was = before.item_count === null ? [before.starts_at, before.ends_at, ...person] : [before.starts_at]
  const changed = version === before.version ? [] : [{ id, version, code: 0 }]
  return undoTogether({ kind: 'move', was: was.join(' '), changed })
}

function isPlace(was: string): boolean {
  const [start = '', end = start, person] = was.split(' ')
  return isInstant(start) && isInstant(end) && (person === undefined || isUuid(person))
}

function readUndo(text: string): UndoTogether | undefined {
  const [kind = '', was = '', packed = ''] = text.split(',')
  const bytes = Buffer.from(packed, 'base64url')
  const count = bytes.length / entryBytes
  const isValid = { status: was === '', move: isPlace(was), give: isUuid(was) }[kind as UndoKind]
  if (!kinds.includes(kind) || !isValid || count < 1 || count > maxTogether || !Number.isInteger(count))
    return undefined
  const changed = Array.from({ length: count }, (_, index) => {
    const at = index * entryBytes
    const hex = bytes.toString('hex', at, at + 16)
    const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
      '-',
    )
    return { id, version: bytes.readUInt32BE(at + 16), code: bytes.readUInt16BE(at + 20) }
  })
  return { kind: kind as UndoKind, was, changed }
}

/** Returns the code of a former status. */
export function statusCode({ status }: Pick<BookingRow, 'status'>): number {
  return status === 'in_progress' ? 1 : 0
}

/** Returns the services of a visit that a person gives, as bits. 0 for a booking of one service. */
export function itemsCode(row: BookingRow, staffId: string): number {
  if (row.item_count === null) return 0
  return itemsOf(row).reduce((bits, { staff }, index) => bits | (staff?.id === staffId ? 1 << index : 0), 0)
}

/** The reason for which cancellations are final. */
type Final = 'refund' | 'open'

/** Returns why bookings cannot be restored: a refund begins, or an open payment or request ends. Undefined if they can. */
export function finalReason(
  before: readonly Pick<BookingRow, 'status' | 'payment_status'>[],
  { refund }: { refund: boolean },
): Final | undefined {
  if (refund && before.some(({ payment_status }) => payment_status === 'paid')) return 'refund'
  return before.every(isUndoable) ? undefined : 'open'
}

interface TogetherNotice {
  text: string
  undo: string | undefined
  /** The address of the form, and fields for its page. */
  action: string
  fields: Record<string, string>
}

/** Renders the notice. The button is absent if any of the bookings has changed since, or some time has passed. */
export async function togetherNotice(
  context: Context,
  visit: ConsoleVisit,
  { text, undo = '', action, fields }: TogetherNotice,
): Promise<Html> {
  const wanted = readUndo(undo)
  const now = context.clock.now()
  const rows = wanted ? await rowsOf(context, visit, wanted.changed) : []
  const isOffered =
    wanted !== undefined &&
    rows.every(
      (row, index) =>
        row?.version === wanted.changed[index]?.version &&
        row !== undefined &&
        now <= plusSeconds(row.updated_at, offeredSeconds) &&
        !isMasked({ visit, row }),
    )
  if (!isOffered) return html`<p class="notice" role="status">${text}</p>`
  return html`<div class="notice" role="status">
    ${text}
    <form method="post" action="${action}" class="for-seconds">
      ${hidden({ once: context.ids.next(), do: 'undo', undo, ...fields })}
      <button type="submit">${visit.texts.live.undo}</button>
    </form>
  </div>`
}

function rowsOf(
  context: Context,
  { person }: ConsoleVisit,
  changed: readonly Changed[],
): Promise<(BookingRow | undefined)[]> {
  return Promise.all(changed.map(({ id }) => showBooking(context, person, id).catch(() => undefined)))
}

/** Takes back the changes that a form names: all or none. Throws FormFault for an invalid one, or as changeClass does. */
export async function takeBack(context: Context, visit: ConsoleVisit, undo = ''): Promise<void> {
  const wanted = readUndo(undo)
  if (!wanted) throw new FormFault({ '': visit.texts.form.problems.slot_not_offered })
  const rows = await rowsOf(context, visit, wanted.changed)
  const states = wanted.changed.map((one, index): FormerState => {
    const { id, version } = one
    return { id, version, change: { ...formerOf(wanted, one, rows[index]), notify: true } }
  })
  await takeBackTogether(context, visit.person, states)
}

function formerOf(
  { kind, was }: UndoTogether,
  { code }: Changed,
  row: BookingRow | undefined,
): BookingChange {
  if (kind === 'status') return { status: statuses[code] ?? 'confirmed' }
  if (kind === 'move') {
    const [start = '', end, person] = was.split(' ')
    return {
      starts_at: readInstant(start),
      ...(end !== undefined && { ends_at: readInstant(end) }),
      ...(person !== undefined && { staff_id: person }),
    }
  }
  if (code === 0 || row === undefined) return { staff_id: was }
  return {
    items: itemsOf(row).map(({ id }, index) => ({ id, ...((code >> index) & 1 && { staff_id: was }) })),
  }
}
