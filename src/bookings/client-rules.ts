import type { FieldError } from '../base/errors.ts'

export interface NamedClient {
  email?: string
  booking_id?: string
  business_id?: string
}

/**
 * Checks that a client is named by an address or by a booking. A booking also names clients without an
 * address.
 */
export function namedClientErrors(client: Partial<NamedClient>): FieldError[] {
  const [hasEmail, hasBooking] = ['email' in client, 'booking_id' in client]
  if (hasEmail && hasBooking) {
    const detail = 'is not allowed beside email: one of them names the client'
    return [{ pointer: '/booking_id', code: 'not_allowed', detail }]
  }
  if (hasEmail || hasBooking) return []
  return [{ pointer: '/email', code: 'required', detail: 'is required unless booking_id is given' }]
}
