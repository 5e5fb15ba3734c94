import { isWebAddress, webOrigin } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'

/** Default limit for one client's future bookings by sessions. */
export const usualBookingsPerClient = 5
export const maxRetentionDays = 3_650
export const maxBookingsPerClient = 100
export const maxNetworks = 10
/** Limit on the pause between two items of a visit, in minutes. */
export const maxGap = 120
/** Minutes for which a time is kept for a client on the waiting list. */
export const leastOfferMinutes = 15
export const maxOfferMinutes = 1_440
export const usualOfferMinutes = 60

/** Columns of a new business, which follows the limits of its plan. */
export const firstColumns = {
  ...{ limit_per_minute: null, limit_per_hour: null },
  ...{ max_services: null, max_locations: null, max_staff: null, max_resources: null },
  ...{ catalogue_version: 1, page_key_generation: 0 },
  ...{ is_test: 0 as 0 | 1, test_now: null },
}

/** Characters. */
export const maxTermsLength = 4_000

export function networksJson(networks: readonly string[] | null | undefined): string | null {
  return networks && networks.length > 0 ? JSON.stringify(networks) : null
}

export function networksIn(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]) // only networksJson writes it
}

export function colorErrors(text: string): FieldError[] {
  if (/^#[0-9a-f]{6}$/i.test(text)) return []
  return [{ pointer: '', code: 'invalid_format', detail: 'must have the form #1a2b3c' }]
}

export function logoUrlErrors(text: string): FieldError[] {
  if (webOrigin(text) !== undefined) return []
  const detail = 'must begin with https:// or http:// and the name or address of a host'
  return [{ pointer: '', code: 'invalid_format', detail }]
}

export function onlineUrlErrors(text: string): FieldError[] {
  if (/^https:/i.test(text) && isWebAddress(text) && webOrigin(text) !== undefined) return []
  return [{ pointer: '', code: 'invalid_format', detail: 'must begin with https:// and the name of a host' }]
}

/** Returns true for an origin as browsers send it (RFC 6454, section 6.1): scheme, host and port only. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text
}

export function originErrors(text: string): FieldError[] {
  if (isOrigin(text)) return []
  const detail = 'must have the form https://www.example.com, without a path'
  return [{ pointer: '', code: 'invalid_format', detail }]
}
