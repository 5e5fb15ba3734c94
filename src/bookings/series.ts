import { type Actor, isSession } from '../access/actor.ts'
import { isSlotUnavailable } from '../availability/offer-rules.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant, readInstant, toMs } from '../base/instants.ts'
import { storeNothing, type StoreResponse } from '../database/idempotency.ts'
import { takenBy } from './claim-rules.ts'
import type { Context } from './context.ts'
import { oneItem, type PlaceHoldInput, presentHold, withPlacing } from './hold.ts'
import type { PlacedHold, SeriesOfHold } from './hold-rules.ts'
import {
  assertMayRepeat,
  calendarConflict,
  type Conflict,
  conflictOf,
  type Occurrence,
  occurrencesOf,
  refusalOfSeries,
  type Repeat,
} from './series-rules.ts'
import type { HoldToPlace } from './visit.ts'

/*
 * A series is several holds, and then bookings, of the same thing at the same wall time. Each has a
 * claim. They are placed in one transaction, in the order of their times: of two series that meet, one then waits
 * for the other, and never both (decision 32).
 */

/** The first hold, and its repetition. */
export type PlaceSeriesInput = PlaceHoldInput & {
  repeat: Repeat
  conflicts?: 'refuse' | 'skip' | undefined
  /** Other times for single dates, by the time of the repetition. */
  instead?: ReadonlyMap<Instant, Instant> | undefined
}

/** The holds of a series. */
interface PlacedSeries {
  id: string
  /** In the order of their times. */
  holds: readonly [PlacedHold, ...PlacedHold[]]
  skipped: readonly Conflict[]
  timezone: string
}

/** Rolls back, because a series has conflicts. */
class SeriesConflicts extends Error {
  override readonly name = 'SeriesConflicts'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('times of a series are not free')
    this.conflicts = conflicts
  }
}

/**
 * Holds all times of a series, or with `conflicts: 'skip'` all that are free, at least one. All end together. Throws what
 * placeHold throws; the refusal of a time has all `conflicts`, each with other times. Caps count each hold.
 */
export async function placeSeries(
  context: Context,
  actor: Actor,
  { repeat, conflicts = 'refuse', instead = new Map(), ...input }: PlaceSeriesInput,
  store: StoreResponse<PlacedSeries> = storeNothing,
): Promise<PlacedSeries> {
  const outcome = await withPlacing(context, actor, {
    ...{ input, store: storeNothing },
    work: async (hold) => {
      try {
        return {
          placed: await placeAll(context, {
            actor,
            hold,
            repeat,
            ...{ conflicts, instead },
            startsAt: input.starts_at,
            store,
          }),
        }
      } catch (error) {
        if (!(error instanceof SeriesConflicts)) throw error
        const { timezone } = hold.location
        const all = error.conflicts.map((conflict) => presentConflict(conflict, timezone))
        const shown = await withSuggestions(hold, all)
        return { refusal: refusalOfSeries(error.conflicts, shown) }
      }
    },
  })
  if ('refusal' in outcome) throw outcome.refusal
  for (const { replaced } of outcome.placed.holds) {
    context.metrics.hold('placed')
    context.metrics.hold('replaced', replaced.length)
  }
  return outcome.placed
}

interface Placing {
  actor: Actor
  hold: HoldToPlace
  repeat: Repeat
  conflicts: 'refuse' | 'skip'
  instead: ReadonlyMap<Instant, Instant>
  startsAt: Instant
  store: StoreResponse<PlacedSeries>
}

function placeAll(
  context: Context,
  { actor, hold, repeat, conflicts, instead, startsAt, store }: Placing,
): Promise<PlacedSeries> {
  const { timezone } = hold.location
  const times = withOtherTimes(occurrencesOf(repeat, startsAt, timezone), instead)
  assertMayRepeat(hold.services, { count: times.length, isOfSession: isSession(actor) })
  const id = context.ids.next()
  return context.db.transaction(async (tx) => {
    await store.look(tx)
    const series: SeriesOfHold = { id, holdIds: new Set() }
    const holds: PlacedHold[] = []
    const skipped: Conflict[] = []
    for (const { startsAt: time, reason } of times) {
      if (reason !== undefined) {
        skipped.push(calendarConflict({ startsAt: time, reason }))
        continue
      }
      try {
        const placed = await hold.placeAt(tx, time, series)
        series.holdIds.add(placed.hold.id)
        holds.push(placed)
      } catch (error) {
        // a refused hold has written nothing
        if (!isSlotUnavailable(error)) throw error
        skipped.push(conflictOf(time, error))
      }
    }
    const [first, ...others] = holds
    if (!first || (conflicts === 'refuse' && skipped.length > 0)) throw new SeriesConflicts(skipped)
    const placed: PlacedSeries = { id, holds: [first, ...others], skipped, timezone }
    await store(tx, placed)
    return placed
  })
}

/** Most times that one date of a series goes through, if each chosen one was taken. */
const maxChoices = 10

/** Puts the chosen times in place of single dates, in the order of time. */
function withOtherTimes(
  times: readonly Occurrence[],
  instead: PlaceSeriesInput['instead'] & object,
): Occurrence[] {
  const chosenFor = (time: Instant, left = maxChoices): Instant => {
    const next = instead.get(time)
    return next === undefined || left === 0 ? time : chosenFor(next, left - 1)
  }
  return times
    .map((time) => {
      const startsAt = chosenFor(time.startsAt)
      return startsAt === time.startsAt ? time : { startsAt, reason: undefined }
    })
    .toSorted((one, other) => (one.startsAt < other.startsAt ? -1 : 1))
}

/** Adds up to three free times near each conflict. */
async function withSuggestions(
  hold: Pick<HoldToPlace, 'suggest'>,
  conflicts: readonly ShownConflict[],
): Promise<ShownConflict[]> {
  const shown: ShownConflict[] = []
  for (const conflict of conflicts) {
    const { starts_at, reason } = conflict
    // a time that does not exist may itself be a good one, by another name
    const isOfCalendar = reason === 'no_such_day' || reason === 'time_skipped'
    const nearMs = toMs(readInstant(starts_at)) + (isOfCalendar ? 1 : 0)
    const refusal = await hold.suggest(takenBy('slot_held'), nearMs)
    const alternatives = refusal instanceof Problem ? refusal.parts.extensions?.['alternatives'] : undefined
    shown.push({ ...conflict, alternatives: Array.isArray(alternatives) ? alternatives : [] })
  }
  return shown
}

interface ShownConflict {
  starts_at: string
  reason: string
  /** The number of the item that is in the way. */
  item?: number
  alternatives: unknown[]
}

function presentConflict({ startsAt, reason, refusal }: Conflict, timezone: string): ShownConflict {
  const { item } = refusal.parts.extensions ?? {}
  return {
    starts_at: formatInstant(startsAt, timezone),
    reason,
    ...(typeof item === 'number' && { item }),
    alternatives: [],
  }
}

/** Returns a series for display: its first hold, and all others. The alternatives of skipped times are added later. */
export function presentSeries(
  { id, holds, skipped, timezone }: PlacedSeries,
  { actor, showsItems }: { actor: Actor; showsItems: boolean },
) {
  const [{ hold, items }] = holds
  return {
    ...presentHold(hold, { timezone, actor, items: showsItems ? (items ?? [oneItem(hold)]) : undefined }),
    series: {
      id,
      holds: holds.map((one) => ({
        hold_id: one.hold.id,
        starts_at: formatInstant(one.hold.starts_at, timezone),
        ends_at: formatInstant(one.hold.ends_at, timezone),
      })),
      skipped: skipped.map((conflict) => presentConflict(conflict, timezone)),
    },
  }
}

/**
 * Adds free times to the skipped times of a series in an answer. They are those of this moment, also in a repeated
 * answer. The holds exist already, so a failed search leaves the answer without other times.
 */
export async function withSeriesAlternatives(
  context: Context,
  actor: Actor,
  {
    input: { repeat: _, conflicts: __, instead: ___, ...input },
    shown,
  }: { input: PlaceSeriesInput; shown: object },
): Promise<object> {
  const { series } = shown as ReturnType<typeof presentSeries>
  if (series.skipped.length === 0) return shown
  try {
    const skipped = await withPlacing(context, actor, {
      ...{ input, store: storeNothing },
      work: (hold) => withSuggestions(hold, series.skipped),
    })
    return { ...shown, series: { ...series, skipped } }
  } catch (error) {
    context.log.warn({ err: error, series_id: series.id }, 'other times for a series could not be found')
    return shown
  }
}
