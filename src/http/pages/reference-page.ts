import { html, type Html } from './page.ts'

/** What the page of the API reference loads. */
export const referenceHead = html`<link rel="stylesheet" href="/docs/swagger-ui.css" />
  <script src="/docs/swagger-ui-bundle.js" defer></script>
  <script src="/docs/docs.js" defer></script>`

/** The page of the API reference: Swagger UI over /openapi.json, which brings a `main` of its own. */
export const referencePage: Html = html`<div id="main" tabindex="-1">
    <p>The reference of the API is made by a script from <a href="/openapi.json">openapi.json</a>.</p>
  </div>
  <noscript><p>Switch JavaScript on to see it here.</p></noscript>`
