/*
 * Remembers on this device that its visitor agreed to text messages, so that they find the box ticked next time. The
 * server is not asked, because it must not reveal who is a client.
 */

/** Digits of the number that are stored. They tell the numbers of a family apart and are of no use to others. */
const storedDigits = 4

const keyOf = (publishableKey: string) => `holdfast:texts:${publishableKey}`

function endOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').slice(-storedDigits)
}

/** True if the visitor of this device agreed to text messages to this number. */
export function remembersTexts(publishableKey: string, phone: string): boolean {
  const end = endOf(phone)
  try {
    return end.length === storedDigits && localStorage.getItem(keyOf(publishableKey)) === end
  } catch {
    return false // storage is disabled
  }
}

/** Stores the choice of a booking with a number. */
export function rememberTexts(publishableKey: string, phone: string, hasAgreed: boolean): void {
  try {
    if (hasAgreed) localStorage.setItem(keyOf(publishableKey), endOf(phone))
    else if (remembersTexts(publishableKey, phone)) localStorage.removeItem(keyOf(publishableKey))
  } catch {
    // storage is disabled
  }
}
