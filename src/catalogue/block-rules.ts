import { type FieldError } from '../base/errors.ts'
import { readInstant } from '../base/instants.ts'

interface BlockParts {
  location_id?: string
  staff_id?: string
  resource_id?: string
  starts_at?: string
  ends_at?: string
}

const targets = ['location_id', 'staff_id', 'resource_id']

/** Checks that a block has one of location, staff member and resource, and ends after its start. */
export function blockErrors(block: BlockParts): FieldError[] {
  const { starts_at, ends_at } = block
  const fieldErrors: FieldError[] = []
  const [first, ...others] = targets.filter((member) => member in block)
  for (const member of others) {
    const detail = `is not allowed beside ${first}: a block has one of them`
    fieldErrors.push({ pointer: `/${member}`, code: 'not_allowed', detail })
  }
  if (first === undefined) {
    const detail = 'is required unless staff_id or resource_id is given'
    fieldErrors.push({ pointer: '/location_id', code: 'required', detail })
  }
  if (starts_at !== undefined && ends_at !== undefined && readInstant(ends_at) <= readInstant(starts_at)) {
    fieldErrors.push({ pointer: '/ends_at', code: 'wrong_length', detail: 'must be after starts_at' })
  }
  return fieldErrors
}
