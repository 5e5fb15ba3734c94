import type { Actor } from '../access/actor.ts'
import { storeNothing, type StoreResponse } from '../database/idempotency.ts'
import { runTogether } from '../database/shared-transaction.ts'
import type { Context } from './context.ts'
import {
  type BookingForClient,
  type Conversion,
  convert,
  convertHold,
  type ConvertHoldInput,
  identityOf,
  OfSeries,
  partiesOf,
} from './conversion.ts'
import { releaseHold, unknownHold } from './hold.ts'
import { placeSeries, type PlaceSeriesInput } from './series.ts'
import { findSeriesHolds, type SeriesKey } from '../database/series.ts'

/**
 * Turns a hold into a booking, or all holds of its series, each into a booking by itself. The booking is that of the named
 * hold. Throws as convertHold does. Caps count each booking.
 */
export async function convertHoldOrSeries(
  context: Context,
  actor: Actor,
  input: ConvertHoldInput,
  store: StoreResponse<Conversion> = storeNothing,
): Promise<Conversion> {
  try {
    return await convertHold(context, actor, input, store)
  } catch (error) {
    if (!(error instanceof OfSeries) || error.hold.series_id === null) throw error
    const { business_id, series_id } = error.hold
    return convertSeries(context, actor, { input, series: { business_id, series_id }, store })
  }
}

interface SeriesToConvert {
  input: ConvertHoldInput
  series: SeriesKey
  store: StoreResponse<Conversion>
}

/** Converts all holds of a series in one transaction, or none. */
async function convertSeries(
  context: Context,
  actor: Actor,
  { input, series, store }: SeriesToConvert,
): Promise<Conversion> {
  const parties = await partiesOf(context, actor, input)
  const conversion = await context.db.transaction(async (tx) => {
    await store.look(tx)
    const holds = await findSeriesHolds(tx.reads, series)
    const ids = holds.map(({ id }) => id)
    const told = holds.find(({ ends_at }) => ends_at > tx.now) // no email is about the past
    const bookings = await runTogether(
      tx,
      ids.map((hold_id) => (member) => {
        const one = { ...input, hold_id, series: { size: ids.length, isTold: hold_id === told?.id } }
        return convert(context, member, {
          ...parties,
          actor,
          input: one,
          order: undefined,
          store: storeNothing,
        })
      }),
    )
    const booking = bookings.find(({ id }) => id === input.hold_id)
    if (!booking) throw unknownHold()
    const shown = { id: series.series_id, booking_ids: ids }
    const result: Conversion = { booking, redirectUrl: undefined, series: shown }
    await store(tx, result)
    return { result, bookings }
  })
  for (const { status } of conversion.bookings) {
    context.metrics.hold('converted')
    if (status !== 'pending') context.metrics.booking('created')
  }
  return conversion.result
}

/**
 * Books a series for a client: holds all its times, then converts them. A refusal of the conversion releases them; after a
 * crash in between, they expire. Throws what placeSeries and convertHold throw.
 */
export async function bookSeriesForClient(
  context: Context,
  actor: Actor,
  { time, booking, knownClientId }: Omit<BookingForClient, 'time'> & { time: PlaceSeriesInput },
  store: StoreResponse<Conversion> = storeNothing,
): Promise<Conversion> {
  const knownAs = await identityOf(context, actor, { booking, knownClientId })
  const { holds } = await placeSeries(context, actor, time)
  const hold_id = holds[0].hold.id
  try {
    return await convertHoldOrSeries(context, actor, { ...booking, knownAs, hold_id, from: time.from }, store)
  } catch (error) {
    await releaseHold(context, actor, hold_id)
    throw error
  }
}
