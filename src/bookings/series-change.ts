import { type Actor, assertRole, type ManageActor } from '../access/actor.ts'
import type { VisitOffer } from '../availability/visit-rules.ts'
import { isSlotUnavailable } from '../availability/offer-rules.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { formatInstant, type Instant, plusSeconds, toMs } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import { runTogether } from '../database/shared-transaction.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { BookingEventType } from '../webhooks/event-payload.ts'
import { lockBooking } from './booking-queries.ts'
import { assertVersion, type WantedChange } from './booking-rules.ts'
import type { SeriesReach } from './booking-schemas.ts'
import {
  alreadyAnswered,
  answerOf,
  answerRequest,
  type BookingChange,
  type BookingTarget,
  cancelBooking,
  type Cancellation,
  type Change,
  changeBooking,
  changeByClient,
  changeIn,
  noSuchBooking,
  countOutcomes,
  readChange,
  type RequestAnswer,
  showBooking,
  withOtherTimes,
} from './booking.ts'
import type { Context } from './context.ts'
import { isChangeable } from './presented-booking.ts'
import { findSeriesDates, type SeriesDate, type SeriesKey } from '../database/series.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { calendarConflict, type Conflict, conflictOf, movedAlong, refusalOfSeries } from './series-rules.ts'

/*
 * Changes of several bookings of a series. All change in one transaction, or none. Those that have begun or are cancelled stay.
 */

/** A booking after a change, and all bookings that changed with it. */
export interface ChangedInSeries {
  booking: BookingRow
  /** Absent for a change of this booking alone. */
  series?: { id: string; booking_ids: string[] }
}

type Reach = 'following' | 'all'

/** Lists the dates of a booking's series, the earliest first. Empty for one that stands alone. */
export async function listSeries(
  { db }: Pick<Context, 'db'>,
  { business_id, series_id }: Pick<BookingRow, 'business_id' | 'series_id'>,
): Promise<SeriesDate[]> {
  return series_id === null ? [] : findSeriesDates(db.reads, { business_id, series_id })
}

/**
 * Changes a booking, and the others of its series within `reach`. A new time moves all by as much, by the wall clock.
 * Throws as changeBooking does. The refusal of a time has all `conflicts`.
 */
export async function changeInSeries(
  context: Context,
  actor: Actor,
  {
    reach = 'this',
    target,
    change,
  }: { reach: SeriesReach | undefined; target: BookingTarget; change: BookingChange },
): Promise<ChangedInSeries> {
  if (reach === 'this') return { booking: await changeBooking(context, actor, { target, change }) }
  if (change.items) {
    const detail = 'change in one booking at a time; leave out series'
    throw validationProblem([{ pointer: '/items', code: 'not_allowed', detail }])
  }
  return applyToSeries(context, actor, { reach, target, change: await readChange(context, actor, change) })
}

/** Cancels a booking, and the others of its series within `reach`. Throws as cancelBooking does. */
export async function cancelInSeries(
  context: Context,
  actor: Actor,
  {
    reach = 'this',
    refund = false,
    notify,
    delaySeconds,
    reason,
    ...target
  }: { reach: SeriesReach | undefined } & BookingTarget & Cancellation,
): Promise<ChangedInSeries> {
  if (reach === 'this') {
    const cancellation = {
      ...{ ...target, refund },
      ...(notify !== undefined && { notify }),
      ...(delaySeconds !== undefined && { delaySeconds }),
      ...(reason && { reason }),
    }
    return { booking: await cancelBooking(context, actor, cancellation) }
  }
  if (refund) assertRole(actor, 'owner')
  const wanted: WantedChange = { status: 'cancelled', ...(reason && { cancelReason: reason }) }
  return applyToSeries(context, actor, { reach, target, change: { wanted, refund, notify, delaySeconds } })
}

/** Cancels as cancelInSeries does, by the rules for clients. One that may no longer be cancelled refuses all. */
export async function cancelByClientInSeries(
  context: Context,
  actor: ManageActor,
  {
    reach = 'this',
    reason,
    versions,
  }: { reach: SeriesReach | undefined; reason?: string } & Pick<BookingTarget, 'versions'>,
): Promise<ChangedInSeries> {
  if (reach === 'this')
    return {
      booking: await changeByClient(context, actor, { versions, ...(reason !== undefined && { reason }) }),
    }
  const wanted: WantedChange = {
    byClient: true,
    status: 'cancelled',
    ...(reason && { cancelReason: reason }),
  }
  return applyToSeries(context, actor, {
    reach,
    target: { id: actor.bookingId, versions },
    change: { wanted },
  })
}

/**
 * Confirms or declines all open requests of a series that the caller may answer, or a request that stands alone. One
 * transaction decides, and one email reports all. Throws as answerRequest does.
 */
export async function answerRequests(
  context: Context,
  actor: Actor,
  answer: RequestAnswer,
): Promise<ChangedInSeries> {
  const { id, confirms, reason, notify } = answer
  const { series_id } = await showBooking(context, actor, id)
  if (series_id === null) return { booking: await answerRequest(context, actor, answer) }
  return applyToSeries(context, actor, {
    ...{ reach: 'all', target: { id } },
    change: { wanted: answerOf(confirms, reason), answers: true, notify },
  })
}

interface SeriesChange {
  reach: Reach
  target: BookingTarget
  change: Omit<Change, 'target'>
}

/** One booking of the series, and what is to change of it. */
interface OneChange extends Omit<Change, 'target'> {
  by: Actor
  booking: BookingRow
  tried: { offer?: VisitOffer }
  conflict?: Conflict
}

/** Rolls back, because some of a series cannot have their new time. */
class MovesRefused extends Error {
  override readonly name = 'MovesRefused'
  readonly refused: readonly (OneChange & { conflict: Conflict })[]

  constructor(refused: MovesRefused['refused']) {
    super('times of a series are not free')
    this.refused = refused
  }
}

async function applyToSeries(context: Context, actor: Actor, asked: SeriesChange): Promise<ChangedInSeries> {
  const named = await showBooking(context, actor, asked.target.id)
  const { series_id: id } = named
  if (id === null) {
    const detail = 'is for bookings of a series; this one stands alone'
    throw validationProblem([{ pointer: '/series', code: 'not_allowed', detail }])
  }
  try {
    const { changed, events, booking } = await context.db.transaction((tx) =>
      changeAll(context, tx, { ...asked, actor, named: { ...named, series_id: id } }),
    )
    countOutcomes(context, events)
    return { booking, series: { id, booking_ids: changed.map((one) => one.id) } }
  } catch (error) {
    if (!(error instanceof MovesRefused)) throw error
    const shown: object[] = []
    for (const { conflict, ...one } of error.refused) {
      const refusal = (await withOtherTimes(context, conflict.refusal, one)) as Problem
      shown.push({
        booking_id: one.booking.id,
        starts_at: formatInstant(conflict.startsAt, one.booking.timezone),
        reason: conflict.reason,
        alternatives: refusal.parts.extensions?.['alternatives'] ?? [],
      })
    }
    throw refusalOfSeries(
      error.refused.map(({ conflict }) => conflict),
      shown,
    )
  }
}

interface Changed {
  /** The bookings that changed, the earliest first. */
  changed: BookingRow[]
  events: BookingEventType[]
  /** The named one, changed or not. */
  booking: BookingRow
}

async function changeAll(
  context: Context,
  tx: Transaction,
  {
    actor,
    named,
    reach,
    target,
    change,
  }: SeriesChange & { actor: Actor; named: BookingRow & { series_id: string } },
): Promise<Changed> {
  // 1. lock all in one order: two changes of a series then do not wait for each other
  const all = await lockSeries(tx, actor.scope, named)
  const present = all.find(({ id }) => id === named.id)
  if (!present || !isChangeable(present, actor)) throw noSuchBooking()
  assertVersion(present, target.versions)
  const affected = all.filter(
    (one) =>
      one.starts_at > tx.now &&
      (!change.answers || (one.respond_by !== null && isChangeable(one, actor))) &&
      ['pending', 'confirmed'].includes(one.status) &&
      (reach === 'all' || one.starts_at >= present.starts_at) &&
      // the link of a client is for their own bookings
      (change.wanted.byClient !== true || one.client_id === present.client_id),
  )
  if (change.answers && affected.length === 0) throw alreadyAnswered()
  if (affected.some((one) => !isChangeable(one, actor))) assertRole(actor, 'manager')
  // 2. change them. One email reports all
  const { status } = change.wanted
  const inOrder = affected.toSorted((one, other) => (one.starts_at < other.starts_at ? -1 : 1))
  const told = inOrder.find((one) => status === undefined || one.status !== status) ?? inOrder[0]
  const changes = inOrder.map((booking) => {
    return { ...changeOf(change, { booking, present }), by: actor, isTold: booking === told }
  })
  const results = await (change.wanted.status === 'cancelled'
    ? runTogether(
        tx,
        changes.map((one) => (member) => changeOne(context, member, one)),
      )
    : changeInTurn(context, tx, changes))
  const changed = results.map((result) => result.changed)
  return {
    changed,
    events: results.flatMap((result) => result.events),
    booking: changed.find(({ id }) => id === named.id) ?? present,
  }
}

/** Locks the bookings of a series in one order, and returns those in the scope. The earliest is first. */
export async function lockSeries(
  tx: Transaction,
  scope: TenantScope,
  series: SeriesKey,
): Promise<BookingRow[]> {
  const dates = await findSeriesDates(tx.reads, series)
  const locked = await runTogether(
    tx,
    dates.map(
      ({ id }) =>
        (member) =>
          lockBooking(member, { scope, id }),
    ),
  )
  return locked.filter((booking) => booking !== undefined)
}

/** Returns the change of one booking: a new time is as far from its own as that of the named one. */
function changeOf(
  { wanted: { startsAt, endsAt, ...wanted }, ...change }: SeriesChange['change'],
  { booking, present }: { booking: BookingRow; present: BookingRow },
): Omit<OneChange, 'by'> {
  const moved =
    startsAt === undefined || booking.id === present.id
      ? { startsAt: startsAt ?? booking.starts_at, reason: undefined }
      : movedAlong(booking.starts_at, { from: present.starts_at, to: startsAt }, booking.timezone)
  const lengthSeconds =
    endsAt === undefined ? undefined : (toMs(endsAt) - toMs(startsAt ?? present.starts_at)) / 1000
  const { reason } = moved
  return {
    ...change,
    ...{ booking, tried: {} },
    wanted: {
      ...wanted,
      ...(startsAt !== undefined && { startsAt: moved.startsAt }),
      ...(lengthSeconds !== undefined && { endsAt: plusSeconds(moved.startsAt, lengthSeconds) }),
    },
    ...(reason !== undefined && { conflict: calendarConflict({ startsAt: moved.startsAt, reason }) }),
  }
}

/** Changes bookings one after the other. Throws MovesRefused with all that cannot have their time. */
async function changeInTurn(
  context: Context,
  tx: Transaction,
  changes: readonly OneChange[],
): Promise<Awaited<ReturnType<typeof changeIn>>[]> {
  const results = new Map<string, Awaited<ReturnType<typeof changeIn>>>()
  const refused: (OneChange & { conflict: Conflict })[] = []
  for (const one of isMetByItself(changes) ? changes.toReversed() : changes) {
    const { conflict, booking, wanted } = one
    if (conflict) {
      refused.push({ ...one, conflict })
      continue
    }
    try {
      results.set(booking.id, await changeOne(context, tx, one))
    } catch (error) {
      if (!isSlotUnavailable(error)) throw error
      refused.push({ ...one, conflict: conflictOf(wanted.startsAt ?? booking.starts_at, error) })
    }
  }
  if (refused.length > 0)
    throw new MovesRefused(refused.toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1)))
  return changes.flatMap(({ booking }) => results.get(booking.id) ?? [])
}

function startOf({ conflict }: { conflict: Conflict }): Instant {
  return conflict.startsAt
}

/** True if some need the time that later ones leave, as in a daily series that moves by a day. */
function isMetByItself(changes: readonly OneChange[]): boolean {
  return changes.some(({ wanted, booking }, index) => {
    const next = changes[index + 1]
    if (!next || wanted.startsAt === undefined || wanted.startsAt <= booking.starts_at) return false
    const lengthMs = toMs(booking.ends_at) - toMs(booking.starts_at)
    return toMs(wanted.startsAt) + 2 * lengthMs >= toMs(next.booking.starts_at)
  })
}

async function changeOne(context: Context, tx: Transaction, { conflict: _, ...one }: OneChange) {
  try {
    return await changeIn(context, tx, { ...one, target: { id: one.booking.id } })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'change_not_allowed') throw error
    const { starts_at, timezone } = one.booking
    throw new Problem(error.code, `${error.message} (${formatInstant(starts_at, timezone)})`, error.parts)
  }
}
