import { hasEmail } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { type FormState, tick } from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'

/* Notification of clients by email, and explanations in forms if it is not possible. */

/** Explains why the client with an address gets no email; undefined if they can get one. */
export function whyUntold({ mails, texts }: ConsoleVisit, email?: string): string | undefined {
  if (email !== undefined && !hasEmail(email)) return texts.telling.noEmail
  return mails === 'off' ? texts.telling.off : undefined
}

/** Renders a hint if this server writes emails to files. Empty if it sends them. */
export function filedHint({ mails, texts }: ConsoleVisit): Html {
  return mails === 'files' ? html`<p class="soft">${texts.telling.filed}</p>` : html``
}

/** Renders a checkbox for an email to the client, or only the reason if there can be none. */
export function tellTick(visit: ConsoleVisit, state: FormState, label: string, email?: string): Html {
  const why = whyUntold(visit, email)
  if (why !== undefined) return html`<p class="soft">${why}</p>`
  const hint = email === undefined ? html`<p class="soft">${visit.texts.telling.needsEmail}</p>` : ''
  return html`${tick(state, 'tell', label)} ${hint} ${filedHint(visit)}`
}
