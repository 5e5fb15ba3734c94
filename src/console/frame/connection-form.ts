import { html, type Html } from '../../base/html.ts'
import { hidden } from '../../pages/form.ts'

type ConnectionTexts = Record<'change' | 'connect' | 'what' | 'send' | 'remove' | 'removeHint', string>

interface Connection {
  /** Address of both forms, at the business. */
  action: string
  isConnected: boolean
  fields: Html
}

/** Renders the form that connects an account of the business, and the one that removes it. */
export function connectionForms(texts: ConnectionTexts, { action, isConnected, fields }: Connection): Html {
  return html`<h2>${isConnected ? texts.change : texts.connect}</h2>
    <p class="soft">${texts.what}</p>
    <form method="post" action="${action}" class="fields wide-fields">
      ${fields}
      <div class="actions save">
        <button type="submit" class="main">${texts.send}</button>
      </div>
    </form>
    ${
      isConnected
        ? html`<form method="post" action="${action}">
            ${hidden({ do: 'remove' })}
            <button type="submit">${texts.remove}</button>
            <p class="soft">${texts.removeHint}</p>
          </form>`
        : ''
    }`
}
