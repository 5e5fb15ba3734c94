import type { Fault } from '../errors.ts'
import { readInstant } from '../instants.ts'

/** What of a block's creation fits its schema. */
interface BlockParts {
  location_id?: string
  staff_id?: string
  starts_at?: string
  ends_at?: string
}

/** A block is of one location or one staff member, and ends after it starts. */
export function blockFaults(block: BlockParts): Fault[] {
  const { starts_at, ends_at } = block
  const faults: Fault[] = []
  const [hasLocation, hasStaff] = ['location_id' in block, 'staff_id' in block]
  if (hasLocation && hasStaff) {
    const detail = 'is one too many: a block is of a location or of a staff member'
    faults.push({ pointer: '/staff_id', code: 'not_allowed', detail })
  }
  if (!hasLocation && !hasStaff) {
    const detail = 'is required, or staff_id: a block is of a location or of a staff member'
    faults.push({ pointer: '/location_id', code: 'required', detail })
  }
  if (starts_at !== undefined && ends_at !== undefined && readInstant(ends_at) <= readInstant(starts_at)) {
    faults.push({ pointer: '/ends_at', code: 'wrong_length', detail: 'must be after starts_at' })
  }
  return faults
}
