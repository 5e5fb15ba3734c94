import type { LinkPlace } from './flow/booking-flow.ts'

/** Reads the fragment of Holdfast's own page, or the stored address; null if there is none. */
export function keptLink({ key, isOwn }: LinkPlace): string | null {
  if (isOwn) return location.hash.startsWith('#cal_man_') ? location.hash : null
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null // storage is disabled
  }
}
