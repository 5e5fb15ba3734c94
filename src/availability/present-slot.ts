import { latestMs, twoDigits, wallText } from '../instants.ts'
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
  return wallText(instantMs + offsetMinutes * 60_000) + offsetText(offsetMinutes)
}

/** There are no more of them than zones differ by minutes. */
const offsetTexts = new Map<number, string>()

function offsetText(offsetMinutes: number): string {
  const known = offsetTexts.get(offsetMinutes)
  if (known !== undefined) return known
  const size = Math.abs(offsetMinutes)
  const [hours, minutes] = [twoDigits[Math.floor(size / 60)] ?? '', twoDigits[size % 60] ?? '']
  const text = `${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`
  offsetTexts.set(offsetMinutes, text)
  return text
}
