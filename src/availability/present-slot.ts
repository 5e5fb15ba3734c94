import { latestMs } from '../instants.ts'
import type { Slot } from './slot-rules.ts'
import type { ZoneOffsets } from './zone-rules.ts'

/** A slot as clients see it, its times in the zone of the location. */
export interface ShownSlot {
  starts_at: string
  ends_at: string
  staff_ids: string[]
  seats_left: number
  held_by_you?: true
}

/** Shows a slot in the zone that its place is in. */
export function presentSlot(slot: Slot, zone: ZoneOffsets): ShownSlot {
  return {
    starts_at: localText(slot.from, zone),
    ends_at: localText(slot.to, zone),
    staff_ids: slot.staffIds,
    seats_left: slot.seatsLeft,
    ...(slot.heldByYou && { held_by_you: true }),
  }
}

/** As `formatInstant` writes it, without asking the zone again for each. */
function localText(instantMs: number, zone: ZoneOffsets): string {
  const offsetMs = zone.offsetAt(instantMs)
  const offsetMinutes = instantMs + offsetMs > latestMs ? 0 : Math.round(offsetMs / 60_000)
  const wall = new Date(instantMs + offsetMinutes * 60_000).toISOString().slice(0, 19)
  const size = Math.abs(offsetMinutes)
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${wall}${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`
}
