import { hasEmail } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import type { TextKind } from '../../catalogue/mail-settings-rules.ts'
import type { TextSubject } from '../../mails/text-route.ts'
import { type FormState, tick } from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'

/* Notification of clients by email or text message, and explanations in forms if it is not possible. */

/** Explains why the client with an address gets no email; undefined if they can get one. */
export function whyUntold({ mails, texts }: ConsoleVisit, email?: string): string | undefined {
  if (email !== undefined && !hasEmail(email)) return texts.telling.noEmail
  return mails === 'off' ? texts.telling.off : undefined
}

/** Renders a hint if this server writes emails to files. Empty if it sends them. */
export function filedHint({ mails, texts }: ConsoleVisit): Html {
  return mails === 'files' ? html`<p class="soft">${texts.telling.filed}</p>` : html``
}

/** The parts of a booking that decide how its client is notified. */
type ToldBooking = TextSubject & { business_id: string; client_email: string }

/** Returns the address or number that gets a message about a booking, or the reason why the client gets none. */
export function toldAt(
  visit: ConsoleVisit,
  booking: ToldBooking,
  kinds: readonly TextKind[],
): { to: string } | { why: string } {
  const why = whyUntold(visit, booking.client_email)
  if (why === undefined) return { to: booking.client_email }
  const business = visit.businesses.find(({ id }) => id === booking.business_id) ?? visit.business
  const number = visit.textNumberOf(booking)
  return number !== undefined && goesByText(business, kinds) ? { to: number } : { why }
}

/** Returns true if a business also sends messages of one of these kinds as texts. */
function goesByText(business: ConsoleVisit['business'], kinds: readonly TextKind[]): boolean {
  const chosen = JSON.parse(business?.text_kinds_json ?? '[]') as TextKind[] // only `mailColumns` writes it
  return kinds.some((kind) => chosen.includes(kind))
}

/** Renders a checkbox for a message about a change, or only the reason if there can be none. */
export function tellTick(visit: ConsoleVisit, state: FormState, label: string, booking: ToldBooking): Html {
  const told = toldAt(visit, booking, ['changed'])
  if ('why' in told) return html`<p class="soft">${told.why}</p>`
  return html`${tick(state, 'tell', label)} ${filedHint(visit)}`
}

/** Renders the same for a confirmation, before the client is known. */
export function confirmTick(visit: ConsoleVisit, state: FormState, label: string): Html {
  const { mails, texts, hasTexts, business } = visit
  const mayText = hasTexts && goesByText(business, ['confirmed'])
  if (mails === 'off' && !mayText) return html`<p class="soft">${texts.telling.off}</p>`
  const withoutEmail = mayText ? texts.telling.needsEmailOrText : texts.telling.needsEmail
  const hint = mails === 'off' ? texts.telling.onlyText : state.typed['email'] ? undefined : withoutEmail
  return html`${tick(state, 'tell', label)} ${hint === undefined ? '' : html`<p class="soft">${hint}</p>`}
  ${filedHint(visit)}`
}
