import { webOrigin } from '../contact-formats.ts'
import type { Fault } from '../errors.ts'

/** So many bookings ahead may sessions make for one client, where a business says nothing else. */
export const usualBookingsPerClient = 5
/** So many can be set at most. */
export const mostBookingsPerClient = 100
/** So many address ranges may a business trust. */
export const mostNetworks = 10

/** Address ranges as they are kept. */
export function networksJson(networks: readonly string[] | null | undefined): string | null {
  return networks && networks.length > 0 ? JSON.stringify(networks) : null
}

/** Address ranges that are kept. */
export function networksIn(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]) // written by networksJson only
}

/** What is wrong with a brand colour. */
export function colorFaults(text: string): Fault[] {
  if (/^#[0-9a-f]{6}$/i.test(text)) return []
  return [{ pointer: '', code: 'invalid_format', detail: 'must have the form #1a2b3c' }]
}

/** What is wrong with the address of a brand logo. */
export function logoUrlFaults(text: string): Fault[] {
  if (webOrigin(text) !== undefined) return []
  return [
    {
      pointer: '',
      code: 'invalid_format',
      detail: 'must begin with https:// or http:// and the name or address of a host',
    },
  ]
}

/** Whether a text is an origin as browsers send it (RFC 6454, section 6.1): scheme, host and port, nothing else. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text
}

/** What is wrong with an origin that a publishable key allows. */
export function originFaults(text: string): Fault[] {
  if (isOrigin(text)) return []
  return [
    {
      pointer: '',
      code: 'invalid_format',
      detail: 'must have the form https://www.example.com, without a path',
    },
  ]
}
