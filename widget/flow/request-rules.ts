import type { Booking, Service } from '../api/api-types.ts'

/** An hour before the start at the latest, as on the server. */
const answeredBeforeMs = 3_600_000

/** Returns true if the business confirms bookings of this service. */
export function isAsking({ confirmation }: Pick<Service, 'confirmation'>): boolean {
  return confirmation === 'request'
}

/**
 * Returns the time in milliseconds by which the business answers a request for services that is sent now. Undefined if
 * none of them asks for confirmation.
 */
export function answerByMs(
  services: Pick<Service, 'confirmation' | 'respond_within_minutes'>[],
  { startsAtMs, nowMs }: { startsAtMs: number; nowMs: number },
): number | undefined {
  const minutes = services.filter(isAsking).map((one) => one.respond_within_minutes ?? Infinity)
  if (minutes.length === 0) return undefined
  return Math.min(nowMs + Math.min(...minutes) * 60_000, startsAtMs - answeredBeforeMs)
}

/** Returns the time by which the business answers an open request, in milliseconds; undefined for other bookings. */
export function respondByMs({
  status,
  respond_by,
}: Pick<Booking, 'status' | 'respond_by'>): number | undefined {
  return status === 'pending' && respond_by !== undefined ? Date.parse(respond_by) : undefined
}
