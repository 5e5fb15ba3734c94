import { type FieldError } from '../base/errors.ts'
import { readInstant } from '../base/instants.ts'

interface BlockParts {
  location_id?: string
  staff_id?: string
  starts_at?: string
  ends_at?: string
}

/** Checks that a block has either a location or a staff member, and ends after its start. */
export function blockErrors(block: BlockParts): FieldError[] {
  const { starts_at, ends_at } = block
  const fieldErrors: FieldError[] = []
  const [hasLocation, hasStaff] = ['location_id' in block, 'staff_id' in block]
  if (hasLocation && hasStaff) {
    const detail = 'is not allowed beside location_id: a block has one of them'
    fieldErrors.push({ pointer: '/staff_id', code: 'not_allowed', detail })
  }
  if (!hasLocation && !hasStaff) {
    const detail = 'is required unless staff_id is given'
    fieldErrors.push({ pointer: '/location_id', code: 'required', detail })
  }
  if (starts_at !== undefined && ends_at !== undefined && readInstant(ends_at) <= readInstant(starts_at)) {
    fieldErrors.push({ pointer: '/ends_at', code: 'wrong_length', detail: 'must be after starts_at' })
  }
  return fieldErrors
}
