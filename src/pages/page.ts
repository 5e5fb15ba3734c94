import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { directionOf } from '../base/languages.ts'
import type { WebOrigin } from '../base/contact-formats.ts'
import { html, type Html } from '../base/html.ts'
import { type ProblemCode, problemKinds } from '../base/errors.ts'
import { fieldErrorTexts, problemTexts } from '../base/problem-texts.ts'
import { exampleProblem } from '../http/openapi-problems.ts'

/** Renders a text of src/base/problem-texts.ts. Supports only code spans of Markdown. */
function prose(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/**
 * Allows only this server's files, without inline scripts or styles. Images may also come from `imageOrigin`,
 * or from any https origin. `shows` allows frames with pages of this server. `isShown` allows this server to
 * frame the page, `in` these websites. A text in `forms` is a source to which forms may lead, too. `inlineStyle` is the hash of the only inline style.
 */
export function contentSecurityPolicy(
  forms: boolean | string,
  imageOrigin?: WebOrigin | 'https:',
  frames: { shows?: boolean; isShown?: boolean; in?: readonly string[] } = {},
  inlineStyle?: string,
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...(inlineStyle === undefined ? [] : [inlineStyle])].join(' '),
    ["img-src 'self'", ...(imageOrigin === undefined ? [] : [imageOrigin]), 'data:'].join(' '),
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    `form-action ${forms === false ? "'none'" : ["'self'", ...(forms === true ? [] : [forms])].join(' ')}`,
    ...(frames.shows ? ["frame-src 'self'"] : []),
    `frame-ancestors ${[...(frames.isShown ? ["'self'"] : []), ...(frames.in ?? [])].join(' ') || "'none'"}`,
  ].join('; ')
}

export interface Page {
  title: string
  main: Html
  /** HTML for the document's head. */
  more?: Html
  /** Address of its only style sheet. */
  styles?: string
  /** True if the page contains forms. A text is a source to which they may lead, next to this server. */
  forms?: boolean | string
  /** Language of the document, such as `de-AT`; English if absent. */
  locale?: string
  /** Origin of additional images. */
  imageOrigin?: WebOrigin | undefined
  /** The text of the link that skips to the content. */
  skip?: string
  /** True if its only form is a search on this server. */
  searches?: boolean
  /** True for a header with links to the API and its problems, or a custom header. */
  header?: boolean | Html
  /** True if the page shows pages of this server in frames. */
  frames?: boolean
  /** Source of the only inline style. */
  inlineStyle?: string | undefined
}

export function sendPage(
  reply: FastifyReply,
  {
    title,
    main,
    more = html``,
    styles = '/docs/page.css',
    forms = false,
    searches = false,
    header = true,
    locale = 'en',
    skip = 'Skip to the content',
    frames = false,
    imageOrigin,
    inlineStyle,
  }: Page,
): FastifyReply {
  return reply
    .headers({
      'content-security-policy': contentSecurityPolicy(
        forms || searches,
        imageOrigin,
        { shows: frames },
        inlineStyle,
      ),
      'x-content-type-options': 'nosniff',
      // with no-referrer, forms of older browsers would omit their origin
      'referrer-policy': forms !== false ? 'same-origin' : 'no-referrer',
      'cache-control': forms !== false ? 'no-store' : 'no-cache', // submitting a form changes its page
    })
    .type('text/html; charset=utf-8')
    .send(pageOf({ title, main, more, styles, header, locale, skip }).text)
}

const pageHeader = html`<header>
  <a class="name" href="/"><img src="/docs/icon.svg" alt="" />Holdfast</a>
  <nav aria-label="Pages">
    <a href="/guides">Guides</a>
    <a href="/docs">API</a>
    <a href="/problems">Problems</a>
    <a href="/openapi.json">openapi.json</a>
  </nav>
</header>`

function pageOf({
  title,
  main,
  more,
  styles,
  header,
  locale,
  skip,
}: Required<Omit<Page, 'forms' | 'searches' | 'frames' | 'imageOrigin' | 'inlineStyle'>>): Html {
  return html`<!doctype html>
    <html ${directionOf(locale) === 'rtl' ? html`lang="${locale}" dir="rtl"` : html`lang="${locale}"`}>
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        ${more}
        <link rel="stylesheet" href="${styles}" />
      </head>
      <body>
        <a class="skip" href="#main">${skip}</a>
        ${header === true ? pageHeader : header || ''} ${main}
      </body>
    </html> `
}

const codes = Object.keys(problemKinds) as ProblemCode[] // problemKinds has no other keys

/** Returns the problem code; undefined if unknown. */
export function problemCode(text: string): ProblemCode | undefined {
  return codes.find((code) => code === text)
}

/** An operation that can return a problem, and its URL in the reference. */
export interface ProblemSource {
  summary: string
  address: string
}

/** Renders the page of one problem code. */
export function problemPage(code: ProblemCode, sources: ProblemSource[]): Html {
  const { status, title } = problemKinds[code]
  const { when, fields, whatToDo } = problemTexts[code]
  return textPage(
    html`<h1>${title}</h1>
      <p class="code"><code>${code}</code> <span class="status">${status}</span></p>
      <h2>What happened</h2>
      <p>${prose(when)}</p>
      ${
        fields === undefined
          ? ''
          : html`<h2>Additional fields</h2>
              <p>${prose(fields)}</p>`
      }
      ${code === 'validation_failed' ? fieldErrorTable() : ''}
      <h2>What to do</h2>
      <p>${prose(whatToDo)}</p>
      <h2>An example</h2>
      <pre tabindex="0"><code>${JSON.stringify(exampleProblem(code), null, 2)}</code></pre>
      ${
        sources.length === 0
          ? ''
          : html`<h2>Where it occurs</h2>
              <ul>
                ${sources.map(({ summary, address }) => html`<li><a href="${address}">${summary}</a></li>`)}
              </ul>`
      }
      <p><a href="/problems">All problems</a></p>`,
  )
}

function fieldErrorTable(): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${Object.entries(fieldErrorTexts).map(
        ([code, text]) =>
          html`<tr>
            <td><code>${code}</code></td>
            <td>${prose(text)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Renders the list of codes by status. */
export function problemIndex(): Html {
  const byStatus = Map.groupBy(codes, (code) => problemKinds[code].status)
  const groups = [...byStatus].toSorted(([one], [other]) => one - other)
  return textPage(
    html`<h1>Problems</h1>
      <p>
        Every error is a problem document (RFC 9457) with one of these codes. Decide by the code; it does not
        change.
      </p>
      ${groups.map(
        ([status, ofStatus]) =>
          html`<h2 id="${status}">${status}</h2>
            <ul class="codes">
              ${ofStatus.map(
                (code) =>
                  html`<li>
                    <a href="/problems/${code}"><code>${code}</code></a> ${problemKinds[code].title}
                  </li>`,
              )}
            </ul>`,
      )}`,
  )
}

export function unknownProblemPage(text: string): Html {
  return textPage(
    html`<h1>No such problem</h1>
      <p>There is no problem with the code <code>${text.slice(0, 64)}</code>.</p>
      <p><a href="/problems">All problems</a></p>`,
  )
}

function textPage(content: Html): Html {
  return html`<main id="main" class="text" tabindex="-1">${content}</main>`
}

/** The query of a page with a search. Browsers may add parameters of links. */
export const searchQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 100, examples: ['refund'] })),
})

/** The style sheet of pages with `manualLayout`. */
export const manualStyles = '/docs/manual.css'

/** Renders a page of a manual: a search, a list of all its pages or parts, and the content. */
export function manualLayout({
  name,
  path,
  query,
  list,
  content,
}: {
  name: string
  path: string
  query: string
  list: Html
  content: Html
}): Html {
  return html`<div class="manual">
    <nav aria-label="${name}">
      <form method="get" action="${path}" role="search">
        <input
          type="search"
          name="q"
          value="${query}"
          aria-label="Search: ${name}"
          placeholder="Search"
          maxlength="100"
        />
      </form>
      ${list}
    </nav>
    <main id="main" class="text" tabindex="-1">${content}</main>
  </div>`
}

/** Removes preconditions, which would make the sender of files fail without a problem code. */
export function withoutPreconditions({ raw }: FastifyRequest): void {
  delete raw.headers['if-match']
  delete raw.headers['if-unmodified-since']
}

/** Redirects a browser by GET to a path of the same origin. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}
