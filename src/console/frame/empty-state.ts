import { html, type Html } from '../../base/html.ts'
import { icon, type IconName } from '../../pages/icons.ts'

/** Renders a list without entries: a sign, a sentence, and the next step, such as a link to a form. */
export function emptyState(sign: IconName, text: string, next: Html = html``): Html {
  return html`<div class="empty">
    ${icon(sign)}
    <p>${text}</p>
    ${next}
  </div>`
}
