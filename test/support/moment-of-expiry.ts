/* For tests in which the owner of a hold and a rival meet when it expires. */

/** The answers to the owner who converts and to the rival who holds. */
export const possibleAnswers = [
  '201, 409 slot_booked', // the owner wins
  '404 hold_expired, 201', // the rival wins
  '201, 409 slot_held', // the rival came while it was still held
  '404 hold_expired, 409 slot_held', // the rival came too early, the owner too late
]

/** Requests are sent at most this many milliseconds before or after the expiry. */
export const spreadMs = 20

/** Returns the offset of the n-th meeting: across the whole spread, in a different order for each step. */
export function offsetOf(meeting: number, step: number): number {
  return ((meeting * step) % (2 * spreadMs + 1)) - spreadMs
}

/** Real time is the subject: several processes meet at an instant. */
export function until(epochMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, epochMs - Date.now()))
}
