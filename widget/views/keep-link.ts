import type { LinkPlace } from '../flow/booking-flow.ts'

/** Keeps the address of the page for a booking; null forgets it. */
export function keepLink({ key, isOwn }: LinkPlace, url: string | null): void {
  if (isOwn) {
    const hash = url === null ? '' : url.slice(url.indexOf('#'))
    history.replaceState(history.state, '', location.pathname + location.search + hash)
    return
  }
  try {
    if (url === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, url)
  } catch {
    // storage is disabled; the mail has it too
  }
}
