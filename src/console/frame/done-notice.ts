import { html, type Html } from '../../base/html.ts'

/** Confirms an action on the page that it leads to: the text that the action's name has there. Ignores unknown names. */
export function doneNotice(texts: Record<string, string>, done: string | undefined): Html {
  const text = done !== undefined && Object.hasOwn(texts, done) ? texts[done] : undefined
  return text === undefined ? html`` : html`<p class="notice" role="status">${text}</p>`
}
