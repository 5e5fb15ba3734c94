import type { LinkPlace } from '../flow/booking-flow.ts'

/** Stores the address of a booking's page; null removes it. */
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
    // storage is disabled; the email also contains the link
  }
}
