import type { Calendar } from '../../bookings/calendar.ts'
import type { Slices } from '../../base/slices.ts'
import { toMs } from '../../base/instants.ts'
import { itemsOf, type ShownItem } from '../../database/shown-item-rules.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import type { Interval } from '../../availability/zone-rules.ts'

/* Bookings that take several things: their items lie in different columns of the calendar. */

/** A booking of several things, by ID. */
export type Visits = ReadonlyMap<string, CalendarVisit>

interface CalendarVisit {
  span: Interval
  items: ShownItem[]
}

/** Reads the items of all visits of a calendar. */
export async function visitsOf({ bookings }: Calendar, slices: Slices): Promise<Visits> {
  const rows = new Map(bookings.filter((row) => row.items_json !== null).map((row) => [row.id, row]))
  const visits = await slices.map([...rows], ([id, row]) => {
    const items = itemsOf(row)
    const from = Math.min(...items.map(({ starts_at }) => toMs(starts_at)))
    const to = Math.max(...items.map(({ ends_at }) => toMs(ends_at)))
    return [id, { span: { from, to }, items }] as const
  })
  return new Map(visits)
}

/** Words about an item among those of its visit. */
interface PartWords {
  /** "1/2" */
  sign: string
  /** "1 of 2" */
  count: string
  /** "with Lukas later"; undefined if nobody else gives an item. */
  others: string | undefined
  /** The name of that person. */
  other: string | undefined
}

/** Returns the words about an item of a visit. Undefined if the visit has no other. */
export function partWords(
  visits: Visits,
  { texts: { calendar: t } }: ConsoleVisit,
  { id, item }: { id: string; item: { number: number; count: number } },
): PartWords | undefined {
  const { number, count } = item
  if (count < 2) return undefined
  const items = visits.get(id)?.items ?? []
  const own = items[number]
  const somebodyIn = (some: ShownItem[]) =>
    some.find(({ staff }) => staff && staff.id !== own?.staff?.id)?.staff ?? undefined
  const meanwhile = somebodyIn(items.filter(({ starts_at }) => starts_at === own?.starts_at))
  const later = somebodyIn(items.slice(number + 1))
  const before = somebodyIn(items.slice(0, number).toReversed())
  const others = meanwhile
    ? t.withMeanwhile({ name: meanwhile.name })
    : later
      ? t.withLater({ name: later.name })
      : before && t.withBefore({ name: before.name })
  const other = (meanwhile ?? later ?? before)?.name
  return { sign: `${number + 1}/${count}`, count: t.part({ number: number + 1, count }), others, other }
}
