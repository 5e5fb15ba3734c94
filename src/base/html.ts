/** HTML that is safe to send. Created by `html`, which escapes, or by `trusted`, whose callers the linter lists. */
export type { Html }

class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Marks a text as HTML without escaping it. eslint.config.js lists the callers, each of which ensures that the text is
 * safe.
 */
export function trusted(text: string): Html {
  return new Html(text)
}

type Part = string | number | Html | Part[]

/** The texts of the templates, without the indentation of the source code. */
const outdented = new WeakMap<TemplateStringsArray, string[]>()

/** Builds HTML. Escapes texts and keeps HTML and lists of it. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let raw = outdented.get(strings)
  if (!raw) {
    raw = strings.map((text) => text.replaceAll(/\n\s+/g, '\n '))
    outdented.set(strings, raw)
  }
  let text = raw[0] ?? ''
  for (const [index, part] of parts.entries()) text += rendered(part) + (raw[index + 1] ?? '')
  return new Html(text)
}

function rendered(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(rendered).join('')
  return escaped(String(part))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for HTML, between tags and in attributes. */
export function escaped(text: string): string {
  if (!/[&<>"']/.test(text)) return text // nearly always: a calendar has thousands of texts
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}
