import { latestMs, twoDigits, wallText } from '../base/instants.ts'
import type { Slot, SlotItem } from './slot-rules.ts'
import type { ZoneOffsets } from './zone-rules.ts'

/** A slot with times in its location's zone. */
export interface ShownSlot {
  starts_at: string
  ends_at: string
  staff_ids: string[]
  seats_left: number
  held_by_you?: true
  items?: { service_id: string; staff_ids: string[]; starts_at: string; ends_at: string }[]
}

export function presentSlot(slot: Slot, zone: ZoneOffsets): ShownSlot {
  return {
    starts_at: localText(slot.from, zone),
    ends_at: localText(slot.to, zone),
    staff_ids: slot.staffIds,
    seats_left: slot.seatsLeft,
    ...(slot.heldByYou && { held_by_you: true }),
    ...(slot.items && {
      items: slot.items.map(({ serviceId, staffIds, from, to }) => ({
        service_id: serviceId,
        staff_ids: staffIds,
        starts_at: localText(from, zone),
        ends_at: localText(to, zone),
      })),
    }),
  }
}

/**
 * Writes slots as JSON, the same text as that of `presentSlot`. Faster, because a month of slots has thousands, and most
 * repeat the staff or a time of the slot before.
 */
export class SlotTexts {
  private readonly zone: ZoneOffsets
  private staffIds: readonly string[] = []
  private staffText = '[]'
  private lastMs = NaN
  private lastText = ''

  constructor(zone: ZoneOffsets) {
    this.zone = zone
  }

  of({ from, to, staffIds, seatsLeft, heldByYou, items }: Slot): string {
    const held = heldByYou ? ',"held_by_you":true' : ''
    const ofItems = items ? `,"items":[${items.map((item) => this.ofItem(item)).join()}]` : ''
    return `{${this.timesText(from, to)},"staff_ids":${this.staffTextOf(staffIds)},"seats_left":${seatsLeft}${held}${ofItems}}`
  }

  private ofItem({ serviceId, staffIds, from, to }: SlotItem): string {
    return `{"service_id":"${serviceId}","staff_ids":${this.staffTextOf(staffIds)},${this.timesText(from, to)}}`
  }

  private timesText(from: number, to: number): string {
    return `"starts_at":"${this.timeText(from)}","ends_at":"${this.timeText(to)}"`
  }

  private timeText(instantMs: number): string {
    if (instantMs !== this.lastMs) {
      this.lastText = localText(instantMs, this.zone)
      this.lastMs = instantMs
    }
    return this.lastText
  }

  private staffTextOf(staffIds: readonly string[]): string {
    const last = this.staffIds
    if (staffIds.length !== last.length || staffIds.some((id, at) => id !== last[at])) {
      this.staffIds = staffIds
      this.staffText = JSON.stringify(staffIds)
    }
    return this.staffText
  }
}

/** Formats like `formatInstant`, without its costly zone lookup for each instant. */
function localText(instantMs: number, zone: ZoneOffsets): string {
  const offsetMs = zone.offsetAt(instantMs)
  const offsetMinutes = instantMs + offsetMs > latestMs ? 0 : Math.round(offsetMs / 60_000)
  return wallText(instantMs + offsetMinutes * 60_000) + offsetText(offsetMinutes)
}

/** Bounded by the number of distinct offsets. */
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
