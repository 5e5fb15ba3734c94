import type { HoldsTable } from '../database/tables.ts'
import { formatInstant } from '../instants.ts'

/** A hold as clients see it, its times in the zone of its location. */
export function presentHold(hold: HoldsTable, timezone: string) {
  return {
    hold_id: hold.id,
    service_id: hold.service_id,
    location_id: hold.location_id,
    starts_at: formatInstant(hold.starts_at, timezone),
    ends_at: formatInstant(hold.ends_at, timezone),
    expires_at: formatInstant(hold.expires_at, timezone),
  }
}
