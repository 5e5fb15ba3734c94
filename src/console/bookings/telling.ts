import { hasEmail } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { type FormState, tick } from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'

/* Whether clients can be told by mail, and what forms say where they cannot. */

/** Why the client with an address gets no mail; undefined where they can get one. */
export function whyUntold({ mails, texts }: ConsoleVisit, email?: string): string | undefined {
  if (email !== undefined && !hasEmail(email)) return texts.telling.noEmail
  return mails === 'off' ? texts.telling.off : undefined
}

/** That mails of this server are files; empty where they are sent. */
export function filedHint({ mails, texts }: ConsoleVisit): Html {
  return mails === 'files' ? html`<p class="soft">${texts.telling.filed}</p>` : html``
}

/** A box to tick for a mail to the client; only the reason where there can be none. */
export function tellTick(visit: ConsoleVisit, state: FormState, label: string, email?: string): Html {
  const why = whyUntold(visit, email)
  if (why !== undefined) return html`<p class="soft">${why}</p>`
  const hint = email === undefined ? html`<p class="soft">${visit.texts.telling.needsEmail}</p>` : ''
  return html`${tick(state, 'tell', label)} ${hint} ${filedHint(visit)}`
}
