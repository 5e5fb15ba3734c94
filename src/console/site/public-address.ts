import type { ConsoleVisit } from '../frame/console-page.ts'

/**
 * Explains to an owner that clients cannot open a link, because the operator has set no public URL. Suggests the address
 * that the owner's browser uses. Undefined if the link works elsewhere.
 */
export function privateLinkNote({ texts, calledAt }: ConsoleVisit, server: string): string | undefined {
  if (!isOfThisMachine(server)) return undefined
  return isOfThisMachine(calledAt) ? texts.website.onlyHere : texts.website.setAddress({ address: calledAt })
}

/** Returns true if no phone can open the URL. */
function isOfThisMachine(url: string): boolean {
  return /^(127\.|localhost$|\[::1\]$)/.test(URL.parse(url)?.hostname ?? 'localhost')
}
