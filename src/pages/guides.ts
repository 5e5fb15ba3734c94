import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'
import { type Html, html, trusted } from '../base/html.ts'
import { manualLayout } from './page.ts'

/*
 * The guides of docs/guides as pages, as Markdown and for search. Each is read and rendered once. Loaded late, because
 * few people request them.
 */

const folder = resolve(import.meta.dirname, '../../docs/guides')

/** Pictures of the guides. */
export const imageFolder = resolve(folder, '../images')

/** The order of the guides in lists. A test compares it with the folder. */
const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Begin', ['first-booking', 'running-a-salon', 'self-hosting', 'moving']],
  [
    'Offer and book',
    [
      ...['catalogue', 'availability', 'visits', 'series', 'requests', 'waiting-list', 'manage-link'],
      ...['deposits', 'coupons', 'mail', 'calendars', 'import', 'privacy', 'people'],
    ],
  ],
  [
    'Build',
    [
      ...['widget', 'client', 'generated-clients', 'keys-and-sessions', 'errors', 'idempotency'],
      ...['rate-limits', 'webhooks', 'receiving-webhooks', 'testing', 'agents'],
    ],
  ],
  [
    'Run',
    [
      ...['configuration', 'cli', 'operating', 'monitoring', 'backups', 'scaling', 'high-availability'],
      'upgrading',
    ],
  ],
]

/** A part of a guide under one heading. */
interface Section {
  /** The fragment of its address. Empty for the beginning. */
  anchor: string
  heading: string
  text: string
}

interface Guide {
  name: string
  title: string
  /** Its first whole sentence as plain text. */
  about: string
  markdown: string
  content: Html
  sections: Section[]
}

const markdown = new MarkdownIt({ html: true }) // HTML in guides is comments only, which the rules below drop

const { rules } = markdown.renderer

rules['html_block'] = () => ''
rules['html_inline'] = () => ''
rules['table_open'] = () => '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>'
rules['table_close'] = () => '</table></div>'
rules['fence'] = (tokens, index) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>`

let all: Map<string, Guide> | undefined

function guides(): Map<string, Guide> {
  all ??= new Map(groups.flatMap(([, names]) => names).map((name) => [name, readGuide(name)]))
  return all
}

/** Returns the names of all guides, by group. */
export function guideGroups(): { title: string; guides: Guide[] }[] {
  return groups.map(([title, names]) => ({ title, guides: names.flatMap((name) => guideNamed(name) ?? []) }))
}

export function guideNamed(name: string): Guide | undefined {
  return guides().get(name)
}

let images: string[] | undefined

/** Returns the names of the pictures. */
export function guideImages(): string[] {
  images ??= readdirSync(imageFolder)
  return images
}

function readGuide(name: string): Guide {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8')
  const tokens = markdown.parse(text, {})
  const sections: Section[] = [{ anchor: '', heading: '', text: '' }]
  for (const [index, token] of tokens.entries()) {
    for (const child of token.children ?? []) adapt(child, token.children ?? [])
    if (token.type === 'heading_open') {
      const heading = textOf(tokens[index + 1])
      const anchor = token.tag === 'h1' ? '' : anchorOf(heading)
      if (anchor !== '') token.attrSet('id', anchor)
      sections.push({ anchor, heading, text: '' })
    } else if (['inline', 'fence'].includes(token.type) && tokens[index - 1]?.type !== 'heading_open') {
      const section = sections.at(-1)
      if (section) section.text += `${textOf(token)}\n`
    }
  }
  const [title = name] = sections.flatMap(({ heading }) => heading || [])
  return {
    ...{ name, title, markdown: servedMarkdown(text), sections },
    about: firstSentence(tokens),
    content: trusted(markdown.renderer.render(tokens, markdown.options, {})), // our own Markdown
  }
}

/** Returns the Markdown as this server has its pages: without remarks for tests, and without links to other files. */
function servedMarkdown(text: string): string {
  return text
    .replaceAll(/^ *<!-- .* -->\n\n?/gm, '')
    .replaceAll('](../images/', '](images/')
    .replaceAll(/(?<!!)\[([^\]]+)\]\((?!https?:|#|\/|[a-z-]+\.md)[^)]+\)/g, '$1')
}

function firstSentence(tokens: readonly Token[]): string {
  const paragraphs = tokens.flatMap((token, index) =>
    token.type === 'paragraph_open' ? [textOf(tokens[index + 1])] : [],
  )
  return paragraphs.flatMap((text) => /^.*?\.(?= |$)/.exec(text) ?? [])[0] ?? ''
}

function textOf(token: Token | undefined): string {
  if (!token?.children) return token?.content ?? ''
  const shown = ({ type, content }: Token) =>
    type === 'softbreak' ? ' ' : type === 'html_inline' ? '' : content
  return token.children.map(shown).join('')
}

/** Returns the fragment by which GitHub links to a heading, so that links in guides work in both places. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** Leads links and pictures to addresses of this server. Links to other files of the project become text. */
function adapt(token: Token, siblings: Token[]): void {
  if (token.type === 'image') {
    token.attrSet('src', String(token.attrGet('src')).replace('../images/', '/guides/images/'))
    token.attrSet('loading', 'lazy')
  }
  if (token.type !== 'link_open') return
  const target = String(token.attrGet('href'))
  const own = /^([a-z-]+)\.md(#.*)?$/.exec(target)
  if (own) token.attrSet('href', `/guides/${own[1] ?? ''}${own[2] ?? ''}`)
  else if (!/^(https?:|#|\/)/.test(target)) {
    const close = siblings.slice(siblings.indexOf(token)).find(({ type }) => type === 'link_close')
    for (const end of [token, close]) if (end) Object.assign(end, { type: 'text', content: '' })
  }
}

/** A section that contains all words of a search. */
interface Found {
  guide: Guide
  section: Section
  excerpt: string
}

const maxFound = 20

/** Further words of a search are ignored. */
const maxWords = 8

/** A word counts at most so often in a text. */
const maxCount = 20

/** Returns the best sections for a search. A word in a heading counts more than one in the text. */
function searchGuides(query: string): Found[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, maxWords)
  if (words.length === 0) return []
  const found = [...guides().values()].flatMap((guide) =>
    guide.sections.flatMap((section) => {
      const [title, heading, text] = [guide.title, section.heading, section.text].map((one) =>
        one.toLowerCase(),
      )
      const scores = words.map(
        (word) => 10 * count(heading, word) + 5 * count(title, word) + count(text, word),
      )
      if (scores.includes(0)) return []
      const score = scores.reduce((sum, one) => sum + Math.min(one, maxCount), 0)
      return [{ guide, section, score }]
    }),
  )
  return found
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxFound)
    .map(({ guide, section }) => ({ guide, section, excerpt: excerptOf(section.text, words) }))
}

function count(text = '', word: string): number {
  let found = 0
  for (let at = text.indexOf(word); at !== -1 && found < maxCount; at = text.indexOf(word, at + word.length))
    found += 1
  return found
}

const excerptLength = 160

function excerptOf(text: string, words: readonly string[]): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const at = Math.max(0, ...words.slice(0, 1).map((word) => line.toLowerCase().indexOf(word) - 40))
  const start = at === 0 ? 0 : line.indexOf(' ', at) + 1
  const part = line.slice(start, start + excerptLength)
  return `${start > 0 ? '… ' : ''}${part.trim()}${start + excerptLength < line.length ? ' …' : ''}`
}

/** Renders the list of guides, or what a search found. */
export function guideIndex(query: string): Html {
  const found = searchGuides(query)
  return guideLayout({
    query,
    content: html`<h1>Guides</h1>
      ${
        query === ''
          ? guideGroups().map(
              ({ title, guides }) =>
                html`<h2>${title}</h2>
                  <ul class="codes">
                    ${guides.map(
                      (guide) =>
                        html`<li>
                          <a href="/guides/${guide.name}">${guide.title}</a>
                          <p>${guide.about}</p>
                        </li>`,
                    )}
                  </ul>`,
            )
          : html`<p role="status">
                ${found.length === 0 ? 'Nothing found.' : `Found in ${found.length} places.`}
                <a href="/docs?q=${encodeURIComponent(query)}">Search the API reference</a>
              </p>
              <ul class="codes">
                ${found.map(
                  ({ guide, section: { anchor, heading }, excerpt }) =>
                    html`<li>
                      <a href="/guides/${guide.name}${anchor && `#${anchor}`}"
                        >${anchor === '' ? guide.title : `${guide.title}: ${heading}`}</a
                      >
                      <p>${excerpt}</p>
                    </li>`,
                )}
              </ul>`
      }`,
  })
}

/** Renders the page of a guide. */
export function guidePage(guide: Guide): Html {
  return guideLayout({
    current: guide.name,
    content: html`${guide.content}
      <p class="soft"><a href="/guides/${guide.name}.md">This page as Markdown</a></p>`,
  })
}

function guideLayout({
  content,
  current,
  query = '',
}: {
  content: Html
  current?: string
  query?: string
}): Html {
  const link = ({ name, title }: Guide) =>
    html`<li><a href="/guides/${name}" ${name === current ? html`aria-current="page"` : ''}>${title}</a></li>`
  return manualLayout({
    ...{ name: 'Guides', path: '/guides', query, content },
    list: html`<details>
      <summary>All guides</summary>
      ${guideGroups().map(
        ({ title, guides }) =>
          html`<h2>${title}</h2>
            <ul>
              ${guides.map(link)}
            </ul>`,
      )}
    </details>`,
  })
}

/** Returns a list of the documentation for programs that read it (llmstxt.org). */
export function llmsText(server: string): string {
  const lists = guideGroups().map(
    ({ title, guides }) =>
      `## ${title}\n\n${guides.map((guide) => `- [${guide.title}](${server}/guides/${guide.name}.md): ${guide.about}`).join('\n')}\n`,
  )
  return `# Holdfast

> Appointment booking for businesses. A client holds a slot for ten minutes, then the hold becomes a booking. A slot is never sold twice.

- The API: ${server}/openapi.json (OpenAPI 3.1), below ${server}/api/v1; for people: ${server}/docs
- Problems, by code: ${server}/problems
- Tools for agents: ${server}/mcp (Model Context Protocol)
- All guides in one file: ${server}/llms-full.txt

${lists.join('\n')}`
}

/** Returns all guides as one Markdown text. */
export function allGuidesText(): string {
  return [...guides().values()].map((guide) => guide.markdown).join('\n\n')
}
