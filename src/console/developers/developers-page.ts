import { html, type Html } from '../../base/html.ts'
import { pathOf } from '../frame/console-page.ts'
import type { BusinessVisit, ShownPage } from '../frame/console-route.ts'

/* Shared parts of the developer pages. */

export const developersPath = '/console/developers'

/** Renders an action that cannot be undone: it opens a confirmation with the button. */
export function asksOnce(
  title: string,
  { action, why, button, fields = html`` }: { action: string; why: string; button: string; fields?: Html },
): Html {
  return html`<details class="asks">
    <summary>${title}</summary>
    <form method="post" action="${action}">
      ${fields}
      <p>${why}</p>
      <button type="submit">${button}</button>
    </form>
  </details>`
}

export function backLink(visit: BusinessVisit): Html {
  return html`<p>
    <a class="back" href="${pathOf(developersPath, visit)}">${visit.texts.setUp.back}</a>
  </p>`
}

/** Renders a secret, which nobody can look up again. */
export function secretPage(visit: BusinessVisit, title: string, secret: string): ShownPage {
  const t = visit.texts.developers
  return {
    title,
    section: 'developers',
    body: html`<h1>${title}</h1>
      <p class="alert" role="status">${t.once}</p>
      <p class="code secret"><code>${secret}</code></p>
      <p><a class="button" href="${pathOf(developersPath, visit)}">${t.saved}</a></p>`,
  }
}
